//! Defines the locations of a trace, their processes and machines, and the communicator of all processes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;
use foldtrace_database::process_number;
use foldtrace_trace::{
    Diagnostic, Diagnostics, LocationId, Minter, Place as File, Severity, UNDEFINED,
};

use crate::communicators::Communicators;
use crate::export::Export;
use crate::names::Names;
use crate::places::{Place, ProcessId, Stream, thread_number};

/// The locations of an export, and what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// The location of each place.
    pub locations: HashMap<Place, LocationId, RandomState>,
    /// The ranks of processes.
    pub ranks: HashMap<ProcessId, i64, RandomState>,
    /// The communicators of all exports.
    pub communicators: Arc<Communicators>,
}

/// A process and its places.
struct Process {
    /// The number of the export that has it.
    export: usize,
    /// `None` if it is unknown.
    id: Option<ProcessId>,
    places: Vec<Place>,
}

/// Returns whether a thread is the first one of its process.
fn is_main(thread: i64) -> bool {
    thread_number(thread) == ProcessId::of(thread).number()
}

/// Returns the processes of all exports. Those with ranks come first, in their order.
fn processes(exports: &[Export], worlds: &[World]) -> Vec<Process> {
    let mut processes: BTreeMap<(i64, usize, i64), Process> = BTreeMap::new();
    for (number, (export, world)) in exports.iter().zip(worlds).enumerate() {
        let known = export.places.iter().filter_map(|place| place.process());
        let known: BTreeSet<_> = known.collect();
        // Old versions do not tell the processes of streams.
        let only = known.first().copied().filter(|_| known.len() == 1);
        for &place in &export.places {
            if matches!(place, Place::Metrics(_)) {
                continue;
            }
            let id = place.process().or(only);
            let rank = id.and_then(|id| world.ranks.get(&id).copied());
            let order = (
                rank.unwrap_or(i64::MAX),
                number,
                id.map_or(i64::MAX, |id| id.0),
            );
            let process = processes.entry(order).or_insert_with(|| Process {
                export: number,
                id,
                places: Vec::new(),
            });
            process.places.push(place);
        }
    }
    processes.into_values().collect()
}

/// Reports ranks that processes of several exports have.
pub(crate) fn report_repeated(exports: &[Export], diagnostics: &mut Diagnostics) {
    let mut files: HashMap<i64, usize, RandomState> = HashMap::default();
    for (number, export) in exports.iter().enumerate() {
        let ranks: BTreeSet<_> = export.names.ranks.values().collect();
        for &rank in ranks {
            let first = *files.entry(rank).or_insert(number);
            if first == number {
                continue;
            }
            let other = exports[first].path.display();
            let message = format!(
                "rank {rank} is in {other}, too: the reports are not of the same run, and have no communicator"
            );
            let warning = Diagnostic::new(Severity::Warning, "nsight.repeated_rank", message);
            diagnostics.report(warning.at(File::file(&export.path)));
        }
    }
}

impl World {
    fn new(names: &Names) -> Self {
        let mut world = Self::default();
        for (&thread, &rank) in &names.ranks {
            world.ranks.entry(ProcessId::of(thread)).or_insert(rank);
        }
        world
    }

    /// Defines everything, and returns the world of each export. If processes communicate but have no ranks, they get those of
    /// their order: that of the exports, and of their ids.
    pub(crate) fn define(exports: &[Export], minter: &mut Minter) -> Vec<Self> {
        let worlds = exports.iter().map(|export| Self::new(&export.names));
        let mut worlds: Vec<_> = worlds.collect();
        let is_unranked = exports.iter().all(|export| export.names.ranks.is_empty())
            && exports.iter().any(Export::has_messages);
        let processes = processes(exports, &worlds);
        let mut definer = Definer {
            minter,
            hosts: BTreeMap::new(),
        };
        // The ids of processes come before those of accelerators.
        let groups: Vec<u64> = processes
            .iter()
            .map(|process| definer.process(process, &exports[process.export].names))
            .collect();
        let mut first_groups = vec![None; exports.len()];
        let mut communicating = Vec::new();
        for (process, &group) in processes.iter().zip(&groups) {
            first_groups[process.export].get_or_insert(group);
            let names = &exports[process.export].names;
            let world = &mut worlds[process.export];
            let thread = definer.places(process, names, group, &mut world.locations);
            if let (Some(id), Some(thread)) = (process.id, thread) {
                let next = communicating.len() as i64;
                if is_unranked {
                    world.ranks.insert(id, next);
                }
                let rank = world.ranks.get(&id);
                communicating.extend(rank.map(|&rank| (rank, thread)));
            }
        }
        for ((export, world), group) in exports.iter().zip(&mut worlds).zip(first_groups) {
            definer.metrics(&export.places, group, &mut world.locations);
        }
        let communicators = Arc::new(communicators(exports, &worlds, &communicating, minter));
        for world in &mut worlds {
            world.communicators = Arc::clone(&communicators);
        }
        worlds
    }
}

