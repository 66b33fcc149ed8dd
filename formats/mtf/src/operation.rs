//! The operations of MPI 4, by their names in the standard.
//!
//! Events contain less information than routines: a completed receive does not identify the routine that waited for
//! it. An event is therefore mapped to the operation that it belongs to, with the phase of the operation, and a call
//! to the operation with the name of its routine.

use foldtrace_mpi::mpi_routine;
use foldtrace_trace::{COLLECTIVES, EventKind, Operand, Symbol};

/// The name of an operation that is unknown, or not part of MPI 4.
pub const OTHER: &str = "other";

/// The category of an MPI operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Between two processes.
    PointToPoint,
    /// Between all processes of a communicator.
    Collective,
    /// Between neighbours in a process topology.
    Neighborhood,
    /// Access to the memory of another process.
    OneSided,
    /// Waits for, tests, starts or ends an operation that was begun.
    Completion,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 5] = [
        Self::PointToPoint,
        Self::Collective,
        Self::Neighborhood,
        Self::OneSided,
        Self::Completion,
    ];

    /// Returns the name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PointToPoint => "point-to-point",
            Self::Collective => "collective",
            Self::Neighborhood => "neighborhood",
            Self::OneSided => "one-sided",
            Self::Completion => "completion",
        }
    }
}

/// The part of an operation that an event describes, if the operation has several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The operation was started.
    Start,
    /// The operation was tested, and had not completed.
    Test,
    /// The operation was cancelled.
    Cancel,
    /// The operation has completed.
    Complete,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 4] = [Self::Start, Self::Test, Self::Cancel, Self::Complete];

    /// Returns the name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Test => "test",
            Self::Cancel => "cancel",
            Self::Complete => "complete",
        }
    }
}

/// The operation that an MPI event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    /// A name in [`OPERATIONS`], or [`OTHER`].
    pub name: &'static str,
    pub category: Category,
    pub phase: Option<Phase>,
}

impl Operation {
    /// Returns the operation of an event; `None` if it is not an MPI event.
    pub fn from_symbol(symbol: &Symbol) -> Option<Self> {
        use Category::{Collective, Completion, PointToPoint};
        use Phase::{Cancel, Complete, Start, Test};
        let (name, category, phase) = match symbol.kind {
            EventKind::MpiSend => ("MPI_Send", PointToPoint, None),
            EventKind::MpiIsend => ("MPI_Isend", PointToPoint, Some(Start)),
            EventKind::MpiIsendComplete => ("MPI_Isend", PointToPoint, Some(Complete)),
            EventKind::MpiRecv => ("MPI_Recv", PointToPoint, None),
            EventKind::MpiIrecvRequest => ("MPI_Irecv", PointToPoint, Some(Start)),
            EventKind::MpiIrecv => ("MPI_Irecv", PointToPoint, Some(Complete)),
            EventKind::MpiProbe => ("MPI_Probe", PointToPoint, None),
            EventKind::MpiMrecv => ("MPI_Mrecv", PointToPoint, None),
            EventKind::MpiImrecvRequest => ("MPI_Imrecv", PointToPoint, Some(Start)),
            EventKind::MpiImrecv => ("MPI_Imrecv", PointToPoint, Some(Complete)),
            EventKind::MpiRequestTest => (OTHER, Completion, Some(Test)),
            EventKind::MpiRequestCancelled => (OTHER, Completion, Some(Cancel)),
            EventKind::MpiCollectiveBegin => (OTHER, Collective, Some(Start)),
            EventKind::MpiCollectiveEnd => (collective(symbol, ""), Collective, Some(Complete)),
            EventKind::NonBlockingCollectiveRequest => (OTHER, Collective, Some(Start)),
            EventKind::NonBlockingCollectiveComplete => {
                (collective(symbol, "i"), Collective, Some(Complete))
            }
            _ => return None,
        };
        Some(Self {
            name,
            category,
            phase,
        })
    }
}

