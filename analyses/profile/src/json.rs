//! A profile as JSON.

use foldtrace_matching::Paradigm;
use foldtrace_trace::{MetricMode, Names};
use serde::Serialize;

use crate::{MetricSum, MetricTotal, NodeIndex, Profile, RegionTotal, Tree};

/// A profile as JSON, which `schemas/profile.schema.json` describes. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ProfileJson {
    /// The time from the first event of all locations to the last.
    pub duration: i64,
    /// The number of processes.
    pub processes: u64,
    /// The number of locations with calls.
    pub locations: u64,
    /// The time from the first event of a location to its last, summed over all locations with calls.
    pub total: i64,
    /// The time during which no call was open, summed over all locations with calls. It counts as computation.
    pub outside: i64,
    /// The number of calls that are never left. They last until the last event of their location.
    pub never_left: u64,
    /// The number of leaves of calls that were not entered. They count for nothing.
    pub never_entered: u64,
    /// The times of programming models.
    pub paradigms: Vec<ParadigmJson>,
    /// The regions that are called, the one with the greatest exclusive time first.
    pub regions: Vec<RegionJson>,
    /// The locations with calls, in the order of their ids.
    pub by_location: Vec<LocationJson>,
    /// The metrics that are measured.
    pub metrics: Vec<MetricJson>,
    /// The call paths that begin with each outermost call. Only with `--tree`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PathJson>"))]
    pub tree: Option<Vec<PathJson>>,
}

/// The time of a programming model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ParadigmJson {
    /// `computation`, `mpi`, `openmp`, `communication`, `threads`, `accelerator`, `io` or `measurement`.
    pub name: &'static str,
    /// The sum of exclusive times.
    pub time: i64,
    /// The share of the time of all locations with calls, or of the one location, from 0 to 1.
    pub share: f64,
}

/// A location with calls.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LocationJson {
    /// The id of the location.
    pub location: u64,
    /// Its name on the command line.
    pub label: String,
    /// The time from its first event to its last.
    pub duration: i64,
    /// The time during which no call was open.
    pub outside: i64,
    /// The times of programming models.
    pub paradigms: Vec<ParadigmJson>,
}

/// The calls of a region in all locations.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RegionJson {
    /// The name of the region.
    pub name: String,
    /// The programming model, as in `paradigms`.
    pub paradigm: &'static str,
    /// Whether the region is a routine of MPI.
    pub is_mpi: bool,
    /// The number of calls.
    pub calls: u64,
    /// The time during which a call was open.
    pub inclusive: i64,
    /// The time during which a call was the innermost open call.
    pub exclusive: i64,
    /// The share of the exclusive time in `total`, from 0 to 1.
    pub share: f64,
    /// The duration of the shortest call.
    pub min: i64,
    /// The mean duration of a call.
    pub mean: f64,
    /// The duration of the longest call.
    pub max: i64,
    /// The greatest exclusive time of a location, as a multiple of the mean of all locations with calls; null if the
    /// exclusive time is 0.
    pub imbalance: Option<f64>,
    /// The location with the greatest exclusive time.
    pub slowest: SlowestJson,
    /// The bytes that calls of the region send.
    pub bytes_sent: u64,
    /// The bytes that calls of the region receive.
    pub bytes_received: u64,
    /// The bytes that calls of the region read from files or write to files.
    pub bytes_io: u64,
}

/// The location with the greatest exclusive time in a region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct SlowestJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// Its exclusive time.
    pub exclusive: i64,
}

/// A metric: a counter, or another number that is measured repeatedly.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct MetricJson {
    /// The name.
    pub name: String,
    /// The unit; empty if the values have none.
    pub unit: String,
    /// `accumulated` for counters from the beginning of the measurement, `relative` for counts since the previous value,
    /// `absolute` for measurements, and for counters whose values fall.
    pub mode: &'static str,
    /// The base by whose power values are scaled: 2 or 10.
    pub base: u8,
    /// The power: a value of `v` stands for `v` × `base` ^ `exponent`.
    pub exponent: i64,
    /// The values in all locations.
    #[serde(flatten)]
    pub all: MeasuredJson,
    /// The values by region, the one with the greatest sum first.
    pub regions: Vec<RegionMetricJson>,
}

/// The values of a metric in a region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionMetricJson {
    /// The name of the region; null outside of calls.
    pub region: Option<String>,
    /// What was counted while a call of the region was open; null unless the metric is `accumulated`.
    pub inclusive: Option<f64>,
    /// The values while a call of the region was the innermost open call.
    #[serde(flatten)]
    pub own: MeasuredJson,
}

/// Values of a metric.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasuredJson {
    /// The number of values.
    pub values: u64,
    /// What was counted; null for `absolute`.
    pub sum: Option<f64>,
    /// The mean of the values; null unless the metric is `absolute`.
    pub mean: Option<f64>,
    /// The least value; null unless the metric is `absolute`.
    pub min: Option<f64>,
    /// The greatest value; null unless the metric is `absolute`.
    pub max: Option<f64>,
}

/// A call path, and those that continue it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PathJson {
    /// The name of the innermost region.
    pub name: String,
    /// The number of calls.
    pub calls: u64,
    /// The time during which a call was open.
    pub inclusive: i64,
    /// The time during which a call was the innermost open call.
    pub exclusive: i64,
    /// The maximum number of levels of a region that calls itself; 1 if it does not.
    pub levels: u32,
    /// The call paths that continue this one.
    pub children: Vec<Self>,
}

