int main(int argc, char **argv)
{
    const char *needed;
    double begin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    needed = @NEEDED@;
    if (needed != NULL) {
        if (rank == 0)
            fprintf(stderr, "skeleton: this program needs %s processes, not %d\n", needed, size);
        MPI_Finalize();
        return 2;
    }
@SETUP@    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    program();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr, "skeleton: %.3f s, asked for %.3f s\n", MPI_Wtime() - begin, ASKED_SECONDS);
    MPI_Finalize();
    return 0;
}
