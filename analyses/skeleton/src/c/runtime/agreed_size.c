
/* The same for all processes, as collective operations want it. */
static int agreed_size(int table)
{
    return SIZE_BYTES[table][next_stratum(PHASES + table, 0)];
}
