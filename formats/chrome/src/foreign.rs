//! Converts the events of any program to rows, according to their phases.

use std::borrow::Cow;
use std::io;

use foldtrace_sort::{RowKind, RowTime, Sorter, StreamSource, encode, scratch_error};
use foldtrace_trace::{Carried, Clock, DefinitionKind, Definitions, Diagnostics, TraceError};
use serde_json::value::RawValue;

use crate::collected::Collected;
use crate::counters::Counters;
use crate::elements::{ElementKind, Elements};
use crate::fault::Fault;
use crate::meaning::{Meaning, Plain};
use crate::objects::ObjectIds;
use crate::record::{Record, text_of, visit_object};
use crate::time::scaled;
use crate::tracks::Tracks;

/// Maximum absolute value of times, in nanoseconds.
const LATEST: i64 = 1 << 62;
/// The name of events without a name.
const NAMELESS: &str = "(no name)";

/// The reason why an event cannot be added.
pub(crate) enum Rejection {
    /// The event is malformed.
    Fault(Fault),
    /// Its row cannot be written to the temporary file.
    Scratch(io::Error),
}

impl From<Fault> for Rejection {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Rejection {
    fn from(error: io::Error) -> Self {
        Self::Scratch(error)
    }
}

/// Collects all events of a file, or of several files.
pub(crate) struct Collector<M> {
    pub meaning: M,
    pub objects: ObjectIds,
    pub counters: Counters,
    pub rows: Sorter,
    /// The threads of the current file.
    tracks: Tracks,
    /// The first and the last nanosecond of the current file.
    range: Option<(i64, i64)>,
    carried: Carried,
}

impl<M: Meaning> Collector<M> {
    pub(crate) fn new(meaning: M) -> Self {
        Self {
            meaning,
            objects: ObjectIds::default(),
            tracks: Tracks::default(),
            counters: Counters::default(),
            rows: Sorter::new(),
            carried: Carried::default(),
            range: None,
        }
    }

    /// Ends the current file: returns its threads, and its first and last nanosecond.
    pub(crate) fn end_file(&mut self) -> (Tracks, Option<(i64, i64)>) {
        let next = self.tracks.next();
        (std::mem::replace(&mut self.tracks, next), self.range.take())
    }

    /// Adds a property of the file.
    pub(crate) fn property(&mut self, key: &str, value: &[u8]) {
        let text = format!("{key}={}", String::from_utf8_lossy(value));
        let minter = &mut self.objects.minter;
        minter.define(DefinitionKind::TraceProperty, &[], &[], &text);
    }

    /// Adds an event.
    pub(crate) fn take(&mut self, text: &[u8]) -> Result<(), Rejection> {
        let Self {
            meaning,
            objects,
            carried,
            ..
        } = self;
        carried.clear();
        let record = Record::parse(text, |key, value| objects.attribute(key, value, carried))?;
        let phase = record.phase()?;
        if phase == b'M' {
            self.metadata(&record)?;
            return Ok(());
        }
        let begin = picoseconds(record.time, "a time, \"ts\", in microseconds")?;
        let mut when = RowTime {
            time: nanoseconds(begin)?,
            span: None,
        };
        if let Some(category) = record.category {
            objects.attribute("cat", category, carried);
        }
        if phase != b'C'
            && let Some(id) = record.id
        {
            objects.id(id, carried);
        }
        let name = record.name.map(text_of);
        let name = name.filter(|name| !name.is_empty());
        let name_or_default = || name.clone().unwrap_or(Cow::Borrowed(NAMELESS));
        let mut is_on_device = false;
        let kind = match phase {
            b'B' => RowKind::Begin(objects.minter.region(&name_or_default())),
            b'E' => RowKind::End(name.as_deref().map(|name| objects.minter.region(name))),
            b'X' => {
                let span = match record.duration {
                    Some(_) => picoseconds(record.duration, "a duration, \"dur\"")?,
                    None => 0,
                };
                if span >= 0 {
                    let end = nanoseconds(begin.saturating_add(span))?;
                    when.span = Some(end.abs_diff(when.time));
                }
                // After the times, since a meaning counts only calls that are kept.
                let call = meaning.call(&name_or_default(), &record, objects, carried)?;
                is_on_device = call.is_on_device;
                match when.span {
                    Some(_) => RowKind::call(call.region, call.communication),
                    None => RowKind::Begin(call.region),
                }
            }
            b'C' => {
                let id = record.id.map(text_of);
                let counter = self.counters.counter(&name_or_default(), id.as_deref());
                RowKind::Counter(counter as u64)
            }
            phase => {
                if !matches!(phase, b'i' | b'I') {
                    let text = [phase];
                    let text = String::from_utf8_lossy(&text);
                    objects.text_attribute("ph", &text, carried);
                }
                RowKind::Local(objects.minter.string(&name_or_default()))
            }
        };
        if phase != b'X'
            && let Some(duration) = record.duration
        {
            objects.attribute("dur", duration, carried);
        }
        if let Some(ours) = record.ours {
            objects.attribute("foldtrace", ours, carried);
        }
        if let Some(args) = record.args {
            let is_object = args.get().starts_with('{');
            match kind {
                _ if !is_object => objects.attribute("args", args, carried),
                RowKind::Counter(counter) => {
                    let counters = &mut self.counters;
                    visit_object(args, |key, value| {
                        objects.series(counters, counter as usize, key, value, carried);
                    })?;
                }
                _ => visit_object(args, |key, value| objects.attribute(key, value, carried))?,
            }
        }
        let end = when.time.saturating_add_unsigned(when.span.unwrap_or(0));
        let (first, last) = self.range.unwrap_or((when.time, end));
        self.range = Some((first.min(when.time), last.max(end)));
        let (process, thread) = process_and_thread(&record);
        let track = self.tracks.track(&process, &thread);
        if is_on_device {
            self.tracks.mark_stream(track);
        }
        self.rows
            .push(track, when, |out| encode(out, kind, carried))?;
        Ok(())
    }

