//! Provides what all subcommands share: output, progress, error reports, and exit codes.
//!
//! The subcommand of an analysis is in the crate of the analysis, which has it with the feature `command`. It gets a
//! [`Context`], writes its result with [`output`] and [`table`], and returns an [`Outcome`](report::Outcome).

pub mod allocator;
pub mod clock;
pub mod conversion;
pub mod diagnostics;
pub mod events;
pub mod exit;
pub mod format;
pub mod host;
pub mod input;
pub mod output;
pub mod panics;
pub mod paragraph;
pub mod percent;
pub mod progress;
pub mod report;
pub mod shard;
pub mod signals;
pub mod style;
pub mod table;

use foldtrace_trace::Registry;

/// The context that every subcommand gets.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Whether only errors and losses are printed.
    pub quiet: bool,
    /// Whether all kept cases of a problem are printed, not only their counts.
    pub verbose: bool,
    /// The registry of all formats.
    pub formats: &'static Registry,
}
