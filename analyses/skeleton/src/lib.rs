//! Builds performance skeletons (Xu et al., section 2): programs that behave like a recorded program in a fraction of
//! its time.
//!
//! [`skeleton`] converts a logical program, adds the ends of messages that the trace does not contain (`complete`),
//! scales its loops (`scale`), drops calls without a counterpart (`balance`), rehearses the rest (`rehearse`), and
//! determines where the skeleton computes (`phases`).

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
