
/* Draws the same size in all processes, as collective operations require. */
static int agreed_size(int table)
{
    return SIZE_BYTES[table][next_stratum(PHASES + table, 0)];
}
