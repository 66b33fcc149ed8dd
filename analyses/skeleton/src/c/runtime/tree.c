static const char *place_nodes(void)
{
    return NULL;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. */
static int neighbour(int node, int direction)
{
    int child = ARITY * node + direction;
    if (direction < 0 || direction >= DIRECTIONS)
        return -1;
    if (direction == 0)
        return node == 0 ? -1 : (node - 1) / ARITY;
    return child < size ? child : -1;
}

