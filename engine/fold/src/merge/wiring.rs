//! Channels: what processes exchange, and which events are ends of which channel.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::SymbolId;

/// A process of the program: the number of its model among those that are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process(pub u32);

impl Process {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A queue between two processes, in which order is kept: of messages, or, between neighbours of a
/// communicator, of the collective operations that both take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(pub u32);

impl Channel {
    /// Its end where messages are sent; of collective operations, that of the first neighbour.
    #[must_use]
    pub const fn source(self) -> End {
        End(self.0 << 1)
    }

    /// Its end where messages are received; of collective operations, that of the second neighbour.
    #[must_use]
    pub const fn sink(self) -> End {
        End(self.0 << 1 | 1)
    }
}

/// One of the two ends of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End(u32);

impl End {
    /// The channel.
    #[must_use]
    pub const fn channel(self) -> Channel {
        Channel(self.0 >> 1)
    }

    /// Whether it is the source.
    #[must_use]
    pub const fn is_source(self) -> bool {
        self.0 & 1 == 0
    }

    /// The end at the other side.
    pub(super) const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What an event is to other processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// The ends that it is: none of a local event, one of a send or a receive, one for each neighbour of
    /// a collective operation. In order.
    pub ends: Vec<End>,
    /// Whether it is a collective operation.
    pub is_collective: bool,
    /// Whether nobody leaves the operation before all have come, as of a barrier.
    pub synchronises: bool,
}

/// The roles of all events.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    roles: HashMap<(Process, SymbolId), Role, FixedState>,
    /// Channels of collective operations begin here.
    collectives: u32,
    channels: u32,
}

impl Wiring {
    /// A wiring of `messages` channels for messages, and of more for collective operations.
    #[must_use]
    pub fn new(messages: u32) -> Self {
        Self {
            roles: HashMap::default(),
            collectives: messages,
            channels: messages,
        }
    }

    /// A new channel for collective operations.
    pub fn add_collective(&mut self) -> Channel {
        self.channels += 1;
        Channel(self.channels - 1)
    }

    /// Says what events of a process with a symbol are.
    pub fn set(&mut self, process: Process, symbol: SymbolId, mut role: Role) {
        role.ends.sort_unstable();
        self.roles.insert((process, symbol), role);
    }

    /// What events of a process with a symbol are; `None` of local ones.
    #[must_use]
    pub fn role(&self, process: Process, symbol: SymbolId) -> Option<&Role> {
        self.roles.get(&(process, symbol))
    }

    /// Whether a channel is one of collective operations.
    #[must_use]
    pub const fn is_collective(&self, channel: Channel) -> bool {
        channel.0 >= self.collectives
    }
}
