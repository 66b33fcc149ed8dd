
/* Receivers have room for the largest size, so they need not know what is drawn. */
static int next_size(int table)
{
    return SIZE_BYTES[table][next_stratum(PHASES + table, rank)];
}
