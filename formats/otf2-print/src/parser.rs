//! Parses the lines of otf2-print's output into definitions and events.
//!
//! A line belongs to a section, or is a record by itself if only some lines were kept. An event is held back until
//! the next line is read, which may contain its attributes.

use std::collections::HashMap;

use foldtrace_input::{Dialect, Fault, LONGEST_LINE, Line, LineParser, Lines, show};
use foldtrace_trace::{
    Carried, DefinitionKind, Definitions, Demultiplexer, Diagnostic, Diagnostics, EventKind, Input,
    Severity, Symbol, SymbolId, SymbolTable, TraceError,
};

use crate::anchor::Anchor;
use crate::cursor::{Cursor, Stop};
use crate::definitions::{DEFINITIONS, DefinitionRow, parse as parse_definition};
use crate::events::{EVENTS, EventRow};
use crate::implied_definitions::ImpliedDefinitions;
use crate::record::{is_additional, parse as parse_event, parse_additional};

/// Maximum number of bytes, and of lines, of a record whose names contain newlines. The record is parsed again with
/// each line, so that these limits bound the time.
const LONGEST_RECORD: usize = LONGEST_LINE;
const MOST_LINES: u32 = 256;

/// The layout of a record, by its first word.
#[derive(Clone, Copy)]
pub(crate) enum RecordRow {
    Event(&'static EventRow),
    Definition(&'static DefinitionRow),
}

/// Returns the layouts of all records by their first words.
pub(crate) fn record_rows() -> HashMap<&'static [u8], RecordRow> {
    let events = EVENTS.iter().map(|row| (row.word, RecordRow::Event(row)));
    let definitions = DEFINITIONS
        .iter()
        .map(|row| (row.word, RecordRow::Definition(row)));
    let rows = events.chain(definitions);
    rows.map(|(word, row)| (word.as_bytes(), row)).collect()
}

/// Returns a line without the quotation marks or the margin that a mail adds before it.
pub(crate) fn unquoted(line: &[u8]) -> &[u8] {
    let start = line
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t' | b'>' | b'|'));
    start.map_or(b"", |start| &line[start..])
}

/// The section that a line belongs to if it is not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Records,
    Anchor,
    /// Snapshots or thumbnails, whose records look like events but are not events.
    Other,
}

/// The effect of a line that is not a record on the section.
enum Frame {
    Section(Section),
    /// The line has no effect.
    Nothing,
}

/// An event that waits for its attributes.
struct WaitingEvent {
    slot: u32,
    symbol: SymbolId,
    kind: EventKind,
    time: u64,
}

/// The state that lines change.
pub(crate) struct PrintParser {
    rows: HashMap<&'static [u8], RecordRow>,
    section: Section,
    anchor: Anchor,
    definitions: ImpliedDefinitions,
    symbols: SymbolTable,
    events: Demultiplexer,
    waiting: Option<WaitingEvent>,
    carried: Carried,
    /// The beginning of a record with a name that continues on the next line, and its number of lines so far.
    unfinished: Vec<u8>,
    unfinished_lines: u32,
    /// The offset that is added to times, once the first time is known.
    offset: Option<u64>,
    first_tick: u64,
    /// Whether any line was recognised as output of otf2-print.
    is_output: bool,
    strays: u64,
    first_stray: String,
    left_out: u64,
}

impl PrintParser {
    fn new() -> Self {
        Self {
            rows: record_rows(),
            section: Section::Records,
            anchor: Anchor::default(),
            definitions: ImpliedDefinitions::default(),
            symbols: SymbolTable::default(),
            events: Demultiplexer::default(),
            waiting: None,
            carried: Carried::default(),
            unfinished: Vec::new(),
            unfinished_lines: 0,
            offset: None,
            first_tick: 0,
            is_output: false,
            strays: 0,
            first_stray: String::new(),
            left_out: 0,
        }
    }

    /// Returns the layout of a line that begins with the word of a record, and the offset after the word.
    #[inline]
    fn row(&self, record: &[u8]) -> Option<(RecordRow, usize)> {
        let length = record.iter().position(|&byte| byte == b' ')?;
        let row = self.rows.get(&record[..length])?;
        Some((*row, length))
    }

    /// Adds the event that waited for attributes to the events.
    #[inline]
    fn push_waiting(&mut self) {
        if let Some(event) = self.waiting.take() {
            let WaitingEvent {
                slot,
                symbol,
                kind,
                time,
            } = event;
            self.events
                .push(slot, symbol, kind, Some(time), &self.carried);
        }
    }

