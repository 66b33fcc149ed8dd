//! Estimates the offsets and drifts of clocks from the transfers between them.
//!
//! The clocks of a component, which transfers connect, are estimated together. If no transfer in it is violated, they
//! stay as they are. First, offsets are found at some points in time, and the median slope of a clock's offsets is its drift.
//! Then, all transfers are compared again with these drifts, and constant offsets are found ([`offsets`]). Drifts are
//! used only if the transfers support them: constant offsets alone would leave less than half of the minimum latency.

use foldtrace_trace::Timestamp;
use petgraph::unionfind::UnionFind;

use crate::hull::Hull;
use crate::line::Line;
use crate::potentials::{Constraint, Offsets, offsets};
use crate::survey::Survey;

/// The number of points in time at which offsets are found.
const SAMPLES: usize = 16;

/// The minimum number of points in time from which a drift is estimated.
const FEWEST_SAMPLES: usize = 4;

/// The maximum drift. A clock with more is not a clock.
const MAX_DRIFT: f64 = 0.01;

/// The estimates of all clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// The earliest recorded time, from which common times are counted.
    pub base: Timestamp,
    /// By lane: the estimate; `None` if the clock stays as it is.
    pub lines: Vec<Option<Line>>,
    /// By lane: the minimum latency of its network, in ticks.
    pub latencies: Vec<i64>,
}

/// A route between two clocks of a component, given by their numbers in it.
struct Route<'a> {
    from: usize,
    to: usize,
    hull: &'a Hull,
}

impl Route<'_> {
    /// Returns the shortest transfer if the clocks drift.
    fn constraint(&self, drifts: &[f64]) -> Option<Constraint> {
        let (sender, receiver) = (drifts[self.from], drifts[self.to]);
        let detrended =
            self.hull.vertices().iter().map(|it| {
                it.ticks as f64 * (1.0 + sender) + (receiver - sender) * it.arrival as f64
            });
        Some(Constraint {
            from: self.from,
            to: self.to,
            ticks: detrended.reduce(f64::min)?,
        })
    }
}

/// Estimates the clocks of the lanes of a survey.
pub(crate) fn estimate(survey: &Survey) -> Estimate {
    let lanes = survey.origins.len();
    let base = survey
        .origins
        .iter()
        .flatten()
        .min()
        .copied()
        .unwrap_or_default();
    let mut components = UnionFind::new(lanes);
    for &(from, to) in survey.routes.keys() {
        components.union(from, to);
    }
    let component_of = components.into_labeling();
    let mut is_violated = vec![false; lanes];
    for (&(from, _), route) in &survey.routes {
        is_violated[component_of[from]] |= route.is_violated;
    }
    let mut estimate = Estimate {
        base,
        lines: vec![None; lanes],
        latencies: vec![0; lanes],
    };
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); lanes];
    let mut number_in = vec![0; lanes];
    for (lane, &component) in component_of.iter().enumerate() {
        number_in[lane] = members[component].len();
        members[component].push(lane);
    }
    let mut routes: Vec<Vec<Route<'_>>> = (0..lanes).map(|_| Vec::new()).collect();
    for (&(from, to), route) in &survey.routes {
        routes[component_of[from]].push(Route {
            from: number_in[from],
            to: number_in[to],
            hull: &route.hull,
        });
    }
    for ((members, mut routes), is_violated) in members.iter().zip(routes).zip(is_violated) {
        if is_violated {
            routes.sort_unstable_by_key(|route| (route.from, route.to));
            estimate.set(members, &clocks(members.len(), &routes), &survey.origins);
        }
    }
    estimate
}

/// The offsets and drifts of the clocks of a component.
#[derive(Clone, Debug)]
struct Clocks {
    offsets: Vec<f64>,
    drifts: Vec<f64>,
    /// The minimum latency in ticks.
    latency: i64,
}

