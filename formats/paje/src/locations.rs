//! Maps containers to locations, processes and ranks.
//!
//! Before the first event, each container without children, whose type can have states or events, becomes a location;
//! any other container becomes one when it has its first event. Ranks follow the natural order of the process names.
//! If processes become known later, the group of ranks is defined again at the end.

use std::cmp::Ordering;
use std::collections::HashMap;

use foldtrace_input::natural_order;
use foldtrace_trace::{Demultiplexer, LocationId, Minter, UNDEFINED};

use crate::hierarchy::{ContainerId, Hierarchy};
use crate::producer::process_of;

/// The location that receives the events of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The slot in the demultiplexer.
    pub slot: u32,
    pub process: ProcessId,
}

/// A process, numbered in order of discovery: this is its rank in the communicator of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessId(pub u32);

impl ProcessId {
    /// Returns the rank used for peers.
    pub(crate) fn rank(self) -> u64 {
        u64::from(self.0)
    }
}

/// The process of locations in traces that foldtrace wrote: these traces define their locations and processes
/// themselves.
const UNKNOWN_PROCESS: ProcessId = ProcessId(u32::MAX);

/// A process that a container represents.
#[derive(Debug)]
struct Process {
    container: ContainerId,
    /// The location group of the process.
    group: u64,
    /// The first location of the process that has, or can have, states or events.
    first: Option<LocationId>,
}

/// The locations and processes of all containers.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    by_container: HashMap<ContainerId, Location>,
    processes: Vec<Process>,
    process_by_container: HashMap<ContainerId, ProcessId>,
    machines: HashMap<ContainerId, u64>,
    /// The communicator of all processes, and their number when it was defined.
    world: Option<(u64, usize)>,
    /// Number of containers that were examined.
    examined: usize,
}

impl Locations {
    /// Creates locations for all new containers that can have states or events.
    pub(crate) fn add_new_containers(
        &mut self,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) {
        let is_location = |id: &ContainerId| {
            let container = hierarchy.container(*id);
            container.location.is_none()
                && !container.has_children
                && hierarchy.get_type(container.type_id).is_active
        };
        let new = hierarchy.containers().map(|(id, _)| id).skip(self.examined);
        let new = new.filter(is_location);
        let mut new: Vec<_> = new.map(|id| (process_of(hierarchy, id), id)).collect();
        self.examined = hierarchy.containers().count();
        new.sort_by(|a, b| by_name(hierarchy, a.0, b.0).then_with(|| by_name(hierarchy, a.1, b.1)));
        for (_, container) in new {
            self.find_or_add(container, true, hierarchy, minter, events);
        }
    }

    /// Returns the location of a container, and creates it if necessary. `is_active` is set unless the container only
    /// has variables so far.
    pub(crate) fn find_or_add(
        &mut self,
        id: ContainerId,
        is_active: bool,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Location {
        if let Some(&location) = self.by_container.get(&id) {
            return location;
        }
        let container = hierarchy.container(id);
        let location = match container.location {
            Some(id) => Location {
                slot: events.slot(id),
                process: UNKNOWN_PROCESS,
            },
            None => {
                let process = self.process(process_of(hierarchy, id), hierarchy, minter);
                self.add(process, &container.name, is_active, minter, events)
            }
        };
        self.by_container.insert(id, location);
        location
    }

    /// Creates another location of a container, for states that overlap with its other states.
    pub(crate) fn add_overlapping(
        &mut self,
        location: Location,
        name: &str,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Location {
        self.add(location.process, name, true, minter, events)
    }

    fn add(
        &mut self,
        process: ProcessId,
        name: &str,
        is_active: bool,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Location {
        let id = match self.processes.get_mut(process.0 as usize) {
            Some(known) => {
                let id = minter.location(name, known.group);
                if is_active {
                    known.first.get_or_insert(id);
                }
                id
            }
            // A trace that foldtrace wrote, with additions by hand.
            None => {
                let group = minter.process(name);
                minter.location(name, group)
            }
        };
        Location {
            slot: events.slot(id),
            process,
        }
    }

    fn process(
        &mut self,
        container: ContainerId,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
    ) -> ProcessId {
        if let Some(&known) = self.process_by_container.get(&container) {
            return known;
        }
        let mut machine = UNDEFINED;
        let enclosing: Vec<_> = hierarchy.path(container).skip(1).collect();
        for id in enclosing.into_iter().rev() {
            machine = *self.machines.entry(id).or_insert_with(|| {
                let container = hierarchy.container(id);
                let class = &hierarchy.get_type(container.type_id).name;
                minter.machine(&container.name, class, machine)
            });
        }
        let group = minter.process_on(&hierarchy.container(container).name, machine);
        let process = ProcessId(self.processes.len() as u32);
        self.processes.push(Process {
            container,
            group,
            first: None,
        });
        self.process_by_container.insert(container, process);
        process
    }

    /// Returns the communicator of all processes.
    pub(crate) fn world(&mut self, hierarchy: &Hierarchy, minter: &mut Minter) -> u64 {
        if let Some((world, _)) = self.world {
            return world;
        }
        let (locations, ranks) = self.ranks(hierarchy);
        let world = minter.world(&locations);
        if ranks.iter().zip(0..).any(|(&rank, number)| rank != number) {
            minter.world_again(world, &locations, &ranks);
        }
        self.world = Some((world, self.processes.len()));
        world
    }

    /// Assigns ranks to the processes, now that all are known.
    pub(crate) fn finish(&mut self, hierarchy: &Hierarchy, minter: &mut Minter) {
        match self.world {
            Some((world, known)) if known < self.processes.len() => {
                let (locations, ranks) = self.ranks(hierarchy);
                minter.world_again(world, &locations, &ranks);
            }
            None if !self.processes.is_sorted_by(|a, b| {
                by_name(hierarchy, a.container, b.container) != Ordering::Greater
            }) =>
            {
                self.world(hierarchy, minter);
            }
            _ => {}
        }
    }

    /// Returns one location of each active process, by rank, and the rank of each process.
    fn ranks(&self, hierarchy: &Hierarchy) -> (Vec<LocationId>, Vec<u64>) {
        let mut order: Vec<usize> = (0..self.processes.len()).collect();
        let is_passive = |index: usize| self.processes[index].first.is_none();
        order.sort_by(|&a, &b| {
            let container = |index: usize| self.processes[index].container;
            is_passive(a)
                .cmp(&is_passive(b))
                .then_with(|| by_name(hierarchy, container(a), container(b)))
        });
        let mut ranks = vec![0; order.len()];
        for (rank, &index) in (0..).zip(&order) {
            ranks[index] = rank;
        }
        let locations = order
            .iter()
            .filter_map(|&index| self.processes[index].first);
        (locations.collect(), ranks)
    }

    /// Returns the process that a container represents, if it is known.
    pub(crate) fn known_process(&self, container: ContainerId) -> Option<ProcessId> {
        self.process_by_container.get(&container).copied()
    }
}

fn by_name(hierarchy: &Hierarchy, a: ContainerId, b: ContainerId) -> Ordering {
    natural_order(&hierarchy.container(a).name, &hierarchy.container(b).name)
        .then_with(|| a.cmp(&b))
}
