/* A solver with three loops, whose work and sizes are arguments, for recording runs that differ in one thing.
 *   smooth  halo exchange on a line: MPI_Irecv, MPI_Isend, MPI_Waitall
 *   sweep   a loop in a loop: MPI_Sendrecv along a ring, five times, then MPI_Allreduce
 *   norm    MPI_Reduce to rank 0, then MPI_Bcast
 * Arguments: NAME=FACTOR for smooth, sweep or norm multiplies the work of a loop; steps=N and count=N set the
 * iterations of each loop and the numbers in a message; slow=RANK doubles the work of that rank in sweep.
 * Build: mpicc -O2 -o solver solver.c     Record: mpirun -np 4 eztrace -t openmpi ./solver sweep=1.2
 * To simulate it, without the noise of a real machine: smpicc -DSIMULATED -O2 -o solver solver.c
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1 << 16 };
static double buf[4][most];
static double smooth = 1, sweep = 1, norm = 1, steps = 40, count = 100, slow = -1;
static volatile double sink;

/* Computes for about this many microseconds. */
static void work(double microseconds) {
#ifdef SIMULATED
  smpi_execute(1e-6 * microseconds);
#else
  for (long i = 0; i < microseconds * 1000; i++) sink += 1e-9 * (double)i;
#endif
}

static void set(const char *argument) {
  const char *names[] = {"smooth=", "sweep=", "norm=", "steps=", "count=", "slow="};
  double *values[] = {&smooth, &sweep, &norm, &steps, &count, &slow};
  for (int i = 0; i < 6; i++)
    if (!strncmp(argument, names[i], strlen(names[i]))) *values[i] = atof(argument + strlen(names[i]));
}

int main(int argc, char **argv) {
  int rank, size;
  double mine = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; i++) set(argv[i]);
  int n = (int)count, next = (rank + 1) % size, previous = (rank + size - 1) % size;

  for (int i = 0; i < steps; i++) {
    MPI_Request requests[4];
    int open = 0;
    for (int side = 0; side < 2; side++) {
      int other = rank + 2 * side - 1;
      if (other < 0 || other >= size) continue;
      MPI_Irecv(buf[side], n, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[open++]);
      MPI_Isend(buf[2 + side], n, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[open++]);
    }
    work(200 * smooth);
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < steps; i++) {
    for (int j = 0; j < 5; j++) {
      work(100 * sweep * (rank == slow ? 2 : 1));
      MPI_Sendrecv(buf[0], 2 * n, MPI_DOUBLE, next, 2, buf[1], 2 * n, MPI_DOUBLE, previous, 2, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  for (int i = 0; i < steps; i++) {
    work(300 * norm);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
