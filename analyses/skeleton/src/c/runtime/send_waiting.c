
/* Sends without blocking, because blocking sends would wait for each other. All requests share one buffer,
 * which is only read. */
static void send(int direction, int tag, MPI_Comm communicator, int bytes)
{
    int to = peer(direction);
    if (to == MPI_PROC_NULL)
        return;
    if (pending == room)
        enlarge();
    MPI_Isend(outgoing, bytes, MPI_BYTE, to, tag, communicator, &requests[pending++]);
}

/* Waits until all messages have been received. foldtrace has simulated the program to verify that this does
 * not block forever. */
static void complete(void)
{
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}
