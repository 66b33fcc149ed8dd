/* ---- messages to neighbours: without a neighbour, calls do nothing ---------------------------- */

static char *outgoing, *incoming;

static void prepare_messages(void)
{
    outgoing = calloc(LARGEST + 1, 1);
    incoming = calloc(LARGEST + 1, 1);
    if (outgoing == NULL || incoming == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int peer(int direction)
{
    int node = neighbour(node_of(rank), direction);
    return node < 0 ? MPI_PROC_NULL : rank_of(node);
}
