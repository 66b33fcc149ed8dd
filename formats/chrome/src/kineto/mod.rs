//! Reads traces of PyTorch's profiler, Kineto: Chrome's JSON with a meaning.
//!
//! A file is the trace of one rank, and a folder of such files is the trace of a program. Kernels and calls of NCCL, RCCL
//! and Gloo become collective operations and messages, GPU streams become locations of their rank. `schemas/kineto.md`
//! describes the mapping.

mod arguments;
mod communicators;
mod folder;
mod groups;
mod info;
mod locations;
mod meaning;
mod operations;
mod present;
mod ranks;
mod trace;
mod words;

use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError,
    TraceReader, TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "kineto",
    extensions: &[],
    about: "PyTorch's profiler, Kineto: a file of Chrome's JSON, or a folder with one for each rank",
    holds: "calls, GPU streams, collective operations, messages, metrics, attributes",
    drops: "it is only read",
    reads: true,
    writes: false,
    is_text: true,
};

/// The format of PyTorch's profiler.
///
/// ```
/// use foldtrace_chrome::Kineto;
/// use foldtrace_trace::{Format, PathKind, Probe};
/// let probe = Probe {
///     path: "-".as_ref(),
///     kind: PathKind::Stream,
///     head: b"{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 3}, \"traceEvents\": [",
/// };
/// assert!(Kineto.sniff(&probe));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Kineto;

impl Format for Kineto {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::File | PathKind::Stream => folder::is_kineto(probe.head),
            PathKind::Folder => folder::is_folder(probe.path),
            PathKind::ObjectFolder => false,
        }
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(trace::read(input, *options)?))
    }

    fn create(&self, _: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        let message = "foldtrace cannot write traces of PyTorch's profiler";
        Err(TraceError::new(ErrorKind::Usage, message)
            .hint("write Chrome's JSON, which the same viewers display"))
    }
}
