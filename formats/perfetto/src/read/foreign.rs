//! Converts the packets of any program to rows, which are then sorted.

use std::io;

use foldtrace_sort::{
    RowKind, RowTime, SortedTrace, Sorter, StreamSource, UnmatchedEnd, encode, scratch_error,
};
use foldtrace_trace::{
    Carried, Clock, Diagnostic, Diagnostics, Minter, Place, Severity, TraceError, TraceHead,
};

use crate::messages::{NEEDS_STATE, STATE_CLEARED};
use crate::read::attributes::Attributes;
use crate::read::clocks::{Clocks, MONOTONIC};
use crate::read::counters::{CounterValue, Counters};
use crate::read::event::{Event, EventType, LegacyTime, NameOf};
use crate::read::fault::Fault;
use crate::read::names::Texts;
use crate::read::packet::Packet;
use crate::read::packets::Packets;
use crate::read::sequences::{Defaults, Sequence, Sequences};
use crate::read::tracks::Tracks;
use crate::read::unread::Unread;

/// Maximum absolute value of times and durations, in nanoseconds.
const LATEST: u128 = 1 << 62;
/// The name of events without a name.
const NAMELESS: &str = "(no name)";

/// The reason why a packet cannot be added.
enum Rejection {
    /// The packet is malformed.
    Fault(Fault),
    /// A row cannot be written to the temporary file.
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

/// Reads and sorts all events. `diagnostics` has the problems before the first packet.
///
/// # Errors
/// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
pub(crate) fn read(
    mut packets: Packets,
    mut diagnostics: Diagnostics,
) -> Result<SortedTrace, TraceError> {
    let mut collector = Collector::new();
    while let Some(packet) = packets.next(&mut diagnostics)? {
        match collector.take(packet) {
            Ok(()) => {}
            Err(Rejection::Fault(fault)) => packets.report_or_fail(fault, &mut diagnostics)?,
            Err(Rejection::Scratch(error)) => return Err(scratch_error(error)),
        }
    }
    collector
        .finish(&packets, diagnostics)
        .map_err(scratch_error)
}

/// Collects all events of a file.
struct Collector {
    minter: Minter,
    texts: Texts,
    /// The id of the attribute for categories.
    category_id: Option<u64>,
    sequences: Sequences,
    clocks: Clocks,
    tracks: Tracks,
    counters: Counters,
    rows: Sorter,
    carried: Carried,
    unread: Unread,
    /// The first and the last nanosecond.
    range: Option<(i64, i64)>,
}

impl Collector {
    fn new() -> Self {
        Self {
            minter: Minter::default(),
            texts: Texts::default(),
            category_id: None,
            sequences: Sequences::default(),
            clocks: Clocks::default(),
            tracks: Tracks::default(),
            counters: Counters::default(),
            rows: Sorter::new(),
            carried: Carried::default(),
            unread: Unread::default(),
            range: None,
        }
    }

    /// Adds a packet.
    fn take(&mut self, message: &[u8]) -> Result<(), Rejection> {
        let packet = Packet::parse(message)?;
        let number = self.sequences.number(packet.sequence);
        let sequence = self.sequences.get_mut(number);
        if packet.is_after_gap {
            // The service also marks the first packet of a sequence.
            self.unread.gaps += u64::from(sequence.has_begun && !packet.is_first);
            sequence.is_broken = true;
        }
        sequence.has_begun = true;
        if packet.flags & u64::from(STATE_CLEARED) != 0 {
            sequence.clear();
        }
        if let Some(snapshot) = packet.snapshot {
            self.clocks.snapshot(packet.sequence, snapshot)?;
        }
        if let Some(names) = packet.names {
            sequence.names.take(names)?;
        }
        if let Some(defaults) = packet.defaults {
            sequence.defaults = Defaults::parse(defaults)?;
        }
        if sequence.is_broken && packet.flags & u64::from(NEEDS_STATE) != 0 {
            self.unread.without_state += 1;
            return Ok(());
        }
        if let Some(tree) = packet.process_tree {
            self.tracks.process_tree(tree)?;
        }
        if let Some(process) = packet.process {
            self.tracks.describe_process(process)?;
        }
        if let Some(thread) = packet.thread {
            let (thread, reference) = self.tracks.describe_thread(thread)?;
            sequence.thread = Some(thread);
            sequence.reference = reference.unwrap_or(sequence.reference);
        }
        if let Some(track) = packet.track {
            self.tracks.describe(track)?;
        }
        if let Some(number) = packet.other {
            self.unread.packet(number);
        }
        match packet.event {
            Some(event) => self.event(&packet, number, event),
            None => Ok(()),
        }
    }

