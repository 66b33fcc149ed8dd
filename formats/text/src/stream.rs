//! The stream of a text trace: lines in, batches out.
//!
//! Most lines repeat what an earlier one did at another time. What stands before `time=` is looked
//! up as it is among the lines seen before; only what is new is parsed and resolved.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventStream, LocationId, Place,
    Position, Quantity, Severity, Step, SymbolId, SymbolTable, TraceError, UNDEFINED,
};
use hashbrown::HashTable;

use crate::buffers::{Backwards, Buffers};
use crate::definition::MARK;
use crate::event::{self, Extras};
use crate::lexer::{Fault, is_blank};
use crate::resolve::Resolver;
use crate::source::{LONGEST_LINE, Line, NoLine, Source};

/// Beginnings of lines with their location and symbol.
#[derive(Default)]
struct Beginnings {
    bytes: Vec<u8>,
    table: HashTable<Beginning>,
}

struct Beginning {
    start: u32,
    length: u32,
    slot: u32,
    symbol: SymbolId,
}

const HASHER: FixedState = FixedState::with_seed(0x7465_7874);

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

impl Beginning {
    fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start as usize..][..self.length as usize]
    }
}

impl Beginnings {
    const MOST: usize = 1 << 16;
    const MOST_BYTES: usize = 1 << 22;
    const LONGEST: usize = 1 << 12;

    #[inline]
    fn find(&self, beginning: &[u8]) -> Option<(u32, SymbolId)> {
        let entry = self
            .table
            .find(hash(beginning), |entry| entry.of(&self.bytes) == beginning)?;
        Some((entry.slot, entry.symbol))
    }

    /// Adds one that is not there yet.
    fn add(&mut self, beginning: &[u8], slot: u32, symbol: SymbolId) {
        if beginning.len() > Self::LONGEST {
            return;
        }
        if self.table.len() >= Self::MOST || self.bytes.len() >= Self::MOST_BYTES {
            self.clear();
        }
        let (start, length) = (self.bytes.len() as u32, beginning.len() as u32);
        self.bytes.extend_from_slice(beginning);
        let bytes = &self.bytes;
        let entry = Beginning {
            start,
            length,
            slot,
            symbol,
        };
        self.table
            .insert_unique(hash(beginning), entry, |entry| hash(entry.of(bytes)));
    }

    fn clear(&mut self) {
        self.table.clear();
        self.bytes.clear();
    }
}

/// Where the symbol of a line ends and its time begins, as far as one look tells.
enum Split<'a> {
    /// All before and all behind `time=`.
    Time(&'a [u8], &'a [u8]),
    /// There are no fields at all.
    Plain,
    /// Neither.
    Other,
}

#[inline]
fn split(line: &[u8]) -> Split<'_> {
    let mut has_fields = false;
    for equals in memchr::memchr_iter(b'=', line) {
        has_fields = true;
        if line[..equals].ends_with(b" time") {
            return Split::Time(&line[..equals - 4], &line[equals + 1..]);
        }
    }
    if has_fields || line.contains(&b'#') {
        Split::Other
    } else {
        Split::Plain
    }
}

/// Everything that a line can change.
struct State {
    resolver: Resolver,
    symbols: SymbolTable,
    beginnings: Beginnings,
    buffers: Buffers,
    extras: Extras,
}

impl State {
    /// Takes a definition or a comment in; whether the line is one.
    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        let blanks = line.bytes.iter().take_while(|&&b| is_blank(b)).count();
        let rest = &line.bytes[blanks..];
        if rest.starts_with(MARK) {
            self.beginnings.clear();
            self.resolver
                .define(line.bytes, line.file, blanks + MARK.len())?;
            return Ok(true);
        }
        Ok(matches!(rest.first(), None | Some(b'#')))
    }

    #[inline]
    fn take(&mut self, line: Line<'_>) -> Result<Option<Backwards>, Fault> {
        let bytes = line.bytes;
        if matches!(bytes.first(), None | Some(b'#' | b' ' | b'\t')) && self.take_other(line)? {
            return Ok(None);
        }
        let split = split(bytes);
        let (beginning, tail) = match split {
            Split::Time(beginning, tail) => (beginning, Some(tail)),
            Split::Plain => (bytes, None),
            Split::Other => return self.take_event(bytes, None),
        };
        let Some((slot, symbol)) = self.beginnings.find(beginning) else {
            return self.take_event(bytes, Some(beginning));
        };
        let kind = self.symbols.kind(symbol);
        let mut quantities = [UNDEFINED; Quantity::COUNT];
        self.extras.clear();
        let mut time = None;
        if let Some(tail) = tail {
            time = event::parse_tail(tail, kind, &mut quantities, &mut self.extras);
            if time.is_none() {
                return self.take_event(bytes, None);
            }
        }
        Ok(self
            .buffers
            .push(slot, symbol, kind, time, &quantities, &self.extras))
    }

    /// Takes an event in that has to be looked at in full.
    #[cold]
    fn take_event(
        &mut self,
        line: &[u8],
        beginning: Option<&[u8]>,
    ) -> Result<Option<Backwards>, Fault> {
        let event = event::parse(line, &mut self.extras)?;
        let (location, symbol) = self.resolver.resolve(&event)?;
        let slot = self.buffers.slot(location);
        let id = self.symbols.intern(symbol);
        if let Some(beginning) = beginning
            && (event.symbol_end == Some(beginning.len()) || beginning.len() == line.len())
        {
            self.beginnings.add(beginning, slot, id);
        }
        let Self {
            buffers, extras, ..
        } = self;
        Ok(buffers.push(slot, id, event.kind, event.time, &event.quantities, extras))
    }
}

