
static void receive(int direction, int tag, MPI_Comm communicator)
{
    int from = peer(direction);
    if (from != MPI_PROC_NULL)
        MPI_Recv(incoming, LARGEST, MPI_BYTE, from, tag, communicator, MPI_STATUS_IGNORE);
}
