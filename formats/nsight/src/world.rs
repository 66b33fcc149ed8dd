//! Defines the locations of a trace, their processes and machines, and the communicator of all processes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use foldtrace_database::{Strings, process_number};
use foldtrace_trace::{DefinitionKind, LocationId, Minter, UNDEFINED};

use crate::communicators::Communicators;
use crate::names::Names;
use crate::places::{Place, ProcessId, Stream, thread_number};

/// The locations of a trace, and what follows from them.
#[derive(Debug, Default)]
pub(crate) struct World {
    /// The location of each place.
    pub locations: HashMap<Place, LocationId, RandomState>,
    /// The ranks of processes.
    pub ranks: HashMap<ProcessId, i64, RandomState>,
    pub communicators: Communicators,
}

/// Returns whether a thread is the first one of its process.
fn is_main(thread: i64) -> bool {
    thread_number(thread) == ProcessId::of(thread).number()
}

/// The order of a process: those with ranks come first.
fn order(ranks: &HashMap<ProcessId, i64, RandomState>, process: Option<ProcessId>) -> (i64, i64) {
    let rank = process.and_then(|process| ranks.get(&process).copied());
    (
        rank.unwrap_or(i64::MAX),
        process.map_or(i64::MAX, |process| process.0),
    )
}

impl World {
    /// Defines everything. `has_messages` is whether processes communicate; without ranks, they then have the order of their ids.
    pub(crate) fn define(
        places: &BTreeSet<Place>,
        names: &Names,
        has_messages: bool,
        strings: &mut Strings,
        minter: &mut Minter,
    ) -> Self {
        let mut world = Self::default();
        for (&thread, &rank) in &names.ranks {
            world.ranks.entry(ProcessId::of(thread)).or_insert(rank);
        }
        let known: BTreeSet<_> = places.iter().filter_map(|place| place.process()).collect();
        // Old versions do not tell the processes of streams.
        let only = known.first().copied().filter(|_| known.len() == 1);
        let mut processes: BTreeMap<(i64, i64), (Option<ProcessId>, Vec<Place>)> = BTreeMap::new();
        for &place in places {
            if !matches!(place, Place::Metrics(_)) {
                let process = place.process().or(only);
                let all = processes.entry(order(&world.ranks, process));
                all.or_insert_with(|| (process, Vec::new())).1.push(place);
            }
        }
        let mut definer = Definer {
            names,
            strings,
            minter,
            hosts: BTreeMap::new(),
        };
        // The ids of processes come before those of accelerators.
        let groups: Vec<u64> = processes
            .values()
            .map(|(process, _)| definer.process(*process))
            .collect();
        let mut communicating = Vec::new();
        for ((process, places), &group) in processes.values().zip(&groups) {
            let thread = definer.places(places, group, &mut world.locations);
            let is_ranked = process.is_some_and(|process| world.ranks.contains_key(&process));
            if let (Some(process), Some(thread)) = (process, thread)
                && (is_ranked || (names.ranks.is_empty() && has_messages))
            {
                let next = communicating.len() as i64;
                world.ranks.entry(*process).or_insert(next);
                communicating.push(thread);
            }
        }
        let size = communicating.len();
        definer.metrics(places, groups.first().copied(), &mut world.locations);
        // With gaps between the ranks, as in the report of a single process, peers would be taken for other processes.
        let has_all = world
            .ranks
            .values()
            .all(|&rank| (0..size as i64).contains(&rank));
        let all = (size > 0 && has_all).then(|| minter.world(&communicating));
        world.communicators = Communicators::define(minter, &names.memberships, all, size);
        world
    }
}

struct Definer<'a> {
    names: &'a Names,
    strings: &'a mut Strings,
    minter: &'a mut Minter,
    hosts: BTreeMap<i64, u64>,
}

