//! The conventions of Extrae: the numbers of its states, of its types of events and of their values.
//!
//! A `.pcf` file has labels for all of them; without one, these apply.

/// Type of events: a point-to-point routine of MPI begins, or ends.
pub(crate) const POINT_TO_POINT: u64 = 50_000_001;
/// Type of events: a collective routine of MPI.
pub(crate) const COLLECTIVE: u64 = 50_000_002;
/// Types of events: other routines of MPI, one-sided communication, and I/O.
pub(crate) const OTHER: u64 = 50_000_003;
pub(crate) const ONE_SIDED: u64 = 50_000_004;
pub(crate) const IO: u64 = 50_000_005;
/// Type of events: a function of the program.
pub(crate) const USER_FUNCTION: u64 = 60_000_019;
/// Type of events: a parallel region of OpenMP, its function, and a work-sharing construct.
const PARALLEL: u64 = 60_000_001;
pub(crate) const PARALLEL_FUNCTION: u64 = 60_000_018;
const APPLICATION: u64 = 40_000_001;
const FLUSHING: u64 = 40_000_003;

/// The types of hardware counters. Their values count since the previous event of their type in the thread.
const COUNTERS: std::ops::RangeInclusive<u64> = 42_000_000..=42_999_999;

/// Types of events that describe the collective operation of the routine that begins in the same record.
pub(crate) const SENT: u64 = 50_100_001;
pub(crate) const RECEIVED: u64 = 50_100_002;
pub(crate) const ROOT: u64 = 50_100_003;
pub(crate) const COMMUNICATOR: u64 = 50_100_004;

/// The part of a collective operation that an event describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationPart {
    /// The bytes that the task sends.
    Sent,
    /// The bytes that the task receives.
    Received,
    /// Whether the task is the root.
    Root,
    /// The number of the communicator.
    Communicator,
}

impl OperationPart {
    /// Returns the part that events of a type describe.
    pub(crate) fn of_type(number: u64) -> Option<Self> {
        match number {
            SENT => Some(Self::Sent),
            RECEIVED => Some(Self::Received),
            ROOT => Some(Self::Root),
            COMMUNICATOR => Some(Self::Communicator),
            _ => None,
        }
    }
}

/// Returns whether a type is one of routines of MPI, which are not nested.
pub(crate) fn is_mpi(number: u64) -> bool {
    (POINT_TO_POINT..=IO).contains(&number)
}

/// Returns the code in OTF2 of the paradigm to which the calls of a type belong, if it is known.
pub(crate) fn paradigm(number: u64) -> Option<u64> {
    const OPENMP: u64 = 3;
    const MPI: u64 = 4;
    const CUDA: u64 = 5;
    const PTHREAD: u64 = 7;
    const OPENCL: u64 = 19;
    const THREAD_FUNCTION: u64 = 60_000_020;
    match number {
        POINT_TO_POINT..=IO => Some(MPI),
        USER_FUNCTION => None,
        THREAD_FUNCTION | 61_000_000..=61_999_999 => Some(PTHREAD),
        60_000_000..=60_000_199 => Some(OPENMP),
        63_000_000..=63_999_999 => Some(CUDA),
        64_000_000..=64_999_999 => Some(OPENCL),
        _ => None,
    }
}

/// Returns whether a type is a hardware counter.
pub(crate) fn is_counter(number: u64) -> bool {
    COUNTERS.contains(&number)
}

/// Returns whether a type tells where something happens: functions and lines of samples and of callers, and lines of functions. Its
/// value 0 has the label `End`, too, but its other values begin nothing.
pub(crate) fn is_place(number: u64) -> bool {
    matches!(
        number,
        30_000_000..=30_000_199
            | 60_000_118..=60_000_125
            | 63_000_119
            | 70_000_000..=70_000_100
            | 80_000_000..=80_000_100
    )
}

/// Returns the name of a state.
pub(crate) fn state(state: u64) -> Option<&'static str> {
    STATES.get(usize::try_from(state).ok()?).copied()
}

/// Returns the name of a type of calls, and the names of its values.
pub(crate) fn calls(number: u64) -> Option<(&'static str, Vec<(u64, &'static str)>)> {
    let (name, values) = match number {
        POINT_TO_POINT => ("MPI Point-to-point", &ROUTINES[..]),
        COLLECTIVE => ("MPI Collective Comm", &ROUTINES[..]),
        OTHER => ("MPI Other", &ROUTINES[..]),
        ONE_SIDED => ("MPI One-sided", &ROUTINES[..]),
        IO => ("MPI I/O", &ROUTINES[..]),
        USER_FUNCTION => ("User function", &[][..]),
        PARALLEL => ("Parallel (OMP)", &[][..]),
        PARALLEL_FUNCTION => ("Executed OpenMP parallel function", &[][..]),
        APPLICATION => ("Application", &["Begin"][..]),
        FLUSHING => ("Flushing Traces", &["Begin"][..]),
        _ => return None,
    };
    let mut all = vec![(0, "End")];
    all.extend((1..).zip(values.iter().copied()));
    Some((name, all))
}

/// Returns whether the values of a type begin and end calls.
pub(crate) fn is_calls(number: u64) -> bool {
    calls(number).is_some()
}

/// The names of states, by number.
pub(crate) const STATES: [&str; 15] = [
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking Send",
    "Synchronization",
    "Test/Probe",
    "Scheduling and Fork/Join",
    "Wait/WaitAll",
    "Blocked",
    "Immediate Send",
    "Immediate Receive",
    "I/O",
    "Group Communication",
    "Tracing Disabled",
];

