//! Counters of a foreign file: one metric class per counter, with one member per series.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{DefinitionKind, Minter, UNDEFINED, ValueType};

#[derive(Debug)]
struct Series {
    name: String,
    /// Whether all values so far are integers.
    is_integer: bool,
}

#[derive(Debug)]
struct Counter {
    name: String,
    series: Vec<Series>,
    /// Indices of the series, by name.
    index: HashMap<String, u32, RandomState>,
}

/// All counters seen so far.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    counters: Vec<Counter>,
    /// Indices of the counters, by name and id.
    index: HashMap<String, usize, RandomState>,
    key: String,
}

impl Counters {
    /// Returns the number of a counter, which is the id of its metric.
    pub(crate) fn counter(&mut self, name: &str, id: Option<&str>) -> usize {
        self.key.clear();
        self.key.push_str(name);
        if let Some(id) = id {
            self.key.push(' ');
            self.key.push_str(id);
        }
        if let Some(&counter) = self.index.get(&self.key) {
            return counter;
        }
        self.counters.push(Counter {
            name: self.key.clone(),
            series: Vec::new(),
            index: HashMap::default(),
        });
        self.index.insert(self.key.clone(), self.counters.len() - 1);
        self.counters.len() - 1
    }

    /// Returns the number of a series of a counter that has a value of type `value_type`.
    pub(crate) fn series(&mut self, counter: usize, name: &str, value_type: ValueType) -> u32 {
        let counter = &mut self.counters[counter];
        let series = match counter.index.get(name) {
            Some(&series) => series,
            None => {
                let series = counter.series.len() as u32;
                counter.index.insert(name.to_owned(), series);
                counter.series.push(Series {
                    name: name.to_owned(),
                    is_integer: true,
                });
                series
            }
        };
        counter.series[series as usize].is_integer &= value_type != ValueType::Double;
        series
    }

    /// Returns for each series of each counter whether its values are doubles: unless all are integers, all are
    /// converted.
    pub(crate) fn doubles(&self) -> Vec<Vec<bool>> {
        let of_counter = |counter: &Counter| {
            let series = counter.series.iter();
            series.map(|series| !series.is_integer).collect()
        };
        self.counters.iter().map(of_counter).collect()
    }

    /// Defines the metrics of all counters.
    pub(crate) fn define(&self, minter: &mut Minter) {
        const OTHER: u64 = 0;
        const ABSOLUTE_POINT: u64 = 17;
        const DECIMAL: u64 = 1;
        const ASYNCHRONOUS: u64 = 2;
        let unit = if self.counters.is_empty() {
            UNDEFINED
        } else {
            minter.string("#")
        };
        let mut next = 0;
        for (class, counter) in (0..).zip(&self.counters) {
            let first: u64 = next;
            for series in &counter.series {
                let name = match series.name.as_str() {
                    "value" if counter.series.len() == 1 => minter.string(&counter.name),
                    name => minter.string(&format!("{} {name}", counter.name)),
                };
                let value_type = if series.is_integer {
                    ValueType::Int64
                } else {
                    ValueType::Double
                };
                let fields = [
                    next,
                    name,
                    UNDEFINED,
                    OTHER,
                    ABSOLUTE_POINT,
                    value_type as u64,
                    DECIMAL,
                    0,
                    unit,
                ];
                minter.define(DefinitionKind::MetricMember, &fields, &[], "");
                next += 1;
            }
            let members: Vec<u64> = (first..next).collect();
            let fields = [class, ASYNCHRONOUS, 0];
            minter.define(DefinitionKind::MetricClass, &fields, &members, "");
        }
    }
}
