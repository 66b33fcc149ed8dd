//! Creates definitions for sources that have names but no ids.
//!
//! A [`Minter`] assigns ids in the order of first occurrence, and keeps the new definitions until a batch takes them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::{Clock, DefinitionKind, Definitions, LocationId, UNDEFINED, ValueType};

const PROCESS: u64 = 1;
const MPI: u64 = 4;
const COMM_LOCATIONS: u64 = 4;
const COMM_GROUP: u64 = 5;

/// A generator of definitions and their ids.
///
/// ```
/// use foldtrace_trace::{Minter, Names};
/// let mut minter = Minter::default();
/// let process = minter.process("rank 0");
/// let thread = minter.location("master", process);
/// let main = minter.region("main");
/// assert_eq!(minter.region("main"), main);
/// let names = Names::new(&minter.take());
/// assert_eq!(names.rank(thread), Some((0, 0)));
/// assert_eq!(names.region_called("main"), Some(main));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Minter {
    fresh: Definitions,
    next: HashMap<DefinitionKind, u64>,
    strings: HashMap<String, u64, RandomState>,
    regions: HashMap<String, u64, RandomState>,
    attributes: HashMap<(u64, ValueType), u64, RandomState>,
    /// The group of locations of each communicator of all processes. The group of its ranks has the next id.
    groups_of_worlds: HashMap<u64, u64>,
    /// The number of this minter among those that take turns; `others` is the number of the other minters.
    turn: u64,
    others: u64,
}

impl Minter {
    fn next(&mut self, kind: DefinitionKind) -> u64 {
        let next = self.next.entry(kind).or_insert(self.turn);
        let id = *next;
        *next += 1 + self.others;
        id
    }

    /// Skips the next `count` ids of a kind, which another party assigns.
    pub fn leave(&mut self, kind: DefinitionKind, count: u64) {
        *self.next.entry(kind).or_default() += count;
    }

    /// Takes turns with other minters in the same state: from now on, of every `all` ids, this minter assigns only
    /// the one with the index `turn`, counted from 0. Parts of a trace that are read in parallel thus never assign
    /// the same id, and ids stay small.
    pub fn take_turns(&mut self, turn: u64, all: u64) {
        (self.turn, self.others) = (turn, all.saturating_sub(1));
        for next in self.next.values_mut() {
            *next += turn;
        }
    }

    /// Marks an id as defined by the source itself, so that it is not assigned again.
    pub fn is_taken(&mut self, kind: DefinitionKind, id: u64) {
        let next = self.next.entry(kind).or_insert(self.turn);
        *next = (*next).max(id.saturating_add(1));
    }

    /// Adds any other definition; see [`Definitions::push`].
    pub fn define(&mut self, kind: DefinitionKind, fields: &[u64], list: &[u64], text: &str) {
        self.fresh.push(kind, fields, list, text);
    }

    /// Defines the clock of the trace.
    pub fn clock(&mut self, clock: Clock) {
        let fields = [
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length,
        ];
        self.define(DefinitionKind::ClockProperties, &fields, &[], "");
    }

