
/* Receives a message from every process whose neighbour in a direction is this process. */
static void take(int direction, int tag, MPI_Comm communicator)
{
    int here = node_of(rank);
    for (int node = 0; node < size; node++)
        if (neighbour(node, direction) == here)
            MPI_Recv(incoming, LARGEST, MPI_BYTE, rank_of(node), tag, communicator,
                     MPI_STATUS_IGNORE);
}
