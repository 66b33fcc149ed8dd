//! A stream made of lines: a parser takes the lines one at a time, and a demultiplexer returns their events in
//! batches.

use foldtrace_trace::{
    Backwards, Definitions, Demultiplexer, Diagnostic, Diagnostics, ErrorKind, EventBatch,
    EventStream, Input, LocationId, Place, Position, ReadOptions, Remedy, Severity, Step,
    SymbolTable, TraceError,
};

use crate::lines::{LONGEST_LINE, Line, Lines, NoLine};
use crate::single::{SingleReader, SingleStream};

/// The hint for bytes that do not occur in a trace of the format.
const ANOTHER_FORMAT: &str = "the file may be in another format";

/// An error in a line, and its position in the line.
#[derive(Debug)]
pub struct Fault {
    /// The message, with the expected and the found text.
    pub message: String,
    /// Advice for the user.
    pub hint: Option<&'static str>,
    /// Offset in the line.
    pub at: usize,
}

impl Fault {
    /// Creates a fault at offset `at` of the line.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            at,
        }
    }

    /// Creates a fault at a place where `found` was read instead of `expected`.
    #[must_use]
    pub fn expected(expected: &str, found: &[u8], at: usize) -> Self {
        Self::new(at, format!("expected {expected}, found {}", show(found)))
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// Returns bytes of the input for a message: short, and on one line.
#[must_use]
pub fn show(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let mut short = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() {
            short.extend(c.escape_debug());
        } else {
            short.push(c);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    format!("'{short}'")
}

/// Keys and severities of the diagnostics of a format made of lines.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// A line was skipped.
    pub bad_line: (Severity, &'static str),
    /// Time goes backwards in a location; `None` if the format allows it.
    pub time_backwards: Option<(Severity, &'static str)>,
    /// The device failed.
    pub unreadable: (Severity, &'static str),
}

/// A parser for the lines of a format, with all state that lines can change.
pub trait LineParser: Send + Sized + 'static {
    /// The keys and severities of the diagnostics.
    const DIALECT: Dialect;

    /// Opens the lines of an input, and creates a parser for them.
    ///
    /// # Errors
    /// If the input is missing or unreadable.
    fn open(input: Input) -> Result<(Self, Lines), TraceError>;

    /// Parses a line that is not an event: a definition, a comment or an empty line. Returns `false` if the line is
    /// an event, which must then be passed to [`take`](Self::take).
    ///
    /// # Errors
    /// If the line is neither.
    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault>;

    /// Parses any line.
    ///
    /// # Errors
    /// If the line does not match the grammar.
    fn take(&mut self, line: Line<'_>) -> Result<(), Fault>;

    /// Handles the end of the input: adds the definitions that are known only now, and pushes pending events.
    fn finish(&mut self, diagnostics: &mut Diagnostics);

    /// Returns the definitions found since the last call.
    fn take_definitions(&mut self) -> Definitions;

    /// Returns the demultiplexer that receives the events.
    fn events(&mut self) -> &mut Demultiplexer;

    /// Returns the table of the symbols of the events.
    fn symbols(&self) -> &SymbolTable;
}

/// An open trace made of lines.
pub type LineReader<P> = SingleReader<LineStream<P>>;

/// A stream of events that are read from lines.
pub struct LineStream<P> {
    lines: Lines,
    parser: P,
    salvage: bool,
    /// The error to return after all events before it were returned.
    failure: Option<TraceError>,
    has_ended: bool,
}

/// The facts about a line that an error reports, without its bytes.
#[derive(Clone, Copy)]
struct LineFacts {
    number: u64,
    offset: u64,
    is_whole: bool,
    is_binary: bool,
}

impl LineFacts {
    fn new(line: Line<'_>) -> Self {
        Self {
            number: line.number,
            offset: line.offset,
            is_whole: line.is_whole,
            is_binary: line.bytes.contains(&0),
        }
    }
}

impl<P: LineParser> LineStream<P> {
    /// Creates a stream of `lines`, for formats with one file per location, whose readers open each file themselves.
    pub fn new(parser: P, lines: Lines, options: ReadOptions) -> Self {
        Self {
            lines,
            parser,
            salvage: options.salvage,
            failure: None,
            has_ended: false,
        }
    }

    /// Reads up to the first event, and returns the definitions before it.
    fn read_definitions(
        &mut self,
        diagnostics: &mut Diagnostics,
    ) -> Result<Definitions, TraceError> {
        while self.failure.is_none() {
            match self.lines.next_line() {
                Ok(Some(line)) => match self.parser.take_other(line) {
                    Ok(true) => {}
                    Ok(false) => {
                        let offset = line.offset;
                        self.lines.put_back(offset);
                        break;
                    }
                    Err(fault) => {
                        let facts = LineFacts::new(line);
                        self.bad_line(fault, facts, diagnostics);
                    }
                },
                Ok(None) => break,
                Err(error) => self.no_line(error, diagnostics),
            }
        }
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(self.parser.take_definitions()),
        }
    }

    /// Reads until a batch is ready, something fails, or the input ends.
    fn read(&mut self, diagnostics: &mut Diagnostics) {
        while !self.parser.events().is_ready() && self.failure.is_none() {
            match self.lines.next_line() {
                Ok(Some(line)) => match self.parser.take(line) {
                    Ok(()) => {
                        if let Some(backwards) = self.parser.events().take_backwards() {
                            let (number, offset) = (line.number, line.offset);
                            self.went_backwards(backwards, number, offset, diagnostics);
                        }
                    }
                    Err(fault) => {
                        let facts = LineFacts::new(line);
                        self.bad_line(fault, facts, diagnostics);
                    }
                },
                Ok(None) => {
                    self.parser.finish(diagnostics);
                    self.parser.events().flush();
                    self.has_ended = true;
                    break;
                }
                Err(error) => self.no_line(error, diagnostics),
            }
        }
        if self.failure.is_some() {
            self.parser.events().flush();
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
        let Some(key) = P::DIALECT.time_backwards else {
            return;
        };
        let Backwards {
            location,
            position,
            time,
            before,
        } = backwards;
        let place = self.lines.place(number, offset).event(location, position);
        let message = format!("time goes back from {before} to {time}");
        diagnostics.report(
            diagnostic(key, message)
                .at(place)
                .hint("the lines of a location must be in the order in which its events happened"),
        );
    }

    #[cold]
    fn bad_line(&mut self, fault: Fault, line: LineFacts, diagnostics: &mut Diagnostics) {
        let mut kind = ErrorKind::Malformed;
        let Fault {
            mut message,
            mut hint,
            at,
        } = fault;
        if line.is_binary {
            "expected lines of text, found binary data".clone_into(&mut message);
            hint = Some(ANOTHER_FORMAT);
        } else if !line.is_whole {
            kind = ErrorKind::Truncated;
            message.push_str("; the last line has no line end");
            hint = Some(
                "the program may still have been running, or the disk full, when the file was written",
            );
        }
        let place = self.lines.place(line.number, line.offset + at as u64);
        if self.salvage {
            let mut bad_line = diagnostic(P::DIALECT.bad_line, message).at(place);
            bad_line.hint = hint;
            diagnostics.report(bad_line);
            return;
        }
        let mut error = TraceError::new(kind, message).at(place);
        error.hint = hint.map(str::to_owned);
        error.remedy = (hint == Some(ANOTHER_FORMAT)).then_some(Remedy::InputFormat);
        self.failure = Some(error);
    }

    #[cold]
    fn no_line(&mut self, error: NoLine, diagnostics: &mut Diagnostics) {
        match error {
            NoLine::TooLong(number, offset) => {
                let message =
                    format!("expected a line of at most {LONGEST_LINE} bytes, found a longer one");
                let mut fault = Fault::new(0, message);
                fault.hint = Some(ANOTHER_FORMAT);
                let line = LineFacts {
                    number,
                    offset,
                    is_whole: true,
                    is_binary: false,
                };
                self.bad_line(fault, line, diagnostics);
            }
            NoLine::Unreadable(error) if self.salvage && error.is_salvageable() => diagnostics
                .report(
                    diagnostic(P::DIALECT.unreadable, with_cause(&error))
                        .at(Place::file(self.lines.path()))
                        .hint("everything read before the failure is kept"),
                ),
            NoLine::Unreadable(error) => self.failure = Some(error),
        }
    }
}

fn diagnostic((severity, key): (Severity, &'static str), message: String) -> Diagnostic {
    Diagnostic::new(severity, key, message)
}

fn with_cause(error: &TraceError) -> String {
    match &error.source {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

impl<P: LineParser> SingleStream for LineStream<P> {
    fn begin(
        input: Input,
        options: ReadOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        let (parser, lines) = P::open(input)?;
        let mut stream = Self::new(parser, lines, options);
        let definitions = stream.read_definitions(diagnostics)?;
        Ok((stream, definitions))
    }

    fn size(&self) -> u64 {
        self.lines.size
    }

    fn is_repeatable(&self) -> bool {
        self.lines.is_repeatable
    }
}

impl<P: LineParser> EventStream for LineStream<P> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        if !self.parser.events().is_ready() && !self.has_ended {
            self.read(diagnostics);
        }
        let is_batch = self.parser.events().take(batch);
        if !is_batch {
            batch.reset(LocationId::default(), Position::default());
        }
        batch.definitions = self.parser.take_definitions();
        if !self.parser.events().is_ready()
            && let Some(failure) = self.failure.take()
        {
            return Err(failure);
        }
        Ok(if is_batch { Step::Batch } else { Step::End })
    }

    fn symbols(&self) -> &SymbolTable {
        self.parser.symbols()
    }

    fn bytes_read(&self) -> u64 {
        self.lines.consumed()
    }
}
