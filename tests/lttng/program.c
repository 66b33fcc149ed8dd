/* A ring: in each turn, a process computes, sends to the next process, receives from the previous one, and all add numbers. */

#include <mpi.h>

static volatile double sink;

static void compute(int steps) {
    for (int step = 0; step < steps; step++) {
        sink += step * 0.5;
    }
}

static void exchange(int rank, int size) {
    double out[100] = {0}, in[100];
    MPI_Request request;
    MPI_Isend(out, 100, MPI_DOUBLE, (rank + 1) % size, 17, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 100, MPI_DOUBLE, (rank + size - 1) % size, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < 50; turn++) {
        double sum, mine = turn;
        compute(1000 * (rank + 1));
        exchange(rank, size);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
