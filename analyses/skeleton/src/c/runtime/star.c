static const char *place_nodes(void)
{
    return NULL;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. A node to which no direction of the
 * centre leads has no neighbours. */
static int neighbour(int node, int direction)
{
    if (direction == 0)
        return node > 0 && node < DIRECTIONS ? 0 : -1;
    return node == 0 && direction > 0 && direction < DIRECTIONS && direction < size ? direction : -1;
}