    /// Adds a metadata event, which names a process or thread.
    fn metadata(&mut self, record: &Record<'_>) -> Result<(), Fault> {
        let (process, thread) = process_and_thread(record);
        let name = record.name.map(text_of).unwrap_or_default();
        let key = match &*name {
            "process_name" | "thread_name" => "name",
            "process_sort_index" | "thread_sort_index" => "sort_index",
            "process_labels" => "labels",
            _ => {
                let args = record.args.map_or("", RawValue::get);
                let owner = [&*process, &*thread].join("/");
                let owner = owner.trim_matches('/');
                let separator = if owner.is_empty() { "" } else { " " };
                let text = format!("{name}{separator}{owner}={args}");
                let minter = &mut self.objects.minter;
                minter.define(DefinitionKind::TraceProperty, &[], &[], &text);
                return Ok(());
            }
        };
        let mut found = None;
        if let Some(args) = record.args.filter(|args| args.get().starts_with('{')) {
            visit_object(args, |name, value| {
                if name == key {
                    found = Some(text_of(value).into_owned());
                }
            })?;
        }
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            return Ok(());
        };
        let title = if name.starts_with("process") {
            self.tracks.process_title(&process)
        } else {
            self.tracks.thread_title(&process, &thread)
        };
        match key {
            "name" => title.name = Some(found),
            "labels" => title.labels = Some(found),
            _ => {
                let index = scaled(&found, 0).and_then(|index| i64::try_from(index).ok());
                title.sort_index = index.unwrap_or(title.sort_index);
            }
        }
        Ok(())
    }
}

impl Collector<Plain> {
    /// Returns the definitions and the collected events, after the last event of the file.
    pub(crate) fn finish(self) -> io::Result<(Definitions, Collected, i64)> {
        let mut minter = self.objects.minter;
        let (first, last) = self.range.unwrap_or((0, 0));
        let zero = first.min(0);
        minter.clock(Clock {
            ticks_per_second: 1_000_000_000,
            global_offset: first.abs_diff(zero),
            trace_length: first.abs_diff(last),
        });
        self.counters.define(&mut minter);
        let locations = self.tracks.define(&mut minter).into_iter();
        let source = |(location, track)| StreamSource {
            location,
            track,
            zero,
        };
        let collected = Collected {
            counters: self.counters,
            rows: self.rows.finish()?,
            sources: locations.map(source).collect(),
            operations: Vec::new(),
        };
        Ok((minter.take(), collected, zero))
    }
}

/// Collects all events of a file. `property` takes the keys of the object around the events, and their values.
///
/// # Errors
/// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn collect<M: Meaning>(
    elements: &mut Elements,
    collector: &mut Collector<M>,
    diagnostics: &mut Diagnostics,
    mut property: impl FnMut(&mut Collector<M>, &str, &[u8]),
) -> Result<(), TraceError> {
    while let Some(element) = elements.next(diagnostics)? {
        let taken = match element.kind {
            ElementKind::Event => collector.take(element.text),
            ElementKind::Property(key) => {
                property(collector, &key, element.text);
                Ok(())
            }
            // Files of foldtrace have definitions, but are not read here; properties that are too long were
            // already reported.
            ElementKind::Definition | ElementKind::LongProperty(_) => Ok(()),
        };
        match taken {
            Ok(()) => {}
            Err(Rejection::Fault(fault)) => elements.report_or_fail(fault, diagnostics)?,
            Err(Rejection::Scratch(error)) => return Err(scratch_error(error)),
        }
    }
    Ok(())
}

fn process_and_thread<'a>(record: &Record<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    let text = |id: Option<&'a RawValue>| id.map(text_of).unwrap_or_default();
    (text(record.process), text(record.thread))
}

fn picoseconds(value: Option<&RawValue>, expected: &str) -> Result<i128, Fault> {
    let Some(value) = value else {
        return Err(Fault::new(format!("expected {expected}, found none")));
    };
    let text = text_of(value);
    scaled(&text, 6).ok_or_else(|| Fault::expected(expected, &text))
}

fn nanoseconds(picoseconds: i128) -> Result<i64, Fault> {
    let nanoseconds = i64::try_from(picoseconds.div_euclid(1000)).ok();
    let within = nanoseconds.filter(|nanoseconds| nanoseconds.unsigned_abs() <= LATEST as u64);
    within.ok_or_else(|| Fault::new("expected a time of at most 146 years, found a larger one"))
}
