//! The stream of a cut, which wraps a stream of the source and filters it batch by batch.
//!
//! A cut of a location has three phases: before the range of time, within it, and after it. Calls that are open where
//! the range begins are entered there, in a separate batch, while the batch of the source is held; calls that are
//! open where it ends are left there, in a batch after the others.

use std::collections::BTreeMap;

use foldtrace_trace::{
    CallChange, Definitions, Diagnostics, EventBatch, EventKind, EventStream, LocationId,
    OpenCalls, Operand, Position, Quantity, Step, StreamFrom, Symbol, SymbolId, SymbolTable,
    Timestamp, TraceError, leave_of,
};

use super::definitions;
use super::filter::{Kinds, View};
use super::keep::retain;
use super::source::FilteredSource;
use super::tally::Tally;

/// A stream of a cut.
pub(super) struct CutStream<'a> {
    source: &'a FilteredSource,
    tally: &'a Tally,
    /// The number of the stream in the cut.
    number: usize,
    /// The location of the stream, if it has only one.
    location: Option<LocationId>,
    /// The stream of the source.
    events: Box<dyn EventStream + 'a>,
    /// All definitions so far, and the filter translated by them, if the stream contained any definitions.
    late: Option<(Definitions, View)>,
    locations: BTreeMap<LocationId, Location>,
    symbols: Symbols,
    keep: Vec<bool>,
    quantities: Vec<u8>,
    /// The first event within the range in `held_batch`, if that batch is held.
    held: Option<usize>,
    held_batch: EventBatch,
    /// An error of the source that comes after the current batch.
    failure: Option<TraceError>,
    /// Locations whose open calls must be left, in reverse order.
    closing: Vec<LocationId>,
    /// Definitions that will be returned with the next batch.
    definitions: Definitions,
    is_over: bool,
}

/// The state of cutting a location.
#[derive(Default)]
struct Location {
    phase: Phase,
    /// The open calls, each with whether the cut keeps it: calls of the selected regions, and calls within them.
    calls: OpenCalls<bool>,
    /// The number of open calls of selected regions.
    roots: usize,
    /// The position of the next event in the cut.
    next: Position,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Before,
    Within,
    After,
}

/// The symbols of a stream: those of the source, and those of the cut, which contain only the symbols of kept events.
#[derive(Default)]
struct Symbols {
    /// The properties of each row of the source's symbols.
    classes: Vec<Class>,
    cut: SymbolTable,
}

#[derive(Clone, Copy)]
struct Class {
    /// Whether the kind of the symbol is kept.
    is_kept: bool,
    /// Whether the symbol enters a region whose calls are kept.
    enters_root: bool,
    quantities: u8,
    /// The row in the cut, if an event with a symbol of the row was kept.
    row_in_cut: Option<SymbolId>,
}

impl Symbols {
    /// Adds the symbols that are new in the source.
    fn update(&mut self, table: &SymbolTable, kinds: &Kinds, view: &View) {
        for (_, symbol) in table.iter_from(self.classes.len()) {
            self.classes.push(Class {
                is_kept: kinds.contains(symbol.kind),
                enters_root: view.enters_kept_region(&symbol),
                quantities: symbol.kind.quantity_bits(),
                row_in_cut: None,
            });
        }
    }

    /// Updates which symbols enter selected regions, after new definitions.
    fn review(&mut self, table: &SymbolTable, view: &View) {
        for (class, (_, symbol)) in self.classes.iter_mut().zip(table.iter()) {
            class.enters_root = view.enters_kept_region(&symbol);
        }
    }

    fn enters_root(&self, id: SymbolId) -> bool {
        self.classes.get(id.row()).is_some_and(|c| c.enters_root)
    }

