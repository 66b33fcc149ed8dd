//! Represents patterns, and unusual occurrences, as JSON.

use foldtrace_trace::Names;
use foldtrace_view::histogram::{Histogram, Window};
use foldtrace_view::units::{Seconds, in_percent};
use serde::Serialize;

use crate::occurrences::Point;
use crate::{Filter, LocationPatterns, PlacedPoint, Summary};

/// Patterns as JSON, as `schemas/patterns.schema.json` describes. All times are in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PatternsJson {
    /// The number of events in all locations.
    pub events: u64,
    /// The number of patterns, counted separately in each location.
    pub patterns: u64,
    /// Ticks per second of all times.
    pub ticks_per_second: u64,
    /// The properties of each location, as in table II of the paper.
    pub locations: Vec<LocationJson>,
    /// Each pattern once, sorted by time in descending order.
    pub found: Vec<PatternJson>,
}

/// A summary of the patterns of a location.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LocationJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location: RANK.THREAD, a rank, or its id.
    pub label: String,
    /// The number of its events.
    pub events: u64,
    /// The number of its patterns.
    pub patterns: u64,
    /// The name of the outermost pattern with the most events; null if there is none.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{16}$")))]
    pub main: Option<String>,
    /// The number of events of an occurrence of that pattern.
    pub size: u64,
    /// The number of consecutive occurrences of that pattern.
    pub iterations: u64,
    /// The share of events in the outermost patterns, in percent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))]
    pub occupation: f64,
    /// The share of events in loops of the loop model, in percent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))]
    pub in_loops: f64,
    /// Which of the two explains more events; `both` if they explain the same number.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["patterns", "loops", "both"])))]
    pub explains_more: &'static str,
    /// Whether all events of the location are metrics. The text omits such locations.
    pub has_only_metrics: bool,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PatternJson {
    /// The name of the pattern, the same wherever the same events occur.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{16}$")))]
    pub name: String,
    /// The calls in an occurrence, such as `MPI_Recv, MPI_Send ×249`.
    pub calls: String,
    /// The number of events of an occurrence.
    pub length: u64,
    /// The ids of the locations that have the pattern.
    pub locations: Vec<u64>,
    /// The items of the pattern in the first of these locations.
    pub items: Vec<ItemJson>,
    /// The times from the first event of an occurrence to its last one.
    pub durations: HistogramJson,
    /// The same times without patterns within the occurrence.
    pub exclusive: HistogramJson,
    /// The times from the last event of an occurrence to the first event of the next.
    pub between: HistogramJson,
}

/// An item of a pattern: an event, or another pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ItemJson {
    /// The event, or the name of the pattern.
    pub what: String,
    /// The number of consecutive repetitions.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub count: u64,
    /// The median time before it, in ticks.
    pub gap: u64,
    /// If it is a loop, the median of the total time of all repetitions, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub ticks: Option<u64>,
}

/// A histogram of durations, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct HistogramJson {
    /// The number of durations.
    pub count: u64,
    /// The sum of all durations.
    pub sum: u64,
    /// The shortest duration.
    pub least: u64,
    /// The median, accurate to about 1 %.
    pub median: u64,
    /// The longest duration.
    pub greatest: u64,
    /// The peaks: durations that many occurrences share, sorted by number of occurrences in descending order.
    pub peaks: Vec<PeakJson>,
    /// The shortest and the longest duration of each bin that is not empty, and the number of durations in it.
    pub bins: Vec<(u64, u64, u64)>,
}

/// A peak: durations that are similar to each other, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PeakJson {
    /// The median of the similar durations.
    pub ticks: u64,
    /// The shortest similar duration.
    pub from: u64,
    /// The longest similar duration.
    pub to: u64,
    /// The number of similar durations.
    pub count: u64,
}

fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

