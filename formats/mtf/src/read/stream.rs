//! Reads the events of a document, block by block: symbols from the DAG, times and quantities from lists.
//!
//! The number of events equals the number of times, so a DAG with more events than any machine could process does no
//! harm.

use std::collections::BTreeSet;

use foldtrace_fold::dag::{LabelId, Visit, Visits};
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Quantity, Step, Symbol, SymbolId,
    SymbolTable, Timestamp, TraceError, leave_of,
};

use super::lists::{self, BadItem};
use super::preamble::Preamble;
use super::source::Source;
use crate::schema::{
    ATTRIBUTES, BLOCK, EVENTS, LABELS, METRICS, PROCESSOR, TIMESTAMPS, TRACE, UNITS, VALUES,
};

/// The single stream of a document. Its batches belong to different locations.
pub(super) struct Stream<'a> {
    preamble: &'a Preamble,
    source: Source,
    symbols: SymbolTable,
    /// The position in the document.
    state: State<'a>,
    /// Number of open elements inside the quantities of a location.
    depth: u32,
    /// Whether the trace element has ended.
    has_trace_ended: bool,
    /// Locations whose quantities have begun.
    begun: BTreeSet<LocationId>,
    text: String,
}

enum State<'a> {
    /// At the beginning of the quantities of a location.
    Begins,
    /// In the quantities of a location.
    Inside(Box<Walk<'a>>),
    /// Between the quantities of two locations.
    Between,
    /// In the quantities of a location, the rest of which is skipped because of an error.
    Damaged,
    /// At the end, or at damage after which reading cannot continue.
    Ended,
}

/// The reading position in a location.
struct Walk<'a> {
    location: LocationId,
    position: u64,
    visits: Visits<'a>,
    /// For each label, the symbols in this location: of the entering or instantaneous event, and of the leaving
    /// event.
    symbols: Vec<[Option<SymbolId>; 2]>,
}

impl<'a> Stream<'a> {
    /// Creates a stream of the events after `preamble`.
    pub fn new(preamble: &'a Preamble, source: Source) -> Self {
        Self {
            preamble,
            depth: source.depth(),
            has_trace_ended: false,
            source,
            symbols: SymbolTable::default(),
            state: if preamble.has_events {
                State::Begins
            } else {
                State::Between
            },
            begun: BTreeSet::new(),
            text: String::new(),
        }
    }

    /// Fills an empty batch. Returns `false` at the end. After an error in the quantities of a location, the next
    /// call continues with another location.
    fn fill(&mut self, batch: &mut EventBatch) -> Result<bool, TraceError> {
        let filled = self.fill_any(batch);
        if filled.is_err() && !self.source.is_broken() && !self.has_trace_ended {
            self.state = State::Damaged;
        }
        filled
    }

