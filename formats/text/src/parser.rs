//! Parses the lines of a text trace into events, one line at a time.
//!
//! Most lines repeat an earlier line with another time. The part before `time=` is therefore looked up, byte for
//! byte, among the lines seen before; only new parts are parsed and resolved.

use foldtrace_input::{Dialect, Fault, Known, Line, LineParser, Lines};
use foldtrace_notation::{MARK, is_blank};
use foldtrace_trace::{
    Carried, Definitions, Demultiplexer, Diagnostics, Input, Severity, SymbolId, SymbolTable,
    TraceError,
};

use crate::event;
use crate::folder;
use crate::resolve::Resolver;

/// The split of a line into its symbol and its time, as far as a search for `time=` can tell.
enum Split<'a> {
    /// The parts before and after `time=`.
    Time(&'a [u8], &'a [u8]),
    /// The line has no fields.
    Plain,
    /// Any other line.
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

/// All state that lines can change.
pub(crate) struct TextParser {
    resolver: Resolver,
    symbols: SymbolTable,
    /// Slot and symbol of line beginnings.
    beginnings: Known<(u32, SymbolId)>,
    events: Demultiplexer,
    carried: Carried,
}

impl TextParser {
    fn new(is_folder: bool) -> Self {
        Self {
            resolver: Resolver::new(is_folder),
            symbols: SymbolTable::default(),
            beginnings: Known::default(),
            events: Demultiplexer::default(),
            carried: Carried::default(),
        }
    }

    /// Parses and resolves an event line in full.
    #[cold]
    fn take_event(&mut self, line: &[u8], beginning: Option<&[u8]>) -> Result<(), Fault> {
        let event = event::parse(line, &mut self.carried)?;
        let (location, symbol) = self.resolver.resolve(&event)?;
        let slot = self.events.slot(location);
        let id = self.symbols.intern(symbol);
        if let Some(beginning) = beginning
            && (event.symbol_end == Some(beginning.len()) || beginning.len() == line.len())
        {
            self.beginnings.add(beginning, (slot, id));
        }
        self.carried.quantities = event.quantities;
        self.events
            .push(slot, id, event.kind, event.time, &self.carried);
        Ok(())
    }
}

impl LineParser for TextParser {
    const DIALECT: Dialect = Dialect {
        bad_line: (Severity::Loss, "text.bad_line"),
        time_backwards: Some((Severity::Warning, "text.time_backwards")),
        unreadable: (Severity::Loss, "text.unreadable"),
    };

    fn open(input: Input) -> Result<(Self, Lines), TraceError> {
        let folder = match &input {
            Input::Path(path) if path.is_dir() => Some(path.clone()),
            _ => None,
        };
        let parser = Self::new(folder.is_some());
        let lines = match folder {
            Some(folder) => folder::lines(&folder)?,
            None => Lines::open(input)?,
        };
        Ok((parser, lines))
    }

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
    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        let bytes = line.bytes;
        if matches!(bytes.first(), None | Some(b'#' | b' ' | b'\t')) && self.take_other(line)? {
            return Ok(());
        }
        let (beginning, tail) = match split(bytes) {
            Split::Time(beginning, tail) => (beginning, Some(tail)),
            Split::Plain => (bytes, None),
            Split::Other => return self.take_event(bytes, None),
        };
        let Some((slot, symbol)) = self.beginnings.find(beginning) else {
            return self.take_event(bytes, Some(beginning));
        };
        let kind = self.symbols.kind(symbol);
        self.carried.clear();
        let mut time = None;
        if let Some(tail) = tail {
            time = event::parse_tail(tail, kind, &mut self.carried);
            if time.is_none() {
                return self.take_event(bytes, None);
            }
        }
        self.events.push(slot, symbol, kind, time, &self.carried);
        Ok(())
    }

    fn finish(&mut self, _: &mut Diagnostics) {
        self.resolver.creator.finish();
    }

    fn take_definitions(&mut self) -> Definitions {
        std::mem::take(&mut self.resolver.creator.fresh)
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.events
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }
}
