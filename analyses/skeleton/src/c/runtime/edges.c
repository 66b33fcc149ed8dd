static const char *place_nodes(void)
{
    return NULL;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. */
static int neighbour(int node, int direction)
{
    if (direction < 0 || direction >= DIRECTIONS)
        return -1;
    return NEIGHBOURS[node][direction];
}

