//! The objects that a trace has, for its header and for the file of their names: processes are tasks of one application, and
//! locations are their threads.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_notation::push_number;
use foldtrace_trace::{
    Clock, DefinitionKind, Definitions, LocationId, Members, Names, Ranks, Timestamp, UNDEFINED,
};

/// A task: a process, or a location that belongs to none.
#[derive(Clone, Debug)]
struct Task {
    name: String,
    threads: Vec<String>,
    /// The number of its node, from 1; 0 if it is unknown.
    node: usize,
}

/// The objects of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    tasks: Vec<Task>,
    /// The names of the nodes.
    nodes: Vec<String>,
    /// Task and thread of each location, both from 1.
    threads: HashMap<LocationId, (u64, u64), FixedState>,
    /// The members of each communicator that has a number.
    communicators: Vec<Vec<u64>>,
    /// The number of each communicator, from 1.
    numbers: HashMap<u64, u64, FixedState>,
}

impl Program {
    pub(crate) fn new(definitions: &Definitions, names: &Names, ranks: &Ranks) -> Self {
        let mut program = Self::default();
        let mut nodes = Nodes::new(definitions, names);
        for process in names.processes() {
            let name = names.name(DefinitionKind::LocationGroup, process.group);
            let name = line(name.unwrap_or_default());
            program.add(
                name,
                &process.locations,
                nodes.of_process(process.group),
                names,
            );
        }
        for record in definitions.records(DefinitionKind::Location) {
            let location = LocationId(record.get(0));
            if !program.threads.contains_key(&location) {
                program.add(String::new(), &[location], 0, names);
            }
        }
        if program.tasks.is_empty() {
            // Paraver needs one.
            program.add(String::new(), &[], 0, names);
        }
        // Nodes are those of all tasks, or of none.
        if program.tasks.iter().all(|task| task.node > 0) {
            program.nodes = nodes.names;
        } else {
            program.tasks.iter_mut().for_each(|task| task.node = 0);
        }
        let world = names.world();
        let all = ranks.communicators();
        let mut all: Vec<_> = all.collect();
        // The communicator of all processes has the number 1.
        all.sort_by_key(|&(id, _)| world != Some(id));
        for (id, members) in all {
            if let Members::Group(members) = members {
                program.communicators.push(members.clone());
                let number = program.communicators.len() as u64;
                program.numbers.insert(id, number);
            }
        }
        program
    }

    fn add(&mut self, name: String, locations: &[LocationId], node: usize, names: &Names) {
        let task = self.tasks.len() as u64 + 1;
        let mut threads = Vec::with_capacity(locations.len());
        for (thread, &location) in (1..).zip(locations) {
            self.threads.insert(location, (task, thread));
            let name = names.name(DefinitionKind::Location, location.0);
            threads.push(line(name.unwrap_or_default()));
        }
        self.tasks.push(Task {
            name,
            threads,
            node,
        });
    }

    /// Returns task and thread of a location, both from 1.
    pub(crate) fn thread(&self, location: LocationId) -> Option<(u64, u64)> {
        self.threads.get(&location).copied()
    }

    /// Returns the number of a communicator.
    pub(crate) fn communicator(&self, id: u64) -> Option<u64> {
        self.numbers.get(&id).copied()
    }

    /// Returns the rank of a task, from 1, in a communicator.
    pub(crate) fn rank_in(&self, number: u64, task: u64) -> Option<u64> {
        let members = self.communicators.get(number.checked_sub(1)? as usize)?;
        let rank = task - 1;
        // Most communicators have all tasks in their order.
        if members.get(rank as usize) == Some(&rank) {
            return Some(rank);
        }
        let place = members.iter().position(|&member| member == rank);
        place.map(|place| place as u64)
    }

