//! Writes a time-independent trace that a replay can execute to its end.
//!
//! The ranks are read one after another. Their records are written to disk, while the ends of messages and the
//! collective operations are counted. At the end, the records that are consistent across all ranks become lines.

mod caller;
mod channels;
mod collectives;
mod known;
mod lines;
mod output;
mod record;
mod rehearsal;
mod report;

use std::io;
use std::sync::Arc;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, EventRef, LeftOut, LocationId,
    Operand, Order, Output, Quantity, Symbol, SymbolTable, TraceError, TraceWriter, UNDEFINED,
};

use self::caller::{Caller, Deed, Habits, Purpose};
use self::channels::{Channel, Channels};
use self::collectives::{Agreed, Collective};
use self::known::Known;
use self::lines::{Lines, Shared};
use self::output::Files;
use self::record::{Record, Records, Segment, Spool};
use self::rehearsal::Rehearsal;
use self::report::report;
use crate::clock::FLOPS_PER_SECOND;

/// Writes a time-independent trace.
pub(crate) struct TiWriter {
    files: Files,
    records: Spool,
    segments: Vec<Segment>,
    known: Known,
    habits: Option<Habits>,
    current: Option<Current>,
    channels: Channels,
    agreed: Agreed,
    /// Number of receives of each rank whose message the trace does not specify.
    unknown: Vec<u64>,
    /// Number of sends whose size the trace does not specify.
    sizeless: u64,
    left_out: LeftOut,
}

/// The location whose events are being read.
struct Current {
    location: LocationId,
    rank: u64,
    begin: Segment,
    caller: Caller,
    /// Start time of the current computation; `None` within a call.
    computes_since: Option<u64>,
    latest: u64,
    /// Nesting depth of open MPI calls.
    depth: u64,
    /// The outermost open MPI call.
    call: (Purpose, Arc<str>),
    /// Number of open calls within a call whose line is known, including that call.
    verbatim: u64,
    /// Whether any line is known, which means that all lines are known.
    is_verbatim: bool,
}