/// A text trace being read.
pub(crate) struct TextStream {
    source: Source,
    state: State,
    salvage: bool,
    /// What the caller gets to know once all events before it are handed out.
    failure: Option<TraceError>,
    has_ended: bool,
}

impl TextStream {
    pub(crate) fn new(source: Source, salvage: bool, is_folder: bool) -> Self {
        let state = State {
            resolver: Resolver::new(is_folder),
            symbols: SymbolTable::default(),
            beginnings: Beginnings::default(),
            buffers: Buffers::default(),
            extras: Extras::default(),
        };
        Self {
            source,
            state,
            salvage,
            failure: None,
            has_ended: false,
        }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Reads on to the first event and gives the definitions before it.
    pub(crate) fn read_definitions(
        &mut self,
        diagnostics: &mut Diagnostics,
    ) -> Result<Definitions, TraceError> {
        while self.failure.is_none() {
            match self.source.next_line() {
                Ok(Some(line)) => {
                    let (number, offset, is_whole) = (line.number, line.offset, line.is_whole);
                    let is_binary = line.bytes.contains(&0);
                    match self.state.take_other(line) {
                        Ok(true) => {}
                        Ok(false) => {
                            self.source.put_back(offset);
                            break;
                        }
                        Err(fault) => {
                            self.bad_line(fault, number, offset, is_whole, is_binary, diagnostics);
                        }
                    }
                }
                Ok(None) => break,
                Err(error) => self.no_line(error, diagnostics),
            }
        }
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(self.take_definitions()),
        }
    }

    fn take_definitions(&mut self) -> Definitions {
        std::mem::take(&mut self.state.resolver.maker.fresh)
    }

    /// Reads until a batch is ready, something fails, or the input ends.
    fn read(&mut self, diagnostics: &mut Diagnostics) {
        while !self.state.buffers.is_ready() && self.failure.is_none() {
            match self.source.next_line() {
                Ok(Some(line)) => match self.state.take(line) {
                    Ok(None) => {}
                    Ok(Some(backwards)) => {
                        let (number, offset) = (line.number, line.offset);
                        self.went_backwards(backwards, number, offset, diagnostics);
                    }
                    Err(fault) => {
                        let (number, offset, is_whole) = (line.number, line.offset, line.is_whole);
                        let is_binary = line.bytes.contains(&0);
                        self.bad_line(fault, number, offset, is_whole, is_binary, diagnostics);
                    }
                },
                Ok(None) => {
                    self.state.resolver.maker.finish();
                    self.state.buffers.flush();
                    self.has_ended = true;
                    break;
                }
                Err(error) => self.no_line(error, diagnostics),
            }
        }
        if self.failure.is_some() {
            self.state.buffers.flush();
        }
    }

    #[cold]
    fn went_backwards(
        &self,
        backwards: Backwards,
        number: u64,
        offset: u64,
        diagnostics: &mut Diagnostics,
    ) {
        let Backwards {
            location,
            position,
            time,
            before,
        } = backwards;
        let place = self.source.place(number, offset).event(location, position);
        let message = format!("time goes back from {before} to {time}");
        diagnostics.report(
            Diagnostic::new(Severity::Warning, "text.time_backwards", message)
                .at(place)
                .hint("lines of a location stand in the order in which things happened"),
        );
    }

    #[cold]
    fn bad_line(
        &mut self,
        fault: Fault,
        number: u64,
        offset: u64,
        is_whole: bool,
        is_binary: bool,
        diagnostics: &mut Diagnostics,
    ) {
        let mut kind = ErrorKind::Malformed;
        let Fault {
            mut message,
            mut hint,
            at,
        } = fault;
        if is_binary {
            "expected lines of text, found binary data".clone_into(&mut message);
            hint = Some("'foldtrace formats' lists what can be read; --from names one");
        } else if !is_whole {
            kind = ErrorKind::Truncated;
            message.push_str(", in a last line without an end");
            hint = Some("was the program still running, or the disk full, when it was written?");
        }
        let place = self.source.place(number, offset + at as u64);
        if self.salvage {
            let mut diagnostic =
                Diagnostic::new(Severity::Loss, "text.bad_line", message).at(place);
            diagnostic.hint = hint;
            diagnostics.report(diagnostic);
            return;
        }
        let mut error = TraceError::new(kind, message).at(place);
        error.hint = hint.map(str::to_owned);
        self.failure = Some(error);
    }

    #[cold]
    fn no_line(&mut self, error: NoLine, diagnostics: &mut Diagnostics) {
        match error {
            NoLine::TooLong(number, offset) => {
                let message =
                    format!("expected a line of at most {LONGEST_LINE} bytes, found a longer one");
                let fault = Fault::new(0, message).hint("is it a text trace at all?");
                self.bad_line(fault, number, offset, true, false, diagnostics);
            }
            NoLine::Unreadable(error) if self.salvage => diagnostics.report(
                Diagnostic::new(Severity::Loss, "text.unreadable", with_cause(&error))
                    .at(Place::file(self.source.path()))
                    .hint("what was read before is kept"),
            ),
            NoLine::Unreadable(error) => self.failure = Some(error),
        }
    }
}

fn with_cause(error: &TraceError) -> String {
    match &error.source {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

impl EventStream for TextStream {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        if !self.state.buffers.is_ready() && !self.has_ended {
            self.read(diagnostics);
        }
        let is_batch = self.state.buffers.take(batch);
        if !is_batch {
            batch.reset(LocationId::default(), Position::default());
        }
        batch.definitions = self.take_definitions();
        if !self.state.buffers.is_ready()
            && let Some(failure) = self.failure.take()
        {
            return Err(failure);
        }
        Ok(if is_batch { Step::Batch } else { Step::End })
    }

    fn symbols(&self) -> &SymbolTable {
        &self.state.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.source.consumed()
    }
}
