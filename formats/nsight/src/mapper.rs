//! Turns rows into events.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use foldtrace_database::{Call, Calls, Lane, Lanes, Mapper, Row, Strings, Timeline};
use foldtrace_trace::{
    Carried, Diagnostics, EventKind, Minter, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
    ValueType,
};

use crate::irregularities::Irregularities;
use crate::messages::{Arguments, Requests, Routine};
use crate::names::Names;
use crate::nvtx::{Domains, EventType};
use crate::places::{Place, ProcessId};
use crate::source::{Labels, Meaning, Source, paradigm_of_region};
use crate::world::World;

/// What a number of a name stands for.
#[derive(Clone, Copy, Debug)]
struct Named {
    call: Call,
    routine: Routine,
}

/// Everything that gives rows their meaning.
pub(crate) struct Context {
    pub strings: Strings,
    pub names: Names,
    pub domains: Domains,
    pub world: World,
}

/// The state of reading a database.
pub(crate) struct NsightMapper {
    calls: Calls,
    strings: Strings,
    names: Names,
    domains: Domains,
    world: World,
    sources: Vec<Source>,
    lanes: Lanes<Place>,
    /// The calls of each table, by the numbers of their names.
    named: Vec<HashMap<Option<i64>, Named, RandomState>>,
    metrics: HashMap<(i64, i64), SymbolId, RandomState>,
    requests: Requests,
    carried: Carried,
    irregularities: Irregularities,
}

impl NsightMapper {
    pub(crate) fn new(
        context: Context,
        sources: Vec<Source>,
        timeline: &mut Timeline,
        irregularities: Irregularities,
    ) -> Self {
        let Context {
            strings,
            names,
            domains,
            world,
        } = context;
        Self {
            lanes: Lanes::new(&world.locations, sources.len(), timeline),
            named: sources.iter().map(|_| HashMap::default()).collect(),
            calls: Calls::default(),
            strings,
            names,
            domains,
            world,
            sources,
            metrics: HashMap::default(),
            requests: Requests::default(),
            carried: Carried::default(),
            irregularities,
        }
    }

    /// Returns the place of a row, and its number in the timeline.
    #[inline]
    fn place(&mut self, row: &Row<'_>) -> Option<(Place, Lane)> {
        let source = &self.sources[row.query];
        let place = source.place.of_row(row, 2);
        Some((place, self.lanes.find(row.query, place)?))
    }

    /// Reads the attributes of a row.
    #[inline]
    fn read_attributes(&mut self, row: &Row<'_>) {
        self.carried.clear();
        for attribute in &mut self.sources[row.query].attributes {
            attribute.add(
                row,
                &mut self.calls.minter,
                &mut self.strings,
                &mut self.carried,
            );
        }
    }

    /// Returns the call of a row whose name has a number.
    #[inline]
    fn named(&mut self, row: &Row<'_>) -> Named {
        let number = row.integer(self.sources[row.query].roles.name);
        if let Some(&named) = self.named[row.query].get(&number) {
            return named;
        }
        let named = self.name(row.query, number);
        self.named[row.query].insert(number, named);
        named
    }

    /// Makes the name of a call that is new.
    fn name(&mut self, query: usize, number: Option<i64>) -> Named {
        let source = &self.sources[query];
        let label = |labels: &BTreeMap<i64, String>| {
            let number = number.unwrap_or_default();
            let label = labels.get(&number).cloned();
            label.unwrap_or_else(|| format!("kind {number}"))
        };
        let name = match source.meaning {
            Meaning::Labelled(Labels::Copy) => {
                format!("[CUDA memcpy {}]", label(&self.names.copies))
            }
            Meaning::Labelled(Labels::Synchronization) => {
                format!(
                    "[CUDA synchronization {}]",
                    label(&self.names.synchronizations)
                )
            }
            Meaning::Labelled(Labels::Set) => "[CUDA memset]".to_owned(),
            Meaning::Labelled(Labels::Graph) => "[CUDA graph]".to_owned(),
            Meaning::Labelled(Labels::Table) => source.table.clone(),
            _ => match number.map(|number| (number, self.strings.get(number))) {
                Some((_, Some(name))) => name,
                Some((number, None)) => {
                    self.irregularities.unknown_names += 1;
                    format!("string {number}")
                }
                None => "unnamed".to_owned(),
            },
        };
        let paradigm = paradigm_of_region(source.paradigm, &name);
        Named {
            call: self.calls.call(&name, paradigm),
            routine: Routine::called(&name),
        }
    }

