//! `foldtrace convert`: converts a trace from any format to any other.

use std::path::{Path, PathBuf};

use crate::clock::Method;
use crate::convert::{self, ConvertOptions, Progress, ShardTask, Written};
use crate::fold::{DEFAULT_MAX_BODY, MAX_BODY};
use crate::formats::Recognised;
use crate::memory::Plan;
use crate::repair::Repaired;
use crate::store::{Derived, Form, Layout, Origin, ROW_GROUP_ROWS, StoreReader};
use clap::Args;
use foldtrace_command::clock::{CorrectedTrace, methods};
use foldtrace_command::conversion::{Conversion, output_format, print_summary, scratch};
use foldtrace_command::input::{self, Opening};
use foldtrace_command::shard::{ShardOption, write_shard};
use foldtrace_trace::{Descriptor, ErrorKind, Names, ReadOptions, TraceError, TraceReader};

use super::cut::{self, CutOptions};
use super::report::{self, Done, Outcome};
use super::{Context, derive, output, progress, signals};

/// Convert a trace from any format to any other; the format of stores is `fold`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace convert eztrace_log.otf2 lu.fold       an OTF2 archive to a store
  foldtrace convert PROG_trace/ lu.fold            the same, from its folder
  foldtrace convert lu.fold - --to text | less     a store to text
  foldtrace convert lu.fold lu.parquet             a table, one row per event; also .arrow, .csv
  foldtrace convert lu.fold - --to csv | head -3   the same to a pipe
  foldtrace convert lu.fold lu.parquet --to pipit  a table that Pipit loads
  foldtrace convert broken.otf2 kept.fold --salvage
  foldtrace convert lu.fold out/traces.otf2 --repair
  foldtrace convert lu.fold small.fold --archive   the smallest form, for long-term storage
  foldtrace convert small.fold lu.fold             back to a plain store
  foldtrace convert lu.fold s3://traces/lu.fold    to an object store
  foldtrace convert eztrace_log.otf2 lu.fold --derive=messages
  foldtrace convert lu.fold corrected.otf2 --clock controlled
  srun foldtrace convert run.otf2 run.fold --shard auto
  foldtrace convert lu.fold window.fold --time 1.5s..1.6s
  foldtrace convert lu.fold some.fold --process 0-3 --region 'MPI_*,main'
  foldtrace convert lu.fold - --to text --location 3.0 --kind comm")]
pub struct Convert {
    /// Trace to read: a file, a folder, or - for standard input.
    input: PathBuf,
    /// Trace to write: a path, or - for standard output; its extension sets the format.
    output: PathBuf,
    /// Format of the input; by default it is recognised from the content.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Format of the output; by default it follows from the extension of OUTPUT.
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Keep the intact parts of a damaged trace and report what was lost (exit code 3).
    #[arg(long)]
    salvage: bool,
    /// Make the output acceptable to strict readers: unique, shared and ordered definitions, and
    /// correct counts.
    #[arg(long)]
    repair: bool,
    /// Write the store as an archive: much smaller, but only foldtrace can read its times and other
    /// quantities. Converting the archive without this option restores a plain store.
    #[arg(long)]
    archive: bool,
    /// Compression level of the tables of a store, from 1 to 22: a higher level gives smaller
    /// tables and takes longer [default: 3].
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(i32).range(1..=22))]
    level: Option<i32>,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
    /// Fold with loop bodies of at most N terms.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BODY as u64,
          value_parser = clap::value_parser!(u64).range(1..=MAX_BODY as u64))]
    max_body: u64,
    /// Memory for buffers, such as 512M or 2G; with less memory, fewer locations are converted in
    /// parallel.
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| parse_size::parse_size(text))]
    memory: Option<u64>,
    /// Correct the clocks of processes: by an offset and a drift each, or also so that no message
    /// arrives before it was sent (controlled). A store keeps its times and gets the table clock,
    /// which analyses use; other formats get corrected times.
    #[arg(long, value_name = "METHOD", value_parser = methods())]
    clock: Option<Method>,
    /// Add derived tables to a store; all tables except clock if none is named.
    #[arg(long, value_name = "T,…", num_args = 0..=1, require_equals = true,
          value_delimiter = ',', default_missing_value = "calls,messages,collectives,dag,iterations,timeline",
          value_parser = derive::parser())]
    derive: Vec<Derived>,
    /// Write only this shard of a store: K from 0 to N-1, which 'foldtrace join' unites with the
    /// others; or auto, which takes K and N from srun or mpirun, and the last task joins the shards.
    #[arg(long, value_name = "K/N|auto")]
    shard: Option<ShardOption>,
    #[command(flatten)]
    cut: CutOptions,
}

