//! Builds the logical program of a store: maps its processes to their topology, expresses their peers as directions,
//! and builds one program for all processes (Xu et al., section 4.3).
//!
//! Unlike in the paper, the program is compared with the calls of every process: [`Account`] reports what it
//! reproduces and what it does not.

mod attempt;
mod meanings;
mod measure;
mod order;
mod search;
mod tags;
mod trace;

pub use trace::LogicalTrace;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_topology::recognition::{Match, Rule, Topology};
use foldtrace_topology::{self as topology, Component, Part, TopologyReport};
use foldtrace_trace::{
    DefinitionKind, Diagnostic, Diagnostics, ErrorKind, Remedy, Severity, TraceError,
};
use indexmap::IndexSet;

use crate::model::{Agreement, Communicator, Logical};
use attempt::{Attempt, Processes};
use meanings::Understanding;
use search::{ENOUGH, Search};

/// Options for building a logical program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options for identifying the topology.
    pub topology: topology::Options,
    /// The name of the topology to use, out of those that match the program. If `None`, the topology with the best
    /// program is used.
    pub named: Option<String>,
    /// The maximum number of terms in the body of a loop; the default of `foldtrace_fold` if `None`.
    pub max_body: Option<usize>,
    /// Whether bytes and times are measured as well.
    pub measured: bool,
    /// Whether the program should also be valid for other numbers of processes. If so, calls are restricted to
    /// listed processes only if less than 90 % of the calls are reproduced otherwise.
    pub is_portable: bool,
}

/// A logical program, and how accurately it describes the processes.
#[derive(Clone, Debug)]
pub struct LogicalReport {
    /// The program.
    pub logical: Logical,
    /// How accurately the program describes the processes.
    pub account: Account,
}

/// How accurately a logical program describes the processes of a trace.
#[derive(Clone, Debug)]
pub struct Account {
    /// The names of all topologies that match the program.
    pub isomorphic: Vec<String>,
    /// The number of calls of the program, for a process that skips none.
    pub records: u64,
    /// The number of calls and loops, as the program is written.
    pub terms: u64,
    /// The number of loops, as the program is written.
    pub loops: u64,
    /// The number of different programs that the processes have when peers are directions.
    pub parts: usize,
    /// The number of sends, receives and collective operations of all processes.
    pub calls: u64,
    /// How many of these calls the program reproduces.
    pub agreement: Agreement,
    /// The number of calls whose peer is not a neighbour in the topology.
    pub outside: u64,
    /// The bytes of messages to processes that are not neighbours, and of all messages; `None` if the trace does not
    /// contain message sizes.
    pub bytes_outside: Option<(u64, u64)>,
    /// The comparison with each process, in the order of the processes of the program.
    pub processes: Vec<Compared>,
}

/// How accurately a logical program describes one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The rank of the process.
    pub rank: u64,
    /// The node of the process.
    pub node: u32,
    /// How many calls of the process the program reproduces.
    pub agreement: Agreement,
    /// The number of calls whose peer is not a neighbour in the topology.
    pub outside: u64,
}

impl Compared {
    /// Returns the share of reproduced calls among all calls that the process makes or the program contains, from 0
    /// to 1.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        accuracy(&self.agreement, self.outside)
    }
}

impl Account {
    /// Returns the share of reproduced calls among all calls that processes make or the program contains, from 0 to
    /// 1.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        accuracy(&self.agreement, self.outside)
    }
}

impl Account {
    /// Returns whether more than 10 % of the calls have a peer that is not a neighbour in the topology.
    fn is_mostly_outside(&self) -> bool {
        self.outside as f64 > (1.0 - ENOUGH) * self.calls as f64
    }

