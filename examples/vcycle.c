/* A multigrid solver with nested and recursive functions, for recording traces.
 *   It solves DECAY u - u'' = f on P x 192 cells by STEPS V-cycles, regardless of the accuracy that they reach.
 *   On each of LEVELS levels, vcycle makes the same calls around its recursive call: all messages have
 *   one cell and the same tag. The coarsest grid, of P x 6 cells, is solved by recursive halving.
 * Build: mpicc -O0 -finstrument-functions -rdynamic -o vcycle vcycle.c -lm     Record: see record.sh
 */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20, LEVELS = 5, CELLS = 192, DECAY = 1000, TAG = 7 };

/* Cells 1 to n are those of this process; cells 0 and n + 1 are the neighbours'. */
static struct grid {
  int n;
  double h2;
  double u[CELLS + 2], f[CELLS + 2];
} grids[LEVELS + 1];
static int rank, size;

#define UNRECORDED __attribute__((no_instrument_function))

UNRECORDED static double residual(const struct grid *g, int i) {
  return g->f[i] - DECAY * g->u[i] - (2 * g->u[i] - g->u[i - 1] - g->u[i + 1]) / g->h2;
}

UNRECORDED static void update(struct grid *g, int i) {
  g->u[i] += residual(g, i) / (2 / g->h2 + DECAY);
}

void setup(void) {
  double load = rank == 0 ? 1 : 0;
  MPI_Bcast(&load, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int level = 0; level <= LEVELS; level++) {
    struct grid *g = &grids[level];
    g->n = CELLS >> level;
    g->h2 = pow(1.0 / (g->n * size), 2);
    for (int i = 1; i <= g->n; i++) g->f[i] = load;
  }
}

void relax(int level) {
  struct grid *g = &grids[level];
  for (int i = 1; i <= g->n; i++) update(g, i);
}

void smooth(int level) {
  for (int sweep = 0; sweep < 3; sweep++) relax(level);
}

/* Even ranks communicate with the right neighbour first and send first; odd ranks communicate with the left
 * neighbour first and receive first. */
void exchange(int level) {
  struct grid *g = &grids[level];
  for (int turn = 0; turn < 2; turn++) {
    int right = rank % 2 == turn, other = right ? rank + 1 : rank - 1;
    double *mine = &g->u[right ? g->n : 1], *theirs = &g->u[right ? g->n + 1 : 0];
    if (other < 0 || other >= size) continue;
    if (rank % 2 == 0) MPI_Send(mine, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
    MPI_Recv(theirs, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 1) MPI_Send(mine, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
  }
}

void restrict_residual(int level) {
  struct grid *fine = &grids[level], *coarse = &grids[level + 1];
  memset(coarse->u, 0, sizeof coarse->u);
  for (int i = 1; i <= coarse->n; i++) coarse->f[i] = (residual(fine, 2 * i - 1) + residual(fine, 2 * i)) / 2;
}

void prolong(int level) {
  struct grid *fine = &grids[level], *coarse = &grids[level + 1];
  for (int i = 0; i <= fine->n + 1; i++) fine->u[i] += coarse->u[(i + 1) / 2];
}

void solve_point(int i) {
  update(&grids[LEVELS], i);
}

void split(int first, int n) {
  if (n == 1) {
    solve_point(first);
  } else {
    split(first, n / 2);
    split(first + n / 2, n - n / 2);
  }
}

void coarse_solve(void) {
  split(1, grids[LEVELS].n);
}

void vcycle(int level) {
  smooth(level);
  exchange(level);
  restrict_residual(level);
  if (level < LEVELS - 1) vcycle(level + 1);
  else coarse_solve();
  prolong(level);
  smooth(level);
}

void residual_norm(int step) {
  double mine = 0, all = 0;
  exchange(0);
  for (int i = 1; i <= grids[0].n; i++) mine += pow(residual(&grids[0], i), 2);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("step %d: residual %.3g\n", step, sqrt(all / (grids[0].n * size)));
}

void finish(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  setup();
  for (int step = 0; step < STEPS; step++) {
    vcycle(0);
    if (step % 5 == 4) residual_norm(step);
  }
  finish();
  MPI_Finalize();
  return 0;
}
