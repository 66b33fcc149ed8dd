//! Finds the wait states of a store: passes its events, with corrected times, to the algorithm, several stages at once.

use std::collections::HashMap;

use foldtrace_clock::{ClockReport, Corrected, Correction};
use foldtrace_fold::Selection;
use foldtrace_matching::{Division, Regions, StagedRun, Stages};
use foldtrace_output::Spool;
use foldtrace_store::{StoreReader, models_with};
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, ErrorKind, LocationId, TraceError};

use crate::algorithm::{Iterations, RunSums, StageSums, Subject, Waits, duration};
use crate::{Options, PathIndex, Sink, Summary, WaitState};

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
    let trace = Trace::of_store(store, correction, options, progress)?;
    let run = Run::new(store, correction, &trace, options, progress);
    let silent = run.silent_ticks()?;
    let mut sums = RunSums::default();
    if trace.run.stages.count() == 1 {
        sums.add(run.stage(0, sink)?);
    } else {
        let (stages, is_wanted) = (&trace.run.stages, sink.is_wanted());
        let search = |stage| run.search(stage, is_wanted);
        stages.for_each(&stages.all(), search, |(stage, waits)| {
            let paths = sums.add(stage);
            let Some(waits) = waits else { return Ok(()) };
            waits.for_each(|wait| pass_on(&wait, &paths, sink))
        })?;
    }
    let locations = trace.run.stages.locations();
    Ok(Found::new(
        trace.run.regions,
        correction,
        sums.summary(locations, silent, options),
    ))
}

impl Found {
    /// Returns the wait states of a run with these regions and clocks.
    pub(crate) fn new(
        regions: Regions,
        correction: &Correction,
        (summary, diagnostics): (Summary, Diagnostics),
    ) -> Self {
        Self {
            summary,
            clock: correction.report(),
            regions,
            diagnostics,
        }
    }
}

/// Returns the outermost loops in the models of some locations.
fn outermost_loops(
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

impl Sink for Spool<WaitState> {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.push(wait)
    }
}

/// Passes a wait state of a stage on. Its call paths get the indices that `paths` has for them.
///
/// # Errors
/// Returns an error if it has an unknown call path, or the sink fails.
pub(crate) fn pass_on(
    wait: &WaitState,
    paths: &[PathIndex],
    sink: &mut impl Sink,
) -> Result<(), TraceError> {
    let path = |index: PathIndex| {
        let message = "a wait state has no call path";
        let path = paths.get(index.0 as usize).copied();
        path.ok_or_else(|| TraceError::new(ErrorKind::Malformed, message))
    };
    sink.wait(&WaitState {
        path: path(wait.path)?,
        cause_path: path(wait.cause_path)?,
        ..*wait
    })
}

/// What is known of a trace before its wait states are searched.
pub(crate) struct Trace {
    loops: HashMap<LocationId, Iterations>,
    pub run: StagedRun,
}

impl Trace {
    /// Returns what is known of the trace in a store.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of_store(
        store: &StoreReader,
        correction: &Correction,
        options: Options,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let correct =
            |location, position, times: &mut [_]| correction.correct(location, position, times);
        let division = Division::Stages(options.stage_events);
        let run = StagedRun::of_store(store, correct, division, progress)?;
        let mut loops = HashMap::new();
        if options.has_causes() {
            loops = outermost_loops(store, run.stages.locations(), progress)?;
        }
        Ok(Self { loops, run })
    }
}

/// A run in which wait states are searched.
pub(crate) struct Run<'a> {
    store: &'a StoreReader,
    correction: &'a Correction,
    corrected: Corrected<&'a StoreReader, &'a Correction>,
    subject: Subject<'a>,
    stages: &'a Stages,
    options: Options,
    progress: &'a Progress,
}

impl<'a> Run<'a> {
    pub fn new(
        store: &'a StoreReader,
        correction: &'a Correction,
        trace: &'a Trace,
        options: Options,
        progress: &'a Progress,
    ) -> Self {
        Self {
            store,
            correction,
            corrected: Corrected::new(store, correction),
            subject: Subject {
                names: store.names(),
                communication: trace.run.communication(),
                symbols: store.symbols(),
                loops: &trace.loops,
            },
            stages: &trace.run.stages,
            options,
            progress,
        }
    }

    /// Returns the time from the first to the last event of each location that does not communicate, summed.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn silent_ticks(&self) -> Result<u64, TraceError> {
        let silent = self.stages.silent(self.store, self.progress);
        let ends = self.correction.ends(self.store, &silent)?;
        Ok(ends.into_iter().map(duration).fold(0, u64::saturating_add))
    }

    /// Searches a stage. Returns its sums, and its wait states if they are wanted.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, a temporary file cannot be written, or the work was stopped.
    pub fn search(
        &self,
        stage: usize,
        is_wanted: bool,
    ) -> Result<(StageSums, Option<Spool<WaitState>>), TraceError> {
        let mut waits = is_wanted.then(Spool::create).transpose()?;
        Ok((self.stage(stage, &mut waits)?, waits))
    }

    /// Searches a stage, and reports its wait states to `sink`.
    fn stage(&self, stage: usize, sink: &mut impl Sink) -> Result<StageSums, TraceError> {
        let (stages, store, progress) = (self.stages, self.store, self.progress);
        let parts = stages.parts(stage);
        let census = stages.census(stage, store, self.subject.communication.census, progress)?;
        let mut waits = Waits::new(self.subject, &census, &parts, self.options);
        let positions = |location| parts.positions(location);
        let reader = &self.corrected;
        let mut timeline = Timeline::of_positions(reader, positions, false, progress, usize::MAX)?;
        while let Some(next) = timeline.next_of(|event, _| waits.pass(event))? {
            waits.take(next.location, &next.event, sink)?;
        }
        waits.finish(sink)
    }
}
