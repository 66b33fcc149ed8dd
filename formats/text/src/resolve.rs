//! Resolves the names in lines to ids, with the definitions of the input or with created definitions.
//!
//! A written trace defines everything. Its lines are resolved by the same [`Names`] as in the writer, built from the
//! definitions above the line. The [`DefinitionCreator`] creates definitions for names that these do not contain.

use std::borrow::Cow;
use std::collections::HashMap;

use foldtrace_input::Fault;
use foldtrace_notation::{Word, expected, parse_definition, plain_text, string_ids};
use foldtrace_trace::{DefinitionKind, Definitions, LocationId, Names, Operand, Symbol, parse_set};

use crate::creator::DefinitionCreator;
use crate::event::{Event, Group, Label};

/// Maximum number of members in ranges of lists, not counting one member per byte of text.
const MOST_MEMBERS: u64 = 1 << 25;

/// The group of a collective operation, resolved as far as possible without creating definitions.
enum ResolvedGroup<'a> {
    /// The id of the communicator.
    Communicator(u64),
    /// The text of the group, and its members.
    Members(Word<'a>, Vec<u64>),
}

/// Resolves labels, regions, strings and communicators.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// Definitions of the source that apply to the next line.
    defined: Definitions,
    names: Names,
    names_are_old: bool,
    strings: Option<HashMap<String, u64>>,
    pub creator: DefinitionCreator,
    /// The last group of a collective operation and its communicator.
    last_group: Option<(Vec<u8>, u64)>,
    /// Definition lines in the order in which they were first seen; kept only if files repeat them.
    lines: Vec<Box<[u8]>>,
    keeps_lines: bool,
    /// The index in `lines` up to which the current file repeats them.
    repeats: Option<usize>,
    file: usize,
    members: u64,
}

impl Resolver {
    /// Creates a resolver. `many_files` is set if the input is a folder, whose files repeat definitions.
    pub(crate) fn new(many_files: bool) -> Self {
        Self {
            keeps_lines: many_files,
            ..Self::default()
        }
    }

    /// Parses a definition line.
    pub(crate) fn define(&mut self, line: &[u8], file: usize, at: usize) -> Result<(), Fault> {
        let definition = parse_definition(line, at)?;
        let is_repeated = self.keeps_lines && self.repeats(line, file);
        if !is_repeated {
            self.charge_members(definition.list.len(), line.len(), at)?;
        }
        if !is_repeated && self.creator.record(&definition) {
            let message = format!(
                "expected an unused {} id, found one already created for an earlier line",
                definition.kind.name()
            );
            return Err(Fault::new(at, message).hint(
                "write definitions before the events that use them, or omit all definitions",
            ));
        }
        definition.push_to(&mut self.defined);
        if !is_repeated {
            definition.push_to(&mut self.creator.fresh);
        }
        self.names_are_old = true;
        self.strings = None;
        self.last_group = None;
        Ok(())
    }

    /// Returns whether a file of a folder repeats a line of the files before it. The lines of such a file are
    /// resolved by its own definitions, as when they were written.
    fn repeats(&mut self, line: &[u8], file: usize) -> bool {
        if file != self.file {
            self.file = file;
            self.repeats = None;
            if self.lines.first().is_some_and(|first| **first == *line) {
                self.repeats = Some(0);
                self.defined = Definitions::default();
            }
        }
        if let Some(at) = self.repeats {
            if self.lines.get(at).is_some_and(|earlier| **earlier == *line) {
                self.repeats = Some(at + 1);
                return true;
            }
            self.repeats = None;
        }
        self.lines.push(line.into());
        // The lines that follow are new, so they are not compared.
        false
    }

    /// Limits the memory that short texts can request.
    fn charge_members(&mut self, members: usize, bytes: usize, at: usize) -> Result<(), Fault> {
        self.members += members.saturating_sub(bytes) as u64;
        if self.members > MOST_MEMBERS {
            return Err(Fault::new(
                at,
                format!("expected at most {MOST_MEMBERS} members in all groups, found more"),
            ));
        }
        Ok(())
    }

    fn names(&mut self) -> &Names {
        if self.names_are_old {
            self.names = Names::new(&self.defined);
            self.names_are_old = false;
        }
        &self.names
    }

