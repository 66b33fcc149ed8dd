//! Prepares the patterns of a store for a page.

use foldtrace_trace::Names;
use foldtrace_view::histogram::{self, Window};
use foldtrace_view::units::{Percent, grouped};

use super::{Histogram, PatternCard, PatternsPage, Peak};
use crate::{MergedPattern, MergedPatterns, Summary};

/// The maximum number of patterns on a page.
const SHOWN: usize = 100;

/// Returns the page of the patterns of a store.
#[must_use]
pub fn patterns_page(
    summary: &Summary,
    names: &Names,
    ticks_per_second: u64,
    window: Window,
    title: &str,
) -> PatternsPage {
    let events = summary.events();
    let in_patterns: u64 = summary.locations.iter().map(|one| one.in_patterns).sum();
    let in_loops: u64 = summary.locations.iter().map(|one| one.in_loops).sum();
    let share = |part: u64| Percent(part as f64 / events.max(1) as f64);
    let merged = MergedPatterns::new(summary);
    let cards = merged.patterns.iter().take(SHOWN);
    let cards = cards.map(|one| card(one, &merged, events, names, ticks_per_second as f64, window));
    let hidden = merged.patterns.len().saturating_sub(SHOWN);
    let left_out = format!(
        "{} more patterns, which take less time, are not shown; the JSON report lists all.",
        grouped(hidden as u64)
    );
    PatternsPage {
        title: title.to_owned(),
        summary: format!(
            "{} events of {} locations, {} patterns; {} of the events are in patterns, {} in loops of the loop model",
            grouped(events),
            grouped(summary.locations.len() as u64),
            grouped(merged.patterns.len() as u64),
            share(in_patterns),
            share(in_loops),
        ),
        patterns: cards.collect(),
        left_out: if hidden > 0 { left_out } else { String::new() },
    }
}

fn card(
    one: &MergedPattern<'_>,
    merged: &MergedPatterns<'_>,
    events: u64,
    names: &Names,
    ticks_per_second: f64,
    window: Window,
) -> PatternCard {
    let durations = &one.durations;
    let seconds = |ticks: u64| ticks as f64 / ticks_per_second;
    let histogram = |of: &histogram::Histogram, title: &str, subtitle: &str| {
        let peaks = of.peaks(window);
        let inside: u64 = peaks.iter().map(|peak| peak.count).sum();
        let peaks = peaks.iter().map(|peak| Peak {
            seconds: seconds(peak.ticks),
            lo: seconds(peak.from),
            hi: seconds(peak.to),
            count: peak.count,
        });
        Histogram {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            bins: wide(of)
                .map(|(from, to, count)| (seconds(from), seconds(to), count))
                .collect(),
            peaks: peaks.collect(),
            outliers: of.count() - inside,
        }
    };
    let mut histograms = vec![
        histogram(
            &durations.whole,
            "duration",
            "from the first event to the last one",
        ),
        histogram(
            &durations.exclusive,
            "exclusive",
            "without the patterns inside",
        ),
        histogram(&durations.before, "before", "since the previous event"),
        histogram(
            &durations.between,
            "between",
            "since the end of the previous occurrence",
        ),
    ];
    let loops = one.first.items.iter().filter(|part| part.count > 1);
    histograms.extend(loops.map(|part| {
        let title = format!("{} x {}", grouped(part.count), merged.part(part));
        histogram(&part.loops, &title, "all iterations together")
    }));
    histograms.retain(|histogram| !histogram.bins.is_empty());
    let text = one.first.items.iter().map(|part| match part.count {
        1 => merged.part(part),
        count => format!("{} x {}", grouped(count), merged.part(part)),
    });
    PatternCard {
        name: format!(
            "{}: {}",
            merged.number(one.first.name),
            one.first.content.calls
        ),
        text: text.collect(),
        locations: one.processes(names),
        iterations: durations.whole.count(),
        events: one.first.length,
        occupation: (durations.whole.count() * one.first.length) as f64 / events.max(1) as f64,
        seconds: durations.whole.sum() as f64 / ticks_per_second,
        histograms,
    }
}

/// Returns bins for display, about 5 % wide. A bin extends to the start of the next one.
fn wide(histogram: &histogram::Histogram) -> impl Iterator<Item = (u64, u64, u64)> {
    let mut wide: Vec<(u64, u64, u64)> = Vec::new();
    for (from, to, count) in histogram.bins() {
        let to = to.saturating_add(1);
        match wide.last_mut() {
            Some(last) if last.1 == from && to <= last.0 + last.0 / 20 => {
                last.1 = to;
                last.2 += count;
            }
            _ => wide.push((from, to, count)),
        }
    }
    wide.into_iter()
}
