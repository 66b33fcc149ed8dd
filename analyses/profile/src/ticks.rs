//! Differences of times.

use foldtrace_trace::Timestamp;

/// Returns the ticks between two times; negative if the clock runs backwards.
pub(crate) fn ticks(from: Timestamp, to: Timestamp) -> i64 {
    to.0.wrapping_sub(from.0) as i64
}