    /// Parses and takes a record that begins with the word of `row`.
    #[inline]
    fn take_record(&mut self, record: &[u8], row: RecordRow, at: usize) -> Result<(), Stop> {
        let mut cursor = Cursor::new(record, at);
        match row {
            RecordRow::Event(row) => self.take_event(row, &mut cursor),
            RecordRow::Definition(row) => {
                let parsed = parse_definition(row, &mut cursor)?;
                if let (DefinitionKind::ClockProperties, [_, offset, ..]) =
                    (parsed.kind, &parsed.fields[..])
                {
                    self.first_tick = *offset;
                }
                self.definitions.define(&parsed);
                Ok(())
            }
        }
    }

    #[inline]
    fn take_event(&mut self, row: &EventRow, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let record = parse_event(row, cursor, &mut self.carried)?;
        let symbol = Symbol::new(row.kind, &record.operands);
        let known = self.symbols.len();
        let id = self.symbols.intern(symbol);
        let location = self.definitions.location(record.location, None);
        if self.symbols.len() > known {
            self.definitions.symbol(&symbol, record.items());
            self.definitions.metric(record.operands[0], &record.members);
        }
        for string in &record.strings {
            if let Some(name) = string.name {
                self.definitions
                    .reference(DefinitionKind::String, string.number, name);
            }
        }
        let offset = *self.offset.get_or_insert({
            // No event comes before the first tick of its trace.
            if record.time < self.first_tick {
                self.first_tick
            } else {
                0
            }
        });
        self.waiting = Some(WaitingEvent {
            slot: self.events.slot(location),
            symbol: id,
            kind: row.kind,
            time: record.time.saturating_add(offset),
        });
        Ok(())
    }

    fn take_attributes(&mut self, line: &[u8]) -> Result<(), Stop> {
        if self.waiting.is_none() {
            let message = "expected an event before its attributes, found none";
            return Err(Fault::new(0, message).into());
        }
        let (definitions, attributes) = (&mut self.definitions, &mut self.carried.attributes);
        let before = attributes.len();
        let parsed = parse_additional(line, |attribute, value_type, value| {
            if let Some(name) = attribute.name {
                definitions.attribute(attribute.number, name, value_type);
            }
            if let (Some(kind), Some(name)) = (value_type.refers_to(), value.name) {
                definitions.reference(kind, value.number, name);
            }
            attributes.push((attribute.field_value(32), value_type, value.number));
        });
        if parsed.is_err() {
            attributes.truncate(before);
        }
        parsed
    }

    /// Takes a line that is not an event of the section of events.
    fn take_line(&mut self, line: Line<'_>) -> Result<(), Fault> {
        let record = unquoted(line.bytes);
        let margin = line.bytes.len() - record.len();
        if let Some(frame) = frame(record) {
            if let Frame::Section(section) = frame {
                self.is_output = true;
                self.end_anchor();
                self.section = section;
            }
            return Ok(());
        }
        match self.section {
            Section::Anchor => {
                self.anchor.take(line.bytes);
                return Ok(());
            }
            Section::Other => {
                self.left_out += 1;
                return Ok(());
            }
            Section::Records => {}
        }
        let taken = match self.row(record) {
            Some((row, at)) => {
                self.is_output = true;
                self.take_record(record, row, at)
            }
            None if is_additional(record) => self.take_attributes(record),
            None => return self.stray(record, margin),
        };
        match taken {
            Ok(()) => Ok(()),
            Err(Stop::Unfinished) if line.is_whole => {
                self.unfinished.extend_from_slice(record);
                self.unfinished_lines = 1;
                Ok(())
            }
            Err(stop) => Err(fault(stop, margin)),
        }
    }

    /// Takes a line that continues a name of the preceding record.
    #[cold]
    fn take_continued(&mut self, line: Line<'_>) -> Result<(), Fault> {
        let record = unquoted(line.bytes);
        let begins = matches!(frame(record), Some(Frame::Section(_)))
            || self
                .row(record)
                .is_some_and(|(_, at)| has_columns(&record[at..]));
        let mut joined = std::mem::take(&mut self.unfinished);
        if begins
            || joined.len() + line.bytes.len() > LONGEST_RECORD
            || self.unfinished_lines > MOST_LINES
        {
            let message = format!(
                "expected a closing quote and an id for {}, found another record",
                show(&joined)
            );
            self.unfinished_lines = 0;
            let rest = self.take_line(line);
            return rest.and(Err(
                Fault::new(0, message).hint("the lines above are left out")
            ));
        }
        joined.push(b'\n');
        joined.extend_from_slice(line.bytes);
        self.unfinished_lines += 1;
        let taken = match self.row(&joined) {
            Some((row, at)) => self.take_record(&joined, row, at),
            None => self.take_attributes(&joined),
        };
        match taken {
            Ok(()) => Ok(()),
            Err(Stop::Unfinished) if line.is_whole => {
                self.unfinished = joined;
                Ok(())
            }
            Err(stop) => Err(fault(stop, 0)).map_err(|fault| Fault { at: 0, ..fault }),
        }
    }

