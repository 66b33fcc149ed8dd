//! The subcommand `foldtrace loops`, which shows the loop models of a store.

use std::io::Write;

use clap::Args;
use foldtrace_command::events::Events;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_command::{Context, paragraph, signals};
use foldtrace_fold::{MAX_BODY, Selection};
use foldtrace_store::models_with;
use foldtrace_store::{StoreReader, StoredModel};
use foldtrace_stream::select;
use foldtrace_trace::{DefinitionKind, ErrorKind, LocationId, TraceError};
use foldtrace_view::units::Percent;

use super::MergeOptions;
use crate::global::{
    Heading, MAIN_LOOP_COLUMNS, Measured, ProgramLabels, ProgramText, SpmdText, main_loop_rows,
    main_loops_json, program_html, program_json, program_svg,
};
use crate::local::{LoopsText, TextOptions, loops_json};
use crate::{Merging, Program, costs, main_loops};

/// Show the events of each location, or of the whole program, as nested loops.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace loops lu.fold --location 0 --events comm
  foldtrace loops eztrace_log.otf2          an archive, through a temporary store
  foldtrace loops lu.fold --location 0 --positions
  foldtrace loops lu.fold --global          one model of the whole program
  foldtrace loops lu.fold --global --spmd   one text for all processes that do the same
  foldtrace loops lu.fold --main            the loops that take the most time
  foldtrace loops lu.fold --global -o lu.html
  foldtrace loops lu.fold -o lu.json && foldtrace replay lu.json")]
pub struct Loops {
    #[command(flatten)]
    input: StoreInput,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Show one model of the whole program: the models of its locations, merged along their
    /// communication.
    #[arg(short, long)]
    global: bool,
    /// Show one text, `for p in 0-15`, for all processes that do the same up to the ranks of their
    /// peers.
    #[arg(long, requires = "global", conflicts_with = "positions")]
    spmd: bool,
    /// Show only the N loops of the whole program that take the most time, with their construct
    /// numbers for matrix and extract [default N: 10].
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10",
          value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["spmd", "positions"])]
    main: Option<u32>,
    /// Events to fold: all, or only sends, completed receives and collective operations [default:
    /// all; with --global: comm].
    #[arg(long, value_enum)]
    events: Option<Events>,
    /// Print positions (`@`) and lengths of iterations (`#`) as comments in the text.
    #[arg(long)]
    positions: bool,
    /// Fold again, with loop bodies of at most N terms.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_BODY as u64))]
    max_body: Option<u64>,
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Loops {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Svg, Format::Html];
}

