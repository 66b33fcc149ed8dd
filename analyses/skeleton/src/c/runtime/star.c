static const char *place_nodes(void)
{
    return NULL;
}

/* The number of the neighbour of a node in a direction; -1 if it has none there. Those for whom the centre
 * has no direction stand alone. */
static int neighbour(int node, int direction)
{
    if (direction == 0)
        return node > 0 && node < DIRECTIONS ? 0 : -1;
    return node == 0 && direction > 0 && direction < DIRECTIONS && direction < size ? direction : -1;
}