    /// Returns the id in the cut of a symbol of the source.
    fn map(&mut self, id: SymbolId, table: &SymbolTable) -> SymbolId {
        let cut = &mut self.cut;
        let Some(class) = self.classes.get_mut(id.row()) else {
            return cut.intern(table.symbol(id));
        };
        let row = class.row_in_cut.get_or_insert_with(|| {
            let first = id.with_tag(0);
            cut.intern_row(table.symbol(first), table.is_tagged(first))
        });
        id.in_row(*row)
    }
}

impl Location {
    /// Begins the range: open calls are treated as if they were entered there.
    fn begin(&mut self, symbols: &Symbols) {
        self.phase = Phase::Within;
        self.roots = 0;
        for (enter, is_kept) in self.calls.calls_mut() {
            self.roots += usize::from(symbols.enters_root(enter));
            *is_kept = self.roots > 0;
        }
    }

    /// Processes the next event, and returns whether it belongs to a call of a selected region. A call that was
    /// entered within such a call belongs to it even if it is left later.
    fn take(&mut self, id: SymbolId, symbols: &Symbols, table: &SymbolTable) -> bool {
        let roots = &mut self.roots;
        let enter = |_: Option<&mut bool>| {
            *roots += usize::from(symbols.enters_root(id));
            *roots > 0
        };
        match self.calls.take_with(id, table, enter) {
            CallChange::None | CallChange::Entered => self.roots > 0,
            CallChange::Left { enter, call, .. } => {
                let is_root = usize::from(symbols.enters_root(enter));
                self.roots = self.roots.saturating_sub(is_root);
                call
            }
        }
    }

    /// Processes an event before the range.
    fn pass(&mut self, id: SymbolId, table: &SymbolTable) {
        self.calls.take_with(id, table, |_| false);
    }
}

impl<'a> CutStream<'a> {
    pub fn new(
        source: &'a FilteredSource,
        tally: &'a Tally,
        number: usize,
        location: Option<LocationId>,
        begun: StreamFrom<'a>,
    ) -> Self {
        let mut stream = Self {
            source,
            tally,
            number,
            location,
            events: begun.stream,
            late: None,
            locations: BTreeMap::new(),
            symbols: Symbols::default(),
            keep: Vec::new(),
            quantities: Vec::new(),
            held: None,
            held_batch: EventBatch::default(),
            failure: None,
            closing: Vec::new(),
            definitions: Definitions::default(),
            is_over: false,
        };
        let table = stream.events.symbols();
        stream
            .symbols
            .update(table, &source.filter.kinds, &source.view);
        if let Some(location) = location {
            let mut state = Location::default();
            for enter in begun.open {
                state.pass(enter, stream.events.symbols());
            }
            stream.locations.insert(location, state);
        }
        stream
    }

    fn view(&self) -> &View {
        current_view(self.late.as_ref(), self.source)
    }

    /// Fills `batch` from the source; returns `false` at the end of the source. An error is kept until after the
    /// batch.
    fn fill(&mut self, batch: &mut EventBatch, diagnostics: &mut Diagnostics) -> bool {
        let step = self.events.next_batch(batch, diagnostics);
        if !batch.definitions.is_empty() {
            self.define(&batch.definitions);
        }
        let view = current_view(self.late.as_ref(), self.source);
        self.symbols
            .update(self.events.symbols(), &self.source.filter.kinds, view);
        match step {
            Ok(step) => step == Step::Batch,
            Err(error) => {
                self.failure = Some(error);
                true
            }
        }
    }

    /// Adds definitions that came with a batch.
    fn define(&mut self, definitions: &Definitions) {
        let mut all = match self.late.take() {
            Some((all, _)) => all,
            None => self.source.reader.definitions().clone(),
        };
        all.append(definitions);
        let view = View::new(&self.source.filter, &all);
        self.symbols.review(self.events.symbols(), &view);
        self.late = Some((all, view));
        let changed = definitions::of_cut(definitions, self.source.range);
        self.definitions.append(&changed);
    }

