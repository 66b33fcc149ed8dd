//! Defines the locations of a trace, their processes and machines.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use foldtrace_database::process_number;
use foldtrace_trace::{LocationId, Minter, UNDEFINED};

use crate::names::Names;
use crate::places::{Place, ProcessId};
use crate::recording::Recording;

/// The location of each place.
pub(crate) type PlaceTable = HashMap<Place, LocationId, RandomState>;

/// Defines everything, and returns the locations of each recording.
pub(crate) fn define(recordings: &[Recording], minter: &mut Minter) -> Vec<PlaceTable> {
    let mut processes: BTreeMap<(usize, ProcessId), Vec<Place>> = BTreeMap::new();
    for (number, recording) in recordings.iter().enumerate() {
        for &place in &recording.places {
            let own = processes.entry((number, place.process()));
            own.or_default().push(place);
        }
    }
    let mut definer = Definer {
        minter,
        hosts: BTreeMap::new(),
    };
    let names = |number: usize, process: ProcessId| recordings[number].names.get(process.tables);
    // The ids of processes come before those of accelerators.
    let groups: Vec<u64> = processes
        .keys()
        .map(|&(number, process)| definer.process(process, names(number, process)))
        .collect();
    let mut locations = vec![PlaceTable::default(); recordings.len()];
    let empty = Names::default();
    for ((&(number, process), places), &group) in processes.iter().zip(&groups) {
        let names = names(number, process).unwrap_or(&empty);
        definer.places((process, places), names, group, &mut locations[number]);
    }
    locations
}

struct Definer<'a> {
    minter: &'a mut Minter,
    hosts: BTreeMap<String, u64>,
}

impl Definer<'_> {
    fn process(&mut self, process: ProcessId, names: Option<&Names>) -> u64 {
        let Some(known) = names.and_then(|names| names.processes.get(&process.id)) else {
            return self.minter.process("unknown process");
        };
        let host = names.and_then(|names| names.hosts.get(&known.node));
        let host = host.map(|name| {
            let minter = &mut *self.minter;
            let define = || minter.machine(name, "node", UNDEFINED);
            *self.hosts.entry(name.clone()).or_insert_with(define)
        });
        let name = known.command.clone();
        let name = name.unwrap_or_else(|| format!("process {}", known.number));
        let id = self.minter.process_on(&name, host.unwrap_or(UNDEFINED));
        process_number(self.minter, id, "pid", known.number as u64);
        id
    }

    fn places(
        &mut self,
        (process, places): (ProcessId, &[Place]),
        names: &Names,
        group: u64,
        locations: &mut PlaceTable,
    ) {
        let number = names.processes.get(&process.id).map(|it| it.number);
        let threads = places.iter().filter_map(|&place| match place {
            Place::Thread(_, thread) => Some(thread),
            Place::Queue { .. } => None,
        });
        let mut threads: Vec<_> = threads.collect();
        let known = |thread: Option<i64>| thread.and_then(|thread| names.threads.get(&thread));
        // The main thread has the number of the process.
        threads.sort_by_key(|&thread| (known(thread).map(|it| it.0) != number, thread));
        for thread in threads {
            let name = match known(thread) {
                Some((_, Some(name))) => name.clone(),
                Some((number, None)) => format!("thread {number}"),
                None => "unknown thread".to_owned(),
            };
            let location = self.minter.location(&name, group);
            locations.insert(Place::Thread(process, thread), location);
        }
        let mut agents = BTreeMap::new();
        for &place in places {
            let Place::Queue {
                agent,
                queue,
                stream,
                is_copy,
                ..
            } = place
            else {
                continue;
            };
            let title = agent_title(names, agent);
            let group = *agents.entry(agent).or_insert_with(|| {
                let known = agent.and_then(|agent| names.agents.get(&agent));
                let model = known.and_then(|agent| agent.name.as_ref());
                let name = model.map_or_else(|| title.clone(), |it| format!("{title}: {it}"));
                self.minter.accelerator(&name, group)
            });
            let mut name = title;
            let mut add = |kind: &str, id: Option<i64>, names: &BTreeMap<i64, String>| {
                if let Some(id) = id {
                    let own = names.get(&id).filter(|name| !name.is_empty());
                    let own = own.map_or_else(|| format!("{kind} {id}"), Clone::clone);
                    name.push_str(", ");
                    name.push_str(&own);
                }
            };
            add("queue", queue, &names.queues);
            add("stream", stream, &names.streams);
            if is_copy {
                name.push_str(": copies");
            }
            let location = self.minter.stream(&name, group);
            locations.insert(place, location);
        }
    }
}

fn agent_title(names: &Names, agent: Option<i64>) -> String {
    let Some(agent) = agent else {
        return "unknown agent".to_owned();
    };
    match names.agents.get(&agent) {
        Some(known) if known.is_gpu => format!("GPU {}", known.index),
        Some(known) => format!("CPU {}", known.index),
        None => format!("agent {agent}"),
    }
}
