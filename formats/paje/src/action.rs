//! The effects that lines can have on a trace.

use foldtrace_trace::SymbolId;

use crate::hierarchy::{ContainerId, TypeId};
use crate::locations::Location;
use crate::states::LaneId;
use crate::variables::{Change, VariableId};

/// The effect of a line, without its time and its amounts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// None: the line only draws what another line describes.
    Nothing,
    /// An end of a link between hosts, which is not an event.
    HostLink,
    /// Enters a state.
    Enter {
        lane: LaneId,
        enter: SymbolId,
        leave: SymbolId,
        /// Whether the state replaces the innermost open state, instead of being nested in it.
        replaces: bool,
    },
    /// Leaves the innermost state.
    Leave(LaneId),
    /// Leaves the innermost state, with this event.
    LeaveAs(LaneId, SymbolId),
    /// Leaves all states.
    LeaveAll(LaneId),
    /// An event, at a slot of the demultiplexer.
    Event(u32, SymbolId),
    /// Changes a variable.
    Variable(VariableId, Change),
    /// Sends or receives a message.
    Message(MessageEnd),
}

/// An end of a message, without its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageEnd {
    pub link_type: TypeId,
    pub container: ContainerId,
    pub location: Location,
    pub is_start: bool,
    /// The size in bytes, if the value specifies it.
    pub bytes: u64,
}