/// Defines the communicators. `communicating` has the rank and the location of each process, in the order of ranks.
fn communicators(
    exports: &[Export],
    worlds: &[World],
    communicating: &[(i64, LocationId)],
    minter: &mut Minter,
) -> Communicators {
    let size = communicating.len();
    // With gaps between the ranks, as in the report of a single process, peers would be taken for other processes.
    let is_whole = communicating
        .iter()
        .map(|&(rank, _)| rank)
        .eq(0..size as i64)
        && worlds
            .iter()
            .flat_map(|world| world.ranks.values())
            .all(|&rank| rank < size as i64);
    let all = (size > 0 && is_whole).then(|| {
        let locations: Vec<_> = communicating
            .iter()
            .map(|&(_, location)| location)
            .collect();
        minter.world(&locations)
    });
    let memberships = exports.iter().flat_map(|export| &export.names.memberships);
    Communicators::define(minter, memberships, all, size)
}

struct Definer<'a> {
    minter: &'a mut Minter,
    /// The nodes of the machine by name.
    hosts: BTreeMap<String, u64>,
}

impl Definer<'_> {
    fn process(&mut self, process: &Process, names: &Names) -> u64 {
        let Some(process) = process.id else {
            return self.minter.process("unknown process");
        };
        let host = names.hosts.get(&process.machine()).map(|name| {
            let minter = &mut *self.minter;
            let define = || minter.machine(name, "node", UNDEFINED);
            *self.hosts.entry(name.clone()).or_insert_with(define)
        });
        let number = process.number();
        let name = names.processes.get(&process);
        let name = name.cloned().unwrap_or_else(|| format!("process {number}"));
        let id = self.minter.process_on(&name, host.unwrap_or(UNDEFINED));
        process_number(self.minter, id, "pid", number);
        id
    }

    /// Defines the places of a process, and returns the location of the thread that communicates: the one with a rank, or the
    /// first one.
    fn places(
        &mut self,
        process: &Process,
        names: &Names,
        group: u64,
        locations: &mut HashMap<Place, LocationId, RandomState>,
    ) -> Option<LocationId> {
        let threads = process.places.iter().filter_map(|&place| match place {
            Place::Thread(thread) => Some(thread),
            _ => None,
        });
        let mut threads: Vec<_> = threads.collect();
        // The main thread has the number of the process.
        threads.sort_by_key(|&thread| (!thread.is_some_and(is_main), thread));
        let (mut first, mut ranked) = (None, None);
        for thread in threads {
            let name = thread_name(thread, names);
            let location = self.minter.location(&name, group);
            first = first.or(Some(location));
            if thread.is_some_and(|thread| names.ranks.contains_key(&thread)) {
                ranked = ranked.or(Some(location));
            }
            locations.insert(Place::Thread(thread), location);
        }
        let mut devices = BTreeMap::new();
        for &place in &process.places {
            if let Place::Stream(process, stream) = place {
                let device = *devices.entry(stream.device).or_insert_with(|| {
                    let name = device_name(stream.device, names);
                    self.minter.accelerator(&name, group)
                });
                let name = stream_name(process, stream, names);
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
        for &place in places {
            if let Place::Metrics(kind) = place {
                let name = format!("metrics of GPU {}", kind & GPU);
                let group = match process {
                    Some(process) => self.minter.accelerator(&name, process),
                    None => self.minter.process(&name),
                };
                let location = self.minter.metric_location(&name, group);
                locations.insert(place, location);
            }
        }
    }
}

fn thread_name(thread: Option<i64>, names: &Names) -> String {
    let Some(thread) = thread else {
        return "unknown thread".to_owned();
    };
    let name = names.threads.get(&thread).cloned();
    name.unwrap_or_else(|| format!("thread {}", thread_number(thread)))
}

fn device_name(device: i64, names: &Names) -> String {
    match names.devices.get(&device) {
        Some(model) => format!("GPU {device}: {model}"),
        None => format!("GPU {device}"),
    }
}

fn stream_name(process: Option<ProcessId>, stream: Stream, names: &Names) -> String {
    let mut name = format!("GPU {}", stream.device);
    if let Some(context) = stream.context {
        name = format!("{name}, context {context}");
    }
    if let Some(number) = stream.stream {
        name = format!("{name}, stream {number}");
        let key = process.zip(stream.context);
        let key = key.map(|(process, context)| (process.number(), context, number));
        if let Some(own) = key.and_then(|key| names.streams.get(&key)) {
            name = format!("{name} ({own})");
        }
    }
    if stream.is_wait {
        name = format!("{name}: waits");
    }
    name
}
