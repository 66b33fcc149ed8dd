//! What the names of routines tell: which calls are of MPI, which wait, and which only begin to send.

/// What a call does, as its name tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Routine {
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
        let name = name.trim_end_matches('_').to_ascii_lowercase();
        let name = name.strip_prefix('p').unwrap_or(&name);
        let Some(own) = name.strip_prefix("mpi_") else {
            return Self::Other;
        };
        match own {
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
}
