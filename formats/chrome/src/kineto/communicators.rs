//! The communicators of a trace, and the operations of its calls in them.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::FixedState;
use foldtrace_sort::Operation;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, LocationId, Minter, Place, Severity, Symbol, UNDEFINED,
};

use super::groups::Group;
use super::info::Info;
use super::operations::{Call, Operations, Tally};
use super::present::Present;
use super::words::Action;

/// The name of the communicator of all ranks.
const WORLD: &str = "default_pg";

/// A process of the trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rank<'a> {
    /// The number of its file.
    pub file: u32,
    pub info: &'a Info,
    /// Its rank; `None` if an earlier file has the same rank.
    pub rank: Option<u64>,
}

/// A process group with its communicator.
#[derive(Clone, Debug)]
struct Communicator {
    id: u64,
    /// The processes of its members.
    members: Vec<u64>,
}

impl Communicator {
    /// Returns the rank of a process in the communicator.
    fn rank_of(&self, process: u64) -> Option<u64> {
        let mut ranks = (0..).zip(&self.members);
        ranks.find_map(|(rank, &member)| (member == process).then_some(rank))
    }
}

/// The members of groups that a file lists, by name.
type Configured<'a> = HashMap<&'a str, (u64, Vec<u64>)>;

/// The communicators of all process groups.
pub(crate) struct Communicators<'a> {
    present: Present,
    world: Option<Communicator>,
    /// The process of each file, and the groups that the file lists.
    files: HashMap<u32, (u64, Configured<'a>), FixedState>,
    /// The communicators by their names and members.
    known: HashMap<(String, Vec<u64>), u64, FixedState>,
}

/// Numbers of calls and groups to be reported.
#[derive(Debug, Default)]
struct Exceptions {
    /// Operations of unknown groups, which count as those of all ranks.
    without_group: u64,
    /// Messages whose other end is unknown or not in the trace.
    without_peer: u64,
    /// Kernels whose operation is unknown.
    without_operation: u64,
    /// Operations of groups that do not have the rank as a member.
    of_others: u64,
    /// Groups whose files begin at different operations.
    unequal_begins: u64,
}

impl Exceptions {
    fn report(&self, path: &Path, diagnostics: &mut Diagnostics) {
        let notes = [
            (
                Severity::Note,
                "kineto.unknown_group",
                "the process group of an operation is not recorded: it counts as one of all ranks",
                self.without_group,
            ),
            (
                Severity::Note,
                "kineto.unknown_peer",
                "the other end of a message is not recorded or not in the trace: it is a call only",
                self.without_peer,
            ),
            (
                Severity::Note,
                "kineto.unknown_operation",
                "the operation of a kernel that communicates is not recorded: it is a call only",
                self.without_operation,
            ),
            (
                Severity::Note,
                "kineto.other_group",
                "a rank takes part in an operation of a process group without being a member: it is a call only",
                self.of_others,
            ),
            (
                Severity::Note,
                "kineto.unequal_begin",
                "the files of a process group begin at different operations: those that some lack are calls only",
                self.unequal_begins,
            ),
        ];
        for (severity, key, message, count) in notes {
            if count == 0 {
                continue;
            }
            let note = Diagnostic::new(severity, key, message);
            diagnostics.report_many(note.at(Place::file(path)), count);
        }
    }
}

