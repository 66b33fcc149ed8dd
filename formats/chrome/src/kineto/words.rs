//! The vocabulary of traces of PyTorch: categories of events, names of operations, types of elements.

use foldtrace_trace::COLLECTIVES;

/// The category of an event, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// A kernel of an accelerator.
    Kernel,
    /// Any other activity of an accelerator.
    Device,
    /// An operator of PyTorch.
    Operator,
    /// A call of the runtime or the driver of an accelerator.
    Runtime,
    /// The profiler itself.
    Overhead,
    /// Anything else, such as a function of Python or an annotation of the user.
    Other,
}

/// Codes of paradigms in OTF2.
const CUDA: u64 = 5;
const MEASUREMENT: u64 = 6;
const HIP: u64 = 23;

impl Category {
    /// Parses a category, a string of JSON.
    pub(crate) fn from_json(text: &str) -> Self {
        match text.trim_matches('"') {
            "kernel" | "Kernel" | "mtia_ccp_events" => Self::Kernel,
            "gpu_memcpy"
            | "gpu_memset"
            | "gpu_user_annotation"
            | "cuda_sync"
            | "Memcpy"
            | "Memset" => Self::Device,
            "cpu_op" | "Operator" => Self::Operator,
            "cuda_runtime"
            | "cuda_driver"
            | "Runtime"
            | "xpu_runtime"
            | "xpu_driver"
            | "privateuse1_runtime"
            | "privateuse1_driver" => Self::Runtime,
            "overhead" | "Trace" => Self::Overhead,
            _ => Self::Other,
        }
    }

    /// Returns whether events of this category happen on a stream of an accelerator.
    pub(crate) const fn is_on_device(self) -> bool {
        matches!(self, Self::Kernel | Self::Device)
    }

    /// Returns the code of the paradigm of a region; `None` if it has none.
    pub(crate) fn paradigm(self, region: &str) -> Option<u64> {
        match self {
            Self::Runtime if region.starts_with("hip") => Some(HIP),
            Self::Kernel | Self::Device | Self::Runtime => Some(CUDA),
            Self::Overhead => Some(MEASUREMENT),
            Self::Operator | Self::Other => None,
        }
    }
}

/// The effect of a call that communicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A collective operation, by its code.
    Collective(u64),
    Send,
    Receive,
}

impl Action {
    /// Returns whether the call is one end of a message.
    pub(crate) const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Receive)
    }
}

/// Names of collective operations in PyTorch and NCCL, in lower case and without underscores, and the routines of MPI that do the same.
const COLLECTIVE: [(&str, &str); 22] = [
    ("allreduce", "MPI_Allreduce"),
    ("allreducecoalesced", "MPI_Allreduce"),
    ("allreducesparse", "MPI_Allreduce"),
    ("broadcast", "MPI_Bcast"),
    ("broadcastoop", "MPI_Bcast"),
    ("reduce", "MPI_Reduce"),
    ("reduceoop", "MPI_Reduce"),
    ("allgather", "MPI_Allgather"),
    ("allgatherbase", "MPI_Allgather"),
    ("allgathercoalesced", "MPI_Allgather"),
    ("allgatherintotensor", "MPI_Allgather"),
    ("allgatherintotensorcoalesced", "MPI_Allgather"),
    ("reducescatter", "MPI_Reduce_scatter_block"),
    ("reducescatterbase", "MPI_Reduce_scatter_block"),
    ("reducescattertensor", "MPI_Reduce_scatter_block"),
    ("reducescattertensorcoalesced", "MPI_Reduce_scatter_block"),
    ("alltoall", "MPI_Alltoall"),
    ("alltoallbase", "MPI_Alltoall"),
    ("alltoallv", "MPI_Alltoallv"),
    ("gather", "MPI_Gather"),
    ("scatter", "MPI_Scatter"),
    ("barrier", "MPI_Barrier"),
];

/// Names of sends and receives, in the same form.
const MESSAGES: [(&str, Action); 3] = [
    ("send", Action::Send),
    ("recv", Action::Receive),
    ("recvanysource", Action::Receive),
];

/// Returns the effect of an operation by its name, such as `_allgather_base` or `AllReduce`.
pub(crate) fn action(name: &str) -> Option<Action> {
    let is_same = |plain: &str| {
        let letters = name.bytes().filter(|&byte| byte != b'_');
        letters
            .map(|byte| byte.to_ascii_lowercase())
            .eq(plain.bytes())
    };
    if let Some((_, routine)) = COLLECTIVE.iter().find(|(plain, _)| is_same(plain)) {
        return COLLECTIVES.code(routine).map(Action::Collective);
    }
    let message = MESSAGES.iter().find(|(plain, _)| is_same(plain));
    message.map(|&(_, action)| action)
}

