//! Writes a time-independent trace that a replay can execute to its end.
//!
//! The ranks are read one after another. Their records are written to disk, while the ends of messages and the
//! collective operations are counted. At the end, the records that are consistent across all ranks become lines.

mod caller;
mod channels;
mod collectives;
mod definitions;
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

use self::caller::{CallOperation, Caller, Purpose, RecordedEnds};
use self::channels::{Channel, Channels};
use self::collectives::{Agreed, Collective};
use self::definitions::ResolvedDefinitions;
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
    definitions: ResolvedDefinitions,
    recorded_ends: Option<RecordedEnds>,
    current: Option<CurrentRank>,
    channels: Channels,
    agreed: Agreed,
    /// Number of receives of each rank whose message the trace does not specify.
    unknown: Vec<u64>,
    /// Number of sends whose size the trace does not specify.
    sizeless: u64,
    left_out: LeftOut,
}

/// The location whose events are being read.
struct CurrentRank {
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
            definitions: ResolvedDefinitions::default(),
            recorded_ends: None,
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
    fn begin_rank(
        &mut self,
        batch: &EventBatch,
        recorded_ends: RecordedEnds,
    ) -> Result<bool, TraceError> {
        if let Some(current) = &self.current
            && current.location == batch.location
        {
            return Ok(true);
        }
        let rank = self
            .definitions
            .rank_by_location
            .get(&batch.location)
            .copied();
        let Some(rank) = rank.filter(|&rank| rank < self.definitions.rank_count()) else {
            return Ok(false);
        };
        self.end_rank()?;
        let start = batch.times.first().map_or(0, |time| time.0);
        self.current = Some(CurrentRank {
            location: batch.location,
            rank,
            begin: self.records.here(),
            caller: Caller::new(recorded_ends),
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
    fn end_rank(&mut self) -> Result<(), TraceError> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        if current.depth > 0 {
            let (purpose, name) = &current.call;
            current.caller.leave(*purpose, name, &mut self.left_out);
        }
        current.begin_call(current.latest, self.definitions.ticks_per_second);
        if !current.is_verbatim {
            current.caller.push_line("finalize".to_owned());
        }
        current.caller.finish();
        self.write_records(&mut current)?;
        self.agreed.end_rank();
        let segment = self.records.since(current.begin);
        if let Some(slot) = self.segments.get_mut(current.rank as usize) {
            *slot = segment;
        }
        Ok(())
    }

    /// Counts and writes the records that can no longer change.
    fn write_records(&mut self, current: &mut CurrentRank) -> Result<(), TraceError> {
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
    fn take_event(
        &mut self,
        current: &mut CurrentRank,
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
            EventKind::Enter | EventKind::Leave => self.take_call(current, symbol, time, line),
            EventKind::MpiCollectiveBegin if current.depth == 0 => {
                current.begin_call(time, self.definitions.ticks_per_second);
            }
            EventKind::MpiCollectiveBegin => {}
            // Completions that the reader added for the end of the program.
            EventKind::MpiIsendComplete | EventKind::MpiIrecv if current.is_verbatim => {}
            _ => {
                let operation = self.operation(current, symbol, event);
                if current.depth > 0 {
                    current.caller.add(operation, time);
                } else {
                    // An operation outside of any call becomes a call. It begins here, or already began if it is a
                    // collective operation.
                    if operation.is_some() {
                        current.begin_call(time, self.definitions.ticks_per_second);
                    }
                    current.caller.add(operation, time);
                    current.caller.leave(Purpose::Other, "", &mut self.left_out);
                    current.computes_since.get_or_insert(time);
                }
            }
        }
    }

    /// Processes an event that enters or leaves a region.
    fn take_call(
        &mut self,
        current: &mut CurrentRank,
        symbol: Symbol,
        time: u64,
        line: Option<String>,
    ) {
        let is_enter = symbol.kind == EventKind::Enter;
        if let Some(line) = line
            && is_enter
            && current.depth == 0
        {
            current.is_verbatim = true;
            current.begin_call(time, self.definitions.ticks_per_second);
            current.caller.push_line(line);
            current.verbatim = 1;
            return;
        }
        let region = symbol.get(Operand::Region);
        let Some(call) = region.and_then(|region| self.definitions.calls.get(&region)) else {
            self.left_out.count(symbol.kind.name(), 1);
            return;
        };
        if is_enter {
            if current.depth == 0 {
                current.begin_call(time, self.definitions.ticks_per_second);
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
    fn operation(
        &mut self,
        current: &CurrentRank,
        symbol: Symbol,
        event: &EventRef,
    ) -> Option<CallOperation> {
        let kind = symbol.kind;
        let request = event.get(Quantity::Request).unwrap_or(UNDEFINED);
        let message = || self.definitions.message(symbol, event, current.rank);
        let operation = match kind {
            EventKind::MpiSend => message().map(CallOperation::Send),
            EventKind::MpiIsend => message().map(|message| CallOperation::Isend(message, request)),
            EventKind::MpiRecv => message().map(CallOperation::Receive),
            EventKind::MpiIrecv => match message() {
                Some(message) => Some(CallOperation::Received(message, request)),
                None => {
                    self.left_out.count(kind.name(), 1);
                    return Some(CallOperation::Cancelled(request));
                }
            },
            EventKind::MpiIrecvRequest => Some(CallOperation::Post(request)),
            EventKind::MpiIsendComplete => Some(CallOperation::Sent(request)),
            EventKind::MpiRequestCancelled => Some(CallOperation::Cancelled(request)),
            EventKind::MpiCollectiveEnd => Some(self.collective(symbol, event)),
            _ => None,
        };
        if operation.is_none() {
            self.left_out.count(kind.name(), 1);
        } else if kind.is_send() && event.get(Quantity::Bytes).is_none() {
            self.sizeless += 1;
        }
        operation
    }

    fn collective(&mut self, symbol: Symbol, event: &EventRef) -> CallOperation {
        let operation = symbol.get(Operand::Operation).unwrap_or(UNDEFINED);
        let communicator = symbol.get(Operand::Communicator);
        let name = Collective::name(operation);
        if !Collective::has_action(operation) {
            self.left_out.count(name, 1);
            return CallOperation::Ignored;
        }
        if !self.definitions.is_world(communicator) {
            self.left_out.count(format!("{name} of some ranks"), 1);
            return CallOperation::Ignored;
        }
        self.agreed.add(Collective {
            operation,
            root: symbol.get(Operand::Root).unwrap_or(0),
            sent: event.get(Quantity::Bytes).unwrap_or(0),
            received: event.get(Quantity::BytesReceived).unwrap_or(0),
        });
        CallOperation::Collective
    }
}

impl CurrentRank {
    /// Ends the current computation, because a call begins.
    fn begin_call(&mut self, time: u64, ticks_per_second: f64) {
        if !self.is_verbatim && self.caller.is_new() {
            self.caller.push_line("init".to_owned());
        }
        self.compute(time, ticks_per_second);
    }

    fn compute(&mut self, until: u64, ticks_per_second: f64) {
        let Some(since) = self.computes_since.take() else {
            return;
        };
        if until > since {
            let flops = (until - since) as f64 * (FLOPS_PER_SECOND / ticks_per_second);
            self.caller.push_line(format!("compute {flops}"));
        }
    }
}

impl TraceWriter for TiWriter {
    fn order(&self) -> Order {
        Order::Location
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.definitions = ResolvedDefinitions::new(definitions);
        let ranks = self.definitions.rank_count() as usize;
        self.segments = vec![self.records.here(); ranks];
        self.unknown = vec![0; ranks];
        let is_expressed = |kind| {
            matches!(
                kind,
                DefinitionKind::ClockProperties
                    | DefinitionKind::LocationGroup
                    | DefinitionKind::Location
                    | DefinitionKind::Group
                    | DefinitionKind::Comm
            )
        };
        let has_actions = self.definitions.has_actions();
        self.left_out
            .definitions(definitions, |kind| has_actions || is_expressed(kind));
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        let recorded_ends = *self
            .recorded_ends
            .get_or_insert_with(|| RecordedEnds::from_symbols(symbols));
        if batch.is_empty() {
            return Ok(());
        }
        if !self.begin_rank(batch, recorded_ends)? {
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
            let line = if has_attributes {
                self.definitions.action_line(batch, &event)
            } else {
                None
            };
            if line.is_none() && has_attributes {
                let attributes = batch.attributes.rows(event.index).len() as u64;
                self.left_out.count("attribute", attributes);
            }
            self.take_event(&mut current, symbol, &event, line);
        }
        self.write_records(&mut current)?;
        self.current = Some(current);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.end_rank()?;
        let Self {
            files,
            records,
            segments,
            definitions,
            recorded_ends,
            channels,
            agreed,
            unknown,
            sizeless,
            mut left_out,
            ..
        } = *self;
        let unwritable = |error| TraceError::unwritable(files.scratch(), error);
        let ranks = definitions.rank_count();
        let mut lanes = channels.lanes(&definitions.ranks);
        let (collectives, surplus) = agreed.finish(ranks);
        left_out.count(
            "collective operation that some ranks do not perform",
            surplus,
        );
        let records = records.finish().map_err(unwritable)?;
        let file = tempfile::tempfile_in(files.scratch()).map_err(unwritable)?;
        let rehearsal = Rehearsal::new(&records, &segments, &mut lanes, collectives.len());
        let (rebuilt, received) = if unknown.iter().any(|&unknown| unknown > 0) {
            rehearsal.run(Spool::new(file)).map_err(unwritable)?
        } else {
            (file, vec![Vec::new(); segments.len()])
        };
        let shared = Shared {
            lanes: &lanes,
            collectives: &collectives,
            ranks,
            ends_sends: recorded_ends.is_some_and(|ends| ends.of_sends),
        };
        let mut not_waited_for = 0;
        for ((rank, segment), received) in (0..).zip(&segments).zip(&received) {
            let mut lines = Lines::new(&shared, rank, files.rank(rank)?);
            if segment.is_empty() {
                lines.write_inactive_rank().map_err(unwritable)?;
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