/// Returns a profile as JSON.
#[must_use]
pub fn profile_json(profile: &Profile, names: &Names) -> ProfileJson {
    let total = profile.total();
    let share = |ticks: i64| ticks as f64 / (total as f64).max(1.0);
    let by_location = profile.calling().map(|location| LocationJson {
        location: location.location.0,
        label: names.label(location.location),
        duration: profile.nanoseconds(location.duration()),
        outside: profile.nanoseconds(location.outside),
        paradigms: paradigms(
            profile,
            &profile.paradigms_of([location]),
            location.duration(),
        ),
    });
    let totals = profile.totals();
    let regions = totals
        .iter()
        .map(|total| region(profile, total, share, names));
    let count = |of: fn(&crate::LocationProfile) -> u64| profile.locations.iter().map(of).sum();
    ProfileJson {
        duration: profile.nanoseconds(profile.duration()),
        processes: profile.processes,
        locations: profile.calling().count() as u64,
        total: profile.nanoseconds(total),
        outside: profile.nanoseconds(profile.outside()),
        never_left: count(|location| location.never_left),
        never_entered: count(|location| location.never_entered),
        paradigms: paradigms(profile, &profile.paradigms(), total),
        by_location: by_location.collect(),
        regions: regions.collect(),
        metrics: profile
            .metric_totals()
            .iter()
            .filter_map(|total| metric(profile, total))
            .collect(),
        tree: profile.tree.as_ref().map(|tree| paths(profile, tree)),
    }
}

fn paradigms(profile: &Profile, times: &[(Paradigm, i64)], total: i64) -> Vec<ParadigmJson> {
    let times = times.iter().map(|&(paradigm, ticks)| ParadigmJson {
        name: paradigm.name(),
        time: profile.nanoseconds(ticks),
        share: ticks as f64 / (total as f64).max(1.0),
    });
    times.collect()
}

fn region(
    profile: &Profile,
    total: &RegionTotal,
    share: impl Fn(i64) -> f64,
    names: &Names,
) -> RegionJson {
    let RegionTotal { time, slowest, .. } = *total;
    let paradigm = profile.paradigm(time.region);
    RegionJson {
        name: profile.name(time.region).to_owned(),
        paradigm: paradigm.name(),
        is_mpi: paradigm == Paradigm::Mpi,
        calls: time.calls,
        inclusive: profile.nanoseconds(time.inclusive),
        exclusive: profile.nanoseconds(time.exclusive),
        share: share(time.exclusive),
        min: profile.nanoseconds(time.least),
        mean: profile.nanoseconds(time.durations) as f64 / time.calls as f64,
        max: profile.nanoseconds(time.greatest),
        imbalance: total.imbalance,
        slowest: SlowestJson {
            location: slowest.0,
            label: names.label(slowest),
            exclusive: profile.nanoseconds(total.slowest_exclusive),
        },
        bytes_sent: time.bytes_sent,
        bytes_received: time.bytes_received,
        bytes_io: time.bytes_io,
    }
}

fn metric(profile: &Profile, total: &MetricTotal) -> Option<MetricJson> {
    let member = profile.metrics.get(total.all.metric.0 as usize)?;
    let regions = total.regions.iter().map(|sum| RegionMetricJson {
        region: sum.region.map(|region| profile.name(region).to_owned()),
        inclusive: (total.mode == MetricMode::Accumulated && sum.region.is_some())
            .then_some(sum.inclusive),
        own: measured(sum, total.mode),
    });
    Some(MetricJson {
        name: member.name.clone(),
        unit: member.unit.clone(),
        mode: match total.mode {
            MetricMode::Accumulated => "accumulated",
            MetricMode::Absolute => "absolute",
            MetricMode::Relative => "relative",
        },
        base: if member.is_binary { 2 } else { 10 },
        exponent: member.exponent,
        all: measured(&total.all, total.mode),
        regions: regions.collect(),
    })
}

fn measured(sum: &MetricSum, mode: MetricMode) -> MeasuredJson {
    let is_absolute = mode == MetricMode::Absolute;
    let of_values = |value: f64| (is_absolute && sum.values > 0).then_some(value);
    MeasuredJson {
        values: sum.values,
        sum: (!is_absolute).then_some(sum.exclusive),
        mean: of_values(sum.total / sum.values as f64),
        min: of_values(sum.least),
        max: of_values(sum.greatest),
    }
}

/// Returns the call paths of a tree. Children come after their parents, so they are complete first when the nodes are
/// visited from the last to the first.
fn paths(profile: &Profile, tree: &Tree) -> Vec<PathJson> {
    let (outermost, children) = tree.children();
    let mut complete: Vec<Option<PathJson>> = vec![None; tree.nodes().len()];
    for (index, node) in tree.nodes().iter().enumerate().rev() {
        let mut take = |&NodeIndex(child): &NodeIndex| complete[child as usize].take();
        let path = PathJson {
            name: profile.name(node.region).to_owned(),
            calls: node.calls,
            inclusive: profile.nanoseconds(node.inclusive),
            exclusive: profile.nanoseconds(node.exclusive),
            levels: node.levels,
            children: children[index].iter().filter_map(&mut take).collect(),
        };
        complete[index] = Some(path);
    }
    let mut take = |NodeIndex(index): NodeIndex| complete[index as usize].take();
    outermost.into_iter().filter_map(&mut take).collect()
}