/// Returns the plan for this many bytes of memory, if they are limited.
pub fn planned(bytes: Option<u64>) -> Result<Option<Plan>, TraceError> {
    let cores = rayon::current_num_threads();
    let plan = bytes.map(|bytes| Plan::new(bytes, cores, ROW_GROUP_ROWS));
    plan.transpose()
}

impl Convert {
    pub fn run(self, context: Context) -> Outcome {
        Ok(self.convert(context, &signals::progress())?)
    }

    fn convert(&self, context: Context, progress: &Progress) -> Result<Done, TraceError> {
        let to = output_format(context.formats, &self.output, self.to.as_deref())?;
        if to.descriptor().name != "fold" {
            self.check_options_of_stores(to.descriptor())?;
        }
        if let Some(shard) = self.shard {
            self.check_options_of_shards(shard, to.descriptor())?;
            shard.id()?;
        }
        let filter = self.cut.filter()?;
        let memory = planned(self.memory)?;
        let opening = Opening {
            path: &self.input,
            format: self.from.as_deref(),
            options: ReadOptions::in_pieces(self.salvage),
        };
        let recognised = opening.recognise(&progress.stop, context)?;
        let (reader, origin) = progress::watch(progress, &self.input, 0, context.quiet, || {
            self.open(recognised, &opening.options, progress)
        })?;
        let options = ConvertOptions {
            salvage: self.salvage,
            replace: self.force,
            layout: self.layout()?,
            max_body: usize::try_from(self.max_body).unwrap_or(DEFAULT_MAX_BODY),
            memory,
            derive: self.tables(),
            clock: self.clock.unwrap_or(Method::Controlled),
            scratch: scratch(&self.output),
            ..ConvertOptions::default()
        };
        // A store keeps its times next to the correction.
        let is_corrected = self.clock.is_some_and(|method| method != Method::None);
        let reader = if is_corrected && to.descriptor().name != "fold" {
            CorrectedTrace::open(reader, options.clone(), context, progress)?
        } else {
            reader
        };
        let mut reader = cut::cut(reader, filter)?;
        if self.repair {
            reader = Box::new(Repaired::new(reader));
        }
        if let Some(shard) = self.shard {
            let trace = (&*reader, &origin);
            return self.convert_shard(shard, trace, &options, context, progress);
        }
        let conversion = Conversion {
            input: &self.input,
            output: &self.output,
            to,
            options,
        };
        conversion.run(&*reader, &origin, context, progress)
    }

    /// Writes a shard of the store, and joins all shards if the others are written and the task is one of a launcher.
    fn convert_shard(
        &self,
        shard: ShardOption,
        (reader, origin): (&dyn TraceReader, &Origin),
        options: &ConvertOptions,
        context: Context,
        progress: &Progress,
    ) -> Result<Done, TraceError> {
        let (id, store) = (shard.id()?, &self.output);
        let selection = &format!("{:?}, repair: {}", self.cut, self.repair);
        let written = progress::watch(progress, &self.input, 0, context.quiet, || {
            write_shard(shard, store, progress, |id| {
                let task = ShardTask { id, selection };
                convert::to_shard(reader, origin, store, task, options, progress)
            })
        })?;
        report::note(
            &match written {
                Written::New { bytes } => {
                    format!("shard {id} has {} of the input", output::bytes(bytes))
                }
                Written::Before => format!("shard {id} was written before"),
            },
            context,
        );
        if shard != ShardOption::Auto {
            return Ok(Done::Clean);
        }
        match convert::join_if_last(store, id.of(), context.formats, options, progress)? {
            Some((manifest, diagnostics)) => {
                if !context.quiet {
                    print_summary(store, &manifest);
                }
                Ok(report::diagnostics(
                    &diagnostics,
                    &Names::new(reader.definitions()),
                    context,
                ))
            }
            None => Ok(Done::Clean),
        }
    }

