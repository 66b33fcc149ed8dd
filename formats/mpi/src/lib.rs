//! The vocabulary of MPI for all formats and analyses: routine names in any spelling, the effects of routines, and
//! collective operations.

mod collectives;
mod names;
mod routine;
mod vocabulary;

pub use collectives::{BLOCKING, COLLECTIVES, blocking_collective, synchronises};
pub use names::{mpi_name, mpi_routine};
pub use routine::{Routine, has_message};
pub use vocabulary::Vocabulary;