impl<'a> Communicators<'a> {
    /// Defines the communicator of all ranks. `locations` are the main locations of `ranks`.
    pub(crate) fn new(minter: &mut Minter, locations: &[LocationId], ranks: &[Rank<'a>]) -> Self {
        let processes = (0..).zip(ranks);
        let present: Present = processes
            .clone()
            .filter_map(|(process, rank)| Some((rank.rank?, process)))
            .collect();
        let file = |(process, rank): (u64, &Rank<'a>)| {
            rank.rank?;
            Some((rank.file, (process, rank.info.present_members(&present))))
        };
        let files = processes.filter_map(file).collect();
        let world = (!locations.is_empty()).then(|| Communicator {
            id: minter.world_called(WORLD, locations),
            members: present.processes_among(|_| true),
        });
        Self {
            present,
            world,
            files,
            known: HashMap::default(),
        }
    }

    /// Returns the operations of calls, by the indices of calls, and reports what is unknown.
    pub(crate) fn resolve(
        &mut self,
        minter: &mut Minter,
        operations: &Operations,
        path: &Path,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Option<Operation>> {
        let mut exceptions = Exceptions {
            without_operation: operations.unknown,
            ..Exceptions::default()
        };
        let mut resolved = Vec::with_capacity(operations.calls.len());
        for ((call, tally), counts) in operations.calls.iter().zip(operations.counts()) {
            let group = call.group.and_then(|group| operations.groups.get(group));
            resolved.push(if counts {
                self.operation(minter, call, tally, group, &mut exceptions)
            } else {
                None
            });
        }
        exceptions.unequal_begins = align(&operations.calls, &mut resolved);
        exceptions.report(path, diagnostics);
        resolved
    }

    fn operation(
        &mut self,
        minter: &mut Minter,
        call: &Call,
        tally: &Tally,
        group: Option<&Group>,
        exceptions: &mut Exceptions,
    ) -> Option<Operation> {
        let own = self.files.get(&call.file)?.0;
        let (communicator, is_known) = self.communicator(minter, call.file, group)?;
        exceptions.without_group += if is_known { 0 } else { tally.count };
        if !communicator.members.contains(&own) {
            exceptions.of_others += tally.count;
            return None;
        }
        let symbol = match call.action {
            Action::Collective(operation) => {
                let operands = [operation, communicator.id, UNDEFINED];
                Symbol::new(EventKind::MpiCollectiveEnd, &operands)
            }
            action => {
                let process = self.present.process(call.peer);
                let peer = process.and_then(|process| communicator.rank_of(process));
                let Some(peer) = peer else {
                    exceptions.without_peer += tally.count;
                    return None;
                };
                let kind = if action == Action::Send {
                    EventKind::MpiSend
                } else {
                    EventKind::MpiRecv
                };
                Symbol::new(kind, &[peer, communicator.id, 0])
            }
        };
        Some(Operation { symbol, first: 0 })
    }

    /// Returns the communicator of a group, and whether its members are known.
    fn communicator(
        &mut self,
        minter: &mut Minter,
        file: u32,
        group: Option<&Group>,
    ) -> Option<(Communicator, bool)> {
        let world = self.world.as_ref()?;
        let (_, configured) = self.files.get(&file)?;
        let members = group.and_then(|group| group.members(&self.present, configured));
        let (Some(group), Some(members)) = (group, members) else {
            return Some((world.clone(), false));
        };
        if group.is_default() && members == world.members {
            return Some((world.clone(), true));
        }
        let key = (group.title(), members);
        let id = match self.known.get(&key) {
            Some(&id) => id,
            None => {
                let id = minter.communicator(&key.0, world.id, &key.1);
                self.known.insert(key.clone(), id);
                id
            }
        };
        let communicator = Communicator { id, members: key.1 };
        Some((communicator, true))
    }
}

/// Sets the first operation of each communicator that counts: the first one that all files have recorded, if operations are
/// numbered. Returns the number of communicators whose files begin at different operations.
fn align(calls: &[(Call, Tally)], resolved: &mut [Option<Operation>]) -> u64 {
    let collective = |operation: &Option<Operation>| {
        let symbol = operation.map(|operation| operation.symbol);
        symbol.filter(|symbol| symbol.kind == EventKind::MpiCollectiveEnd)
    };
    // By communicator: the first operation of each file; `None` if an operation of the communicator has no number.
    let mut firsts: HashMap<u64, Option<HashMap<u32, u64>>> = HashMap::new();
    for ((call, tally), operation) in calls.iter().zip(&*resolved) {
        let Some(symbol) = collective(operation) else {
            continue;
        };
        let files = firsts
            .entry(symbol.operands[1])
            .or_insert_with(|| Some(HashMap::new()));
        if tally.unnumbered > 0 {
            *files = None;
        } else if let Some(files) = files {
            let first = files.entry(call.file).or_insert(UNDEFINED);
            *first = tally.first.min(*first);
        }
    }
    let mut unequal = 0;
    let mut common: HashMap<u64, u64> = HashMap::new();
    for (communicator, files) in firsts {
        let files = files.unwrap_or_default();
        let latest = files.values().copied().max().unwrap_or_default();
        unequal += u64::from(files.values().any(|&first| first < latest));
        common.insert(communicator, latest);
    }
    for operation in resolved.iter_mut() {
        if let Some(symbol) = collective(operation)
            && let Some(operation) = operation
        {
            operation.first = common.get(&symbol.operands[1]).copied().unwrap_or_default();
        }
    }
    unequal
}
