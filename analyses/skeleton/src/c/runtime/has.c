
static int has(int direction)
{
    return peer(direction) != MPI_PROC_NULL;
}