    fn range(&mut self, row: &Row<'_>, place: Place, lane: Lane, timeline: &mut Timeline) {
        let source = &self.sources[row.query];
        let (roles, paradigm) = (source.roles, source.paradigm);
        let event_type = EventType::of(row.integer(roles.event_type));
        match event_type {
            EventType::Name => return,
            EventType::Other => {
                self.irregularities.other_nvtx += 1;
                return;
            }
            EventType::Range | EventType::Mark => {}
        }
        self.read_attributes(row);
        self.read_domain(row, place);
        if event_type == EventType::Mark {
            let text = row.text(roles.text);
            let number = row.integer(roles.name);
            let text = text.map(|text| self.calls.minter.string(&text));
            let text = text.or_else(|| {
                let minter = &mut self.calls.minter;
                self.strings.id(number?, |text| minter.string(text))
            });
            let text = text.unwrap_or_else(|| self.calls.minter.string("unnamed"));
            let symbol = Symbol::new(EventKind::Local, &[text]);
            let symbol = self.calls.symbols.intern(symbol);
            let time = row.integer(0).unwrap_or_default();
            timeline.event(lane, time, (symbol, EventKind::Local), &self.carried);
            return;
        }
        let call = match row.bytes(roles.text) {
            Some(bytes) => self.calls.of_text(bytes, |calls| {
                let text = String::from_utf8_lossy(bytes);
                calls.call(&text, paradigm_of_region(paradigm, &text))
            }),
            None => self.named(row).call,
        };
        let span = row.span();
        timeline.call(lane, span, call, &self.carried);
    }

    /// Adds the domain and the category of a range, by their names or their numbers.
    fn read_domain(&mut self, row: &Row<'_>, place: Place) {
        let roles = self.sources[row.query].roles;
        let (domain, category) = (row.integer(roles.domain), row.integer(roles.category));
        let process = place.process().unwrap_or(ProcessId(0));
        let minter = &mut self.calls.minter;
        let named_domain = domain
            .filter(|&domain| domain != 0)
            .map(|domain| (domain, self.domains.domain(process, domain, minter)));
        let named_category = category.filter(|&category| category != 0).map(|category| {
            let domain = domain.unwrap_or_default();
            let id = self.domains.category(process, domain, category, minter);
            (category, id)
        });
        for (attribute, value) in [("domain", named_domain), ("category", named_category)] {
            let Some((number, string)) = value else {
                continue;
            };
            let (value_type, value) = match string {
                Some(string) => (ValueType::String, string),
                None => (ValueType::Int64, number as u64),
            };
            let id = minter.attribute(attribute, value_type);
            self.carried.attributes.push((id, value_type, value));
        }
    }

    /// Reads the call of a routine of MPI, with its messages.
    fn communicate(&mut self, row: &Row<'_>, place: Place, lane: Lane, timeline: &mut Timeline) {
        let named = self.named(row);
        let span = row.span();
        let rank = place
            .process()
            .and_then(|it| self.world.ranks.get(&it).copied());
        let arguments = self.arguments(row, rank, span.begin);
        self.irregularities.without_message += u64::from(named.routine == Routine::Exchange);
        let symbols = &mut self.calls.symbols;
        let effects = self
            .requests
            .effects(lane, named.routine, &arguments, symbols);
        self.irregularities.incomplete_requests += effects.incomplete;
        self.read_attributes(row);
        let (begin, end) = (effects.at_begin, effects.at_end);
        timeline.call_with(lane, span, named.call, &self.carried, begin, end);
    }

