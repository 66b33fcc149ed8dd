//! Random programs, and their execution on a network that takes no time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;

/// An operation of a program; processes are taken modulo their number.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Work of a process outside of MPI.
    Compute(usize, u64),
    /// A message, sent by a blocking or a non-blocking call, and received by a blocking one.
    Message(usize, usize, bool),
    /// A message whose receive is posted before and completed by `MPI_Wait`, after some work.
    Posted(usize, usize, u64),
    /// A blocking send that does not end before its receive begins.
    Rendezvous(usize, usize),
    /// A collective operation by its index, with its root.
    Collective(usize, usize),
}

/// Why a call waits, as the names of the classes of wait states say.
pub type Reason = &'static str;

/// Names of collective operations with their classes, and whether the end of a member depends on the begin of another one,
/// given their ranks and the root.
type Kind = (&'static str, Reason, fn(usize, usize, usize) -> bool);
const COLLECTIVES: [Kind; 5] = [
    ("MPI_Barrier", "wait_at_barrier", |_, _, _| true),
    ("MPI_Allreduce", "wait_at_nxn", |_, _, _| true),
    ("MPI_Bcast", "late_broadcast", |_, begin, root| {
        begin == root
    }),
    ("MPI_Reduce", "early_reduce", |end, _, root| end == root),
    ("MPI_Scan", "early_scan", |end, begin, _| begin < end),
];

/// Returns random operations of up to six processes.
pub fn operation() -> impl Strategy<Value = Operation> {
    let process = || 0_usize..6;
    prop_oneof![
        4 => (process(), 1_u64..5_000).prop_map(|(process, work)| Operation::Compute(process, work)),
        4 => (process(), 1_usize..6, any::<bool>()).prop_map(|(from, by, begins)| Operation::Message(from, by, begins)),
        2 => (process(), 1_usize..6, 0_u64..3_000).prop_map(|(from, by, work)| Operation::Posted(from, by, work)),
        2 => (process(), 1_usize..6).prop_map(|(from, by)| Operation::Rendezvous(from, by)),
        1 => (0..COLLECTIVES.len(), process()).prop_map(|(kind, root)| Operation::Collective(kind, root)),
    ]
}

/// A program that was executed: the lines of each process, its clock, and the waiting times by process and position of the
/// call.
pub struct Execution {
    /// Whether collective operations are recorded as events, or else only as calls.
    has_collectives: bool,
    lines: Vec<Vec<String>>,
    now: Vec<u64>,
    /// The waiting times.
    pub waits: BTreeMap<(usize, usize), (Reason, u64)>,
    /// The work of processes, in the order of the operations that have any.
    pub works: Vec<Work>,
}

/// The work of a process in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The process.
    pub process: usize,
    /// The time at which it begins.
    pub begin: u64,
    /// The time at which it ends.
    pub end: u64,
}

impl Operation {
    /// Returns the ticks of its work, if it has any.
    pub const fn work_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::Compute(_, work) | Self::Posted(_, _, work) => Some(work),
            Self::Message(..) | Self::Rendezvous(..) | Self::Collective(..) => None,
        }
    }
}

/// The time at which all processes begin.
const START: u64 = 100;

/// The time that each call takes besides waiting.
const CALL: u64 = 10;

impl Execution {
    /// Executes operations, one after the other: a process that does not take part in one is not delayed by it.
    #[must_use]
    pub fn new(processes: usize, operations: &[Operation], has_collectives: bool) -> Self {
        let mut execution = Self {
            has_collectives,
            lines: vec![Vec::new(); processes],
            now: vec![START; processes],
            waits: BTreeMap::new(),
            works: Vec::new(),
        };
        for process in 0..processes {
            execution.event(process, &format!("{process} local enter main"));
        }
        for operation in operations {
            execution.execute(operation);
        }
        for process in 0..processes {
            execution.event(process, &format!("{process} local leave main"));
        }
        execution
    }

    fn work(&mut self, process: usize, ticks: u64) {
        let begin = self.now[process];
        let end = begin + ticks;
        self.now[process] = end;
        self.works.push(Work {
            process,
            begin,
            end,
        });
    }

    fn event(&mut self, process: usize, text: &str) {
        let line = format!("{text} time={}", self.now[process]);
        self.lines[process].push(line);
    }

    /// Enters a call; returns its position and time.
    fn enter(&mut self, process: usize, routine: &str) -> (usize, u64) {
        self.now[process] += 1;
        self.event(process, &format!("{process} local enter {routine}"));
        (self.lines[process].len() - 1, self.now[process])
    }