    /// Adds an event.
    fn event(
        &mut self,
        packet: &Packet<'_>,
        number: usize,
        message: &[u8],
    ) -> Result<(), Rejection> {
        let event = Event::parse(message)?;
        let time = self.time(packet, number, &event)?;
        let track = self.track(number, &event);
        self.carried.clear();
        let mut extras = Vec::new();
        if event.has_more {
            let (mut attributes, defaults) = self.attributes(number);
            attributes.event(message, &event, defaults, &mut extras)?;
        }
        let mut when = RowTime { time, span: None };
        if event.event_type == EventType::Counter {
            let value = match (event.integer, event.double) {
                (_, Some(double)) => CounterValue::Double(double),
                (Some(integer), None) => CounterValue::Integer(integer),
                (None, None) => {
                    return Err(Fault::new("expected the value of a counter, found none").into());
                }
            };
            self.counter(number, time, track, value)?;
            return self.extras(number, time, &extras);
        }
        if event.is_legacy {
            self.attributes(number).0.legacy(&event);
        }
        let kind = self.kind(number, &event, &mut when)?;
        // Values that were measured together with an event are within its call.
        let are_before = event.event_type != EventType::Begin && !extras.is_empty();
        if are_before {
            let carried = std::mem::take(&mut self.carried);
            self.extras(number, time, &extras)?;
            self.carried = carried;
        }
        self.push(track, when, kind)?;
        if !are_before {
            self.extras(number, time, &extras)?;
        }
        Ok(())
    }

    /// Adds a row with everything in `carried`.
    fn push(&mut self, track: u32, when: RowTime, kind: RowKind) -> io::Result<()> {
        let end = when.time.saturating_add_unsigned(when.span.unwrap_or(0));
        let (first, last) = self.range.unwrap_or((when.time, end));
        self.range = Some((first.min(when.time), last.max(end)));
        self.tracks.add_event(track);
        let carried = &self.carried;
        self.rows
            .push(track, when, |out| encode(out, kind, carried))
    }

    /// Returns the time of an event in nanoseconds.
    fn time(
        &mut self,
        packet: &Packet<'_>,
        number: usize,
        event: &Event<'_>,
    ) -> Result<i64, Fault> {
        const MICROSECOND: i128 = 1000;
        let sequence = self.sequences.get_mut(number);
        let clock = packet.clock.or(sequence.defaults.clock);
        let time = match (packet.timestamp, event.time) {
            (Some(time), _) => self.clocks.time(packet.sequence, clock, i128::from(time)),
            (None, Some(time)) => {
                let time = match time {
                    LegacyTime::Absolute(time) => time,
                    LegacyTime::Difference(time) => {
                        sequence.reference = sequence.reference.wrapping_add(time);
                        sequence.reference
                    }
                };
                let clock = clock.or(Some(MONOTONIC));
                let time = i128::from(time) * MICROSECOND;
                self.clocks.time(packet.sequence, clock, time)
            }
            (None, None) => return Err(Fault::new("expected the time of an event, found none")),
        };
        if time.unsigned_abs() > LATEST {
            let message = "expected a time of at most 146 years, found a larger one";
            return Err(Fault::new(message));
        }
        Ok(time as i64)
    }

    /// Returns the track of an event.
    fn track(&mut self, number: usize, event: &Event<'_>) -> u32 {
        let sequence = self.sequences.get_mut(number);
        let legacy = &event.legacy;
        if legacy.pid.is_some() || legacy.tid.is_some() {
            let thread = sequence.thread.unwrap_or_default();
            let (pid, tid) = (
                legacy.pid.unwrap_or(thread.0),
                legacy.tid.unwrap_or(thread.1),
            );
            return self.tracks.thread(pid, tid);
        }
        match (event.track.or(sequence.defaults.track), sequence.thread) {
            (Some(uuid), _) => self.tracks.track(uuid),
            (None, Some((pid, tid))) => self.tracks.thread(pid, tid),
            (None, None) => self.tracks.track(0),
        }
    }

