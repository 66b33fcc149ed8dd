//! The events of all streams of all traces, in the order of time.

use foldtrace_input::SingleStream;
use foldtrace_trace::{
    Backwards, Clock, DefinitionKind, Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch,
    EventStream, Input, LocationId, Place, Position, ReadOptions, Severity, Step, SymbolTable,
    TraceError,
};

use crate::data_stream::Losses;
use crate::feed::Feed;
use crate::interpreter::Interpreter;
use crate::opening::{Opened, open};
use crate::plan::TracePlan;
use crate::rounds::{Round, Rounds};
use crate::source::{Source, Span};
use crate::uuid::uuid_text;

/// An open trace.
pub(crate) struct TraceStream {
    opened: Opened,
    /// The spans of this round.
    spans: Vec<Span>,
    /// The spans of each track that have not been taken, and the tracks that have any.
    spans_of: Vec<Vec<Span>>,
    waiting: Vec<usize>,
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
        let feeds = opened.rounds.feeds.iter();
        let size = feeds.map(|feed| feed.stream.size).sum();
        let mut stream = Self {
            opened,
            spans: Vec::new(),
            spans_of: Vec::new(),
            waiting: Vec::new(),
            has_ended: false,
            failure: None,
            size,
        };
        stream.define();
        stream.note_clocks(diagnostics);
        stream.begin_round(diagnostics);
        // A failure at the first event of a stream comes before the events of other streams.
        if let Some(failure) = stream.failure.take() {
            return Err(failure);
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

    /// Takes events until a batch is ready.
    fn fill_batch(&mut self, diagnostics: &mut Diagnostics) {
        while !self.opened.interpreter.events.is_ready() && !self.has_ended {
            self.step(diagnostics);
        }
    }

    /// Takes the events of this round, while those after them are decoded. If there are none, begins the next round.
    fn step(&mut self, diagnostics: &mut Diagnostics) {
        if self.waiting.is_empty() {
            self.begin_round(diagnostics);
            return;
        }
        let Opened {
            plans,
            rounds: Rounds { feeds, sources, .. },
            interpreter,
            ..
        } = &mut self.opened;
        let (plans, sources) = (&**plans, &**sources);
        let mut taker = Taker {
            plans,
            sources,
            interpreter,
            diagnostics,
        };
        let (waiting, spans_of) = (&mut self.waiting, &mut self.spans_of);
        rayon::join(
            || {
                for track in waiting.drain(..) {
                    taker.take(track, &spans_of[track]);
                    spans_of[track].clear();
                }
            },
            || Rounds::decode_ahead(feeds, sources, plans),
        );
    }

    /// Finds out to which locations the events of the next round belong. At the end, there are none.
    fn begin_round(&mut self, diagnostics: &mut Diagnostics) {
        let Opened { plans, rounds, .. } = &mut self.opened;
        self.spans.clear();
        match rounds.next(plans, &mut self.spans, diagnostics) {
            Round::Events => {}
            Round::End => self.finish(diagnostics),
            Round::Failed(error) => {
                self.failure = Some(error);
                self.has_ended = true;
            }
        }
        self.create_tracks();
        self.assign_spans();
    }

    /// Gives each track its spans.
    fn assign_spans(&mut self) {
        let Opened {
            rounds,
            interpreter,
            ..
        } = &mut self.opened;
        self.spans_of
            .resize_with(interpreter.objects.tracks.len(), Vec::new);
        for span in &self.spans {
            let source = &mut rounds.sources[span.source as usize];
            if let Some(track) = interpreter.known_track(&mut source.facts, &span.owner) {
                let spans = &mut self.spans_of[track];
                if spans.is_empty() {
                    self.waiting.push(track);
                }
                spans.push(*span);
            }
        }
        self.waiting.sort_unstable();
    }

    /// Creates the tracks of locations that have their first events in this round, in the order of these events.
    fn create_tracks(&mut self) {
        let Opened {
            plans,
            rounds,
            interpreter,
            ..
        } = &mut self.opened;
        let mut first = Vec::new();
        for span in &self.spans {
            let source = &mut rounds.sources[span.source as usize];
            if interpreter
                .known_track(&mut source.facts, &span.owner)
                .is_none()
            {
                let event = source.chunk(span.chunk).events[span.first as usize];
                first.push((event.turn, span));
            }
        }
        first.sort_by_key(|(turn, span)| (*turn, span.source));
        for (_, span) in first {
            let source = &rounds.sources[span.source as usize];
            let event = (source.chunk(span.chunk), span.first as usize);
            let plan = &plans[source.facts.trace as usize];
            interpreter.create_track(&source.facts, &span.owner, event, plan);
        }
    }

    /// Defines what is known only at the end.
    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.has_ended = true;
        let Opened {
            interpreter,
            timeline,
            rounds,
            ..
        } = &mut self.opened;
        interpreter.objects.finish(&mut interpreter.minter);
        let (first, last) = interpreter.range.unwrap_or_default();
        interpreter.minter.clock(Clock {
            ticks_per_second: timeline.frequency,
            global_offset: first,
            trace_length: last - first,
        });
        let (mut losses, mut foreign, mut damaged_texts) = (Losses::default(), 0, 0);
        for Feed { stream, .. } in &rounds.feeds {
            losses.events += stream.losses.events;
            losses.uncounted += stream.losses.uncounted;
            losses.packets += stream.losses.packets;
            losses.cut_off += stream.losses.cut_off;
            foreign += u64::from(stream.state.is_foreign);
            damaged_texts += stream.damaged_texts;
        }
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

/// Takes the events of a round.
struct Taker<'a> {
    plans: &'a [TracePlan],
    sources: &'a [Source],
    interpreter: &'a mut Interpreter,
    diagnostics: &'a mut Diagnostics,
}

impl Taker<'_> {
    /// Takes the events of a track.
    fn take(&mut self, track: usize, spans: &[Span]) {
        let is_mixed = spans
            .windows(2)
            .any(|pair| pair[0].source != pair[1].source);
        if is_mixed {
            for span in self.in_order(spans) {
                self.take_span(track, span);
            }
        } else {
            for span in spans {
                self.take_span(track, *span);
            }
        }
    }

