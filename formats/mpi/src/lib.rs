//! MPI's vocabulary, once for all formats and analyses: names of routines in any spelling, what routines do, and
//! collective operations.

mod collectives;
mod names;
mod routine;
mod vocabulary;

pub use collectives::{BLOCKING, COLLECTIVES, blocking_collective, synchronises};
pub use names::{mpi_name, mpi_routine};
pub use routine::{Routine, has_message};
pub use vocabulary::Vocabulary;
