
/* Draws the size of a message. Receivers have room for the largest one, so they need not know the size. */
static int next_size(int table)
{
    return SIZE_BYTES[table][next_stratum(PHASES + table, rank)];
}
