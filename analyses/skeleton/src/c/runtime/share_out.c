/* Distributes nodes over dimensions of similar sizes, the largest first. */
static void share_out(int nodes, int *sizes, int dimensions)
{
    int factors[32], found = 0;
    for (int i = 0; i < dimensions; i++)
        sizes[i] = 1;
    for (int prime = 2; nodes > 1; prime++)
        for (; nodes % prime == 0; nodes /= prime)
            factors[found++] = prime;
    while (found > 0) {
        int least = 0;
        for (int i = 1; i < dimensions; i++)
            if (sizes[i] < sizes[least])
                least = i;
        sizes[least] *= factors[--found];
    }
    for (int i = 1; i < dimensions; i++)
        for (int at = i; at > 0 && sizes[at - 1] < sizes[at]; at--) {
            int smaller = sizes[at - 1];
            sizes[at - 1] = sizes[at];
            sizes[at] = smaller;
        }
}

