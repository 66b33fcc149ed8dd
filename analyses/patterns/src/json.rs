//! Patterns, and what is out of line, as JSON.

use foldtrace_trace::Names;
use foldtrace_view::histogram::{Histogram, Window};
use serde::Serialize;

use crate::occurrences::Point;
use crate::{Filter, Found, PlacedPoint, Summary};

/// Patterns as JSON; `schemas/patterns.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternsJson {
    /// Events of all locations.
    pub events: u64,
    /// Patterns, those of each location counted for themselves.
    pub patterns: u64,
    /// Ticks of a second.
    pub ticks_per_second: u64,
    /// By location.
    pub locations: Vec<LocationJson>,
    /// Each pattern once.
    pub found: Vec<PatternJson>,
}

/// What the patterns of a location are like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocationJson {
    /// Its id.
    pub location: u64,
    /// What it is called.
    pub label: String,
    /// Its events.
    pub events: u64,
    /// How many patterns it has.
    pub patterns: u64,
    /// Name of the outermost pattern that has most events.
    pub main: Option<String>,
    /// Events of an occurrence of that.
    pub size: u64,
    /// How often it follows itself.
    pub iterations: u64,
    /// Percent of events in the outermost patterns.
    pub occupation: f64,
    /// Percent of events in loops of the loop model.
    pub in_loops: f64,
    /// Which of the two explains more events: `patterns`, `loops` or `both`.
    pub explains_more: &'static str,
    /// Whether all events of the location are metrics.
    pub has_only_metrics: bool,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternJson {
    /// What it is called.
    pub name: String,
    /// Events of an occurrence.
    pub length: u64,
    /// Ids of the locations that have it.
    pub locations: Vec<u64>,
    /// What it consists of.
    pub items: Vec<ItemJson>,
    /// From the first event of an occurrence to its last one.
    pub durations: HistogramJson,
    /// The same without patterns within it.
    pub exclusive: HistogramJson,
    /// From the last event of an occurrence to the first one of the next.
    pub between: HistogramJson,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemJson {
    /// What it is.
    pub what: String,
    /// How often it comes.
    pub count: u64,
    /// The time before it: the median, in ticks.
    pub gap: u64,
    /// If it is a loop, how long all repetitions take together: the median, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks: Option<u64>,
}

/// How often something took how long, in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistogramJson {
    /// How often.
    pub count: u64,
    /// All together.
    pub sum: u64,
    /// The shortest.
    pub least: u64,
    /// The median, to about 1 %.
    pub median: u64,
    /// The longest.
    pub greatest: u64,
    /// What most are like.
    pub peaks: Vec<PeakJson>,
    /// The shortest and the longest duration of a bin, and how many are in it.
    pub bins: Vec<(u64, u64, u64)>,
}

/// Durations that are similar to each other, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PeakJson {
    /// The median.
    pub ticks: u64,
    /// The shortest that is similar.
    pub from: u64,
    /// The longest.
    pub to: u64,
    /// How many there are.
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

/// Patterns as JSON.
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

/// What a filter keeps, as JSON; `schemas/filter.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilterJson {
    /// Events of all locations.
    pub events: u64,
    /// Events that are kept.
    pub kept: u64,
    /// Percent of events that are left out.
    pub reduction: f64,
    /// Durations that differ by no more than this percent of a peak are similar to it.
    pub window: f64,
    /// Ticks of a second.
    pub ticks_per_second: u64,
    /// By location.
    pub locations: Vec<KeptJson>,
    /// Occurrences that compute longer than usual, the longest first.
    pub computing: Vec<PointJson>,
    /// Occurrences that communicate longer than usual, the longest first.
    pub communicating: Vec<PointJson>,
}

/// What is kept of a location.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeptJson {
    /// Its id.
    pub location: u64,
    /// What it is called.
    pub label: String,
    /// Its events.
    pub events: u64,
    /// Events that are kept.
    pub kept: u64,
    /// Percent of events that are left out.
    pub reduction: f64,
    /// Occurrences that are kept for all of a peak.
    pub representatives: Vec<RepresentativeJson>,
}

/// An occurrence that stands for all of a peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepresentativeJson {
    /// Name of its pattern.
    pub pattern: String,
    /// Position of its first event.
    pub position: u64,
    /// The peak's ticks.
    pub ticks: u64,
    /// How many occurrences the peak has.
    pub count: u64,
}

/// An occurrence that takes longer than usual; times in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointJson {
    /// Id of its location.
    pub location: u64,
    /// What that is called.
    pub label: String,
    /// Name of its pattern.
    pub pattern: String,
    /// Its number among the occurrences of the pattern in the location, from 0 on.
    pub occurrence: u64,
    /// Position of its first event.
    pub position: u64,
    /// Its events.
    pub events: u64,
    /// Time of its first event.
    pub begin: u64,
    /// How long it takes.
    pub ticks: u64,
    /// The median of its pattern.
    pub usual: u64,
    /// How much longer it takes, without what is told of points within it.
    pub excess: u64,
    /// What differs most from what is usual.
    pub cause: Option<CauseJson>,
}

/// The time between two events that differs most from what is usual; in ticks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseJson {
    /// Position of the second event.
    pub position: u64,
    /// The second event.
    pub event: String,
    /// The call that the time is spent in.
    pub call: Option<String>,
    /// Rank of the process that the second event has a message of.
    pub waits_for: Option<u64>,
    /// How long it takes.
    pub ticks: u64,
    /// The median.
    pub usual: u64,
}

/// What a filter keeps, as JSON: points of computing, then of communication.
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
