static const char *place_nodes(void)
{
    return NULL;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. A child for which there is no
 * direction is the root of a tree of its own. */
static int neighbour(int node, int direction)
{
    int first = 1;                       /* the direction of the first child of a level */
    if (direction >= DIRECTIONS)
        return -1;
    for (int step = 1; step < size && first < DIRECTIONS; step *= ARITY, first += ARITY - 1) {
        int child = direction - first + 1, own = first + node / step % ARITY - 1;
        if (node % (step * ARITY) != 0)
            return direction == 0 && own < DIRECTIONS ? node - node % (step * ARITY) : -1;
        if (child >= 1 && child < ARITY)
            return node + child * step < size ? node + child * step : -1;
    }
    return -1;
}

