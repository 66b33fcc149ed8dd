//! The subcommand `foldtrace efficiency`: shows how efficient a program is, and what limits its efficiency.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::clock::{ClockOptions, described};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::{InputStore, StoreInput};
use foldtrace_command::output::{OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_output::OutputFile;
use foldtrace_store::StoreReader;
use foldtrace_trace::Output;
use foldtrace_view::units::{Percent, Seconds};

use crate::{Efficiency, Factors, IterationTable, PhaseEfficiency, Scaling, efficiency_json, find};

/// Show how efficient a program is, and whether load balance, serialisation or transfer limits it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace efficiency lu.fold                          the program, its phases and iterations
  foldtrace efficiency lu.fold --table iterations.parquet
  foldtrace efficiency p16.fold p64.fold p256.fold      how the program scales
  foldtrace efficiency lu.fold --json | jq .transfer

After the POP centre of excellence: parallel efficiency = load balance × serialisation ×
transfer. Serialisation and transfer are separated by executing the program on an ideal
network, where communication takes no time. Phases are the outermost loops of 'foldtrace
loops --global'. analyses/efficiency/README.md defines all efficiencies.")]
pub struct Efficiencies {
    #[command(flatten)]
    input: StoreInput,
    /// Other runs of the same program, to compare with the first one.
    #[arg(value_name = "OTHER")]
    others: Vec<PathBuf>,
    /// Show at most this many phases.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u32,
    /// Write a Parquet table of all iterations of a single run.
    #[arg(long, value_name = "FILE", conflicts_with = "others")]
    table: Option<PathBuf>,
    #[command(flatten)]
    clock: ClockOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Efficiencies {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

/// The columns of the table of phases.
const PHASES: Columns = Columns {
    header: &[
        "phase",
        "iterations",
        "time",
        "parallel",
        "load balance",
        "serialisation",
        "transfer",
        "min",
        "median",
        "max",
        "slowest",
    ],
    right: &[1, 2, 3, 4, 5, 6, 7, 8, 9],
    narrowing: &[
        Narrow::Drop(10),
        Narrow::Drop(9),
        Narrow::Drop(7),
        Narrow::Drop(8),
    ],
};

/// The columns of the scaling table.
const SCALING: Columns = Columns {
    header: &[
        "run",
        "processes",
        "runtime",
        "speedup",
        "global",
        "parallel",
        "load balance",
        "serialisation",
        "transfer",
        "computation",
        "instructions",
        "IPC",
    ],
    right: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    narrowing: &[Narrow::Shorten(0, 16)],
};

/// A run with its efficiencies.
struct Run {
    name: String,
    store: InputStore,
    efficiency: Efficiency,
}

impl Run {
    fn ticks_per_second(&self) -> u64 {
        self.store.manifest().clock().ticks_per_second
    }

    fn seconds(&self, ticks: u64) -> Seconds {
        Seconds(ticks as f64 / self.ticks_per_second().max(1) as f64)
    }

    /// Returns how the run scales relative to another one.
    fn scaling(&self, first: &Self) -> Scaling {
        let ticks = [first.ticks_per_second(), self.ticks_per_second()];
        Scaling::new(&first.efficiency, &self.efficiency, ticks)
    }
}

impl Efficiencies {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let out = self.output.create()?;
        let work = Work::new(context);
        let mut runs = Vec::with_capacity(1 + self.others.len());
        let others = self.others.iter().map(|path| self.input.at(path));
        for input in std::iter::once(self.input.clone()).chain(others) {
            let store = input.open(context)?;
            let efficiency = self.find(&work, &store)?;
            let name = input.file_name().into_owned();
            runs.push(Run {
                name,
                store,
                efficiency,
            });
        }
        if self.output.is_json() {
            json(out, &runs)?;
        } else {
            let mut out = out;
            match &runs[..] {
                [one] => self.text(&mut out, one)?,
                several => scaling_text(&mut out, several)?,
            }
            out.finish()?;
        }
        for run in &runs {
            note(run, context);
        }
        let mut stores = runs.iter().map(|run| &run.store);
        stores.try_fold(Done::Clean, |done, store| store.done(Ok(done)))
    }

    fn find(&self, work: &Work, store: &StoreReader) -> anyhow::Result<Efficiency> {
        let correction = self.clock.correction(work, store)?;
        let Some(path) = &self.table else {
            return Ok(work.watch(store, |progress| {
                find(store, &correction, progress, &mut ())
            })?);
        };
        let file = OutputFile::create(Output::Path {
            path: path.clone(),
            replace: self.output.replaces(),
        })?;
        let mut table = IterationTable::new(file, path, store.manifest())?;
        let efficiency = work.watch(store, |progress| {
            find(store, &correction, progress, &mut table)
        })?;
        let (_, file) = table.finish()?;
        file.complete()?;
        Ok(efficiency)
    }

    /// Prints the efficiencies of a run and of its phases.
    fn text(&self, out: &mut OutputWriter, run: &Run) -> io::Result<()> {
        let (terminal, efficiency) = (out.terminal(), &run.efficiency);
        if let Some(clock) = described(efficiency.clock) {
            writeln!(out, "{}", headline(&clock, terminal))?;
        }
        let program = &efficiency.program;
        let line = format!(
            "parallel efficiency {}: load balance {} × serialisation {} × transfer {}",
            Percent(program.parallel()),
            Percent(program.load_balance()),
            Percent(program.serialisation()),
            Percent(program.transfer()),
        );
        writeln!(out, "{}", headline(&line, terminal))?;
        let line = format!(
            "{} take {}, {} on an ideal network; {} are useful on average, at most {}",
            counted(program.processes, "process"),
            run.seconds(program.runtime),
            run.seconds(program.ideal_runtime),
            Seconds(program.useful_mean() / run.ticks_per_second().max(1) as f64),
            run.seconds(program.useful_max),
        );
        writeln!(out, "{}", headline(&line, terminal))?;
        // The phases that take most of the time, in the order of the program.
        let mut times: Vec<u64> = efficiency
            .phases
            .iter()
            .map(|it| it.factors.runtime)
            .collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        let most = (self.top as usize).min(times.len());
        let Some(least) = most.checked_sub(1).map(|last| times[last]) else {
            return Ok(());
        };
        let shown = efficiency.phases.iter();
        let shown = shown.filter(|it| it.factors.runtime >= least).take(most);
        let rows = shown.map(|phase| phase_row(run, phase));
        writeln!(
            out,
            "\n{}",
            Table::new(&PHASES, rows.collect(), terminal).emphasise(0)
        )
    }
}

/// Returns the efficiencies of some processes: parallel, load balance, serialisation, transfer.
fn shares(factors: &Factors) -> [String; 4] {
    [
        factors.parallel(),
        factors.load_balance(),
        factors.serialisation(),
        factors.transfer(),
    ]
    .map(|share| Percent(share).to_string())
}

fn phase_row(run: &Run, phase: &PhaseEfficiency) -> Vec<String> {
    let mut row = vec![
        phase.phase.number.to_string(),
        grouped(phase.phase.iterations),
        run.seconds(phase.factors.runtime).to_string(),
    ];
    row.extend(shares(&phase.factors));
    let spread = phase.spread.map(|it| [it.least, it.median, it.greatest]);
    row.extend(spread.map_or_else(
        || [String::new(), String::new(), String::new()],
        |spread| spread.map(|share| Percent(share).to_string()),
    ));
    let slowest = phase.slowest.first();
    row.push(slowest.map_or_else(String::new, |it| format!("{}[{}]", it.r#loop, it.index)));
    row
}

/// Prints the scaling table.
fn scaling_text(out: &mut OutputWriter, runs: &[Run]) -> io::Result<()> {
    let terminal = out.terminal();
    for run in runs {
        if let Some(clock) = described(run.efficiency.clock) {
            let line = format!("{}: {clock}", run.name);
            writeln!(out, "{}", headline(&line, terminal))?;
        }
    }
    let measured = |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), times);
    let rows = runs.iter().map(|run| {
        let (program, scaling) = (&run.efficiency.program, run.scaling(&runs[0]));
        let mut row = vec![
            run.name.clone(),
            grouped(program.processes),
            run.seconds(program.runtime).to_string(),
            times(scaling.speedup),
            Percent(scaling.global).to_string(),
        ];
        row.extend(shares(program));
        row.push(Percent(scaling.computation).to_string());
        row.push(measured(scaling.instructions));
        row.push(measured(scaling.per_cycle));
        row
    });
    writeln!(
        out,
        "{}",
        Table::new(&SCALING, rows.collect(), terminal).emphasise(0)
    )
}

fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

/// Prints one object, or a list of several.
fn json(out: OutputWriter, runs: &[Run]) -> anyhow::Result<()> {
    let several = runs.len() > 1;
    let objects = runs.iter().map(|run| {
        let scaling = several.then(|| run.scaling(&runs[0]));
        efficiency_json(
            &run.name,
            &run.efficiency,
            scaling,
            run.store.names(),
            run.ticks_per_second(),
        )
    });
    match &objects.collect::<Vec<_>>()[..] {
        [one] => out.json(one),
        several => out.json(&several),
    }
}

/// Prints what is missing from the efficiencies of a run.
fn note(run: &Run, context: Context) {
    if let Some(why) = &run.efficiency.irregular {
        let text = format!("{} has no phases: {why}", run.name);
        report::note(&text, context);
    }
    if run.efficiency.contradictions > 0 {
        let text = format!(
            "{}: {} between processes contradict others, and were ignored",
            run.name,
            counted(run.efficiency.contradictions, "dependence"),
        );
        report::note(&text, context);
    }
}
