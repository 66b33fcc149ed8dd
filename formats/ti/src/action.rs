//! The actions of time-independent traces, and the MPI call of each action.

/// The effect of an action, as far as a trace can represent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Computes an amount of flops.
    Compute,
    /// Sleeps for a number of seconds.
    Sleep,
    /// Begins the program. If the action has an argument, sizes without a datatype are counted in doubles.
    Init,
    /// Ends the program and completes all requests.
    Finalize,
    /// Specifies the number of ranks.
    Size,
    /// Sends a message and waits for it.
    Send,
    /// Begins to send a message.
    Isend,
    /// Receives a message.
    Recv,
    /// Begins to receive a message.
    Irecv,
    /// Sends a message and receives one.
    SendRecv,
    /// Completes a request.
    Wait,
    /// Completes all requests.
    WaitAll,
    /// Tests a request; the result is not recorded.
    Test,
    /// Completes some requests; the trace does not identify them.
    WaitSome,
    /// Takes part in a collective operation.
    Collective(Operation, Shape),
    /// Any other call.
    Call,
}

/// A collective operation, by its number in [`COLLECTIVES`](foldtrace_trace::COLLECTIVES).
pub(crate) type Operation = u64;

/// The arguments of a collective operation. The types may be omitted, and so may the root, if it is the last argument
/// before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// No arguments.
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
    /// `sent received… [root [type [type]]]`, where only rooted operations have a root
    Gatherv {
        /// Whether only one rank receives.
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
    /// The name, in the spelling of SimGrid's replay if the replay supports the action.
    pub name: &'static str,
    /// Whether the replay supports the action; other actions are only recorded.
    pub is_replayed: bool,
    /// The name of the corresponding call.
    pub call: &'static str,
    /// The effect of the action.
    pub effect: Effect,
}

const fn action(name: &'static str, call: &'static str, effect: Effect) -> Action {
    Action {
        name,
        is_replayed: true,
        call,
        effect,
    }
}

const fn recorded(name: &'static str, call: &'static str, effect: Effect) -> Action {
    Action {
        is_replayed: false,
        ..action(name, call, effect)
    }
}

const fn collective(
    name: &'static str,
    call: &'static str,
    operation: Operation,
    shape: Shape,
) -> Action {
    action(name, call, Effect::Collective(operation, shape))
}

/// The actions that SimGrid replays, or records without replaying them.
pub(crate) static ACTIONS: &[Action] = &[
    action("compute", "compute", Effect::Compute),
    action("sleep", "sleep", Effect::Sleep),
    action("location", "location", Effect::Call),
    action("init", "MPI_Init", Effect::Init),
    action("finalize", "MPI_Finalize", Effect::Finalize),
    action("comm_size", "MPI_Comm_size", Effect::Size),
    action("comm_split", "MPI_Comm_split", Effect::Call),
    action("comm_dup", "MPI_Comm_dup", Effect::Call),
    action("send", "MPI_Send", Effect::Send),
    recorded("ssend", "MPI_Ssend", Effect::Send),
    action("isend", "MPI_Isend", Effect::Isend),
    recorded("issend", "MPI_Issend", Effect::Isend),
    action("recv", "MPI_Recv", Effect::Recv),
    action("irecv", "MPI_Irecv", Effect::Irecv),
    action("sendRecv", "MPI_Sendrecv", Effect::SendRecv),
    action("wait", "MPI_Wait", Effect::Wait),
    action("waitall", "MPI_Waitall", Effect::WaitAll),
    action("test", "MPI_Test", Effect::Test),
    recorded("waitany", "MPI_Waitany", Effect::WaitSome),
    recorded("waitsome", "MPI_Waitsome", Effect::WaitSome),
    recorded("testall", "MPI_Testall", Effect::WaitSome),
    recorded("testany", "MPI_Testany", Effect::WaitSome),
    recorded("testsome", "MPI_Testsome", Effect::WaitSome),
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

/// Returns the action of that name, ignoring case, and its index in [`ACTIONS`].
#[inline]
pub(crate) fn find(name: &[u8]) -> Option<(usize, &'static Action)> {
    ACTIONS
        .iter()
        .enumerate()
        .find(|(_, action)| name.eq_ignore_ascii_case(action.name.as_bytes()))
}

/// Sizes of SimGrid's datatypes in bytes, by id.
const SIZES: [u8; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, // double to unsigned char
    2, 4, 8, 8, 16, 4, 1, 1, 2, 4, // unsigned short to int32_t
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // int64_t to offset
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, // float_int to real4
    8, 16, 8, 16, 16, 4, 2, 4, 8, 16, // real8 to integer16
    32, 1, 8, 16, 32, 0, 0, 1, 8, 8, // long_double_int to count
];

/// Returns the size of a datatype in bytes, if its id is one of SimGrid's.
pub(crate) fn datatype_size(id: &[u8]) -> Option<u64> {
    let id: usize = std::str::from_utf8(id).ok()?.parse().ok()?;
    SIZES.get(id).map(|&size| u64::from(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_in_any_case() {
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
        let expected = [8, 4, 1, 2, 8, 4, 1, 16, 16].map(Some);
        assert_eq!(sizes[..9], expected);
        assert_eq!(sizes[9..], [None; 3]);
    }
}
