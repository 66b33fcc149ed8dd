
/* Receives a message from every process whose neighbour in a direction is this process, and that has
 * neighbours in two other directions or, if `is_there` is 0, lacks one of them. */
static void take_of_some(int direction, int one, int other, int is_there, int tag,
                         MPI_Comm communicator)
{
    int here = node_of(rank);
    for (int node = 0; node < size; node++) {
        int has_both = neighbour(node, one) >= 0 && neighbour(node, other) >= 0;
        if (neighbour(node, direction) == here && has_both == is_there)
            MPI_Recv(incoming, LARGEST, MPI_BYTE, rank_of(node), tag, communicator,
                     MPI_STATUS_IGNORE);
    }
}