impl Definer<'_> {
    fn process(&mut self, process: Option<ProcessId>) -> u64 {
        let Some(process) = process else {
            return self.minter.process("unknown process");
        };
        let machine = process.machine();
        let host = self.names.hosts.get(&machine).map(|name| {
            let minter = &mut *self.minter;
            *self
                .hosts
                .entry(machine)
                .or_insert_with(|| minter.machine(name, "node", UNDEFINED))
        });
        let number = process.number();
        let name = self.names.processes.get(&process);
        let name = name.cloned().unwrap_or_else(|| format!("process {number}"));
        let id = self.minter.process_on(&name, host.unwrap_or(UNDEFINED));
        process_number(self.minter, id, "pid", number);
        id
    }

    /// Defines the places of a process, and returns the location of the thread that communicates: the one with a rank, or the
    /// first one.
    fn places(
        &mut self,
        places: &[Place],
        group: u64,
        locations: &mut HashMap<Place, LocationId, RandomState>,
    ) -> Option<LocationId> {
        let threads = places.iter().filter_map(|&place| match place {
            Place::Thread(thread) => Some(thread),
            _ => None,
        });
        let mut threads: Vec<_> = threads.collect();
        // The main thread has the number of the process.
        threads.sort_by_key(|&thread| (!thread.is_some_and(is_main), thread));
        let (mut first, mut ranked) = (None, None);
        for thread in threads {
            let name = self.thread(thread);
            let location = self.minter.location(&name, group);
            first = first.or(Some(location));
            if thread.is_some_and(|thread| self.names.ranks.contains_key(&thread)) {
                ranked = ranked.or(Some(location));
            }
            locations.insert(Place::Thread(thread), location);
        }
        let mut devices = BTreeMap::new();
        for &place in places {
            if let Place::Stream(process, stream) = place {
                let device = *devices
                    .entry(stream.device)
                    .or_insert_with(|| self.device(stream.device, group));
                let name = self.stream(process, stream);
                let location = self.minter.stream(&name, device);
                locations.insert(place, location);
            }
        }
        ranked.or(first)
    }

    /// Defines the places of metrics. Their ids come after those of all other locations.
    fn metrics(
        &mut self,
        places: &BTreeSet<Place>,
        process: Option<u64>,
        locations: &mut HashMap<Place, LocationId, RandomState>,
    ) {
        /// The bits of a type of events that are the number of the GPU.
        const GPU: i64 = 0xff;
        /// The type of a location with metrics, as in OTF2.
        const METRIC: u64 = 3;
        for &place in places {
            if let Place::Metrics(kind) = place {
                let name = format!("metrics of GPU {}", kind & GPU);
                let group = match process {
                    Some(process) => self.minter.accelerator(&name, process),
                    None => self.minter.process(&name),
                };
                let id = locations.len() as u64;
                let fields = [id, self.minter.string(&name), METRIC, UNDEFINED, group];
                self.minter
                    .define(DefinitionKind::Location, &fields, &[], "");
                self.minter.is_taken(DefinitionKind::Location, id);
                locations.insert(place, LocationId(id));
            }
        }
    }

    fn thread(&mut self, thread: Option<i64>) -> String {
        let Some(thread) = thread else {
            return "unknown thread".to_owned();
        };
        let name = self.names.threads.get(&thread);
        let name = name.and_then(|&name| self.strings.get(name));
        name.unwrap_or_else(|| format!("thread {}", thread_number(thread)))
    }

    fn device(&mut self, device: i64, process: u64) -> u64 {
        let mut name = format!("GPU {device}");
        if let Some(model) = self.names.devices.get(&device) {
            name = format!("{name}: {model}");
        }
        self.minter.accelerator(&name, process)
    }

    fn stream(&self, process: Option<ProcessId>, stream: Stream) -> String {
        let mut name = format!("GPU {}", stream.device);
        if let Some(context) = stream.context {
            name = format!("{name}, context {context}");
        }
        if let Some(number) = stream.stream {
            name = format!("{name}, stream {number}");
            let key = process.zip(stream.context);
            let key = key.map(|(process, context)| (process.number(), context, number));
            if let Some(own) = key.and_then(|key| self.names.streams.get(&key)) {
                name = format!("{name} ({own})");
            }
        }
        if stream.is_wait {
            name = format!("{name}: waits");
        }
        name
    }
}