/// Returns the type and the value of the events of a routine of MPI, by its name in C.
pub(crate) fn routine(name: &str) -> Option<(u64, u64)> {
    let index = ROUTINES.iter().position(|routine| *routine == name)?;
    let value = index as u64 + 1;
    let number = match value {
        1..=6 | 33..=42 | 59..=60 | 61..=62 | 112 | 115..=117 | 121..=128 => POINT_TO_POINT,
        7..=18 | 30 | 80 => COLLECTIVE,
        63..=75 => ONE_SIDED,
        141..=150 => IO,
        _ => OTHER,
    };
    Some((number, value))
}

/// Returns the state of a thread in a routine of MPI, by its name in C.
pub(crate) fn state_in(name: &str) -> u64 {
    const WAITING: u64 = 3;
    const SENDING: u64 = 4;
    const PROBING: u64 = 6;
    const COMPLETING: u64 = 8;
    const IMMEDIATE_SEND: u64 = 10;
    const IMMEDIATE_RECEIVE: u64 = 11;
    const FILE: u64 = 12;
    const GROUP: u64 = 13;
    const OTHER_ROUTINE: u64 = 7;
    let own = name.strip_prefix("MPI_").unwrap_or_default();
    match (routine(name), own) {
        (_, "Recv" | "Sendrecv" | "Sendrecv_replace" | "Mrecv") => WAITING,
        (_, "Send" | "Bsend" | "Ssend" | "Rsend") => SENDING,
        (_, "Isend" | "Ibsend" | "Issend" | "Irsend") => IMMEDIATE_SEND,
        (_, "Irecv" | "Imrecv") => IMMEDIATE_RECEIVE,
        (_, "Wait" | "Waitall" | "Waitany" | "Waitsome") => COMPLETING,
        (_, "Test" | "Testall" | "Testany" | "Testsome" | "Probe" | "Iprobe") => PROBING,
        (Some((COLLECTIVE, _)), _) => GROUP,
        (Some((IO, _)), _) => FILE,
        _ => OTHER_ROUTINE,
    }
}

/// The state of a thread outside of MPI.
pub(crate) const RUNNING: u64 = 1;

/// The routines of MPI, by value from 1.
#[rustfmt::skip]
const ROUTINES: [&str; 150] = [
    "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Bcast",
    "MPI_Barrier",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_create",
    "MPI_Comm_dup",
    "MPI_Comm_split",
    "MPI_Comm_group",
    "MPI_Comm_free",
    "MPI_Comm_remote_group",
    "MPI_Comm_remote_size",
    "MPI_Comm_test_inter",
    "MPI_Comm_compare",
    "MPI_Scan",
    "MPI_Init",
    "MPI_Finalize",
    "MPI_Bsend",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Ibsend",
    "MPI_Issend",
    "MPI_Irsend",
    "MPI_Test",
    "MPI_Cancel",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Cart_create",
    "MPI_Cart_shift",
    "MPI_Cart_coords",
    "MPI_Cart_get",
    "MPI_Cart_map",
    "MPI_Cart_rank",
    "MPI_Cart_sub",
    "MPI_Cartdim_get",
    "MPI_Dims_create",
    "MPI_Graph_get",
    "MPI_Graph_map",
    "MPI_Graph_create",
    "MPI_Graph_neighbors",
    "MPI_Graphdims_get",
    "MPI_Graph_neighbors_count",
    "MPI_Topo_test",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Probe",
    "MPI_Iprobe",
    "MPI_Win_create",
    "MPI_Win_free",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "MPI_Pack",
    "MPI_Unpack",
    "MPI_Op_create",
    "MPI_Op_free",
    "MPI_Reduce_scatter",
    "MPI_Attr_delete",
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Group_difference",
    "MPI_Group_excl",
    "MPI_Group_free",
    "MPI_Group_incl",
    "MPI_Group_intersection",
    "MPI_Group_rank",
    "MPI_Group_range_excl",
    "MPI_Group_range_incl",
    "MPI_Group_size",
    "MPI_Group_translate_ranks",
    "MPI_Group_union",
    "MPI_Group_compare",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Keyval_free",
    "MPI_Keyval_create",
    "MPI_Abort",
    "MPI_Error_class",
    "MPI_Errhandler_create",
    "MPI_Errhandler_free",
    "MPI_Errhandler_get",
    "MPI_Error_string",
    "MPI_Errhandler_set",
    "MPI_Get_processor_name",
    "MPI_Initialized",
    "MPI_Wtick",
    "MPI_Wtime",
    "MPI_Address",
    "MPI_Bsend_init",
    "MPI_Buffer_attach",
    "MPI_Buffer_detach",
    "MPI_Request_free",
    "MPI_Recv_init",
    "MPI_Send_init",
    "MPI_Get_count",
    "MPI_Get_elements",
    "MPI_Pack_size",
    "MPI_Rsend_init",
    "MPI_Ssend_init",
    "MPI_Start",
    "MPI_Startall",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Test_cancelled",
    "MPI_Testsome",
    "MPI_Type_commit",
    "MPI_Type_contiguous",
    "MPI_Type_extent",
    "MPI_Type_free",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_indexed",
    "MPI_Type_lb",
    "MPI_Type_size",
    "MPI_Type_struct",
    "MPI_Type_ub",
    "MPI_Type_vector",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_read",
    "MPI_File_read_all",
    "MPI_File_write",
    "MPI_File_write_all",
    "MPI_File_read_at",
    "MPI_File_read_at_all",
    "MPI_File_write_at",
    "MPI_File_write_at_all",
];
