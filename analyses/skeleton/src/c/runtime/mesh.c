/* Chooses the sizes of the dimensions. If that is impossible, returns the required number of processes.
 * A closed dimension of size 2 cannot grow, because one direction leads both ways in it. Such a mesh grows
 * in its other dimensions; if it has none, several copies of it run next to each other. */
static const char *place_nodes(void)
{
    int rest = size, open = 0, shared[DIMENSIONS];
    if (size == RECORDED_SIZE) {
        memcpy(dims, RECORDED_DIMS, sizeof dims);
        return NULL;
    }
    for (int i = 0; i < DIMENSIONS; i++) {
        int is_pair = IS_CLOSED && RECORDED_DIMS[i] == 2;
        dims[i] = !is_pair ? 0 : rest % 2 == 0 ? 2 : 1;
        rest /= is_pair ? dims[i] : 1;
        open += !is_pair;
    }
    if (open == 0)
        return (rest & (rest - 1)) == 0 ? NULL : "a power of two";
    share_out(rest, shared, open);
    for (int i = DIMENSIONS - 1; i >= 0; i--)
        if (dims[i] == 0)
            dims[i] = shared[--open];
    return NULL;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. */
static int neighbour(int node, int direction)
{
    int at[DIMENSIONS], nodes = 1, other = 0;
    if (direction < 0 || direction >= DIRECTIONS)
        return -1;
    coordinates(node, at);
    for (int i = 0; i < DIMENSIONS; i++) {
        int there = at[i] + OFFSETS[direction][i];
        if (!IS_CLOSED && (there < 0 || there >= dims[i]))
            return -1;
        other = other * dims[i] + (there % dims[i] + dims[i]) % dims[i];
        nodes *= dims[i];
    }
    other += node / nodes * nodes;
    return other == node ? -1 : other;
}