impl TiWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let files = Files::create(output)?;
        let spool = tempfile::tempfile_in(files.scratch());
        let spool = spool.map_err(|error| TraceError::unwritable(files.scratch(), error))?;
        Ok(Self {
            files,
            records: Spool::new(spool),
            segments: Vec::new(),
            known: Known::default(),
            habits: None,
            current: None,
            channels: Channels::default(),
            agreed: Agreed::default(),
            unknown: Vec::new(),
            sizeless: 0,
            left_out: LeftOut::default(),
        })
    }

    fn unwritable(&self, error: io::Error) -> TraceError {
        TraceError::unwritable(self.files.scratch(), error)
    }

    /// Begins the rank of a location. Returns whether the location has a rank.
    fn begin(&mut self, batch: &EventBatch, habits: Habits) -> Result<bool, TraceError> {
        if let Some(current) = &self.current
            && current.location == batch.location
        {
            return Ok(true);
        }
        let rank = self.known.rank_of.get(&batch.location).copied();
        let Some(rank) = rank.filter(|&rank| rank < self.known.size()) else {
            return Ok(false);
        };
        self.end()?;
        let start = batch.times.first().map_or(0, |time| time.0);
        self.current = Some(Current {
            location: batch.location,
            rank,
            begin: self.records.here(),
            caller: Caller::new(habits),
            computes_since: Some(start),
            latest: start,
            depth: 0,
            call: (Purpose::Other, Arc::from("")),
            verbatim: 0,
            is_verbatim: false,
        });
        Ok(true)
    }

    /// Ends the current rank.
    fn end(&mut self) -> Result<(), TraceError> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        if current.depth > 0 {
            let (purpose, name) = &current.call;
            current.caller.leave(*purpose, name, &mut self.left_out);
        }
        current.begin_call(current.latest, self.known.ticks_per_second);
        if !current.is_verbatim {
            current.caller.say("finalize".to_owned());
        }
        current.caller.finish();
        self.settle(&mut current)?;
        self.agreed.end_rank();
        let segment = self.records.since(current.begin);
        if let Some(place) = self.segments.get_mut(current.rank as usize) {
            *place = segment;
        }
        Ok(())
    }

    /// Counts and writes the records that can no longer change.
    fn settle(&mut self, current: &mut Current) -> Result<(), TraceError> {
        while let Some(record) = current.caller.pop() {
            match &record {
                Record::Send { message, .. } => {
                    let channel = Channel::from(current.rank, message);
                    self.channels.send(channel, message.bytes);
                }
                Record::Receive(message)
                | Record::Post {
                    message: Some(message),
                    ..
                } => {
                    let channel = Channel::to(current.rank, message);
                    self.channels.receive(channel, message.bytes);
                }
                Record::Post { message: None, .. } => {
                    if let Some(unknown) = self.unknown.get_mut(current.rank as usize) {
                        *unknown += 1;
                    }
                }
                _ => {}
            }
            let pushed = self.records.push(&record);
            pushed.map_err(|error| self.unwritable(error))?;
        }
        Ok(())
    }

    /// Processes an event of the current rank.
    fn take(
        &mut self,
        current: &mut Current,
        symbol: Symbol,
        event: &EventRef,
        line: Option<String>,
    ) {
        let time = event.time.0;
        current.latest = time.max(current.latest);
        if current.verbatim > 0 {
            match symbol.kind {
                EventKind::Enter => current.verbatim += 1,
                EventKind::Leave => current.verbatim -= 1,
                _ => {}
            }
            if current.verbatim == 0 {
                current.computes_since = Some(time);
            }
            return;
        }
        match symbol.kind {
            EventKind::Enter | EventKind::Leave => self.call(current, symbol, time, line),
            EventKind::MpiCollectiveBegin if current.depth == 0 => {
                current.begin_call(time, self.known.ticks_per_second);
            }
            EventKind::MpiCollectiveBegin => {}
            // Completions that the reader added for the end of the program.
            EventKind::MpiIsendComplete | EventKind::MpiIrecv if current.is_verbatim => {}
            _ => {
                let deed = self.deed(current, symbol, event);
                if current.depth > 0 {
                    current.caller.take(deed, time);
                } else {
                    // An operation outside of any call becomes a call. It begins here, or already began if it is a
                    // collective operation.
                    if deed.is_some() {
                        current.begin_call(time, self.known.ticks_per_second);
                    }
                    current.caller.take(deed, time);
                    current.caller.leave(Purpose::Other, "", &mut self.left_out);
                    current.computes_since.get_or_insert(time);
                }
            }
        }
    }

    /// Processes an event that enters or leaves a region.
    fn call(&mut self, current: &mut Current, symbol: Symbol, time: u64, line: Option<String>) {
        let is_enter = symbol.kind == EventKind::Enter;
        if let Some(line) = line
            && is_enter
            && current.depth == 0
        {
            current.is_verbatim = true;
            current.begin_call(time, self.known.ticks_per_second);
            current.caller.say(line);
            current.verbatim = 1;
            return;
        }
        let region = symbol.get(Operand::Region);
        let Some(call) = region.and_then(|region| self.known.calls.get(&region)) else {
            self.left_out.count(symbol.kind.name(), 1);
            return;
        };
        if is_enter {
            if current.depth == 0 {
                current.begin_call(time, self.known.ticks_per_second);
                current.call = call.clone();
            }
            current.depth += 1;
        } else if current.depth > 0 {
            current.depth -= 1;
            if current.depth == 0 {
                let (purpose, name) = &current.call;
                current.caller.leave(*purpose, name, &mut self.left_out);
                current.computes_since = Some(time);
            }
        }
    }

    /// Returns the operation of an event if there is an action for it, and counts the event as left out otherwise.
    fn deed(&mut self, current: &Current, symbol: Symbol, event: &EventRef) -> Option<Deed> {
        let kind = symbol.kind;
        let request = event.get(Quantity::Request).unwrap_or(UNDEFINED);
        let message = || self.known.message(symbol, event, current.rank);
        let deed = match kind {
            EventKind::MpiSend => message().map(Deed::Send),
            EventKind::MpiIsend => message().map(|message| Deed::Isend(message, request)),
            EventKind::MpiRecv => message().map(Deed::Receive),
            EventKind::MpiIrecv => match message() {
                Some(message) => Some(Deed::Received(message, request)),
                None => {
                    self.left_out.count(kind.name(), 1);
                    return Some(Deed::Cancelled(request));
                }
            },
            EventKind::MpiIrecvRequest => Some(Deed::Post(request)),
            EventKind::MpiIsendComplete => Some(Deed::Sent(request)),
            EventKind::MpiRequestCancelled => Some(Deed::Cancelled(request)),
            EventKind::MpiCollectiveEnd => Some(self.collective(symbol, event)),
            _ => None,
        };
        if deed.is_none() {
            self.left_out.count(kind.name(), 1);
        } else if kind.is_send() && event.get(Quantity::Bytes).is_none() {
            self.sizeless += 1;
        }
        deed
    }

    fn collective(&mut self, symbol: Symbol, event: &EventRef) -> Deed {
        let operation = symbol.get(Operand::Operation).unwrap_or(UNDEFINED);
        let communicator = symbol.get(Operand::Communicator);
        let name = Collective::name(operation);
        if !Collective::is_known(operation) {
            self.left_out.count(name, 1);
            return Deed::Passed;
        }
        if !self.known.is_world(communicator) {
            self.left_out.count(format!("{name} of some ranks"), 1);
            return Deed::Passed;
        }
        self.agreed.take(Collective {
            operation,
            root: symbol.get(Operand::Root).unwrap_or(0),
            sent: event.get(Quantity::Bytes).unwrap_or(0),
            received: event.get(Quantity::BytesReceived).unwrap_or(0),
        });
        Deed::Collective
    }

    /// Returns the properties of a trace, based on its symbols.
    fn habits(symbols: &SymbolTable) -> Habits {
        let has = |kind| symbols.iter().any(|(_, symbol)| symbol.kind == kind);
        Habits {
            ends_sends: has(EventKind::MpiIsendComplete),
            ends_receives: has(EventKind::MpiIrecv),
        }
    }
}

