//! Creates definitions for events that have none, from the names in a pasted piece of output.
//!
//! Ids are as printed. Definitions without a printed id, such as the string of a name, get ids from 2^31 on, which
//! archives seldom use.

use std::collections::{BTreeMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, Definitions, LocationId, Minter, Operand, Symbol, UNDEFINED, ValueType,
};

use crate::cursor::{PrintedNumber, text};
use crate::definitions::ParsedDefinition;

/// The first id that is assigned.
const FIRST: u64 = 1 << 31;
/// Maximum number of ranks of a communicator whose locations are recorded.
const MOST_RANKS: u64 = 1 << 20;
const MPI: u64 = 4;
const COMM_LOCATIONS: u64 = 4;
const COMM_GROUP: u64 = 5;

/// The known definitions, and a generator for the missing ones.
#[derive(Default)]
pub(crate) struct ImpliedDefinitions {
    minter: Minter,
    known: HashSet<(DefinitionKind, u64)>,
    /// Whether the group of all ranks is defined.
    has_ranks: bool,
    /// Locations without a definition.
    locations: BTreeMap<u64, Location>,
    /// Communicators without a definition.
    communicators: BTreeMap<u64, Communicator>,
    groups: u64,
    has_begun: bool,
}

/// A location without a definition.
struct Location {
    process: u64,
    has_name: bool,
    /// A name that was printed only after the location was created.
    late_name: Option<String>,
}

/// A communicator without a definition.
struct Communicator {
    /// The id of the string with its name.
    name: u64,
    is_world: bool,
    /// Locations by rank, as far as they were printed.
    ranks: BTreeMap<u64, u64>,
}

impl ImpliedDefinitions {
    /// Takes a definition of the input.
    pub(crate) fn define(&mut self, parsed: &ParsedDefinition) {
        if let Some(id) = parsed.id() {
            self.known.insert((parsed.kind.numbering(), id));
            self.minter.is_taken(parsed.kind.numbering(), id);
        }
        self.has_ranks |= parsed.kind == DefinitionKind::Group
            && parsed.fields.get(2..4) == Some(&[COMM_LOCATIONS, MPI]);
        let ParsedDefinition {
            kind,
            fields,
            list,
            text,
        } = parsed;
        self.minter.define(*kind, fields, list, text);
    }

    /// Adds a property of the trace.
    pub(crate) fn property(&mut self, text: &str) {
        self.minter
            .define(DefinitionKind::TraceProperty, &[], &[], text);
    }

    /// Returns the definitions that became known since the last call.
    pub(crate) fn take(&mut self) -> Definitions {
        self.minter.take()
    }

    fn begin(&mut self) {
        use DefinitionKind::{Comm, Group, Region, SourceCodeLocation, String};
        if !std::mem::replace(&mut self.has_begun, true) {
            for kind in [String, Region, Group, Comm, SourceCodeLocation] {
                self.minter.is_taken(kind, FIRST - 1);
            }
        }
    }

    /// Records a location, and its name if it is known.
    pub(crate) fn location(&mut self, id: u64, name: Option<&[u8]>) -> LocationId {
        let name = name.map(text);
        if self.known.insert((DefinitionKind::Location, id)) {
            self.begin();
            let unnamed = format!("location {id}");
            let process = self.minter.process(&unnamed);
            self.define_location(id, name.as_deref().unwrap_or(&unnamed), process);
            let location = Location {
                process,
                has_name: name.is_some(),
                late_name: None,
            };
            self.locations.insert(id, location);
        } else if let (Some(location), Some(name)) = (self.locations.get_mut(&id), name)
            && !location.has_name
        {
            location.has_name = true;
            location.late_name = Some(name.into_owned());
        }
        LocationId(id)
    }

    fn define_location(&mut self, id: u64, name: &str, process: u64) {
        const CPU_THREAD: u64 = 1;
        let name = self.minter.string(name);
        let fields = [id, name, CPU_THREAD, UNDEFINED, process];
        self.minter
            .define(DefinitionKind::Location, &fields, &[], "");
    }

