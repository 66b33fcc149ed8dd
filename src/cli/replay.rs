//! `foldtrace replay`: events from the model alone.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use foldtrace::export::{ReplayedLocation, read_model, replay};
use foldtrace::listing;
use foldtrace::store::StoreReader;
use foldtrace_trace::{ErrorKind, TraceError};

use super::output;
use super::report::{Done, Outcome};
use super::select;

/// Print the events that a model stands for, from the model alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace replay lu.fold --location 0     the same as print --topology
  foldtrace loops lu.fold --format json > lu.json && foldtrace replay lu.json")]
pub struct Replay {
    /// Store, or a model as `loops --format json` prints it.
    input: PathBuf,
    /// Only this location: the source's id (7 or @7), RANK.THREAD, or a rank. May be repeated.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
}

impl Replay {
    pub fn run(self) -> Outcome {
        let mut out = output::stdout();
        if self.input.is_file() {
            let bytes =
                fs::read(&self.input).map_err(|e| TraceError::unreadable(&self.input, e))?;
            let models = read_model(&self.input, &bytes)?;
            for model in pick(&models, &self.location)? {
                replay(model, &mut out)?;
            }
        } else {
            let store = StoreReader::open(&self.input)?;
            let locations = select::locations(store.names(), &self.location, store.locations())?;
            listing::replay(&store, &locations, &mut out)?;
        }
        out.flush()?;
        Ok(Done::Clean)
    }
}

/// The models that `texts` name, as [`select::locations`] does it for a store; all if there are none.
fn pick<'a>(
    models: &'a [ReplayedLocation],
    texts: &'a [String],
) -> Result<Vec<&'a ReplayedLocation>, TraceError> {
    if texts.is_empty() {
        return Ok(models.iter().collect());
    }
    texts
        .iter()
        .map(|text| {
            let id = text.strip_prefix('@').unwrap_or(text);
            let first = |label: &'a str| label.strip_suffix(".0").unwrap_or(label);
            let label = first(text);
            let by_id = models.iter().find(|model| model.location.to_string() == id);
            by_id
                .or_else(|| models.iter().find(|model| first(&model.label) == label))
                .ok_or_else(|| {
                    let labels: Vec<_> = models.iter().map(|model| model.label.as_str()).collect();
                    TraceError::new(
                        ErrorKind::Usage,
                        format!("the model has no location '{text}'"),
                    )
                    .hint(format!("it has: {}", labels.join(", ")))
                })
        })
        .collect()
}
