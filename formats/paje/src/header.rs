//! The header: defines the events of a file, with their codes and the order of their fields.
//!
//! ```text
//! %EventDef PajePushState 12
//! % Time date
//! % Type string
//! % Container string
//! % Value string
//! %EndEventDef
//! ```
//!
//! Producers choose codes and orders freely, add fields of their own, and use older names for some fields. An event
//! may be defined several times, with several codes.

use std::collections::HashMap;

use foldtrace_input::{Fault, Known, show};

use crate::action::Action;
use crate::lexer::{Lexer, Word};

macro_rules! paje_events {
    ($($(#[$doc:meta])* $variant:ident $text:literal $required:expr;)*) => {
        /// The events of the format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum PajeEvent { $($(#[$doc])* $variant,)* }

        impl PajeEvent {
            fn from_name(name: &[u8]) -> Option<Self> {
                $(if name == $text.as_bytes() { return Some(Self::$variant); })*
                None
            }

            /// Returns the name in a header.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the fields that a definition of the event must have.
            const fn required(self) -> &'static [Field] {
                use Field::*;
                match self { $(Self::$variant => &$required,)* }
            }
        }
    };
}

paje_events! {
    DefineContainerType "PajeDefineContainerType" [Name];
    DefineStateType "PajeDefineStateType" [Type, Name];
    DefineEventType "PajeDefineEventType" [Type, Name];
    DefineVariableType "PajeDefineVariableType" [Type, Name];
    DefineLinkType "PajeDefineLinkType" [Name];
    DefineEntityValue "PajeDefineEntityValue" [Type, Name];
    CreateContainer "PajeCreateContainer" [Type, Name];
    DestroyContainer "PajeDestroyContainer" [Time, Name];
    SetState "PajeSetState" [Time, Type, Container, Value];
    PushState "PajePushState" [Time, Type, Container, Value];
    PopState "PajePopState" [Time, Type, Container];
    ResetState "PajeResetState" [Time, Type, Container];
    SetVariable "PajeSetVariable" [Time, Type, Container, Value];
    AddVariable "PajeAddVariable" [Time, Type, Container, Value];
    SubVariable "PajeSubVariable" [Time, Type, Container, Value];
    NewEvent "PajeNewEvent" [Time, Type, Container, Value];
    StartLink "PajeStartLink" [Time, Type, StartContainer, Key];
    EndLink "PajeEndLink" [Time, Type, EndContainer, Key];
    /// An event that is not part of the format. Its lines are skipped and counted.
    Other "" [];
}

impl PajeEvent {
    /// Returns whether lines of the event have a time, instead of defining something.
    pub(crate) const fn is_timed(self) -> bool {
        use PajeEvent::{
            AddVariable, EndLink, NewEvent, PopState, PushState, ResetState, SetState, SetVariable,
            StartLink, SubVariable,
        };
        matches!(
            self,
            SetState
                | PushState
                | PopState
                | ResetState
                | SetVariable
                | AddVariable
                | SubVariable
                | NewEvent
                | StartLink
                | EndLink
        )
    }

    const fn is_variable(self) -> bool {
        matches!(
            self,
            Self::SetVariable | Self::AddVariable | Self::SubVariable
        )
    }
}

/// The meaning of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Time,
    Alias,
    Name,
    Type,
    Container,
    Value,
    StartContainer,
    EndContainer,
    Key,
    /// The size of a message in bytes.
    Size,
    /// The tag of a message.
    Tag,
    /// The location of a container, in traces written by foldtrace.
    Location,
    /// A symbol, in traces written by foldtrace.
    Symbol,
    /// Quantities, metrics and attributes, in traces written by foldtrace.
    Carried,
    /// A field that is skipped.
    Other,
}

/// The names of fields that only foldtrace writes.
pub(crate) const LOCATION: &str = "FoldtraceLocation";
pub(crate) const SYMBOL: &str = "FoldtraceSymbol";
pub(crate) const CARRIED: &str = "FoldtraceCarried";

impl Field {
    const COUNT: usize = Self::Other as usize;

