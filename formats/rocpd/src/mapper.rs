//! Turns rows into events.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_database::{Call, Calls, Cell, Lane, Lanes, Mapper, Row, Strings, Timeline};
use foldtrace_mpi::mpi_routine;
use foldtrace_trace::{
    Carried, Diagnostics, EventKind, Minter, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
    ValueType,
};

use crate::irregularities::Irregularities;
use crate::names::Names;
use crate::places::Place;
use crate::source::{Meaning, Source};
use crate::world::PlaceTable;

/// Codes of OTF2 for paradigms.
const USER: u64 = 1;
const MPI: u64 = 4;
const HIP: u64 = 23;

/// Maximum number of data of marked ranges whose calls are remembered.
const MOST_MARKED: usize = 1 << 16;

/// What a category of events says about them.
#[derive(Clone, Copy, Debug)]
struct Category {
    paradigm: u64,
    /// Whether the name of an event is the message in its data.
    has_message: bool,
}

impl Category {
    const NONE: Self = Self {
        paradigm: UNDEFINED,
        has_message: false,
    };

    fn called(name: &str) -> Self {
        let has_message = name.contains("MARKER");
        let paradigm = if has_message {
            USER
        } else if name.contains("HIP") || name.contains("HSA") {
            HIP
        } else {
            UNDEFINED
        };
        Self {
            paradigm,
            has_message,
        }
    }
}

/// Everything that gives rows their meaning. `strings` and `names` are those of each set of tables.
pub(crate) struct Context {
    pub strings: Vec<Strings>,
    pub names: Vec<Names>,
}

/// The state of reading a database.
pub(crate) struct RocpdMapper {
    calls: Calls,
    strings: Vec<Strings>,
    names: Vec<Names>,
    sources: Vec<Source>,
    lanes: Lanes<Place>,
    /// The calls of each table, by the numbers of their names.
    named: Vec<HashMap<Option<i64>, Call, RandomState>>,
    /// The calls of marked ranges, by their data.
    marked: HashMap<Vec<u8>, Option<Call>, RandomState>,
    categories: HashMap<(usize, i64), Category, RandomState>,
    /// The metrics of counters, by the set of tables and their numbers.
    metrics: HashMap<(usize, i64), SymbolId, RandomState>,
    carried: Carried,
    irregularities: Irregularities,
}

impl RocpdMapper {
    pub(crate) fn new(
        context: Context,
        locations: &PlaceTable,
        sources: Vec<Source>,
        timeline: &mut Timeline,
        irregularities: Irregularities,
    ) -> Self {
        let Context { strings, names } = context;
        Self {
            lanes: Lanes::new(locations, sources.len(), timeline),
            named: sources.iter().map(|_| HashMap::default()).collect(),
            calls: Calls::default(),
            strings,
            names,
            sources,
            marked: HashMap::default(),
            categories: HashMap::default(),
            metrics: HashMap::default(),
            carried: Carried::default(),
            irregularities,
        }
    }

    /// Returns the number of the location of a row in the timeline.
    #[inline]
    fn lane(&mut self, row: &Row<'_>) -> Option<Lane> {
        let source = &self.sources[row.query];
        let names = &self.names[source.tables];
        let is_gpu = |agent| names.is_gpu(agent);
        let place = source.place.of_row(source.tables, row, 2, is_gpu);
        self.lanes.find(row.query, place)
    }

    /// Reads the attributes of a row.
    #[inline]
    fn read_attributes(&mut self, row: &Row<'_>) {
        self.carried.clear();
        let source = &mut self.sources[row.query];
        let strings = &mut self.strings[source.tables];
        for attribute in &mut source.attributes {
            attribute.add(row, &mut self.calls.minter, strings, &mut self.carried);
        }
    }

    fn category(&mut self, row: &Row<'_>) -> Category {
        let source = &self.sources[row.query];
        let Some(number) = row.integer(source.roles.category) else {
            return Category::NONE;
        };
        let strings = &mut self.strings[source.tables];
        let category = self.categories.entry((source.tables, number));
        *category.or_insert_with(|| {
            let name = strings.get(number);
            name.map_or(Category::NONE, |name| Category::called(&name))
        })
    }

    /// Returns the message in the data of a row; `None` if there is none.
    fn message(&self, row: &Row<'_>) -> Option<String> {
        message(row.bytes(self.sources[row.query].roles.data)?)
    }

    /// Returns the call of a marked range, by the message in its data; `None` if there is none.
    fn marked(&mut self, data: &[u8], paradigm: u64) -> Option<Call> {
        if let Some(&call) = self.marked.get(data) {
            return call;
        }
        let call = message(data).map(|message| self.calls.call(&message, paradigm));
        // Data that differ in each event are not worth remembering.
        if self.marked.len() < MOST_MARKED {
            self.marked.insert(data.to_vec(), call);
        }
        call
    }