    /// Returns a warning if the accuracy of the program is less than 90 %.
    #[must_use]
    pub fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if self.accuracy() < ENOUGH {
            let percent = |calls: u64| 100.0 * calls as f64 / self.calls.max(1) as f64;
            let message = format!(
                "the program reproduces {:.1} % of the calls: {:.1} % have a peer that is not a neighbour in the \
                 topology, {:.1} % are missing from the program, and the program has {:.1} % too many",
                percent(self.agreement.reproduced),
                percent(self.outside),
                percent(self.agreement.missing),
                percent(self.agreement.added),
            );
            let warning = Diagnostic::new(Severity::Warning, "logical.incomplete", message);
            diagnostics.report(warning);
        }
        diagnostics
    }
}

fn accuracy(agreement: &Agreement, outside: u64) -> f64 {
    let all = agreement.reproduced + agreement.missing + agreement.added + outside;
    if all == 0 {
        1.0
    } else {
        agreement.reproduced as f64 / all as f64
    }
}

/// Builds the logical program of a store.
///
/// # Errors
/// Returns an error if the processes match no known topology, a table is missing or damaged, or the work was stopped.
pub fn find(
    store: &StoreReader,
    options: &Options,
    progress: &Progress,
) -> Result<LogicalReport, TraceError> {
    let found = topology::find(store, &options.topology, progress)?;
    let made = on(&found, store, options, progress)?;
    if options.topology.threshold != topology::THRESHOLD || !made.account.is_mostly_outside() {
        return Ok(made);
    }
    // Pairs that exchange few bytes, such as the corners of a stencil, may exchange many messages.
    let mut wider = options.clone();
    wider.topology.threshold = 0.0;
    let wider = topology::find(store, &wider.topology, progress)?;
    if wider.program.threshold >= found.program.threshold {
        return Ok(made);
    }
    let other = on(&wider, store, options, progress)?;
    let is_better = other.account.accuracy() > made.account.accuracy();
    Ok(if is_better { other } else { made })
}

/// Builds the logical program of a store on the topologies in `found`.
fn on(
    found: &TopologyReport,
    store: &StoreReader,
    options: &Options,
    progress: &Progress,
) -> Result<LogicalReport, TraceError> {
    let matches = matches(found, options.named.as_deref())?;
    let ranks = found.program.ranks.clone();
    let understanding = Understanding::new(store, &found.sent, &ranks);
    let processes = Processes {
        places: understanding.main_locations(),
        store,
        understanding,
        ranks,
        max_body: options.max_body,
    };
    let isomorphic = matches
        .iter()
        .map(|one| one.topology.name.clone())
        .collect();
    let best = Search {
        processes: &processes,
        is_portable: options.is_portable,
        progress,
    };
    let best = best.best(matches, found)?;
    let account = account(&best, &processes.ranks, isomorphic, found);
    let wording = best.wording;
    let mut logical = Logical {
        program: best.program.alphabet.program(&best.program.model),
        communicators: communicators(&best, &processes),
        topology: best.topology,
        nodes: best.nodes,
        ranks: processes.ranks.clone(),
        measured: Vec::new(),
        ticks_per_second: store.manifest().clock().ticks_per_second,
        ticks: 0,
    };
    if options.measured {
        measure::measure(&processes, wording, &mut logical, progress)?;
    }
    if !wording.has_tags {
        tags::restore(&processes, wording, &mut logical, progress)?;
    }
    Ok(LogicalReport { logical, account })
}

