//! Parses the fragments of metadata: the preamble, and classes of traces, clocks, streams and events.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field_classes::Aliases;
use super::object::{Object, integer};
use crate::description::{Clock, Description, EPOCH, EventClass, StreamClass, Uuid, clock_offset};
use crate::fault::Fault;

/// The character before each fragment.
const SEPARATOR: char = '\x1e';

/// What the fragments have described so far.
struct Fragments {
    description: Description,
    aliases: Aliases,
    has_preamble: bool,
}

/// Parses metadata.
pub(crate) fn parse(text: &str) -> Result<Description, Fault> {
    let mut fragments = Fragments {
        description: Description::new(false, text.len()),
        aliases: Aliases::default(),
        has_preamble: false,
    };
    let mut line = 1;
    for fragment in text.split(SEPARATOR) {
        let blanks = &fragment[..fragment.len() - fragment.trim_start().len()];
        let first_line = line + lines(blanks);
        line += lines(fragment);
        if fragment.trim().is_empty() {
            continue;
        }
        let value: Value = serde_json::from_str(fragment).map_err(|error| {
            let in_fragment = (error.line().max(1) - 1) as u64;
            let fault = Fault::new(format!("expected a JSON object: {error}"));
            fault.at_line(line - lines(fragment) + in_fragment)
        })?;
        fragments
            .take(&value)
            .map_err(|fault| fault.at_line(first_line))?;
    }
    if !fragments.has_preamble {
        return Err(Fault::new("there is no preamble"));
    }
    Ok(fragments.description)
}

fn lines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

impl Fragments {
    fn take(&mut self, value: &Value) -> Result<(), Fault> {
        let fragment = Object::new("fragment", value)?;
        let name = fragment.text("type")?.unwrap_or_default();
        if !self.has_preamble && name != "preamble" {
            return Err(Fault::new("the first fragment is no preamble"));
        }
        match name {
            "preamble" => self.preamble(fragment),
            "field-class-alias" => self.aliases.add(fragment),
            "trace-class" => self.trace(fragment),
            "clock-class" => self.clock(fragment),
            "data-stream-class" => self.stream(fragment),
            "event-record-class" => self.event(fragment),
            other => Err(Fault::new(format!(
                "there is no fragment of type \"{other}\""
            ))),
        }
    }

    fn preamble(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        if std::mem::replace(&mut self.has_preamble, true) {
            return Err(Fault::new("there are two preambles"));
        }
        let version = fragment.unsigned("version")?;
        if version != Some(2) {
            let found = version.map_or("none".to_owned(), |version| version.to_string());
            return Err(Fault::new(format!(
                "expected version 2 of CTF, found {found}"
            )));
        }
        if let Some(extensions) = fragment.object("extensions")?
            && let Some((name, _)) = extensions.properties().next()
        {
            let message = format!("the metadata need the extension \"{name}\", which is unknown");
            return Err(Fault::new(message));
        }
        let uuid = fragment.array("uuid")?.iter();
        let uuid: Vec<u8> = uuid
            .filter_map(|byte| u8::try_from(byte.as_u64()?).ok())
            .collect();
        self.description.uuid = Uuid::try_from(uuid).ok();
        Ok(())
    }

    fn trace(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        let description = &mut self.description;
        description.name = fragment.text("name")?.map(str::to_owned);
        if let Some(environment) = fragment.object("environment")? {
            let entry = |(name, value): (&str, &Value)| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                (name.to_owned(), text)
            };
            description.environment = environment.properties().map(entry).collect();
        }
        description.packet_header = self.aliases.root(fragment, "packet-header-field-class")?;
        Ok(())
    }

    fn clock(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        // Drafts of the specification have the name instead of the id.
        let id = fragment
            .text("id")?
            .or(fragment.text("name")?)
            .unwrap_or_default();
        let frequency = fragment.unsigned("frequency")?.unwrap_or(0);
        if frequency == 0 {
            return Err(Fault::new(format!("the clock \"{id}\" has no frequency")));
        }
        let number = |object: Object<'_>, name: &str| {
            let value = object.get(name);
            value.map_or(Ok(0), |value| integer(name, value))
        };
        let offset = match fragment.object("offset-from-origin")? {
            Some(offset) => clock_offset(
                number(offset, "seconds")?,
                frequency,
                number(offset, "cycles")?,
            )?,
            None => 0,
        };
        let origin = match fragment.get("origin") {
            Some(Value::String(origin)) => origin.clone(),
            Some(origin) => origin.to_string(),
            None => fragment.text("uid")?.unwrap_or_default().to_owned(),
        };
        let is_epoch = fragment
            .get("origin-is-unix-epoch")
            .and_then(Value::as_bool);
        self.description.clocks.push(Clock {
            id: id.to_owned(),
            frequency,
            offset,
            origin: if is_epoch == Some(true) {
                EPOCH.to_owned()
            } else {
                origin
            },
        });
        Ok(())
    }

    fn stream(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        let id = fragment.unsigned("id")?.unwrap_or(0);
        let clock = fragment.text("default-clock-class-id")?;
        let clock = clock.or(fragment.text("default-clock-class-name")?);
        if let Some(clock) = clock
            && !self
                .description
                .clocks
                .iter()
                .any(|known| known.id == clock)
        {
            return Err(Fault::new(format!("there is no clock \"{clock}\"")));
        }
        let root = |name| self.aliases.root(fragment, name);
        let stream = StreamClass {
            packet_context: root("packet-context-field-class")?,
            event_header: root("event-record-header-field-class")?,
            common_context: root("event-record-common-context-field-class")?,
            clock: clock.map(str::to_owned),
            events: BTreeMap::new(),
        };
        if self.description.streams.insert(id, stream).is_some() {
            return Err(Fault::new(format!(
                "there are two streams with the number {id}"
            )));
        }
        Ok(())
    }

    fn event(&mut self, fragment: Object<'_>) -> Result<(), Fault> {
        let id = fragment.unsigned("id")?.unwrap_or(0);
        let stream_id = fragment.unsigned("data-stream-class-id")?.unwrap_or(0);
        let event = EventClass {
            name: fragment.text("name")?.unwrap_or_default().to_owned(),
            specific_context: self
                .aliases
                .root(fragment, "specific-context-field-class")?,
            payload: self.aliases.root(fragment, "payload-field-class")?,
        };
        let stream = self.description.streams.get_mut(&stream_id);
        let stream = stream.ok_or_else(|| Fault::new(format!("there is no stream {stream_id}")))?;
        if stream.events.insert(id, event).is_some() {
            return Err(Fault::new(format!(
                "stream {stream_id} has two events with the number {id}"
            )));
        }
        Ok(())
    }
}