    /// Rejects options that a shard does not have.
    fn check_options_of_shards(
        &self,
        shard: ShardOption,
        to: &Descriptor,
    ) -> Result<(), TraceError> {
        let refused =
            |message: &str, hint: &str| Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        if to.name != "fold" || self.output == Path::new("-") {
            return refused(
                "only a store has shards",
                "name a store such as run.fold as output",
            );
        }
        if self.input == Path::new("-") {
            let hint = "name a file that all tasks can read";
            return refused("standard input cannot be read by several tasks", hint);
        }
        if shard != ShardOption::Auto && !self.tables().is_empty() {
            let hint = "'foldtrace derive' adds them to the store when the shards are joined, also with --shard";
            return refused("a shard has no derived tables", hint);
        }
        Ok(())
    }

    /// Opens the input. Returns its reader and the origin of its data.
    fn open(
        &self,
        recognised: Recognised,
        options: &ReadOptions,
        progress: &Progress,
    ) -> Result<(Box<dyn TraceReader>, Origin), TraceError> {
        if let Some(path) = recognised.store() {
            // Both come from the same store, even if another one takes its path meanwhile.
            let store = if options.salvage {
                StoreReader::open_damaged(path)?
            } else {
                StoreReader::open(path)?
            };
            let origin = Origin::store(&store)?;
            return Ok((Box::new(store), origin));
        }
        let origin = input::origin(&recognised, &self.input);
        let reader = if self.shard.is_some() {
            self.open_for_shard(recognised, options, progress)?
        } else {
            recognised.open(options)?.reader
        };
        Ok((reader, origin))
    }

    /// Opens the input with what the first task has read, if it is of use.
    fn open_for_shard(
        &self,
        recognised: Recognised,
        options: &ReadOptions,
        progress: &Progress,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        let opening = convert::TaskOpening::new(&self.output, self.force, progress)?;
        if let Some(kept) = opening.kept()
            && let Some(reader) = recognised.open_kept(options, kept)?
        {
            return Ok(reader);
        }
        let reader = recognised.open(options)?.reader;
        opening.finish(&*reader)?;
        Ok(reader)
    }

    /// Returns the layout of the store to write.
    fn layout(&self) -> Result<Layout, TraceError> {
        let form = if self.archive {
            Form::Archive
        } else {
            Form::Plain
        };
        let layout = Layout::default().with_form(form);
        match self.level {
            Some(level) => layout.with_level(level),
            None => Ok(layout),
        }
    }

    /// Rejects options that apply only to stores if the output has another format.
    fn check_options_of_stores(&self, to: &Descriptor) -> Result<(), TraceError> {
        let given = [
            ("--archive", self.archive),
            ("--level", self.level.is_some()),
            ("--derive", !self.derive.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                let message = format!("{option} is for stores, not for {}", to.name);
                let hint = "leave it out, or name a store such as run.fold as output";
                Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
            }
            None => Ok(()),
        }
    }

    /// Returns the derived tables to add to the output.
    fn tables(&self) -> Vec<Derived> {
        let mut tables = if self.derive.is_empty() {
            Vec::new()
        } else {
            derive::chosen(&self.derive)
        };
        match self.clock {
            Some(Method::None) => tables.retain(|table| *table != Derived::Clock),
            Some(_) if !tables.contains(&Derived::Clock) => tables.push(Derived::Clock),
            _ => {}
        }
        tables
    }
}
