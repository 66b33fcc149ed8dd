/* ---- measured values: tables of strata, each of which is as frequent as the others ------------ */

static uint64_t drawn[TABLES];           /* how often each table was drawn from */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Which stratum of a table is next for a process, or for all alike if they give the same `who`.
 * Multiples of the golden ratio fall evenly into strata, however few there are, so that a few instances
 * already have the mean of all. */
static int next_stratum(int table, int who)
{
    const double golden = 0.6180339887498949, other = 0.7548776662466927;
    double begin = (double) (mixed(SKELETON_SEED + (uint64_t) table) >> 11) * 0x1p-53;
    double at = begin + golden * (double) drawn[table]++ + other * (double) who;
    return (int) ((at - (double) (uint64_t) at) * STRATA);
}
