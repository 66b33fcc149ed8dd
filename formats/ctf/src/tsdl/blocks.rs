//! Parses the blocks of TSDL: `trace`, `stream`, `event`, `clock`, `env`, and definitions of types.

use super::lexer::Token;
use super::numbers::Value;
use super::parser::Parser;
use super::specifiers::byte_order;
use crate::class::{ByteOrder, Class, Kind};
use crate::description::{Clock, Description, EPOCH, EventClass, StreamClass, Uuid, clock_offset};
use crate::fault::Fault;
use crate::uuid::parse_uuid;

/// An entry of a block: an attribute or a class.
enum Entry {
    Value(Value),
    Class(Class),
}

impl Entry {
    fn value(self) -> Result<Value, Fault> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Class(_) => Err(Fault::new("expected a value, found a type")),
        }
    }

    fn class(self) -> Result<Class, Fault> {
        match self {
            Self::Class(class) if matches!(class.kind, Kind::Structure(_)) => Ok(class),
            _ => Err(Fault::new("expected a structure")),
        }
    }
}

/// A block of an event, whose stream may come later.
struct Event {
    line: u64,
    id: Option<u64>,
    stream: Option<u64>,
    class: EventClass,
}

/// What the blocks have described so far.
struct Blocks {
    description: Description,
    has_trace: bool,
    events: Vec<Event>,
}

/// Parses metadata.
pub(crate) fn parse(text: &str) -> Result<Description, Fault> {
    let mut parser = Parser::new(text)?;
    let mut blocks = Blocks {
        description: Description::new(true, text.len()),
        has_trace: false,
        events: Vec::new(),
    };
    while *parser.peek(0) != Token::End {
        let line = parser.line();
        blocks
            .block(&mut parser)
            .map_err(|fault| fault.at_line(line))?;
    }
    blocks.finish()
}

impl Parser {
    /// Parses a definition of a type, if there is one. Returns whether there was.
    pub(super) fn type_definition(&mut self) -> Result<bool, Fault> {
        if self.accept("typealias") {
            let class = self.specifier()?;
            self.expect(":=")?;
            let name = self.type_name()?;
            self.define(&name, class)?;
        } else if self.accept("typedef") {
            let class = self.specifier()?;
            let (name, class) = self.declarator(class)?;
            self.define(&name, class)?;
        } else if self.is_tagged_definition() {
            self.specifier()?;
        } else {
            return Ok(false);
        }
        self.expect(";")?;
        Ok(true)
    }

    /// Returns whether a structure, variant or enumeration with a name follows, and nothing that has this type.
    fn is_tagged_definition(&self) -> bool {
        let is_keyword = ["struct", "variant", "enum"]
            .iter()
            .any(|word| self.is(word));
        if !is_keyword || !matches!(self.peek(1), Token::Word(_)) {
            return false;
        }
        let mut depth = 0;
        let mut at = 2;
        loop {
            match self.peek(at) {
                Token::Mark("{") => depth += 1,
                Token::Mark("}") => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                Token::Mark(";") if depth == 0 => return false,
                Token::End => return false,
                _ => {}
            }
            at += 1;
        }
        match self.peek(at + 1) {
            Token::Mark(";") => true,
            // `align(8)` may follow a structure.
            Token::Word(word) => word == "align" && *self.peek(at + 5) == Token::Mark(";"),
            _ => false,
        }
    }

    /// Parses a block with a name for each entry, such as `packet.header := struct { … };`.
    fn named_entries(
        &mut self,
        mut take: impl FnMut(&str, Entry) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.entries(|parser| {
            if parser.type_definition()? {
                return Ok(());
            }
            let mut name = parser.word()?;
            while parser.accept(".") || parser.accept(":") {
                name.push('.');
                name.push_str(&parser.word()?);
            }
            let entry = if parser.accept(":=") {
                Entry::Class(parser.specifier()?)
            } else {
                parser.expect("=")?;
                Entry::Value(parser.value()?)
            };
            parser.expect(";")?;
            take(&name, entry)
        })?;
        self.expect(";")
    }
}

impl Blocks {
    fn block(&mut self, parser: &mut Parser) -> Result<(), Fault> {
        if parser.accept(";") || parser.type_definition()? {
            return Ok(());
        }
        if ["struct", "variant", "enum"]
            .iter()
            .any(|word| parser.is(word))
        {
            parser.specifier()?;
            return parser.expect(";");
        }
        let line = parser.line();
        match parser.word()?.as_str() {
            "trace" => self.trace(parser),
            "stream" => self.stream(parser),
            "event" => self.event(parser, line),
            "clock" => self.clock(parser),
            "env" => parser.named_entries(|name, entry| {
                let value = entry.value()?.text();
                self.description.environment.push((name.to_owned(), value));
                Ok(())
            }),
            // Places in source code, which no reader uses.
            "callsite" => parser.named_entries(|_, _| Ok(())),
            other => Err(Fault::new(format!(
                "expected 'trace', 'stream', 'event', 'clock', 'env' or a type, found '{other}'"
            ))),
        }
    }

