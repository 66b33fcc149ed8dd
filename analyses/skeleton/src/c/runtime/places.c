static int node_of(int which)
{
    return size == RECORDED_SIZE ? NODES[which] : which;
}

static int rank_of(int node)
{
    return size == RECORDED_SIZE ? RANKS[node] : node;
}
