//! Extraction: quantities of the occurrences of chosen constructs, found by the positions that the global
//! model gives.
//!
//! After Ketterlin et al., RR-8562, section V.B. A [`Request`] names constructs of a model, by their numbers
//! or as annotations of its text. A [`Plan`] is what it compiles to: for each construct and process a
//! position that is affine in the indices of the loops around it. [`scan()`] reads a store by it, and
//! [`emit()`] writes it as a program that does the same without foldtrace. `schemas/extract.md` says what
//! the rows are.

mod annotation;
#[cfg(feature = "command")]
pub mod command;
mod emit;
mod ordinals;
mod plan;
mod request;
mod scan;

pub use annotation::annotated;
pub use emit::{Language, emit};
pub use plan::{Affine, Line, Plan, Record};
pub use request::{At, Attribute, Get, Instances, Number, Print, Request};
pub use scan::scan;
