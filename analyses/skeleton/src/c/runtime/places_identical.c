static int node_of(int which)
{
    return which;
}

static int rank_of(int node)
{
    return node;
}
