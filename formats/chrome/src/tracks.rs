//! The processes and threads of a foreign file, and the locations that represent them.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_input::natural_order;
use foldtrace_trace::{DefinitionKind, LocationId, Minter, ValueType};

/// The name and the display order of a process or a thread.
#[derive(Debug, Default)]
pub(crate) struct Title {
    pub name: Option<String>,
    pub sort_index: i64,
    /// The labels of the process.
    pub labels: Option<String>,
}

/// A process of a foreign file.
#[derive(Debug)]
pub(crate) struct Process {
    pub id: String,
    pub title: Title,
}

/// A thread of a foreign file.
#[derive(Debug)]
pub(crate) struct Track {
    /// Index of the process.
    pub process: usize,
    pub thread: String,
    pub title: Title,
    /// Whether it is a stream of an accelerator.
    pub is_stream: bool,
}

/// All processes and threads seen so far.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    pub processes: Vec<Process>,
    process_of: HashMap<String, usize, RandomState>,
    pub tracks: Vec<Track>,
    /// The number of the first track.
    pub first: u32,
    /// Tracks by process and thread, separated by a zero byte.
    track_of: HashMap<String, u32, RandomState>,
    key: String,
    last: Option<u32>,
}

impl Tracks {
    /// Returns no tracks of another file, whose numbers follow those of this one.
    pub(crate) fn next(&self) -> Self {
        Self {
            first: self.first + self.tracks.len() as u32,
            ..Self::default()
        }
    }

    /// Returns the track of a thread. Both ids are as in the file, empty if missing.
    #[inline]
    pub(crate) fn track(&mut self, process: &str, thread: &str) -> u32 {
        if let Some(last) = self.last
            && self.key.len() == process.len() + 1 + thread.len()
            && self.key.starts_with(process)
            && self.key.ends_with(thread)
            && self.key.as_bytes()[process.len()] == 0
        {
            return last;
        }
        self.key.clear();
        self.key.push_str(process);
        self.key.push('\0');
        self.key.push_str(thread);
        let track = match self.track_of.get(&self.key) {
            Some(&track) => track,
            None => {
                let process = self.process(process);
                let track = self.first + self.tracks.len() as u32;
                self.tracks.push(Track {
                    process,
                    thread: thread.to_owned(),
                    title: Title::default(),
                    is_stream: false,
                });
                self.track_of.insert(self.key.clone(), track);
                track
            }
        };
        self.last = Some(track);
        track
    }

    fn process(&mut self, id: &str) -> usize {
        if let Some(&process) = self.process_of.get(id) {
            return process;
        }
        self.processes.push(Process {
            id: id.to_owned(),
            title: Title::default(),
        });
        self.process_of
            .insert(id.to_owned(), self.processes.len() - 1);
        self.processes.len() - 1
    }

    /// Returns the title of a process.
    pub(crate) fn process_title(&mut self, process: &str) -> &mut Title {
        let process = self.process(process);
        &mut self.processes[process].title
    }

    /// Returns the title of a thread.
    pub(crate) fn thread_title(&mut self, process: &str, thread: &str) -> &mut Title {
        let track = self.track(process, thread);
        &mut self.tracks[(track - self.first) as usize].title
    }

    /// Marks a thread as a stream of an accelerator.
    pub(crate) fn mark_stream(&mut self, track: u32) {
        self.tracks[(track - self.first) as usize].is_stream = true;
    }

    /// Defines all processes and threads in display order. Returns the tracks of the locations.
    pub(crate) fn define(&self, minter: &mut Minter) -> Vec<(LocationId, u32)> {
        let mut order: Vec<_> = self.processes.iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| {
            let by_index = a.title.sort_index.cmp(&b.title.sort_index);
            by_index.then_with(|| natural_order(&a.id, &b.id))
        });
        let mut groups = vec![0; self.processes.len()];
        let mut places = vec![0; self.processes.len()];
        for (place, (index, process)) in order.into_iter().enumerate() {
            let name = titled(&process.title, "process", &process.id);
            let group = minter.process(&name);
            groups[index] = group;
            places[index] = place;
            let kind = DefinitionKind::LocationGroupProperty;
            property(minter, kind, group, "pid", &process.id);
            if let Some(labels) = &process.title.labels {
                property(minter, kind, group, "process_labels", labels);
            }
        }
        let mut order: Vec<_> = (self.first..).zip(&self.tracks).collect();
        order.sort_by(|(_, a), (_, b)| {
            let by_process = places[a.process].cmp(&places[b.process]);
            let by_index = a.title.sort_index.cmp(&b.title.sort_index);
            let by_name = || natural_order(&a.thread, &b.thread);
            by_process.then(by_index).then_with(by_name)
        });
        let define = |(number, track): (u32, &Track)| {
            let name = titled(&track.title, "thread", &track.thread);
            let location = minter.location(&name, groups[track.process]);
            let kind = DefinitionKind::LocationProperty;
            property(minter, kind, location.0, "tid", &track.thread);
            (location, number)
        };
        order.into_iter().map(define).collect()
    }
}

/// Returns the name of a process or thread; its id if it has none.
pub(crate) fn titled(title: &Title, kind: &str, id: &str) -> String {
    match &title.name {
        Some(name) => name.clone(),
        None => format!("{kind} {id}").trim_end().to_owned(),
    }
}

/// Defines a property of a process or a thread, unless its value is empty.
pub(crate) fn property(
    minter: &mut Minter,
    kind: DefinitionKind,
    id: u64,
    name: &str,
    value: &str,
) {
    if value.is_empty() {
        return;
    }
    let name = minter.string(name);
    let (value_type, bits) = match value.parse::<i64>() {
        Ok(number) => (ValueType::Int64, number as u64),
        Err(_) => (ValueType::String, minter.string(value)),
    };
    minter.define(kind, &[id, name, value_type as u64, bits], &[], "");
}
