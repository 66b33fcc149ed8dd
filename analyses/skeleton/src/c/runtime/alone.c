static const char *place_nodes(void)
{
    return NULL;
}

