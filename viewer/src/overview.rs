//! The overview of a page: tables and findings about a run, each with a link to what shows it.

use foldtrace_fold::merge::Process;
use foldtrace_matching::Paradigm;
use foldtrace_profile::{Profile, RegionTotal};
use foldtrace_program::global::{MAIN_LOOP_COLUMNS, ProgramLabels, main_loop_rows};
use foldtrace_program::{Merging, PhaseSpan, Phases, Program, ProgramPhases, main_loops};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Names, Position, Timestamp, TraceError};
use foldtrace_view::units::{Percent, Seconds, counted, grouped};
use serde::Serialize;

/// A statement about the run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    text: String,
    /// The state of the page that shows it, as in its address.
    link: String,
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    title: &'static str,
    header: Vec<&'static str>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    cells: Vec<String>,
    /// The state of the page that shows it; empty if there is none.
    link: String,
}

/// The greatest number of rows of a table.
const ROWS: usize = 6;

/// An imbalance that is worth a finding: the slowest location takes a tenth longer than the mean.
const UNBALANCED: f64 = 1.1;

/// A share of the time that is worth a finding.
const MUCH: f64 = 0.05;

/// Returns the share of a time in the time of all locations.
fn share(profile: &Profile, ticks: i64) -> f64 {
    ticks as f64 / (profile.total() as f64).max(1.0)
}

/// Returns the link to a region.
fn region_link(name: &str) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("region", name)
        .finish()
}

/// Returns the table of programming models.
pub(crate) fn paradigms(profile: &Profile) -> Table {
    let rows = profile
        .paradigms()
        .into_iter()
        .map(|(paradigm, ticks)| Row {
            cells: vec![
                paradigm.title().to_owned(),
                Percent(share(profile, ticks)).to_string(),
            ],
            link: String::new(),
        });
    Table {
        title: "Time",
        header: vec!["kind", "share"],
        rows: rows.collect(),
    }
}

/// Returns the table of the regions that take the most time.
pub(crate) fn regions(profile: &Profile, names: &Names) -> Table {
    let totals = profile.totals();
    let rows = totals.iter().take(ROWS).map(|total| {
        let name = profile.name(total.time.region);
        Row {
            cells: vec![
                name.to_owned(),
                Percent(share(profile, total.time.exclusive)).to_string(),
                grouped(total.time.calls),
                total
                    .imbalance
                    .map_or_else(String::new, |factor| format!("{factor:.2}")),
                names.label(total.slowest),
            ],
            link: region_link(name),
        }
    });
    Table {
        title: "Regions",
        header: vec!["region", "share", "calls", "imbalance", "slowest"],
        rows: rows.collect(),
    }
}

/// Returns the table of the loops of the program that take the most time, and the finding about the first of them. There are
/// none if the program is too irregular for a model. The page shows the time of an outermost loop, in nanoseconds since `origin`.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged, or the work was stopped.
pub(crate) fn loops(
    store: &StoreReader,
    origin: Timestamp,
    progress: &Progress,
) -> Result<Option<(Table, Option<Finding>)>, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let merging = Merging::new(ProgramPhases::SELECTION);
    let program = match Program::from_store(store, &locations, &merging, progress) {
        Err(error) if error.kind == ErrorKind::Usage => return Ok(None),
        program => program?,
    };
    let mut loops = main_loops(store, &program, progress)?;
    loops.truncate(ROWS);
    if loops.is_empty() {
        return Ok(None);
    }
    let words = ProgramLabels::new(&program, store.names(), store.symbols());
    let ticks_per_second = store.manifest().clock().ticks_per_second;
    let phases = Phases::new(&program.model.system);
    let links = loops.iter().map(|main| {
        let span = span(store, &program, &phases, &main.number)?;
        let nanoseconds = |time: Timestamp| {
            let ticks = time.0.saturating_sub(origin.0) as f64;
            1e9 * ticks / ticks_per_second.max(1) as f64
        };
        Ok(span.map_or_else(String::new, |(first, last)| {
            format!("t={:.0}..{:.0}", nanoseconds(first), nanoseconds(last))
        }))
    });
    let links: Vec<String> = links.collect::<Result<_, TraceError>>()?;
    let rows = main_loop_rows(&loops, words, ticks_per_second).into_iter();
    let rows = rows.zip(&links).map(|(cells, link)| Row {
        cells,
        link: link.clone(),
    });
    let table = Table {
        title: "Loops",
        header: MAIN_LOOP_COLUMNS.to_vec(),
        rows: rows.collect(),
    };
    let finding = loops.first().map(|main| Finding {
        text: format!(
            "Loop {} with {} iterations takes {} of the time.",
            main.number,
            grouped(main.iterations),
            Percent(main.share),
        ),
        link: links.first().cloned().unwrap_or_default(),
    });
    Ok(Some((table, finding)))
}