    /// Appends the header of a trace of this length, in nanoseconds, and the lines of the communicators.
    pub(crate) fn push_header(&self, out: &mut Vec<u8>, length: u64, date: &str) {
        out.extend_from_slice(crate::header::SIGNATURE);
        out.extend_from_slice(date.as_bytes());
        out.extend_from_slice(b"):");
        push_number(out, length);
        out.extend_from_slice(b"_ns:");
        self.push_nodes(out);
        out.extend_from_slice(b":1:");
        push_number(out, self.tasks.len() as u64);
        for (task, separator) in self.tasks.iter().zip(separators(b'(')) {
            out.push(separator);
            push_number(out, task.threads.len().max(1) as u64);
            out.push(b':');
            push_number(out, task.node as u64);
        }
        out.extend_from_slice(b"),");
        push_number(out, self.communicators.len() as u64);
        out.push(b'\n');
        for (number, members) in (1..).zip(&self.communicators) {
            out.extend_from_slice(b"c:1:");
            push_number(out, number);
            out.push(b':');
            push_number(out, members.len() as u64);
            for &member in members {
                out.push(b':');
                push_number(out, member.saturating_add(1));
            }
            out.push(b'\n');
        }
    }

    fn push_nodes(&self, out: &mut Vec<u8>) {
        push_number(out, self.nodes.len() as u64);
        if self.nodes.is_empty() {
            return;
        }
        let mut cpus = vec![0; self.nodes.len()];
        for task in &self.tasks {
            if let Some(cpus) = task.node.checked_sub(1).and_then(|node| cpus.get_mut(node)) {
                *cpus += task.threads.len() as u64;
            }
        }
        for (cpus, separator) in cpus.into_iter().zip(separators(b'(')) {
            out.push(separator);
            push_number(out, cpus.max(1));
        }
        out.push(b')');
    }

    /// Returns the file of names.
    pub(crate) fn rows(&self) -> String {
        let level = |level: &str, names: Vec<&str>| {
            let lines = names.iter().map(|name| format!("{name}\n"));
            let lines: String = lines.collect();
            format!("LEVEL {level} SIZE {}\n{lines}\n", names.len())
        };
        let tasks = self.tasks.iter().map(|task| &*task.name);
        let threads = self.tasks.iter().flat_map(|task| {
            let names = task.threads.iter().map(|name| &**name);
            // A task without locations has a thread without a name.
            names.chain(task.threads.is_empty().then_some(""))
        });
        let nodes = self.nodes.iter().map(|name| &**name);
        level("NODE", nodes.collect())
            + &level("TASK", tasks.collect())
            + &level("THREAD", threads.collect())
    }
}

/// Returns the separators of a list: what opens it, and then commas.
fn separators(opening: u8) -> impl Iterator<Item = u8> {
    std::iter::once(opening).chain(std::iter::repeat(b','))
}

/// Returns a name as a single line.
pub(crate) fn line(name: &str) -> String {
    let line = name.replace(char::is_control, " ");
    line.trim().to_owned()
}

/// Returns the time from the first tick in nanoseconds; times before it are 0.
pub(crate) fn nanoseconds(clock: Clock, time: Timestamp) -> u64 {
    let time = clock.nanoseconds(time).unwrap_or(i64::MAX);
    u64::try_from(time).unwrap_or_default()
}

/// The nodes of the machine on which processes run.
struct Nodes {
    /// The node of each process, by its location group.
    parents: HashMap<u64, u64, FixedState>,
    titles: HashMap<u64, String, FixedState>,
    numbers: HashMap<u64, usize, FixedState>,
    names: Vec<String>,
}

impl Nodes {
    fn new(definitions: &Definitions, names: &Names) -> Self {
        let groups = definitions.records(DefinitionKind::LocationGroup);
        let nodes = definitions.records(DefinitionKind::SystemTreeNode);
        Self {
            parents: groups
                .filter_map(|group| Some((group.get(0), group.field("system_tree_parent")?)))
                .collect(),
            titles: nodes
                .map(|node| (node.get(0), line(names.string(node.get(1)))))
                .collect(),
            numbers: HashMap::default(),
            names: Vec::new(),
        }
    }

    /// Returns the number of the node of a process, from 1; 0 if it is unknown.
    fn of_process(&mut self, group: u64) -> usize {
        if group == UNDEFINED {
            return 0;
        }
        let Some(&node) = self.parents.get(&group) else {
            return 0;
        };
        *self.numbers.entry(node).or_insert_with(|| {
            let name = self.titles.get(&node).cloned();
            self.names.push(name.unwrap_or_default());
            self.names.len()
        })
    }
}
