//! Renders where lateness begins, and its path through the processes, as text and as JSON.

use foldtrace_clock::ClockReport;
use foldtrace_trace::{LocationId, Names, Printable, SymbolId, SymbolTable};
use foldtrace_view::units::{Seconds, counted};
use serde::Serialize;

use crate::{Class, Hop, Kind, Origin, Summary};

/// The maximum number of locations that a line of text shows of a path.
const HOPS: usize = 6;

/// Steps and lateness as JSON, as `schemas/steps.schema.json` describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct StepsJson {
    /// The correction of the clocks.
    pub clock: ClockReport,
    /// The number of global steps.
    pub steps: u64,
    /// The number of partitions.
    pub partitions: u64,
    /// The number of operations and aggregates.
    pub events: u64,
    /// The number of operations.
    pub operations: u64,
    /// The number of aggregates with events or time.
    pub aggregates: u64,
    /// The number of messages with both a send and a receive.
    pub messages: u64,
    /// The number of messages at which partitions were cut, because operations under way needed more memory than `--memory`
    /// allows.
    pub cut_messages: u64,
    /// The number of contradictions to the order of the program; 0 unless the trace contradicts itself.
    pub violations: u64,
    /// Ticks per second of all times and lateness values.
    pub ticks_per_second: u64,
    /// The number of late operations and aggregates, by class.
    pub late: LateJson,
    /// Origins of lateness between operations, the largest first.
    pub origins: Vec<OriginJson>,
    /// Origins of lateness in operations, the largest first.
    pub in_operations: Vec<OriginJson>,
}

/// The number of late operations and aggregates, by where most of their lateness comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LateJson {
    /// Late because the event itself took longer.
    pub created: u64,
    /// Late because the event began late.
    pub late_to_start: u64,
    /// Late because a sender was late.
    pub late_sender: u64,
    /// Late because the message took longer.
    pub message: u64,
}

/// An event in which lateness begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct OriginJson {
    /// The id of the event's location.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// The position of the first event of the operation or aggregate.
    pub position: u64,
    /// The number of trace events in the operation or aggregate.
    pub events: u64,
    /// The kind of the event.
    pub kind: Kind,
    /// The name of the call, or for an aggregate, of the call that follows it; null outside of any call.
    pub call: Option<String>,
    /// The number of the partition.
    pub partition: u64,
    /// The global step.
    pub step: u64,
    /// The start time, in ticks.
    pub start: u64,
    /// The completion time, in ticks.
    pub end: u64,
    /// The lateness, in ticks.
    pub lateness: u64,
    /// The new part of the lateness, in ticks.
    pub differential_lateness: u64,
    /// The class of the lateness: where most of it comes from.
    pub class: Option<Class>,
    /// The number of other events that are late because of this one.
    pub late_events: u64,
    /// The number of other locations that are late because of this event.
    pub late_locations: u64,
    /// The largest lateness of these other events, in ticks.
    pub largest: u64,
    /// The path by which lateness reached these locations, at most the first 1,024 hops.
    pub path: Vec<HopJson>,
}

/// The arrival of lateness at a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct HopJson {
    /// The location that the lateness comes from, by its name on the command line.
    pub from: String,
    /// The location that the lateness reaches, by its name on the command line.
    pub to: String,
    /// The position of the first late event in that location.
    pub position: u64,
    /// The step of that event.
    pub step: u64,
    /// The lateness of that event, in ticks.
    pub lateness: u64,
}

/// The names and the clock of a store, for rendering.
#[derive(Clone, Copy, Debug)]
pub struct StepLabels<'a> {
    /// The names of the store.
    pub names: &'a Names,
    /// The symbols of the store.
    pub symbols: &'a SymbolTable,
    /// Ticks per second of the clock of the store.
    pub ticks_per_second: u64,
}

