//! Opens a foreign file: all events are read and sorted.

use foldtrace_sort::{SortedTrace, UnmatchedEnd, scratch_error};
use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity, TraceError, TraceHead};

use crate::elements::{ElementKind, Elements};
use crate::foreign::{Collector, Rejection};

/// Reads and sorts all events.
///
/// # Errors
/// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn read(mut elements: Elements) -> Result<SortedTrace, TraceError> {
    let path = elements.path().to_owned();
    let mut diagnostics = Diagnostics::default();
    let mut collector = Collector::new();
    while let Some(element) = elements.next(&mut diagnostics)? {
        let taken = match element.kind {
            ElementKind::Event => collector.take(element.text),
            ElementKind::Property(key) => {
                collector.property(&key, element.text);
                Ok(())
            }
            // Files of foldtrace have definitions, but are not read here; properties that are too long were
            // already reported.
            ElementKind::Definition | ElementKind::LongProperty(_) => Ok(()),
        };
        match taken {
            Ok(()) => {}
            Err(Rejection::Fault(fault)) => elements.report_or_fail(fault, &mut diagnostics)?,
            Err(Rejection::Scratch(error)) => return Err(scratch_error(error)),
        }
    }
    let (definitions, collected) = collector.finish().map_err(scratch_error)?;
    if collected.zero < 0 {
        let message = format!(
            "all times are {} ns later than in the file",
            -collected.zero
        );
        let note = Diagnostic::new(Severity::Note, "chrome.negative_time", message);
        diagnostics.report(
            note.at(Place::file(&path))
                .hint("the file contains times before 0"),
        );
    }
    let trace = SortedTrace {
        path,
        head: TraceHead {
            definitions,
            diagnostics,
            ..TraceHead::default()
        },
        rows: collected.rows,
        locations: collected.locations,
        zero: collected.zero,
        doubles: collected.counters.doubles(),
        unmatched_end: UnmatchedEnd {
            key: "chrome.unmatched_end",
            message: "an event of phase E has no matching event of phase B",
        },
    };
    Ok(trace.with_streams())
}
