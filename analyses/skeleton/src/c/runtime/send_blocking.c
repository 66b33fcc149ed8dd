
static void send(int direction, int tag, MPI_Comm communicator, int bytes)
{
    int to = peer(direction);
    if (to != MPI_PROC_NULL)
        MPI_Send(outgoing, bytes, MPI_BYTE, to, tag, communicator);
}
