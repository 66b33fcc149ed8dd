//! Metrics over time: the values of each metric in each location, summed in buckets.

use std::collections::BTreeMap;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventKind, EventStream, LocationId, MetricMember, MetricMode, Metrics,
    Operand, Position, Step, Timestamp, TraceError, TraceReader,
};
use rayon::prelude::*;
use serde::Serialize;

use super::{Overview, Run};
use crate::clock::PageClock;
use crate::pack::Columns;

/// The greatest number of buckets of all metrics in all locations together.
const BUCKETS: usize = 300_000;

/// The numbers of buckets that a metric of a location may have.
const BUCKETS_OF_ONE: (usize, usize) = (16, 512);

/// The metrics of a run, besides columns.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MetricsHead {
    /// The nanoseconds of a bucket.
    width: f64,
    series: Vec<SeriesHead>,
}

/// A metric of a location, whose values are columns.
#[derive(Clone, Debug, Serialize)]
struct SeriesHead {
    /// The index of the location.
    location: u32,
    name: String,
    unit: String,
    /// Whether it counts from the beginning: its values never decrease.
    is_counter: bool,
}

/// The values in a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bucket {
    sum: f64,
    count: u32,
    least: f64,
    greatest: f64,
}

impl Bucket {
    const EMPTY: Self = Self {
        sum: 0.0,
        count: 0,
        least: f64::INFINITY,
        greatest: f64::NEG_INFINITY,
    };

    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// Returns a number if there are values.
    fn number(&self, number: f64) -> f32 {
        if self.count == 0 {
            f32::NAN
        } else {
            number as f32
        }
    }
}

/// A metric of a location.
#[derive(Clone, Debug)]
struct Series<'a> {
    member: &'a MetricMember,
    /// The latest value, and whether a value was less than the one before it.
    latest: f64,
    has_fallen: bool,
    buckets: Vec<Bucket>,
}

impl Series<'_> {
    fn add(&mut self, time: f64, value: f64, width: f64) {
        self.has_fallen |= value < self.latest;
        self.latest = value;
        let last = self.buckets.len().saturating_sub(1);
        if let Some(bucket) = self.buckets.get_mut(((time / width) as usize).min(last)) {
            bucket.add(value);
        }
    }
}

impl Overview {
    /// Adds the metrics of a run of `span` nanoseconds, and their columns.
    pub(super) fn add_metrics(
        &mut self,
        run: Run<'_>,
        span: f64,
        columns: &mut Columns,
    ) -> Result<(), TraceError> {
        let store = run.store;
        let mut symbols = store.symbols().iter();
        if !symbols.any(|(_, symbol)| symbol.kind == EventKind::Metric) {
            return Ok(());
        }
        let metrics = Metrics::new(store.definitions());
        let defined = store.definitions().metric_members().len() * run.locations.len();
        let (least, most) = BUCKETS_OF_ONE;
        let count = (BUCKETS / defined.max(1)).clamp(least, most);
        let width = (span / count as f64).max(run.clock.tick);
        let found = run.locations.par_iter().map(|&location| {
            let reading = Reading {
                store,
                metrics: &metrics,
                clock: run.clock,
                width,
                count,
            };
            reading.series(location, run.progress)
        });
        let found: Vec<_> = found.collect::<Result<_, TraceError>>()?;
        let mut head = MetricsHead {
            width,
            series: Vec::new(),
        };
        for (location, series) in (0..).zip(found) {
            for one in series {
                let number = head.series.len();
                let name = |column: &str| format!("metrics.{number}.{column}");
                let all = || one.buckets.iter();
                let mean = |bucket: &Bucket| bucket.number(bucket.sum / f64::from(bucket.count));
                columns.add_f32(name("mean"), all().map(mean));
                columns.add_f32(
                    name("least"),
                    all().map(|bucket| bucket.number(bucket.least)),
                );
                columns.add_f32(
                    name("greatest"),
                    all().map(|bucket| bucket.number(bucket.greatest)),
                );
                head.series.push(SeriesHead {
                    location,
                    name: one.member.name.clone(),
                    unit: one.member.unit.clone(),
                    is_counter: one.member.mode == MetricMode::Accumulated && !one.has_fallen,
                });
            }
        }
        self.metrics = head;
        Ok(())
    }
}

/// How the metrics of a location are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    store: &'a StoreReader,
    metrics: &'a Metrics,
    clock: PageClock,
    /// The nanoseconds of a bucket.
    width: f64,
    /// The number of buckets.
    count: usize,
}

impl<'a> Reading<'a> {
    /// Returns the metrics of a location, by the ids of their members.
    fn series(
        self,
        location: LocationId,
        progress: &Progress,
    ) -> Result<Vec<Series<'a>>, TraceError> {
        let mut series: BTreeMap<u64, Series<'a>> = BTreeMap::new();
        let mut stream = self.store.events(location, Position(0));
        let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
        while stream.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
            progress.check()?;
            progress.count(batch.len());
            let values = &batch.metrics;
            for (row, &event) in values.event.iter().enumerate() {
                let symbol = batch.symbols[event as usize];
                let metric = self.store.symbols().operand(symbol, Operand::Metric);
                let member =
                    metric.and_then(|metric| self.metrics.member(metric, values.member[row]));
                let Some(member) = member else { continue };
                let Timestamp(time) = batch.times[event as usize];
                let value = values.value_type[row].number(values.value[row]) * member.scale();
                let new = || Series {
                    member,
                    latest: f64::NEG_INFINITY,
                    has_fallen: false,
                    buckets: vec![Bucket::EMPTY; self.count],
                };
                let one = series.entry(member.id).or_insert_with(new);
                one.add(self.clock.time(time), value, self.width);
            }
        }
        Ok(series.into_values().collect())
    }
}
