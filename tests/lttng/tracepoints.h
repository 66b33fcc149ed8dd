/* Tracepoints at the beginnings and ends of routines of MPI, with the names that THAPI gives them. */

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lttng_ust_mpi
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracepoints.h"

#if !defined(TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACEPOINTS_H

#include <lttng/tracepoint.h>

#define ROUTINE(name)                                                                                                                 \
    LTTNG_UST_TRACEPOINT_EVENT(lttng_ust_mpi, name##_entry, LTTNG_UST_TP_ARGS(int, peer, int, tag, int, bytes),                        \
        LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, peer, peer) lttng_ust_field_integer(int, tag, tag)                           \
                lttng_ust_field_integer(int, bytes, bytes)))                                                                          \
    LTTNG_UST_TRACEPOINT_EVENT(lttng_ust_mpi, name##_exit, LTTNG_UST_TP_ARGS(int, result),                                            \
        LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, result, result)))

ROUTINE(MPI_Isend)
ROUTINE(MPI_Recv)
ROUTINE(MPI_Wait)
ROUTINE(MPI_Allreduce)

#endif

#include <lttng/tracepoint-event.h>