impl Loops {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let out = self.output.create()?;
        let input = if self.is_global() {
            self.input.open(context)?
        } else {
            self.input.open_for(&self.location, context)?
        };
        input.done(self.analyse(out, &input, context))
    }

    /// Returns whether to merge the models of the locations.
    fn is_global(&self) -> bool {
        self.global || self.main.is_some()
    }

    /// Analyses the store, and writes what was found.
    fn analyse(self, mut out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let names = store.names();
        let locations = select::locations(names, &self.location, store.locations())?;
        let is_global = self.is_global();
        let usual = if is_global { Events::Comm } else { Events::All };
        let selection = self.events.unwrap_or(usual).selection();
        let max_body = self.max_body.and_then(|n| usize::try_from(n).ok());
        if is_global {
            return self.global(out, store, &locations, selection, max_body, context);
        }
        if self.output.format().is_picture() {
            let message = "only the model of the whole program is drawn";
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(error.hint("add --global").into());
        }
        let progress = signals::progress();
        let models = models_with(store, &locations, selection, max_body, &progress)?;
        let symbols = store.symbols();
        if self.output.is_json() {
            out.json_list(models.map(|stored| {
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
        out.finish()?;
        Ok(Done::Clean)
    }

    fn global(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        locations: &[LocationId],
        selection: Selection,
        max_body: Option<usize>,
        context: Context,
    ) -> Outcome {
        if self.spmd {
            self.output.check_is_text("--spmd")?;
        }
        let work = Work::new(context);
        let merging = Merging {
            max_body,
            ..self.merge.merging(selection)
        };
        let program = work.watch(store, |progress| {
            Program::from_store(store, locations, &merging, progress)
        })?;
        let words = ProgramLabels::new(&program, store.names(), store.symbols());
        if let Some(rows) = self.main {
            self.main_loops(out, store, words, rows as usize, &work)?;
            return Ok(Done::Clean);
        }
        match self.output.format() {
            Format::Json => out.json(&[program_json(&words)])?,
            Format::Text => {
                writeln!(out, "// {}", headline(&program))?;
                if self.spmd {
                    let spmd = program.shared(store.names(), store.symbols());
                    writeln!(out, "// shared: {}", counted(spmd.terms(), "term"))?;
                    write!(out, "{}", SpmdText::new(words, &spmd))?;
                } else {
                    write!(out, "{}", ProgramText::new(words, self.positions))?;
                }
                out.finish()?;
            }
            _ => {
                self.draw(&mut out, store, words, &work)?;
                out.finish()?;
            }
        }
        Ok(report::diagnostics(
            &program.dangling(),
            store.names(),
            context,
        ))
    }

    /// Prints the loops in which the most time is spent.
    fn main_loops(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        words: ProgramLabels<'_>,
        rows: usize,
        work: &Work,
    ) -> anyhow::Result<()> {
        if self.output.format().is_picture() {
            let message = "the main loops are shown as text or JSON";
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(error
                .hint("leave out --main to draw the whole model")
                .into());
        }
        let costs = work.watch(store, |progress| costs(store, words.program, progress))?;
        let loops = main_loops(store, words.program, &costs)?;
        let listed = &loops[..loops.len().min(rows)];
        let ticks_per_second = store.manifest().clock().ticks_per_second;
        if self.output.is_json() {
            return out.json(&main_loops_json(listed, words, ticks_per_second));
        }
        let terminal = out.terminal();
        let summary = headline(words.program);
        writeln!(out, "{}", paragraph::headline(&summary, terminal))?;
        if !listed.is_empty() {
            let rows = main_loop_rows(listed, words, ticks_per_second);
            let table = Table::new(&MAIN_LOOPS, rows, terminal).emphasise(0);
            writeln!(out, "\n{table}")?;
        }
        if loops.len() > listed.len() {
            let more = grouped((loops.len() - listed.len()) as u64);
            writeln!(out, " and {more} more (--main={})", loops.len())?;
        }
        Ok(out.finish()?)
    }

    /// Draws the model of a program as a picture or a page.
    fn draw(
        &self,
        out: &mut impl Write,
        store: &StoreReader,
        words: ProgramLabels<'_>,
        work: &Work,
    ) -> anyhow::Result<()> {
        let costs = work.watch(store, |progress| costs(store, words.program, progress))?;
        let loops = main_loops(store, words.program, &costs)?;
        let longest = loops.first().map(|longest| {
            let (number, share) = (&longest.number, Percent(longest.share));
            format!("loop {number} takes {share} of the time")
        });
        let sentences = [headline(words.program)].into_iter().chain(longest);
        let name = self.input.file_stem();
        let heading = Heading {
            title: &name,
            summary: &sentences.collect::<Vec<_>>().join("; "),
        };
        if self.output.format() == Format::Svg {
            program_svg(out, words, heading)?;
            return Ok(());
        }
        let measured = Measured {
            costs: &costs,
            loops: &loops,
            ticks_per_second: store.manifest().clock().ticks_per_second,
        };
        program_html(out, words, heading, measured)?;
        Ok(())
    }
}

/// The columns of the table of main loops.
const MAIN_LOOPS: Columns = Columns {
    header: &MAIN_LOOP_COLUMNS,
    right: &[1, 2, 3, 4, 5],
    narrowing: &[
        Narrow::Shorten(6, 12),
        Narrow::Drop(5),
        Narrow::Shorten(0, 12),
    ],
};

/// Summarises the model of a program in one line.
fn headline(program: &Program) -> String {
    let model = &program.model;
    let events: u64 = model.events.iter().sum();
    let dangling = match model.dangling() {
        0 => "nothing dangling".to_owned(),
        some => format!("{} dangling", counted(some, "end")),
    };
    format!(
        "program of {}: {}, {}, {}, depth {}; {:.1} % of events in loops; {dangling}",
        counted(program.locations.len() as u64, "process"),
        counted(events, "event"),
        counted(model.system.terms(), "term"),
        counted(model.system.loops(), "loop"),
        model.system.depth(),
        100.0 * model.events_in_loops() as f64 / events.max(1) as f64,
    )
}