    fn arguments(&mut self, row: &Row<'_>, rank: Option<i64>, time: i64) -> Arguments {
        let roles = self.sources[row.query].roles;
        let natural = |column| {
            row.integer(column)
                .and_then(|number| u64::try_from(number).ok())
        };
        let handle = row.integer(roles.communicator);
        let communicator = rank
            .zip(handle)
            .and_then(|(rank, handle)| self.world.communicators.find(rank, handle, time));
        if handle.is_some() && communicator.is_none() {
            self.irregularities.unknown_communicators += 1;
        }
        Arguments {
            communicator: communicator.unwrap_or(UNDEFINED),
            peer: natural(roles.peer),
            tag: natural(roles.tag).unwrap_or(UNDEFINED),
            root: natural(roles.root),
            bytes: natural(roles.bytes).unwrap_or(0),
            received: natural(roles.received).unwrap_or(0),
            request: row.integer(roles.request),
        }
    }

    /// Reads the value of a metric.
    fn metric(&mut self, row: &Row<'_>, place: Place, lane: Lane, timeline: &mut Timeline) {
        let source = &self.sources[row.query];
        let roles = source.roles;
        let key = match place {
            Place::Metrics(kind) => (kind, row.integer(roles.name).unwrap_or_default()),
            _ => (i64::MIN, row.query as i64),
        };
        let Some(mut value) = row.integer(roles.value) else {
            self.irregularities.without_value += 1;
            return;
        };
        if source.meaning == Meaning::Scheduling && row.integer(roles.is_scheduled) == Some(0) {
            // The thread runs on no CPU.
            value = -1;
        }
        let symbol = match self.metrics.get(&key) {
            Some(&symbol) => symbol,
            None => self.define_metric(row.query, key),
        };
        self.read_attributes(row);
        self.carried
            .metrics
            .push((0, ValueType::Int64, value as u64));
        let time = row.integer(0).unwrap_or_default();
        timeline.event(lane, time, (symbol, EventKind::Metric), &self.carried);
    }

    fn metric_called(&mut self, name: &str) -> SymbolId {
        let define = |minter: &mut Minter| minter.metric(name, "", ValueType::Int64);
        self.calls.metric(name, "", define)
    }

    fn define_metric(&mut self, query: usize, key: (i64, i64)) -> SymbolId {
        let symbol = match self.sources[query].meaning {
            Meaning::Samples => self.calls.metric("CPU cycles", "cycles", |minter| {
                minter.counter("CPU cycles", "cycles", ValueType::Int64)
            }),
            Meaning::Scheduling => self.metric_called("CPU"),
            _ => {
                let name = self.names.metrics.get(&key).cloned();
                self.metric_called(&name.unwrap_or_else(|| format!("metric {}", key.1)))
            }
        };
        self.metrics.insert(key, symbol);
        symbol
    }
}

impl Mapper for NsightMapper {
    #[inline]
    fn row(&mut self, row: &Row<'_>, timeline: &mut Timeline) {
        let Some((place, lane)) = self.place(row) else {
            self.irregularities.unknown_places += 1;
            return;
        };
        match self.sources[row.query].meaning {
            Meaning::Calls | Meaning::Labelled(_) => {
                let call = self.named(row).call;
                let span = row.span();
                self.read_attributes(row);
                timeline.call(lane, span, call, &self.carried);
            }
            Meaning::Nvtx => self.range(row, place, lane, timeline),
            Meaning::PointToPoint | Meaning::Collective | Meaning::Waits => {
                self.communicate(row, place, lane, timeline);
            }
            Meaning::Samples | Meaning::Scheduling | Meaning::GpuMetrics => {
                self.metric(row, place, lane, timeline);
            }
        }
    }

    fn finish(&mut self, timeline: &Timeline, diagnostics: &mut Diagnostics) {
        self.irregularities.incomplete_requests += self.requests.incomplete();
        self.irregularities.report(timeline, diagnostics);
    }

    fn take_failure(&mut self) -> Option<TraceError> {
        self.strings.take_failure()
    }

    fn calls(&mut self) -> &mut Calls {
        &mut self.calls
    }

    fn symbols(&self) -> &SymbolTable {
        &self.calls.symbols
    }
}
