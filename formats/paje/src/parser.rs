//! Parses the lines of a trace into definitions and events, one line at a time.

use foldtrace_input::{Dialect, Fault, Line, LineParser, Lines};
use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    DefinitionKind, Definitions, Demultiplexer, Diagnostics, Input, LocationId, Severity,
    SymbolTable, TraceError,
};

use crate::builder::Builder;
use crate::carried::parse_symbol;
use crate::header::{Field, Fields, Header, PajeEvent};
use crate::hierarchy::TypeKind;
use crate::lexer::{Lexer, is_blank};

/// The first line of a trace that foldtrace wrote.
pub(crate) const SIGNATURE: &[u8] = b"# foldtrace paje";

/// Maximum number of members in ranges of lists, not counting one member per byte of text.
const MAX_MEMBERS: usize = 1 << 25;

/// A parser with the state of the trace that its lines change.
#[derive(Debug, Default)]
pub(crate) struct PajeParser {
    header: Header,
    builder: Builder,
    /// Number of members in the lists of definitions.
    members: usize,
}

/// The kind of a line.
enum LineKind {
    /// An event: the index of its definition, and the offset after its code.
    Event(usize, usize),
    /// Any other line, which is processed already.
    Processed,
}

impl PajeParser {
    /// Processes a line that is not an event, and returns the kind of the line.
    fn classify(&mut self, line: Line<'_>) -> Result<LineKind, Fault> {
        let bytes = line.bytes;
        let mut words = Lexer::new(bytes, 0);
        let start = words.skip_blanks();
        match bytes.get(start) {
            None => {}
            Some(b'#') => self.take_comment(line, start)?,
            Some(b'%') => {
                self.header.parse_line(bytes)?;
                self.header.clear_actions();
            }
            Some(_) => {
                let word = words.next()?.unwrap_or_default();
                let code = foldtrace_notation::number(word.bytes);
                let Some(index) = code.and_then(|code| self.header.find(code)) else {
                    return Err(word
                        .fault("the code of an event")
                        .hint("the header defines codes, as in '%EventDef PajePushState 12'"));
                };
                let event = self.header.def(index).event;
                if event.is_timed() {
                    return Ok(LineKind::Event(index, words.at()));
                }
                if event == PajeEvent::Other {
                    self.builder.irregularities.unknown_events += 1;
                    return Ok(LineKind::Processed);
                }
                check_text(bytes, 0)?;
                self.take_definition(bytes, index, words.at())?;
                self.header.clear_actions();
            }
        }
        Ok(LineKind::Processed)
    }

    fn take_comment(&mut self, line: Line<'_>, start: usize) -> Result<(), Fault> {
        let comment = &line.bytes[start..];
        if line.number == 1 && comment.starts_with(SIGNATURE) {
            self.builder.is_foldtrace = true;
        }
        if !self.builder.is_foldtrace || !comment.starts_with(MARK) {
            return Ok(());
        }
        let at = start + MARK.len();
        let definition = parse_definition(line.bytes, at)?;
        self.members += definition.list.len().saturating_sub(line.bytes.len());
        if self.members > MAX_MEMBERS {
            let message = format!("expected at most {MAX_MEMBERS} members of groups, found more");
            return Err(Fault::new(at, message));
        }
        let kind = definition.kind;
        if let Some(id) = definition.id() {
            self.builder.minter.is_taken(kind, id);
        }
        self.builder
            .minter
            .define(kind, &definition.fields, &definition.list, &definition.text);
        if kind == DefinitionKind::ClockProperties {
            let mut clock = Definitions::default();
            definition.push_to(&mut clock);
            self.builder.set_clock(&clock.clock());
        }
        Ok(())
    }

    /// Processes a line that defines a type or a value, or creates or destroys a container.
    fn take_definition(&mut self, line: &[u8], index: usize, at: usize) -> Result<(), Fault> {
        let def = self.header.def(index);
        let mut fields = Fields::default();
        def.fields(&mut Lexer::new(line, at), 0, &mut fields)?;
        let (alias, name) = (fields.get(Field::Alias), fields.require(Field::Name)?);
        let parent_type = fields.get(Field::Type);
        let builder = &mut self.builder;
        let kind = match def.event {
            PajeEvent::DefineContainerType => TypeKind::Container,
            PajeEvent::DefineStateType => TypeKind::State,
            PajeEvent::DefineEventType => TypeKind::Event,
            PajeEvent::DefineVariableType => TypeKind::Variable,
            PajeEvent::DefineLinkType => TypeKind::Link,
            PajeEvent::DefineEntityValue => return define_value(builder, &fields),
            PajeEvent::CreateContainer => {
                let container_type = fields.require(Field::Type)?;
                let location = match fields.get(Field::Location) {
                    Some(word) if builder.is_foldtrace => {
                        let id = foldtrace_notation::number(word.bytes);
                        let id = id.ok_or_else(|| word.fault("the id of a location"))?;
                        Some(LocationId(id))
                    }
                    _ => None,
                };
                let parent = fields.get(Field::Container);
                return builder
                    .hierarchy
                    .create(container_type, alias, name, parent, location);
            }
            _ => {
                builder.begin_events();
                let container = builder.hierarchy.find_container(name)?;
                let time = builder.time(fields.require(Field::Time)?)?;
                builder.destroy(container, time);
                return Ok(());
            }
        };
        builder
            .hierarchy
            .define_type(kind, alias, name, parent_type)
    }

