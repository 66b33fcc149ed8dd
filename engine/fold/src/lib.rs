//! Folds symbol streams into compact models, with exact inverses.
//!
//! [`Folder`] turns the stream of one location into a nest of loops, one event at a time (Ketterlin et al., RR-8562,
//! section II.C; Ketterlin and Clauss, CGO 2008). [`Model::expand`] restores the stream, and [`Model::tidied`]
//! returns a model of the same stream in fewer terms, for readers. [`Layout`] locates the instances of every
//! construct in the stream. [`dag`] builds call trees in which equal subtrees are stored once, [`patterns`] finds
//! sequences that occur several times, and [`merge`] merges the models of processes into one. Nothing in this crate
//! reads or writes files.

mod check;
mod counts;
pub mod dag;
mod expand;
mod frames;
mod layout;
pub mod merge;
mod model;
mod nlr;
pub mod patterns;
mod polynomial;
mod shape;
mod tidy;
mod window;

pub use check::{BadModel, MAX_DEPTH};
pub use expand::Expansion;
pub use layout::{Layout, Placed};
pub use model::{
    Construct, Count, EventConstruct, LoopConstruct, Model, Selection, Step, functions,
};
pub use nlr::{DEFAULT_MAX_BODY, Folder, MAX_BODY};
pub use polynomial::Polynomial;
pub use shape::Shapes;
