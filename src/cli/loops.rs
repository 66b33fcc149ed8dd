//! `foldtrace loops`: the loop models of a store.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use foldtrace::export::{LoopsText, TextOptions, loops_json};
use foldtrace::fold::Selection;
use foldtrace::models;
use foldtrace::store::{StoreReader, StoredModel};
use foldtrace_trace::DefinitionKind;

use super::output::{self, counted};
use super::report::{Done, Outcome};
use super::select;

/// Show the loops of each location: what it does, as nested loops.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace loops lu.fold --location 0 --events comm
  foldtrace loops lu.fold --location 0 --positions
  foldtrace loops lu.fold --format json > lu.json && foldtrace replay lu.json")]
pub struct Loops {
    /// Store to read.
    store: PathBuf,
    /// Only this location: the source's id (7 or @7), RANK.THREAD, or a rank. May be repeated.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Which events to fold: all, or only sends, completed receives and collectives.
    #[arg(long, value_enum, default_value_t = Events::All)]
    events: Events,
    /// How to write the models.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Positions (`@`) and lengths of iterations (`#`) as comments of the text.
    #[arg(long)]
    positions: bool,
    /// Fold anew with bodies of up to N terms.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    max_body: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Events {
    All,
    Comm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Loops {
    pub fn run(self) -> Outcome {
        let store = StoreReader::open(&self.store)?;
        let names = store.names();
        let locations = select::locations(names, &self.location, store.locations())?;
        let selection = match self.events {
            Events::All => Selection::All,
            Events::Comm => Selection::Communication,
        };
        let max_body = self.max_body.and_then(|n| usize::try_from(n).ok());
        let models = models::of(&store, &locations, selection, max_body)?;
        let symbols = store.symbols();
        if self.format == Format::Json {
            output::json_list(models.map(|stored| {
                let StoredModel { location, model } = stored?;
                Ok(loops_json(
                    names,
                    symbols,
                    location,
                    selection.name(),
                    &model,
                ))
            }))?;
            return Ok(Done::Clean);
        }
        let mut out = output::stdout();
        let options = TextOptions {
            positions: self.positions,
        };
        for stored in models {
            let StoredModel { location, model } = stored?;
            writeln!(
                out,
                "// location {} ({}): {}, {}, {}",
                names.label(location),
                names
                    .name(DefinitionKind::Location, location.0)
                    .unwrap_or("unnamed"),
                counted(model.events, "event"),
                counted(model.terms(), "term"),
                counted(model.loops(), "loop"),
            )?;
            write!(
                out,
                "{}",
                LoopsText::new(names, symbols, location, &model, options)
            )?;
        }
        out.flush()?;
        Ok(Done::Clean)
    }
}
