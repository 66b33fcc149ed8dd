//! Channels between processes, and the events at their ends.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::SymbolId;

/// A process of the program: the number of its model among the models that are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process(pub u32);

impl Process {
    /// Returns the number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An ordered queue between two processes: of messages or, between neighbours of a communicator, of the collective
/// operations in which both take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(pub u32);

impl Channel {
    /// Returns the end where messages are sent; for collective operations, the end of the first neighbour.
    #[must_use]
    pub const fn source(self) -> End {
        End(self.0 << 1)
    }

    /// Returns the end where messages are received; for collective operations, the end of the second neighbour.
    #[must_use]
    pub const fn sink(self) -> End {
        End(self.0 << 1 | 1)
    }
}

/// One of the two ends of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End(u32);

impl End {
    /// Returns the channel.
    #[must_use]
    pub const fn channel(self) -> Channel {
        Channel(self.0 >> 1)
    }

    /// Returns whether this is the source.
    #[must_use]
    pub const fn is_source(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the other end of the channel.
    pub(super) const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The role of an event in communication.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// The ends of channels that belong to the event, in order: none for a local event, one for a send or a receive,
    /// one per neighbour for a collective operation.
    pub ends: Vec<End>,
    /// Whether the event is a collective operation.
    pub is_collective: bool,
    /// Whether no process leaves the operation before all have entered it, as in a barrier.
    pub synchronises: bool,
    /// Whether messages with other tags between the same processes use the same ends.
    pub has_all_tags: bool,
}

/// The roles of all events.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// By process and row of the table of symbols.
    roles: HashMap<(Process, u32), Role, FixedState>,
    /// The number of the first channel for collective operations.
    collectives: u32,
    channels: u32,
}

impl Wiring {
    /// Creates a wiring with `messages` channels for messages. Channels for collective operations are added later.
    #[must_use]
    pub fn new(messages: u32) -> Self {
        Self {
            roles: HashMap::default(),
            collectives: messages,
            channels: messages,
        }
    }

    /// Adds a channel for collective operations, and returns it.
    pub fn add_collective(&mut self) -> Channel {
        self.channels += 1;
        Channel(self.channels - 1)
    }

    /// Sets the role of the events of a process with a symbol, and of those whose symbols share its row.
    pub fn set(&mut self, process: Process, symbol: SymbolId, mut role: Role) {
        role.ends.sort_unstable();
        self.roles.insert((process, symbol.row_number()), role);
    }

    /// Returns the role of the events of a process with a symbol, or `None` for local events.
    #[must_use]
    pub fn role(&self, process: Process, symbol: SymbolId) -> Option<&Role> {
        self.roles.get(&(process, symbol.row_number()))
    }

    /// Returns the processes and rows of the table of symbols whose events have a role, in no particular order.
    pub fn rows(&self) -> impl Iterator<Item = (Process, u32)> {
        self.roles.keys().copied()
    }

    /// Returns whether a channel is for collective operations.
    #[must_use]
    pub const fn is_collective(&self, channel: Channel) -> bool {
        channel.0 >= self.collectives
    }
}
