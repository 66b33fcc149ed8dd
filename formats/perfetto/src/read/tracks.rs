//! The tracks of a trace, and the locations that represent them.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{DefinitionKind, LocationId, Minter};

use crate::read::counters::CounterDescription;
use crate::read::fault::Fault;
use crate::read::process::{Title, number_property};
use crate::read::wire::{Fields, Value};

/// Maximum number of tracks between a track and its process.
const DEEPEST: usize = 64;

/// A track.
#[derive(Debug, Default)]
pub(crate) struct Track {
    pub uuid: u64,
    parent: Option<u64>,
    name: String,
    /// Whether the track shows a process.
    is_process: bool,
    /// The process, if the track shows one or a thread.
    pid: Option<i64>,
    /// The thread, if the track shows one.
    tid: Option<i64>,
    order: i64,
    pub counter: Option<CounterDescription>,
    /// The number of the counter, if the track has values.
    pub counter_number: Option<usize>,
    has_events: bool,
}

/// What identifies a process: its track, or its process id if it has no track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ProcessKey {
    Track(u32),
    Pid(i64),
    None,
}

/// All tracks of a trace.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    tracks: Vec<Track>,
    by_uuid: HashMap<u64, u32, RandomState>,
    /// Tracks of threads, by process and thread.
    threads: HashMap<(i64, i64), u32, RandomState>,
    /// The first track of each process, by process id.
    processes: HashMap<i64, u32, RandomState>,
    titles: HashMap<ProcessKey, Title, RandomState>,
    /// Names of threads, by process and thread, which apply to tracks without names.
    thread_names: HashMap<(i64, i64), String, RandomState>,
}

impl Tracks {
    /// Returns the track with this id.
    #[inline]
    pub(crate) fn track(&mut self, uuid: u64) -> u32 {
        let tracks = &mut self.tracks;
        *self.by_uuid.entry(uuid).or_insert_with(|| {
            tracks.push(Track {
                uuid,
                ..Track::default()
            });
            tracks.len() as u32 - 1
        })
    }

    /// Returns the track of a thread, for traces that describe threads without tracks.
    pub(crate) fn thread(&mut self, pid: i64, tid: i64) -> u32 {
        let tracks = &mut self.tracks;
        *self.threads.entry((pid, tid)).or_insert_with(|| {
            tracks.push(Track {
                pid: Some(pid),
                tid: Some(tid),
                ..Track::default()
            });
            tracks.len() as u32 - 1
        })
    }

    pub(crate) fn get_mut(&mut self, track: u32) -> &mut Track {
        &mut self.tracks[track as usize]
    }

    /// Returns the track whose location has the values of a counter track: the nearest track around it that is not
    /// a counter.
    pub(crate) fn home(&mut self, counter: u32) -> u32 {
        let mut home = counter;
        for _ in 0..DEEPEST {
            let track = &self.tracks[home as usize];
            if track.counter.is_none() {
                break;
            }
            home = self.track(track.parent.unwrap_or(0));
        }
        home
    }

    /// Returns the name of a counter track.
    pub(crate) fn counter_name(&self, track: u32) -> String {
        let track = &self.tracks[track as usize];
        match &track.counter {
            _ if !track.name.is_empty() => track.name.clone(),
            Some(counter) if !counter.name.is_empty() => counter.name.to_owned(),
            _ => format!("counter {}", track.uuid),
        }
    }

    /// Marks a track as one that has events.
    #[inline]
    pub(crate) fn add_event(&mut self, track: u32) {
        self.tracks[track as usize].has_events = true;
    }