/// Returns the times of the first and the last event of an outermost loop in any process; `None` for other loops.
fn span(
    store: &StoreReader,
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
    let events = store.lookup().get_many(&ends)?;
    let times = events.iter().flatten().map(|event| event.time);
    Ok(times.clone().min().zip(times.max()))
}

/// Returns what is remarkable about a profile. `locations` are those of the page, in order.
pub(crate) fn findings(profile: &Profile, names: &Names, locations: &[LocationId]) -> Vec<Finding> {
    let totals = profile.totals();
    let mut findings = Vec::new();
    let mpi = totals.iter().filter(|total| is_mpi(profile, total));
    let in_mpi: i64 = mpi.clone().map(|total| total.time.exclusive).sum();
    if let Some(longest) = mpi.clone().next() {
        let name = profile.name(longest.time.region);
        findings.push(Finding {
            text: format!(
                "MPI takes {} of the time, {name} alone {}.",
                Percent(share(profile, in_mpi)),
                Percent(share(profile, longest.time.exclusive)),
            ),
            link: region_link(name),
        });
    }
    let computing = totals.iter().find(|total| !is_mpi(profile, total));
    if let Some(longest) = computing {
        let name = profile.name(longest.time.region);
        findings.push(Finding {
            text: format!(
                "{} time is spent in {name}: {}.",
                if findings.is_empty() {
                    "Most"
                } else {
                    "Outside of MPI, most"
                },
                Percent(share(profile, longest.time.exclusive)),
            ),
            link: region_link(name),
        });
    }
    let unbalanced = totals.iter().filter(|total| {
        let is_long = share(profile, total.time.exclusive) >= MUCH;
        is_long && total.imbalance.is_some_and(|factor| factor >= UNBALANCED)
    });
    let worst = unbalanced.max_by(|a, b| {
        a.imbalance
            .unwrap_or(0.0)
            .total_cmp(&b.imbalance.unwrap_or(0.0))
    });
    if let Some(worst) = worst {
        let name = profile.name(worst.time.region);
        let place = locations
            .iter()
            .position(|&location| location == worst.slowest);
        let place = place.map_or_else(String::new, |index| format!("location={index}&"));
        findings.push(Finding {
            text: format!(
                "Location {} is in {name} {:.2} times as long as the mean of all locations.",
                names.label(worst.slowest),
                worst.imbalance.unwrap_or(1.0),
            ),
            link: format!("{place}{}", region_link(name)),
        });
    }
    findings
}

fn is_mpi(profile: &Profile, total: &RegionTotal) -> bool {
    profile.paradigm(total.time.region) == Paradigm::Mpi
}

/// Returns a line about a run.
pub(crate) fn summary(profile: &Profile, events: u64) -> String {
    let seconds = profile.nanoseconds(profile.duration()) as f64 / 1e9;
    format!(
        "{} in {}, {}",
        counted(events, "event"),
        counted(profile.locations.len() as u64, "location"),
        Seconds(seconds),
    )
}
