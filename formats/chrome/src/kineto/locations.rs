//! The processes and locations of a rank: its threads, the streams of its accelerators, and what else its file lists.

use std::cmp::Reverse;

use foldtrace_input::natural_order;
use foldtrace_trace::{DefinitionKind, LocationId, Minter};

use crate::tracks::{Process, Track, Tracks, property, titled};

/// The kind of an entry that a file calls a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ProcessKind {
    /// A process of the operating system.
    Host,
    /// An accelerator; its threads are streams.
    Accelerator,
    /// A group of rows for a viewer, such as `Spans`.
    Rows,
}

/// A process of a file with its threads, in the order in which they are defined.
struct Entry<'a> {
    kind: ProcessKind,
    process: &'a Process,
    threads: Vec<(u32, &'a Track)>,
}

/// Defines the process of a rank, called `name` or as in the file, with all locations of its file, and the properties of the
/// file. Returns the locations with their tracks, the main thread first; none if the file has no thread.
pub(crate) fn define(
    minter: &mut Minter,
    name: Option<&str>,
    tracks: &Tracks,
    properties: &[(String, String)],
) -> Vec<(LocationId, u32)> {
    let entries = entries(tracks);
    let Some(first) = entries.first() else {
        return Vec::new();
    };
    let main = (first.kind == ProcessKind::Host).then_some(first);
    let default = main.map_or("process".to_owned(), |main| {
        titled(&main.process.title, "process", &main.process.id)
    });
    let rank = minter.process(name.unwrap_or(&default));
    for (key, value) in properties {
        property(
            minter,
            DefinitionKind::LocationGroupProperty,
            rank,
            key,
            value,
        );
    }
    let mut locations = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let is_main = index == 0 && main.is_some();
        let group = match entry.kind {
            _ if is_main => rank,
            ProcessKind::Accelerator => minter.accelerator(&entry.title(), rank),
            ProcessKind::Host | ProcessKind::Rows => minter.companion(&entry.title(), rank),
        };
        entry.describe(minter, group, is_main.then_some(name).flatten());
        for &(number, thread) in &entry.threads {
            locations.push((entry.location(minter, thread, group), number));
        }
    }
    locations
}

impl Entry<'_> {
    /// Returns the name of the group; that of an accelerator is its label, such as `GPU 0`.
    fn title(&self) -> String {
        let title = &self.process.title;
        match (self.kind, &title.labels) {
            (ProcessKind::Accelerator, Some(label)) => label.clone(),
            (ProcessKind::Rows, _) => {
                let name = title.name.as_ref().unwrap_or(&self.process.id);
                name.clone()
            }
            _ => titled(title, "process", &self.process.id),
        }
    }

    /// Defines the properties of the group; `name` is its name if that is not the one in the file.
    fn describe(&self, minter: &mut Minter, group: u64, name: Option<&str>) {
        let kind = DefinitionKind::LocationGroupProperty;
        let title = &self.process.title;
        property(minter, kind, group, "pid", &self.process.id);
        if let Some(labels) = &title.labels {
            property(minter, kind, group, "process_labels", labels);
        }
        if let (Some(original), Some(_)) = (&title.name, name) {
            property(minter, kind, group, "process_name", original);
        }
    }

    fn location(&self, minter: &mut Minter, thread: &Track, group: u64) -> LocationId {
        let location = if self.kind == ProcessKind::Accelerator {
            let name = titled(&thread.title, "stream", &thread.thread);
            minter.stream(name.trim_end(), group)
        } else {
            let name = titled(&thread.title, "thread", &thread.thread);
            minter.location(&name, group)
        };
        let kind = DefinitionKind::LocationProperty;
        property(minter, kind, location.0, "tid", &thread.thread);
        location
    }

    /// Returns the order of the entry: the main process first, then accelerators, and then everything else.
    fn order(&self) -> (ProcessKind, bool, Reverse<usize>, i64) {
        let is_labelled = self.process.title.labels.as_deref() == Some("CPU");
        let threads = if self.kind == ProcessKind::Host {
            self.threads.len()
        } else {
            0
        };
        (
            self.kind,
            !is_labelled,
            Reverse(threads),
            self.process.title.sort_index,
        )
    }
}

/// Returns the processes of a file that have threads. The first one is that of the rank, if it is a process of the operating
/// system.
fn entries<'a>(tracks: &'a Tracks) -> Vec<Entry<'a>> {
    let mut threads: Vec<Vec<(u32, &Track)>> = vec![Vec::new(); tracks.processes.len()];
    for (number, track) in (tracks.first..).zip(&tracks.tracks) {
        threads[track.process].push((number, track));
    }
    let entry = |(process, mut threads): (&'a Process, Vec<(u32, &'a Track)>)| {
        threads.sort_by(|(_, a), (_, b)| {
            let is_other = |track: &Track| track.thread != process.id;
            let by_index = a.title.sort_index.cmp(&b.title.sort_index);
            let by_main = is_other(a).cmp(&is_other(b)).then(by_index);
            by_main.then_with(|| natural_order(&a.thread, &b.thread))
        });
        let has_streams = threads.iter().any(|(_, track)| track.is_stream);
        Entry {
            kind: kind(process, has_streams),
            process,
            threads,
        }
    };
    let entries = tracks.processes.iter().zip(threads).map(entry);
    let mut entries: Vec<_> = entries.filter(|entry| !entry.threads.is_empty()).collect();
    entries.sort_by(|a, b| {
        let by_id = || natural_order(&a.process.id, &b.process.id);
        a.order().cmp(&b.order()).then_with(by_id)
    });
    entries
}

fn kind(process: &Process, has_streams: bool) -> ProcessKind {
    let label = process.title.labels.as_deref();
    if has_streams || label.is_some_and(|label| label != "CPU" && !label.is_empty()) {
        ProcessKind::Accelerator
    } else if process.id.parse::<u64>().is_ok() {
        ProcessKind::Host
    } else {
        ProcessKind::Rows
    }
}
