//! Names of the numbers that OTF2 uses for enumerations.

/// Names of the codes of one enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    names: &'static [(u64, &'static str)],
}

impl Vocabulary {
    /// A vocabulary of codes and their names.
    #[must_use]
    pub const fn new(names: &'static [(u64, &'static str)]) -> Self {
        Self { names }
    }

    /// The name of `code`, if it has one.
    #[must_use]
    pub fn name(&self, code: u64) -> Option<&'static str> {
        self.names
            .iter()
            .find(|(c, _)| *c == code)
            .map(|(_, name)| *name)
    }

    /// The code called `name`, in any case of letters.
    #[must_use]
    pub fn code(&self, name: &str) -> Option<u64> {
        self.names
            .iter()
            .find(|(_, n)| n.eq_ignore_ascii_case(name))
            .map(|(code, _)| *code)
    }
}

/// Collective operations, as MPI calls them.
pub const COLLECTIVES: Vocabulary = Vocabulary {
    names: &[
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
    ],
};
