
/* Forgets requests that are complete. It waits for none: some are received only after what comes next here,
 * so that waiting earlier than at the end might be for ever. */
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

/* Other sends would wait for each other. All requests may share one buffer: it is only read. */
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

/* Waits until all has been received, when nothing else is left to do. */
static void complete(void)
{
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}