impl StepLabels<'_> {
    fn call(self, symbol: Option<SymbolId>) -> Option<String> {
        let symbol = self.symbols.symbol(symbol?);
        Some(Printable(self.names.called(&symbol)?).to_string())
    }

    /// Describes the call or the aggregate of an origin in words.
    fn call_of(self, origin: &Origin) -> String {
        let call = self.call(origin.call);
        match (origin.event.kind, call) {
            (Kind::Aggregate, Some(call)) => format!("before {call}"),
            (Kind::Aggregate, None) => "before a communication".to_owned(),
            (_, Some(call)) => call,
            (kind, None) => kind.name().to_owned(),
        }
    }

    /// Formats ticks as a time in seconds.
    fn time(self, ticks: u64) -> String {
        let seconds = ticks as f64 / self.ticks_per_second.max(1) as f64;
        Seconds(seconds).to_string()
    }

    /// Lists the first locations of the path of an origin.
    fn path(self, origin: &Origin) -> String {
        let label = |location: LocationId| self.names.label(location);
        let path = origin.path.iter().take(HOPS);
        let path = path.map(|hop: &Hop| label(hop.to));
        let path: Vec<String> = path.collect();
        let left = origin.late_locations.saturating_sub(path.len() as u64);
        match (path.is_empty(), left) {
            (true, _) => "–".to_owned(),
            (false, 0) => path.join(", "),
            (false, left) => format!("{} and {left} more", path.join(", ")),
        }
    }
}

/// Returns steps and lateness as JSON.
#[must_use]
pub fn steps_json(summary: &Summary, clock: ClockReport, words: StepLabels<'_>) -> StepsJson {
    let totals = summary.totals;
    let late = |class: Class| totals.late[class as usize];
    let label = |location| words.names.label(location);
    let json = |origin: &Origin| {
        let event = &origin.event;
        OriginJson {
            location: event.location.0,
            label: label(event.location),
            position: event.position.0,
            events: event.events,
            kind: event.kind,
            call: words.call(origin.call),
            partition: event.partition,
            step: event.step,
            start: event.start.0,
            end: event.end.0,
            lateness: event.lateness,
            differential_lateness: event.differential_lateness,
            class: event.class,
            late_events: origin.late_events,
            late_locations: origin.late_locations,
            largest: origin.largest,
            path: origin
                .path
                .iter()
                .map(|hop| HopJson {
                    from: label(hop.from),
                    to: label(hop.to),
                    position: hop.position.0,
                    step: hop.step,
                    lateness: hop.lateness,
                })
                .collect(),
        }
    };
    StepsJson {
        clock,
        steps: totals.steps,
        partitions: totals.partitions,
        events: totals.operations + totals.aggregates,
        operations: totals.operations,
        aggregates: totals.aggregates,
        messages: totals.messages,
        cut_messages: totals.cut_messages,
        violations: totals.violations,
        ticks_per_second: words.ticks_per_second,
        late: LateJson {
            created: late(Class::Created),
            late_to_start: late(Class::LateToStart),
            late_sender: late(Class::LateSender),
            message: late(Class::Message),
        },
        origins: summary.origins.iter().map(json).collect(),
        in_operations: summary.in_operations.iter().map(json).collect(),
    }
}

/// Returns a one-line summary of the steps of a trace.
#[must_use]
pub fn headline(summary: &Summary) -> String {
    let totals = summary.totals;
    format!(
        "{} of {} in {}; {}",
        counted(totals.steps, "step"),
        counted(totals.operations, "operation"),
        counted(totals.partitions, "partition"),
        match totals.violations {
            0 => "no violations".to_owned(),
            violations => counted(violations, "violation"),
        },
    )
}

/// The headers of the columns of [`origin_rows`].
pub const ORIGIN_COLUMNS: [&str; 8] = [
    "location", "position", "step", "new", "late", "events", "what", "reaches",
];

/// Returns a row for each origin of lateness.
#[must_use]
pub fn origin_rows(origins: &[Origin], words: StepLabels<'_>) -> Vec<Vec<String>> {
    let rows = origins.iter().map(|origin| {
        let event = &origin.event;
        vec![
            words.names.label(event.location),
            event.position.to_string(),
            event.step.to_string(),
            words.time(event.differential_lateness),
            words.time(event.lateness),
            origin.late_events.to_string(),
            words.call_of(origin),
            words.path(origin),
        ]
    });
    rows.collect()
}