    /// Takes a line that is not a record, such as text around the output. Returns an error if it looks like a record.
    #[cold]
    fn stray(&mut self, record: &[u8], margin: usize) -> Result<(), Fault> {
        let word = record
            .split(|&byte| byte == b' ')
            .next()
            .unwrap_or_default();
        let is_word = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9');
        if word.len() > 2 && word.iter().all(is_word) && has_columns(&record[word.len()..]) {
            return Err(Fault::expected("a kind of record", word, margin)
                .hint("only the output of otf2-print up to version 3.0 is supported"));
        }
        if record.contains(&0) {
            return Err(Fault::expected("a line of text", record, margin));
        }
        if self.strays == 0 {
            self.first_stray = show(record);
        }
        self.strays += 1;
        Ok(())
    }

    fn end_anchor(&mut self) {
        for property in self.anchor.properties() {
            self.definitions.property(&property);
        }
    }
}

/// Returns whether a column with a number comes next.
fn has_columns(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
    blanks > 1 && rest.get(blanks).is_some_and(u8::is_ascii_digit)
}

/// Classifies a line that is not a record but part of the output; `None` if it is not part of the output.
fn frame(record: &[u8]) -> Option<Frame> {
    const HEADS: [&[u8]; 4] = [
        b"Definition ",
        b"Event ",
        b"Snapshot ",
        b"Press ENTER to print ",
    ];
    if record.is_empty() || record.starts_with(b"----") {
        return Some(Frame::Nothing);
    }
    if let Some(title) = record.strip_prefix(b"=== ") {
        let is_other = [&b"Snapshots"[..], b"Thumbnail", b"Marker"];
        let is_other = is_other.iter().any(|other| title.starts_with(other));
        return Some(Frame::Section(if is_other {
            Section::Other
        } else {
            Section::Records
        }));
    }
    if record.starts_with(b"Content of OTF2 anchor file") {
        return Some(Frame::Section(Section::Anchor));
    }
    if record.starts_with(b"Thumbnail headers:") {
        return Some(Frame::Section(Section::Other));
    }
    let is_head =
        HEADS.iter().any(|head| record.starts_with(head)) && record.ends_with(b"Attributes");
    is_head.then_some(Frame::Nothing)
}

fn fault(stop: Stop, margin: usize) -> Fault {
    let mut fault = match stop {
        Stop::Fault(fault) => fault,
        Stop::Unfinished => Fault::new(0, "expected a closing quote and an id, found the end"),
    };
    fault.at += margin;
    fault
}

impl LineParser for PrintParser {
    const DIALECT: Dialect = Dialect {
        bad_line: (Severity::Loss, "otf2-print.bad_line"),
        time_backwards: Some((Severity::Warning, "otf2-print.time_backwards")),
        unreadable: (Severity::Loss, "otf2-print.unreadable"),
    };

    fn open(input: Input) -> Result<(Self, Lines), TraceError> {
        Ok((Self::new(), Lines::open(input)?))
    }

    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        if !self.unfinished.is_empty() {
            self.take_continued(line)?;
            return Ok(true);
        }
        let is_event = matches!(
            self.row(unquoted(line.bytes)),
            Some((RecordRow::Event(_), _))
        );
        if is_event && self.section == Section::Records {
            return Ok(false);
        }
        self.take_line(line)?;
        Ok(true)
    }

    #[inline]
    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        if !self.unfinished.is_empty() {
            return self.take_continued(line);
        }
        if !is_additional(unquoted(line.bytes)) {
            self.push_waiting();
        }
        self.take_line(line)
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.push_waiting();
        self.end_anchor();
        self.definitions.finish();
        let mut report = |severity, key, message: String, count| {
            if count > 0 {
                diagnostics.report_many(Diagnostic::new(severity, key, message), count);
            }
        };
        let unfinished = u64::from(!self.unfinished.is_empty());
        let message = format!(
            "expected a closing quote and an id for {}, found the end of the input",
            show(&self.unfinished)
        );
        report(Severity::Loss, "otf2-print.bad_line", message, unfinished);
        let message = format!(
            "{} lines are not output of otf2-print, such as {}",
            self.strays, self.first_stray
        );
        if self.is_output {
            report(
                Severity::Note,
                "otf2-print.stray_line",
                message,
                self.strays,
            );
        } else {
            report(Severity::Loss, "otf2-print.no_output", message, self.strays);
        }
        let message = format!(
            "left out: {} lines of snapshots, markers and thumbnails",
            self.left_out
        );
        report(
            Severity::Loss,
            "otf2-print.left_out",
            message,
            self.left_out,
        );
        if let Some(offset @ 1..) = self.offset {
            let message =
                format!("times are relative to the first tick, {offset}, which was added to them");
            report(Severity::Note, "otf2-print.relative_time", message, 1);
        }
    }

    fn take_definitions(&mut self) -> Definitions {
        self.definitions.take()
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.events
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }
}
