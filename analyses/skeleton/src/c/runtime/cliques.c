static const char *place_nodes(void)
{
    if (size == RECORDED_SIZE)
        memcpy(dims, RECORDED_DIMS, sizeof dims);
    else
        share_out(size, dims, DIMENSIONS);
    return NULL;
}

/* How far a direction leads that was recorded `further` around among `was`, if there are `now`; 0 if nowhere.
 * In another clique than the recorded one, directions of the first half lead forward, those of the second
 * half backward, so that both ends of a message stay directions of the program. */
static int distance(int further, int was, int now)
{
    int nearer = 2 * further < was ? further : was - further;
    if (now == was)
        return further;
    if (2 * further == was || 2 * nearer > now)
        return 0;
    return 2 * further < was ? nearer : now - nearer;
}

/* The number of the neighbour of a node in a direction; -1 if it has none there. */
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

