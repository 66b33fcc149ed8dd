//! Reads the values of metrics.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Builder, Int64Builder, RecordBatch, StringDictionaryBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow::datatypes::{Int32Type, SchemaRef};
use foldtrace_columns::ColumnType::{Double, Id, Number, Signed, UInt32, Word};
use foldtrace_columns::{Column, TableColumns, arrow_schema};
use foldtrace_store::StoreReader;
use foldtrace_stream::cut::TimeSpan;
use foldtrace_trace::{
    Clock, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, LocationId, MetricMember,
    Metrics, Operand, Place, Position, Symbol, Timestamp, TraceError, TraceReader, ValueType,
};

use crate::scan::BATCH_ROWS;
use crate::stretches::Stretches;

/// The columns of the values of metrics. Exactly one of the last three is set.
const METRICS: TableColumns = TableColumns {
    name: "metrics",
    columns: &[
        Column::required("location", Id, "id of the location"),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional("thread", Number, "number of the location in its process"),
        Column::required("position", Number, "position of the event"),
        Column::optional(
            "time",
            Number,
            "nanoseconds since the first tick of the trace",
        ),
        Column::optional("metric", Id, "id of the metric class or instance"),
        Column::required(
            "member",
            UInt32,
            "index of the member in its metric's class",
        ),
        Column::optional("name", Word, "name of the member"),
        Column::optional("unit", Word, "unit of `value`"),
        Column::required("value", Double, "the value in `unit`"),
        Column::required("type", Word, "type of the recorded value"),
        Column::optional(
            "uint64",
            Id,
            "the recorded value, if it is neither signed nor floating-point",
        ),
        Column::optional("int64", Signed, "the recorded value, if it is signed"),
        Column::optional(
            "double",
            Double,
            "the recorded value, if it is floating-point",
        ),
    ],
    sorted_by: &["location", "position"],
};

/// A reader of the values of metrics, in order of location and position: a row for each value of each metric event.
pub struct MetricScan {
    store: Arc<StoreReader>,
    stretches: Stretches,
    metrics: Metrics,
    schema: SchemaRef,
    events: EventBatch,
    rows: Rows,
    ready: VecDeque<RecordBatch>,
}

impl MetricScan {
    /// Begins to read the values of metrics of some locations, all if none is named, in a range of time.
    ///
    /// # Errors
    /// Returns an error if the store has no such location, or the range of time is empty.
    pub fn open(
        store: Arc<StoreReader>,
        locations: &[String],
        time: TimeSpan,
    ) -> Result<Self, TraceError> {
        let stretches = Stretches::new(&store, locations, time)?;
        let is_metric = |symbol: Symbol| symbol.kind == EventKind::Metric;
        let has_metrics = store.symbols().iter().any(|(_, it)| is_metric(it));
        Ok(Self {
            stretches: if has_metrics {
                stretches
            } else {
                Stretches::default()
            },
            metrics: Metrics::new(store.definitions()),
            schema: Arc::new(arrow_schema(METRICS.columns)),
            store,
            events: EventBatch::default(),
            rows: Rows::default(),
            ready: VecDeque::new(),
        })
    }

