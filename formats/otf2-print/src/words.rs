//! The words that otf2-print prints for numbers. A number without a word is printed as `INVALID <n>`.

use foldtrace_trace::Vocabulary;

/// Collective operations.
pub(crate) static COLLECTIVE_OPERATIONS: Vocabulary = Vocabulary::new(&[
    (0, "BARRIER"),
    (1, "BCAST"),
    (2, "GATHER"),
    (3, "GATHERV"),
    (4, "SCATTER"),
    (5, "SCATTERV"),
    (6, "ALLGATHER"),
    (7, "ALLGATHERV"),
    (8, "ALLTOALL"),
    (9, "ALLTOALLV"),
    (10, "ALLTOALLW"),
    (11, "ALLREDUCE"),
    (12, "REDUCE"),
    (13, "REDUCE_SCATTER"),
    (14, "SCAN"),
    (15, "EXSCAN"),
    (16, "REDUCE_SCATTER_BLOCK"),
    (17, "CREATE_HANDLE"),
    (18, "DESTROY_HANDLE"),
    (19, "ALLOCATE"),
    (20, "DEALLOCATE"),
    (21, "CREATE_HANDLE_AND_ALLOCATE"),
    (22, "DESTROY_HANDLE_AND_DEALLOCATE"),
]);
/// Paradigms, and threading models.
pub(crate) static PARADIGMS: Vocabulary = Vocabulary::new(&[
    (0, "UNKNOWN"),
    (1, "USER"),
    (2, "COMPILER"),
    (3, "OPENMP"),
    (4, "MPI"),
    (5, "CUDA"),
    (6, "MEASUREMENT_SYSTEM"),
    (7, "PTHREAD"),
    (8, "HMPP"),
    (9, "OMPSS"),
    (10, "HARDWARE"),
    (11, "GASPI"),
    (12, "UPC"),
    (13, "SHMEM"),
    (14, "WINTHREAD"),
    (15, "QTTHREAD"),
    (16, "ACETHREAD"),
    (17, "TBBTHREAD"),
    (18, "OPENACC"),
    (19, "OPENCL"),
    (20, "MTAPI"),
    (21, "SAMPLING"),
    (22, "NONE"),
    (23, "HIP"),
    (24, "KOKKOS"),
]);
/// Classes of paradigms.
pub(crate) static PARADIGM_CLASSES: Vocabulary = Vocabulary::new(&[
    (0, "PROCESS"),
    (1, "THREAD_FORK_JOIN"),
    (2, "THREAD_CREATE_WAIT"),
    (3, "ACCELERATOR"),
]);
/// Properties of paradigms.
pub(crate) static PARADIGM_PROPERTIES: Vocabulary = Vocabulary::new(&[
    (0, "COMM_NAME_TEMPLATE"),
    (1, "RMA_WIN_NAME_TEMPLATE"),
    (2, "RMA_ONLY"),
]);
/// Domains of system tree nodes.
pub(crate) static DOMAINS: Vocabulary = Vocabulary::new(&[
    (0, "MACHINE"),
    (1, "SHARED_MEMORY"),
    (2, "NUMA"),
    (3, "SOCKET"),
    (4, "CACHE"),
    (5, "CORE"),
    (6, "PU"),
    (7, "ACCELERATOR_DEVICE"),
    (8, "NETWORKING_DEVICE"),
]);
/// Types of location groups.
pub(crate) static LOCATION_GROUPS: Vocabulary =
    Vocabulary::new(&[(0, "UNKNOWN"), (1, "PROCESS"), (2, "ACCELERATOR")]);