    /// Returns the call that a row describes.
    fn call(&mut self, row: &Row<'_>) -> Call {
        let category = self.category(row);
        let roles = self.sources[row.query].roles;
        if category.has_message
            && let Some(data) = row.bytes(roles.data)
            && let Some(call) = self.marked(data, category.paradigm)
        {
            return call;
        }
        if self.sources[row.query].meaning == Meaning::Allocation {
            let text = |column| row.text(column).unwrap_or_default().to_lowercase();
            let name = format!("[memory {} {}]", text(roles.kind), text(roles.level));
            return self.calls.call(&name, HIP);
        }
        let number = row.integer(roles.name);
        if let Some(&call) = self.named[row.query].get(&number) {
            return call;
        }
        let name = self.name(row.query, number);
        let paradigm = match self.sources[row.query].meaning {
            _ if mpi_routine(&name).is_some() => MPI,
            Meaning::Kernel | Meaning::Copy => HIP,
            _ => category.paradigm,
        };
        let call = self.calls.call(&name, paradigm);
        self.named[row.query].insert(number, call);
        call
    }

    /// Returns the name with a number.
    fn name(&mut self, query: usize, number: Option<i64>) -> String {
        let source = &self.sources[query];
        let Some(number) = number else {
            return "unnamed".to_owned();
        };
        let name = match source.meaning {
            Meaning::Kernel => self.names[source.tables].kernels.get(&number).cloned(),
            _ => self.strings[source.tables].get(number),
        };
        name.unwrap_or_else(|| {
            self.irregularities.unknown_names += 1;
            format!("name {number}")
        })
    }

    fn sample(&mut self, row: &Row<'_>, lane: Lane, timeline: &mut Timeline) {
        let number = row.integer(self.sources[row.query].roles.name);
        let text = match self.message(row) {
            Some(message) => message,
            None => self.name(row.query, number),
        };
        self.read_attributes(row);
        let text = self.calls.minter.string(&text);
        let symbol = Symbol::new(EventKind::Local, &[text]);
        let symbol = self.calls.symbols.intern(symbol);
        let time = row.integer(0).unwrap_or_default();
        timeline.event(lane, time, (symbol, EventKind::Local), &self.carried);
    }

    fn counter(&mut self, row: &Row<'_>, lane: Lane, timeline: &mut Timeline) {
        let source = &self.sources[row.query];
        let value = match row.cell(source.roles.value) {
            Cell::Real(value) => value,
            Cell::Integer(value) => value as f64,
            Cell::Null | Cell::Text(..) => return,
        };
        let key = (
            source.tables,
            row.integer(source.roles.counter).unwrap_or_default(),
        );
        let symbol = match self.metrics.get(&key) {
            Some(&symbol) => symbol,
            None => self.define_metric(key),
        };
        self.carried.clear();
        self.carried
            .metrics
            .push((0, ValueType::Double, value.to_bits()));
        let time = row.integer(0).unwrap_or_default();
        timeline.event(lane, time, (symbol, EventKind::Metric), &self.carried);
        let unread = &mut self.irregularities.unread_counters;
        *unread = unread.saturating_sub(1);
    }

    fn define_metric(&mut self, key: (usize, i64)) -> SymbolId {
        let counter = self.names[key.0].counters.get(&key.1).cloned();
        let counter = counter.unwrap_or_default();
        let name = if counter.name.is_empty() {
            format!("counter {}", key.1)
        } else {
            counter.name
        };
        let unit = &counter.unit;
        let define = |minter: &mut Minter| minter.metric(&name, unit, ValueType::Double);
        let symbol = self.calls.metric(&name, unit, define);
        self.metrics.insert(key, symbol);
        symbol
    }
}

/// Returns the message in the data of an event; `None` if there is none.
fn message(data: &[u8]) -> Option<String> {
    let data: serde_json::Value = serde_json::from_slice(data).ok()?;
    let message = data.get("message")?.as_str()?;
    (!message.is_empty()).then(|| message.to_owned())
}

impl Mapper for RocpdMapper {
    #[inline]
    fn row(&mut self, row: &Row<'_>, timeline: &mut Timeline) {
        let Some(lane) = self.lane(row) else {
            self.irregularities.unknown_places += 1;
            return;
        };
        match self.sources[row.query].meaning {
            Meaning::Region | Meaning::Kernel | Meaning::Copy | Meaning::Allocation => {
                let call = self.call(row);
                let span = row.span();
                self.read_attributes(row);
                timeline.call(lane, span, call, &self.carried);
            }
            Meaning::Sample => self.sample(row, lane, timeline),
            Meaning::Counter => self.counter(row, lane, timeline),
        }
    }

    fn finish(&mut self, timeline: &Timeline, diagnostics: &mut Diagnostics) {
        self.irregularities.report(timeline, diagnostics);
    }

    fn take_failure(&mut self) -> Option<TraceError> {
        self.strings.iter_mut().find_map(Strings::take_failure)
    }

    fn calls(&mut self) -> &mut Calls {
        &mut self.calls
    }

    fn symbols(&self) -> &SymbolTable {
        &self.calls.symbols
    }
}
