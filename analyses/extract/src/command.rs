//! The subcommand `foldtrace extract`, which extracts quantities of the occurrences of constructs of the global
//! model.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use foldtrace_command::events::Events;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::{Context, progress};
use foldtrace_fold::MAX_BODY;
use foldtrace_output::OutputFile;
use foldtrace_program::Program;
use foldtrace_program::global::Words;
use foldtrace_store::StoreReader;
use foldtrace_table::Encoding;
use foldtrace_trace::{ErrorKind, LocationId, Output, TraceError};

use crate::{
    At, Attribute, Get, Instances, Language, Number, Plan, Request, annotated, emit, scan,
};

/// Extract times and other quantities of the occurrences of constructs of the global model.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true),
    after_help = "\
Examples:
  foldtrace loops lu.fold --global --positions | less     numbers of constructs, such as [393.2]
  foldtrace extract lu.fold --construct 393.2 --processes 0,1,5
  foldtrace extract lu.fold --construct 393.2 --iterations --attributes time,bytes -o steps.parquet
  foldtrace extract lu.fold --construct 393.2.1 --attributes time,bytes,position > sends.csv
  foldtrace loops lu.fold --global > lu.model             add lines such as
                                                            get \"before\" {0,1,5}.time ->
  foldtrace extract lu.fold --annotations lu.model -o times.arrow
  foldtrace extract lu.fold --construct 393.2 --emit python > scan.py

The table has one row per occurrence, ordered by label, process and occurrence;
schemas/extract.md describes its columns, the annotations, and the emitted programs."
)]
pub struct Extract {
    /// Store to read.
    store: PathBuf,
    /// Construct to extract, by its number in the global model; repeatable.
    #[arg(short, long, value_name = "N", group = "what")]
    construct: Vec<String>,
    /// Read what to extract from an annotated text of the model.
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["attributes", "processes", "at", "iterations"])]
    annotations: Option<PathBuf>,
    /// Attributes of events to extract: time, position, bytes and other quantities, separated by
    /// commas.
    #[arg(short, long, value_name = "LIST", default_value = "time")]
    attributes: String,
    /// Only these processes: ranks such as 0-3,7, or RANK.THREAD [default: all processes that the
    /// construct covers].
    #[arg(short, long, value_name = "LIST")]
    processes: Option<String>,
    /// Part of each occurrence to extract.
    #[arg(long, value_enum, default_value_t = Where::Whole)]
    at: Where,
    /// Take each iteration of the loop as an occurrence.
    #[arg(long)]
    iterations: bool,
    /// Events of the model that has the construct numbers: all, or only sends, completed receives
    /// and collective operations.
    #[arg(long, value_enum, default_value_t = Events::Comm)]
    events: Events,
    /// Fold again, with loop bodies of at most N terms.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_BODY as u64))]
    max_body: Option<u64>,
    /// File to write; its extension sets the format [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the table; by default it follows from the extension of the output, and is csv on
    /// standard output.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
    /// Write a program that creates the table without foldtrace, instead of the table.
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "format")]
    emit: Option<Emitted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Where {
    /// All events, from the first to the last.
    Whole,
    /// The first event.
    First,
    /// The last event.
    Last,
    /// The event after the last one.
    Behind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Parquet,
    Arrow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emitted {
    /// Python with pyarrow and numpy.
    Python,
    /// SQL for DuckDB.
    Sql,
    /// C loops, as in figure 8 of Inria report RR-8562.
    C,
}

impl Extract {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let work = Work::new(context);
        let store = StoreReader::open(&self.store)?;
        let locations: Vec<LocationId> = store.locations().collect();
        let max_body = self.max_body.and_then(|n| usize::try_from(n).ok());
        let selection = self.events.selection();
        let program = work.watch(&store, |progress| {
            Program::of(&store, &locations, selection, max_body, progress)
        })?;
        let words = Words::new(&program, store.names(), store.symbols());
        let plan = Plan::new(&self.request(words)?, words)?;
        if let Some(language) = self.emit {
            let language = match language {
                Emitted::Python => Language::Python,
                Emitted::Sql => Language::Sql,
                Emitted::C => Language::C,
            };
            let text = emit(&store, &plan, language)?;
            let mut file = OutputFile::create(self.file())?;
            let path = file.path().to_owned();
            let written = file.write_all(text.as_bytes());
            written.map_err(|error| TraceError::unwritable(&path, error))?;
            file.complete()?;
            return Ok(Done::Clean);
        }
        let encoding = self.encoding()?;
        let progress = work.progress.beside();
        let scanned = progress::watch(&progress, &self.store, plan.rows(), context.quiet, || {
            let file = OutputFile::create(self.file())?;
            scan(&store, &plan, encoding, file, &progress)
        });
        scanned?;
        Ok(Done::Clean)
    }

    fn request(&self, words: Words<'_>) -> Result<Request, TraceError> {
        if let Some(path) = &self.annotations {
            let text = fs::read_to_string(path);
            let text = text.map_err(|error| TraceError::unreadable(path, error))?;
            return annotated(&text, path, words);
        }
        let mut request = Request::default();
        request.add_attributes(&Attribute::parse_list(&self.attributes)?);
        let processes = match &self.processes {
            Some(text) => Get::parse_processes(words.names, text)?,
            None => Vec::new(),
        };
        for number in &self.construct {
            let construct: Number = number.parse()?;
            request.gets.push(Get {
                label: construct.to_string(),
                construct,
                instances: match self.iterations {
                    true => Instances::Iterations,
                    false => Instances::Construct,
                },
                at: match self.at {
                    Where::Whole => At::Whole,
                    Where::First => At::First,
                    Where::Last => At::Last,
                    Where::Behind => At::Behind,
                },
                processes: processes.clone(),
            });
        }
        Ok(request)
    }

    fn file(&self) -> Output {
        match &self.output {
            Some(path) if path != Path::new("-") => Output::Path {
                path: path.clone(),
                replace: self.force,
            },
            _ => Output::Stdout,
        }
    }

    /// Returns the encoding of the table, from `--format` or from the extension of the output.
    fn encoding(&self) -> Result<Encoding, TraceError> {
        let named = self
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        let is_compressed = |path: &Path| path.extension().is_some_and(|e| e == "gz" || e == "zst");
        let ending = named.and_then(|path| match is_compressed(path) {
            true => Path::new(path.file_stem()?).extension(),
            false => path.extension(),
        });
        match (self.format, ending.and_then(|e| e.to_str()), named) {
            (Some(Format::Parquet), ..) | (None, Some("parquet"), _) => Ok(Encoding::Parquet),
            (Some(Format::Arrow), ..) | (None, Some("arrow"), _) => Ok(Encoding::Arrow),
            (Some(Format::Csv), ..) | (None, Some("csv"), _) | (None, _, None) => Ok(Encoding::Csv),
            (None, _, Some(path)) => {
                let message = format!("the ending of {} tells no format of tables", path.display());
                let hint = "--format says it: csv, parquet or arrow";
                Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
            }
        }
    }
}