impl Current {
    /// Ends the current computation, because a call begins.
    fn begin_call(&mut self, time: u64, ticks_per_second: f64) {
        if !self.is_verbatim && self.caller.is_new() {
            self.caller.say("init".to_owned());
        }
        self.compute(time, ticks_per_second);
    }

    fn compute(&mut self, until: u64, ticks_per_second: f64) {
        let Some(since) = self.computes_since.take() else {
            return;
        };
        if until > since {
            let flops = (until - since) as f64 * (FLOPS_PER_SECOND / ticks_per_second);
            self.caller.say(format!("compute {flops}"));
        }
    }
}

impl TraceWriter for TiWriter {
    fn order(&self) -> Order {
        Order::Location
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.known = Known::new(definitions);
        let ranks = self.known.size() as usize;
        self.segments = vec![self.records.here(); ranks];
        self.unknown = vec![0; ranks];
        let is_said = |kind| {
            matches!(
                kind,
                DefinitionKind::ClockProperties
                    | DefinitionKind::LocationGroup
                    | DefinitionKind::Location
                    | DefinitionKind::Group
                    | DefinitionKind::Comm
            )
        };
        let is_from_here = self.known.has_actions();
        self.left_out
            .definitions(definitions, |kind| is_from_here || is_said(kind));
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        let habits = *self.habits.get_or_insert_with(|| Self::habits(symbols));
        if batch.is_empty() {
            return Ok(());
        }
        if !self.begin(batch, habits)? {
            for &symbol in &batch.symbols {
                self.left_out.count(symbols.kind(symbol).name(), 1);
            }
            return Ok(());
        }
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        let has_attributes = !batch.attributes.event.is_empty();
        for event in batch.iter(symbols) {
            let symbol = symbols.symbol(event.symbol);
            let line = match has_attributes {
                true => self.known.line(batch, &event),
                false => None,
            };
            if line.is_none() && has_attributes {
                let attributes = batch.attributes.rows(event.index).len() as u64;
                self.left_out.count("attribute", attributes);
            }
            self.take(&mut current, symbol, &event, line);
        }
        self.settle(&mut current)?;
        self.current = Some(current);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.end()?;
        let Self {
            files,
            records,
            segments,
            known,
            habits,
            channels,
            agreed,
            unknown,
            sizeless,
            mut left_out,
            ..
        } = *self;
        let unwritable = |error| TraceError::unwritable(files.scratch(), error);
        let ranks = known.size();
        let mut lanes = channels.lanes(&known.ranks);
        let (collectives, surplus) = agreed.finish(ranks);
        left_out.count("collective operation that not all ranks have", surplus);
        let records = records.finish().map_err(unwritable)?;
        let file = tempfile::tempfile_in(files.scratch()).map_err(unwritable)?;
        let rehearsal = Rehearsal::new(&records, &segments, &mut lanes, collectives.len());
        let (rebuilt, received) = match unknown.iter().any(|&unknown| unknown > 0) {
            true => rehearsal.run(Spool::new(file)).map_err(unwritable)?,
            false => (file, vec![Vec::new(); segments.len()]),
        };
        let shared = Shared {
            lanes: &lanes,
            collectives: &collectives,
            ranks,
            ends_sends: habits.is_some_and(|habits| habits.ends_sends),
        };
        let mut not_waited_for = 0;
        for ((rank, segment), received) in (0..).zip(&segments).zip(&received) {
            let mut lines = Lines::new(&shared, rank, files.rank(rank)?);
            if segment.is_empty() {
                lines.write_nothing().map_err(unwritable)?;
                continue;
            }
            let records = Records::new(&records, std::slice::from_ref(segment));
            let rebuilt = Records::new(&rebuilt, received);
            lines.write(records, rebuilt).map_err(unwritable)?;
            not_waited_for += lines.not_waited_for;
        }
        let mut diagnostics = report(&shared, &unknown, sizeless, not_waited_for);
        diagnostics.merge(left_out.diagnostics("ti.left_out", "ti.definitions_left_out"));
        files.complete(ranks)?;
        Ok(diagnostics)
    }
}
