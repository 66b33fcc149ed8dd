//! Names of ids: a resolved view of the definitions.
//!
//! This module contains the canonical mapping: rank 3's region `mpi_send_`, which has an id of its own, is the same
//! region as rank 0's. Regions are the same if their kind, name and place in the source agree.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use foldhash::fast::FixedState;
use foldtrace_mpi::mpi_name;

use crate::{
    COLLECTIVES, DefinitionKind, DefinitionRecord, Definitions, EventKind, LocationId, Operand,
    Symbol, UNDEFINED,
};

/// A process and its locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Rank, 0-based.
    pub rank: u64,
    /// Id of its location group; [`UNDEFINED`] if the locations are defined without a group.
    pub group: u64,
    /// Its locations; the index is the thread number.
    pub locations: Vec<LocationId>,
}

/// The name of a location on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationLabel {
    /// The first location of the process with this rank.
    Rank(u64),
    /// A location of the process with this rank, by the number of the thread.
    Thread(u64, u64),
    /// A location that belongs to no process, by its id.
    Id(LocationId),
}

impl fmt::Display for LocationLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rank(rank) => write!(f, "{rank}"),
            Self::Thread(rank, thread) => write!(f, "{rank}.{thread}"),
            Self::Id(location) => write!(f, "@{location}"),
        }
    }
}

/// A hash table that is searched for each event.
type Table<K, V> = HashMap<K, V, FixedState>;

/// The names of all definitions of a trace.
#[derive(Clone, Debug, Default)]
pub struct Names {
    strings: Table<u64, String>,
    named: Table<(DefinitionKind, u64), u64>,
    canonical_regions: Table<u64, u64>,
    /// The region of each calling context.
    contexts: Table<u64, u64>,
    regions_by_name: Table<String, u64>,
    /// Names of metric classes and instances, joined from the names of their members.
    metrics: Table<u64, String>,
    members: Table<u64, Vec<u64>>,
    processes: Vec<Process>,
    labels: Table<LocationId, (u64, u64)>,
    world: Option<u64>,
    communicating: Vec<LocationId>,
}

const MPI: u64 = 4;
const COMM_LOCATIONS: u64 = 4;
const PROCESS: u64 = 1;

impl Names {
    /// Resolves `definitions`. If an id is defined several times, the last definition counts.
    #[must_use]
    pub fn new(definitions: &Definitions) -> Self {
        let mut names = Self::default();
        for record in definitions.records(DefinitionKind::String) {
            names
                .strings
                .insert(record.get(0), record.text().to_owned());
        }
        for &kind in DefinitionKind::ALL {
            let name = kind.slot("name");
            if let (Some(name), Some("id")) = (name, kind.fields().first().map(|f| f.name)) {
                for record in definitions.records(kind) {
                    names.named.insert((kind, record.get(0)), record.get(name));
                }
            }
        }
        names.resolve_regions(definitions);
        let contexts = definitions.records(DefinitionKind::CallingContext);
        let regions = contexts.map(|context| (context.get(0), context.get(1)));
        names.contexts = regions.collect();
        names.resolve_metrics(definitions);
        names.resolve_communicators(definitions);
        names.resolve_processes(definitions);
        names
    }

    fn resolve_regions(&mut self, definitions: &Definitions) {
        let mut first = HashMap::new();
        for record in definitions.records(DefinitionKind::Region) {
            let identity = (
                self.string(record.get(1)).to_owned(),
                record.get(4),
                record.get(5),
                self.string(record.get(7)).to_owned(),
                record.get(8),
                record.get(9),
            );
            let id = record.get(0);
            let canonical = *first.entry(identity).or_insert(id);
            self.canonical_regions.insert(id, canonical);
            let name = self.string(record.get(1)).to_owned();
            self.regions_by_name.entry(name).or_insert(id);
        }
    }

    fn resolve_metrics(&mut self, definitions: &Definitions) {
        for (metric, members) in definitions.metric_members() {
            let members = members.iter();
            let names: Vec<_> = members
                .filter_map(|&member| self.name(DefinitionKind::MetricMember, member))
                .filter(|name| !name.is_empty())
                .collect();
            if !names.is_empty() {
                let names = names.join(", ");
                self.metrics.insert(metric, names);
            }
        }
    }

    fn resolve_communicators(&mut self, definitions: &Definitions) {
        let groups: HashMap<u64, Vec<u64>> = definitions
            .records(DefinitionKind::Group)
            .map(|group| (group.get(0), group.list().to_vec()))
            .collect();
        for comm in definitions.records(DefinitionKind::Comm) {
            if let Some(members) = groups.get(&comm.get(2)) {
                self.members.insert(comm.get(0), members.clone());
            }
            if self.world.is_none() && comm.get(3) == UNDEFINED {
                self.world = Some(comm.get(0));
            }
        }
    }