/// Types of locations.
pub(crate) static LOCATIONS: Vocabulary = Vocabulary::new(&[
    (0, "UNKNOWN"),
    (1, "CPU_THREAD"),
    (2, "ACCELERATOR_STREAM"),
    (2, "GPU"),
    (3, "METRIC"),
]);
/// Roles of regions.
pub(crate) static ROLES: Vocabulary = Vocabulary::new(&[
    (0, "UNKNOWN"),
    (1, "FUNCTION"),
    (2, "WRAPPER"),
    (3, "LOOP"),
    (4, "CODE"),
    (5, "PARALLEL"),
    (6, "SECTIONS"),
    (7, "SECTION"),
    (8, "WORKSHARE"),
    (9, "SINGLE"),
    (10, "SINGLE_SBLOCK"),
    (11, "MASTER"),
    (12, "CRITICAL"),
    (13, "CRITICAL_SBLOCK"),
    (14, "ATOMIC"),
    (15, "BARRIER"),
    (16, "IMPLICIT_BARRIER"),
    (17, "FLUSH"),
    (18, "ORDERED"),
    (19, "ORDERED_SBLOCK"),
    (20, "TASK"),
    (21, "TASK_CREATE"),
    (22, "TASK_WAIT"),
    (23, "COLL_ONE2ALL"),
    (24, "COLL_ALL2ONE"),
    (25, "COLL_ALL2ALL"),
    (26, "COLL_OTHER"),
    (27, "FILE_IO"),
    (28, "POINT2POINT"),
    (29, "RMA"),
    (30, "DATA_TRANSFER"),
    (31, "ARTIFICIAL"),
    (32, "THREAD_CREATE"),
    (33, "THREAD_WAIT"),
    (34, "TASK_UNTIED"),
    (35, "ALLOCATE"),
    (36, "DEALLOCATE"),
    (37, "REALLOCATE"),
    (38, "FILE_IO_METADATA"),
]);
/// Flags of regions.
pub(crate) static REGION_FLAGS: Vocabulary = Vocabulary::new(&[(1, "DYNAMIC"), (2, "PHASE")]);
/// Types of groups.
pub(crate) static GROUPS: Vocabulary = Vocabulary::new(&[
    (0, "UNKNOWN"),
    (1, "LOCATIONS"),
    (2, "REGIONS"),
    (3, "METRIC"),
    (4, "COMM_LOCATIONS"),
    (5, "COMM_GROUP"),
    (6, "COMM_SELF"),
]);
/// Flags of groups.
pub(crate) static GROUP_FLAGS: Vocabulary = Vocabulary::new(&[(1, "GLOBAL_MEMBERS")]);
/// Bases of metric values and of interrupt generators.
pub(crate) static BASES: Vocabulary = Vocabulary::new(&[(0, "BINARY"), (1, "DECIMAL")]);
/// Occurrences of metrics.
pub(crate) static OCCURRENCES: Vocabulary = Vocabulary::new(&[
    (0, "SYNCHRONOUS_STRICT"),
    (1, "SYNCHRONOUS"),
    (2, "ASYNCHRONOUS"),
]);
/// Types of metrics.
pub(crate) static METRICS: Vocabulary =
    Vocabulary::new(&[(0, "OTHER"), (1, "PAPI"), (2, "RUSAGE"), (3, "USER")]);
/// Modes of metrics.
pub(crate) static METRIC_MODES: Vocabulary = Vocabulary::new(&[
    (0, "ACCUMULATED_START"),
    (16, "ACCUMULATED_POINT"),
    (32, "ACCUMULATED_LAST"),
    (48, "ACCUMULATED_NEXT"),
    (17, "ABSOLUTE_POINT"),
    (33, "ABSOLUTE_LAST"),
    (49, "ABSOLUTE_NEXT"),
    (18, "RELATIVE_POINT"),
    (34, "RELATIVE_LAST"),
    (50, "RELATIVE_NEXT"),
]);
/// Scopes of metrics.
pub(crate) static SCOPES: Vocabulary = Vocabulary::new(&[
    (0, "LOCATION"),
    (1, "LOCATION_GROUP"),
    (2, "SYSTEM_TREE_NODE"),
    (3, "GROUP"),
]);
/// Kinds of recorders.
pub(crate) static RECORDERS: Vocabulary =
    Vocabulary::new(&[(0, "UNKNOWN"), (1, "ABSTRACT"), (2, "CPU"), (3, "GPU")]);
/// Types of parameters.
pub(crate) static PARAMETERS: Vocabulary =
    Vocabulary::new(&[(0, "STRING"), (1, "INT64"), (2, "UINT64")]);
/// Periodicity of dimensions.
pub(crate) static PERIODICITY: Vocabulary = Vocabulary::new(&[(0, "FALSE"), (1, "TRUE")]);
/// Modes of interrupt generators.
pub(crate) static INTERRUPTS: Vocabulary = Vocabulary::new(&[(0, "TIME"), (1, "COUNT")]);
/// Classes of I/O paradigms.
pub(crate) static IO_CLASSES: Vocabulary = Vocabulary::new(&[(0, "SERIAL"), (1, "PARALLEL")]);
/// Flags of I/O paradigms.
pub(crate) static IO_PARADIGM_FLAGS: Vocabulary = Vocabulary::new(&[(1, "OS")]);
/// Properties of I/O paradigms.
pub(crate) static IO_PROPERTIES: Vocabulary = Vocabulary::new(&[(0, "VERSION")]);
/// Flags of I/O handles.
pub(crate) static HANDLE_FLAGS: Vocabulary =
    Vocabulary::new(&[(1, "PRE_CREATED"), (2, "ALL_PROXY")]);
