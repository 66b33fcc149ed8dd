//! The hosts, processes and locations of a trace.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{
    CallStack, DefinitionKind, Demultiplexer, LocationId, Minter, UNDEFINED, ValueType,
};

use crate::modules::Modules;

/// What is a location: a thread, a processor, or a stream of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    Thread(u64),
    Cpu(u64),
    Stream(u32),
}

/// What identifies a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The index of the trace.
    pub trace: u32,
    /// The id of the process; `None` if it is unknown.
    pub process: Option<u64>,
    pub lane: Lane,
}

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    trace: u32,
    id: Option<u64>,
    group: u64,
    machine: u64,
    title: String,
    first: Option<LocationId>,
    pub modules: Modules,
}

/// Returns the title of a process.
fn title(id: u64, name: &str) -> String {
    let name = if name.is_empty() { "process" } else { name };
    format!("{name} {}", id as i64)
}

impl Process {
    /// Gives the process another title.
    fn rename(&mut self, title: String, minter: &mut Minter) {
        const PROCESS: u64 = 1;
        if title != self.title {
            let name = minter.string(&title);
            let fields = [self.group, name, PROCESS, self.machine, UNDEFINED];
            minter.define(DefinitionKind::LocationGroup, &fields, &[], "");
            self.title = title;
        }
    }
}

/// A location with the state that its events change.
#[derive(Debug)]
pub(crate) struct Track {
    pub slot: u32,
    pub process: usize,
    /// The processor and the name of the process, as the previous event had them.
    pub cpu: Option<u64>,
    pub process_name: String,
    /// The regions of open calls.
    pub calls: CallStack<u64, ()>,
}

/// What is known of a trace as a whole.
#[derive(Debug)]
pub(crate) struct TraceNames {
    /// The folder of the trace, or its name.
    pub name: String,
    pub host: Option<String>,
}

/// The objects of all traces.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub traces: Vec<TraceNames>,
    hosts: HashMap<String, u64>,
    pub processes: Vec<Process>,
    process_of: HashMap<(u32, Option<u64>), usize>,
    pub tracks: Vec<Track>,
    track_of: HashMap<Key, usize, RandomState>,
    world: Option<u64>,
}

impl Objects {
    /// Returns the index of the track of a location.
    #[inline]
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        self.track_of.get(key).copied()
    }

    /// Returns the index of the track of a location, and creates it if necessary. `process_name` is the name of its process.
    pub(crate) fn track(
        &mut self,
        key: Key,
        process_name: &str,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> usize {
        if let Some(&known) = self.track_of.get(&key) {
            return known;
        }
        let process = self.process(key.trace, key.process, process_name, minter);
        let owner = &mut self.processes[process];
        // The first thread of a process has its name; other threads, such as that of the tracer, may have names of their own.
        if let (Lane::Thread(thread), Some(id)) = (key.lane, key.process)
            && thread == id
        {
            owner.rename(title(id, process_name), minter);
        }
        let (name, kind, number) = match key.lane {
            Lane::Thread(id) => (format!("thread {}", id as i64), "tid", id),
            Lane::Cpu(number) => (format!("CPU {number}"), "cpu", number),
            Lane::Stream(number) => (format!("stream {number}"), "stream", number.into()),
        };
        let location = minter.location(&name, owner.group);
        let property = minter.string(kind);
        let fields = [location.0, property, ValueType::Int64 as u64, number];
        minter.define(DefinitionKind::LocationProperty, &fields, &[], "");
        if !process_name.is_empty() {
            let (property, name) = (minter.string("procname"), minter.string(process_name));
            let fields = [location.0, property, ValueType::String as u64, name];
            minter.define(DefinitionKind::LocationProperty, &fields, &[], "");
        }
        owner.first.get_or_insert(location);
        self.tracks.push(Track {
            slot: events.slot(location),
            process,
            cpu: None,
            process_name: process_name.to_owned(),
            calls: CallStack::default(),
        });
        let track = self.tracks.len() - 1;
        self.track_of.insert(key, track);
        track
    }

    fn process(&mut self, trace: u32, id: Option<u64>, name: &str, minter: &mut Minter) -> usize {
        if let Some(&known) = self.process_of.get(&(trace, id)) {
            return known;
        }
        let names = &self.traces[trace as usize];
        let machine = names.host.as_ref().map_or(UNDEFINED, |host| {
            let new = || minter.machine(host, "node", UNDEFINED);
            *self.hosts.entry(host.clone()).or_insert_with(new)
        });
        let title = id.map_or_else(|| names.name.clone(), |id| title(id, name));
        let group = minter.process_on(&title, machine);
        if let Some(id) = id {
            let property = minter.string("pid");
            let fields = [group, property, ValueType::Int64 as u64, id];
            minter.define(DefinitionKind::LocationGroupProperty, &fields, &[], "");
        }
        self.processes.push(Process {
            trace,
            id,
            group,
            machine,
            title,
            first: None,
            modules: Modules::default(),
        });
        let process = self.processes.len() - 1;
        self.process_of.insert((trace, id), process);
        process
    }

    /// Returns a location of each process, by rank: in the order of the traces and of the ids of processes.
    fn ranked(&self) -> Vec<LocationId> {
        let mut processes: Vec<_> = self.processes.iter().collect();
        processes.sort_by_key(|process| (process.trace, process.id));
        processes
            .iter()
            .filter_map(|process| process.first)
            .collect()
    }

    /// Returns the communicator of all processes.
    pub(crate) fn world(&mut self, minter: &mut Minter) -> u64 {
        if let Some(world) = self.world {
            return world;
        }
        let world = minter.world(&self.ranked());
        self.world = Some(world);
        world
    }

    /// Defines the ranks of the processes, now that all are known.
    pub(crate) fn finish(&mut self, minter: &mut Minter) {
        let locations = self.ranked();
        let by_process = self.processes.iter().filter_map(|process| process.first);
        match self.world {
            Some(world) => {
                let ranks: Vec<u64> = (0..locations.len() as u64).collect();
                minter.world_again(world, &locations, &ranks);
            }
            // Without a communicator, ranks are in the order of definition.
            None if !by_process.eq(locations.iter().copied()) => {
                self.world(minter);
            }
            None => {}
        }
    }
}