    /// Returns spans of a single event each, in the order of their turns.
    fn in_order(&self, spans: &[Span]) -> Vec<Span> {
        let mut events = Vec::new();
        for span in spans {
            let chunk = self.sources[span.source as usize].chunk(span.chunk);
            for event in span.first..span.after {
                let single = Span {
                    first: event,
                    after: event + 1,
                    ..*span
                };
                events.push((chunk.events[event as usize].turn, single));
            }
        }
        // Sources with a turn in common keep their order, because the spans are ordered by source.
        events.sort_by_key(|(turn, _)| *turn);
        events.into_iter().map(|(_, span)| span).collect()
    }

    fn take_span(&mut self, track: usize, span: Span) {
        let source = &self.sources[span.source as usize];
        let trace = source.facts.trace;
        let plan = &self.plans[trace as usize];
        let chunk = source.chunk(span.chunk);
        let events = span.first as usize..span.after as usize;
        let diagnostics = &mut *self.diagnostics;
        let report = |event: usize, backwards| {
            report_backwards(backwards, chunk.place(event), diagnostics);
        };
        let origin = (trace, plan);
        self.interpreter
            .take(track, (chunk, events), &span.owner, origin, report);
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
        if !self.opened.interpreter.events.is_ready() && !self.has_ended {
            // All rounds up to a batch run in the pool, which is entered once for all of them.
            rayon::scope(|_| self.fill_batch(diagnostics));
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
        let feeds = self.opened.rounds.feeds.iter();
        feeds.map(|feed| feed.stream.bytes_read()).sum()
    }
}
