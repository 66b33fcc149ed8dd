//! Performance skeletons (Xu et al., section 2): programs that behave like a recorded one in a fraction of
//! its time.
//!
//! [`skeleton`] takes a logical program over, adds the ends of messages that the trace does not have
//! (`complete`), shortens its loops (`scale`), drops what has no partner (`balance`), rehearses what is left
//! (`rehearse`), and says where it computes (`phases`).

mod balance;
mod build;
pub mod c;
#[cfg(feature = "command")]
pub mod command;
mod complete;
mod count;
mod groups;
mod links;
mod notes;
mod phases;
mod program;
mod rehearse;
mod scale;
mod shape;
mod shorten;
mod strata;
#[cfg(test)]
mod tests;
mod unroll;

pub use build::skeleton;
pub use groups::Group;
pub use program::{
    Action, Call, Computing, Construct, Doer, LeftOut, Loop, Message, Sending, Sent, Size, Skeleton,
};
pub use shape::{Shape, is_by_rule, resized};

pub(crate) use rehearse::sends;