    fn trace(&mut self, parser: &mut Parser) -> Result<(), Fault> {
        let description = &mut self.description;
        if std::mem::replace(&mut self.has_trace, true) {
            return Err(Fault::new("there are two 'trace' blocks"));
        }
        let mut version = [None; 2];
        parser.named_entries(|name, entry| {
            match name {
                "major" => version[0] = Some(entry.value()?.number()?),
                "minor" => version[1] = Some(entry.value()?.number()?),
                "uuid" => description.uuid = Some(uuid(&entry.value()?)?),
                "byte_order" => description.order = byte_order(&entry.value()?)?,
                "packet.header" => description.packet_header = Some(entry.class()?),
                _ => {}
            }
            Ok(())
        })?;
        if version != [Some(1), Some(8)] {
            let [major, minor] = version.map(|it| it.map_or("?".to_owned(), |it| it.to_string()));
            return Err(Fault::new(format!(
                "expected version 1.8 of CTF, found {major}.{minor}"
            )));
        }
        if description.order == ByteOrder::Native {
            return Err(Fault::new("the trace has no byte order"));
        }
        Ok(())
    }

    fn stream(&mut self, parser: &mut Parser) -> Result<(), Fault> {
        let (mut id, mut stream) = (0, StreamClass::default());
        parser.named_entries(|name, entry| {
            match name {
                "id" => id = entry.value()?.unsigned()?,
                "packet.context" => stream.packet_context = Some(entry.class()?),
                "event.header" => stream.event_header = Some(entry.class()?),
                "event.context" => stream.common_context = Some(entry.class()?),
                _ => {}
            }
            Ok(())
        })?;
        if self.description.streams.insert(id, stream).is_some() {
            return Err(Fault::new(format!(
                "there are two streams with the number {id}"
            )));
        }
        Ok(())
    }

    fn event(&mut self, parser: &mut Parser, line: u64) -> Result<(), Fault> {
        let mut event = Event {
            line,
            id: None,
            stream: None,
            class: EventClass {
                name: String::new(),
                specific_context: None,
                payload: None,
            },
        };
        let class = &mut event.class;
        parser.named_entries(|name, entry| {
            match name {
                "name" => class.name = entry.value()?.text(),
                "id" => event.id = Some(entry.value()?.unsigned()?),
                "stream_id" => event.stream = Some(entry.value()?.unsigned()?),
                "context" => class.specific_context = Some(entry.class()?),
                "fields" => class.payload = Some(entry.class()?),
                // Log levels and addresses of models.
                _ => {}
            }
            Ok(())
        })?;
        self.events.push(event);
        Ok(())
    }

    fn clock(&mut self, parser: &mut Parser) -> Result<(), Fault> {
        let mut clock = Clock {
            id: String::new(),
            frequency: 1_000_000_000,
            offset: 0,
            origin: String::new(),
        };
        let (mut seconds, mut cycles) = (0, 0);
        let (mut is_absolute, mut uuid) = (false, None);
        parser.named_entries(|name, entry| {
            let value = entry.value()?;
            match name {
                "name" => clock.id = value.text(),
                "freq" => clock.frequency = value.unsigned()?,
                "offset_s" => seconds = value.number()?,
                "offset" => cycles = value.number()?,
                "absolute" => is_absolute = value.truth()?,
                "uuid" => uuid = Some(value.text()),
                _ => {}
            }
            Ok(())
        })?;
        if clock.frequency == 0 || clock.id.is_empty() {
            return Err(Fault::new("a clock has no name, or a frequency of 0"));
        }
        let is_known = |known: &Clock| known.id == clock.id;
        if self.description.clocks.iter().any(is_known) {
            return Err(Fault::new(format!("there are two clocks '{}'", clock.id)));
        }
        clock.offset = clock_offset(seconds, clock.frequency, cycles)?;
        clock.origin = match uuid {
            _ if is_absolute => EPOCH.to_owned(),
            Some(uuid) => uuid,
            None => String::new(),
        };
        self.description.clocks.push(clock);
        Ok(())
    }

    /// Adds the events to their streams.
    fn finish(mut self) -> Result<Description, Fault> {
        if !self.has_trace {
            return Err(Fault::new("there is no 'trace' block"));
        }
        let streams = &mut self.description.streams;
        if streams.is_empty() && !self.events.is_empty() {
            streams.insert(0, StreamClass::default());
        }
        for event in self.events {
            let fault = |message: String| Err(Fault::new(message).at_line(event.line));
            let only = if streams.len() == 1 {
                streams.keys().next().copied()
            } else {
                None
            };
            let Some(id) = event.stream.or(only) else {
                return fault(format!("the event '{}' has no stream", event.class.name));
            };
            let Some(stream) = streams.get_mut(&id) else {
                return fault(format!(
                    "the event '{}' has the unknown stream {id}",
                    event.class.name
                ));
            };
            let number = match event.id {
                None if !stream.events.is_empty() => {
                    return fault(format!("the event '{}' has no number", event.class.name));
                }
                number => number.unwrap_or(0),
            };
            if stream.events.insert(number, event.class).is_some() {
                return fault(format!(
                    "stream {id} has two events with the number {number}"
                ));
            }
        }
        Ok(self.description)
    }
}

fn uuid(value: &Value) -> Result<Uuid, Fault> {
    let text = value.text();
    parse_uuid(&text).ok_or_else(|| Fault::new(format!("expected a UUID, found '{text}'")))
}
