//! What a skeleton consists of.

use foldtrace_logical::model::{CommunicatorId, Guard, Number};
use foldtrace_topology::recognition::Topology;

use super::groups::Group;

/// A message to or from the neighbour in a direction. Who has none there passes over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The direction.
    pub direction: Number,
    /// The tag.
    pub tag: Number,
    /// In which communicator.
    pub communicator: CommunicatorId,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send to the neighbour in the direction.
    Send(Message),
    /// Receive from the neighbour in the direction.
    Receive(Message),
    /// Receive what is sent in the direction: from all that have this node there, such as from all children
    /// what they send to their parent.
    Take(Message),
    /// Take part in a collective operation.
    Collective {
        /// Which one, as in `COLLECTIVES` of the event model.
        operation: u64,
        /// Rank of the root within the communicator.
        root: Number,
        /// In which communicator.
        communicator: CommunicatorId,
    },
}

impl Action {
    /// The message, if it is none of a collective operation.
    #[must_use]
    pub const fn message(&self) -> Option<&Message> {
        match self {
            Self::Send(message) | Self::Receive(message) | Self::Take(message) => Some(message),
            Self::Collective { .. } => None,
        }
    }
}

/// How many bytes a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Always the same.
    Exact(u64),
    /// Drawn from the strata with this number in [`Skeleton::sizes`].
    Drawn(usize),
}

/// Computing before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computing {
    /// Its number in [`Skeleton::phases`].
    pub phase: usize,
    /// Who computes: those who do one of these; all, if there are none.
    pub doers: Vec<Doer>,
}

/// Who does a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doer {
    /// They have a neighbour in this direction.
    pub direction: Option<Number>,
    /// And they fulfil this condition.
    pub guard: Option<Guard>,
}

/// A call of a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The call of the logical program that it is; none if it was added.
    pub origin: Option<u32>,
    /// What it does.
    pub action: Action,
    /// Who does it, besides having a neighbour in its direction. Of what is taken, who sends it.
    pub guard: Option<Guard>,
    /// What is computed before it.
    pub computing: Option<Computing>,
    /// Its bytes; those of a receive are what there is room for.
    pub size: Size,
    /// Its number in [`Skeleton::limits`], if it is not done every time.
    pub limit: Option<usize>,
}

/// A loop of a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// How often the body runs.
    pub count: Number,
    /// What runs.
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

/// How messages are sent; what ends with one of these ends with the next one, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sending {
    /// By `MPI_Send`: nobody waits for ever, even if each send waits for its receive.
    Blocking,
    /// By `MPI_Isend`, which is complete when the body around it ends.
    Waiting,
    /// By `MPI_Isend`, which is complete when the program ends.
    Free,
}

/// Messages in a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// In the trace.
    pub recorded: u64,
    /// In the skeleton.
    pub kept: u64,
}

/// What is not in a skeleton, in instances over all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Collective operations without counterpart.
    pub operations: u64,
    /// Sends of the trace that nobody receives.
    pub sends: u64,
    /// Receives of the trace to which nobody sends.
    pub receives: u64,
    /// Ends of messages that lost the other end when loops were scaled.
    pub scaled: u64,
    /// Receives that the trace does not have, and which were added.
    pub added: u64,
}

/// A program that behaves like a recorded one in a fraction of its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// Where processes are.
    pub topology: Topology,
    /// The node of each rank.
    pub places: Vec<u32>,
    /// Who is in the communicators, by their numbers.
    pub groups: Vec<Group>,
    /// What it does.
    pub program: Vec<Construct>,
    /// How often calls are done that are not done every time.
    pub limits: Vec<u64>,
    /// Computing: seconds in strata, each of which is as frequent as the others.
    pub phases: Vec<Vec<f64>>,
    /// Bytes in strata.
    pub sizes: Vec<Vec<u64>>,
    /// The most bytes of a message.
    pub largest: u64,
    /// How messages are sent.
    pub sending: Sending,
    /// Whether it runs only with as many processes as were recorded.
    pub is_fixed: bool,
    /// Which fraction of the time was asked for.
    pub scale: f64,
    /// Seconds that were asked for.
    pub seconds: f64,
    /// How many processes computed at a time, as a mean.
    pub busy: u64,
    /// What computing was multiplied with beyond the scaling of loops.
    pub stretch: f64,
    /// Messages by direction.
    pub sent: Vec<Sent>,
    /// What is not in it, or was not in the trace.
    pub left_out: LeftOut,
}
