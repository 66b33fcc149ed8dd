//! Finds the steps of a store: passes its events to the algorithm, those that communicate in chronological order.

use foldtrace_clock::{Corrected, Correction};
use foldtrace_matching::{Census, CollectiveCalls, Communicators};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, ErrorKind, Remedy, TraceError, TraceReader};

use crate::{Options, Sink, Steps, Summary};

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
    let correct =
        |location, position, times: &mut [_]| correction.correct(location, position, times);
    let calls = CollectiveCalls::from_store(store, &census, correct, progress)?;
    let mut steps = Steps::new(names, &communicators, &census, symbols, options).with_calls(calls);
    let corrected = Corrected::new(store, correction);
    let mut timeline = Timeline::new(&corrected, false, progress)?;
    while let Some(next) = timeline.next_of(|event, symbols| steps.pass(event, symbols))? {
        steps.take(next.location, &next.event, symbols, sink)?;
    }
    steps.finish(sink)
}
