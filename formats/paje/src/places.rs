//! From containers to locations, processes and ranks.
//!
//! Before the first event, each container without others in it, whose type can have states or events,
//! becomes a location; any other one does so when something happens in it. Ranks are the natural order
//! of the processes: when processes become known later, the group of ranks is defined again in the end.

use std::cmp::Ordering;
use std::collections::HashMap;

use foldtrace_input::natural_order;
use foldtrace_trace::{Demultiplexer, LocationId, Minter, UNDEFINED};

use crate::hierarchy::{ContainerId, Hierarchy};
use crate::producer::process_of;

/// Where events of a container go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// In the demultiplexer.
    pub slot: u32,
    pub process: ProcessId,
}

/// A process, in order of becoming known: its rank in the communicator of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProcessId(pub u32);

impl ProcessId {
    /// What peers are called by.
    pub(crate) fn rank(self) -> u64 {
        u64::from(self.0)
    }
}

/// What foldtrace wrote names its locations itself, and their processes too.
const OF_OWN: ProcessId = ProcessId(u32::MAX);

#[derive(Debug)]
struct Process {
    container: ContainerId,
    /// Its location group.
    group: u64,
    /// The first of its locations in which something happens, or can happen.
    first: Option<LocationId>,
}

#[derive(Debug, Default)]
pub(crate) struct Places {
    of_container: HashMap<ContainerId, Place>,
    processes: Vec<Process>,
    process_of: HashMap<ContainerId, ProcessId>,
    machines: HashMap<ContainerId, u64>,
    /// The communicator of all processes, and how many these were.
    world: Option<(u64, usize)>,
    /// Containers that were looked through already.
    settled: u32,
}

impl Places {
    /// Makes locations of all containers that are there and can have states or events.
    pub(crate) fn settle(
        &mut self,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) {
        let is_location = |id: &ContainerId| {
            let container = hierarchy.container(*id);
            container.location.is_none()
                && !container.has_children
                && hierarchy.of_type(container.of).is_active
        };
        let new = hierarchy
            .containers()
            .map(|(id, _)| id)
            .skip(self.settled as usize);
        let new = new.filter(is_location);
        let mut new: Vec<_> = new.map(|id| (process_of(hierarchy, id), id)).collect();
        self.settled = hierarchy.containers().count() as u32;
        new.sort_by(|a, b| by_name(hierarchy, a.0, b.0).then_with(|| by_name(hierarchy, a.1, b.1)));
        for (_, container) in new {
            self.of(container, true, hierarchy, minter, events);
        }
    }

    /// The place of a container; `is_active` if what happens there is more than a variable.
    pub(crate) fn of(
        &mut self,
        id: ContainerId,
        is_active: bool,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Place {
        if let Some(&place) = self.of_container.get(&id) {
            return place;
        }
        let container = hierarchy.container(id);
        let place = match container.location {
            Some(location) => Place {
                slot: events.slot(location),
                process: OF_OWN,
            },
            None => {
                let process = self.process(process_of(hierarchy, id), hierarchy, minter);
                self.add(process, &container.name, is_active, minter, events)
            }
        };
        self.of_container.insert(id, place);
        place
    }

    /// One more location of a container, for states that overlap with others of it.
    pub(crate) fn beside(
        &mut self,
        place: Place,
        name: &str,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Place {
        self.add(place.process, name, true, minter, events)
    }

    fn add(
        &mut self,
        process: ProcessId,
        name: &str,
        is_active: bool,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> Place {
        let Some(of) = self.processes.get_mut(process.0 as usize) else {
            // What foldtrace wrote, with something added by hand.
            let group = minter.process(name);
            let slot = events.slot(minter.location(name, group));
            return Place { slot, process };
        };
        let location = minter.location(name, of.group);
        if is_active {
            of.first.get_or_insert(location);
        }
        Place {
            slot: events.slot(location),
            process,
        }
    }

    fn process(
        &mut self,
        container: ContainerId,
        hierarchy: &Hierarchy,
        minter: &mut Minter,
    ) -> ProcessId {
        if let Some(&known) = self.process_of.get(&container) {
            return known;
        }
        let mut machine = UNDEFINED;
        let around: Vec<_> = hierarchy.path(container).skip(1).collect();
        for id in around.into_iter().rev() {
            machine = *self.machines.entry(id).or_insert_with(|| {
                let container = hierarchy.container(id);
                let class = &hierarchy.of_type(container.of).name;
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
        self.process_of.insert(container, process);
        process
    }

    /// The communicator of all processes.
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

    /// Gives the processes their ranks, now that all are known.
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

    /// One location of each process that does anything, by rank; and by process, which rank it has.
    fn ranks(&self, hierarchy: &Hierarchy) -> (Vec<LocationId>, Vec<u64>) {
        let mut order: Vec<usize> = (0..self.processes.len()).collect();
        let is_passive = |index: usize| self.processes[index].first.is_none();
        order.sort_by(|&a, &b| {
            let of = |index: usize| self.processes[index].container;
            is_passive(a)
                .cmp(&is_passive(b))
                .then_with(|| by_name(hierarchy, of(a), of(b)))
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

    /// The process with that container, if it is one already.
    pub(crate) fn known_process(&self, container: ContainerId) -> Option<ProcessId> {
        self.process_of.get(&container).copied()
    }
}

fn by_name(hierarchy: &Hierarchy, a: ContainerId, b: ContainerId) -> Ordering {
    natural_order(&hierarchy.container(a).name, &hierarchy.container(b).name)
        .then_with(|| a.cmp(&b))
}
