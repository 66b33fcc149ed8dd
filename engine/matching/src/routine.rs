//! What the names of routines tell: which calls are of MPI, which wait, which only begin to send, and which
//! are collective.

use foldtrace_trace::mpi_routine;

/// What a call does, as its name tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routine {
    /// It is none of MPI.
    #[default]
    Other,
    /// It waits until something is complete: `MPI_Wait`, `MPI_Waitall`, …
    Waits,
    /// It asks if something is complete: `MPI_Test`, `MPI_Testall`, …
    Tests,
    /// It begins to send: `MPI_Isend`, `MPI_Issend`, …
    Begins,
    /// It is another one of MPI.
    Mpi,
}

impl Routine {
    /// The routine of that name: in any case, with underscores of Fortran behind it and the `P` of the
    /// profiling interface before it.
    pub fn called(name: &str) -> Self {
        let Some(own) = mpi_routine(name) else {
            return Self::Other;
        };
        match own.as_str() {
            "wait" | "waitall" | "waitany" | "waitsome" => Self::Waits,
            "test" | "testall" | "testany" | "testsome" => Self::Tests,
            "isend" | "ibsend" | "issend" | "irsend" => Self::Begins,
            _ => Self::Mpi,
        }
    }

    /// Whether what was begun may be complete behind it.
    pub fn completes(self) -> bool {
        matches!(self, Self::Waits | Self::Tests)
    }
}

/// The collective routines that block, and whether nobody can leave one before all have come.
pub const COLLECTIVES: [(&str, bool); 17] = [
    ("barrier", true),
    ("bcast", false),
    ("gather", false),
    ("gatherv", false),
    ("scatter", false),
    ("scatterv", false),
    ("allgather", true),
    ("allgatherv", true),
    ("alltoall", true),
    ("alltoallv", true),
    ("alltoallw", true),
    ("allreduce", true),
    ("reduce", false),
    ("reduce_scatter", true),
    ("reduce_scatter_block", true),
    ("scan", false),
    ("exscan", false),
];

/// Which of the collective routines that block has that name, in the same spellings.
pub fn collective(name: &str) -> Option<usize> {
    let own = mpi_routine(name)?;
    COLLECTIVES.iter().position(|(name, _)| *name == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_the_spelling_of_any_recorder() {
        for (name, routine) in [
            ("MPI_Waitall", Routine::Waits),
            ("mpi_wait_", Routine::Waits),
            ("PMPI_Isend", Routine::Begins),
            ("mpi_issend__", Routine::Begins),
            ("MPI_Testsome", Routine::Tests),
            ("MPI_Test_cancelled", Routine::Mpi),
            ("MPI_Send", Routine::Mpi),
            ("pmpi_recv", Routine::Mpi),
            ("wait", Routine::Other),
            ("p", Routine::Other),
            ("", Routine::Other),
            ("MPI", Routine::Other),
        ] {
            assert_eq!(Routine::called(name), routine, "{name}");
        }
    }

    #[test]
    fn collective_routines_are_those_that_block() {
        for (name, own) in [
            ("PMPI_Allreduce", Some("allreduce")),
            ("mpi_barrier_", Some("barrier")),
            ("MPI_Reduce_scatter_block", Some("reduce_scatter_block")),
            ("MPI_Ibarrier", None),
            ("MPI_Bcast_init", None),
            ("MPI_Send", None),
            ("allreduce", None),
        ] {
            let found = collective(name).map(|it| COLLECTIVES[it].0);
            assert_eq!(found, own, "{name}");
        }
    }
}