/// Returns whether a kernel belongs to a library of collective operations, such as NCCL, RCCL, MSCCL or HCCL.
pub(crate) fn is_of_collective_library(kernel: &str) -> bool {
    /// Maximum number of bytes before the name of the library.
    const NEAR: usize = 16;
    let head = &kernel.as_bytes()[..kernel.len().min(NEAR)];
    head.windows(3).any(|letters| letters == b"ccl")
}

/// Returns the operation that the name of a kernel has: `AllReduce` of `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`.
pub(crate) fn operation_of_kernel(kernel: &str) -> &str {
    let rest = kernel.split_once("Kernel_").map_or("", |(_, rest)| rest);
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric());
    &rest[..end.unwrap_or(rest.len())]
}

/// Returns the size of an element in bytes, by the name of its type in PyTorch.
pub(crate) fn element_size(name: &str) -> Option<u64> {
    Some(match name {
        "Byte" | "Char" | "Bool" | "UInt8" | "Int8" => 1,
        name if name.starts_with("Float8") => 1,
        "Short" | "Half" | "BFloat16" | "UInt16" | "Int16" => 2,
        "Int" | "Float" | "ComplexHalf" | "UInt32" | "Int32" => 4,
        "Long" | "Double" | "ComplexFloat" | "UInt64" | "Int64" => 8,
        "ComplexDouble" => 16,
        _ => return None,
    })
}

/// Splits the name of a step of the profiler into the region of all steps and the number: `ProfilerStep#4`.
pub(crate) fn numbered_step(name: &str) -> Option<(&'static str, i64)> {
    const STEP: &str = "ProfilerStep";
    let digits = name.strip_prefix(STEP)?.strip_prefix('#')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((STEP, is_number.then(|| digits.parse().ok())??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_a_place_and_a_paradigm() {
        for (category, is_on_device, paradigm) in [
            (r#""kernel""#, true, Some(CUDA)),
            (r#""Memcpy""#, true, Some(CUDA)),
            (r#""gpu_user_annotation""#, true, Some(CUDA)),
            (r#""xpu_driver""#, false, Some(CUDA)),
            (r#""Trace""#, false, Some(MEASUREMENT)),
            (r#""cpu_op""#, false, None),
            (r#""python_function""#, false, None),
            ("", false, None),
        ] {
            let category = Category::from_json(category);
            assert_eq!(category.is_on_device(), is_on_device, "{category:?}");
            assert_eq!(category.paradigm("f"), paradigm, "{category:?}");
        }
        assert_eq!(Category::Runtime.paradigm("hipMemcpyAsync"), Some(HIP));
    }

    #[test]
    fn operations_are_known_in_the_spellings_of_pytorch_and_nccl() {
        for (name, expected) in [
            ("allreduce", Some(Action::Collective(11))),
            ("_allgather_base", Some(Action::Collective(6))),
            ("all_to_allv", Some(Action::Collective(9))),
            ("AllReduce", Some(Action::Collective(11))),
            ("ReduceScatter", Some(Action::Collective(16))),
            ("send", Some(Action::Send)),
            ("SendRecv", None),
            ("wait", None),
            ("", None),
        ] {
            assert_eq!(action(name), expected, "{name}");
        }
        for (name, routine) in COLLECTIVE {
            assert!(action(name).is_some(), "{routine}");
        }
    }

    #[test]
    fn kernels_name_their_operation() {
        for (kernel, operation) in [
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "AllReduce",
            ),
            (
                "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
                "SendRecv",
            ),
            ("ncclDevKernel_Broadcast(", "Broadcast"),
            ("ncclDevKernel_", ""),
        ] {
            assert!(is_of_collective_library(kernel));
            assert_eq!(operation_of_kernel(kernel), operation);
        }
        assert!(!is_of_collective_library(
            "void at::native::vectorized_elementwise_kernel"
        ));
        assert!(!is_of_collective_library("é"));
    }

    #[test]
    fn steps_have_one_region() {
        assert_eq!(numbered_step("ProfilerStep#12"), Some(("ProfilerStep", 12)));
        for name in ["ProfilerStep#", "ProfilerStep#+1", "ProfilerStep", "Step#1"] {
            assert_eq!(numbered_step(name), None, "{name}");
        }
    }
}
