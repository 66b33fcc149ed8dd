//! Extracts quantities of the occurrences of selected constructs, at the positions given by the global model.
//!
//! The method follows Ketterlin et al., RR-8562, section V.B. A [`Request`] names constructs of a model, by their
//! numbers or as annotations of its text. It compiles to a [`Plan`]: for each construct and process, a position that
//! is affine in the indices of the enclosing loops. [`scan()`] reads a store according to the plan, and [`emit()`]
//! writes the plan as a program that does the same without foldtrace. `analyses/extract/README.md` describes the rows.

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
