//! Sums metrics by region: hardware counters, and other numbers that a trace measures.
//!
//! A counter counts from the beginning of the measurement, and is recorded where calls begin and end. What it has counted
//! since its previous value belongs to the call that was innermost meanwhile. The values of other metrics belong to the
//! call that is innermost when they are measured. A metric whose values fall is no counter, whatever its definition says:
//! Score-P defines sensors of power and temperature as counters.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::RegionIndex;
use foldtrace_trace::{
    Definitions, EventBatch, MetricMember, MetricMode, Metrics, Operand, SymbolTable, ValueType,
};

/// The index of a metric among those of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricIndex(pub u32);

/// The values of a metric in one location and region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricSum {
    /// The metric.
    pub metric: MetricIndex,
    /// The region; `None` outside of calls.
    pub region: Option<RegionIndex>,
    /// The number of values.
    pub values: u64,
    /// The sum of the values.
    pub total: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
    /// What a counter has counted while a call of the region was the innermost open call.
    pub exclusive: f64,
    /// What a counter has counted while a call of the region was open.
    pub inclusive: f64,
    /// Whether a value of a counter is less than the previous one, so that it is no counter.
    pub falls: bool,
}

impl MetricSum {
    pub(crate) fn new(metric: MetricIndex, region: Option<RegionIndex>) -> Self {
        Self {
            metric,
            region,
            values: 0,
            total: 0.0,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            exclusive: 0.0,
            inclusive: 0.0,
            falls: false,
        }
    }

    /// Adds the values of another location or region.
    pub(crate) fn add(&mut self, other: &Self) {
        self.values += other.values;
        self.total += other.total;
        self.falls |= other.falls;
        self.exclusive += other.exclusive;
        self.inclusive += other.inclusive;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }
}

/// The metrics that the symbols of a store refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measures {
    members: Vec<MetricMember>,
    /// By row of the table of symbols: the metric of each value, or `None` if it is not defined.
    of_rows: Vec<Vec<Option<MetricIndex>>>,
}

impl Measures {
    pub fn new(definitions: &Definitions, symbols: &SymbolTable) -> Self {
        let metrics = Metrics::new(definitions);
        let mut members: Vec<MetricMember> = Vec::new();
        let mut indices: HashMap<u64, MetricIndex> = HashMap::new();
        let mut of_metric = |metric| -> Vec<Option<MetricIndex>> {
            let values = metrics.members(metric);
            let index = values.map(|member| {
                let member = member?;
                let next = MetricIndex(members.len() as u32);
                let index = *indices.entry(member.id).or_insert(next);
                if index == next {
                    members.push(member.clone());
                }
                Some(index)
            });
            index.collect()
        };
        let of_rows = symbols.iter().map(|(_, symbol)| {
            let metric = symbol.get(Operand::Metric);
            metric.map(&mut of_metric).unwrap_or_default()
        });
        let of_rows = of_rows.collect();
        Self { members, of_rows }
    }

    /// Returns the metrics, by index.
    pub fn into_members(self) -> Vec<MetricMember> {
        self.members
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// The sums of the metrics of one location.
#[derive(Debug)]
pub(crate) struct MeasureTally<'a> {
    measures: &'a Measures,
    sums: Vec<MetricSum>,
    places: HashMap<(MetricIndex, Option<RegionIndex>), usize, FixedState>,
    /// The latest value of each counter, and what it has counted since the first one.
    counters: Vec<Option<Counter>>,
    /// What each counter had counted when the outermost call of a region was entered.
    before: HashMap<RegionIndex, Vec<f64>, FixedState>,
}

#[derive(Clone, Copy, Debug)]
struct Counter {
    latest: u64,
    counted: f64,
}

impl<'a> MeasureTally<'a> {
    /// Begins a location; `None` if the store has no metrics.
    pub fn new(measures: &'a Measures) -> Option<Self> {
        (!measures.is_empty()).then(|| Self {
            measures,
            sums: Vec::new(),
            places: HashMap::default(),
            counters: vec![None; measures.members.len()],
            before: HashMap::default(),
        })
    }

    /// Adds the values of event number `event` of a batch, in which `innermost` is the innermost open call.
    pub fn take(&mut self, batch: &EventBatch, event: u32, innermost: Option<RegionIndex>) {
        let row = batch.symbols.get(event as usize).map(|symbol| symbol.row());
        let Some(metrics) = row.and_then(|row| self.measures.of_rows.get(row)) else {
            return;
        };
        let columns = &batch.metrics;
        for row in columns.rows(event) {
            let metric = metrics.get(columns.member[row] as usize).copied().flatten();
            if let Some(metric) = metric {
                self.add(
                    metric,
                    innermost,
                    columns.value_type[row],
                    columns.value[row],
                );
            }
        }
    }

    fn add(
        &mut self,
        metric: MetricIndex,
        region: Option<RegionIndex>,
        value_type: ValueType,
        bits: u64,
    ) {
        let index = metric.0 as usize;
        let value = value_type.number(bits);
        let counted = match self.measures.members[index].mode {
            MetricMode::Accumulated => {
                let before = self.counters[index];
                let new = before.map_or(0.0, |before| difference(value_type, before.latest, bits));
                self.counters[index] = Some(Counter {
                    latest: bits,
                    counted: before.map_or(0.0, |before| before.counted) + new,
                });
                new
            }
            MetricMode::Relative => value,
            MetricMode::Absolute => 0.0,
        };
        let sum = self.sum(metric, region);
        sum.values += 1;
        sum.total += value;
        sum.least = sum.least.min(value);
        sum.greatest = sum.greatest.max(value);
        sum.exclusive += counted;
        sum.falls |= counted < 0.0;
    }

    /// Enters the outermost call of a region.
    pub fn enter(&mut self, region: RegionIndex) {
        let counters = self.counters.iter();
        let counted = counters.map(|counter| counter.map_or(0.0, |counter| counter.counted));
        self.before.insert(region, counted.collect());
    }

    /// Leaves the outermost call of a region.
    pub fn leave(&mut self, region: RegionIndex) {
        let before = self.before.remove(&region).unwrap_or_default();
        for (index, before) in before.into_iter().enumerate() {
            if let Some(counter) = self.counters[index] {
                let sum = self.sum(MetricIndex(index as u32), Some(region));
                sum.inclusive += counter.counted - before;
            }
        }
    }

    fn sum(&mut self, metric: MetricIndex, region: Option<RegionIndex>) -> &mut MetricSum {
        let next = self.sums.len();
        let place = *self.places.entry((metric, region)).or_insert(next);
        if place == next {
            self.sums.push(MetricSum::new(metric, region));
        }
        &mut self.sums[place]
    }

    /// Ends the location.
    pub fn finish(self) -> Vec<MetricSum> {
        self.sums
    }
}

/// Returns what a counter has counted between two values. Integers are subtracted before they lose digits.
fn difference(value_type: ValueType, before: u64, now: u64) -> f64 {
    match value_type.as_double(now) {
        Some(_) => value_type.number(now) - value_type.number(before),
        None => now.wrapping_sub(before) as i64 as f64,
    }
}
