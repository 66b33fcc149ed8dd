//! The loops of the program that take the most time.

use foldtrace_fold::merge::Process;
use foldtrace_program::global::{MAIN_LOOP_COLUMNS, ProgramLabels, main_loop_rows};
use foldtrace_program::{Merging, PhaseSpan, Phases, Program, ProgramPhases, main_loops};
use foldtrace_trace::{Position, Timestamp, TraceError};
use foldtrace_view::units::{Percent, grouped};

use super::{Finding, Overview, ROWS, Row, Run, Table, if_possible};

impl Overview {
    /// Adds the loops of a run. There are none if the program is too irregular for a model.
    pub(super) fn add_loops(&mut self, run: Run<'_>) -> Result<(), TraceError> {
        let store = run.store;
        let merging = Merging::new(ProgramPhases::SELECTION);
        let program = Program::from_store(store, run.locations, &merging, run.progress);
        let Some(program) = if_possible(program)? else {
            return Ok(());
        };
        let mut loops = main_loops(store, &program, run.progress)?;
        loops.truncate(ROWS);
        let Some(main) = loops.first() else {
            return Ok(());
        };
        let phases = Phases::new(&program.model.system);
        let links = loops
            .iter()
            .map(|one| link(run, &program, &phases, &one.number));
        let links: Vec<String> = links.collect::<Result<_, TraceError>>()?;
        self.findings.push(Finding {
            text: format!(
                "Loop {} with {} iterations takes {} of the time.",
                main.number,
                grouped(main.iterations),
                Percent(main.share),
            ),
            link: links.first().cloned().unwrap_or_default(),
        });
        let words = ProgramLabels::new(&program, store.names(), store.symbols());
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

/// Returns a state of the page that shows the time of an outermost loop; empty for other loops.
fn link(
    run: Run<'_>,
    program: &Program,
    phases: &Phases,
    number: &str,
) -> Result<String, TraceError> {
    let Some((first, last)) = span(run, program, phases, number)? else {
        return Ok(String::new());
    };
    let nanoseconds = |time: Timestamp| {
        let ticks = time.0.saturating_sub(run.origin.0) as f64;
        1e9 * run.seconds(ticks).0
    };
    Ok(format!(
        "t={:.0}..{:.0}",
        nanoseconds(first),
        nanoseconds(last)
    ))
}

/// Returns the times of the first and the last event of an outermost loop in any process; `None` for other loops.
fn span(
    run: Run<'_>,
    program: &Program,
    phases: &Phases,
    number: &str,
) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
    let is_phase = |span: &&PhaseSpan| {
        let phase = phases.phases().get(span.phase.0 as usize);
        phase.is_some_and(|phase| phase.number.to_string() == number)
    };
    let mut ends = Vec::new();
    for (process, &location) in (0..).map(Process).zip(&program.locations) {
        if let Some(span) = phases.spans(process).iter().find(is_phase) {
            ends.push((location, Position(span.first)));
            ends.push((location, Position(span.end().saturating_sub(1))));
        }
    }
    let events = run.store.lookup().get_many(&ends)?;
    let times = events.iter().flatten().map(|event| event.time);
    Ok(times.clone().min().zip(times.max()))
}
