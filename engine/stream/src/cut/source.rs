//! The source of a cut, with the filter that all streams of the cut apply to it.

use foldtrace_trace::{TimeRange, TraceReader};

use super::filter::{Filter, View};

/// The source of a cut and the filter of the cut.
pub(super) struct FilteredSource {
    pub reader: Box<dyn TraceReader>,
    pub filter: Filter,
    /// The range of time of the filter, in ticks.
    pub range: TimeRange,
    /// The filter, translated by the definitions of the source.
    pub view: View,
}