    /// Returns the columns of all batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the next batch; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, TraceError> {
        while self.ready.is_empty() {
            let Some((location, positions)) = self.stretches.next_of(&self.store)? else {
                return match self.rows.count {
                    0 => Ok(None),
                    _ => self.take_batch().map(Some),
                };
            };
            self.read(location, positions)?;
        }
        Ok(self.ready.pop_front())
    }

    /// Returns the rows since the previous batch.
    fn take_batch(&mut self) -> Result<RecordBatch, TraceError> {
        let columns = mem::take(&mut self.rows).columns();
        RecordBatch::try_new(self.schema(), columns).map_err(|error| {
            TraceError::new(ErrorKind::Internal, "cannot assemble the table of metrics")
                .at(Place::file(self.store.path()))
                .caused_by(error)
        })
    }

    /// Reads the events of a location at `positions`.
    fn read(&mut self, location: LocationId, positions: Range<Position>) -> Result<(), TraceError> {
        let store = Arc::clone(&self.store);
        let mut first = positions.start;
        let mut stream = store.events_in(location, positions);
        loop {
            self.events.reset(location, first);
            stream.next_batch(&mut self.events, &mut Diagnostics::default())?;
            if self.events.is_empty() {
                return Ok(());
            }
            self.push(&store);
            if self.rows.count >= BATCH_ROWS {
                let batch = self.take_batch()?;
                self.ready.push_back(batch);
            }
            first.0 += self.events.len() as u64;
        }
    }

    /// Appends the values of the events that were read.
    fn push(&mut self, store: &StoreReader) {
        let batch = &self.events;
        let rank = store.names().rank(batch.location);
        let values = &batch.metrics;
        for (row, &event) in values.event.iter().enumerate() {
            let event = event as usize;
            let metric = store
                .symbols()
                .operand(batch.symbols[event], Operand::Metric);
            let member = values.member[row];
            let value = Value {
                location: batch.location,
                rank,
                position: batch.first.0 + event as u64,
                time: batch.times[event],
                metric,
                member,
                value_type: values.value_type[row],
                bits: values.value[row],
            };
            let defined = metric.and_then(|metric| self.metrics.member(metric, member));
            self.rows.push(&value, defined, store.manifest().clock());
        }
    }
}

impl Iterator for MetricScan {
    type Item = Result<RecordBatch, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// A value of a metric.
struct Value {
    location: LocationId,
    rank: Option<(u64, u64)>,
    position: u64,
    time: Timestamp,
    metric: Option<u64>,
    member: u32,
    value_type: ValueType,
    bits: u64,
}

type Words = StringDictionaryBuilder<Int32Type>;

/// Rows of the table.
#[derive(Default)]
struct Rows {
    count: usize,
    location: UInt64Builder,
    rank: Int64Builder,
    thread: Int64Builder,
    position: Int64Builder,
    time: Int64Builder,
    metric: UInt64Builder,
    member: UInt32Builder,
    name: Words,
    unit: Words,
    value: Float64Builder,
    value_type: Words,
    uint64: UInt64Builder,
    int64: Int64Builder,
    double: Float64Builder,
}

impl Rows {
    fn push(&mut self, value: &Value, member: Option<&MetricMember>, clock: Clock) {
        let signed = |number: u64| i64::try_from(number).ok();
        let (rank, thread) = value.rank.unzip();
        self.count += 1;
        self.location.append_value(value.location.0);
        self.rank.append_option(rank.and_then(signed));
        self.thread.append_option(thread.and_then(signed));
        self.position.append_option(signed(value.position));
        self.time.append_option(clock.nanoseconds(value.time));
        self.metric.append_option(value.metric);
        self.member.append_value(value.member);
        let is_known = |text: &&str| !text.is_empty();
        let name = member.map(|member| &*member.name).filter(is_known);
        let unit = member.map(|member| &*member.unit).filter(is_known);
        self.name.append_option(name);
        self.unit.append_option(unit);
        self.value_type.append_value(value.value_type.name());
        let (bits, double) = (value.bits, value.value_type.as_double(value.bits));
        let int64 = value.value_type.is_signed().then_some(bits.cast_signed());
        let uint64 = (int64.is_none() && double.is_none()).then_some(bits);
        self.uint64.append_option(uint64);
        self.int64.append_option(int64);
        self.double.append_option(double);
        let number = value.value_type.number(bits);
        self.value
            .append_value(number * member.map_or(1.0, MetricMember::scale));
    }

    fn columns(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.location.finish()),
            Arc::new(self.rank.finish()),
            Arc::new(self.thread.finish()),
            Arc::new(self.position.finish()),
            Arc::new(self.time.finish()),
            Arc::new(self.metric.finish()),
            Arc::new(self.member.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.unit.finish()),
            Arc::new(self.value.finish()),
            Arc::new(self.value_type.finish()),
            Arc::new(self.uint64.finish()),
            Arc::new(self.int64.finish()),
            Arc::new(self.double.finish()),
        ]
    }
}
