//! Options that select the parts of a trace to keep.

use crate::cut::{Cut, Filter, Kinds, Pattern, TimeSpan, parse_ranks};
use clap::Args;
use foldtrace_trace::{TraceError, TraceReader};

/// The parts of a trace to keep; all filters must agree.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cutting")]
pub struct CutOptions {
    /// Only this range of time, including FROM and excluding TO; either side may be empty. Times
    /// are in ticks, as print shows them, or have a unit (min, s, ms, us, ns) and count from the
    /// beginning of the trace. Calls open at FROM are entered there, calls open at TO are left
    /// there.
    #[arg(long, value_name = "FROM..TO")]
    time: Option<String>,
    /// Only these locations: ids of the source (7 or @7), RANK.THREAD, or ranks; repeatable.
    #[arg(short, long, value_name = "L,…", value_delimiter = ',')]
    location: Vec<String>,
    /// Only the locations of these processes: ranks and ranges of ranks, such as 0-3,7; repeatable.
    #[arg(long, value_name = "P,…")]
    process: Vec<String>,
    /// Only calls of these regions, with all events inside the calls; repeatable. In a name, *
    /// matches any characters and ? any single character, such as a comma.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    region: Vec<String>,
    /// Only events of these kinds (schemas/events.md), or comm for sends, completed receives and
    /// collective operations; repeatable.
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    kind: Vec<String>,
}

impl CutOptions {
    /// Returns the filter that the options describe.
    pub fn filter(&self) -> Result<Filter, TraceError> {
        let time = self.time.as_deref().map(TimeSpan::parse).transpose()?;
        let processes = self.process.iter().map(|text| parse_ranks(text));
        let processes: Vec<_> = processes.collect::<Result<_, _>>()?;
        Ok(Filter {
            time: time.unwrap_or_default(),
            locations: self.location.clone(),
            processes: processes.concat(),
            regions: self.region.iter().map(|name| Pattern::new(name)).collect(),
            kinds: Kinds::parse(&self.kind)?,
        })
    }
}

/// Returns a reader of the parts of a trace that `filter` keeps.
pub fn cut(
    reader: Box<dyn TraceReader>,
    filter: Filter,
) -> Result<Box<dyn TraceReader>, TraceError> {
    if filter.keeps_all() {
        return Ok(reader);
    }
    Ok(Box::new(Cut::new(reader, filter)?))
}