    fn fill_any(&mut self, batch: &mut EventBatch) -> Result<bool, TraceError> {
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Begins => self.state = State::Inside(Box::new(self.begin()?)),
                State::Inside(mut walk) => {
                    if !self.source.child()? {
                        self.end_location(&mut walk)?;
                        self.state = State::Between;
                    } else if self.source.element.name() != BLOCK {
                        self.source.skip()?;
                        self.state = State::Inside(walk);
                    } else {
                        self.read_block(&mut walk, batch)?;
                        self.state = State::Inside(walk);
                        if !batch.is_empty() {
                            return Ok(true);
                        }
                    }
                }
                State::Between => {
                    if !self.next_location()? {
                        return Ok(false);
                    }
                    self.state = State::Begins;
                }
                State::Damaged => {
                    self.source.leave(self.depth)?;
                    self.state = State::Between;
                }
                State::Ended => return Ok(false),
            }
        }
    }

    /// Begins the quantities of a location.
    fn begin(&mut self) -> Result<Walk<'a>, TraceError> {
        let location = LocationId(self.source.required_number("location")?);
        let Some(&root) = self.preamble.roots.get(&location) else {
            let found = location.to_string();
            return Err(self
                .source
                .expected("a location that has a root", &found)
                .hint("a <Location> before the <Events> must have a 'root'"));
        };
        if !self.begun.insert(location) {
            return Err(self.source.fault(format!(
                "expected the events of each location once, found location {location} again"
            )));
        }
        Ok(Walk {
            location,
            position: 0,
            visits: Visits::new(self.preamble.units.graph(), root),
            symbols: vec![[None; 2]; self.preamble.labels.len()],
        })
    }

    /// Moves to the quantities of the next location; `false` at the end of the document.
    fn next_location(&mut self) -> Result<bool, TraceError> {
        // If there are no quantities, the trace element has already ended.
        while self.preamble.has_events && self.source.child()? {
            match self.source.element.name() {
                EVENTS => return Ok(true),
                name @ (LABELS | UNITS | PROCESSOR) => {
                    let found = format!("<{name}>");
                    return Err(self
                        .source
                        .expected("no part of the DAG after the events", &found));
                }
                _ => self.source.skip()?,
            }
        }
        self.has_trace_ended = true;
        while self.source.child()? {
            if self.source.element.name() == TRACE {
                return Err(self.source.fault("expected one trace, found a second one"));
            }
            self.source.skip()?;
        }
        self.source.end()?;
        let graph = self.preamble.units.graph();
        let mut roots = self.preamble.roots.iter();
        let is_missing = roots
            .find(|(location, root)| graph.length(**root) > 0 && !self.begun.contains(location));
        match is_missing {
            Some((location, _)) => Err(self.source.fault(format!(
                "expected the events of all locations, found none of location {location}"
            ))),
            None => Ok(false),
        }
    }

    /// Ends a location. After its last time, the DAG must have no more events.
    fn end_location(&self, walk: &mut Walk<'_>) -> Result<(), TraceError> {
        let graph = self.preamble.units.graph();
        let root = self.preamble.roots.get(&walk.location);
        if !walk.visits.any(|visit| visit.is_event(graph)) {
            return Ok(());
        }
        let length = root.map_or(0, |&root| graph.length(root));
        let error = self.source.fault(format!(
            "expected a time for each of {length} events, found {} times",
            walk.position
        ));
        Err(self.at(error, walk))
    }

    fn at(&self, mut error: TraceError, walk: &Walk<'_>) -> TraceError {
        let place = std::mem::take(&mut *error.place);
        error.at(place.event(walk.location, Position(walk.position)))
    }

    fn read_block(
        &mut self,
        walk: &mut Walk<'_>,
        batch: &mut EventBatch,
    ) -> Result<(), TraceError> {
        batch.reset(walk.location, Position(walk.position));
        let place = self.source.place();
        while self.source.child()? {
            self.read_list(walk, batch)?;
        }
        let checked = self.expand(walk, batch);
        checked.map_err(|message| self.at(self.source.fault(message).at(place), walk))?;
        walk.position += batch.times.len() as u64;
        Ok(())
    }

    /// Reads a list of a block into a column of the batch.
    fn read_list(&mut self, walk: &Walk<'_>, batch: &mut EventBatch) -> Result<(), TraceError> {
        enum Column {
            Times,
            Values(Quantity),
            Metrics,
            Attributes,
        }
        let column = match self.source.element.name() {
            TIMESTAMPS => Column::Times,
            METRICS => Column::Metrics,
            ATTRIBUTES => Column::Attributes,
            VALUES => {
                let name = self.source.required("quantity")?;
                match Quantity::from_name(name) {
                    Some(quantity) => Column::Values(quantity),
                    None => return self.source.skip(),
                }
            }
            _ => return self.source.skip(),
        };
        let is_empty = match column {
            Column::Times => batch.times.is_empty(),
            Column::Values(quantity) => batch.quantities[quantity as usize].is_empty(),
            Column::Metrics => batch.metrics.event.is_empty(),
            Column::Attributes => batch.attributes.event.is_empty(),
        };
        if !is_empty {
            let name = self.source.element.name();
            let error = self.source.fault(format!(
                "expected each list of a block once, found <{name}> again"
            ));
            return Err(self.at(error, walk));
        }
        self.source.text(&mut self.text)?;
        let read = match column {
            Column::Times => lists::times(&self.text, |time| batch.times.push(Timestamp(time))),
            Column::Values(quantity) => {
                lists::values(&self.text, &mut batch.quantities[quantity as usize])
            }
            Column::Metrics => lists::metrics(&self.text, &mut batch.metrics),
            Column::Attributes => lists::attributes(&self.text, &mut batch.attributes),
        };
        read.map_err(|bad: BadItem| {
            let expected = format!("{} as item {} of a list", bad.expected, bad.index);
            self.at(self.source.expected(&expected, &bad.found), walk)
        })
    }

    /// Adds the events to the times of a batch, and checks that all lists have the required length.
    fn expand(&mut self, walk: &mut Walk<'_>, batch: &mut EventBatch) -> Result<(), String> {
        let graph = self.preamble.units.graph();
        let mut needed = [0usize; Quantity::COUNT];
        let events = batch.times.len();
        while batch.symbols.len() < events {
            let Some(visit) = walk.visits.next() else {
                return Err(format!(
                    "expected at most {} more times, found {events}",
                    batch.symbols.len()
                ));
            };
            if !visit.is_event(graph) {
                continue;
            }
            let label = LabelId::from(graph.label(visit.node()));
            let is_end = usize::from(matches!(visit, Visit::End(_)));
            let symbols = walk.symbols.get_mut(label.index());
            let symbol = symbols.and_then(|symbols| {
                if symbols[is_end].is_none() {
                    let symbol = symbol_of_label(self.preamble, walk.location, label)?;
                    let symbol = if is_end == 1 {
                        leave_of(symbol)?
                    } else {
                        symbol
                    };
                    symbols[is_end] = Some(self.symbols.intern(symbol));
                }
                symbols[is_end]
            });
            let symbol = symbol.ok_or("expected a unit with a label, found a unit without one")?;
            for &quantity in self.symbols.kind(symbol).quantities() {
                needed[quantity as usize] += 1;
            }
            batch.symbols.push(symbol);
        }
        for (&quantity, needed) in Quantity::ALL.iter().zip(needed) {
            let found = batch.quantities[quantity as usize].len();
            if found != needed {
                return Err(format!(
                    "expected {needed} values of {quantity} for {events} events, found {found}"
                ));
            }
        }
        let last = batch
            .metrics
            .event
            .last()
            .max(batch.attributes.event.last());
        match last {
            Some(&event) if event as usize >= events => Err(format!(
                "expected values of events below {events}, found a value of event {event}"
            )),
            _ => Ok(()),
        }
    }
}

/// Returns the symbol of a label in a location.
fn symbol_of_label(preamble: &Preamble, location: LocationId, label: LabelId) -> Option<Symbol> {
    let own = preamble.own.get(&(location, label.0));
    own.or_else(|| preamble.labels.get(label.index())).copied()
}

impl EventStream for Stream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        _: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(batch.location, Position(0));
        match self.fill(batch) {
            Ok(true) => Ok(Step::Batch),
            Ok(false) => Ok(Step::End),
            Err(error) => {
                // No part of a damaged block is returned.
                batch.reset(batch.location, Position(0));
                Err(error)
            }
        }
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }
}
