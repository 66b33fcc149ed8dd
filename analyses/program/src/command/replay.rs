//! The subcommand `foldtrace replay`, which prints the events of a model without the trace.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::events::Events;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::output::{OutputOptions, OutputWriter};
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::{Context, signals};
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_trace::{Diagnostic, Diagnostics, ErrorKind, Names, Severity, TraceError};

use super::MergeOptions;
use crate::Program;
use crate::global::{ProgramLabels, ReplayedProgram};
use crate::local::{ReplayedLocation, read_model, replay, replay_stored};

/// Print the events that a model represents, from the model alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace replay lu.fold --location 0     the same as print --topology
  foldtrace loops lu.fold -o lu.json && foldtrace replay lu.json
  foldtrace replay lu.fold --global         all processes, with each send before its receive")]
pub struct Replay {
    /// Store to read, or a model as printed by `loops --format json`.
    input: PathBuf,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Print the events of all processes in a legal order, each with its LOCATION:POSITION: no
    /// message is received before it is sent. If INPUT is a model, it must be one printed by
    /// `loops --global --format json`.
    #[arg(short, long, conflicts_with = "location")]
    global: bool,
    /// Events of a store to replay with --global: all, or only sends, completed receives and
    /// collective operations.
    #[arg(long, value_enum, default_value_t = Events::Comm, requires = "global")]
    events: Events,
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Replay {
    const FORMATS: &'static [Format] = &[Format::Text];
}

impl Replay {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        if self.global {
            return self.global(out, context);
        }
        if self.input.is_file() {
            let bytes =
                fs::read(&self.input).map_err(|e| TraceError::unreadable(&self.input, e))?;
            let models = read_model(&self.input, &bytes)?;
            for model in pick(&models, &self.location)? {
                replay(model, &mut out)?;
            }
        } else {
            let store = StoreReader::open_for(&self.input, &self.location)?;
            let locations = select::locations(store.names(), &self.location, store.locations())?;
            replay_stored(&store, &locations, &mut out)?;
        }
        out.finish()?;
        Ok(Done::Clean)
    }

    fn global(self, mut out: OutputWriter, context: Context) -> Outcome {
        let program = if self.input.is_file() {
            let bytes =
                fs::read(&self.input).map_err(|e| TraceError::unreadable(&self.input, e))?;
            ReplayedProgram::read(&self.input, &bytes)?
        } else {
            let store = StoreReader::open(&self.input)?;
            let locations: Vec<_> = store.locations().collect();
            let program = Program::from_store(
                &store,
                &locations,
                &self.merge.merging(self.events.selection()),
                &signals::progress(),
            )?;
            ReplayedProgram::new(&ProgramLabels::new(
                &program,
                store.names(),
                store.symbols(),
            ))
        };
        let forced = program.write(&mut out)?;
        out.finish()?;
        let mut diagnostics = Diagnostics::default();
        if forced > 0 {
            let message = "a receive or a collective operation goes on without what it waits for";
            let forced_event = Diagnostic::new(Severity::Note, "replay.forced", message);
            diagnostics.report_many(forced_event, forced);
        }
        Ok(report::diagnostics(
            &diagnostics,
            &Names::default(),
            context,
        ))
    }
}

/// Selects the models named by `texts`, as [`select::locations`] does for a store; all of them if `texts` is empty.
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
