//! Finds the steps of a store: passes its events to the algorithm, those that communicate in chronological order.

use foldtrace_clock::{Corrected, Correction};
use foldtrace_matching::{Census, Communicators};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{
    Diagnostics, ErrorKind, LocationId, Position, Remedy, TraceError, TraceReader,
};
use rayon::prelude::*;

use crate::{Meetings, Options, Sink, Steps, Summary, Survey};

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
    if let Some(phases) = &options.phases
        && store.names().region_called(phases).is_none()
    {
        let message = format!("no region is called '{phases}'");
        return Err(TraceError::new(ErrorKind::Usage, message).remedy(Remedy::ListEvents));
    }
    let census = Census::from_store(store, progress)?;
    let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
    let communicators = Communicators::new(definitions, names, &census, symbols);
    let mut steps = Steps::new(names, &communicators, &census, symbols, options);
    if let Some(survey) = Survey::new(names, &census, symbols) {
        steps = steps.with_calls(survey.conclude(&meetings(store, correction, &survey, progress)?));
    }
    let corrected = Corrected::new(store, correction);
    let mut timeline = Timeline::new(&corrected, false, progress)?;
    while let Some(next) = timeline.next_of(|event, symbols| steps.pass(event, symbols))? {
        steps.take(next.location, &next.event, symbols, sink)?;
    }
    steps.finish(sink)
}

/// Collects the calls of collective routines in all locations; reads only symbols and times of events.
fn meetings(
    store: &StoreReader,
    correction: &Correction,
    survey: &Survey,
    progress: &Progress,
) -> Result<Meetings, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let surveyed = locations.into_par_iter().map(|location| {
        let mut own = survey.location(location);
        let mut events = store.events(location, Position(0));
        let (mut symbols, mut times) = (Vec::new(), Vec::new());
        let mut position = Position(0);
        loop {
            progress.check()?;
            events.next_times(&mut symbols, &mut times)?;
            if symbols.is_empty() {
                return Ok(own.finish());
            }
            correction.correct(location, position, &mut times);
            position.0 += times.len() as u64;
            for (&symbol, &time) in symbols.iter().zip(&times) {
                own.take(symbol, time, store.symbols());
            }
        }
    });
    surveyed.try_reduce(Meetings::default, |one, other| Ok(one.with(other)))
}