    /// Returns the id of a string.
    pub fn string(&mut self, text: &str) -> u64 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.next(DefinitionKind::String);
        self.define(DefinitionKind::String, &[id], &[], text);
        self.strings.insert(text.to_owned(), id);
        id
    }

    /// Returns the id of the region with that name.
    pub fn region(&mut self, name: &str) -> u64 {
        self.region_of(name, UNDEFINED)
    }

    /// Returns the id of the region with that name. If it is new, it belongs to a paradigm, a code of OTF2.
    pub fn region_of(&mut self, name: &str, paradigm: u64) -> u64 {
        if let Some(&id) = self.regions.get(name) {
            return id;
        }
        let string = self.string(name);
        let id = self.next(DefinitionKind::Region);
        let fields = [id, string, string, UNDEFINED, UNDEFINED, paradigm];
        self.define(DefinitionKind::Region, &fields, &[], "");
        self.regions.insert(name.to_owned(), id);
        id
    }

    /// Returns the id of the attribute with that name and type.
    pub fn attribute(&mut self, name: &str, value_type: ValueType) -> u64 {
        let string = self.string(name);
        if let Some(&id) = self.attributes.get(&(string, value_type)) {
            return id;
        }
        let id = self.next(DefinitionKind::Attribute);
        let fields = [id, string, UNDEFINED, u64::from(value_type as u8)];
        self.define(DefinitionKind::Attribute, &fields, &[], "");
        self.attributes.insert((string, value_type), id);
        id
    }

    /// Defines a node of the machine and returns its id. If `parent` is [`UNDEFINED`], the node has no parent.
    pub fn machine(&mut self, name: &str, class: &str, parent: u64) -> u64 {
        let (name, class) = (self.string(name), self.string(class));
        let id = self.next(DefinitionKind::SystemTreeNode);
        let fields = [id, name, class, parent];
        self.define(DefinitionKind::SystemTreeNode, &fields, &[], "");
        id
    }

    /// Defines a new process and returns its id; the n-th process has rank n.
    pub fn process(&mut self, name: &str) -> u64 {
        self.process_on(name, UNDEFINED)
    }

    /// Defines a new process on a node of the machine and returns its id.
    pub fn process_on(&mut self, name: &str, machine: u64) -> u64 {
        self.group_of_locations(name, PROCESS, machine, UNDEFINED)
    }

    /// Defines a new accelerator that a process uses and returns its id. Its streams count as threads of the process.
    pub fn accelerator(&mut self, name: &str, process: u64) -> u64 {
        const ACCELERATOR: u64 = 2;
        self.group_of_locations(name, ACCELERATOR, UNDEFINED, process)
    }

    /// Defines a new group of other locations that count as threads of a process, and returns its id.
    pub fn companion(&mut self, name: &str, process: u64) -> u64 {
        const UNKNOWN: u64 = 0;
        self.group_of_locations(name, UNKNOWN, UNDEFINED, process)
    }

    fn group_of_locations(&mut self, name: &str, kind: u64, machine: u64, creator: u64) -> u64 {
        let string = self.string(name);
        let id = self.next(DefinitionKind::LocationGroup);
        let fields = [id, string, kind, machine, creator];
        self.define(DefinitionKind::LocationGroup, &fields, &[], "");
        id
    }

    /// Defines a new location of a process, a thread, and returns its id.
    pub fn location(&mut self, name: &str, process: u64) -> LocationId {
        const CPU_THREAD: u64 = 1;
        self.location_of(name, CPU_THREAD, process)
    }

    /// Defines a new stream of an accelerator and returns its id.
    pub fn stream(&mut self, name: &str, accelerator: u64) -> LocationId {
        const ACCELERATOR_STREAM: u64 = 2;
        self.location_of(name, ACCELERATOR_STREAM, accelerator)
    }

    /// Defines a new location that has metrics instead of calls, and returns its id.
    pub fn metric_location(&mut self, name: &str, group: u64) -> LocationId {
        const METRIC: u64 = 3;
        self.location_of(name, METRIC, group)
    }

    fn location_of(&mut self, name: &str, kind: u64, group: u64) -> LocationId {
        let string = self.string(name);
        let id = self.next(DefinitionKind::Location);
        let fields = [id, string, kind, UNDEFINED, group];
        self.define(DefinitionKind::Location, &fields, &[], "");
        LocationId(id)
    }

    /// Defines the communicator of all processes and returns its id; `locations` are the communicating ones, by rank.
    pub fn world(&mut self, locations: &[LocationId]) -> u64 {
        self.world_called("MPI_COMM_WORLD", locations)
    }

    /// Defines the communicator of all processes like [`world`](Self::world), under another name.
    pub fn world_called(&mut self, name: &str, locations: &[LocationId]) -> u64 {
        let list: Vec<u64> = locations.iter().map(|location| location.0).collect();
        let group = self.next(DefinitionKind::Group);
        let fields = [group, UNDEFINED, COMM_LOCATIONS, MPI, 0];
        self.define(DefinitionKind::Group, &fields, &list, "");
        let members: Vec<u64> = (0..list.len() as u64).collect();
        let world = self.communicator(name, UNDEFINED, &members);
        self.groups_of_worlds.insert(world, group);
        world
    }

    /// Redefines the communicator that [`world`](Self::world) returned, because more processes became known. `ranks`
    /// contains the rank in the program of each of its ranks.
    pub fn world_again(&mut self, world: u64, locations: &[LocationId], ranks: &[u64]) {
        let list: Vec<u64> = locations.iter().map(|location| location.0).collect();
        if let Some(&group) = self.groups_of_worlds.get(&world) {
            let fields = [group, UNDEFINED, COMM_LOCATIONS, MPI, 0];
            self.define(DefinitionKind::Group, &fields, &list, "");
            let fields = [group + 1, UNDEFINED, COMM_GROUP, MPI, 0];
            self.define(DefinitionKind::Group, &fields, ranks, "");
        }
    }

    /// Defines a new communicator with these ranks of all processes as members, and returns its id.
    pub fn communicator(&mut self, name: &str, parent: u64, members: &[u64]) -> u64 {
        let group = self.next(DefinitionKind::Group);
        let fields = [group, UNDEFINED, COMM_GROUP, MPI, 0];
        self.define(DefinitionKind::Group, &fields, members, "");
        let name = self.string(name);
        let id = self.next(DefinitionKind::Comm);
        self.define(DefinitionKind::Comm, &[id, name, group, parent, 0], &[], "");
        id
    }

    /// Defines a new metric with one member of that type, and returns the id of its class. Each value is that of its time.
    pub fn metric(&mut self, name: &str, unit: &str, value_type: ValueType) -> u64 {
        const ABSOLUTE_POINT: u64 = 17;
        self.metric_of(name, unit, value_type, ABSOLUTE_POINT)
    }

    /// Defines a new metric like [`metric`](Self::metric), whose values count from one value to the next.
    pub fn counter(&mut self, name: &str, unit: &str, value_type: ValueType) -> u64 {
        const RELATIVE_LAST: u64 = 34;
        self.metric_of(name, unit, value_type, RELATIVE_LAST)
    }

    fn metric_of(&mut self, name: &str, unit: &str, value_type: ValueType, mode: u64) -> u64 {
        const OTHER: u64 = 0;
        const DECIMAL: u64 = 1;
        const ASYNCHRONOUS: u64 = 2;
        let (name, unit) = (self.string(name), self.string(unit));
        let member = self.next(DefinitionKind::MetricMember);
        let value_type = u64::from(value_type as u8);
        let fields = [
            member, name, UNDEFINED, OTHER, mode, value_type, DECIMAL, 0, unit,
        ];
        self.define(DefinitionKind::MetricMember, &fields, &[], "");
        let class = self.next(DefinitionKind::MetricClass);
        self.define(
            DefinitionKind::MetricClass,
            &[class, ASYNCHRONOUS, 0],
            &[member],
            "",
        );
        class
    }

    /// Defines a new parameter whose values are strings, and returns its id.
    pub fn parameter(&mut self, name: &str) -> u64 {
        const STRING: u64 = 0;
        let name = self.string(name);
        let id = self.next(DefinitionKind::Parameter);
        self.define(DefinitionKind::Parameter, &[id, name, STRING], &[], "");
        id
    }

    /// Returns the definitions that became known since the last call.
    pub fn take(&mut self) -> Definitions {
        std::mem::take(&mut self.fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, Ranks};

    #[test]
    fn streams_of_accelerators_are_threads_of_their_process() {
        let mut minter = Minter::default();
        let processes = ["a", "b"].map(|name| minter.process(name));
        let threads = processes.map(|process| minter.location("main", process));
        let streams = processes.map(|process| {
            let accelerator = minter.accelerator("GPU 0", process);
            minter.stream("stream 7", accelerator)
        });
        let companion = minter.companion("spans", processes[1]);
        let span = minter.location("profiler", companion);
        minter.world_called("default_pg", &threads);
        let names = Names::new(&minter.take());
        assert_eq!(names.processes().len(), 2);
        assert_eq!(
            streams.map(|stream| names.rank(stream)),
            [Some((0, 1)), Some((1, 1))]
        );
        assert_eq!(names.rank(span), Some((1, 2)));
    }

    #[test]
    fn a_world_can_grow() {
        let mut minter = Minter::default();
        let add = |minter: &mut Minter| {
            let process = minter.process("a process");
            minter.location("", process)
        };
        let locations = [add(&mut minter), add(&mut minter)];
        let world = minter.world(&locations);
        let late = add(&mut minter);
        // The process that became known last is the second one of the program.
        minter.world_again(world, &[locations[0], late, locations[1]], &[0, 2, 1]);
        let definitions = minter.take();
        let names = Names::new(&definitions);
        assert_eq!(names.rank(late), Some((1, 0)));
        assert_eq!(names.world(), Some(world));
        let ranks = Ranks::new(&definitions, &names);
        assert_eq!(ranks.rank(Some(world), 2, None), 1);
        assert_eq!(ranks.rank(Some(world), 1, None), 2);
    }
}
