//! The model of a logical program, and the algorithms that build it (Xu et al., section 4.3).
//!
//! [`Word`] turns the events of each process into a word of [`Letter`]s, in which peers are directions of a topology.
//! [`unite`] makes one program of the words of all processes. [`Follow`] compares the word of each process with the
//! calls that the program prescribes for that process.

mod align;
mod compare;
mod follow;
mod guarding;
mod instances;
mod letter;
mod merge;
mod place;
mod program;
mod unite;
mod values;
mod weave;
mod word;

#[cfg(test)]
mod tests;

pub use compare::compare;
pub use follow::{Agreement, Follow};
pub use instances::{Calls, Instances, calls_of};
pub use letter::{Alphabet, Letter, Letters};
pub use merge::merge;
pub use place::{Signs, Tags, place};
pub use program::{
    Action, Call, Communicator, CommunicatorId, Construct, Distribution, Guard, Logical, Loop,
    Measured, Number, RoleId,
};
pub use unite::{Budget, Folding, Own, unite};
pub use values::Values;
pub use word::{Meaning, Word, Wording};