    /// Takes a message `TrackDescriptor`. A later description of a track adds to earlier ones.
    pub(crate) fn describe(&mut self, message: &[u8]) -> Result<(), Fault> {
        let (mut uuid, mut parent, mut order) = (0, None, None);
        let (mut name, mut process, mut thread, mut counter) = (None, None, None, None);
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(number)) => uuid = number,
                (2 | 10 | 13, Value::Bytes(text)) => name = Some(text),
                (3, Value::Bytes(message)) => process = Some(message),
                (4, Value::Bytes(message)) => thread = Some(Thread::parse(message)?),
                (5, Value::Number(number)) => parent = Some(number),
                (8, Value::Bytes(message)) => counter = Some(CounterDescription::parse(message)?),
                (12, Value::Number(number)) => order = Some(i64::from(number as i32)),
                _ => {}
            }
        }
        let number = match &thread {
            Some(thread) if !self.by_uuid.contains_key(&uuid) => {
                let known = self.threads.get(&(thread.pid, thread.tid));
                let known = known.filter(|&&known| self.tracks[known as usize].uuid == 0);
                match known.copied() {
                    // The thread was described without a track before.
                    Some(known) => {
                        self.by_uuid.insert(uuid, known);
                        self.tracks[known as usize].uuid = uuid;
                        known
                    }
                    None => self.track(uuid),
                }
            }
            _ => self.track(uuid),
        };
        if let Some(message) = process {
            self.process_track(number, message)?;
        }
        let track = &mut self.tracks[number as usize];
        track.parent = parent.or(track.parent);
        track.order = order.unwrap_or(track.order);
        track.counter = counter.or(track.counter.take());
        if let Some(name) = name {
            track.name = String::from_utf8_lossy(name).into_owned();
        }
        if let Some(thread) = thread {
            thread.describe(track);
            self.threads
                .entry((thread.pid, thread.tid))
                .or_insert(number);
        }
        Ok(())
    }

    /// Takes a message `ThreadDescriptor` that is not part of a track. Returns the process and the thread, and the
    /// reference time in microseconds.
    pub(crate) fn describe_thread(
        &mut self,
        message: &[u8],
    ) -> Result<((i64, i64), Option<i64>), Fault> {
        let thread = Thread::parse(message)?;
        let number = self.thread(thread.pid, thread.tid);
        thread.describe(&mut self.tracks[number as usize]);
        Ok(((thread.pid, thread.tid), thread.reference))
    }

    /// Takes a message `ProcessDescriptor` that is not part of a track.
    pub(crate) fn describe_process(&mut self, message: &[u8]) -> Result<(), Fault> {
        let mut title = Title::parse(message)?;
        if let Some(pid) = title.pid {
            let key = self.key_of(pid);
            title.add(self.titles.remove(&key).unwrap_or_default());
            self.titles.insert(key, title);
        }
        Ok(())
    }

    fn process_track(&mut self, number: u32, message: &[u8]) -> Result<(), Fault> {
        let mut title = Title::parse(message)?;
        let track = &mut self.tracks[number as usize];
        track.is_process = true;
        track.pid = title.pid.or(track.pid);
        let key = ProcessKey::Track(number);
        title.add(self.titles.remove(&key).unwrap_or_default());
        if let Some(pid) = title.pid {
            self.processes.entry(pid).or_insert(number);
            // A process that was described without a track before.
            title.add(
                self.titles
                    .remove(&ProcessKey::Pid(pid))
                    .unwrap_or_default(),
            );
        }
        self.titles.insert(key, title);
        Ok(())
    }

    /// Takes a message `ProcessTree`: the names of processes and threads that are not known otherwise.
    pub(crate) fn process_tree(&mut self, message: &[u8]) -> Result<(), Fault> {
        for field in Fields::new(message) {
            let (number @ (1 | 2), Value::Bytes(entry)) = field? else {
                continue;
            };
            let (mut id, mut texts, mut process) = (0, Vec::new(), 0);
            for field in Fields::new(entry) {
                match field? {
                    (1, Value::Number(number)) => id = i64::from(number as i32),
                    (2 | 3, Value::Bytes(text)) => texts.push(String::from_utf8_lossy(text)),
                    (3, Value::Number(number)) => process = i64::from(number as i32),
                    _ => {}
                }
            }
            if number == 1 {
                let key = self.key_of(id);
                let title = self.titles.entry(key).or_default();
                title.pid = Some(id);
                if title.command.is_empty() {
                    title.command = texts.join(" ");
                }
            } else if let Some(text) = texts.first() {
                let name = self.thread_names.entry((process, id));
                name.or_insert_with(|| text.to_string());
            }
        }
        Ok(())
    }

    fn key_of(&self, pid: i64) -> ProcessKey {
        (self.processes.get(&pid)).map_or(ProcessKey::Pid(pid), |&track| ProcessKey::Track(track))
    }

    /// Returns the process of a track: that of the nearest track around it that shows a process or a thread.
    fn process_of(&self, mut number: u32) -> ProcessKey {
        let mut pid = None;
        for _ in 0..DEEPEST {
            let track = &self.tracks[number as usize];
            if track.is_process {
                return ProcessKey::Track(number);
            }
            pid = pid.or(track.pid);
            match track.parent.and_then(|parent| self.by_uuid.get(&parent)) {
                Some(&parent) => number = parent,
                None => break,
            }
        }
        pid.map_or(ProcessKey::None, |pid| self.key_of(pid))
    }

    /// Defines all processes and locations. Returns the tracks of the locations.
    pub(crate) fn define(&self, minter: &mut Minter) -> Vec<(LocationId, u32)> {
        let is_location = |track: &Track| track.has_events || track.tid.is_some();
        let locations = (0u32..).zip(&self.tracks);
        let mut locations: Vec<(ProcessKey, u32)> = locations
            .filter(|(_, track)| is_location(track))
            .map(|(number, _)| (self.process_of(number), number))
            .collect();
        let none = Title::default();
        let title = |key: ProcessKey| self.titles.get(&key).unwrap_or(&none);
        let pid_of = |key: ProcessKey| match key {
            ProcessKey::Pid(pid) => Some(pid),
            _ => title(key).pid,
        };
        let rank = |key: ProcessKey| {
            let number = match key {
                ProcessKey::Track(number) => number,
                _ => 0,
            };
            // Tracks without a process come last.
            (
                key == ProcessKey::None,
                title(key).order,
                pid_of(key),
                number,
            )
        };
        locations.sort_by_cached_key(|&(process, number)| {
            let track = &self.tracks[number as usize];
            // Threads come first, the main thread before the others.
            let thread = (
                track.tid.is_none(),
                track.order,
                track.tid != track.pid,
                track.tid,
            );
            (rank(process), thread, number)
        });
        let mut defined = Vec::with_capacity(locations.len());
        let mut last = None;
        for (process, number) in locations {
            let group = match last {
                Some((known, group)) if known == process => group,
                _ if process == ProcessKey::None => minter.process("no process"),
                _ => title(process).define(minter, pid_of(process)),
            };
            last = Some((process, group));
            let track = &self.tracks[number as usize];
            let name = track.title(title(process), &self.thread_names);
            let location = minter.location(&name, group);
            if let Some(tid) = track.tid {
                let kind = DefinitionKind::LocationProperty;
                number_property(minter, kind, location.0, "tid", tid);
            }
            defined.push((location, number));
        }
        defined
    }
}