    /// Resolves the processes. Ranks are those of MPI if the trace defines them, and otherwise follow the order of
    /// the groups. Accelerator streams count as threads of the process that created them.
    fn resolve_processes(&mut self, definitions: &Definitions) {
        let mut creators = HashMap::new();
        for group in definitions.records(DefinitionKind::LocationGroup) {
            let creator = group.get(4);
            if group.get(2) != PROCESS && creator != UNDEFINED {
                creators.insert(group.get(0), creator);
            }
        }
        let mut locations: BTreeMap<u64, Vec<LocationId>> = BTreeMap::new();
        let mut group_of = HashMap::new();
        for location in definitions.records(DefinitionKind::Location) {
            let own = location.get(4);
            let group = creators.get(&own).copied().unwrap_or(own);
            let id = LocationId(location.get(0));
            if group_of.insert(id, group).is_none() {
                locations.entry(group).or_default().push(id);
            }
        }
        let lists_ranks =
            |group: &DefinitionRecord<'_>| group.get(2) == COMM_LOCATIONS && group.get(3) == MPI;
        let mut groups = definitions.records(DefinitionKind::Group);
        let mut ranks: Vec<u64> = Vec::new();
        if let Some(first) = groups.find(lists_ranks) {
            let mut redefinitions =
                groups.filter(|group| group.get(0) == first.get(0) && lists_ranks(group));
            let group = redefinitions.next_back().unwrap_or(first);
            let defined = group
                .list()
                .iter()
                .filter_map(|&l| group_of.get(&LocationId(l)));
            ranks = defined.copied().collect();
            self.communicating = group.list().iter().map(|&l| LocationId(l)).collect();
        }
        let mpi_processes: HashSet<u64> = ranks.iter().copied().collect();
        ranks.extend(
            locations
                .keys()
                .filter(|group| !mpi_processes.contains(group)),
        );
        for group in ranks {
            // Two ranks in one group would be threads that act as MPI processes; the first one counts.
            if let Some(locations) = locations.remove(&group) {
                let rank = self.processes.len() as u64;
                for (thread, &location) in locations.iter().enumerate() {
                    self.labels.insert(location, (rank, thread as u64));
                }
                self.processes.push(Process {
                    rank,
                    group,
                    locations,
                });
            }
        }
    }

    /// Returns the string with that id, which is empty if it is not defined.
    #[must_use]
    pub fn string(&self, id: u64) -> &str {
        self.strings.get(&id).map_or("", String::as_str)
    }

    /// Returns the name of a definition.
    #[must_use]
    pub fn name(&self, kind: DefinitionKind, id: u64) -> Option<&str> {
        let string = self.named.get(&(kind, id))?;
        self.strings.get(string).map(String::as_str)
    }

    /// Returns the name of what a symbol refers to: its region, collective operation, parameter or string.
    #[must_use]
    pub fn called(&self, symbol: &Symbol) -> Option<&str> {
        let defined = |operand, kind| self.name(kind, symbol.get(operand)?);
        let name = match symbol.kind {
            EventKind::Local | EventKind::ProgramBegin => {
                symbol.get(Operand::String).map(|id| self.string(id))
            }
            EventKind::ParameterString
            | EventKind::ParameterInt
            | EventKind::ParameterUnsignedInt => {
                defined(Operand::Parameter, DefinitionKind::Parameter)
            }
            kind if kind.is_collective() => symbol
                .get(Operand::Operation)
                .and_then(|operation| COLLECTIVES.name(operation)),
            _ => defined(Operand::Region, DefinitionKind::Region),
        };
        name.filter(|name| !name.is_empty())
    }

    /// Returns the name of the events of a symbol in tables and labels: the same as
    /// [`called`](Self::called), and for metrics the names of their members.
    #[must_use]
    pub fn title(&self, symbol: &Symbol) -> Option<&str> {
        self.called(symbol).or_else(|| {
            let metric = symbol.get(Operand::Metric)?;
            self.metrics.get(&metric).map(String::as_str)
        })
    }

    /// Returns the C name of the MPI routine that a symbol calls, as in the MPI standard. `None` if the
    /// symbol calls no MPI routine.
    #[must_use]
    pub fn mpi_name(&self, symbol: &Symbol) -> Option<String> {
        let region = self.callee(symbol)?;
        mpi_name(self.name(DefinitionKind::Region, region)?)
    }