/// Access modes.
pub(crate) static ACCESS: Vocabulary = Vocabulary::new(&[
    (0, "READ_ONLY"),
    (1, "WRITE_ONLY"),
    (2, "READ_WRITE"),
    (3, "EXECUTE_ONLY"),
    (4, "SEARCH_ONLY"),
]);
/// Status flags of I/O handles.
pub(crate) static STATUS_FLAGS: Vocabulary = Vocabulary::new(&[
    (1, "CLOSE_ON_EXEC"),
    (2, "APPEND"),
    (4, "NON_BLOCKING"),
    (8, "ASYNC"),
    (16, "SYNC"),
    (32, "DATA_SYNC"),
    (64, "AVOID_CACHING"),
    (128, "NO_ACCESS_TIME"),
    (256, "DELETE_ON_CLOSE"),
]);
/// Flags for the creation of I/O handles.
pub(crate) static CREATION_FLAGS: Vocabulary = Vocabulary::new(&[
    (1, "CREATE"),
    (2, "TRUNCATE"),
    (4, "DIRECTORY"),
    (8, "EXCLUSIVE"),
    (16, "NO_CONTROLLING_TERMINAL"),
    (32, "NO_FOLLOW"),
    (64, "PATH"),
    (128, "TEMPORARY_FILE"),
    (256, "LARGEFILE"),
    (512, "NO_SEEK"),
    (1024, "UNIQUE"),
]);
/// Modes of I/O operations.
pub(crate) static IO_OPERATIONS: Vocabulary =
    Vocabulary::new(&[(0, "READ"), (1, "WRITE"), (2, "FLUSH")]);
/// Flags of I/O operations.
pub(crate) static IO_OPERATION_FLAGS: Vocabulary =
    Vocabulary::new(&[(1, "NON_BLOCKING"), (2, "COLLECTIVE")]);
/// Reference points of seeks.
pub(crate) static WHENCE: Vocabulary = Vocabulary::new(&[
    (0, "FROM_START"),
    (1, "FROM_CURRENT"),
    (2, "FROM_END"),
    (3, "DATA"),
    (4, "HOLE"),
]);
/// Flags of communicators and of windows.
pub(crate) static COMM_FLAGS: Vocabulary = Vocabulary::new(&[(1, "CREATE_DESTROY_EVENTS")]);
/// Measurement modes.
pub(crate) static MEASUREMENT: Vocabulary = Vocabulary::new(&[(1, "ON"), (2, "OFF")]);
/// Kinds of RMA synchronisation.
pub(crate) static SYNCHRONISATIONS: Vocabulary =
    Vocabulary::new(&[(0, "MEMORY"), (1, "NOTIFY_IN"), (2, "NOTIFY_OUT")]);
/// Synchronisation levels.
pub(crate) static SYNCHRONICITY: Vocabulary = Vocabulary::new(&[(1, "PROCESS"), (2, "MEMORY")]);
/// Types of locks.
pub(crate) static LOCKS: Vocabulary = Vocabulary::new(&[(0, "EXCLUSIVE"), (1, "SHARED")]);
/// Kinds of RMA atomic operations.
pub(crate) static ATOMICS: Vocabulary = Vocabulary::new(&[
    (0, "ACCUMULATE"),
    (1, "INCREMENT"),
    (2, "TEST_AND_SET"),
    (3, "COMPARE_AND_SWAP"),
    (4, "SWAP"),
    (5, "FETCH_AND_ADD"),
    (6, "FETCH_AND_INCREMENT"),
    (7, "FETCH_AND_ACCUMULATE"),
]);
/// Kinds of ids in mapping tables.
pub(crate) static MAPPINGS: Vocabulary = Vocabulary::new(&[
    (0, "STRING"),
    (1, "ATTRIBUTE"),
    (2, "LOCATION"),
    (3, "REGION"),
    (4, "GROUP"),
    (5, "METRIC"),
    (6, "COMM"),
    (7, "PARAMETER"),
    (8, "RMA_WIN"),
    (9, "SOURCE_CODE_LOCATION"),
    (10, "CALLING_CONTEXT"),
    (11, "INTERRUPT_GENERATOR"),
    (12, "IO_FILE"),
    (13, "IO_HANDLE"),
    (14, "LOCATION_GROUP"),
    (15, "MAX"),
]);
/// Roots of collective operations that are not a rank.
pub(crate) static ROOTS: Vocabulary = Vocabulary::new(&[
    (u32::MAX as u64, "NONE"),
    (u32::MAX as u64 - 1, "SELF"),
    (u32::MAX as u64 - 2, "THIS_GROUP"),
]);
/// Truth values.
pub(crate) static TRUTH: Vocabulary = Vocabulary::new(&[(0, "FALSE"), (1, "TRUE")]);
/// The vocabulary of numbers that have no words.
pub(crate) static NONE: Vocabulary = Vocabulary::new(&[]);
