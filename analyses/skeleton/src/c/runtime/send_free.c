
/* Removes completed requests, and waits for none: some messages are received only after later calls of this
 * process, so waiting before the end could block forever. */
static void tidy(void)
{
    int kept = 0;
    for (int i = 0; i < pending; i++) {
        int is_complete;
        MPI_Test(&requests[i], &is_complete, MPI_STATUS_IGNORE);
        if (!is_complete)
            requests[kept++] = requests[i];
    }
    pending = kept;
}

/* Sends without blocking, because other sends would wait for each other. All requests share one buffer,
 * which is only read. */
static void send(int direction, int tag, MPI_Comm communicator, int bytes)
{
    int to = peer(direction);
    if (to == MPI_PROC_NULL)
        return;
    if (pending == room)
        tidy();
    if (2 * pending >= room)
        enlarge();
    MPI_Isend(outgoing, bytes, MPI_BYTE, to, tag, communicator, &requests[pending++]);
}

/* Waits at the end of the program until all messages have been received. */
static void complete(void)
{
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}
