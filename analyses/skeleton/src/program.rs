//! The parts that a skeleton consists of.

use foldtrace_logical::model::{CommunicatorId, Guard, Number};
use foldtrace_topology::recognition::Topology;

use super::groups::Group;

/// A message to or from the neighbour in a direction. A process without a neighbour in that direction skips it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The direction, as the number of a `DirectionId`.
    pub direction: Number,
    /// The tag.
    pub tag: Number,
    /// The communicator.
    pub communicator: CommunicatorId,
}

/// The operation of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A send to the neighbour in the direction.
    Send(Message),
    /// A receive from the neighbour in the direction.
    Receive(Message),
    /// Receives of the messages that are sent in the direction, from all nodes that have this node in that direction.
    /// For example, a parent receives from all children what they send to their parent.
    Take(Message),
    /// A collective operation.
    Collective {
        /// The code of the operation, as in `COLLECTIVES` of the event model.
        operation: u64,
        /// The rank of the root within the communicator.
        root: Number,
        /// The communicator.
        communicator: CommunicatorId,
    },
}

impl Action {
    /// Returns the message, or `None` for collective operations.
    #[must_use]
    pub const fn message(&self) -> Option<&Message> {
        match self {
            Self::Send(message) | Self::Receive(message) | Self::Take(message) => Some(message),
            Self::Collective { .. } => None,
        }
    }
}

/// The number of bytes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The same number every time.
    Exact(u64),
    /// A number drawn from the strata with this index in [`Skeleton::sizes`].
    Drawn(usize),
}

/// The computing before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computing {
    /// The index of the phase in [`Skeleton::phases`].
    pub phase: usize,
    /// The processes that compute: those that match any of these doers, or all processes if the list is empty.
    pub doers: Vec<Doer>,
}

/// The processes that execute a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doer {
    /// The direction in which they have a neighbour; `None` if they do not need one.
    pub direction: Option<Number>,
    /// The condition that they also fulfil; `None` if there is no such condition.
    pub guard: Option<Guard>,
}

/// A call of a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of the call in the logical program; `None` if the call was added.
    pub origin: Option<u32>,
    /// The operation of the call.
    pub action: Action,
    /// The condition for a process to execute the call, besides having a neighbour in its direction. For
    /// [`Action::Take`], the condition is that of the senders.
    pub guard: Option<Guard>,
    /// The computing before the call.
    pub computing: Option<Computing>,
    /// The number of bytes. For a receive, the size of its buffer.
    pub size: Size,
    /// The index in [`Skeleton::limits`], if the call is not executed every time.
    pub limit: Option<usize>,
}

/// A loop of a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The number of iterations.
    pub count: Number,
    /// The body of the loop.
    pub body: Vec<Construct>,
}

/// A call or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Construct {
    /// A call.
    Call(Call),
    /// A loop.
    Loop(Loop),
}

/// How messages are sent. A program that terminates with one of these modes also terminates with the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sending {
    /// By `MPI_Send`: no process waits forever, even if each send waits for its receive.
    Blocking,
    /// By `MPI_Isend`, which is completed at the end of the enclosing body.
    Waiting,
    /// By `MPI_Isend`, which is completed at the end of the program.
    Free,
}

/// The number of messages in a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// In the trace.
    pub recorded: u64,
    /// In the skeleton.
    pub kept: u64,
}

/// The numbers of calls that a skeleton lacks or has in addition, over all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Collective operations without a counterpart in a skeleton.
    pub operations: u64,
    /// Sends of the trace that no process receives.
    pub sends: u64,
    /// Receives of the trace to which no process sends.
    pub receives: u64,
    /// Ends of messages that lost the other end when loops were scaled.
    pub scaled: u64,
    /// Receives that the trace does not contain and that were added.
    pub added: u64,
}

/// A program that behaves like a recorded one in a fraction of its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// The topology of the processes.
    pub topology: Topology,
    /// The node of each rank.
    pub places: Vec<u32>,
    /// The members of each communicator, by the number of the communicator.
    pub groups: Vec<Group>,
    /// The calls and loops of the program.
    pub program: Vec<Construct>,
    /// The maximum numbers of executions of the calls that are not executed every time.
    pub limits: Vec<u64>,
    /// The phases of computing: seconds in strata, which are all equally frequent.
    pub phases: Vec<Vec<f64>>,
    /// The sizes of messages that vary: bytes in strata.
    pub sizes: Vec<Vec<u64>>,
    /// The number of bytes of the largest message.
    pub largest: u64,
    /// How messages are sent.
    pub sending: Sending,
    /// Whether the skeleton runs only with the recorded number of processes.
    pub is_fixed: bool,
    /// The requested fraction of the time.
    pub scale: f64,
    /// The requested time, in seconds.
    pub seconds: f64,
    /// The mean number of processes that computed at the same time.
    pub busy: u64,
    /// The factor by which computing was multiplied in addition to the scaling of loops.
    pub stretch: f64,
    /// The messages in each direction.
    pub sent: Vec<Sent>,
    /// The calls that the skeleton lacks, or that are not in the trace.
    pub left_out: LeftOut,
}
