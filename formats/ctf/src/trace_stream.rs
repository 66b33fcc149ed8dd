//! The events of all streams of all traces, in the order of time.

use foldtrace_input::SingleStream;
use foldtrace_trace::{
    Backwards, Clock, DefinitionKind, Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch,
    EventStream, Input, LocationId, Place, Position, ReadOptions, Severity, Step, SymbolTable,
    TraceError,
};

use crate::data_stream::Losses;
use crate::fault::Fault;
use crate::leaf::Fields;
use crate::merge::Merge;
use crate::opening::{Opened, open, report};
use crate::uuid::uuid_text;

/// An open trace.
pub(crate) struct TraceStream {
    opened: Opened,
    merge: Merge,
    /// The stream whose event is the next one.
    current: Option<usize>,
    fields: Fields,
    salvages: bool,
    has_ended: bool,
    failure: Option<TraceError>,
    size: u64,
}

impl SingleStream for TraceStream {
    fn begin(
        input: Input,
        options: ReadOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        let Input::Path(path) = input else {
            let message = "a trace of CTF is a folder, which cannot be read from a pipe";
            return Err(TraceError::new(ErrorKind::Usage, message));
        };
        let opened = open(&path, options.salvage, diagnostics)?;
        let size = opened.streams.iter().map(|(stream, _)| stream.size).sum();
        let mut stream = Self {
            opened,
            merge: Merge::default(),
            current: None,
            fields: Fields::default(),
            salvages: options.salvage,
            has_ended: false,
            failure: None,
            size,
        };
        stream.define();
        stream.note_clocks(diagnostics);
        for number in 0..stream.opened.streams.len() {
            stream.advance(number, diagnostics);
            // A failure at the first event of a stream comes before the events of other streams.
            if let Some(failure) = stream.failure.take() {
                return Err(failure);
            }
        }
        let definitions = stream.opened.interpreter.minter.take();
        Ok((stream, definitions))
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

impl TraceStream {
    /// Defines the clock, and properties of the traces.
    fn define(&mut self) {
        let Opened {
            interpreter,
            plans,
            timeline,
            ..
        } = &mut self.opened;
        let minter = &mut interpreter.minter;
        // The clock is defined again when the length of the trace is known.
        if timeline.frequency != Clock::default().ticks_per_second {
            minter.clock(Clock {
                ticks_per_second: timeline.frequency,
                ..Clock::default()
            });
        }
        let mut property = |name: &str, value: &str| {
            let text = format!("{name}={value}");
            minter.define(DefinitionKind::TraceProperty, &[], &[], &text);
        };
        for (number, plan) in plans.iter().enumerate() {
            let prefix = if plans.len() > 1 {
                format!("ctf.{number}.")
            } else {
                "ctf.".to_owned()
            };
            if let Some(uuid) = &plan.description.uuid {
                property(&format!("{prefix}uuid"), &uuid_text(uuid));
            }
            for (name, value) in &plan.description.environment {
                property(&format!("{prefix}{name}"), value);
            }
        }
    }

    fn note_clocks(&self, diagnostics: &mut Diagnostics) {
        let timeline = &self.opened.timeline;
        if timeline.is_uncorrelated {
            diagnostics.report(Diagnostic::new(
                Severity::Note,
                "ctf.uncorrelated_clocks",
                "the clocks of the traces have different origins; their offsets are taken for those from the same time",
            ));
        }
        if timeline.shift > 0 {
            let message = format!(
                "a clock begins before its origin; {} ticks were added to all times",
                timeline.shift
            );
            diagnostics.report(Diagnostic::new(
                Severity::Note,
                "ctf.negative_offset",
                message,
            ));
        }
    }

    /// Moves a stream to its next event, and waits for the turn of this event.
    fn advance(&mut self, number: usize, diagnostics: &mut Diagnostics) {
        while let Err(error) = self.try_advance(number) {
            if !self.recover(number, error, diagnostics) {
                return;
            }
        }
        self.wait(number);
    }

    fn try_advance(&mut self, number: usize) -> Result<(), TraceError> {
        let (stream, facts) = &mut self.opened.streams[number];
        stream.advance(&mut self.opened.plans[facts.trace as usize])?;
        if let (Some(next), Some(clock)) = (&mut stream.next, &facts.clock) {
            let value = next.clock;
            next.time = value.and_then(|value| self.opened.timeline.time(clock, value));
        }
        Ok(())
    }

    /// Makes the next event of a stream wait for its turn.
    fn wait(&mut self, number: usize) {
        if self.opened.streams[number].0.next.is_some() {
            let time = self.time(number).unwrap_or_default();
            self.merge.add(time, number);
        }
    }

    /// Returns the time of the next event of a stream; `None` if it has no clock, or a time that is too large.
    #[inline]
    fn time(&self, number: usize) -> Option<u64> {
        self.opened.streams[number].0.next.as_ref()?.time
    }

    /// Passes over damage if the trace is salvaged. Returns whether the stream continues.
    #[cold]
    fn recover(&mut self, number: usize, error: TraceError, diagnostics: &mut Diagnostics) -> bool {
        if !self.salvages || !error.is_salvageable() {
            self.failure = Some(error);
            self.has_ended = true;
            return false;
        }
        report(Severity::Loss, "ctf.damaged_stream", &error, diagnostics);
        let (stream, _) = &mut self.opened.streams[number];
        if !stream.skip_packet() {
            stream.skip_file();
        }
        true
    }

    /// Takes the next event. At the end, there is none.
    fn take(&mut self, diagnostics: &mut Diagnostics) {
        let Some(number) = self.current.take().or_else(|| self.merge.take()) else {
            self.finish(diagnostics);
            return;
        };
        let time = self.time(number);
        let Opened {
            plans,
            streams,
            interpreter,
            ..
        } = &mut self.opened;
        let (stream, facts) = &mut streams[number];
        let plan = &mut plans[facts.trace as usize];
        let has_clock = stream
            .next
            .as_ref()
            .is_some_and(|next| next.clock.is_some());
        let taken = stream.take(plan, &mut self.fields);
        let taken = match taken {
            Ok(_) if has_clock && time.is_none() => {
                Err(stream.failed(Fault::new("the time of an event does not fit into 64 bits")))
            }
            other => other,
        };
        match taken {
            Ok(Some(event)) => {
                interpreter.take((stream, facts), plan, &event, &self.fields, time);
                if let Some(backwards) = interpreter.events.take_backwards() {
                    report_backwards(backwards, stream.place(), diagnostics);
                }
            }
            Ok(None) => {}
            Err(error) => {
                if !self.recover(number, error, diagnostics) {
                    return;
                }
            }
        }
        while let Err(error) = self.try_advance(number) {
            if !self.recover(number, error, diagnostics) {
                return;
            }
        }
        if self.opened.streams[number].0.next.is_none() {
            return;
        }
        let time = self.time(number).unwrap_or_default();
        if self.merge.is_first(time, number) {
            self.current = Some(number);
        } else {
            self.merge.add(time, number);
        }
    }

    /// Defines what is known only at the end.
    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.has_ended = true;
        let Opened {
            interpreter,
            timeline,
            streams,
            ..
        } = &mut self.opened;
        interpreter.objects.finish(&mut interpreter.minter);
        let (first, last) = interpreter.range.unwrap_or_default();
        interpreter.minter.clock(Clock {
            ticks_per_second: timeline.frequency,
            global_offset: first,
            trace_length: last - first,
        });
        let (mut losses, mut foreign) = (Losses::default(), 0);
        for (stream, _) in streams {
            losses.events += stream.losses.events;
            losses.uncounted += stream.losses.uncounted;
            losses.packets += stream.losses.packets;
            losses.cut_off += stream.losses.cut_off;
            foreign += u64::from(stream.state.is_foreign);
        }
        let damaged_texts = interpreter.damaged_texts;
        let ends = interpreter.ends_without_begin;
        for (count, severity, key, message) in [
            (
                losses.events,
                Severity::Loss,
                "ctf.discarded_events",
                "the tracer discarded events because its buffers were full",
            ),
            (
                losses.uncounted,
                Severity::Loss,
                "ctf.discarded_before",
                "the tracer discarded events before or in the first packet of a stream; it is unknown how many",
            ),
            (
                losses.packets,
                Severity::Loss,
                "ctf.lost_packets",
                "packets are missing, according to the numbers of the others",
            ),
            (
                losses.cut_off,
                Severity::Loss,
                "ctf.cut_off",
                "packets are cut off by the ends of their files",
            ),
            (
                foreign,
                Severity::Warning,
                "ctf.other_uuid",
                "streams have packets with another UUID than their metadata; they may belong to another trace",
            ),
            (
                damaged_texts,
                Severity::Loss,
                "ctf.damaged_text",
                "fields have texts that are not valid in their encoding; invalid parts were replaced",
            ),
            (
                ends,
                Severity::Warning,
                "ctf.end_without_begin",
                "events end a call when none is open; their leave events have no region",
            ),
        ] {
            if count > 0 {
                diagnostics.report_many(Diagnostic::new(severity, key, message), count);
            }
        }
        if interpreter.range.is_none() && !interpreter.objects.tracks.is_empty() {
            diagnostics.report(Diagnostic::new(
                Severity::Note,
                "ctf.no_clock",
                "the events have no times; their positions are their times",
            ));
        }
    }
}

#[cold]
fn report_backwards(backwards: Backwards, place: Place, diagnostics: &mut Diagnostics) {
    let Backwards {
        location,
        position,
        time,
        before,
    } = backwards;
    let message = format!("time goes backwards from {before} to {time}");
    let warning = Diagnostic::new(Severity::Warning, "ctf.time_backwards", message);
    diagnostics.report(warning.at(place.event(location, position)));
}

impl EventStream for TraceStream {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        while !self.opened.interpreter.events.is_ready() && !self.has_ended {
            self.take(diagnostics);
        }
        let Opened { interpreter, .. } = &mut self.opened;
        if self.has_ended && !interpreter.events.is_ready() {
            interpreter.events.flush();
        }
        let is_batch = interpreter.events.take(batch);
        if !is_batch {
            batch.reset(LocationId::default(), Position::default());
        }
        batch.definitions = interpreter.minter.take();
        if self.has_ended && !interpreter.events.is_ready() {
            interpreter.events.flush();
            if !interpreter.events.is_ready()
                && let Some(failure) = self.failure.take()
            {
                return Err(failure);
            }
        }
        Ok(if is_batch { Step::Batch } else { Step::End })
    }

    fn symbols(&self) -> &SymbolTable {
        &self.opened.interpreter.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.opened
            .streams
            .iter()
            .map(|(stream, _)| stream.bytes_read())
            .sum()
    }
}
