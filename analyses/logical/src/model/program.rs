//! The logical program: one text for all processes, whose peers are directions of a topology (Xu et al.,
//! section 4.3).

use foldtrace_topology::recognition::{DirectionId, Topology};

/// A number that may grow with the indices of enclosing loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Number {
    /// What it is where all indices are zero.
    pub base: i64,
    /// By how much it grows with which loop; 0 is the outermost one.
    pub growth: Vec<(u16, i64)>,
}

impl Number {
    /// A number that does not grow.
    #[must_use]
    pub const fn constant(base: i64) -> Self {
        Self {
            base,
            growth: Vec::new(),
        }
    }

    /// The number at these indices; wraps where it would overflow.
    #[must_use]
    pub fn at(&self, indices: &[i64]) -> i64 {
        self.growth.iter().fold(self.base, |sum, &(depth, by)| {
            let index = indices.get(usize::from(depth)).copied().unwrap_or(0);
            sum.wrapping_add(by.wrapping_mul(index))
        })
    }
}

/// A communicator of a logical program, by its number: every process counts those that it uses, in the order
/// in which it first does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommunicatorId(pub u32);

/// A communicator of a logical program: one of all processes, or several that share them out, as rows do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Communicator {
    /// What the trace calls it.
    pub name: Option<String>,
    /// To which of several communicators each process belongs, in the order of processes; `None` for none.
    /// Two are in one communicator if they have the same number.
    pub colors: Vec<Option<u32>>,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Send a message to the neighbour in a direction, which is the number of a [`DirectionId`]. Who has no
    /// neighbour there passes over it.
    Send {
        /// The direction.
        direction: Number,
        /// The tag, if it is known.
        tag: Option<Number>,
        /// In which communicator.
        communicator: CommunicatorId,
    },
    /// Receive a message from the neighbour in a direction, with the same fields.
    Receive {
        /// The direction.
        direction: Number,
        /// The tag, if it is known.
        tag: Option<Number>,
        /// In which communicator.
        communicator: CommunicatorId,
    },
    /// Take part in a collective operation.
    Collective {
        /// Which one, as in `COLLECTIVES` of the event model; none if it is not known.
        operation: Option<u64>,
        /// Rank of the root within the communicator, if there is one.
        root: Option<Number>,
        /// In which communicator.
        communicator: CommunicatorId,
    },
}

impl Action {
    /// The direction at these indices; none for collective operations.
    #[must_use]
    pub fn direction(&self, indices: &[i64]) -> Option<DirectionId> {
        match self {
            Self::Send { direction, .. } | Self::Receive { direction, .. } => {
                u32::try_from(direction.at(indices)).ok().map(DirectionId)
            }
            Self::Collective { .. } => None,
        }
    }
}

/// The number of a set of nodes in [`Topology::roles`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub u32);

/// A condition that restricts a call to some of the processes that have a neighbour in its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// Only processes that have, or lack, neighbours in certain directions execute the call; for example, only
    /// the processes at an edge of a mesh.
    Neighbours {
        /// The two directions; they are equal if the condition is about one direction only.
        directions: [DirectionId; 2],
        /// `true` if both neighbours must exist, `false` if at least one must be missing.
        is_there: bool,
    },
    /// Only the processes at the nodes of a role execute the call.
    Role(RoleId),
}

impl Guard {
    /// Whether it lets a node pass.
    #[must_use]
    pub fn holds(self, node: u32, topology: &Topology) -> bool {
        let is_there = |direction| topology.neighbour(node, direction).is_some();
        match self {
            Self::Neighbours {
                directions,
                is_there: expected,
            } => directions.into_iter().all(is_there) == expected,
            Self::Role(role) => topology.has_role(node, role.0),
        }
    }
}

/// A call of a logical program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Its number: calls are counted as they are written.
    pub number: u32,
    /// What it does.
    pub action: Action,
    /// Who does it, besides having a neighbour in its direction; everybody if it is `None`.
    pub guard: Option<Guard>,
    /// The least and the greatest tag of the messages of this call, if their tags differ.
    pub tags: Option<(u64, u64)>,
}

/// A loop of a logical program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// How often the body runs.
    pub count: Number,
    /// What runs.
    pub body: Vec<Construct>,
}

/// A call or a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Construct {
    /// A call.
    Call(Call),
    /// A loop.
    Loop(Loop),
}

/// Values of a quantity, over all processes and instances of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// How many values there are.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// Values at even distances in their order: the first is the least one, the last is the greatest one; empty
    /// if there are none.
    pub quantiles: Vec<u64>,
}

impl Distribution {
    /// The mean; 0 if there are no values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }
}

/// What was measured of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Bytes that it sends or receives.
    pub bytes: Distribution,
    /// Ticks from the end of the call before to its beginning.
    pub computing: Distribution,
    /// Ticks that it takes.
    pub communicating: Distribution,
}

/// One program that stands for all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// Where processes are.
    pub topology: Topology,
    /// Rank of each process.
    pub ranks: Vec<u64>,
    /// Node of each process.
    pub nodes: Vec<u32>,
    /// The communicators that it uses.
    pub communicators: Vec<Communicator>,
    /// What it does.
    pub program: Vec<Construct>,
    /// What was measured of each call, by its number; empty if nothing was.
    pub measured: Vec<Measured>,
    /// Ticks a second of all times.
    pub ticks_per_second: u64,
    /// Ticks that the trace takes in the process that begins last: before, others wait for it.
    pub ticks: u64,
}
