//! Options that select the parts of a trace to keep.

use clap::Args;
use foldtrace::cut::{Cut, Filter, Kinds, Pattern, TimeSpan, parse_ranks};
use foldtrace_trace::{TraceError, TraceReader};

/// What to keep; all of these have to agree.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cutting")]
pub struct CutOptions {
    /// Only this range of time, FROM included and TO not; either may be left out. In ticks, as print
    /// shows them, or with a unit (min, s, ms, us, ns) since the beginning of the trace. What is open
    /// at FROM is entered there, what is open at TO is left there.
    #[arg(long, value_name = "FROM..TO")]
    time: Option<String>,
    /// Only these locations: ids of the source (7 or @7), RANK.THREAD, or ranks. May be repeated.
    #[arg(short, long, value_name = "L,…", value_delimiter = ',')]
    location: Vec<String>,
    /// Only the locations of these processes: ranks and ranges, such as 0-3,7. May be repeated.
    #[arg(long, value_name = "P,…")]
    process: Vec<String>,
    /// Only the calls of these regions, with all that happens within. In a name, * stands for any
    /// characters and ? for any one, such as a comma. May be repeated.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    region: Vec<String>,
    /// Only events of these kinds (schemas/events.md), or comm: sends, completed receives and
    /// collectives. May be repeated.
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