    fn from_name(name: &[u8]) -> Self {
        match name {
            b"Time" => Self::Time,
            b"Alias" => Self::Alias,
            b"Name" => Self::Name,
            b"Type" | b"ContainerType" | b"EntityType" => Self::Type,
            b"Container" => Self::Container,
            b"Value" => Self::Value,
            b"StartContainer" | b"SourceContainer" => Self::StartContainer,
            b"EndContainer" | b"DestContainer" => Self::EndContainer,
            b"Key" => Self::Key,
            b"Size" => Self::Size,
            b"Tag" | b"MPITAG" => Self::Tag,
            _ if name == LOCATION.as_bytes() => Self::Location,
            _ if name == SYMBOL.as_bytes() => Self::Symbol,
            _ if name == CARRIED.as_bytes() => Self::Carried,
            _ => Self::Other,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Time => "Time",
            Self::Alias => "Alias",
            Self::Name => "Name",
            Self::Type => "Type",
            Self::Container => "Container",
            Self::Value => "Value",
            Self::StartContainer => "StartContainer",
            Self::EndContainer => "EndContainer",
            Self::Key => "Key",
            Self::Size => "Size",
            Self::Tag => "Tag",
            Self::Location => LOCATION,
            Self::Symbol => SYMBOL,
            Self::Carried => CARRIED,
            Self::Other => "other",
        }
    }

    /// Returns whether the field may differ between lines with the same action.
    const fn varies(self, event: PajeEvent) -> bool {
        match self {
            Self::Key | Self::Size | Self::Tag | Self::Carried | Self::Other => true,
            Self::Value => event.is_variable(),
            _ => false,
        }
    }
}

/// The fields of a line, by meaning.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields<'a> {
    words: [Option<Word<'a>>; Field::COUNT],
    /// Offset of the end of the line.
    end: usize,
}

impl<'a> Fields<'a> {
    /// No fields, for lines whose fields are all covered by a cached action.
    pub(crate) const NONE: Fields<'static> = Fields {
        words: [None; Field::COUNT],
        end: 0,
    };

    #[inline]
    pub(crate) fn get(&self, field: Field) -> Option<Word<'a>> {
        self.words.get(field as usize).copied().flatten()
    }

    /// Returns a field that the definition of the event must contain.
    pub(crate) fn require(&self, field: Field) -> Result<Word<'a>, Fault> {
        self.get(field).ok_or_else(|| {
            let message = format!("expected the field {}, found none", field.name());
            Fault::new(self.end, message)
        })
    }

    #[inline]
    pub(crate) fn set(&mut self, field: Field, word: Word<'a>) {
        if let Some(slot) = self.words.get_mut(field as usize) {
            // Some producers write two fields of the same name, the second one empty.
            if slot.is_none_or(|before| before.bytes.is_empty()) {
                *slot = Some(word);
            }
        }
    }
}

/// The definition of the lines with a certain code.
#[derive(Debug)]
pub(crate) struct EventDef {
    pub event: PajeEvent,
    fields: Vec<Field>,
    /// The number of fields after the time that determine the action of a line. `None` unless the time is the first
    /// field and all other fields come after these.
    pub stable: Option<usize>,
    /// A cache of actions, by the text of these fields.
    pub actions: Known<Action>,
}

impl EventDef {
    /// Returns whether these fields are the last ones.
    pub(crate) fn is_all_stable(&self) -> bool {
        self.stable == Some(self.fields.len() - 1)
    }

    /// Returns whether the definition contains a field.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.fields.contains(&field)
    }

    /// Splits the rest of a line into fields, starting with field number `first` of the definition.
    pub(crate) fn fields<'a>(
        &self,
        words: &mut Lexer<'a>,
        first: usize,
        fields: &mut Fields<'a>,
    ) -> Result<(), Fault> {
        for &field in &self.fields[first..] {
            let Some(word) = words.next()? else {
                let at = words.at();
                let message = format!(
                    "expected the field {} of {}, found the end of the line",
                    field.name(),
                    self.event.name()
                );
                return Err(Fault::new(at, message).hint(COUNT_HINT));
            };
            fields.set(field, word);
        }
        fields.end = words.at();
        self.end(words)
    }

    /// Checks that nothing follows the last field.
    #[inline]
    pub(crate) fn end(&self, words: &mut Lexer<'_>) -> Result<(), Fault> {
        match words.next()? {
            None => Ok(()),
            Some(word) => {
                let message = format!(
                    "expected the end of the line after {} fields of {}, found {}",
                    self.fields.len(),
                    self.event.name(),
                    show(word.bytes)
                );
                Err(Fault::new(word.at, message).hint(COUNT_HINT))
            }
        }
    }
}

const COUNT_HINT: &str = "the header defines the fields of each event";

/// The definition being read.
#[derive(Debug)]
struct OpenDefinition {
    event: PajeEvent,
    code: u64,
    fields: Vec<Field>,
}