    /// Returns the region that a symbol calls, directly or as a calling context.
    #[must_use]
    pub fn callee(&self, symbol: &Symbol) -> Option<u64> {
        symbol.get(Operand::Region).or_else(|| {
            let context = symbol.get(Operand::CallingContext)?;
            self.contexts.get(&context).copied()
        })
    }

    /// Returns the name of the region that a symbol calls: `region 7` if region 7 has no name.
    #[must_use]
    pub fn region_name(&self, symbol: &Symbol) -> String {
        let Some(region) = self.callee(symbol) else {
            return "unknown region".to_owned();
        };
        let name = self.name(DefinitionKind::Region, region);
        let name = name.filter(|name| !name.is_empty());
        name.map_or_else(|| format!("region {region}"), str::to_owned)
    }

    /// Returns the id that represents all regions that are the same as `id`.
    #[must_use]
    pub fn canonical_region(&self, id: u64) -> u64 {
        self.canonical_regions.get(&id).copied().unwrap_or(id)
    }

    /// Returns the first region with that name.
    #[must_use]
    pub fn region_called(&self, name: &str) -> Option<u64> {
        self.regions_by_name.get(name).copied()
    }

    /// Returns the symbol that represents all symbols that differ only in repeated definitions.
    #[must_use]
    pub fn canonical(&self, mut symbol: Symbol) -> Symbol {
        if let Some(slot) = symbol.kind.slot(Operand::Region) {
            symbol.operands[slot] = self.canonical_region(symbol.operands[slot]);
        }
        symbol
    }

    /// Returns the ranks of the members of a communicator.
    #[must_use]
    pub fn members(&self, communicator: u64) -> Option<&[u64]> {
        self.members.get(&communicator).map(Vec::as_slice)
    }

    /// Returns the communicator of all processes.
    #[must_use]
    pub fn world(&self) -> Option<u64> {
        self.world
    }

    /// Returns the processes in the order of their ranks.
    #[must_use]
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// Returns the locations that communicate as MPI ranks, in rank order; empty if the trace does not define them.
    /// They need not be the first locations of their processes.
    #[must_use]
    pub fn communicating(&self) -> &[LocationId] {
        &self.communicating
    }

    /// Returns the rank and the thread number of a location.
    #[must_use]
    pub fn rank(&self, location: LocationId) -> Option<(u64, u64)> {
        self.labels.get(&location).copied()
    }

    /// Returns whether the number `rank` is the id of a location other than `first`, the first location of that rank.
    fn is_taken(&self, rank: u64, first: LocationId) -> bool {
        first.0 != rank && self.labels.contains_key(&LocationId(rank))
    }

    /// Returns the name of a location on the command line: `RANK` for the first location of a process if no other
    /// location has that number as its id, otherwise `RANK.THREAD`, or `@ID` if the location belongs to no process.
    #[must_use]
    pub fn label(&self, location: LocationId) -> String {
        self.location_label(location).to_string()
    }

    /// Returns the [`label`](Self::label) of a location without making a string of it.
    #[must_use]
    pub fn location_label(&self, location: LocationId) -> LocationLabel {
        match self.rank(location) {
            Some((rank, 0)) if !self.is_taken(rank, location) => LocationLabel::Rank(rank),
            Some((rank, thread)) => LocationLabel::Thread(rank, thread),
            None => LocationLabel::Id(location),
        }
    }

    /// Returns the description of a location for messages: `rank 2, thread 0 (location 268435454)`, or
    /// `location 9` if the location belongs to no process.
    #[must_use]
    pub fn described(&self, location: LocationId) -> String {
        match self.rank(location) {
            Some((rank, thread)) => format!("rank {rank}, thread {thread} (location {location})"),
            None => format!("location {location}"),
        }
    }

    /// Returns the location that `text` names: `RANK.THREAD`, `@ID`, an id of the source, or the rank of
    /// a process (its first location).
    #[must_use]
    pub fn parse_label(&self, text: &str) -> Option<LocationId> {
        if let Some((rank, thread)) = text.split_once('.') {
            let process = self.process(rank.parse().ok()?)?;
            return process
                .locations
                .get(thread.parse::<usize>().ok()?)
                .copied();
        }
        if let Some(id) = text.strip_prefix('@') {
            let id = LocationId(id.parse().ok()?);
            return self.labels.contains_key(&id).then_some(id);
        }
        let number: u64 = text.parse().ok()?;
        if self.labels.contains_key(&LocationId(number)) {
            return Some(LocationId(number));
        }
        self.process(number)?.locations.first().copied()
    }

