//! The actions of time-independent traces, and which MPI call each stands for.

/// What an action does, as far as a trace can show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Computes an amount of flops.
    Compute,
    /// Sleeps for seconds.
    Sleep,
    /// Begins the program; with an argument, sizes without a datatype count doubles.
    Init,
    /// Ends the program, and with it all requests.
    Finalize,
    /// Says how many ranks there are.
    Size,
    /// Sends and waits.
    Send,
    /// Begins to send.
    Isend,
    /// Receives.
    Recv,
    /// Begins to receive.
    Irecv,
    /// Sends and receives.
    SendRecv,
    /// Completes a request.
    Wait,
    /// Completes all requests.
    WaitAll,
    /// Looks if a request has completed; what was found is not said.
    Test,
    /// Completes some requests; which ones is not said.
    WaitSome,
    /// Takes part in a collective operation.
    Collective(Operation, Shape),
    /// Anything else.
    Call,
}

/// A collective operation, by the number that [`COLLECTIVES`](foldtrace_trace::COLLECTIVES) names.
pub(crate) type Operation = u64;

/// Which arguments a collective operation has; the types may be left out, and the root that stands
/// last before them, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// None.
    Nothing,
    /// `size [root [type]]`
    Bcast,
    /// `size flops [root [type]]`
    Reduce,
    /// `size flops [type]`
    Allreduce,
    /// `sent received [type [type]]`
    Pair,
    /// `sent received [root [type [type]]]`
    RootedPair,
    /// `sent received… [root [type [type]]]`, the root only if `rooted`
    Gatherv {
        /// Whether one rank receives.
        rooted: bool,
    },
    /// `sent… received [root [type [type]]]`
    Scatterv,
    /// `received… flops [type]`
    ReduceScatter,
    /// `room sent… room received… [type [type]]`
    Alltoallv,
}

/// An action.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// As SimGrid's replay calls it.
    pub name: &'static str,
    /// The call that it stands for.
    pub call: &'static str,
    /// What it does.
    pub meaning: Meaning,
}

const fn action(name: &'static str, call: &'static str, meaning: Meaning) -> Action {
    Action {
        name,
        call,
        meaning,
    }
}

const fn collective(
    name: &'static str,
    call: &'static str,
    operation: Operation,
    shape: Shape,
) -> Action {
    action(name, call, Meaning::Collective(operation, shape))
}

/// The actions that SimGrid replays, or records without replaying them.
pub(crate) static ACTIONS: &[Action] = &[
    action("compute", "compute", Meaning::Compute),
    action("sleep", "sleep", Meaning::Sleep),
    action("location", "location", Meaning::Call),
    action("init", "MPI_Init", Meaning::Init),
    action("finalize", "MPI_Finalize", Meaning::Finalize),
    action("comm_size", "MPI_Comm_size", Meaning::Size),
    action("comm_split", "MPI_Comm_split", Meaning::Call),
    action("comm_dup", "MPI_Comm_dup", Meaning::Call),
    action("send", "MPI_Send", Meaning::Send),
    action("ssend", "MPI_Ssend", Meaning::Send),
    action("isend", "MPI_Isend", Meaning::Isend),
    action("issend", "MPI_Issend", Meaning::Isend),
    action("recv", "MPI_Recv", Meaning::Recv),
    action("irecv", "MPI_Irecv", Meaning::Irecv),
    action("sendRecv", "MPI_Sendrecv", Meaning::SendRecv),
    action("wait", "MPI_Wait", Meaning::Wait),
    action("waitall", "MPI_Waitall", Meaning::WaitAll),
    action("test", "MPI_Test", Meaning::Test),
    action("waitAny", "MPI_Waitany", Meaning::WaitSome),
    action("waitsome", "MPI_Waitsome", Meaning::WaitSome),
    action("testall", "MPI_Testall", Meaning::WaitSome),
    action("testany", "MPI_Testany", Meaning::WaitSome),
    action("testsome", "MPI_Testsome", Meaning::WaitSome),
    collective("barrier", "MPI_Barrier", 0, Shape::Nothing),
    collective("bcast", "MPI_Bcast", 1, Shape::Bcast),
    collective("gather", "MPI_Gather", 2, Shape::RootedPair),
    collective("gatherv", "MPI_Gatherv", 3, Shape::Gatherv { rooted: true }),
    collective("scatter", "MPI_Scatter", 4, Shape::RootedPair),
    collective("scatterv", "MPI_Scatterv", 5, Shape::Scatterv),
    collective("allgather", "MPI_Allgather", 6, Shape::Pair),
    collective(
        "allgatherv",
        "MPI_Allgatherv",
        7,
        Shape::Gatherv { rooted: false },
    ),
    collective("alltoall", "MPI_Alltoall", 8, Shape::Pair),
    collective("alltoallv", "MPI_Alltoallv", 9, Shape::Alltoallv),
    collective("allreduce", "MPI_Allreduce", 11, Shape::Allreduce),
    collective("reduce", "MPI_Reduce", 12, Shape::Reduce),
    collective(
        "reducescatter",
        "MPI_Reduce_scatter",
        13,
        Shape::ReduceScatter,
    ),
    collective("scan", "MPI_Scan", 14, Shape::Allreduce),
    collective("exscan", "MPI_Exscan", 15, Shape::Allreduce),
];

/// The action of that name, in any case of letters, and its number in [`ACTIONS`].
#[inline]
pub(crate) fn find(name: &[u8]) -> Option<(usize, &'static Action)> {
    ACTIONS
        .iter()
        .enumerate()
        .find(|(_, action)| name.eq_ignore_ascii_case(action.name.as_bytes()))
}

/// Sizes of SimGrid's datatypes in bytes, by their ids.
const SIZES: [u8; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, // double to unsigned char
    2, 4, 8, 8, 16, 4, 1, 1, 2, 4, // unsigned short to int32_t
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // int64_t to offset
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, // float_int to real4
    8, 16, 8, 16, 16, 4, 2, 4, 8, 16, // real8 to integer16
    32, 1, 8, 16, 32, 0, 0, 1, 8, 8, // long_double_int to count
];

/// Size of a datatype in bytes, if its id is one of SimGrid's.
pub(crate) fn datatype_size(id: &[u8]) -> Option<u64> {
    let id: usize = std::str::from_utf8(id).ok()?.parse().ok()?;
    SIZES.get(id).map(|&size| u64::from(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_known_in_any_case() {
        for action in ACTIONS {
            let found = find(action.name.to_uppercase().as_bytes());
            assert_eq!(
                found.map(|(_, found)| found),
                Some(action),
                "{}",
                action.name
            );
        }
        assert_eq!(find(b"iallreduce"), None);
    }

    #[test]
    fn the_types_of_recorded_traces_have_their_sizes() {
        let sizes = [
            "0", "1", "2", "3", "4", "5", "6", "14", "26", "-1", "60", "x",
        ]
        .map(|id| datatype_size(id.as_bytes()));
        let known = [8, 4, 1, 2, 8, 4, 1, 16, 16].map(Some);
        assert_eq!(sizes[..9], known);
        assert_eq!(sizes[9..], [None; 3]);
    }
}
