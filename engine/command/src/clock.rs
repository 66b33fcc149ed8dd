//! Defines the option `--clock`, and describes corrections of clocks.

use std::ops::Range;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use foldtrace_clock::{ClockReport, Corrected, Correction, Method};
use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_output::Scratch;
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    DefinitionKind, Definitions, EventStream, Position, SymbolTable, Timestamp, TraceError,
    TraceHead, TraceReader, UNDEFINED,
};

use crate::output::counted;
use crate::progress::Work;
use crate::{Context, report};

/// The option of analyses that compare times of different processes.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ClockOptions {
    /// Correct the clocks of processes: by an offset and a drift each, or also so that no message
    /// arrives before it was sent (controlled) [default: as the store has it, or controlled].
    #[arg(long, value_name = "METHOD", value_parser = methods())]
    clock: Option<Method>,
}

impl ClockOptions {
    /// Returns the correction of a store.
    ///
    /// # Errors
    /// Returns an error if a table of the store is damaged, or the work was stopped.
    pub fn correction(self, work: &Work, store: &StoreReader) -> Result<Correction, TraceError> {
        work.watch(store, |progress| {
            Correction::of_store(store, self.clock, progress)
        })
    }
}

/// A trace with corrected times, read from a temporary store that is removed when it is dropped.
pub struct CorrectedTrace {
    head: TraceHead,
    /// Dropped before the folder of the store.
    reader: Corrected<Box<StoreReader>, Box<Correction>>,
    _scratch: Scratch,
}

impl CorrectedTrace {
    /// Converts a trace to a temporary store, corrects its clocks by the method in `options`, and prints a note about them.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read, the temporary store cannot be written, or the work was stopped.
    pub fn open(
        reader: Box<dyn TraceReader>,
        options: ConvertOptions,
        context: Context,
        progress: &Progress,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        let scratch = Scratch::create(&options.scratch)?;
        let path = scratch.path().join("run.fold");
        let method = options.clock;
        let plain = ConvertOptions {
            derive: Vec::new(),
            ..options
        };
        let (origin, progress) = (Origin::default(), progress.beside());
        let (_, diagnostics) = to_store(&*reader, &origin, &path, &plain, &progress)?;
        let store = StoreReader::open(&path)?;
        let correction = Correction::find(&store, method, &progress)?;
        if let Some(text) = described(correction.report()) {
            report::note(&text, context);
        }
        let head = store.head().clone();
        let end = last_time(&store, &correction)?;
        Ok(Box::new(Self {
            head: TraceHead {
                definitions: lasting_until(&head.definitions, end),
                diagnostics,
                ..head
            },
            reader: Corrected::new(Box::new(store), Box::new(correction)),
            _scratch: scratch,
        }))
    }
}

impl TraceReader for CorrectedTrace {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn all_symbols(&self) -> Option<&SymbolTable> {
        self.reader.all_symbols()
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        self.reader.open_stream(index)
    }

    fn open_stream_at(
        &self,
        index: usize,
        positions: Range<Position>,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        self.reader.open_stream_at(index, positions)
    }
}

/// Returns the latest corrected time of the last events of all locations.
fn last_time(store: &StoreReader, correction: &Correction) -> Result<Timestamp, TraceError> {
    let mut lookup = store.lookup();
    let mut latest = Timestamp(0);
    for location in store.locations() {
        let Some(last) = store.index().events(location).checked_sub(1) else {
            continue;
        };
        if let Some(event) = lookup.get(location, Position(last))? {
            latest = latest.max(correction.at(location, event.position, event.time));
        }
    }
    Ok(latest)
}

/// Returns definitions with a clock whose trace does not end before a time.
fn lasting_until(definitions: &Definitions, end: Timestamp) -> Definitions {
    let clock = definitions.clock();
    let length = end.0.saturating_sub(clock.global_offset);
    let mut changed = Definitions::default();
    for record in definitions.in_order() {
        let fields = 0..record.kind.fields().len();
        let mut values: Vec<u64> = fields.map(|field| record.get(field)).collect();
        if let (DefinitionKind::ClockProperties, [_, _, trace_length, _]) =
            (record.kind, values.as_mut_slice())
            && *trace_length != UNDEFINED
        {
            *trace_length = length.max(*trace_length);
        }
        changed.insert(
            record.order,
            record.kind,
            &values,
            record.list(),
            record.text(),
        );
    }
    changed
}

/// Returns the parser for names of methods.
#[must_use]
pub fn methods() -> impl TypedValueParser<Value = Method> {
    let names = PossibleValuesParser::new(Method::ALL.map(Method::name));
    names.try_map(|name| Method::from_name(&name).ok_or("no such method"))
}

/// Returns a sentence about a correction; `None` if there was nothing to correct.
#[must_use]
pub fn described(report: ClockReport) -> Option<String> {
    let before = report.violations_before.filter(|&before| before > 0)?;
    let after = match report.violations_after? {
        0 => "none".to_owned(),
        after => counted(after, "violation"),
    };
    Some(format!(
        "clocks are corrected ({}): {} before, {after} after",
        report.method.name(),
        counted(before, "violation"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_described_if_there_was_something_to_correct() {
        let report = |method, before, after| ClockReport {
            method,
            violations_before: before,
            violations_after: after,
        };
        let text = described(report(Method::Controlled, Some(1_200), Some(0)));
        let expected = "clocks are corrected (controlled): 1,200 violations before, none after";
        assert_eq!(text.as_deref(), Some(expected));
        let text = described(report(Method::Offset, Some(1), Some(1)));
        let expected = "clocks are corrected (offset): 1 violation before, 1 violation after";
        assert_eq!(text.as_deref(), Some(expected));
        assert_eq!(
            described(report(Method::Controlled, Some(0), Some(0))),
            None
        );
        assert_eq!(described(report(Method::None, None, None)), None);
    }
}
