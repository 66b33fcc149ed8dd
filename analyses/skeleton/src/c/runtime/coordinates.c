static void coordinates(int node, int *at)
{
    for (int i = DIMENSIONS - 1; i >= 0; i--) {
        at[i] = node % dims[i];
        node /= dims[i];
    }
}

