//! Names of the numbers that OTF2 uses for enumerations.

/// Names of the codes of one enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    names: &'static [(u64, &'static str)],
}

impl Vocabulary {
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

/// Types of locations.
pub const LOCATION_TYPES: Vocabulary = Vocabulary {
    names: &[
        (0, "unknown"),
        (1, "cpu_thread"),
        (2, "accelerator_stream"),
        (3, "metric"),
    ],
};

/// Types of location groups.
pub const LOCATION_GROUP_TYPES: Vocabulary = Vocabulary {
    names: &[(0, "unknown"), (1, "process"), (2, "accelerator")],
};

/// Types of groups.
pub const GROUP_TYPES: Vocabulary = Vocabulary {
    names: &[
        (0, "unknown"),
        (1, "locations"),
        (2, "regions"),
        (3, "metric"),
        (4, "comm_locations"),
        (5, "comm_group"),
        (6, "comm_self"),
    ],
};

/// Programming paradigms.
pub const PARADIGMS: Vocabulary = Vocabulary {
    names: &[
        (0, "unknown"),
        (1, "user"),
        (2, "compiler"),
        (3, "openmp"),
        (4, "mpi"),
        (5, "cuda"),
        (6, "measurement_system"),
        (7, "pthread"),
        (8, "hmpp"),
        (9, "ompss"),
        (10, "hardware"),
        (11, "gaspi"),
        (12, "upc"),
        (13, "shmem"),
        (14, "winthread"),
        (15, "qtthread"),
        (16, "acethread"),
        (17, "tbbthread"),
        (18, "openacc"),
        (19, "opencl"),
        (20, "mtapi"),
        (21, "sampling"),
        (22, "none"),
        (23, "hip"),
        (24, "kokkos"),
    ],
};

/// Roles of regions.
pub const REGION_ROLES: Vocabulary = Vocabulary {
    names: &[
        (0, "unknown"),
        (1, "function"),
        (2, "wrapper"),
        (3, "loop"),
        (4, "code"),
        (5, "parallel"),
        (6, "sections"),
        (7, "section"),
        (8, "workshare"),
        (9, "single"),
        (10, "single_sblock"),
        (11, "master"),
        (12, "critical"),
        (13, "critical_sblock"),
        (14, "atomic"),
        (15, "barrier"),
        (16, "implicit_barrier"),
        (17, "flush"),
        (18, "ordered"),
        (19, "ordered_sblock"),
        (20, "task"),
        (21, "task_create"),
        (22, "task_wait"),
        (23, "coll_one2all"),
        (24, "coll_all2one"),
        (25, "coll_all2all"),
        (26, "coll_other"),
        (27, "file_io"),
        (28, "point2point"),
        (29, "rma"),
        (30, "data_transfer"),
        (31, "artificial"),
        (32, "thread_create"),
        (33, "thread_wait"),
        (34, "task_untied"),
        (35, "allocate"),
        (36, "deallocate"),
        (37, "reallocate"),
        (38, "file_io_metadata"),
    ],
};