/// Returns the collective operation of a symbol, with `prefix` before its name.
fn collective(symbol: &Symbol, prefix: &str) -> &'static str {
    let code = symbol.get(Operand::Operation);
    let name = code.and_then(|code| COLLECTIVES.name(code));
    let own = name.and_then(|name| name.strip_prefix(MPI));
    own.and_then(|own| find(&[prefix, own])).unwrap_or(OTHER)
}

const MPI: &str = "MPI_";

/// Returns the operation of a routine, by its name in any spelling.
pub(super) fn of_routine(routine: &str) -> Option<&'static str> {
    find(&[&mpi_routine(routine)?])
}

/// Returns the operation whose name after `MPI_` consists of these pieces, ignoring case.
fn find(pieces: &[&str]) -> Option<&'static str> {
    let matches = |name: &&str| {
        let expected = pieces.iter().flat_map(|piece| piece.bytes());
        let own = name.bytes().skip(MPI.len());
        own.map(|byte| byte.to_ascii_lowercase())
            .eq(expected.map(|byte| byte.to_ascii_lowercase()))
    };
    let names = OPERATIONS.iter().flat_map(|(_, names)| names.iter());
    names.copied().find(matches)
}

/// The operations of MPI 4 that exchange data, wait for communication, or synchronise, by category.
pub const OPERATIONS: &[(Category, &[&str])] = &[
    (
        Category::PointToPoint,
        &[
            // Blocking.
            "MPI_Send",
            "MPI_Bsend",
            "MPI_Ssend",
            "MPI_Rsend",
            "MPI_Recv",
            "MPI_Sendrecv",
            "MPI_Sendrecv_replace",
            "MPI_Probe",
            "MPI_Mprobe",
            "MPI_Mrecv",
            // Nonblocking.
            "MPI_Isend",
            "MPI_Ibsend",
            "MPI_Issend",
            "MPI_Irsend",
            "MPI_Irecv",
            "MPI_Isendrecv",
            "MPI_Isendrecv_replace",
            "MPI_Iprobe",
            "MPI_Improbe",
            "MPI_Imrecv",
            // Persistent.
            "MPI_Send_init",
            "MPI_Bsend_init",
            "MPI_Ssend_init",
            "MPI_Rsend_init",
            "MPI_Recv_init",
            // Partitioned.
            "MPI_Psend_init",
            "MPI_Precv_init",
            "MPI_Pready",
            "MPI_Pready_range",
            "MPI_Pready_list",
            "MPI_Parrived",
        ],
    ),
    (
        Category::Collective,
        &[
            // Blocking.
            "MPI_Barrier",
            "MPI_Bcast",
            "MPI_Gather",
            "MPI_Gatherv",
            "MPI_Scatter",
            "MPI_Scatterv",
            "MPI_Allgather",
            "MPI_Allgatherv",
            "MPI_Alltoall",
            "MPI_Alltoallv",
            "MPI_Alltoallw",
            "MPI_Reduce",
            "MPI_Allreduce",
            "MPI_Reduce_scatter",
            "MPI_Reduce_scatter_block",
            "MPI_Scan",
            "MPI_Exscan",
            // Nonblocking.
            "MPI_Ibarrier",
            "MPI_Ibcast",
            "MPI_Igather",
            "MPI_Igatherv",
            "MPI_Iscatter",
            "MPI_Iscatterv",
            "MPI_Iallgather",
            "MPI_Iallgatherv",
            "MPI_Ialltoall",
            "MPI_Ialltoallv",
            "MPI_Ialltoallw",
            "MPI_Ireduce",
            "MPI_Iallreduce",
            "MPI_Ireduce_scatter",
            "MPI_Ireduce_scatter_block",
            "MPI_Iscan",
            "MPI_Iexscan",
            // Persistent.
            "MPI_Barrier_init",
            "MPI_Bcast_init",
            "MPI_Gather_init",
            "MPI_Gatherv_init",
            "MPI_Scatter_init",
            "MPI_Scatterv_init",
            "MPI_Allgather_init",
            "MPI_Allgatherv_init",
            "MPI_Alltoall_init",
            "MPI_Alltoallv_init",
            "MPI_Alltoallw_init",
            "MPI_Reduce_init",
            "MPI_Allreduce_init",
            "MPI_Reduce_scatter_init",
            "MPI_Reduce_scatter_block_init",
            "MPI_Scan_init",
            "MPI_Exscan_init",
        ],
    ),
    (
        Category::Neighborhood,
        &[
            // Blocking.
            "MPI_Neighbor_allgather",
            "MPI_Neighbor_allgatherv",
            "MPI_Neighbor_alltoall",
            "MPI_Neighbor_alltoallv",
            "MPI_Neighbor_alltoallw",
            // Nonblocking.
            "MPI_Ineighbor_allgather",
            "MPI_Ineighbor_allgatherv",
            "MPI_Ineighbor_alltoall",
            "MPI_Ineighbor_alltoallv",
            "MPI_Ineighbor_alltoallw",
            // Persistent.
            "MPI_Neighbor_allgather_init",
            "MPI_Neighbor_allgatherv_init",
            "MPI_Neighbor_alltoall_init",
            "MPI_Neighbor_alltoallv_init",
            "MPI_Neighbor_alltoallw_init",
        ],
    ),
    (
        Category::OneSided,
        &[
            "MPI_Put",
            "MPI_Get",
            "MPI_Accumulate",
            "MPI_Get_accumulate",
            "MPI_Fetch_and_op",
            "MPI_Compare_and_swap",
            "MPI_Rput",
            "MPI_Rget",
            "MPI_Raccumulate",
            "MPI_Rget_accumulate",
            "MPI_Win_fence",
            "MPI_Win_start",
            "MPI_Win_complete",
            "MPI_Win_post",
            "MPI_Win_wait",
            "MPI_Win_test",
            "MPI_Win_lock",
            "MPI_Win_lock_all",
            "MPI_Win_unlock",
            "MPI_Win_unlock_all",
            "MPI_Win_flush",
            "MPI_Win_flush_all",
            "MPI_Win_flush_local",
            "MPI_Win_flush_local_all",
            "MPI_Win_sync",
        ],
    ),
    (
        Category::Completion,
        &[
            "MPI_Wait",
            "MPI_Waitany",
            "MPI_Waitall",
            "MPI_Waitsome",
            "MPI_Test",
            "MPI_Testany",
            "MPI_Testall",
            "MPI_Testsome",
            "MPI_Start",
            "MPI_Startall",
            "MPI_Cancel",
            "MPI_Request_free",
            "MPI_Request_get_status",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_are_found_in_any_spelling() {
        for (routine, name) in [
            ("MPI_Ssend", Some("MPI_Ssend")),
            ("mpi_sendrecv_", Some("MPI_Sendrecv")),
            ("PMPI_Ineighbor_alltoallw", Some("MPI_Ineighbor_alltoallw")),
            ("pmpi_psend_init__", Some("MPI_Psend_init")),
            ("MPI_Comm_rank", None),
            ("MPI_", None),
            ("MPÌ", None),
            ("printf", None),
            ("", None),
        ] {
            assert_eq!(of_routine(routine), name, "{routine}");
        }
    }

    #[test]
    fn collective_events_have_blocking_and_nonblocking_operations() {
        for code in 0..17 {
            let [blocking, nonblocking] = [
                EventKind::MpiCollectiveEnd,
                EventKind::NonBlockingCollectiveComplete,
            ]
            .map(|kind| {
                Operation::from_symbol(&Symbol::new(kind, &[code]))
                    .unwrap()
                    .name
            });
            assert_eq!(Some(blocking), COLLECTIVES.name(code));
            let own = &blocking[MPI.len()..];
            assert!(nonblocking.eq_ignore_ascii_case(&format!("MPI_I{own}")));
        }
        let odd = Symbol::new(EventKind::MpiCollectiveEnd, &[17]);
        assert_eq!(Operation::from_symbol(&odd).unwrap().name, OTHER);
        assert_eq!(
            Operation::from_symbol(&Symbol::new(EventKind::RmaPut, &[])),
            None
        );
    }

    #[test]
    fn no_operation_is_listed_twice() {
        let mut names: Vec<_> = OPERATIONS.iter().flat_map(|(_, names)| *names).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
