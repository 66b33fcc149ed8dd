//! Finds the wait states of a store: passes its events, with corrected times, to the algorithm, several stages at once.

use std::collections::HashMap;

use foldtrace_clock::{ClockReport, Corrected, Correction};
use foldtrace_fold::Selection;
use foldtrace_matching::{Census, CollectiveCalls, Communication, Communicators, Regions, Stages};
use foldtrace_store::{StoreReader, models_with};
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, LocationId, TraceError, TraceReader};

use crate::algorithm::{Iterations, RunSums, StageSums, Subject, Waits, duration};
use crate::spool::Spool;
use crate::{Options, Sink, Summary};

/// The wait states of a store.
#[derive(Clone, Debug)]
pub struct Found {
    /// The sums.
    pub summary: Summary,
    /// The clocks by which times were compared.
    pub clock: ClockReport,
    /// The regions to which call paths refer.
    pub regions: Regions,
    /// Problems with messages and collective operations.
    pub diagnostics: Diagnostics,
}

/// Finds the wait states of a store, with times as `correction` corrects them, and reports them to `sink`.
///
/// # Errors
/// Returns an error if a table is missing or damaged, the sink fails, or the work was stopped.
pub fn find(
    store: &StoreReader,
    correction: &Correction,
    options: Options,
    progress: &Progress,
    sink: &mut impl Sink,
) -> Result<Found, TraceError> {
    let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
    let census = Census::from_store(store, progress)?;
    let communicators = Communicators::new(definitions, names, &census, symbols);
    let regions = Regions::new(definitions, names, symbols);
    let correct =
        |location, position, times: &mut [_]| correction.correct(location, position, times);
    let calls = CollectiveCalls::from_store(store, &census, correct, progress)?;
    let communication = Communication {
        regions: &regions,
        communicators: &communicators,
        census: &census,
        calls: &calls,
    };
    let stages = Stages::of_store(store, communication, options.stage_events, progress)?;
    let loops = if options.has_causes() {
        loops(store, stages.locations(), progress)?
    } else {
        HashMap::new()
    };
    let run = Run {
        corrected: Corrected::new(store, correction),
        store,
        subject: Subject {
            names,
            communication,
            symbols,
            loops: &loops,
        },
        stages: &stages,
        options,
        progress,
    };
    let silent = run.silent_ticks(correction)?;
    let mut sums = run.sums(sink)?;
    let diagnostics = std::mem::take(&mut sums.diagnostics);
    Ok(Found {
        summary: sums.summary(stages.locations(), silent, options),
        clock: correction.report(),
        regions,
        diagnostics,
    })
}

/// Returns the outermost loops in the models of some locations.
fn loops(
    store: &StoreReader,
    locations: &[LocationId],
    progress: &Progress,
) -> Result<HashMap<LocationId, Iterations>, TraceError> {
    let models = models_with(store, locations, Selection::All, None, progress)?;
    let loops = models.map(|stored| {
        let stored = stored?;
        Ok((stored.location, Iterations::new(&stored.model)))
    });
    loops.collect()
}

/// A run in which wait states are searched.
struct Run<'a> {
    store: &'a StoreReader,
    corrected: Corrected<&'a StoreReader, &'a Correction>,
    subject: Subject<'a>,
    stages: &'a Stages,
    options: Options,
    progress: &'a Progress,
}

impl Run<'_> {
    /// Returns the time from the first to the last event of each location that does not communicate, summed.
    fn silent_ticks(&self, correction: &Correction) -> Result<u64, TraceError> {
        let communicating = self.stages.locations();
        let is_silent = |location: &LocationId| communicating.binary_search(location).is_err();
        let silent: Vec<LocationId> = self.store.locations().filter(is_silent).collect();
        let events = silent.iter().map(|&it| self.store.index().events(it));
        self.progress.count(events.sum::<u64>() as usize);
        let ends = correction.ends(self.store, &silent)?;
        Ok(ends.into_iter().map(duration).fold(0, u64::saturating_add))
    }

    /// Searches all stages, and reports the wait states in their order.
    fn sums(&self, sink: &mut impl Sink) -> Result<RunSums, TraceError> {
        let mut sums = RunSums::default();
        if self.stages.count() == 1 {
            sums.add(self.stage(0, sink)?);
            return Ok(sums);
        }
        let is_wanted = sink.is_wanted();
        let search = |stage| {
            let mut waits = is_wanted.then(Spool::create).transpose()?;
            Ok((self.stage(stage, &mut waits)?, waits))
        };
        self.stages.for_each(search, |(stage, waits)| {
            let paths = sums.add(stage);
            waits.map_or(Ok(()), |waits| waits.pass_on(&paths, sink))
        })?;
        Ok(sums)
    }

    /// Searches a stage.
    fn stage(&self, stage: usize, sink: &mut impl Sink) -> Result<StageSums, TraceError> {
        let parts = self.stages.parts(stage);
        let census = self.census(stage)?;
        let mut waits = Waits::new(self.subject, &census, &parts, self.options);
        let positions = |location| {
            let part = parts.binary_search_by_key(&location, |part| part.location);
            part.ok().map(|part| parts[part].positions.clone())
        };
        let (reader, progress) = (&self.corrected, self.progress);
        let mut timeline = Timeline::of_positions(reader, positions, false, progress, usize::MAX)?;
        while let Some(next) = timeline.next_of(|event, _| waits.pass(event))? {
            waits.take(next.location, &next.event, sink)?;
        }
        waits.finish(sink)
    }

    /// Counts the events of a stage.
    fn census(&self, stage: usize) -> Result<Census, TraceError> {
        if self.stages.count() == 1 {
            return Ok(self
                .subject
                .communication
                .census
                .only(self.stages.locations()));
        }
        let parts = self.stages.parts(stage).into_iter();
        let parts = parts.map(|part| (part.location, part.positions));
        Census::of_parts(self.store, parts.collect(), self.progress)
    }
}