    /// Returns the location and the symbol of an event.
    pub(crate) fn resolve(&mut self, event: &Event<'_>) -> Result<(LocationId, Symbol), Fault> {
        // Everything that can fail comes first, so a rejected line changes nothing.
        let operand = if event.kind.slot(Operand::Region).is_some() {
            Operand::Region
        } else {
            Operand::String
        };
        // A name next to an id is only for human readers.
        let text = match event.name {
            Some(_) if event.has(operand) => None,
            Some(name) if name.is_quoted() || operand == Operand::Region => Some(name.text()?),
            Some(name) => Some(Cow::Borrowed(plain_text(name)?)),
            None => None,
        };
        let group = match event.group {
            Group::Set(word) => Some(self.group(word)?),
            Group::All | Group::None => None,
        };
        let location = self.location(event.label)?;
        let mut symbol = Symbol::new(event.kind, &event.operands);
        let mut put = |operand, value| {
            if let Some(slot) = event.kind.slot(operand) {
                symbol.operands[slot] = value;
            }
        };
        if let Some(text) = text {
            let id = if operand == Operand::Region {
                self.region(&text)
            } else {
                self.string(&text)
            };
            put(operand, id);
        }
        if event.in_world {
            let communicator = match group {
                Some(ResolvedGroup::Communicator(id)) => id,
                Some(ResolvedGroup::Members(word, members)) => self.communicator(word, &members)?,
                None => self.world(),
            };
            put(Operand::Communicator, communicator);
        }
        if let Some(peer) = symbol.get(Operand::Peer) {
            self.creator.record_peer(peer);
        }
        Ok((location, symbol))
    }

    fn location(&mut self, label: Label) -> Result<LocationId, Fault> {
        let (rank, thread) = match label {
            Label::Id(id) => return Ok(LocationId(id)),
            Label::Thread(rank, thread) => (rank, thread),
        };
        if self.defined.table(DefinitionKind::Location).is_empty() {
            let created = self.creator.location(rank, thread).map(LocationId);
            return created.ok_or_else(|| {
                let message = format!("expected ranks without large gaps, found {label}");
                let hint =
                    "define locations with '#: location' lines, or write their ids, as in '@70000'";
                Fault::new(0, message).hint(hint)
            });
        }
        let names = self.names();
        let process = names.process(rank);
        let location = usize::try_from(thread)
            .ok()
            .and_then(|thread| process?.locations.get(thread).copied());
        location.ok_or_else(|| {
            let processes = names.processes().len();
            let message =
                format!("expected one of the {processes} processes defined above, found {label}");
            let hint = "add a '#: location' line, omit all such lines, or write the id of the location, as in \
                        '@70'";
            Fault::new(0, message).hint(hint)
        })
    }

    fn region(&mut self, name: &str) -> u64 {
        match self.names().region_called(name) {
            Some(id) => id,
            None => self.creator.region(name),
        }
    }

    fn string(&mut self, text: &str) -> u64 {
        if self.strings.is_none() {
            self.names();
            self.strings = Some(string_ids(&self.defined, &self.names));
        }
        match self.strings.as_ref().and_then(|ids| ids.get(text)) {
            Some(&id) => id,
            None => self.creator.string(text),
        }
    }

    fn world(&mut self) -> u64 {
        match self.names().world() {
            Some(id) => id,
            None => self.creator.world(),
        }
    }

    fn group<'a>(&self, word: Word<'a>) -> Result<ResolvedGroup<'a>, Fault> {
        if let Some((text, id)) = &self.last_group
            && text == word.bytes
        {
            return Ok(ResolvedGroup::Communicator(*id));
        }
        let members = std::str::from_utf8(word.bytes).ok().and_then(parse_set);
        let members = members.ok_or_else(|| {
            expected("a group", word)
                .hint("a group is a set of ranks with at most 16777216 members, as in '0-3,8'")
        })?;
        Ok(ResolvedGroup::Members(word, members))
    }

    fn communicator(&mut self, word: Word<'_>, members: &[u64]) -> Result<u64, Fault> {
        let id = match self.defined_communicator(members) {
            Some(id) => id,
            None => {
                if !self.creator.has_communicator(members) {
                    self.charge_members(members.len(), word.bytes.len(), word.at)?;
                }
                self.creator.communicator(members)
            }
        };
        self.last_group = Some((word.bytes.to_vec(), id));
        Ok(id)
    }

    fn defined_communicator(&mut self, members: &[u64]) -> Option<u64> {
        self.names();
        let names = &self.names;
        let comms = self
            .defined
            .records(DefinitionKind::Comm)
            .map(|record| record.get(0));
        names
            .world()
            .into_iter()
            .chain(comms)
            .find(|&id| names.members(id) == Some(members))
    }
}
