/* ---- collective operations: `bytes` is the size per process ----------------------------------- */

enum operation {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV,
    ALLTOALLW, ALLREDUCE, REDUCE, REDUCE_SCATTER, SCAN, EXSCAN, REDUCE_SCATTER_BLOCK
};

static char *contributed, *gathered;
static int *counts, *places;
static MPI_Datatype *types;

static void *room_for(size_t bytes)
{
    void *room = calloc(bytes + 1, 1);
    if (room == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return room;
}

static void prepare_collectives(void)
{
    contributed = room_for((size_t) LARGEST * (size_t) size);
    gathered = room_for((size_t) LARGEST * (size_t) size);
    counts = room_for((size_t) size * sizeof *counts);
    places = room_for((size_t) size * sizeof *places);
    types = room_for((size_t) size * sizeof *types);
}

static void collective(enum operation operation, int bytes, int root, MPI_Comm communicator)
{
    int members, share;
    if (communicator == MPI_COMM_NULL)
        return;
    MPI_Comm_size(communicator, &members);
    root %= members;
    share = bytes / members;             /* the part for each member */
    for (int i = 0; i < members; i++) {
        int is_shared = operation == ALLTOALLV || operation == ALLTOALLW
                        || operation == REDUCE_SCATTER;
        counts[i] = is_shared ? share : bytes;
        places[i] = i * counts[i];
        types[i] = MPI_BYTE;
    }
    switch (operation) {
    case BARRIER:
        MPI_Barrier(communicator);
        break;
    case BCAST:
        MPI_Bcast(contributed, bytes, MPI_BYTE, root, communicator);
        break;
    case GATHER:
        MPI_Gather(contributed, bytes, MPI_BYTE, gathered, bytes, MPI_BYTE, root, communicator);
        break;
    case GATHERV:
        MPI_Gatherv(contributed, bytes, MPI_BYTE, gathered, counts, places, MPI_BYTE, root,
                    communicator);
        break;
    case SCATTER:
        MPI_Scatter(contributed, bytes, MPI_BYTE, gathered, bytes, MPI_BYTE, root, communicator);
        break;
    case SCATTERV:
        MPI_Scatterv(contributed, counts, places, MPI_BYTE, gathered, bytes, MPI_BYTE, root,
                     communicator);
        break;
    case ALLGATHER:
        MPI_Allgather(contributed, bytes, MPI_BYTE, gathered, bytes, MPI_BYTE, communicator);
        break;
    case ALLGATHERV:
        MPI_Allgatherv(contributed, bytes, MPI_BYTE, gathered, counts, places, MPI_BYTE,
                       communicator);
        break;
    case ALLTOALL:
        MPI_Alltoall(contributed, share, MPI_BYTE, gathered, share, MPI_BYTE, communicator);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(contributed, counts, places, MPI_BYTE, gathered, counts, places, MPI_BYTE,
                      communicator);
        break;
    case ALLTOALLW:
        MPI_Alltoallw(contributed, counts, places, types, gathered, counts, places, types,
                      communicator);
        break;
    case ALLREDUCE:
        MPI_Allreduce(contributed, gathered, bytes, MPI_BYTE, MPI_BOR, communicator);
        break;
    case REDUCE:
        MPI_Reduce(contributed, gathered, bytes, MPI_BYTE, MPI_BOR, root, communicator);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(contributed, gathered, counts, MPI_BYTE, MPI_BOR, communicator);
        break;
    case SCAN:
        MPI_Scan(contributed, gathered, bytes, MPI_BYTE, MPI_BOR, communicator);
        break;
    case EXSCAN:
        MPI_Exscan(contributed, gathered, bytes, MPI_BYTE, MPI_BOR, communicator);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(contributed, gathered, share, MPI_BYTE, MPI_BOR, communicator);
        break;
    }
}
