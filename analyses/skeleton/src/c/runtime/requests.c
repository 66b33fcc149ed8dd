
static MPI_Request *requests;
static int pending, room;

/* Doubles the room for requests. */
static void enlarge(void)
{
    room = room > 0 ? 2 * room : 64;
    requests = realloc(requests, (size_t) room * sizeof *requests);
    if (requests == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
}
