//! Finds the steps of a store: passes its events to the algorithm, several stages at once, those that communicate in chronological order.

use foldtrace_clock::{Corrected, Correction};
use foldtrace_matching::{Census, CollectiveCalls, Communication, Communicators, Regions, Stages};
use foldtrace_output::Spool;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, ErrorKind, Remedy, TraceError, TraceReader};

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
    let trace = Trace::of_store(store, correction, options, progress)?;
    let run = Run::new(store, correction, &trace, options, progress);
    trace.stages.silent(store, progress);
    let mut steps = RunSteps::new(options.origins);
    if trace.stages.count() == 1 {
        steps.add(&run.stage(0, sink)?);
        return Ok(steps.finish());
    }
    let (stages, is_wanted) = (&trace.stages, sink.is_wanted());
    let find = |stage| run.find(stage, is_wanted);
    stages.for_each(&stages.all(), find, |(stage, items)| {
        let offset = steps.add(&stage);
        let Some(items) = items else { return Ok(()) };
        items.for_each(|item| offset.pass_on(&item, sink))
    })?;
    Ok(steps.finish())
}

/// What is known of a trace before its steps are found.
pub(crate) struct Trace {
    census: Census,
    communicators: Communicators,
    calls: CollectiveCalls,
    pub stages: Stages,
}

impl Trace {
    /// Returns what is known of the trace in a store.
    ///
    /// # Errors
    /// Returns an error if the store has no region named as the phases in `options`, a table is damaged, or the work was stopped.
    pub fn of_store(
        store: &StoreReader,
        correction: &Correction,
        options: &Options,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        if let Some(phases) = &options.phases
            && store.names().region_called(phases).is_none()
        {
            let message = format!("no region is called '{phases}'");
            return Err(TraceError::new(ErrorKind::Usage, message).remedy(Remedy::ListEvents));
        }
        let census = Census::from_store(store, progress)?;
        let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
        let communicators = Communicators::new(definitions, names, &census, symbols);
        let correct =
            |location, position, times: &mut [_]| correction.correct(location, position, times);
        let calls = CollectiveCalls::from_store(store, &census, correct, progress)?;
        let communication = Communication {
            regions: &Regions::new(definitions, names, symbols),
            communicators: &communicators,
            census: &census,
            calls: &calls,
        };
        let stages = if options.has_stages() {
            Stages::of_store(store, communication, options.stage_events, progress)?
        } else {
            Stages::whole(communication)
        };
        Ok(Self {
            census,
            communicators,
            calls,
            stages,
        })
    }
}

/// A run whose steps are found.
pub(crate) struct Run<'a> {
    store: &'a StoreReader,
    corrected: Corrected<&'a StoreReader, &'a Correction>,
    trace: &'a Trace,
    options: &'a Options,
    progress: &'a Progress,
}

impl<'a> Run<'a> {
    pub fn new(
        store: &'a StoreReader,
        correction: &'a Correction,
        trace: &'a Trace,
        options: &'a Options,
        progress: &'a Progress,
    ) -> Self {
        Self {
            store,
            corrected: Corrected::new(store, correction),
            trace,
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
        let Trace {
            census,
            communicators,
            calls,
            stages,
        } = self.trace;
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
