/* ---- measured values: tables of equally frequent strata --------------------------------------- */

static uint64_t drawn[TABLES];           /* the number of values drawn from each table */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Returns the next stratum of a table for a process; processes that pass the same number draw the same.
 * Multiples of the golden ratio spread evenly over the strata, so even a few draws have the mean of all. */
static int next_stratum(int table, int process)
{
    const double golden = 0.6180339887498949, other = 0.7548776662466927;
    double begin = (double) (mixed(SKELETON_SEED + (uint64_t) table) >> 11) * 0x1p-53;
    double at = begin + golden * (double) drawn[table]++ + other * (double) process;
    return (int) ((at - (double) (uint64_t) at) * STRATA);
}
