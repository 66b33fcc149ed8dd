static const char *place_nodes(void)
{
    return NULL;
}

/* The number of the neighbour of a node in a direction; -1 if it has none there. */
static int neighbour(int node, int direction)
{
    if (direction < 0 || direction >= DIRECTIONS)
        return -1;
    return NEIGHBOURS[node][direction];
}

