
/* Receives a message from every process that has a role and whose neighbour in a direction is this process. */
static void take_of_role(int direction, int role, int tag, MPI_Comm communicator)
{
    int here = node_of(rank);
    for (int node = 0; node < size; node++) {
        if (neighbour(node, direction) == here && ROLES[role][rank_of(node)])
            MPI_Recv(incoming, LARGEST, MPI_BYTE, rank_of(node), tag, communicator,
                     MPI_STATUS_IGNORE);
    }
}
