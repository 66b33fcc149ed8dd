//! Reads and writes time-independent traces of SimGrid, which list the actions of each rank.
//!
//! ```text
//! 0 init
//! 0 compute 1000
//! 0 isend 1 10 128 0
//! 0 waitall 1
//! 0 finalize
//! ```
//!
//! A master file lists one such file per rank, or one file for all ranks. The traces contain amounts instead of
//! times. When reading, the amount of computation becomes the time; when writing, the time between calls becomes the
//! amount. `schemas/ti.md` describes how actions map to events and back.
//!
//! ```
//! use foldtrace_ti::TimeIndependent;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"0 init\n0 compute 1000\n",
//! };
//! assert!(TimeIndependent.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod action;
mod clock;
mod definitions;
mod files;
mod lexer;
mod parser;
mod rank;
mod reader;
mod requests;
mod writer;

use foldtrace_input::LineReader;
use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};

use crate::files::Files;

static DESCRIPTOR: Descriptor = Descriptor {
    name: "ti",
    extensions: &["ti"],
    about: "Time-independent traces of SimGrid, which smpirun -replay replays",
    holds: "messages, collective operations of all ranks, amounts of computation",
    drops: "times, other regions, metrics, attributes, threads; operations of some ranks alone",
    reads: true,
    writes: true,
    is_text: false,
};

/// The format of SimGrid's time-independent traces.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeIndependent;

impl Format for TimeIndependent {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::Stream => files::is_actions(probe.head),
            PathKind::File => {
                files::is_actions(probe.head) || files::is_master(probe.path, probe.head)
            }
            PathKind::Folder => files::is_folder(probe.path),
            PathKind::ObjectFolder => false,
        }
    }

    /// Returns whether the input is a folder or a master file, or whether its name or an action that only this format
    /// has identifies it. Lines such as `0 send 1 17` also occur in other formats.
    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        probe.kind == PathKind::Folder
            || DESCRIPTOR.matches_extension(probe.path)
            || !files::is_actions(probe.head)
            || files::has_own_actions(probe.head)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        match files::find(input, *options)? {
            Files::Single(input) => {
                let reader = LineReader::<parser::TiParser>::open(input, *options)?;
                Ok(Box::new(reader))
            }
            Files::PerRank {
                files,
                ranks,
                missing,
            } => {
                let reader = reader::TiReader::new(files, ranks, missing, *options);
                Ok(Box::new(reader))
            }
        }
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::TiWriter::create(output)?))
    }
}