fn histogram(histogram: &Histogram, window: Window) -> HistogramJson {
    let peaks = histogram.peaks(window);
    let peaks = peaks.iter().map(|peak| PeakJson {
        ticks: peak.ticks,
        from: peak.from,
        to: peak.to,
        count: peak.count,
    });
    HistogramJson {
        count: histogram.count(),
        sum: u64::try_from(histogram.sum()).unwrap_or(u64::MAX),
        least: histogram.least(),
        median: histogram.median(),
        greatest: histogram.greatest(),
        peaks: peaks.collect(),
        bins: histogram.bins().collect(),
    }
}

/// Returns patterns as JSON.
#[must_use]
pub fn patterns_json(
    summary: &Summary,
    names: &Names,
    ticks_per_second: u64,
    window: Window,
) -> PatternsJson {
    let locations = summary.locations.iter().map(|one| LocationJson {
        location: one.location.0,
        label: names.label(one.location),
        events: one.events,
        patterns: one.patterns,
        main: one.main.map(|main| main.name.to_string()),
        size: one.main.map_or(0, |main| main.length),
        iterations: one.main.map_or(0, |main| main.iterations),
        occupation: percent(one.in_patterns, one.events),
        in_loops: percent(one.in_loops, one.events),
        explains_more: one.explains_more(),
        has_only_metrics: one.has_only_metrics,
    });
    let patterns = summary.patterns.iter().map(|one| PatternJson {
        name: one.name.to_string(),
        calls: one.content.calls.clone(),
        length: one.length,
        locations: one.locations.iter().map(|location| location.0).collect(),
        items: one
            .items
            .iter()
            .map(|part| ItemJson {
                what: part.text.clone(),
                count: part.count,
                gap: part.gaps.median(),
                ticks: (part.count > 1).then(|| part.loops.median()),
            })
            .collect(),
        durations: histogram(&one.durations.whole, window),
        exclusive: histogram(&one.durations.exclusive, window),
        between: histogram(&one.durations.between, window),
    });
    PatternsJson {
        events: summary.events(),
        patterns: summary.locations.iter().map(|one| one.patterns).sum(),
        ticks_per_second,
        locations: locations.collect(),
        found: patterns.collect(),
    }
}

/// The result of a filter as JSON, as `schemas/filter.schema.json` describes. All times are in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct FilterJson {
    /// The number of events in all locations.
    pub events: u64,
    /// The number of events that are kept.
    pub kept: u64,
    /// The share of events that are left out, in percent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))]
    pub reduction: f64,
    /// Durations that differ from the duration of a peak by at most this many percent are similar to it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))]
    pub window: f64,
    /// Ticks per second of all times.
    pub ticks_per_second: u64,
    /// The events kept of each location.
    pub locations: Vec<KeptJson>,
    /// Occurrences that compute longer than usual, the longest first.
    pub computing: Vec<PointJson>,
    /// Occurrences that communicate longer than usual, the longest first.
    pub communicating: Vec<PointJson>,
}

/// The events that are kept of a location.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct KeptJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location: RANK.THREAD, a rank, or its id.
    pub label: String,
    /// The number of its events.
    pub events: u64,
    /// The number of events that are kept.
    pub kept: u64,
    /// The share of events that are left out, in percent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))]
    pub reduction: f64,
    /// Occurrences that are kept on behalf of all occurrences of a peak.
    pub representatives: Vec<RepresentativeJson>,
}

/// An occurrence that represents all occurrences of a peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RepresentativeJson {
    /// The name of its pattern.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{16}$")))]
    pub pattern: String,
    /// The position of its first event.
    pub position: u64,
    /// The duration of the peak, in ticks.
    pub ticks: u64,
    /// The number of occurrences of the peak.
    pub count: u64,
}

