//! Folding: models of a symbol stream as pure functions, with exact inverses.
//!
//! [`Folder`] turns the stream of one location into a nest of loops, event by event
//! (Ketterlin et al., RR-8562, section II.C; Ketterlin and Clauss, CGO 2008); [`Model::expand`]
//! gives the stream back, and [`Model::tidied`] is a model of the same stream in fewer terms, for those who
//! read it. [`Layout`] tells for every construct of a model where its instances
//! stand in the stream. [`dag`] has call trees in which equal parts stand once,
//! [`patterns`] what occurs several times. Nothing in here reads
//! or writes a file.

mod check;
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
pub use model::{Construct, Count, EventConstruct, LoopConstruct, Model, Selection, Step};
pub use nlr::{DEFAULT_MAX_BODY, Folder, MAX_BODY};
pub use polynomial::Polynomial;
pub use shape::Shapes;