    fn leave(&mut self, process: usize, routine: &str) {
        self.event(process, &format!("{process} local leave {routine}"));
    }

    /// Lets a call wait until `release`, if that is later than its beginning.
    fn wait(&mut self, process: usize, call: (usize, u64), reason: Reason, release: u64) {
        if release > call.1 {
            self.now[process] = self.now[process].max(release);
            self.waits
                .insert((process, call.0), (reason, release - call.1));
        }
        self.now[process] += CALL;
    }

    fn execute(&mut self, operation: &Operation) {
        let processes = self.now.len();
        let ends = |from: usize, by: usize| {
            let from = from % processes;
            (from, (from + 1 + (by - 1) % (processes - 1)) % processes)
        };
        match *operation {
            Operation::Compute(process, work) => self.work(process % processes, work),
            Operation::Message(from, by, begins) => {
                let (from, to) = ends(from, by);
                let routine = if begins { "MPI_Isend" } else { "MPI_Send" };
                let (_, sent) = self.enter(from, routine);
                let kind = if begins { "isend" } else { "send" };
                self.event(from, &format!("{from} {kind} {to} 7"));
                self.leave(from, routine);
                let call = self.enter(to, "MPI_Recv");
                self.wait(to, call, "late_sender", sent);
                self.event(to, &format!("{from} recv {to} 7"));
                self.leave(to, "MPI_Recv");
            }
            Operation::Posted(from, by, work) => {
                let (from, to) = ends(from, by);
                self.enter(to, "MPI_Irecv");
                self.event(to, &format!("{to} local mpi_irecv_request request=9"));
                self.leave(to, "MPI_Irecv");
                self.work(to, work);
                let (_, sent) = self.enter(from, "MPI_Send");
                self.event(from, &format!("{from} send {to} 8"));
                self.leave(from, "MPI_Send");
                let call = self.enter(to, "MPI_Wait");
                self.wait(to, call, "wait_at_completion", sent);
                self.event(to, &format!("{from} irecv {to} 8 request=9"));
                self.leave(to, "MPI_Wait");
            }
            Operation::Rendezvous(from, by) => {
                let (from, to) = ends(from, by);
                let send = self.enter(from, "MPI_Send");
                self.event(from, &format!("{from} send {to} 7"));
                let receive = self.enter(to, "MPI_Recv");
                self.wait(to, receive, "late_sender", send.1);
                self.wait(from, send, "late_receiver", receive.1);
                let end = self.now[to].max(self.now[from]);
                self.now[to] = end;
                self.now[from] = end;
                self.event(to, &format!("{from} recv {to} 7"));
                self.leave(to, "MPI_Recv");
                self.leave(from, "MPI_Send");
            }
            Operation::Collective(kind, root) => {
                let (name, reason, depends) = COLLECTIVES[kind];
                let root = root % processes;
                let calls: Vec<(usize, u64)> = (0..processes)
                    .map(|process| {
                        let call = self.enter(process, name);
                        if self.has_collectives {
                            self.event(process, &format!("{process} local mpi_collective_begin"));
                        }
                        call
                    })
                    .collect();
                for process in 0..processes {
                    let needed = (0..processes)
                        .filter(|&other| other != process && depends(process, other, root));
                    let release = needed.map(|other| calls[other].1).max().unwrap_or(0);
                    self.wait(process, calls[process], reason, release);
                    let with_root = ["MPI_Bcast", "MPI_Reduce"].contains(&name);
                    let of_root = if with_root {
                        format!(" root={root}")
                    } else {
                        String::new()
                    };
                    let group = format!("0-{}", processes - 1);
                    if self.has_collectives {
                        self.event(process, &format!("{process} sync {name} {group}{of_root}"));
                    } else if !["wait_at_barrier", "wait_at_nxn"].contains(&reason) {
                        // Nothing says which other members it needs.
                        self.waits.remove(&(process, calls[process].0));
                    }
                    self.leave(process, name);
                }
            }
        }
    }

    /// Returns the time from the first event to the last.
    #[must_use]
    pub fn makespan(&self) -> u64 {
        self.now.iter().max().map_or(0, |end| end - START)
    }

    /// Returns the lines of all processes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.lines.iter().flatten() {
            writeln!(text, "{line}").unwrap();
        }
        text
    }
}
