//! Collective operations: their codes in OTF2, their names in MPI, and whether they synchronise.

use crate::{Vocabulary, mpi_name};

/// The codes of collective operations and their names in MPI.
pub const COLLECTIVES: Vocabulary = Vocabulary::new(&[
    (0, "MPI_Barrier"),
    (1, "MPI_Bcast"),
    (2, "MPI_Gather"),
    (3, "MPI_Gatherv"),
    (4, "MPI_Scatter"),
    (5, "MPI_Scatterv"),
    (6, "MPI_Allgather"),
    (7, "MPI_Allgatherv"),
    (8, "MPI_Alltoall"),
    (9, "MPI_Alltoallv"),
    (10, "MPI_Alltoallw"),
    (11, "MPI_Allreduce"),
    (12, "MPI_Reduce"),
    (13, "MPI_Reduce_scatter"),
    (14, "MPI_Scan"),
    (15, "MPI_Exscan"),
    (16, "MPI_Reduce_scatter_block"),
    (17, "create_handle"),
    (18, "destroy_handle"),
    (19, "allocate"),
    (20, "deallocate"),
    (21, "create_handle_and_allocate"),
    (22, "destroy_handle_and_deallocate"),
]);

/// Number of the blocking collective routines of MPI; their codes are less than this.
pub const BLOCKING: usize = 17;

/// Codes of the blocking collective routines that no process can leave before all have entered.
const SYNCHRONISING: [usize; 9] = [0, 6, 7, 8, 9, 10, 11, 13, 16];

/// Returns the code of a blocking collective routine by its name in any spelling.
#[must_use]
pub fn blocking_collective(name: &str) -> Option<usize> {
    let code = COLLECTIVES.code(&mpi_name(name)?)?;
    usize::try_from(code).ok()
}

/// Returns whether no process can leave the operation of this code before all have entered it.
#[must_use]
pub fn synchronises(code: usize) -> bool {
    SYNCHRONISING.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocking_routines_are_found_in_any_spelling() {
        for (name, code) in [
            ("PMPI_Allreduce", Some(11)),
            ("mpi_barrier_", Some(0)),
            ("MPI_Reduce_scatter_block", Some(16)),
            ("MPI_Ibarrier", None),
            ("MPI_Bcast_init", None),
            ("MPI_Send", None),
            ("allreduce", None),
            ("create_handle", None),
        ] {
            assert_eq!(blocking_collective(name), code, "{name}");
        }
    }

    #[test]
    fn the_codes_below_17_are_the_routines_of_mpi() {
        for code in 0..BLOCKING {
            let name = COLLECTIVES.name(code as u64).unwrap_or_default();
            assert_eq!(blocking_collective(name), Some(code));
        }
        let next = COLLECTIVES.name(BLOCKING as u64).unwrap_or_default();
        assert_eq!(blocking_collective(next), None);
    }
}