    /// Returns the kind of the row of an event that is not a counter, and sets the duration of a complete event.
    fn kind(
        &mut self,
        number: usize,
        event: &Event<'_>,
        when: &mut RowTime,
    ) -> Result<RowKind, Fault> {
        let Self {
            minter,
            texts,
            sequences,
            unread,
            ..
        } = self;
        let name = match event.name {
            Some(NameOf::Number(iid)) => {
                let name = sequences.get_mut(number).names.events.get_mut(iid);
                unread.unknown_names += u64::from(name.is_none());
                name
            }
            Some(NameOf::Text(bytes)) => Some(texts.name(&String::from_utf8_lossy(bytes))),
            None => None,
        };
        if event.event_type == EventType::End {
            return Ok(RowKind::End(name.map(|name| name.region(minter))));
        }
        let name = match name {
            Some(name) => name,
            None => texts.name(NAMELESS),
        };
        Ok(match event.event_type {
            EventType::Begin => RowKind::Begin(name.region(minter)),
            EventType::Legacy(b'X') => match event.legacy.duration.map(u64::try_from) {
                // A call that has not ended.
                Some(Err(_)) => RowKind::Begin(name.region(minter)),
                duration => {
                    let microseconds = duration.and_then(Result::ok).unwrap_or(0);
                    let nanoseconds = microseconds.checked_mul(1000);
                    let nanoseconds = nanoseconds.filter(|&it| u128::from(it) <= LATEST);
                    when.span = Some(nanoseconds.ok_or_else(|| {
                        Fault::new("expected a duration of at most 146 years, found a larger one")
                    })?);
                    RowKind::Complete(name.region(minter))
                }
            },
            _ => RowKind::Local(name.string(minter)),
        })
    }

    /// Returns what adds attributes to an event of a sequence, and the defaults of the sequence.
    fn attributes(&mut self, number: usize) -> (Attributes<'_>, &Defaults) {
        let Sequence {
            names, defaults, ..
        } = self.sequences.get_mut(number);
        let attributes = Attributes {
            minter: &mut self.minter,
            texts: &mut self.texts,
            names,
            category_id: &mut self.category_id,
            carried: &mut self.carried,
            unread: &mut self.unread,
        };
        (attributes, defaults)
    }

    /// Adds the additional counter values of an event.
    fn extras(
        &mut self,
        sequence: usize,
        time: i64,
        extras: &[(u64, CounterValue)],
    ) -> Result<(), Rejection> {
        for &(uuid, value) in extras {
            let track = self.tracks.track(uuid);
            self.carried.clear();
            self.counter(sequence, time, track, value)?;
        }
        Ok(())
    }

    /// Adds a value of a counter track, with the attributes in `carried`.
    fn counter(
        &mut self,
        sequence: usize,
        time: i64,
        track: u32,
        value: CounterValue,
    ) -> Result<(), Rejection> {
        let home = self.tracks.home(track);
        let number = match self.tracks.get_mut(track).counter_number {
            Some(number) => number,
            None => {
                let name = self.tracks.counter_name(track);
                let described = self.tracks.get_mut(track).counter.clone();
                let described = described.unwrap_or_default();
                let number = self.counters.add(home, &name, &described);
                self.tracks.get_mut(track).counter_number = Some(number);
                number
            }
        };
        let state = (sequence, self.sequences.get_mut(sequence).state);
        let (metric, value_type, bits) = self.counters.take(number, state, value);
        self.carried.metrics.push((0, value_type, bits));
        let when = RowTime { time, span: None };
        self.push(home, when, RowKind::Counter(metric))?;
        Ok(())
    }

    /// Returns the trace, after the last packet of the file.
    fn finish(
        mut self,
        packets: &Packets,
        mut diagnostics: Diagnostics,
    ) -> io::Result<SortedTrace> {
        let (first, last) = self.range.unwrap_or((0, 0));
        let zero = first.min(0);
        let place = Place::file(packets.path());
        if zero < 0 {
            let message = format!("all times are {} ns later than in the file", -zero);
            let note = Diagnostic::new(Severity::Note, "perfetto.negative_time", message);
            let hint = "the file contains times before 0";
            diagnostics.report(note.at(place.clone()).hint(hint));
        }
        self.clocks.report(&place, &mut diagnostics);
        self.unread.report(&place, &mut diagnostics);
        self.minter.clock(Clock {
            ticks_per_second: 1_000_000_000,
            global_offset: first.abs_diff(zero),
            trace_length: first.abs_diff(last),
        });
        let doubles = self.counters.define(&mut self.minter);
        let locations = self.tracks.define(&mut self.minter);
        let source = |(location, track)| StreamSource {
            location,
            track,
            zero,
        };
        let trace = SortedTrace {
            path: packets.path().to_owned(),
            head: TraceHead {
                definitions: self.minter.take(),
                diagnostics,
                ..TraceHead::default()
            },
            rows: self.rows.finish()?,
            sources: locations.into_iter().map(source).collect(),
            operations: Vec::new(),
            doubles,
            unmatched_end: UnmatchedEnd {
                kind: (Severity::Warning, "perfetto.unmatched_end"),
                message: "the end of a slice has no matching begin",
            },
        };
        Ok(trace.with_streams())
    }
}