    /// Records the definitions that the operands of a new symbol name.
    pub(crate) fn symbol(&mut self, symbol: &Symbol, items: &[(Operand, PrintedNumber<'_>)]) {
        for (operand, item) in items {
            if let (Some(kind), Some(name)) = (operand.refers_to(), item.name) {
                self.reference(kind, item.number, name);
            }
        }
        let communicator = symbol.get(Operand::Communicator);
        for (_, item) in items {
            if let (Some((location, name)), Some(communicator)) = (item.location, communicator) {
                self.rank(communicator, item.number, location, name);
            }
        }
    }

    /// Records a name that was printed for an id.
    pub(crate) fn reference(&mut self, kind: DefinitionKind, id: u64, name: &[u8]) {
        let kind = kind.numbering();
        if id == UNDEFINED || self.known.contains(&(kind, id)) {
            return;
        }
        let name = text(name);
        if kind == DefinitionKind::Location {
            self.location(id, Some(name.as_bytes()));
            return;
        }
        self.known.insert((kind, id));
        self.begin();
        match kind {
            DefinitionKind::String => self.minter.define(kind, &[id], &[], &name),
            DefinitionKind::CallingContext => self.calling_context(id, &name),
            DefinitionKind::SourceCodeLocation => self.source_code_location(id, &name),
            DefinitionKind::Comm => {
                let communicator = Communicator {
                    name: self.minter.string(&name),
                    is_world: name == "MPI_COMM_WORLD",
                    ranks: BTreeMap::new(),
                };
                self.communicators.insert(id, communicator);
                self.named(kind, id, &name);
            }
            DefinitionKind::IoRegularFile => match name.strip_prefix("directory://") {
                Some(name) => self.named(DefinitionKind::IoDirectory, id, name),
                None => self.named(kind, id, name.strip_prefix("file://").unwrap_or(&name)),
            },
            _ => self.named(kind, id, &name),
        }
    }

    fn named(&mut self, kind: DefinitionKind, id: u64, name: &str) {
        let Some(slot) = kind.slot("name") else {
            return;
        };
        let mut fields = vec![UNDEFINED; kind.fields().len()];
        let string = self.minter.string(name);
        (fields[0], fields[slot]) = (id, string);
        if kind == DefinitionKind::Region {
            // As far as is known, the region has the same name in the program.
            fields[slot + 1] = string;
        }
        self.minter.define(kind, &fields, &[], "");
    }

    /// Defines a calling context from `region@file:line`.
    fn calling_context(&mut self, id: u64, name: &str) {
        let (region, place) = name.rsplit_once('@').unwrap_or((name, ""));
        let region = self.minter.region(region);
        let place = if place.is_empty() {
            UNDEFINED
        } else {
            self.place(place)
        };
        let fields = [id, region, place, UNDEFINED];
        self.minter
            .define(DefinitionKind::CallingContext, &fields, &[], "");
    }

    /// Defines a source code location `file:line` and returns its new id.
    fn place(&mut self, name: &str) -> u64 {
        let id = FIRST + self.known.len() as u64;
        self.source_code_location(id, name);
        id
    }

    fn source_code_location(&mut self, id: u64, name: &str) {
        let (file, line) = name.rsplit_once(':').unwrap_or((name, ""));
        let file = self.minter.string(file);
        let line = line.parse().unwrap_or(UNDEFINED);
        let fields = [id, file, line];
        self.minter
            .define(DefinitionKind::SourceCodeLocation, &fields, &[], "");
    }

    /// Records an attribute and its type.
    pub(crate) fn attribute(&mut self, id: u64, name: &[u8], value_type: ValueType) {
        if self.known.insert((DefinitionKind::Attribute, id)) {
            self.begin();
            let name = self.minter.string(&text(name));
            let fields = [id, name, UNDEFINED, u64::from(value_type as u8)];
            self.minter
                .define(DefinitionKind::Attribute, &fields, &[], "");
        }
    }

    /// Records a metric by its members: id, name and type.
    pub(crate) fn metric(&mut self, id: u64, members: &[(u64, &[u8], ValueType)]) {
        if id == UNDEFINED
            || members.is_empty()
            || !self.known.insert((DefinitionKind::MetricClass, id))
        {
            return;
        }
        self.begin();
        for &(member, name, value_type) in members {
            if self.known.insert((DefinitionKind::MetricMember, member)) {
                let name = self.minter.string(&text(name));
                let mut fields = [UNDEFINED; 9];
                (fields[0], fields[1]) = (member, name);
                fields[5] = u64::from(value_type as u8);
                self.minter
                    .define(DefinitionKind::MetricMember, &fields, &[], "");
            }
        }
        let list: Vec<u64> = members.iter().map(|&(member, ..)| member).collect();
        let fields = [id, UNDEFINED, UNDEFINED];
        self.minter
            .define(DefinitionKind::MetricClass, &fields, &list, "");
    }

    /// Records the location of a rank in a communicator without a definition.
    fn rank(&mut self, communicator: u64, rank: u64, location: u64, name: &[u8]) {
        self.location(location, Some(name).filter(|name| !name.is_empty()));
        if rank < MOST_RANKS
            && let Some(communicator) = self.communicators.get_mut(&communicator)
        {
            communicator.ranks.insert(rank, location);
        }
    }

    /// Adds the definitions that are only known at the end of the input: names of locations that came late, the order
    /// of ranks, and the members of communicators.
    pub(crate) fn finish(&mut self) {
        let locations = std::mem::take(&mut self.locations);
        if locations.is_empty() {
            return;
        }
        for (&id, location) in &locations {
            if let Some(name) = &location.late_name {
                self.define_location(id, name, location.process);
            }
        }
        let all: Vec<u64> = locations.into_keys().collect();
        if !self.has_ranks {
            self.group(COMM_LOCATIONS, &all);
        }
        for (id, communicator) in std::mem::take(&mut self.communicators) {
            if let Some(members) = communicator.members(&all) {
                let group = self.group(COMM_GROUP, &members);
                let fields = [id, communicator.name, group, UNDEFINED, 0];
                self.minter.define(DefinitionKind::Comm, &fields, &[], "");
            }
        }
    }

    fn group(&mut self, group_type: u64, members: &[u64]) -> u64 {
        self.groups += 1;
        let group = FIRST + self.groups;
        let fields = [group, UNDEFINED, group_type, MPI, 0];
        self.minter
            .define(DefinitionKind::Group, &fields, members, "");
        group
    }
}

impl Communicator {
    /// Returns the members as ranks of the program, whose locations are `all`. If no rank was printed, the members
    /// are unknown, except for a communicator whose name is that of all processes.
    fn members(&self, all: &[u64]) -> Option<Vec<u64>> {
        let Some((&last, _)) = self.ranks.last_key_value() else {
            return self.is_world.then(|| (0..all.len() as u64).collect());
        };
        if last > 2 * self.ranks.len() as u64 + 64 {
            // Too few ranks are known.
            return None;
        }
        let rank = |location: &u64| {
            all.binary_search(location)
                .map_or(UNDEFINED, |rank| rank as u64)
        };
        let members = (0..=last).map(|number| self.ranks.get(&number).map_or(UNDEFINED, rank));
        Some(members.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::{EventKind, Names, Ranks};

    #[test]
    fn ranks_come_from_the_peers_of_sends() {
        let mut implied = ImpliedDefinitions::default();
        for (own, rank, peer, name) in [(900, 0, 5, "a"), (5, 1, 900, "b")] {
            implied.location(own, None);
            let symbol = Symbol::new(EventKind::MpiSend, &[rank, 3, 7]);
            let peer = PrintedNumber {
                number: rank,
                location: Some((peer, name.as_bytes())),
                ..PrintedNumber::default()
            };
            let world = PrintedNumber {
                number: 3,
                name: Some(b"MPI_COMM_WORLD"),
                location: None,
            };
            implied.symbol(
                &symbol,
                &[(Operand::Peer, peer), (Operand::Communicator, world)],
            );
        }
        implied.finish();
        let definitions = implied.take();
        let names = Names::new(&definitions);
        assert_eq!(names.rank(LocationId(5)), Some((0, 0)));
        assert_eq!(names.rank(LocationId(900)), Some((1, 0)));
        assert_eq!(names.name(DefinitionKind::Location, 900), Some("b"));
        let ranks = Ranks::new(&definitions, &names);
        assert_eq!(ranks.rank(Some(3), 1, None), 1);
        assert_eq!(names.name(DefinitionKind::Comm, 3), Some("MPI_COMM_WORLD"));
    }

    #[test]
    fn a_calling_context_is_a_region_and_a_place() {
        let mut implied = ImpliedDefinitions::default();
        implied.reference(DefinitionKind::CallingContext, 4, b"work@a.c:10");
        let definitions = implied.take();
        let names = Names::new(&definitions);
        let context = definitions
            .records(DefinitionKind::CallingContext)
            .next()
            .unwrap();
        let region = context.field("region").unwrap();
        assert_eq!(names.name(DefinitionKind::Region, region), Some("work"));
        let place = definitions
            .records(DefinitionKind::SourceCodeLocation)
            .next()
            .unwrap();
        assert_eq!(context.field("source_code_location"), place.field("id"));
        assert_eq!(place.field("line"), Some(10));
        assert_eq!(names.string(place.get(1)), "a.c");
    }
}
