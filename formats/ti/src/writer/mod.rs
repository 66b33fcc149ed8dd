//! Writing a time-independent trace that a replay plays to its end.
//!
//! Ranks come one after another. What each does goes to disk, while the ends of messages and the
//! collective operations are counted; in the end, what all ranks agree on becomes lines.

mod caller;
mod channels;
mod collectives;
mod lines;
mod output;
mod rebuild;
mod record;

use std::collections::HashMap;
use std::io;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, EventBatch, EventKind, EventRef, LeftOut,
    LocationId, Members, Names, Operand, Order, Output, Quantity, Ranks, Severity, Symbol,
    SymbolTable, TraceError, TraceWriter, UNDEFINED, ValueType,
};

use self::caller::{Caller, Deed, Habits, Purpose};
use self::channels::{Channel, Channels};
use self::collectives::{Agreed, Collective};
use self::lines::{Lines, Shared};
use self::output::Files;
use self::record::{Message, Record, Segment, Spool};
use crate::clock::FLOPS_PER_SECOND;
use crate::definitions::{ACTION, FLOPS, SECONDS};

const MPI: u64 = 4;
const COMM_LOCATIONS: u64 = 4;

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
    /// Receives of each rank of which the trace does not say what they received.
    unknown: Vec<u64>,
    left_out: LeftOut,
}

/// What definitions say.
#[derive(Default)]
struct Known {
    names: Names,
    ranks: Ranks,
    ticks_per_second: f64,
    /// The rank whose actions the events of a location are.
    rank_of: HashMap<LocationId, u64>,
    /// Names of regions of MPI, by id.
    calls: HashMap<u64, String>,
    action: Option<u64>,
    flops: Option<u64>,
    seconds: Option<u64>,
}

/// The location whose events come.
struct Current {
    location: LocationId,
    rank: u64,
    begin: Segment,
    caller: Caller,
    /// When computation began; none while in a call.
    computes_since: Option<u64>,
    latest: u64,
    /// Calls of MPI that are open.
    depth: u64,
    /// The outermost of them.
    call: (Purpose, String),
    /// Calls that are open, with it, within one whose line is known.
    verbatim: u64,
    /// Whether any line is known, so that the others are, too.
    is_verbatim: bool,
}

impl Known {
    fn new(definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let ranks = Ranks::new(definitions, &names);
        let mut calls = HashMap::new();
        for region in definitions.records(DefinitionKind::Region) {
            let name = names.string(region.get(1));
            let begins = name.get(..4).unwrap_or_default();
            if begins.eq_ignore_ascii_case("mpi_") || region.field("paradigm") == Some(MPI) {
                calls.insert(region.get(0), name.to_owned());
            }
        }
        let mut rank_of = HashMap::new();
        for process in names.processes() {
            rank_of.extend(
                process
                    .locations
                    .first()
                    .map(|&first| (first, process.rank)),
            );
        }
        let mut groups = definitions.records(DefinitionKind::Group);
        if let Some(group) =
            groups.find(|group| group.get(2) == COMM_LOCATIONS && group.get(3) == MPI)
        {
            // Those that communicate need not be the first ones of their processes.
            rank_of.clear();
            for (rank, &location) in (0..).zip(group.list()) {
                rank_of.insert(LocationId(location), rank);
            }
        }
        let attribute = |called: &str, of_type: ValueType| {
            let mut all = definitions.records(DefinitionKind::Attribute);
            let found = all.find(|attribute| {
                names.string(attribute.get(1)) == called && attribute.get(3) == of_type as u64
            });
            found.map(|attribute| attribute.get(0))
        };
        Self {
            action: attribute(ACTION, ValueType::String),
            flops: attribute(FLOPS, ValueType::Double),
            seconds: attribute(SECONDS, ValueType::Double),
            ticks_per_second: definitions.clock().ticks_per_second as f64,
            names,
            ranks,
            rank_of,
            calls,
        }
    }

    fn size(&self) -> u64 {
        self.names.processes().len() as u64
    }

