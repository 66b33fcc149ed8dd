/* Wraps routines of MPI in tracepoints. */

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracepoints.h"

#include <mpi.h>

static int bytes_of(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return count * size;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Isend_entry, peer, tag, bytes_of(count, type));
    int result = PMPI_Isend(data, count, type, peer, tag, comm, request);
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Isend_exit, result);
    return result;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Recv_entry, peer, tag, bytes_of(count, type));
    int result = PMPI_Recv(data, count, type, peer, tag, comm, status);
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Recv_exit, result);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Wait_entry, -1, -1, 0);
    int result = PMPI_Wait(request, status);
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Wait_exit, result);
    return result;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Allreduce_entry, -1, -1, bytes_of(count, type));
    int result = PMPI_Allreduce(in, out, count, type, op, comm);
    lttng_ust_tracepoint(lttng_ust_mpi, MPI_Allreduce_exit, result);
    return result;
}
