static const char *place_nodes(void)
{
    if (size == RECORDED_SIZE)
        memcpy(dims, RECORDED_DIMS, sizeof dims);
    else
        share_out(size, dims, DIMENSIONS);
    return NULL;
}

/* Returns how far a direction leads in a clique of `now` nodes, or 0 if it leads nowhere. In the recorded
 * clique of `was` nodes it leads `further` nodes around. In a clique of another size, directions of the first
 * half lead forward and those of the second half backward, so that each has a reverse direction. */
static int distance(int further, int was, int now)
{
    int nearer = 2 * further < was ? further : was - further;
    if (now == was)
        return further;
    if (2 * further == was || 2 * nearer > now)
        return 0;
    return 2 * further < was ? nearer : now - nearer;
}

/* Returns the neighbour of a node in a direction, or -1 if it has none. */
static int neighbour(int node, int direction)
{
    int stride = 1;
    if (direction < 0)
        return -1;
    for (int i = DIMENSIONS - 1; i >= 0; i--) {
        int others = RECORDED_DIMS[i] - 1;
        if (direction < others) {
            int at = node / stride % dims[i];
            int further = distance(direction + 1, others + 1, dims[i]);
            int there = (at + further) % dims[i];
            return there == at ? -1 : node + (there - at) * stride;
        }
        direction -= others;
        stride *= dims[i];
    }
    return -1;
}

