static int rows = 1, columns;

static const char *place_nodes(void)
{
    while (rows * rows * 4 <= size)
        rows *= 2;
    columns = size / rows;
    return (size & (size - 1)) == 0 ? NULL : "a power of two";
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. A node on the diagonal is its own
 * transposed node. */
static int neighbour(int node, int direction)
{
    int wide = columns / rows, half = node / wide;
    if (direction < 0 || direction >= DIRECTIONS)
        return -1;
    if (direction < DIRECTIONS - 1)
        return 1 << direction < columns ? node ^ (1 << direction) : -1;
    return wide * (half % rows * rows + half / rows) + node % wide;
}

