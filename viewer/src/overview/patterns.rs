//! The patterns of events, the durations of their occurrences, and the unusual ones.

use std::ops::Range;

use foldtrace_patterns::picture::{PatternCard, patterns_page};
use foldtrace_patterns::{
    Alphabet, Equality, PointJson, Spent, filter, filter_json, find, points, summary,
};
use foldtrace_store::Field;
use foldtrace_trace::{LocationId, Position, TraceError};
use foldtrace_view::histogram::Window;
use foldtrace_view::units::Seconds;
use serde::Serialize;

use super::{Overview, Row, Run};

/// The greatest number of unusual occurrences of each kind.
const MOST_POINTS: usize = 30;

/// The patterns of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct PatternsHead {
    summary: String,
    /// The patterns, the one with the most time first.
    patterns: Vec<PatternHead>,
    /// The unusual occurrences, by what takes longer than usual.
    unusual: Vec<Unusual>,
}

#[derive(Clone, Debug, Serialize)]
struct PatternHead {
    name: String,
    locations: String,
    occurrences: u64,
    /// The number of events of an occurrence.
    events: u64,
    seconds: f64,
    /// The beginning and the end of each bin of the histogram of durations in seconds, and the number of occurrences.
    bins: Vec<(f64, f64, u64)>,
    /// The items of the pattern.
    text: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Unusual {
    title: &'static str,
    rows: Vec<Row>,
}

impl Overview {
    /// Adds the patterns of a run.
    pub(super) fn add_patterns(&mut self, run: Run<'_>) -> Result<(), TraceError> {
        let (store, names) = (run.store, run.store.names());
        let ticks_per_second = store.manifest().clock().ticks_per_second;
        let window = Window::default();
        let alphabet = Alphabet::new(store.symbols(), names, &Equality::default());
        let found = find(store, run.locations, &alphabet, run.progress)?;
        let summary = summary(store, &found, &alphabet, run.progress)?;
        let page = patterns_page(&summary, names, ticks_per_second, window, "");
        let filters = filter(store, &found, window, MOST_POINTS, run.progress)?;
        let placed = |spent| points(store, &found, &alphabet, &filters, spent, MOST_POINTS);
        let (computing, communicating) = (placed(Spent::Computing)?, placed(Spent::Communicating)?);
        let both = [&computing[..], &communicating[..]];
        let json = filter_json(&filters, &found, names, ticks_per_second, window, both);
        let mut unusual = |title, points: &[PointJson]| {
            let rows = points.iter().map(|point| row(run, point, ticks_per_second));
            let rows: Vec<_> = rows.collect::<Result<_, TraceError>>()?;
            let (rows, ranges) = rows.into_iter().unzip();
            self.linked.push(ranges);
            Ok::<_, TraceError>(Unusual { title, rows })
        };
        let unusual = vec![
            unusual("compute longer than usual", &json.computing)?,
            unusual("communicate longer than usual", &json.communicating)?,
        ];
        self.patterns = PatternsHead {
            summary: page.summary,
            patterns: page.patterns.into_iter().map(PatternHead::new).collect(),
            unusual,
        };
        Ok(())
    }
}

impl PatternHead {
    fn new(card: PatternCard) -> Self {
        let durations = card.histograms.into_iter().next();
        Self {
            name: card.name,
            locations: card.locations,
            occurrences: card.iterations,
            events: card.events,
            seconds: card.seconds,
            bins: durations.map_or_else(Vec::new, |durations| durations.bins),
            text: card.text,
        }
    }
}

/// Returns an unusual occurrence, with a link to its time, and the range that the link opens.
fn row(
    run: Run<'_>,
    point: &PointJson,
    ticks_per_second: u64,
) -> Result<(Row, Range<f64>), TraceError> {
    let location = LocationId(point.location);
    let last = Position(point.position + point.events.saturating_sub(1));
    let end = run.store.gather(location, &[last], &[Field::Time])?.pop();
    let end = end.and_then(|end| end.values.first().copied());
    let begin = run.clock.time(point.begin);
    let end = run
        .clock
        .time(end.unwrap_or_default())
        .max(begin + run.clock.tick);
    let (link, range) = run.link_to_range(&(begin..end), location);
    let seconds = |ticks: u64| run.seconds(ticks as f64).to_string();
    let cause = point.cause.as_ref();
    let row = Row {
        cells: vec![
            Seconds(begin / 1e9).to_string(),
            point.label.clone(),
            seconds(point.ticks),
            seconds(point.usual),
            point.calls.clone(),
            cause.map_or_else(String::new, |cause| cause.text(ticks_per_second)),
        ],
        link,
    };
    Ok((row, range))
}