    /// Returns the process with that rank.
    #[must_use]
    pub fn process(&self, rank: u64) -> Option<&Process> {
        let found = self.processes.binary_search_by_key(&rank, |p| p.rank);
        self.processes.get(found.ok()?)
    }

    /// Changes the ranks of processes, if the definitions are those of some processes only. `rank` returns the rank of
    /// the process of a location, which it has among all processes.
    #[must_use]
    pub fn with_ranks(mut self, rank: impl Fn(LocationId) -> Option<u64>) -> Self {
        for process in &mut self.processes {
            let first = process.locations.first();
            process.rank = first.and_then(|&first| rank(first)).unwrap_or(process.rank);
            for location in &process.locations {
                if let Some((label, _)) = self.labels.get_mut(location) {
                    *label = process.rank;
                }
            }
        }
        self.processes.sort_by_key(|process| process.rank);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_ranks() -> Definitions {
        let mut d = Definitions::default();
        for (id, text) in ["P#0", "P#1", "mpi_send_", "mpi_send_"].iter().enumerate() {
            d.push(DefinitionKind::String, &[id as u64], &[], text);
        }
        for rank in 0..2 {
            d.push(
                DefinitionKind::LocationGroup,
                &[rank, rank, PROCESS, 0, UNDEFINED],
                &[],
                "",
            );
            d.push(
                DefinitionKind::Location,
                &[rank * 100, rank, 1, 2, rank],
                &[],
                "",
            );
            d.push(
                DefinitionKind::Region,
                &[rank * 50, rank + 2, 0, 0, 1, 0, 0, 0, 0, 0],
                &[],
                "",
            );
        }
        d.push(
            DefinitionKind::LocationGroup,
            &[2, UNDEFINED, 2, 0, 1],
            &[],
            "",
        );
        d.push(
            DefinitionKind::Location,
            &[300, UNDEFINED, 2, 2, 2],
            &[],
            "",
        );
        d.push(
            DefinitionKind::Group,
            &[0, UNDEFINED, COMM_LOCATIONS, MPI, 0],
            &[100, 0],
            "",
        );
        d
    }

    #[test]
    fn ranks_of_some_processes_are_those_in_the_program() {
        let names = Names::new(&two_ranks()).with_ranks(|location| Some(70 + location.0 / 10));
        assert_eq!(names.rank(LocationId(100)), Some((80, 0)));
        assert_eq!(names.label(LocationId(0)), "70");
        assert_eq!(names.parse_label("80"), Some(LocationId(100)));
        assert_eq!(names.parse_label("80.0"), Some(LocationId(100)));
        assert_eq!(names.parse_label("1"), None);
        assert_eq!(names.process(80).map(|process| process.rank), Some(80));
        assert_eq!(names.process(1), None);
    }

    #[test]
    fn ranks_follow_mpi_and_streams_follow_their_process() {
        let names = Names::new(&two_ranks());
        // The id of rank 1 is 0, so that 0 alone would not identify rank 0.
        assert_eq!(names.label(LocationId(100)), "0.0");
        assert_eq!(names.label(LocationId(0)), "1");
        assert_eq!(names.label(LocationId(300)), "0.1");
        assert_eq!(names.label(LocationId(9)), "@9");
        let described = [300, 9].map(|id| names.described(LocationId(id)));
        assert_eq!(described, ["rank 0, thread 1 (location 300)", "location 9"]);
        for id in [0, 100, 300] {
            let label = names.label(LocationId(id));
            assert_eq!(names.parse_label(&label), Some(LocationId(id)), "{label}");
        }
        assert_eq!(names.parse_label("0.1"), Some(LocationId(300)));
        assert_eq!(names.parse_label("100"), Some(LocationId(100)));
        assert_eq!(names.parse_label("1"), Some(LocationId(0)));
        assert_eq!(names.parse_label("7"), None);
    }

    #[test]
    fn ranks_that_are_defined_again_count() {
        let mut definitions = two_ranks();
        let group = [0, UNDEFINED, COMM_LOCATIONS, MPI, 0];
        definitions.push(DefinitionKind::Group, &group, &[0, 100], "");
        let names = Names::new(&definitions);
        assert_eq!(names.rank(LocationId(0)), Some((0, 0)));
        assert_eq!(names.rank(LocationId(100)), Some((1, 0)));
    }

    #[test]
    fn the_same_region_of_two_ranks_has_one_canonical_id() {
        let names = Names::new(&two_ranks());
        assert_eq!(names.canonical_region(50), 0);
        assert_eq!(names.canonical_region(0), 0);
        assert_eq!(names.name(DefinitionKind::Region, 50), Some("mpi_send_"));
    }
}
