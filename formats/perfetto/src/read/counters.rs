//! The counters of a trace: metrics of the locations that they belong to.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{Minter, ValueType};

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// A counter track, as a message `CounterDescriptor` describes it.
#[derive(Clone, Debug)]
pub(crate) struct CounterDescription {
    pub unit: String,
    /// The name that the type of the counter implies.
    pub name: &'static str,
    multiplier: i64,
    is_incremental: bool,
}

impl Default for CounterDescription {
    fn default() -> Self {
        Self {
            unit: String::new(),
            name: "",
            multiplier: 1,
            is_incremental: false,
        }
    }
}

impl CounterDescription {
    pub(crate) fn parse(message: &[u8]) -> Result<Self, Fault> {
        let mut counter = Self::default();
        let mut unit_name = None;
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(1)) => {
                    (counter.name, counter.unit) = ("thread_time", "ns".to_owned())
                }
                (1, Value::Number(2)) => counter.name = "thread_instruction_count",
                (3, Value::Number(1)) => "ns".clone_into(&mut counter.unit),
                (3, Value::Number(3)) => "bytes".clone_into(&mut counter.unit),
                (4, Value::Number(multiplier)) => counter.multiplier = multiplier.cast_signed(),
                (5, Value::Number(flag)) => counter.is_incremental = flag != 0,
                (6, Value::Bytes(name)) => {
                    unit_name = Some(String::from_utf8_lossy(name).into_owned());
                }
                _ => {}
            }
        }
        if counter.multiplier == 0 {
            counter.multiplier = 1;
        }
        counter.unit = unit_name
            .filter(|name| !name.is_empty())
            .unwrap_or(counter.unit);
        Ok(counter)
    }
}

/// The value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CounterValue {
    Integer(i64),
    Double(f64),
}

/// A counter track that has values.
#[derive(Debug)]
struct Counter {
    metric: usize,
    multiplier: i64,
    is_incremental: bool,
    /// The last values of an incremental counter, and the state of the sequence to which they belong.
    last: (i64, f64),
    state: (usize, u64),
}

impl Counter {
    /// Adds the last value of the same state.
    fn accumulate(&mut self, state: (usize, u64), value: CounterValue) -> CounterValue {
        if self.state != state {
            self.state = state;
            self.last = (0, 0.0);
        }
        match value {
            CounterValue::Integer(value) => {
                self.last.0 = self.last.0.wrapping_add(value);
                CounterValue::Integer(self.last.0)
            }
            CounterValue::Double(value) => {
                self.last.1 += value;
                CounterValue::Double(self.last.1)
            }
        }
    }
}

/// A metric: all counters of different locations with the same name and unit.
#[derive(Debug)]
struct Metric {
    name: String,
    unit: String,
    is_double: bool,
}

/// All counters that have values.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    counters: Vec<Counter>,
    metrics: Vec<Metric>,
    /// Metrics by name, unit and number among the counters of a location with the same name and unit.
    index: HashMap<(String, String, u32), usize, RandomState>,
    /// Number of counters of a location with the same metric.
    of_location: HashMap<(u32, String, String), u32, RandomState>,
}

impl Counters {
    /// Adds a counter of a location, given by its track.
    pub(crate) fn add(&mut self, location: u32, name: &str, counter: &CounterDescription) -> usize {
        let key = (location, name.to_owned(), counter.unit.clone());
        let number = self.of_location.entry(key).or_default();
        let key = (name.to_owned(), counter.unit.clone(), *number);
        *number += 1;
        let metrics = &mut self.metrics;
        let metric = *self.index.entry(key).or_insert_with(|| {
            metrics.push(Metric {
                name: name.to_owned(),
                unit: counter.unit.clone(),
                is_double: false,
            });
            metrics.len() - 1
        });
        self.counters.push(Counter {
            metric,
            multiplier: counter.multiplier,
            is_incremental: counter.is_incremental,
            last: (0, 0.0),
            state: (0, 0),
        });
        self.counters.len() - 1
    }

    /// Takes a value of a counter. `state` identifies the state of the packet's sequence, in which an incremental counter
    /// begins at 0. Returns the id of the metric, and the type and the bits of the value.
    pub(crate) fn take(
        &mut self,
        counter: usize,
        state: (usize, u64),
        value: CounterValue,
    ) -> (u64, ValueType, u64) {
        let counter = &mut self.counters[counter];
        let value = if counter.is_incremental {
            counter.accumulate(state, value)
        } else {
            value
        };
        let (value_type, bits) = match value {
            CounterValue::Integer(value) => {
                let value = value.wrapping_mul(counter.multiplier);
                (ValueType::Int64, value.cast_unsigned())
            }
            CounterValue::Double(value) if counter.multiplier == 1 => {
                (ValueType::Double, value.to_bits())
            }
            CounterValue::Double(value) => {
                let value = value * counter.multiplier as f64;
                (ValueType::Double, value.to_bits())
            }
        };
        self.metrics[counter.metric].is_double |= value_type == ValueType::Double;
        (counter.metric as u64, value_type, bits)
    }

    /// Defines all metrics; the n-th one has the id n. Returns whether the values of each are doubles.
    pub(crate) fn define(&self, minter: &mut Minter) -> Vec<Vec<bool>> {
        let define = |metric: &Metric| {
            let unit = if metric.unit.is_empty() {
                "#"
            } else {
                &metric.unit
            };
            let value_type = if metric.is_double {
                ValueType::Double
            } else {
                ValueType::Int64
            };
            minter.metric(&metric.name, unit, value_type);
            vec![metric.is_double]
        };
        self.metrics.iter().map(define).collect()
    }
}
