//! Classifies calls by the names of their routines.

use crate::mpi_routine;

/// The effect of a call, by the name of its routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routine {
    /// The call is not an MPI call.
    #[default]
    Other,
    /// The call waits for the completion of requests: `MPI_Wait`, `MPI_Waitall`, …
    Waits,
    /// The call tests whether requests are complete: `MPI_Test`, `MPI_Testall`, …
    Tests,
    /// The call begins to send: `MPI_Isend`, `MPI_Issend`, …
    Begins,
    /// Any other MPI call.
    Mpi,
}

impl Routine {
    /// Classifies a routine by its name in any spelling.
    #[must_use]
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

    /// Returns whether requests may be complete after the call.
    #[must_use]
    pub fn completes(self) -> bool {
        matches!(self, Self::Waits | Self::Tests)
    }
}

/// Routines that send or receive a message in the call itself, unless the peer is `MPI_PROC_NULL`.
const WITH_MESSAGE: [&str; 16] = [
    "bsend",
    "ibsend",
    "imrecv",
    "irecv",
    "irsend",
    "isend",
    "isendrecv",
    "isendrecv_replace",
    "issend",
    "mrecv",
    "recv",
    "rsend",
    "send",
    "sendrecv",
    "sendrecv_replace",
    "ssend",
];

/// Returns whether a routine, in any spelling, sends or receives a message in the call itself.
#[must_use]
pub fn has_message(name: &str) -> bool {
    mpi_routine(name).is_some_and(|own| WITH_MESSAGE.binary_search(&&*own).is_ok())
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
    fn routines_with_messages_are_known_in_any_spelling() {
        assert!(WITH_MESSAGE.is_sorted());
        for name in [
            "MPI_Send",
            "mpi_send_",
            "mpi_sendrecv__",
            "PMPI_Isend",
            "MPI_IRECV",
        ] {
            assert!(has_message(name), "{name}");
        }
        for name in [
            "MPI_Sendrec",
            "MPI_Wait",
            "send",
            "MPI_Send_init",
            "MPI_",
            "",
            "Pisend",
        ] {
            assert!(!has_message(name), "{name}");
        }
    }
}