    /// Reduces a batch of the source to the events that are kept; events from `resumed` on are known to be within the
    /// range. If open calls must be entered first, `batch` contains these enters instead, and the batch of the source
    /// is held.
    fn narrow(&mut self, batch: &mut EventBatch, resumed: Option<usize>) {
        let location = batch.location;
        if batch.is_empty() || !self.view().keeps_location(location) {
            batch.reset(location, Position(0));
            return;
        }
        let mut state = self.locations.remove(&location).unwrap_or_default();
        let begin = match resumed {
            Some(begin) => Some(begin),
            None => self.find_begin(&mut state, batch),
        };
        if let Some(begin) = begin {
            let is_first = state.phase == Phase::Before;
            if is_first {
                state.begin(&self.symbols);
            }
            if is_first && !state.calls.is_empty() {
                std::mem::swap(batch, &mut self.held_batch);
                batch.reset(location, state.next);
                self.enter_open(&mut state, batch);
                self.held = Some(begin);
            } else {
                self.keep(&mut state, batch, begin);
            }
        } else {
            batch.reset(location, Position(0));
        }
        self.locations.insert(location, state);
    }

    /// Returns the first event of a batch within the range, if there is one. Calls before it are recorded in `state`.
    fn find_begin(&self, state: &mut Location, batch: &EventBatch) -> Option<usize> {
        match (state.phase, self.source.range.from) {
            (Phase::After, _) => None,
            (Phase::Within, _) | (_, None) => Some(0),
            (Phase::Before, Some(from)) => {
                let begin = batch.times.iter().position(|&time| time >= from);
                let table = self.events.symbols();
                for &id in batch.symbols.iter().take(begin.unwrap_or(batch.len())) {
                    state.pass(id, table);
                }
                begin
            }
        }
    }

    /// Removes the events of a batch that are not kept, and all events before `begin`.
    fn keep(&mut self, state: &mut Location, batch: &mut EventBatch, begin: usize) {
        let range = self.source.range;
        let times = batch.times.get(begin..).unwrap_or_default();
        let found = range.to.and_then(|to| times.iter().position(|&t| t >= to));
        let end = found.map_or(batch.len(), |events| begin + events);
        let has_regions = self.view().has_regions();
        let has_calls = has_regions || range.to.is_some();
        let table = self.events.symbols();

        self.keep.clear();
        self.quantities.clear();
        for (index, &id) in batch.symbols.iter().enumerate() {
            let class = self.symbols.classes.get(id.row());
            let mut is_kept = (begin..end).contains(&index) && class.is_some_and(|c| c.is_kept);
            if has_calls && (begin..end).contains(&index) {
                let belongs = state.take(id, &self.symbols, table);
                is_kept &= belongs || !has_regions;
            }
            self.keep.push(is_kept);
            self.quantities.push(class.map_or(0, |c| c.quantities));
        }
        if self.keep.contains(&false) {
            retain(batch, &self.keep, &self.quantities);
        }
        for id in &mut batch.symbols {
            *id = self.symbols.map(*id, table);
        }
        number(batch, state);
        if found.is_some() {
            state.phase = Phase::After;
            self.closing.push(batch.location);
            if self.location.is_some() {
                // All that follows is after the range, including damage.
                self.is_over = true;
                self.failure = None;
            }
        }
    }

    /// Appends the events that enter the calls that are open where the range begins.
    fn enter_open(&mut self, state: &mut Location, batch: &mut EventBatch) {
        let Some(from) = self.source.range.from else {
            return;
        };
        let view = current_view(self.late.as_ref(), self.source);
        let table = self.events.symbols();
        let mut previous = None;
        for (id, &is_kept) in state.calls.calls() {
            let symbol = table.symbol(id);
            if !self.source.filter.kinds.contains(symbol.kind) || (view.has_regions() && !is_kept) {
                continue;
            }
            let context = symbol.get(Operand::CallingContext);
            let distance = context.map_or(0, |context| view.unwind_distance(context, previous));
            previous = context;
            push(batch, self.symbols.map(id, table), symbol, from, distance);
        }
        number(batch, state);
    }