/// The definitions of events read so far.
#[derive(Debug, Default)]
pub(crate) struct Header {
    open: Option<OpenDefinition>,
    defs: Vec<EventDef>,
    /// Definitions of small codes, by code: their index plus 1, or 0 for none.
    small: Vec<u32>,
    large: HashMap<u64, u32>,
    /// The indices of the definitions with cached actions.
    cached: Vec<usize>,
}

impl Header {
    /// Codes below this number are looked up in an array.
    const SMALL: u64 = 1 << 10;
    /// Maximum number of fields of an event.
    const MAX_FIELDS: usize = 1 << 8;

    /// Parses a line that begins with `%`.
    pub(crate) fn parse_line(&mut self, line: &[u8]) -> Result<(), Fault> {
        let percent = line.iter().take_while(|&&byte| byte != b'%').count();
        let mut words = Lexer::new(line, percent + 1);
        let Some(word) = words.next()? else {
            return Ok(());
        };
        match word.bytes {
            b"EventDef" => self.begin(&mut words),
            b"EndEventDef" => self.finish(word),
            _ => {
                let Some(open) = &mut self.open else {
                    return Err(word.fault("'EventDef'").hint(
                        "fields are defined between '%EventDef NAME CODE' and '%EndEventDef'",
                    ));
                };
                if open.fields.len() >= Self::MAX_FIELDS {
                    let message = format!(
                        "expected at most {} fields of an event, found more",
                        Self::MAX_FIELDS
                    );
                    return Err(Fault::new(word.at, message));
                }
                open.fields.push(Field::from_name(word.bytes));
                Ok(())
            }
        }
    }

    fn begin(&mut self, words: &mut Lexer<'_>) -> Result<(), Fault> {
        self.open = None;
        let example = "the code follows the name, as in '%EventDef PajePushState 12'";
        let name = words.next()?.unwrap_or_default();
        let code = words.next()?.unwrap_or(Word {
            at: words.at(),
            ..Word::default()
        });
        let Some(number) = foldtrace_notation::number(code.bytes) else {
            return Err(code.fault("the code of an event").hint(example));
        };
        self.open = Some(OpenDefinition {
            event: PajeEvent::from_name(name.bytes).unwrap_or(PajeEvent::Other),
            code: number,
            fields: Vec::new(),
        });
        Ok(())
    }

    fn finish(&mut self, word: Word<'_>) -> Result<(), Fault> {
        let Some(OpenDefinition {
            event,
            code,
            fields,
        }) = self.open.take()
        else {
            return Err(word.fault("'EventDef'"));
        };
        let missing = event
            .required()
            .iter()
            .find(|field| !fields.contains(field));
        if let Some(missing) = missing {
            let message = format!(
                "expected the field {} in the definition of {}, found none",
                missing.name(),
                event.name()
            );
            return Err(Fault::new(word.at, message));
        }
        let index = self.defs.len() as u32;
        if code < Self::SMALL {
            let needed = code as usize + 1;
            self.small.resize(self.small.len().max(needed), 0);
            self.small[code as usize] = index + 1;
        } else {
            self.large.insert(code, index);
        }
        let after_time = fields.get(1..).unwrap_or_default();
        let varies = |field: &Field| field.varies(event);
        let stable = after_time
            .iter()
            .position(varies)
            .unwrap_or(after_time.len());
        let is_split =
            fields.first() == Some(&Field::Time) && after_time[stable..].iter().all(varies);
        self.defs.push(EventDef {
            event,
            fields,
            stable: is_split.then_some(stable),
            actions: Known::default(),
        });
        Ok(())
    }

    /// Returns the index of the definition of a code; the last definition applies.
    #[inline]
    pub(crate) fn find(&self, code: u64) -> Option<usize> {
        if code < Self::SMALL {
            let index = *self.small.get(code as usize)?;
            return (index > 0).then(|| index as usize - 1);
        }
        self.large.get(&code).map(|&index| index as usize)
    }

    /// Returns the definition whose index [`find`](Self::find) returned.
    #[inline]
    pub(crate) fn def(&self, index: usize) -> &EventDef {
        &self.defs[index]
    }

    /// Caches the action of lines with the given stable fields.
    pub(crate) fn cache_action(&mut self, index: usize, stable: &[u8], action: Action) {
        let actions = &mut self.defs[index].actions;
        if actions.is_empty() {
            self.cached.push(index);
        }
        actions.add(stable, action);
    }

    /// Clears all cached actions, because names may have a new meaning.
    pub(crate) fn clear_actions(&mut self) {
        for index in self.cached.drain(..) {
            self.defs[index].actions.clear();
        }
    }
}