    /// Whether all ranks take part in a communicator, each under its own number.
    fn is_world(&self, communicator: Option<u64>) -> bool {
        match communicator.map(|id| self.ranks.members(id)) {
            Some(Some(Members::Group(members))) => {
                members.len() as u64 == self.size() && (0..).zip(members).all(|(i, &m)| i == m)
            }
            Some(Some(_)) => false,
            // Without definitions there is nothing else to be meant.
            Some(None) | None => true,
        }
    }

    /// The line of an action that was read from such a trace.
    fn line(&self, batch: &EventBatch, event: &EventRef) -> Option<String> {
        let attributes = &batch.attributes;
        attributes.rows(event.index).find_map(|row| {
            let (id, value) = (Some(attributes.attribute[row]), attributes.value[row]);
            if id == self.action {
                Some(self.names.string(value).to_owned())
            } else if id == self.flops {
                Some(format!("compute {}", f64::from_bits(value)))
            } else if id == self.seconds {
                Some(format!("sleep {}", f64::from_bits(value)))
            } else {
                None
            }
        })
    }

    /// The other end of a message; `None` if it is no rank.
    fn message(&self, symbol: Symbol, event: &EventRef, own: u64) -> Option<Message> {
        let communicator = symbol.get(Operand::Communicator);
        let peer = symbol.get(Operand::Peer)?;
        let peer = self.ranks.rank(communicator, peer, Some(own));
        (peer < self.size()).then(|| Message {
            peer,
            communicator: communicator.unwrap_or(UNDEFINED),
            tag: symbol.get(Operand::Tag).unwrap_or(UNDEFINED),
            bytes: event.get(Quantity::Bytes).unwrap_or(0),
        })
    }
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
            left_out: LeftOut::default(),
        })
    }

    fn unwritable(&self, error: io::Error) -> TraceError {
        TraceError::unwritable(self.files.scratch(), error)
    }

    /// Begins the rank of a location; whether it is one.
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
            call: (Purpose::Other, String::new()),
            verbatim: 0,
            is_verbatim: false,
        });
        Ok(true)
    }

    /// Ends the rank whose events came last.
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

    /// Counts and writes the records that nothing can change any more.
    fn settle(&mut self, current: &mut Current) -> Result<(), TraceError> {
        while let Some(record) = current.caller.pop() {
            match &record {
                Record::Send { message, .. } => {
                    let channel = Channel {
                        source: current.rank,
                        destination: message.peer,
                        tag: message.tag,
                        communicator: message.communicator,
                    };
                    self.channels.send(channel, message.bytes);
                }
                Record::Receive(message)
                | Record::Post {
                    message: Some(message),
                    ..
                } => {
                    let channel = Channel {
                        source: message.peer,
                        destination: current.rank,
                        tag: message.tag,
                        communicator: message.communicator,
                    };
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

    /// Takes an event of the current rank.
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
            _ => {
                let deed = self.deed(current, symbol, event);
                if current.depth > 0 {
                    current.caller.take(deed, time);
                } else {
                    // A call of its own, which begins here, or did so if it is a collective operation.
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

    /// Takes what enters or leaves a region.
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
        let Some(name) = region.and_then(|region| self.known.calls.get(&region)) else {
            self.left_out.count(symbol.kind.name(), 1);
            return;
        };
        if is_enter {
            if current.depth == 0 {
                current.begin_call(time, self.known.ticks_per_second);
                current.call = (Purpose::of(name), name.clone());
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

    /// What an event does, if an action can say it; counted if not.
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
            EventKind::MpiCollectiveEnd => return self.collective(symbol, event),
            _ => None,
        };
        if deed.is_none() {
            self.left_out.count(kind.name(), 1);
        }
        deed
    }

    fn collective(&mut self, symbol: Symbol, event: &EventRef) -> Option<Deed> {
        let operation = symbol.get(Operand::Operation).unwrap_or(UNDEFINED);
        let communicator = symbol.get(Operand::Communicator);
        if !Collective::is_known(operation) || !self.known.is_world(communicator) {
            let name = Collective::name(operation);
            self.left_out.count(format!("{name} of some ranks"), 1);
            return None;
        }
        self.agreed.take(Collective {
            operation,
            root: symbol.get(Operand::Root).unwrap_or(0),
            sent: event.get(Quantity::Bytes).unwrap_or(0),
            received: event.get(Quantity::BytesReceived).unwrap_or(0),
        });
        Some(Deed::Collective)
    }

    /// What the events of a trace leave open, as far as its symbols tell.
    fn habits(symbols: &SymbolTable) -> Habits {
        let has = |kind| symbols.iter().any(|(_, symbol)| symbol.kind == kind);
        Habits {
            ends_sends: has(EventKind::MpiIsendComplete),
            ends_receives: has(EventKind::MpiIrecv),
        }
    }
}

impl Current {
    /// The end of computation, at which something else begins.
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
        let ranks = self.known.names.processes().len();
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
        let is_from_here = self.known.action.is_some();
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
            mut records,
            segments,
            known,
            habits,
            channels,
            agreed,
            unknown,
            mut left_out,
            ..
        } = *self;
        let unwritable = |error| TraceError::unwritable(files.scratch(), error);
        let ranks = known.size();
        let mut lanes = channels.lanes(&known.ranks);
        let mut rebuilt = Spool::new(tempfile::tempfile_in(files.scratch()).map_err(unwritable)?);
        let received =
            rebuild::rebuild(&unknown, &mut lanes, &segments, &mut records, &mut rebuilt)
                .map_err(unwritable)?;
        let (collectives, surplus) = agreed.finish(ranks);
        left_out.count("collective operation that not all ranks have", surplus);
        let shared = Shared {
            lanes: &lanes,
            collectives: &collectives,
            ranks,
            ends_sends: habits.is_some_and(|habits| habits.ends_sends),
        };
        let mut not_waited_for = 0;
        for ((rank, &segment), &received) in (0..).zip(&segments).zip(&received) {
            let mut lines = Lines::new(&shared, rank, files.rank(rank)?);
            if segment.is_empty() {
                lines.write_nothing().map_err(unwritable)?;
                continue;
            }
            let read = records.read(segment).map_err(unwritable)?;
            let rebuilt = rebuilt.read(received).map_err(unwritable)?;
            lines.write(read, rebuilt).map_err(unwritable)?;
            not_waited_for += lines.not_waited_for;
        }
        let mut diagnostics = report(&shared, &unknown, not_waited_for);
        diagnostics.merge(left_out.diagnostics("ti.left_out"));
        files.complete(ranks)?;
        Ok(diagnostics)
    }
}

/// What was not written as the trace has it.
fn report(shared: &Shared<'_>, unknown: &[u64], not_waited_for: u64) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut tell = |severity, key, count: u64, message: String| {
        if count > 0 {
            diagnostics.report_many(Diagnostic::new(severity, key, message), count);
        }
    };
    let (sends, receives) = shared.lanes.unmatched();
    let rebuilt: u64 = shared.lanes.all.iter().map(|lane| lane.rebuilt).sum();
    let lost = unknown.iter().sum::<u64>() - rebuilt;
    tell(
        Severity::Loss,
        "ti.unmatched",
        sends + receives + lost,
        format!(
            "left out, having no other end: {sends} sends, {} receives",
            receives + lost
        ),
    );
    tell(
        Severity::Warning,
        "ti.rebuilt",
        rebuilt,
        format!(
            "{rebuilt} receives that the trace does not end were given the messages sent to their \
             ranks, in the order of time"
        ),
    );
    tell(
        Severity::Note,
        "ti.renamed_tag",
        shared.lanes.renamed,
        "tags of other communicators were replaced by unused ones".to_owned(),
    );
    tell(
        Severity::Note,
        "ti.not_waited_for",
        not_waited_for,
        "requests open beside one of the same ranks and tag are not waited for, as a replay \
         cannot tell them apart"
            .to_owned(),
    );
    let uneven = shared.collectives.iter().filter(|one| one.is_uneven());
    tell(
        Severity::Warning,
        "ti.evened",
        uneven.count() as u64,
        "collective operations of uneven parts were written with even ones; the trace has the sums"
            .to_owned(),
    );
    diagnostics
}
