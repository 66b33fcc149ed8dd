//! Represents patterns, and unusual occurrences, as JSON.

use foldtrace_trace::Names;
use foldtrace_view::histogram::{Histogram, Window};
use serde::Serialize;

use crate::occurrences::Point;
use crate::{Filter, Found, PlacedPoint, Summary};

/// Patterns as JSON, as `schemas/patterns.schema.json` describes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternsJson {
    /// The number of events of all locations.
    pub events: u64,
    /// The number of patterns, counted separately in each location.
    pub patterns: u64,
    /// Ticks per second.
    pub ticks_per_second: u64,
    /// One summary per location.
    pub locations: Vec<LocationJson>,
    /// The patterns, each of them once.
    pub found: Vec<PatternJson>,
}

/// A summary of the patterns of a location.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocationJson {
    /// The id of the location.
    pub location: u64,
    /// The label of the location.
    pub label: String,
    /// The number of its events.
    pub events: u64,
    /// The number of its patterns.
    pub patterns: u64,
    /// The name of the outermost pattern with the most events.
    pub main: Option<String>,
    /// The number of events of an occurrence of that pattern.
    pub size: u64,
    /// The number of consecutive occurrences of that pattern.
    pub iterations: u64,
    /// The share of events in the outermost patterns, in percent.
    pub occupation: f64,
    /// The share of events in loops of the loop model, in percent.
    pub in_loops: f64,
    /// Which of the two explains more events: `patterns`, `loops` or `both`.
    pub explains_more: &'static str,
    /// Whether all events of the location are metrics.
    pub has_only_metrics: bool,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternJson {
    /// The name of the pattern.
    pub name: String,
    /// The number of events of an occurrence.
    pub length: u64,
    /// The ids of the locations that have the pattern.
    pub locations: Vec<u64>,
    /// The parts of the pattern.
    pub items: Vec<ItemJson>,
    /// The times from the first event of an occurrence to its last one.
    pub durations: HistogramJson,
    /// The same times without patterns within the occurrence.
    pub exclusive: HistogramJson,
    /// The times from the last event of an occurrence to the first event of the next.
    pub between: HistogramJson,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemJson {
    /// The event or the pattern, as text.
    pub what: String,
    /// The number of its repetitions.
    pub count: u64,
    /// The median time before it, in ticks.
    pub gap: u64,
    /// If it is a loop, the median of the total time of all repetitions, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks: Option<u64>,
}

/// A histogram of durations, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The peaks: durations that many occurrences share.
    pub peaks: Vec<PeakJson>,
    /// The shortest and the longest duration of each bin, and the number of durations in it.
    pub bins: Vec<(u64, u64, u64)>,
}

/// A peak: durations that are similar to each other, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
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

/// The result of a filter as JSON, as `schemas/filter.schema.json` describes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilterJson {
    /// The number of events of all locations.
    pub events: u64,
    /// The number of events that are kept.
    pub kept: u64,
    /// The share of events that are left out, in percent.
    pub reduction: f64,
    /// Durations that differ from the duration of a peak by at most this many percent are similar to it.
    pub window: f64,
    /// Ticks per second.
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
pub struct KeptJson {
    /// The id of the location.
    pub location: u64,
    /// The label of the location.
    pub label: String,
    /// The number of its events.
    pub events: u64,
    /// The number of events that are kept.
    pub kept: u64,
    /// The share of events that are left out, in percent.
    pub reduction: f64,
    /// Occurrences that are kept on behalf of all occurrences of a peak.
    pub representatives: Vec<RepresentativeJson>,
}

/// An occurrence that represents all occurrences of a peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepresentativeJson {
    /// The name of its pattern.
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
pub struct PointJson {
    /// The id of its location.
    pub location: u64,
    /// The label of the location.
    pub label: String,
    /// The name of its pattern.
    pub pattern: String,
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
    /// The time between two events that differs most from the usual one.
    pub cause: Option<CauseJson>,
}

/// The time between two events that differs most from the usual one, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseJson {
    /// The position of the second event.
    pub position: u64,
    /// The second event.
    pub event: String,
    /// The call in which the time is spent.
    pub call: Option<String>,
    /// The rank of the process whose message the second event receives.
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
    found: &[Found],
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
        window: 100.0 * window.width,
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
