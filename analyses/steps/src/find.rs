//! Finds the steps of a store: passes its events to the algorithm, several stages at once, those that communicate in chronological order.

use foldtrace_clock::{Corrected, Correction};
use foldtrace_matching::{Division, StagedRun};
use foldtrace_output::Spool;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, ErrorKind, Remedy, TraceError};

use crate::algorithm::{Item, RunSteps, StageSteps};
use crate::{Options, Sink, StepEvent, StepMessage, Steps, Summary};

/// Finds the steps of a store in corrected times and reports them to `sink`. Returns a summary, and diagnostics about messages and
/// collective operations.
///
/// # Errors
/// Returns an error if the store has no region named as the phases in `options`, a table is damaged, the sink fails,
/// or the work was stopped.
pub fn find(
    store: &StoreReader,
    correction: &Correction,
    options: &Options,
    progress: &Progress,
    sink: &mut impl Sink,
) -> Result<(Summary, Diagnostics), TraceError> {
    let staged = staged_run(store, correction, options, progress)?;
    let run = Run::new(store, correction, &staged, options, progress);
    let stages = &staged.stages;
    stages.silent(store, progress);
    let mut steps = RunSteps::new(options.origins);
    if stages.count() == 1 {
        steps.add(run.stage(0, sink)?);
        return Ok(steps.finish());
    }
    let is_wanted = sink.is_wanted();
    let find = |stage| run.find(stage, is_wanted);
    stages.for_each(&stages.all(), find, |(stage, items)| {
        let offset = steps.add(stage);
        let Some(items) = items else { return Ok(()) };
        items.for_each(|item| offset.pass_on(&item, sink))
    })?;
    Ok(steps.finish())
}

/// Returns the run of a store before its steps are found.
///
/// # Errors
/// Returns an error if the store has no region named as the phases in `options`, a table is damaged, or the work was stopped.
pub(crate) fn staged_run(
    store: &StoreReader,
    correction: &Correction,
    options: &Options,
    progress: &Progress,
) -> Result<StagedRun, TraceError> {
    if let Some(phases) = &options.phases
        && store.names().region_called(phases).is_none()
    {
        let message = format!("no region is called '{phases}'");
        return Err(TraceError::new(ErrorKind::Usage, message).remedy(Remedy::ListEvents));
    }
    let division = if options.has_stages() {
        Division::Stages(options.stage_events)
    } else {
        Division::Whole
    };
    let correct =
        |location, position, times: &mut [_]| correction.correct(location, position, times);
    StagedRun::of_store(store, correct, division, progress)
}

/// A run whose steps are found.
pub(crate) struct Run<'a> {
    store: &'a StoreReader,
    corrected: Corrected<&'a StoreReader, &'a Correction>,
    run: &'a StagedRun,
    options: &'a Options,
    progress: &'a Progress,
}

impl<'a> Run<'a> {
    pub fn new(
        store: &'a StoreReader,
        correction: &'a Correction,
        run: &'a StagedRun,
        options: &'a Options,
        progress: &'a Progress,
    ) -> Self {
        Self {
            store,
            corrected: Corrected::new(store, correction),
            run,
            options,
            progress,
        }
    }

    /// Finds the steps of a stage. Returns them, and its operations and messages if they are wanted.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, a temporary file cannot be written, or the work was stopped.
    pub fn find(
        &self,
        stage: usize,
        is_wanted: bool,
    ) -> Result<(StageSteps, Option<Spool<Item>>), TraceError> {
        let mut items = is_wanted.then(Spool::create).transpose()?;
        Ok((self.stage(stage, &mut items)?, items))
    }

    /// Finds the steps of a stage, and reports its operations and messages to `sink`.
    fn stage(&self, stage: usize, sink: &mut impl Sink) -> Result<StageSteps, TraceError> {
        let StagedRun {
            census,
            communicators,
            calls,
            stages,
            ..
        } = self.run;
        let (store, progress) = (self.store, self.progress);
        let (names, symbols) = (store.names(), store.symbols());
        let parts = stages.parts(stage);
        let census = stages.census(stage, store, census, progress)?;
        let steps = Steps::new(names, communicators, &census, symbols, self.options);
        let mut steps = steps.with_calls(calls.clone()).in_stage(&parts);
        let positions = |location| parts.positions(location);
        let reader = &self.corrected;
        let mut timeline = Timeline::of_positions(reader, positions, false, progress, usize::MAX)?;
        while let Some(next) = timeline.next_of(|event, symbols| steps.pass(event, symbols))? {
            steps.take(next.location, &next.event, symbols, sink)?;
        }
        steps.finish_stage(sink)
    }
}

impl Sink for Spool<Item> {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.push(&Item::Event(*event))
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.push(&Item::Message(*message))
    }
}
