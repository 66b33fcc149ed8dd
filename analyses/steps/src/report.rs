//! Where lateness begins, and its path through the processes: as text to read, and as JSON.

use foldtrace_trace::{LocationId, Names, Printable, SymbolId, SymbolTable};
use foldtrace_view::units::Seconds;
use serde::Serialize;

use crate::{Class, Hop, Kind, Origin, Summary};

/// Locations of a path that a line of text has.
const HOPS: usize = 6;

/// Steps and lateness as JSON; `schemas/steps.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepsJson {
    /// Global steps.
    pub steps: u64,
    /// Partitions.
    pub partitions: u64,
    /// Operations and aggregates.
    pub events: u64,
    /// Operations.
    pub operations: u64,
    /// Aggregates.
    pub aggregates: u64,
    /// Messages with both ends.
    pub messages: u64,
    /// Contradictions.
    pub violations: u64,
    /// Ticks per second of all times and lateness.
    pub ticks_per_second: u64,
    /// Late operations and aggregates.
    pub late: LateJson,
    /// Where lateness begins between operations.
    pub origins: Vec<OriginJson>,
    /// Where lateness begins in operations.
    pub in_operations: Vec<OriginJson>,
}

/// How many are late, by where that is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LateJson {
    /// It took longer.
    pub created: u64,
    /// It began late.
    pub late_to_start: u64,
    /// Its sender was late.
    pub late_sender: u64,
    /// Its message took longer.
    pub message: u64,
}

/// An event with which lateness begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OriginJson {
    /// Id of its location.
    pub location: u64,
    /// How users name it.
    pub label: String,
    /// Its first event.
    pub position: u64,
    /// How many events it has.
    pub events: u64,
    /// `aggregate`, `send`, `receive` or `collective`.
    pub kind: &'static str,
    /// The name of its call, or of the one behind an aggregate.
    pub call: Option<String>,
    /// Its partition.
    pub partition: u64,
    /// Its step.
    pub step: u64,
    /// When it begins.
    pub start: u64,
    /// When it is complete.
    pub end: u64,
    /// How late it is.
    pub lateness: u64,
    /// What of that is new.
    pub differential_lateness: u64,
    /// Where most of it is from.
    pub class: Option<&'static str>,
    /// Other events that are late for it.
    pub late_events: u64,
    /// Other locations that are late for it.
    pub late_locations: u64,
    /// The largest lateness of these events.
    pub largest: u64,
    /// How lateness reached these locations.
    pub path: Vec<HopJson>,
}

/// Lateness reaches a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopJson {
    /// The location it comes from, as users name it.
    pub from: String,
    /// The location that it reaches.
    pub to: String,
    /// Its first late event.
    pub position: u64,
    /// The step of that.
    pub step: u64,
    /// How late that is.
    pub lateness: u64,
}

/// What is needed to name things.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// Names of the store.
    pub names: &'a Names,
    /// Symbols of the store.
    pub symbols: &'a SymbolTable,
    /// Ticks per second of its clock.
    pub ticks_per_second: u64,
}

impl Words<'_> {
    fn call(self, symbol: Option<SymbolId>) -> Option<String> {
        let symbol = self.symbols.symbol(symbol?);
        Some(Printable(self.names.called(&symbol)?).to_string())
    }

    /// What an origin is, in words.
    fn what(self, origin: &Origin) -> String {
        let call = self.call(origin.call);
        match (origin.event.kind, call) {
            (Kind::Aggregate, Some(call)) => format!("before {call}"),
            (Kind::Aggregate, None) => "before a communication".to_owned(),
            (_, Some(call)) => call,
            (kind, None) => kind.name().to_owned(),
        }
    }

    /// Ticks as a time that people read.
    fn time(self, ticks: u64) -> String {
        let seconds = ticks as f64 / self.ticks_per_second.max(1) as f64;
        Seconds(seconds).to_string()
    }

    /// The first processes of a path.
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

/// Steps and lateness as JSON.
#[must_use]
pub fn steps_json(summary: &Summary, words: Words<'_>) -> StepsJson {
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
            kind: event.kind.name(),
            call: words.call(origin.call),
            partition: event.partition,
            step: event.step,
            start: event.start.0,
            end: event.end.0,
            lateness: event.lateness,
            differential_lateness: event.differential_lateness,
            class: event.class.map(Class::name),
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
        steps: totals.steps,
        partitions: totals.partitions,
        events: totals.operations + totals.aggregates,
        operations: totals.operations,
        aggregates: totals.aggregates,
        messages: totals.messages,
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

/// What the columns of [`origin_rows`] are.
pub const ORIGIN_COLUMNS: [&str; 8] = [
    "location", "position", "step", "new", "late", "events", "what", "reaches",
];

/// Where lateness begins, a row each.
#[must_use]
pub fn origin_rows(origins: &[Origin], words: Words<'_>) -> Vec<Vec<String>> {
    let rows = origins.iter().map(|origin| {
        let event = &origin.event;
        vec![
            words.names.label(event.location),
            event.position.to_string(),
            event.step.to_string(),
            words.time(event.differential_lateness),
            words.time(event.lateness),
            origin.late_events.to_string(),
            words.what(origin),
            words.path(origin),
        ]
    });
    rows.collect()
}
