//! What follows from events without being written in them: calls, messages, collective operations.
//!
//! Nothing here reads or writes; who has the events hands them over one by one, and what is found comes
//! back as rows. Memory is that of what is open or on its way, not that of the trace.

mod calls;
mod census;
mod channels;
mod collectives;
mod communicators;
mod messages;

pub use calls::{Call, Calls, Moment};
pub use census::Census;
pub use collectives::{Collective, Collectives, Member};
pub use communicators::Communicators;
pub use messages::{Message, Messages, Side};
