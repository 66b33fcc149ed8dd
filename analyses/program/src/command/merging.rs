//! Options of subcommands that merge the models of locations.

use clap::Args;
use foldtrace_fold::Selection;

use crate::Merging;

/// The bounds of merging.
#[derive(Clone, Copy, Debug, Args)]
pub struct MergeOptions {
    /// Merge models with at most N events and loops together.
    #[arg(long, value_name = "N", default_value_t = Merging::MAX_TERMS)]
    max_terms: u64,
}

impl MergeOptions {
    /// Returns how to merge models of a selection of events.
    #[must_use]
    pub const fn merging(self, selection: Selection) -> Merging {
        Merging {
            max_terms: self.max_terms,
            ..Merging::new(selection)
        }
    }
}
