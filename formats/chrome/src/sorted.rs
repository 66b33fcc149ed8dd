//! Opens a foreign file: all events are read and sorted.

use foldtrace_sort::{SortedTrace, scratch_error};
use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity, TraceError};

use crate::elements::Elements;
use crate::foreign::{Collector, collect};
use crate::meaning::Plain;

/// Reads and sorts all events.
///
/// # Errors
/// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn read(mut elements: Elements) -> Result<SortedTrace, TraceError> {
    let path = elements.path().to_owned();
    let mut diagnostics = Diagnostics::default();
    let mut collector = Collector::new(Plain);
    collect(
        &mut elements,
        &mut collector,
        &mut diagnostics,
        Collector::property,
    )?;
    let (definitions, collected, zero) = collector.finish().map_err(scratch_error)?;
    if zero < 0 {
        diagnostics.report(shifted(-zero).at(Place::file(&path)));
    }
    Ok(collected.open(path, definitions, diagnostics))
}

/// Returns the note that all times are later than in the file, because some are before 0.
pub(crate) fn shifted(nanoseconds: i64) -> Diagnostic {
    let message = format!("all times are {nanoseconds} ns later than in the file");
    Diagnostic::new(Severity::Note, "chrome.negative_time", message)
        .hint("the file contains times before 0")
}