impl Estimate {
    /// Sets the estimates of the clocks of a component. The first one keeps its times, unless another one would begin
    /// before the trace.
    fn set(&mut self, members: &[usize], clocks: &Clocks, origins: &[Option<Timestamp>]) {
        let origin = |lane: usize| origins[lane].unwrap_or_default();
        let Some(&first) = members.first() else {
            return;
        };
        let begin = origin(first).0.wrapping_sub(self.base.0) as i64;
        let starts = clocks
            .offsets
            .iter()
            .map(|offset| begin.saturating_add(whole(*offset)));
        let starts: Vec<i64> = starts.collect();
        let before = starts.iter().min().map_or(0, |&earliest| earliest.min(0));
        for ((&lane, start), drift) in members.iter().zip(starts).zip(&clocks.drifts) {
            let start = self
                .base
                .0
                .wrapping_add(start.saturating_sub(before) as u64);
            self.lines[lane] = Some(Line::new(origin(lane), Timestamp(start), *drift));
            self.latencies[lane] = clocks.latency;
        }
    }
}

/// Returns an offset in whole ticks. Offsets that satisfy constraints still do when they are rounded down; they are
/// halves of ticks at least, apart from the precision of numbers.
fn whole(offset: f64) -> i64 {
    (offset + 1e-3).floor() as i64
}

fn clocks(clocks: usize, routes: &[Route<'_>]) -> Clocks {
    let with = |drifts: &[f64]| {
        let constraints = routes.iter().filter_map(|route| route.constraint(drifts));
        offsets(clocks, &constraints.collect::<Vec<_>>())
    };
    let still = vec![0.0; clocks];
    let plain = with(&still);
    let drifts = drifts(clocks, routes);
    let drifted = with(&drifts);
    if is_better(&drifted, &plain) {
        let latency = whole(drifted.latency.unwrap_or_default());
        return Clocks {
            offsets: drifted.offsets,
            drifts,
            // Rounded times may shorten a transfer by a tick at both ends.
            latency: latency.saturating_sub(2).max(0),
        };
    }
    Clocks {
        latency: whole(plain.latency.unwrap_or_default()).max(0),
        offsets: plain.offsets,
        drifts: still,
    }
}

/// Returns whether transfers support drifts.
fn is_better(drifted: &Offsets, plain: &Offsets) -> bool {
    match (drifted.latency, plain.latency) {
        (Some(drifted), Some(plain)) if drifted > 0.0 => plain < drifted / 2.0,
        (Some(drifted), Some(plain)) => plain < drifted,
        _ => false,
    }
}

/// Returns the drift of each clock relative to the first one, as ticks that it loses per tick; 0 if it is unknown.
fn drifts(clocks: usize, routes: &[Route<'_>]) -> Vec<f64> {
    let arrivals = routes.iter().flat_map(|route| route.hull.vertices());
    let arrivals = arrivals.map(|it| it.arrival);
    let (Some(first), Some(last)) = (arrivals.clone().min(), arrivals.max()) else {
        return vec![0.0; clocks];
    };
    let mut points: Vec<Vec<(f64, f64)>> = vec![Vec::new(); clocks];
    for sample in 0..SAMPLES {
        let part = (sample as f64 + 0.5) / SAMPLES as f64;
        let arrival = first as f64 + part * (last as f64 - first as f64);
        let constraints = routes.iter().filter_map(|route| {
            Some(Constraint {
                from: route.from,
                to: route.to,
                ticks: route.hull.at(arrival)?,
            })
        });
        let found = offsets(clocks, &constraints.collect::<Vec<_>>());
        for (clock, points) in points.iter_mut().enumerate() {
            if found.is_bounded[clock] {
                points.push((arrival, found.offsets[clock]));
            }
        }
    }
    points.iter().map(|points| median_slope(points)).collect()
}

/// Returns the median of the slopes between all points (Theil and Sen), which single wrong points do not change.
fn median_slope(points: &[(f64, f64)]) -> f64 {
    if points.len() < FEWEST_SAMPLES {
        return 0.0;
    }
    let after = |index: usize| points.iter().skip(index + 1);
    let slopes = points.iter().enumerate().flat_map(|(index, one)| {
        after(index).map(move |other| (other.1 - one.1) / (other.0 - one.0))
    });
    let mut slopes: Vec<f64> = slopes.filter(|slope| slope.is_finite()).collect();
    slopes.sort_by(f64::total_cmp);
    let median = slopes.get(slopes.len() / 2).copied().unwrap_or_default();
    if median.abs() > MAX_DRIFT {
        0.0
    } else {
        median
    }
}
