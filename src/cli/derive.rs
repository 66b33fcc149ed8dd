//! `foldtrace derive`: adds tables of calls, messages, collective operations, the DAG, loop iterations, the timeline and clocks
//! to a store.

use std::path::{Path, PathBuf};

use crate::calltree::Pattern;
use crate::convert::Progress;
use crate::derive::{self, Added, Request, WrittenShard};
use crate::store::{Derived, Manifest, StoreReader};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use foldtrace_command::conversion::derived_bytes;
use foldtrace_command::shard::{ShardOption, write_shard};
use foldtrace_trace::{ErrorKind, Names, TraceError};

use super::output::{bytes, counted};
use super::report::{self, Done, Outcome};
use super::{Context, progress, signals};

/// Add tables to a store that are derived from its events: calls, messages, collective operations,
/// the DAG, iterations of loops, a timeline in levels of detail, and corrected clocks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace derive lu.fold             all tables except clock
  foldtrace derive lu.fold messages    only the table of messages
  foldtrace derive lu.fold dag --pattern halo.pattern
  foldtrace derive lu.fold clock       corrected clocks, which analyses then use
  foldtrace convert lu.otf2 lu.fold --derive=calls,messages
  srun -n 16 foldtrace derive lu.fold --shard auto    by several tasks (docs/scale.md)

When the tables are complete, the store is replaced by one that contains them.
Tables of these names that the store already has are computed again.")]
pub struct Derive {
    /// Store to add the tables to.
    store: PathBuf,
    /// Tables to add; all tables except clock if none is named.
    #[arg(value_name = "TABLE", value_parser = parser())]
    tables: Vec<Derived>,
    /// Find the patterns in this file, and store their occurrences with the DAG (analyses/dag/README.md).
    #[arg(long, value_name = "FILE")]
    pattern: Option<PathBuf>,
    /// Derive only this shard of the tables: K from 0 to N-1, which 'foldtrace join' unites with the
    /// others; or auto, which takes K and N from srun or mpirun, and the last task joins the shards.
    #[arg(long, value_name = "K/N|auto")]
    shard: Option<ShardOption>,
    /// Write a shard again that another task has written.
    #[arg(long, requires = "shard")]
    force: bool,
}

impl Derive {
    pub fn run(self, context: Context) -> Outcome {
        let progress = signals::progress();
        let tables = chosen(&self.tables);
        let patterns = match &self.pattern {
            Some(path) => Pattern::read(path)?,
            None => Vec::new(),
        };
        if !patterns.is_empty() && !tables.contains(&Derived::Dag) {
            let error = TraceError::new(ErrorKind::Usage, "patterns are found in the DAG");
            return Err(error.hint("derive the table dag too").into());
        }
        let request = Request {
            patterns: &patterns,
            ..Request::new(&tables)
        };
        if let Some(shard) = self.shard {
            return self.derive_shard(shard, request, context, &progress);
        }
        let manifest = Manifest::read(&self.store)?;
        let total = derive::total_events(&manifest, &tables);
        let derived = progress::watch(&progress, &self.store, total, context.quiet, || {
            derive::derive(&self.store, request, &progress)
        });
        report_derived(&self.store, &derived?, context)
    }

    /// Writes a shard of the tables, and joins all shards if the others are written and the task is one of a launcher.
    fn derive_shard(
        &self,
        shard: ShardOption,
        request: Request<'_>,
        context: Context,
        progress: &Progress,
    ) -> Outcome {
        let (id, store) = (shard.id()?, &self.store);
        let written = progress::watch(progress, store, 0, context.quiet, || {
            write_shard(shard, store, progress, |id| {
                derive::to_shard(store, request, id, self.force, progress)
            })
        })?;
        let note = match written {
            WrittenShard::New => format!("shard {id} is written"),
            WrittenShard::Before => format!("shard {id} was written before"),
        };
        report::note(&note, context);
        if shard != ShardOption::Auto {
            return Ok(Done::Clean);
        }
        match derive::join_if_last(store, id.of(), self.force, progress)? {
            Some(joined) => report_derived(store, &joined, context),
            None => Ok(Done::Clean),
        }
    }
}

/// Reports the tables that were added to a store, on one line, and the problems that were found.
#[expect(clippy::print_stderr, reason = "this is the command's voice")]
pub fn report_derived(store: &Path, added: &Added, context: Context) -> Outcome {
    let rows = added.rows;
    if !context.quiet {
        let rows = added.tables.iter().map(|table| match table {
            Derived::Calls => counted(rows.calls, "call"),
            Derived::Messages => counted(rows.messages, "message"),
            Derived::Collectives => counted(rows.collectives, "collective"),
            Derived::Dag => counted(rows.nodes, "node"),
            Derived::Iterations => counted(rows.iterations, "iteration"),
            Derived::Timeline => counted(rows.timeline, "timeline row"),
            Derived::Clock => counted(rows.clocks, "corrected clock"),
        });
        let rows: Vec<_> = rows.collect();
        eprintln!(
            "{}: {}; derived tables take {}",
            store.display(),
            rows.join(", "),
            bytes(derived_bytes(&added.manifest))
        );
    }
    let names = if added.diagnostics.is_empty() {
        Names::default()
    } else {
        StoreReader::open(store)?.names().clone()
    };
    Ok(report::diagnostics(&added.diagnostics, &names, context))
}

/// Returns the parser for names of derived tables.
pub fn parser() -> impl TypedValueParser<Value = Derived> {
    let names = PossibleValuesParser::new(Derived::ALL.map(Derived::name));
    names.try_map(|name| Derived::from_name(&name).ok_or("no such table"))
}

/// Returns each of the given tables once. If none is named, these are all tables except that of clocks, which changes what
/// analyses show.
pub fn chosen(tables: &[Derived]) -> Vec<Derived> {
    let is_usual = |table: &Derived| *table != Derived::Clock;
    let is_chosen =
        |table: &Derived| tables.contains(table) || tables.is_empty() && is_usual(table);
    Derived::ALL.into_iter().filter(is_chosen).collect()
}
