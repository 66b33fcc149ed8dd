//! Finds the wait states of random programs, whose waiting times are known from their execution.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;

use foldtrace_clock::Correction;
use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_text::TextFormat;
use foldtrace_trace::{Format, Input, LocationId, ReadOptions};
use foldtrace_waits::{Class, Found, Options, WaitState, find};
use proptest::prelude::*;

/// An operation of a program; processes are taken modulo their number.
#[derive(Clone, Debug)]
enum Operation {
    Compute(usize, u64),
    /// A message, sent by a blocking or a non-blocking call, and received by a blocking one.
    Message(usize, usize, bool),
    /// A message whose receive is posted before and completed by `MPI_Wait`, after some work.
    Posted(usize, usize, u64),
    /// A blocking send that does not end before its receive begins.
    Rendezvous(usize, usize),
    Collective(usize, usize),
}

/// Names of collective operations with their classes, and whether the end of a member depends on the begin of another one,
/// given their ranks and the root.
type Kind = (&'static str, Class, fn(usize, usize, usize) -> bool);
const COLLECTIVES: [Kind; 5] = [
    ("MPI_Barrier", Class::WaitAtBarrier, |_, _, _| true),
    ("MPI_Allreduce", Class::WaitAtNxn, |_, _, _| true),
    ("MPI_Bcast", Class::LateBroadcast, |_, begin, root| {
        begin == root
    }),
    ("MPI_Reduce", Class::EarlyReduce, |end, _, root| end == root),
    ("MPI_Scan", Class::EarlyScan, |end, begin, _| begin < end),
];

fn operation() -> impl Strategy<Value = Operation> {
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
struct Execution {
    /// Whether collective operations are recorded as events, or else only as calls.
    has_collectives: bool,
    lines: Vec<Vec<String>>,
    now: Vec<u64>,
    waits: BTreeMap<(usize, usize), (Class, u64)>,
}

/// The time that each call takes besides waiting.
const CALL: u64 = 10;

impl Execution {
    fn new(processes: usize, operations: &[Operation], has_collectives: bool) -> Self {
        let mut execution = Self {
            has_collectives,
            lines: vec![Vec::new(); processes],
            now: vec![100; processes],
            waits: BTreeMap::new(),
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
    fn wait(&mut self, process: usize, call: (usize, u64), class: Class, release: u64) {
        if release > call.1 {
            self.now[process] = self.now[process].max(release);
            self.waits
                .insert((process, call.0), (class, release - call.1));
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
            Operation::Compute(process, work) => self.now[process % processes] += work,
            Operation::Message(from, by, begins) => {
                let (from, to) = ends(from, by);
                let routine = if begins { "MPI_Isend" } else { "MPI_Send" };
                let (_, sent) = self.enter(from, routine);
                let kind = if begins { "isend" } else { "send" };
                self.event(from, &format!("{from} {kind} {to} 7"));
                self.leave(from, routine);
                let call = self.enter(to, "MPI_Recv");
                self.wait(to, call, Class::LateSender, sent);
                self.event(to, &format!("{from} recv {to} 7"));
                self.leave(to, "MPI_Recv");
            }
            Operation::Posted(from, by, work) => {
                let (from, to) = ends(from, by);
                self.enter(to, "MPI_Irecv");
                self.event(to, &format!("{to} local mpi_irecv_request request=9"));
                self.leave(to, "MPI_Irecv");
                self.now[to] += work;
                let (_, sent) = self.enter(from, "MPI_Send");
                self.event(from, &format!("{from} send {to} 8"));
                self.leave(from, "MPI_Send");
                let call = self.enter(to, "MPI_Wait");
                self.wait(to, call, Class::WaitAtCompletion, sent);
                self.event(to, &format!("{from} irecv {to} 8 request=9"));
                self.leave(to, "MPI_Wait");
            }
            Operation::Rendezvous(from, by) => {
                let (from, to) = ends(from, by);
                let send = self.enter(from, "MPI_Send");
                self.event(from, &format!("{from} send {to} 7"));
                let receive = self.enter(to, "MPI_Recv");
                self.wait(to, receive, Class::LateSender, send.1);
                self.wait(from, send, Class::LateReceiver, receive.1);
                let end = self.now[to].max(self.now[from]);
                self.now[to] = end;
                self.now[from] = end;
                self.event(to, &format!("{from} recv {to} 7"));
                self.leave(to, "MPI_Recv");
                self.leave(from, "MPI_Send");
            }
            Operation::Collective(kind, root) => {
                let (name, class, depends) = COLLECTIVES[kind];
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
                    self.wait(process, calls[process], class, release);
                    let with_root = ["MPI_Bcast", "MPI_Reduce"].contains(&name);
                    let of_root = if with_root {
                        format!(" root={root}")
                    } else {
                        String::new()
                    };
                    let group = format!("0-{}", processes - 1);
                    if self.has_collectives {
                        self.event(process, &format!("{process} sync {name} {group}{of_root}"));
                    } else if ![Class::WaitAtBarrier, Class::WaitAtNxn].contains(&class) {
                        // Nothing says which other members it needs.
                        self.waits.remove(&(process, calls[process].0));
                    }
                    self.leave(process, name);
                }
            }
        }
    }

    /// Returns the lines of all processes.
    fn text(&self) -> String {
        let mut text = String::new();
        for line in self.lines.iter().flatten() {
            writeln!(text, "{line}").unwrap();
        }
        text
    }
}

/// Finds the wait states of a text trace.
fn found(text: String) -> (Found, Vec<WaitState>) {
    let input = Input::Stream {
        name: "program.trace".into(),
        head: Vec::new(),
        reader: Box::new(Cursor::new(text)),
    };
    let reader = TextFormat.open(input, &ReadOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.fold");
    let (origin, options) = (Origin::default(), ConvertOptions::default());
    let progress = Progress::default();
    to_store(&*reader, &origin, &path, &options, &progress).unwrap();
    let store = StoreReader::open(&path).unwrap();
    let mut waits = Vec::new();
    let correction = Correction::default();
    let found = find(
        &store,
        &correction,
        Options::default(),
        &progress,
        &mut waits,
    )
    .unwrap();
    (found, waits)
}

/// Returns the waiting times by location and position; a late sender in the wrong order is a late sender.
fn by_call(waits: &[WaitState]) -> BTreeMap<(usize, usize), (Class, u64)> {
    let of_call = |wait: &WaitState| {
        let class = match wait.class {
            Class::WrongOrder => Class::LateSender,
            class => class,
        };
        let call = (wait.location.0 as usize, wait.position.0 as usize);
        (call, (class, wait.ticks))
    };
    waits.iter().map(of_call).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn waiting_times_are_those_of_the_execution(
        processes in 2_usize..6,
        operations in prop::collection::vec(operation(), 1..60),
        has_collectives: bool,
    ) {
        let execution = Execution::new(processes, &operations, has_collectives);
        let (found, waits) = found(execution.text());
        prop_assert_eq!(by_call(&waits), execution.waits.clone());
        let expected: u64 = execution.waits.values().map(|(_, ticks)| ticks).sum();
        prop_assert_eq!(found.summary.waited(), expected);
        let caused: f64 = found.summary.causes.iter().map(|cause| cause.ticks).sum();
        prop_assert!(caused <= expected as f64 * 1.001);
    }

    #[test]
    fn the_cause_is_the_process_that_is_slow_once(
        (processes, slow) in (3_usize..7).prop_flat_map(|processes| (Just(processes), 0..processes)),
        iterations in 4_usize..12,
        late in 2_usize..10,
        delay in 2_000_u64..9_000,
        exchange in 0_usize..3,
        has_collectives: bool,
    ) {
        let late = late.min(iterations - 1);
        let mut operations = Vec::new();
        for iteration in 0..iterations {
            for process in 0..processes {
                let more = if (process, iteration) == (slow, late) { delay } else { 0 };
                operations.push(Operation::Compute(process, 500 + more));
            }
            match exchange {
                0 => operations.push(Operation::Collective(0, 0)),
                // All send to the next process, then all receive.
                1 => operations.extend((0..processes).map(|from| Operation::Message(from, 1, false))),
                _ => operations.extend((0..processes).map(|from| Operation::Rendezvous(from, 1))),
            }
        }
        let (found, _) = found(Execution::new(processes, &operations, has_collectives).text());
        let first = &found.summary.causes[0];
        prop_assert_eq!(first.location, LocationId(slow as u64));
        let region = found.summary.paths[first.path.0 as usize].region.unwrap();
        prop_assert_eq!(&found.regions.regions()[region.0 as usize].name, "main");
        let total: u64 = found.summary.waited();
        prop_assert!(first.ticks > 0.5 * total as f64, "{first:?} of {total}");
    }
}

#[test]
fn a_message_that_is_received_too_late_makes_the_order_wrong() {
    let text = "\
0 local enter MPI_Send time=100
0 send 2 1 time=100
0 local leave MPI_Send time=101
1 local enter MPI_Send time=50
1 send 2 2 time=50
1 local leave MPI_Send time=51
2 local enter MPI_Recv time=10
0 recv 2 1 time=102
2 local leave MPI_Recv time=103
2 local enter MPI_Recv time=104
1 recv 2 2 time=105
2 local leave MPI_Recv time=106
";
    let (found, waits) = found(text.to_owned());
    assert_eq!(waits.len(), 1);
    assert_eq!((waits[0].class, waits[0].ticks), (Class::WrongOrder, 90));
    assert_eq!(found.summary.classes()[0].0, Class::WrongOrder);
}
