static const char *place_nodes(void)
{
    return NULL;
}

/* The number of the neighbour of a node in a direction; -1 if it has none there. Who is the child of nobody
 * on the recorded levels is the root of a tree of its own. */
static int neighbour(int node, int direction)
{
    int levels = (DIRECTIONS - 1) / (ARITY - 1), step = 1;
    for (int level = 0; level < levels && step < size; level++, step *= ARITY) {
        int child = direction - level * (ARITY - 1);
        if (node % (step * ARITY) != 0)
            return direction == 0 ? node - node % (step * ARITY) : -1;
        if (child >= 1 && child < ARITY)
            return node + child * step < size ? node + child * step : -1;
    }
    return -1;
}

