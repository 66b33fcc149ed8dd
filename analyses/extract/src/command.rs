//! The subcommand `foldtrace extract`, which extracts quantities of the occurrences of constructs of the global
//! model.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use foldtrace_command::events::Events;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::OutputOptions;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::{Context, progress};
use foldtrace_fold::MAX_BODY;
use foldtrace_output::OutputFile;
use foldtrace_program::command::MergeOptions;
use foldtrace_program::global::ProgramLabels;
use foldtrace_program::{Merging, Program};
use foldtrace_store::StoreReader;
use foldtrace_table::Encoding;
use foldtrace_trace::{LocationId, TraceError};

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
  foldtrace extract lu.fold --construct 393.2 --process 0,1,5
  foldtrace extract lu.fold --construct 393.2 --iterations --attributes time,bytes -o steps.parquet
  foldtrace extract lu.fold --construct 393.2.1 --attributes time,bytes,position > sends.csv
  foldtrace loops lu.fold --global > lu.model             add lines such as
                                                            get \"before\" {0,1,5}.time ->
  foldtrace extract lu.fold --annotations lu.model -o times.arrow
  foldtrace extract lu.fold --construct 393.2 -o scan.py        a program that creates the table

The table has one row per occurrence, ordered by label, process and occurrence;
analyses/extract/README.md describes its columns, the annotations, and the emitted programs."
)]
pub struct Extract {
    #[command(flatten)]
    input: StoreInput,
    /// Construct to extract, by its number in the global model; repeatable.
    #[arg(short, long, value_name = "N", group = "what")]
    construct: Vec<String>,
    /// Read what to extract from an annotated text of the model.
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["attributes", "process", "part", "iterations"])]
    annotations: Option<PathBuf>,
    /// Attributes of events to extract: time, position, bytes and other quantities, separated by
    /// commas.
    #[arg(short, long, value_name = "LIST", default_value = "time")]
    attributes: String,
    /// Only these processes: ranks such as 0-3,7, or RANK.THREAD [default: all processes that the
    /// construct covers].
    #[arg(short, long, value_name = "LIST")]
    process: Option<String>,
    /// Part of each occurrence to extract.
    #[arg(long, value_enum, default_value_t = Part::Whole)]
    part: Part,
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
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Extract {
    const FORMATS: &'static [Format] = &[
        Format::Csv,
        Format::Parquet,
        Format::Arrow,
        Format::Python,
        Format::Sql,
        Format::C,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// All events, from the first to the last.
    Whole,
    /// The first event.
    First,
    /// The last event.
    Last,
    /// The event after the last one.
    After,
}

impl Extract {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let input = self.input.open(context)?;
        input.done(self.analyse(&input, context))
    }

    /// Analyses the store, and writes what was found.
    fn analyse(self, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let locations: Vec<LocationId> = store.locations().collect();
        let max_body = self.max_body.and_then(|n| usize::try_from(n).ok());
        let merging = Merging {
            max_body,
            ..self.merge.merging(self.events.selection())
        };
        let program = work.watch(store, |progress| {
            Program::from_store(store, &locations, &merging, progress)
        })?;
        let words = ProgramLabels::new(&program, store.names(), store.symbols());
        let plan = Plan::new(&self.request(words)?, words)?;
        let language = match self.output.format() {
            Format::Python => Some(Language::Python),
            Format::Sql => Some(Language::Sql),
            Format::C => Some(Language::C),
            _ => None,
        };
        if let Some(language) = language {
            let text = emit(store, &plan, language)?;
            let mut out = self.output.create()?;
            out.write_all(text.as_bytes())?;
            out.finish()?;
            return Ok(Done::Clean);
        }
        let encoding = match self.output.format() {
            Format::Parquet => Encoding::Parquet,
            Format::Arrow => Encoding::Arrow,
            _ => Encoding::Csv,
        };
        let progress = work.progress.beside();
        let scanned = progress::watch(
            &progress,
            self.input.path(),
            plan.rows(),
            context.quiet,
            || {
                let file = OutputFile::create(self.output.destination())?;
                scan(store, &plan, encoding, file, &progress)
            },
        );
        scanned?;
        Ok(Done::Clean)
    }

    fn request(&self, words: ProgramLabels<'_>) -> Result<Request, TraceError> {
        if let Some(path) = &self.annotations {
            let text = fs::read_to_string(path);
            let text = text.map_err(|error| TraceError::unreadable(path, error))?;
            return annotated(&text, path, words);
        }
        let mut request = Request::default();
        request.add_attributes(&Attribute::parse_list(&self.attributes)?);
        let processes = match &self.process {
            Some(text) => Get::parse_processes(words.names, text)?,
            None => Vec::new(),
        };
        for number in &self.construct {
            let construct: Number = number.parse()?;
            request.gets.push(Get {
                label: construct.to_string(),
                construct,
                instances: if self.iterations {
                    Instances::Iterations
                } else {
                    Instances::Construct
                },
                at: match self.part {
                    Part::Whole => At::Whole,
                    Part::First => At::First,
                    Part::Last => At::Last,
                    Part::After => At::After,
                },
                processes: processes.clone(),
            });
        }
        Ok(request)
    }
}
