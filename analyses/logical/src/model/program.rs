//! The logical program: one program for all processes, in which peers are directions of a topology (Xu et al.,
//! section 4.3).

use foldtrace_topology::recognition::{DirectionId, Topology};

/// A number that is constant or an affine function of the indices of the enclosing loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Number {
    /// The value where all indices are zero.
    pub base: i64,
    /// Pairs of a loop depth and the amount by which the number grows with the index of that loop. The outermost loop
    /// has depth 0.
    pub growth: Vec<(u16, i64)>,
}

impl Number {
    /// Creates a number that does not depend on any index.
    #[must_use]
    pub const fn constant(base: i64) -> Self {
        Self {
            base,
            growth: Vec::new(),
        }
    }

    /// Returns the number at these indices. The arithmetic wraps on overflow.
    #[must_use]
    pub fn at(&self, indices: &[i64]) -> i64 {
        self.growth.iter().fold(self.base, |sum, &(depth, by)| {
            let index = indices.get(usize::from(depth)).copied().unwrap_or(0);
            sum.wrapping_add(by.wrapping_mul(index))
        })
    }
}

/// The number of a communicator of a logical program. Number 0 is the communicator of all processes. Each process
/// numbers the others that it uses in the order in which it first uses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommunicatorId(pub u32);

/// A communicator of a logical program: either one of all processes, or several disjoint ones, such as those of the
/// rows of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Communicator {
    /// The name of the communicator in the trace.
    pub name: Option<String>,
    /// For each process, the number of the communicator that it belongs to; `None` if it belongs to none. Two
    /// processes are in the same communicator if they have the same number.
    pub colors: Vec<Option<u32>>,
}

/// The operation of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A send to the neighbour in a direction. A process without a neighbour in that direction skips the call.
    Send {
        /// The direction, as the number of a [`DirectionId`].
        direction: Number,
        /// The tag, if it is known.
        tag: Option<Number>,
        /// The communicator.
        communicator: CommunicatorId,
    },
    /// A receive from the neighbour in a direction. A process without a neighbour in that direction skips the call.
    Receive {
        /// The direction, as the number of a [`DirectionId`].
        direction: Number,
        /// The tag, if it is known.
        tag: Option<Number>,
        /// The communicator.
        communicator: CommunicatorId,
    },
    /// A collective operation.
    Collective {
        /// The code of the operation, as in `COLLECTIVES` of the event model; `None` if it is unknown.
        operation: Option<u64>,
        /// Rank of the root within the communicator, if there is one.
        root: Option<Number>,
        /// The communicator.
        communicator: CommunicatorId,
    },
}

impl Action {
    /// Returns the direction at these indices, or `None` for collective operations and invalid direction numbers.
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
    /// Returns whether the condition holds for a node.
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
    /// The number of the call. Calls are numbered from 0 in the order in which they are written.
    pub number: u32,
    /// The operation of the call.
    pub action: Action,
    /// The condition for a process to execute the call, besides having a neighbour in its direction; `None` if there
    /// is no such condition.
    pub guard: Option<Guard>,
    /// The least and the greatest tag of the messages of this call, if their tags differ.
    pub tags: Option<(u64, u64)>,
}

/// A loop of a logical program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The number of iterations.
    pub count: Number,
    /// The body of the loop.
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

/// The distribution of a quantity over all processes and instances of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The number of values.
    pub count: u64,
    /// The sum of the values.
    pub sum: u64,
    /// Evenly spaced quantiles: the first is the least value, the last is the greatest value; empty if there are no
    /// values.
    pub quantiles: Vec<u64>,
}

impl Distribution {
    /// Returns the mean, or 0 if there are no values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }
}

/// The measurements of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Bytes that the call sends or receives.
    pub bytes: Distribution,
    /// Ticks outside of MPI calls between the previous call and this one.
    pub computing: Distribution,
    /// Ticks that the call takes.
    pub communicating: Distribution,
}

/// One program that describes all processes of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// The topology of the processes.
    pub topology: Topology,
    /// The rank of each process.
    pub ranks: Vec<u64>,
    /// The node of each process.
    pub nodes: Vec<u32>,
    /// The communicators of the program, by their numbers.
    pub communicators: Vec<Communicator>,
    /// The calls and loops of the program.
    pub program: Vec<Construct>,
    /// The measurements of each call, by the number of the call; empty if nothing was measured.
    pub measured: Vec<Measured>,
    /// The resolution of all times, in ticks per second.
    pub ticks_per_second: u64,
    /// The duration of the trace in ticks: the shortest time from the first to the last event of a process. This
    /// leaves out the time in which other processes wait for the process that begins last.
    pub ticks: u64,
}
