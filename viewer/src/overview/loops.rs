//! The loops of the program that take the most time.

use foldtrace_program::global::{MAIN_LOOP_COLUMNS, ProgramLabels, main_loop_rows};
use foldtrace_program::outline::{Entry, outline};
use foldtrace_program::{
    Cost, MainLoop, Matrix, Merging, Phases, Program, ProgramPhases, add_costs, costs, main_loops,
};
use foldtrace_trace::TraceError;
use foldtrace_view::units::{Percent, grouped};
use serde::Serialize;

use super::communication::{Channel, add_waiting_channels, channels_of, pack_channels};
use super::iterations::{PhaseTimes, measure};
use super::model::forms;
use super::wait_times::WaitingPairs;
use super::{Finding, Overview, ROWS, Row, Run, Table, if_possible};
use crate::clock::PageClock;
use crate::pack::Columns;

/// An outermost loop of the program, with the times of its iterations.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredLoop {
    pub number: String,
    pub iterations: u64,
    /// Its share of the time of all processes.
    pub share: f64,
    pub times: PhaseTimes,
    /// The events of an iteration as text, without numbers.
    pub events: Vec<String>,
    /// The messages that are sent in it.
    channels: Vec<Channel>,
}

/// The greatest number of events by which a loop is recognised in another run.
const MOST_EVENTS: usize = 1000;

/// An outermost loop of the page, whose iterations are columns.
#[derive(Debug, Serialize)]
pub(super) struct LoopHead<'a> {
    number: &'a str,
    iterations: u64,
    /// The number of iterations of a row.
    each: u64,
    share: f64,
}

impl<'a> LoopHead<'a> {
    pub fn new(one: &'a MeasuredLoop) -> Self {
        Self {
            number: &one.number,
            iterations: one.iterations,
            each: one.times.each,
            share: one.share,
        }
    }
}

impl MeasuredLoop {
    /// Adds the ticks that locations wait for others in the loop.
    pub fn add_waiting(&mut self, waiting: WaitingPairs) {
        add_waiting_channels(&mut self.channels, waiting);
    }
}

impl Overview {
    /// Adds the loops of a run. There are none if the program is too irregular for a model.
    pub(super) fn add_loops(&mut self, run: Run<'_>) -> Result<(), TraceError> {
        let store = run.store;
        let merging = Merging::new(ProgramPhases::SELECTION);
        let program = Program::from_store(store, run.locations, &merging, run.progress);
        let Some(program) = if_possible(program)? else {
            return Ok(());
        };
        let costs = costs(store, &program, run.progress)?;
        let mut loops = main_loops(store, &program, &costs)?;
        let words = ProgramLabels::new(&program, store.names(), store.symbols());
        let entries = outline(&program.model.system);
        self.model = forms(words, &entries, &loops);
        loops.truncate(ROWS);
        let Some(main) = loops.first() else {
            return Ok(());
        };
        let phases = Phases::new(&program.model.system);
        let times = measure(store, &program, &phases, run.progress)?;
        // Loops within others have numbers such as 3.1, and no times of their own.
        let of_loop = |one: &MainLoop| {
            let number: u64 = one.number.parse().ok()?;
            let mut all = phases.phases().iter();
            times.get(all.position(|phase| phase.number == number)?)
        };
        let links = loops.iter().map(|one| match of_loop(one) {
            Some(times) => link(run, times),
            None => String::new(),
        });
        let links: Vec<String> = links.collect();
        let measured = loops.iter().filter_map(|one| Some((one, of_loop(one)?)));
        self.loops = measured
            .map(|(one, times)| MeasuredLoop {
                number: one.number.clone(),
                iterations: one.iterations,
                share: one.share,
                times: times.clone(),
                events: events(&entries, &one.number, words),
                channels: channels(run, &program, &entries, &costs, &one.number),
            })
            .collect();
        let longest = self.loops.iter().filter_map(|one| one.times.longest());
        let longest = longest.map(|entry| run.clock.time(entry.first)..run.clock.time(entry.last));
        self.linked.push(longest.collect());
        self.findings.push(Finding {
            text: format!(
                "Loop {} with {} iterations takes {} of the time.",
                main.number,
                grouped(main.iterations),
                Percent(main.share),
            ),
            link: links.first().cloned().unwrap_or_default(),
        });
        let ticks_per_second = store.manifest().clock().ticks_per_second;
        let rows = main_loop_rows(&loops, words, ticks_per_second).into_iter();
        let rows = rows.zip(links).map(|(cells, link)| Row { cells, link });
        self.tables.push(Table {
            title: "Loops",
            header: MAIN_LOOP_COLUMNS.to_vec(),
            rows: rows.collect(),
        });
        Ok(())
    }
}

/// Returns the messages that are sent in a loop.
fn channels(
    run: Run<'_>,
    program: &Program,
    entries: &[Entry<'_>],
    costs: &[Cost],
    number: &str,
) -> Vec<Channel> {
    let Some(around) = entries.iter().find(|entry| entry.number == number) else {
        return Vec::new();
    };
    let mut matrix = Matrix::of_construct(around.construct, around.instances, &program.wires);
    let inside = entries.iter().zip(costs);
    let inside = inside.filter(|(entry, _)| entry.is_in(around));
    add_costs(&mut matrix, program, inside);
    channels_of(run, &matrix)
}

/// Returns the events in a loop as text, without numbers.
fn events(entries: &[Entry<'_>], number: &str, words: ProgramLabels<'_>) -> Vec<String> {
    let Some(around) = entries.iter().find(|entry| entry.number == number) else {
        return Vec::new();
    };
    let inside = entries.iter().filter(|entry| entry.is_in(around));
    let events = inside.filter(|entry| entry.construct.as_loop().is_none());
    let texts = events.take(MOST_EVENTS).map(|entry| {
        let text = words.construct(entry.construct, entry.depth);
        text.chars().filter(|c| !c.is_ascii_digit()).collect()
    });
    texts.collect()
}

/// Returns a state of the page that shows the time of a loop.
fn link(run: Run<'_>, times: &PhaseTimes) -> String {
    let nanoseconds = |time: u64| run.clock.time(time);
    times.span().map_or_else(String::new, |(first, last)| {
        format!("t={:.0}..{:.0}", nanoseconds(first), nanoseconds(last))
    })
}

/// Adds the columns of the iterations of loops.
pub(super) fn pack_loops(loops: &[MeasuredLoop], clock: PageClock, columns: &mut Columns) {
    for (index, one) in loops.iter().enumerate() {
        let name = |column: &str| format!("loops.{index}.{column}");
        let entries = || one.times.entries.iter();
        columns.add_f64(
            name("begin"),
            entries().map(|entry| clock.time(entry.first)),
        );
        columns.add_f64(name("end"), entries().map(|entry| clock.time(entry.last)));
        let longest = entries().map(|entry| entry.longest as f64 * clock.tick);
        columns.add_f64(name("longest"), longest);
        pack_channels(&one.channels, &name(""), clock, columns);
    }
}
