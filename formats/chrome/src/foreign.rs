//! Converts the events of any program to rows, according to their phases.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use foldhash::fast::RandomState;
use foldtrace_sort::{RowKind, RowTime, SortedRows, Sorter, encode};
use foldtrace_trace::{Carried, Clock, DefinitionKind, Definitions, LocationId, Minter, ValueType};
use serde_json::value::RawValue;

use crate::counters::Counters;
use crate::fault::Fault;
use crate::record::{Record, Value, text_of, visit_object};
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

/// Collects all events of a file.
pub(crate) struct Collector {
    objects: ObjectIds,
    tracks: Tracks,
    counters: Counters,
    rows: Sorter,
    carried: Carried,
    /// The first and the last nanosecond.
    range: Option<(i64, i64)>,
}

/// All events of a file.
pub(crate) struct Collected {
    pub counters: Counters,
    pub rows: SortedRows,
    /// The locations in order, with their tracks.
    pub locations: Vec<(LocationId, u32)>,
    /// The nanosecond at time 0, which is negative if there are events before 0.
    pub zero: i64,
}

impl Collector {
    pub(crate) fn new() -> Self {
        Self {
            objects: ObjectIds::default(),
            tracks: Tracks::default(),
            counters: Counters::default(),
            rows: Sorter::new(),
            carried: Carried::default(),
            range: None,
        }
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
            objects, carried, ..
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
        let kind = match phase {
            b'B' => RowKind::Begin(objects.minter.region(&name_or_default())),
            b'E' => RowKind::End(name.as_deref().map(|name| objects.minter.region(name))),
            b'X' => {
                let region = objects.minter.region(&name_or_default());
                match record.duration {
                    Some(_) => {
                        let span = picoseconds(record.duration, "a duration, \"dur\"")?;
                        if span < 0 {
                            RowKind::Begin(region)
                        } else {
                            let end = nanoseconds(begin.saturating_add(span))?;
                            when.span = Some(end.abs_diff(when.time));
                            RowKind::Complete(region)
                        }
                    }
                    None => {
                        when.span = Some(0);
                        RowKind::Complete(region)
                    }
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

    /// Returns the definitions and the collected events, after the last event of the file.
    pub(crate) fn finish(self) -> io::Result<(Definitions, Collected)> {
        let mut minter = self.objects.minter;
        let (first, last) = self.range.unwrap_or((0, 0));
        let zero = first.min(0);
        minter.clock(Clock {
            ticks_per_second: 1_000_000_000,
            global_offset: first.abs_diff(zero),
            trace_length: first.abs_diff(last),
        });
        self.counters.define(&mut minter);
        let locations = self.tracks.define(&mut minter);
        let collected = Collected {
            counters: self.counters,
            rows: self.rows.finish()?,
            locations,
            zero,
        };
        Ok((minter.take(), collected))
    }
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

/// The definitions of named objects, and their ids.
#[derive(Default)]
struct ObjectIds {
    minter: Minter,
    /// Ids of attributes, by name and then by type: string, integer, unsigned, double.
    attributes: HashMap<String, [Option<u64>; 4], RandomState>,
}

impl ObjectIds {
    /// Adds an attribute.
    fn attribute(&mut self, name: &str, value: &RawValue, carried: &mut Carried) {
        let (value_type, bits) = match Value::from_json(value) {
            Value::Text(text) => return self.text_attribute(name, &text, carried),
            Value::Integer(integer) => (ValueType::Int64, integer as u64),
            Value::Unsigned(integer) => (ValueType::Uint64, integer),
            Value::Double(double) => (ValueType::Double, double.to_bits()),
        };
        let id = self.attribute_id(name, value_type);
        carried.attributes.push((id, value_type, bits));
    }

    /// Adds the id of an arrow, an asynchronous event or an object. There may be as many ids as events, so
    /// hexadecimal ids are stored as numbers, without memory of their own.
    fn id(&mut self, value: &RawValue, carried: &mut Carried) {
        let text = text_of(value);
        let number = text
            .strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .filter(|number| format!("0x{number:x}") == text);
        let Some(number) = number else {
            return self.attribute("id", value, carried);
        };
        let id = self.attribute_id("id", ValueType::Uint64);
        carried.attributes.push((id, ValueType::Uint64, number));
    }

    fn text_attribute(&mut self, name: &str, text: &str, carried: &mut Carried) {
        let string = self.minter.string(text);
        let id = self.attribute_id(name, ValueType::String);
        carried.attributes.push((id, ValueType::String, string));
    }

    fn attribute_id(&mut self, name: &str, value_type: ValueType) -> u64 {
        let slot = match value_type {
            ValueType::Int64 => 1,
            ValueType::Uint64 => 2,
            ValueType::Double => 3,
            _ => 0,
        };
        if let Some(id) = self.attributes.get(name).and_then(|ids| ids[slot]) {
            return id;
        }
        let id = self.minter.attribute(name, value_type);
        self.attributes.entry(name.to_owned()).or_default()[slot] = Some(id);
        id
    }

    /// Adds a value of a counter, as an attribute if it is not a number.
    fn series(
        &mut self,
        counters: &mut Counters,
        counter: usize,
        name: &str,
        value: &RawValue,
        carried: &mut Carried,
    ) {
        let (value_type, bits) = match Value::from_series(value) {
            Value::Text(text) => return self.text_attribute(name, &text, carried),
            Value::Integer(integer) => (ValueType::Int64, integer as u64),
            Value::Unsigned(integer) => (ValueType::Uint64, integer),
            Value::Double(double) => (ValueType::Double, double.to_bits()),
        };
        let series = counters.series(counter, name, value_type);
        carried.metrics.push((series, value_type, bits));
    }
}
