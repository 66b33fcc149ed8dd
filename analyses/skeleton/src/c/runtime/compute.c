/* ---- computing: work that takes a given time -------------------------------------------------- */

static double rate;                      /* iterations of work() per second in each process */
static double debt;                      /* seconds that remain to be computed */
static uint64_t state = 1;

/* A chain of multiplications: each depends on the previous one, and none accesses memory. */
static void work(double iterations)
{
    uint64_t x = state;
    for (uint64_t i = (uint64_t) iterations; i > 0; i--)
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    state = x;
    if (x == 0)                          /* keeps the compiler from removing the loop */
        fputs("", stderr);
}

static void compute(int phase)
{
    debt += PHASE_SECONDS[phase][next_stratum(phase, rank)];
    if (debt * rate >= 1000) {           /* shorter times are added up first */
        work(debt * rate);
        debt = 0;
    }
}

/* Returns the rate of work of a process. The fraction of the processes that work at the same time is the
 * one of the recorded program, because processes that share a core slow each other down. */
static double measured_rate(void)
{
    long busy = (long) RECORDED_BUSY * size / RECORDED_SIZE;
    double mine = 0, sum = 0, elapsed = 0, begin;
    busy = busy > 0 ? busy : 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank * busy / size != (rank + 1) * busy / size) {
        begin = MPI_Wtime();
        for (long chunk = 0; elapsed < 0.06 && chunk < 100000; chunk++) {
            work(20000);
            mine += 20000;
            elapsed = MPI_Wtime() - begin;
        }
        mine = elapsed > 0 ? mine / elapsed : 0;
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / (double) busy;
}

/* Sets the rate to SKELETON_RATE if it is given, otherwise to the median of several measurements. */
static void calibrate(void)
{
    double rates[5];
    const char *given = getenv("SKELETON_RATE");
    if (given != NULL) {
        rate = strtod(given, NULL);
        return;
    }
    for (int i = 0; i < 5; i++) {
        double now = measured_rate();
        int at = i;
        for (; at > 0 && rates[at - 1] > now; at--)
            rates[at] = rates[at - 1];
        rates[at] = now;
    }
    rate = rates[2];
}