impl Track {
    /// Returns the name of its location.
    fn title(
        &self,
        process: &Title,
        thread_names: &HashMap<(i64, i64), String, RandomState>,
    ) -> String {
        let known = self.pid.zip(self.tid);
        let known = known.and_then(|thread| thread_names.get(&thread));
        match self.tid {
            _ if !self.name.is_empty() => self.name.clone(),
            Some(tid) => known.map_or_else(|| format!("thread {tid}"), String::clone),
            None if self.is_process => process.name(self.pid),
            None if self.uuid == 0 => "global".to_owned(),
            None => format!("track {}", self.uuid),
        }
    }
}

/// A message `ThreadDescriptor`.
struct Thread {
    pid: i64,
    tid: i64,
    order: Option<i64>,
    name: String,
    /// The time in microseconds to which later times of the sequence are relative.
    reference: Option<i64>,
}

impl Thread {
    fn parse(message: &[u8]) -> Result<Self, Fault> {
        let mut thread = Self {
            pid: 0,
            tid: 0,
            order: None,
            name: String::new(),
            reference: None,
        };
        for field in Fields::new(message) {
            match field? {
                (1, Value::Number(pid)) => thread.pid = i64::from(pid as i32),
                (2, Value::Number(tid)) => thread.tid = tid.cast_signed(),
                (3, Value::Number(order)) => thread.order = Some(i64::from(order as i32)),
                (5, Value::Bytes(name)) => {
                    thread.name = String::from_utf8_lossy(name).into_owned();
                }
                (6, Value::Number(time)) => thread.reference = Some(time.cast_signed()),
                _ => {}
            }
        }
        Ok(thread)
    }

    fn describe(&self, track: &mut Track) {
        track.pid = Some(self.pid);
        track.tid = Some(self.tid);
        track.order = self.order.unwrap_or(track.order);
        if !self.name.is_empty() {
            track.name.clone_from(&self.name);
        }
    }
}