    /// Processes a line that describes an event.
    #[inline]
    fn take_event(&mut self, line: &[u8], index: usize, at: usize) -> Result<(), Fault> {
        let def = self.header.def(index);
        let mut words = Lexer::new(line, at);
        let Some(stable) = def.stable else {
            let mut fields = Fields::default();
            def.fields(&mut words, 0, &mut fields)?;
            let time = self.builder.time(fields.require(Field::Time)?)?;
            let action = self.builder.resolve(def, &fields)?;
            return self.builder.perform(action, time, &fields);
        };
        let Some(time) = words.next()? else {
            return def.fields(&mut words, 0, &mut Fields::default());
        };
        let time = self.builder.time(time)?;
        let start = words.skip_blanks();
        let piece = if def.is_all_stable() {
            line[start..].trim_ascii_end()
        } else {
            for _ in 0..stable {
                words.next()?;
            }
            &line[start..words.at().max(start)]
        };
        match def.actions.find(piece) {
            Some(action) if def.is_all_stable() => {
                self.builder.perform(action, time, &Fields::NONE)
            }
            Some(action) => {
                let mut fields = Fields::default();
                def.fields(&mut words, 1 + stable, &mut fields)?;
                self.builder.perform(action, time, &fields)
            }
            None => {
                check_text(piece, start)?;
                let mut fields = Fields::default();
                def.fields(&mut Lexer::new(line, start), 1, &mut fields)?;
                let action = self.builder.resolve(def, &fields)?;
                self.header.cache_action(index, piece, action);
                self.builder.perform(action, time, &fields)
            }
        }
    }
}

/// Checks that text contains no zero bytes, which indicate binary data. `at` is the offset of the text in its line.
fn check_text(bytes: &[u8], at: usize) -> Result<(), Fault> {
    match memchr::memchr(0, bytes) {
        Some(zero) => Err(Fault::new(at + zero, "expected text, found a zero byte")),
        None => Ok(()),
    }
}

fn define_value(builder: &mut Builder, fields: &Fields<'_>) -> Result<(), Fault> {
    let (alias, name) = (fields.get(Field::Alias), fields.require(Field::Name)?);
    let symbol = match fields.get(Field::Symbol) {
        Some(text) if builder.is_foldtrace => {
            let symbol = builder.symbols.intern(parse_symbol(text)?);
            let alias = alias.unwrap_or(name);
            builder.symbols_by_alias.insert(alias.bytes.into(), symbol);
            Some(symbol)
        }
        _ => None,
    };
    let type_name = fields.require(Field::Type)?;
    builder
        .hierarchy
        .define_value(type_name, alias, name, symbol)
}

/// Returns the code at the beginning of a line and the offset after it, if the code is a plain number.
#[inline]
fn code(line: &[u8]) -> Option<(u64, usize)> {
    let (mut code, mut at) = (0, 0);
    while let Some(digit) = line.get(at).map(|byte| byte.wrapping_sub(b'0'))
        && digit <= 9
        && at < 9
    {
        code = code * 10 + u64::from(digit);
        at += 1;
    }
    (at > 0 && line.get(at).is_some_and(|&byte| is_blank(byte))).then_some((code, at))
}

impl LineParser for PajeParser {
    const DIALECT: Dialect = Dialect {
        bad_line: (Severity::Loss, "paje.bad_line"),
        time_backwards: Some((Severity::Warning, "paje.time_backwards")),
        unreadable: (Severity::Loss, "paje.unreadable"),
    };

    fn open(input: Input) -> Result<(Self, Lines), TraceError> {
        Ok((Self::default(), Lines::open(input)?))
    }

    fn take_other(&mut self, line: Line<'_>) -> Result<bool, Fault> {
        let is_taken = matches!(self.classify(line)?, LineKind::Processed);
        if !is_taken {
            self.builder.begin_events();
        }
        Ok(is_taken)
    }

    #[inline]
    fn take(&mut self, line: Line<'_>) -> Result<(), Fault> {
        if let Some((code, at)) = code(line.bytes)
            && let Some(index) = self.header.find(code)
            && self.header.def(index).event.is_timed()
        {
            return self.take_event(line.bytes, index, at);
        }
        match self.classify(line)? {
            LineKind::Event(index, at) => self.take_event(line.bytes, index, at),
            LineKind::Processed => Ok(()),
        }
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.builder.finish();
        self.builder.irregularities.report(diagnostics);
    }

    fn take_definitions(&mut self) -> Definitions {
        self.builder.minter.take()
    }

    fn events(&mut self) -> &mut Demultiplexer {
        &mut self.builder.events
    }

    fn symbols(&self) -> &SymbolTable {
        &self.builder.symbols
    }
}