    /// Fills `batch` with the events that end the cut of a location: enters of open calls that are still missing, and
    /// leaves.
    fn close(&mut self, location: LocationId, batch: &mut EventBatch) {
        let Some(mut state) = self.locations.remove(&location) else {
            return batch.reset(location, Position(0));
        };
        batch.reset(location, state.next);
        if state.phase == Phase::Before {
            state.begin(&self.symbols);
            self.enter_open(&mut state, batch);
        }
        state.phase = Phase::After;
        if let Some(to) = self.source.range.to {
            let has_regions = self.view().has_regions();
            let table = self.events.symbols();
            for (id, &is_kept) in state.calls.calls().rev() {
                if let Some(leave) = leave_of(table.symbol(id))
                    && (is_kept || !has_regions)
                    && self.source.filter.kinds.contains(leave.kind)
                {
                    push(batch, self.symbols.cut.intern(leave), leave, to, 0);
                }
            }
        }
        state.next = Position(batch.first.0 + batch.len() as u64);
        state.calls = OpenCalls::default();
        self.locations.insert(location, state);
    }

    /// Marks all locations for closing, because the source has ended.
    fn close_all(&mut self) {
        self.is_over = true;
        let open = self.locations.iter().rev();
        let open = open.filter(|(_, state)| state.phase != Phase::After);
        self.closing = open.map(|(&location, _)| location).collect();
    }

    /// Completes `batch` with the pending definitions, and counts its events.
    fn deliver(&mut self, batch: &mut EventBatch) {
        batch.definitions = std::mem::take(&mut self.definitions);
        self.tally.count(batch.len());
    }

    /// Ends the stream.
    fn end(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(batch.location, Position(0));
        self.deliver(batch);
        if self.location.is_none() {
            let own = self.late.as_ref().map(|(all, _)| all);
            let all = own.unwrap_or_else(|| self.source.reader.definitions());
            self.source.filter.check(all)?;
        }
        self.tally.end(self.number, diagnostics);
        Ok(Step::End)
    }
}

/// Returns the filter translated by all definitions so far.
fn current_view<'a>(late: Option<&'a (Definitions, View)>, source: &'a FilteredSource) -> &'a View {
    late.map_or(&source.view, |(_, view)| view)
}

/// Sets the position of a batch in the cut of its location.
fn number(batch: &mut EventBatch, state: &mut Location) {
    batch.first = state.next;
    state.next.0 += batch.len() as u64;
}

/// Appends an event that enters or leaves a call.
fn push(batch: &mut EventBatch, id: SymbolId, symbol: Symbol, time: Timestamp, distance: u64) {
    if symbol.kind == EventKind::CallingContextEnter {
        batch.push(id, time, &[(Quantity::Value, distance)]);
    } else {
        batch.push(id, time, &[]);
    }
}

impl EventStream for CutStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        loop {
            if let Some(begin) = self.held.take() {
                std::mem::swap(batch, &mut self.held_batch);
                self.narrow(batch, Some(begin));
            } else if let Some(location) = self.closing.pop() {
                self.close(location, batch);
            } else if self.is_over {
                return self.end(batch, diagnostics);
            } else if self.fill(batch, diagnostics) {
                self.narrow(batch, None);
            } else {
                self.close_all();
                continue;
            }
            let failure = match self.held {
                // The error comes after the held batch.
                Some(_) => None,
                None => self.failure.take(),
            };
            if let Some(failure) = failure {
                self.deliver(batch);
                return Err(failure);
            }
            if !batch.is_empty() {
                self.deliver(batch);
                return Ok(Step::Batch);
            }
        }
    }

    fn batch_at_most(&mut self, events: usize) {
        self.events.batch_at_most(events);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols.cut
    }

    fn bytes_read(&self) -> u64 {
        self.events.bytes_read()
    }
}