/// Returns the topologies that match the processes of a program.
fn matches(found: &TopologyReport, named: Option<&str>) -> Result<Vec<Match>, TraceError> {
    let part = &found.program;
    if part.pairs.pairs.is_empty() {
        return Ok(vec![without_messages(part)]);
    }
    let whole = part.whole().ok_or_else(|| not_connected(part))?;
    let mut matches = whole.identification.isomorphic.clone();
    if matches.is_empty() {
        return Err(unknown(whole));
    }
    // The component contains all nodes of the part, so the nodes of both are the same.
    if let Some(named) = named {
        let names: Vec<String> = matches
            .iter()
            .map(|one| one.topology.name.clone())
            .collect();
        matches.retain(|one| one.topology.name == named);
        if matches.is_empty() {
            let message = format!("the program does not have the topology '{named}'");
            let hint = format!("the topologies of the program are {}", names.join(", "));
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
    }
    Ok(matches)
}

fn without_messages(part: &Part) -> Match {
    let processes = part.ranks.len() as u32;
    let name = (format!("{processes} alone"), "alone".to_owned());
    let topology = Topology::new(name, vec![processes], Rule::Edges, Vec::new(), Vec::new());
    Match {
        topology,
        nodes: (0..processes).collect(),
    }
}

fn not_connected(part: &Part) -> TraceError {
    let idle = part.idle().len();
    let groups = part.components.len();
    let message = format!(
        "not all processes are connected by messages (connected groups: {groups}, processes without \
         neighbours: {idle})"
    );
    TraceError::new(ErrorKind::Usage, message).remedy(Remedy::CountAllMessages)
}

fn unknown(whole: &Component) -> TraceError {
    let closest = whole.identification.closest.as_ref();
    let closest = closest.map_or(String::new(), |closest| {
        format!("; the closest known topology is {}", closest.topology.name)
    });
    let message = format!("the topology of the processes is unknown{closest}");
    TraceError::new(ErrorKind::Usage, message).remedy(Remedy::AddTopology)
}

fn account(
    best: &Attempt,
    ranks: &[u64],
    isomorphic: Vec<String>,
    found: &TopologyReport,
) -> Account {
    let agreement = best.total();
    let outside = best.outside.iter().sum();
    let pairs = &found.program.pairs;
    let strangers = pairs.pairs.iter().filter(|&(&(one, other), _)| {
        let [one, other] = [one, other].map(|process| best.nodes[process as usize]);
        best.topology.direction(one, other).is_none()
    });
    let strangers = strangers.map(|(_, pair)| pair.total());
    let bytes: u64 = strangers.filter_map(|traffic| traffic.bytes).sum();
    let all = [pairs.total(), pairs.to_self];
    let all = all
        .iter()
        .filter_map(|traffic| traffic.bytes)
        .reduce(|a, b| a + b);
    let processes = ranks.iter().zip(&best.nodes);
    let processes = processes.zip(best.agreement.iter().zip(&best.outside));
    Account {
        isomorphic,
        records: best.program.model.events,
        terms: best.program.model.terms(),
        loops: best.program.model.loops(),
        parts: best.parts,
        calls: agreement.reproduced + agreement.missing + outside,
        agreement,
        outside,
        bytes_outside: all.map(|all| (bytes, all)),
        processes: processes
            .map(|((&rank, &node), (&agreement, &outside))| Compared {
                rank,
                node,
                agreement,
                outside,
            })
            .collect(),
    }
}

/// Returns the communicators of a program: the one of all processes, followed by the others in the order in which
/// processes use them.
fn communicators(best: &Attempt, processes: &Processes<'_>) -> Vec<Communicator> {
    let names = processes.understanding.names;
    let all = Communicator {
        name: None,
        colors: vec![Some(0); processes.ranks.len()],
    };
    let most = best.communicators.iter().map(Vec::len).max().unwrap_or(0);
    let some = (0..most).map(|number| {
        let ids = best
            .communicators
            .iter()
            .map(|own| own.get(number).copied());
        let mut seen: IndexSet<(u64, usize)> = IndexSet::new();
        let colors = ids.clone().enumerate().map(|(process, id)| {
            let id = id?;
            let alone = processes.understanding.is_alone(id);
            let color = seen.insert_full((id, if alone { process } else { usize::MAX }));
            Some(color.0 as u32)
        });
        let colors = colors.collect();
        let named = ids
            .flatten()
            .find_map(|id| names.name(DefinitionKind::Comm, id));
        Communicator {
            name: named.filter(|name| !name.is_empty()).map(str::to_owned),
            colors,
        }
    });
    std::iter::once(all).chain(some).collect()
}
