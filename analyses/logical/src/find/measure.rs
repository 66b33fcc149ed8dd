//! Measures the bytes and times of the calls of a logical program in all processes.

use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    BatchCursor, Diagnostics, EventBatch, EventRef, EventStream, Position, Quantity, Step,
    Timestamp, TraceError,
};
use rayon::prelude::*;

use super::attempt::Processes;
use super::meanings::Meanings;
use crate::model::{Construct, Follow, Letter, Logical, Meaning, Measured, Values, Word, Wording};

/// The measurements of one instance of a call.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    bytes: Option<u64>,
    computing: u64,
    communicating: u64,
}

/// The samples of a call.
#[derive(Clone, Debug, Default)]
struct Samples {
    bytes: Values,
    computing: Values,
    communicating: Values,
}

impl Samples {
    fn add(&mut self, sample: Sample) {
        if let Some(bytes) = sample.bytes {
            self.bytes.add(bytes);
        }
        self.computing.add(sample.computing);
        self.communicating.add(sample.communicating);
    }

    fn merge(&mut self, other: Self) {
        self.bytes.merge(other.bytes);
        self.computing.merge(other.computing);
        self.communicating.merge(other.communicating);
    }

    fn measured(&self) -> Measured {
        Measured {
            bytes: self.bytes.distribution(),
            computing: self.computing.distribution(),
            communicating: self.communicating.distribution(),
        }
    }
}

/// A clock for the time in which a process computes: the time outside of MPI calls.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// The number of open calls, counted from the outermost MPI call.
    open: u32,
    /// The time at which the outermost MPI call was entered.
    entered: Timestamp,
    /// The time since which the process computes; `None` before its first event.
    since: Option<Timestamp>,
    /// Ticks in which the process has computed since the last letter.
    computing: u64,
}

impl Clock {
    fn compute_until(&mut self, time: Timestamp) {
        let since = self.since.replace(time).unwrap_or(time);
        self.computing += time.0.saturating_sub(since.0);
    }

    fn enter(&mut self, is_mpi: bool, time: Timestamp) {
        if self.open > 0 {
            self.open += 1;
        } else if is_mpi {
            self.compute_until(time);
            self.entered = time;
            self.open = 1;
        } else if self.since.is_none() {
            self.since = Some(time);
        }
    }

    /// Ends a call, and returns its duration if it is an outermost MPI call.
    fn leave(&mut self, time: Timestamp) -> Option<u64> {
        self.open = self.open.checked_sub(1)?;
        if self.open > 0 {
            return None;
        }
        self.since = Some(time);
        Some(time.0.saturating_sub(self.entered.0))
    }

    /// Returns the ticks of computing since the last letter, and resets them.
    fn letter(&mut self, time: Timestamp) -> u64 {
        if self.open == 0 {
            self.compute_until(time);
        }
        std::mem::take(&mut self.computing)
    }
}

/// Measures the calls of a program, and its duration as a whole.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub(super) fn measure(
    processes: &Processes<'_>,
    wording: Wording,
    logical: &mut Logical,
    progress: &Progress,
) -> Result<(), TraceError> {
    let calls = calls(&logical.program);
    let of = 0..processes.ranks.len() as u32;
    let measured = of.into_par_iter().map(|process| {
        let mut samples = vec![Samples::default(); calls];
        let span = sample(processes, wording, logical, process, &mut samples, progress)?;
        Ok::<_, TraceError>((samples, span))
    });
    let nothing = || (vec![Samples::default(); calls], None::<u64>);
    let (samples, span) = measured.try_reduce(nothing, |(mut all, span), (one, other)| {
        for (sum, one) in all.iter_mut().zip(one) {
            sum.merge(one);
        }
        Ok((all, span.into_iter().chain(other).min()))
    })?;
    logical.measured = samples.iter().map(Samples::measured).collect();
    logical.ticks = span.unwrap_or(0);
    Ok(())
}

fn calls(program: &[Construct]) -> usize {
    let counted = program.iter().map(|construct| match construct {
        Construct::Call(_) => 1,
        Construct::Loop(inner) => calls(&inner.body),
    });
    counted.sum()
}

/// Adds the samples of one process to `samples`. Returns the ticks from its first event to its last, or `None` if it
/// has no events.
fn sample(
    processes: &Processes<'_>,
    wording: Wording,
    logical: &Logical,
    process: u32,
    samples: &mut [Samples],
    progress: &Progress,
) -> Result<Option<u64>, TraceError> {
    let number = process as usize;
    let Some(location) = processes.places[number].location else {
        return Ok(None);
    };
    let understanding = &processes.understanding;
    let rank = processes.ranks[number];
    let (topology, nodes) = (&logical.topology, &logical.nodes);
    let at = (topology, &**nodes);
    let mut meanings = Meanings::new(understanding, wording, at, (process, rank));
    let mut follow = Follow::new(logical.instances(nodes[number]));
    let mut report = |call: Option<u32>, sample: Sample| {
        if let Some(samples) = call.and_then(|call| samples.get_mut(call as usize)) {
            samples.add(sample);
        }
    };
    let mut follow_word = |letter: Letter, sample| follow.take(letter, sample, &mut report);
    let (mut word, mut clock) = (Word::new(wording), Clock::default());
    let mut span: Option<(Timestamp, Timestamp)> = None;
    let mut events = processes.store.events(location, Position(0));
    let mut batch = EventBatch::default();
    loop {
        progress.check()?;
        let step = events.next_batch(&mut batch, &mut Diagnostics::default())?;
        progress.count(batch.len());
        let mut cursor = BatchCursor::default();
        while let Some(event) = cursor.next(&batch, understanding.symbols) {
            let first = span.map_or(event.time, |(first, _)| first);
            span = Some((first, event.time));
            let meaning = meanings.meaning(event.symbol);
            let sample = pass(&mut clock, &mut word, meaning, &event);
            word.take(meaning, sample, &mut follow_word);
        }
        if step == Step::End {
            break;
        }
    }
    word.finish(&mut follow_word);
    follow.finish(&mut report);
    Ok(span.map(|(first, last)| last.0.saturating_sub(first.0)))
}

/// Advances the clock to an event and returns the sample of the event. At the end of an MPI call, stores the duration
/// in the first pending letter of the call.
fn pass(clock: &mut Clock, word: &mut Word<Sample>, meaning: Meaning, event: &EventRef) -> Sample {
    let mut sample = Sample::default();
    match meaning {
        Meaning::Enter { is_mpi } => clock.enter(is_mpi, event.time),
        Meaning::Call(_) => {
            clock.enter(true, event.time);
            sample.computing = clock.letter(event.time);
        }
        Meaning::Leave => {
            if let (Some(ticks), Some(first)) = (clock.leave(event.time), word.first()) {
                first.communicating = ticks;
            }
        }
        Meaning::Letter(letter) | Meaning::Posted(letter) => {
            sample.bytes = event.get(Quantity::Bytes);
            if let Letter::Collective { .. } = letter {
                let received = event.get(Quantity::BytesReceived);
                sample.bytes = sample.bytes.max(received);
            }
            sample.computing = clock.letter(event.time);
        }
        Meaning::Nothing | Meaning::Outside => (),
    }
    sample
}
