//! Finds the efficiencies of random programs, which a small simulation executes twice: on a network that takes time, as the
//! trace records it, and on one that takes none.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::VecDeque;
use std::fmt::Write as _;

use foldtrace_analysis_testing::Stored;
use foldtrace_clock::Correction;
use foldtrace_efficiency::{Efficiency, TimedIteration, find};
use foldtrace_stream::read::Progress;
use proptest::prelude::*;

/// An operation of a program; processes are taken modulo their number.
#[derive(Clone, Debug)]
enum Operation {
    Compute(usize, u64),
    /// A message to another process, sent by a blocking or a non-blocking call.
    Send(usize, usize, bool),
    /// The receive of the oldest message under way from one process to another, if there is one; blocking or not.
    Receive(usize, usize, bool),
    Collective(usize, usize),
}

/// Names of collective operations, and whether the end of a member depends on the begin of another one, given their ranks
/// and the root.
type Class = (&'static str, fn(usize, usize, usize) -> bool);
const CLASSES: [Class; 5] = [
    ("MPI_Barrier", |_, _, _| true),
    ("MPI_Allreduce", |_, _, _| true),
    ("MPI_Bcast", |_, begin, root| begin == root),
    ("MPI_Reduce", |end, _, root| end == root),
    ("MPI_Scan", |end, begin, _| begin < end),
];

fn operation() -> impl Strategy<Value = Operation> {
    let process = || 0_usize..5;
    prop_oneof![
        4 => (process(), 1_u64..5_000).prop_map(|(process, work)| Operation::Compute(process, work)),
        4 => (process(), 1_usize..5, any::<bool>()).prop_map(|(from, by, begins)| Operation::Send(from, by, begins)),
        4 => (process(), 1_usize..5, any::<bool>()).prop_map(|(from, by, posts)| Operation::Receive(from, by, posts)),
        1 => (0..CLASSES.len(), process()).prop_map(|(class, root)| Operation::Collective(class, root)),
    ]
}

/// The times that the network takes on its way, and that each call takes in addition.
const LATENCY: u64 = 300;
const CALL: u64 = 10;

/// A process during its execution.
#[derive(Clone, Debug)]
struct Process {
    lines: Vec<String>,
    /// The recorded time, the time on the ideal network, and the useful time.
    now: u64,
    ideal: u64,
    useful: u64,
}

/// A message under way: its sender, its receiver, the recorded and the ideal time of its send.
type Message = (usize, usize, u64, u64);

struct Execution {
    processes: Vec<Process>,
    under_way: VecDeque<Message>,
}

impl Execution {
    fn new(starts: &[u64]) -> Self {
        let processes = starts.iter().map(|&start| Process {
            lines: Vec::new(),
            now: start,
            ideal: start,
            useful: 0,
        });
        let mut execution = Self {
            processes: processes.collect(),
            under_way: VecDeque::new(),
        };
        for process in 0..starts.len() {
            execution.event(process, &format!("{process} local enter main"));
        }
        execution
    }

    fn run(starts: &[u64], operations: &[Operation]) -> Self {
        let mut execution = Self::new(starts);
        for operation in operations {
            execution.execute(operation);
        }
        while let Some(&(from, to, ..)) = execution.under_way.front() {
            execution.receive(from, to, false);
        }
        for process in 0..starts.len() {
            execution.compute(process, 7);
            execution.event(process, &format!("{process} local leave main"));
        }
        execution
    }

    fn event(&mut self, process: usize, text: &str) {
        let process = &mut self.processes[process];
        process.lines.push(format!("{text} time={}", process.now));
    }

    fn compute(&mut self, process: usize, work: u64) {
        let process = &mut self.processes[process];
        process.now += work;
        process.ideal += work;
        process.useful += work;
    }

    fn enter(&mut self, process: usize, routine: &str) {
        self.compute(process, 1);
        self.event(process, &format!("{process} local enter {routine}"));
    }

    /// Lets an open call end after it has waited on both networks.
    fn leave(&mut self, process: usize, routine: &str) {
        self.processes[process].now += CALL;
        self.event(process, &format!("{process} local leave {routine}"));
    }

    fn send(&mut self, from: usize, to: usize, begins: bool) {
        let (routine, kind) = if begins {
            ("MPI_Isend", "isend")
        } else {
            ("MPI_Send", "send")
        };
        self.enter(from, routine);
        self.processes[from].now += 1;
        self.event(from, &format!("{from} {kind} {to} 7"));
        let sender = &self.processes[from];
        self.under_way
            .push_back((from, to, sender.now, sender.ideal));
        self.leave(from, routine);
    }

    fn receive(&mut self, from: usize, to: usize, posts: bool) {
        let oldest = self
            .under_way
            .iter()
            .position(|it| (it.0, it.1) == (from, to));
        let Some((.., sent, ideal)) = oldest.and_then(|oldest| self.under_way.remove(oldest))
        else {
            return;
        };
        let (routine, kind) = if posts {
            ("MPI_Wait", "irecv")
        } else {
            ("MPI_Recv", "recv")
        };
        let request = if posts { " request=9" } else { "" };
        if posts {
            self.enter(to, "MPI_Irecv");
            self.event(to, &format!("{to} local mpi_irecv_request request=9"));
            self.leave(to, "MPI_Irecv");
            self.compute(to, 400);
        }
        self.enter(to, routine);
        let receiver = &mut self.processes[to];
        receiver.now = receiver.now.max(sent + LATENCY);
        receiver.ideal = receiver.ideal.max(ideal);
        self.event(to, &format!("{from} {kind} {to} 7{request}"));
        self.leave(to, routine);
    }

    fn execute(&mut self, operation: &Operation) {
        let processes = self.processes.len();
        let ends = |from: usize, by: usize| {
            let from = from % processes;
            (from, (from + 1 + (by - 1) % (processes - 1)) % processes)
        };
        match *operation {
            Operation::Compute(process, work) => self.compute(process % processes, work),
            Operation::Send(from, by, begins) => {
                let (from, to) = ends(from, by);
                self.send(from, to, begins);
            }
            Operation::Receive(from, by, posts) => {
                let (from, to) = ends(from, by);
                self.receive(from, to, posts);
            }
            Operation::Collective(class, root) => self.collective(class, root % processes),
        }
    }

    fn collective(&mut self, class: usize, root: usize) {
        let (name, depends) = CLASSES[class];
        let processes = self.processes.len();
        for process in 0..processes {
            self.enter(process, name);
            self.event(process, &format!("{process} local mpi_collective_begin"));
        }
        let begun = self.processes.clone();
        for process in 0..processes {
            let needed =
                (0..processes).filter(|&other| other != process && depends(process, other, root));
            for other in needed {
                let own = &mut self.processes[process];
                own.now = own.now.max(begun[other].now + LATENCY);
                own.ideal = own.ideal.max(begun[other].ideal);
            }
            let with_root = ["MPI_Bcast", "MPI_Reduce"].contains(&name);
            let of_root = if with_root {
                format!(" root={root}")
            } else {
                String::new()
            };
            self.event(
                process,
                &format!("{process} sync {name} 0-{}{of_root}", processes - 1),
            );
            self.leave(process, name);
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in self.processes.iter().flat_map(|process| &process.lines) {
            writeln!(text, "{line}").unwrap();
        }
        text
    }
}

/// Finds the efficiencies of a text trace.
fn efficiency(text: String) -> (Efficiency, Vec<TimedIteration>) {
    let (store, progress) = (Stored::new(text), Progress::default());
    let mut iterations = Vec::new();
    let found = find(&store, &Correction::default(), &progress, &mut iterations).unwrap();
    (found, iterations)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_ideal_runtime_is_that_of_a_simulation_without_a_network(
        starts in prop::collection::vec(100_u64..2_000, 2..5),
        operations in prop::collection::vec(operation(), 1..80),
    ) {
        let execution = Execution::run(&starts, &{
            // A process without any message calls MPI, too.
            let mut all = operations;
            all.push(Operation::Collective(0, 0));
            all
        });
        let (found, _) = efficiency(execution.text());
        let start = *starts.iter().min().unwrap();
        let all = &execution.processes;
        for (process, own) in found.processes.iter().zip(all) {
            prop_assert_eq!(process.useful, own.useful);
            prop_assert_eq!(process.ideal_runtime, own.ideal - start);
            prop_assert_eq!(process.runtime, own.now - start);
        }
        let program = found.program;
        prop_assert_eq!(program.processes as usize, all.len());
        prop_assert_eq!(program.ideal_runtime, all.iter().map(|it| it.ideal).max().unwrap() - start);
        prop_assert_eq!(program.runtime, all.iter().map(|it| it.now).max().unwrap() - start);
        let mean = program.useful as f64 / all.len() as f64;
        prop_assert!((program.parallel() - mean / program.runtime as f64).abs() < 1e-12);
        for share in [program.load_balance(), program.serialisation(), program.transfer()] {
            prop_assert!((0.0..=1.0).contains(&share));
        }
        prop_assert_eq!(found.contradictions, 0);
    }

    /// All processes send to the next one, then receive, in each iteration of a loop.
    #[test]
    fn iterations_have_the_times_of_the_simulation(
        starts in prop::collection::vec(100_u64..2_000, 2..5),
        work in prop::collection::vec(prop::collection::vec(1_u64..5_000, 5), 4..9),
    ) {
        let processes = starts.len();
        let mut execution = Execution::new(&starts);
        // By process: the clocks at the beginning of each iteration, and at the end of the last one.
        let mut marks: Vec<Vec<[u64; 3]>> = vec![Vec::new(); processes];
        let clocks = |process: &Process| [process.now, process.ideal, process.useful];
        for work in &work {
            for (process, &work) in work.iter().enumerate().take(processes) {
                execution.compute(process, work);
                let [now, ideal, useful] = clocks(&execution.processes[process]);
                // The call begins after one more tick of computation.
                marks[process].push([now + 1, ideal + 1, useful + 1]);
                execution.send(process, (process + 1) % processes, false);
            }
            for process in 0..processes {
                execution.receive(process, (process + 1) % processes, false);
            }
        }
        for (process, marks) in marks.iter_mut().enumerate() {
            marks.push(clocks(&execution.processes[process]));
            execution.compute(process, 7);
            execution.event(process, &format!("{process} local leave main"));
        }
        let (found, iterations) = efficiency(execution.text());
        prop_assert_eq!(found.phases.len(), 1);
        prop_assert_eq!(found.phases[0].phase.iterations as usize, work.len());
        prop_assert_eq!(iterations.len(), work.len());
        for timed in &iterations {
            let index = timed.index as usize;
            let ticks = |clock: usize| marks.iter().map(move |own| own[index + 1][clock] - own[index][clock]);
            prop_assert_eq!(timed.factors.runtime, ticks(0).max().unwrap());
            prop_assert_eq!(timed.factors.ideal_runtime, ticks(1).max().unwrap());
            prop_assert_eq!(timed.factors.useful, ticks(2).sum::<u64>());
            prop_assert_eq!(timed.factors.useful_max, ticks(2).max().unwrap());
        }
        let last = work.len();
        let whole = |clock: usize| marks.iter().map(move |own| own[last][clock] - own[0][clock]);
        let phase = found.phases[0].factors;
        prop_assert_eq!(phase.runtime, whole(0).max().unwrap());
        prop_assert_eq!(phase.ideal_runtime, whole(1).max().unwrap());
        prop_assert_eq!(phase.useful, whole(2).sum::<u64>());
        let spread = found.phases[0].spread.unwrap();
        prop_assert!(spread.least <= spread.median && spread.median <= spread.greatest);
    }
}