/// An occurrence that takes longer than usual; all times are in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PointJson {
    /// The id of its location.
    pub location: u64,
    /// The name of its location: RANK.THREAD, a rank, or its id.
    pub label: String,
    /// The name of its pattern.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{16}$")))]
    pub pattern: String,
    /// The calls in that pattern, such as `MPI_Recv, MPI_Send ×249`.
    pub calls: String,
    /// Its number among the occurrences of the pattern in the location, counted from 0.
    pub occurrence: u64,
    /// The position of its first event.
    pub position: u64,
    /// The number of its events.
    pub events: u64,
    /// The time of its first event.
    pub begin: u64,
    /// The time of computing or communication that it takes, without patterns within it.
    pub ticks: u64,
    /// The median over all occurrences of its pattern.
    pub usual: u64,
    /// The excess over the median; time in patterns within it does not count.
    pub excess: u64,
    /// The time between two events that exceeds its median most; null if there is none.
    pub cause: Option<CauseJson>,
}

impl CauseJson {
    /// Describes the time, such as `304 µs instead of 61.2 µs in MPI_Recv until 294: 2 recv 3 4, waiting for 3`.
    #[must_use]
    pub fn text(&self, ticks_per_second: u64) -> String {
        let seconds = |ticks: u64| Seconds(ticks as f64 / ticks_per_second as f64);
        let within = self.call.as_ref();
        let within = within.map_or_else(String::new, |call| format!(" in {call}"));
        let waits = self.waits_for;
        let waits = waits.map_or_else(String::new, |rank| format!(", waiting for {rank}"));
        let (ticks, usual) = (seconds(self.ticks), seconds(self.usual));
        let (position, event) = (self.position, &self.event);
        format!("{ticks} instead of {usual}{within} until {position}: {event}{waits}")
    }
}

/// The time between two events that exceeds its median most, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CauseJson {
    /// The position of the second event.
    pub position: u64,
    /// The second event.
    pub event: String,
    /// The call in which the time is spent; null if none began shortly before.
    pub call: Option<String>,
    /// The rank of the process whose message the second event receives; null if it receives none.
    pub waits_for: Option<u64>,
    /// The time between the two events.
    pub ticks: u64,
    /// The median time between them.
    pub usual: u64,
}

/// Returns the result of a filter as JSON; `points` are first computing, then communicating.
#[must_use]
pub fn filter_json(
    filters: &[Filter],
    found: &[LocationPatterns],
    names: &Names,
    ticks_per_second: u64,
    window: Window,
    points: [&[PlacedPoint]; 2],
) -> FilterJson {
    let mut locations = Vec::with_capacity(filters.len());
    for (filter, found) in filters.iter().zip(found) {
        let (events, kept) = (found.patterns.events, filter.kept.events());
        let representatives = filter.kept.representatives.iter().filter_map(|one| {
            let peak = filter.peaks.of.get(one.pattern.index())?.get(one.peak)?;
            Some(RepresentativeJson {
                pattern: found.names.get(one.pattern.index())?.to_string(),
                position: one.position,
                ticks: peak.ticks,
                count: peak.count,
            })
        });
        locations.push(KeptJson {
            location: filter.location.0,
            label: names.label(filter.location),
            events,
            kept,
            reduction: percent(events - kept, events),
            representatives: representatives.collect(),
        });
    }
    let events = locations.iter().map(|one| one.events).sum();
    let kept = locations.iter().map(|one| one.kept).sum();
    let [computing, communicating] =
        points.map(|points| points.iter().map(|one| point(one, names)).collect());
    FilterJson {
        events,
        kept,
        reduction: percent(events - kept, events),
        window: in_percent(window.width),
        ticks_per_second,
        locations,
        computing,
        communicating,
    }
}

fn point(placed: &PlacedPoint, names: &Names) -> PointJson {
    let Point {
        occurrence,
        position,
        begin,
        ticks,
        usual,
        excess,
        ..
    } = placed.point;
    PointJson {
        location: placed.location.0,
        label: names.label(placed.location),
        pattern: placed.name.to_string(),
        calls: placed.calls.clone(),
        occurrence,
        position,
        events: placed.events,
        begin: begin.0,
        ticks,
        usual,
        excess,
        cause: placed.cause.as_ref().map(|cause| CauseJson {
            position: cause.position,
            event: cause.event.clone(),
            call: cause.call.clone(),
            waits_for: cause.waits_for,
            ticks: cause.ticks,
            usual: cause.usual,
        }),
    }
}
