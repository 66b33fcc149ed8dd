//! Corrects the clocks of random programs whose dependences are known from their construction.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;

use foldtrace_clock::{Corrected, Correction, Method};
use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_store::{CompleteStore, Derived, DerivedFolder, Origin, StoreReader};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_text::TextFormat;
use foldtrace_trace::{Diagnostics, Format, Input, ReadOptions, TraceReader};
use proptest::prelude::*;
use tempfile::TempDir;

/// An operation of a program; processes are taken modulo their number.
#[derive(Clone, Debug)]
enum Operation {
    Compute(usize, u64),
    Message(usize, usize, u64),
    Collective(usize, usize),
}

/// Names of collective operations, and whether the end of a member depends on the begin of another one, given their ranks
/// and the root.
type Class = (&'static str, fn(usize, usize, usize) -> bool);
const CLASSES: [Class; 6] = [
    ("MPI_Barrier", |_, _, _| true),
    ("MPI_Allreduce", |_, _, _| true),
    ("MPI_Bcast", |_, begin, root| begin == root),
    ("MPI_Reduce", |end, _, root| end == root),
    ("MPI_Scatterv", |_, begin, root| begin == root),
    ("MPI_Scan", |end, begin, _| begin < end),
];

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => (0_usize..8, 1_u64..5_000).prop_map(|(process, work)| Operation::Compute(process, work)),
        6 => (0_usize..8, 1_usize..8, 0_u64..500).prop_map(|(from, by, delay)| Operation::Message(from, by, delay)),
        1 => (0..CLASSES.len(), 0_usize..8).prop_map(|(class, root)| Operation::Collective(class, root)),
    ]
}

/// A process and the position of an event in it.
type Event = (usize, usize);

/// A program that was executed: the events of each process, and which of them depend on which.
#[derive(Default)]
struct Execution {
    /// By process: the text and the time of each event.
    events: Vec<Vec<(String, u64)>>,
    /// Arrivals, and the departures on which they depend.
    dependences: Vec<(Event, Vec<Event>)>,
}

const LATENCY: u64 = 300;

impl Execution {
    fn new(processes: usize, operations: &[Operation]) -> Self {
        let mut execution = Self::default();
        for process in 0..processes {
            execution.events.push(Vec::new());
            execution.push(process, format!("{process} local enter main"), 100);
        }
        for operation in operations {
            execution.execute(processes, operation);
        }
        for process in 0..processes {
            let end = execution.now(process) + 70;
            execution.push(process, format!("{process} local leave main"), end);
        }
        execution
    }

    fn now(&self, process: usize) -> u64 {
        self.events[process].last().map_or(0, |(_, time)| *time)
    }

    fn push(&mut self, process: usize, text: String, time: u64) -> Event {
        self.events[process].push((text, time));
        (process, self.events[process].len() - 1)
    }

    fn execute(&mut self, processes: usize, operation: &Operation) {
        match *operation {
            Operation::Compute(process, work) => {
                let process = process % processes;
                let time = self.now(process) + work;
                self.push(process, format!("{process} local work"), time);
            }
            Operation::Message(from, by, delay) => {
                let from = from % processes;
                let to = (from + 1 + (by - 1) % (processes - 1)) % processes;
                let sent = self.now(from) + 20;
                let send = self.push(from, format!("{from} send {to} 7"), sent);
                let arrived = (sent + LATENCY + delay).max(self.now(to) + 20);
                let receive = self.push(to, format!("{from} recv {to} 7"), arrived);
                self.dependences.push((receive, vec![send]));
            }
            Operation::Collective(class, root) => {
                let (name, depends) = CLASSES[class];
                let root = root % processes;
                let begins: Vec<Event> = (0..processes)
                    .map(|process| {
                        let time = self.now(process) + 20;
                        self.push(process, format!("{process} local enter {name}"), time);
                        self.push(
                            process,
                            format!("{process} local mpi_collective_begin"),
                            time,
                        )
                    })
                    .collect();
                let begun: Vec<u64> = (0..processes).map(|process| self.now(process)).collect();
                for process in 0..processes {
                    let is_needed =
                        |&other: &usize| other != process && depends(process, other, root);
                    let needed: Vec<usize> = (0..processes).filter(is_needed).collect();
                    let latest = needed.iter().map(|&other| begun[other] + LATENCY).max();
                    let end = latest.unwrap_or(0).max(begun[process] + 10);
                    let group = format!("0-{}", processes - 1);
                    let with_root = ["MPI_Bcast", "MPI_Reduce", "MPI_Scatterv"].contains(&name);
                    let root = if with_root {
                        format!(" root={root}")
                    } else {
                        String::new()
                    };
                    let end =
                        self.push(process, format!("{process} sync {name} {group}{root}"), end);
                    let departures = needed.iter().map(|&other| begins[other]).collect();
                    self.dependences.push((end, departures));
                    let left = self.now(process);
                    self.push(process, format!("{process} local leave {name}"), left);
                }
            }
        }
    }

    /// Replaces the times with those of clocks with offsets, drifts in millionths, and jitter; those of a process never
    /// go backwards.
    fn distort(&mut self, clocks: &[(i64, i64)], jitter: &[u64]) {
        let mut jitter = jitter.iter().cycle();
        for (events, (offset, drift)) in self.events.iter_mut().zip(clocks) {
            let mut last = 0;
            for (_, time) in events {
                let drifted = *time as i64 * drift / 1_000_000;
                let shown = 2_000_000_000 + *time as i64 + offset + drifted;
                *time = (shown as u64 + jitter.next().unwrap_or(&0)).max(last);
                last = *time;
            }
        }
    }

    fn times(&self) -> Vec<Vec<u64>> {
        let of_process =
            |events: &Vec<(String, u64)>| events.iter().map(|(_, time)| *time).collect();
        self.events.iter().map(of_process).collect()
    }

    /// Counts the arrivals before one of their departures.
    fn violations(&self, times: &[Vec<u64>]) -> u64 {
        let time = |&(process, position): &Event| times[process][position];
        let is_violated = |(arrival, departures): &&(Event, Vec<Event>)| {
            departures
                .iter()
                .any(|departure| time(departure) > time(arrival))
        };
        self.dependences.iter().filter(is_violated).count() as u64
    }

    fn store(&self) -> (TempDir, StoreReader) {
        let mut text = String::new();
        for events in &self.events {
            for (event, time) in events {
                writeln!(text, "{event} time={time}").unwrap();
            }
        }
        let input = Input::Stream {
            name: "-".into(),
            head: Vec::new(),
            reader: Box::new(Cursor::new(text.into_bytes())),
        };
        let reader = TextFormat.open(input, &ReadOptions::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program.fold");
        let (options, progress) = (ConvertOptions::default(), Progress::default());
        to_store(&*reader, &Origin::default(), &path, &options, &progress).unwrap();
        let store = StoreReader::open(&path).unwrap();
        (folder, store)
    }
}

/// Returns the corrected times of all processes.
fn corrected(store: &StoreReader, correction: &Correction) -> Vec<Vec<u64>> {
    let reader = Corrected::new(store, correction);
    let mut times: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for stream in 0..reader.streams().len() {
        read_stream(&reader, stream, false, &Progress::default(), |batch, _| {
            let of_location = times.entry(batch.location.0).or_default();
            of_location.extend(batch.times.iter().map(|time| time.0));
            Ok(())
        })
        .unwrap();
    }
    times.into_values().collect()
}

fn find(store: &StoreReader, method: Method) -> Correction {
    Correction::find(store, method, &Progress::default()).unwrap()
}

fn programs() -> impl Strategy<Value = (usize, Vec<Operation>)> {
    (2_usize..8, prop::collection::vec(operation(), 1..120))
}

/// Returns a store of events given as texts and times, by process.
fn execution(events: &[&[(&str, u64)]]) -> Execution {
    let owned = |events: &&[(&str, u64)]| {
        let events = events.iter();
        events
            .map(|&(text, time)| (text.to_owned(), time))
            .collect()
    };
    Execution {
        events: events.iter().map(owned).collect(),
        dependences: Vec::new(),
    }
}

#[test]
fn events_that_contradict_each_other_are_counted() {
    // Each process receives before it sends what the other one waits for.
    let mut execution = execution(&[
        &[("1 recv 0 7", 10), ("0 send 1 7", 20)],
        &[("0 recv 1 7", 10), ("1 send 0 7", 20)],
    ]);
    execution.dependences = vec![((0, 0), vec![(1, 1)]), ((1, 0), vec![(0, 1)])];
    let (_folder, store) = execution.store();
    let correction = find(&store, Method::Controlled);
    let times = corrected(&store, &correction);
    let report = correction.report();
    assert_eq!(report.violations_before, Some(2));
    assert_eq!(report.violations_after, Some(execution.violations(&times)));
    assert_ne!(report.violations_after, Some(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_violation_remains(
        (processes, operations) in programs(),
        clocks in prop::collection::vec((-1_000_000_000_i64..1_000_000_000, -100_i64..100), 8),
        jitter in prop::collection::vec(0_u64..1_000, 1..50),
        is_jittery: bool,
    ) {
        let mut execution = Execution::new(processes, &operations);
        execution.distort(&clocks, if is_jittery { &jitter } else { &[0] });
        let (_folder, store) = execution.store();
        for method in [Method::Offset, Method::Controlled] {
            let correction = find(&store, method);
            let times = corrected(&store, &correction);
            let report = correction.report();
            prop_assert_eq!(report.violations_before, Some(execution.violations(&execution.times())));
            prop_assert_eq!(report.violations_after, Some(execution.violations(&times)));
            if method == Method::Controlled {
                prop_assert_eq!(report.violations_after, Some(0));
            }
            prop_assert!(times.iter().all(|times| times.is_sorted()));
        }
    }

    #[test]
    fn a_correction_does_not_depend_on_stages(
        (processes, operations) in programs(),
        clocks in prop::collection::vec((-1_000_000_000_i64..1_000_000_000, -100_i64..100), 8),
        jitter in prop::collection::vec(0_u64..1_000, 1..50),
        stage_events in 1_u64..60,
    ) {
        let mut execution = Execution::new(processes, &operations);
        execution.distort(&clocks, &jitter);
        let (_folder, store) = execution.store();
        for method in Method::ALL {
            let (whole, progress) = (find(&store, method), Progress::default());
            let staged = Correction::find_in_stages(&store, method, Some(stage_events), &progress).unwrap();
            prop_assert_eq!(whole, staged);
        }
    }

    #[test]
    fn threads_share_the_clock_of_their_process(
        (processes, operations) in programs(),
        clocks in prop::collection::vec((-1_000_000_000_i64..1_000_000_000, -100_i64..100), 8),
        jitter in prop::collection::vec(0_u64..1_000, 1..50),
        gaps in prop::collection::vec(0_u64..3_000, 40),
    ) {
        let mut execution = Execution::new(processes, &operations);
        execution.distort(&clocks, &jitter);
        let of_processes = execution.times();
        for (process, times) in of_processes.iter().enumerate() {
            let mut time = times[0];
            let events = gaps.iter().map(|gap| {
                time += gap;
                (format!("{process}.1 local work"), time)
            });
            let events = events.collect();
            execution.events.push(events);
        }
        let (_folder, store) = execution.store();
        let correction = find(&store, Method::Controlled);
        let times = corrected(&store, &correction);
        let names = store.names();
        let order = store.locations().map(|location| names.rank(location).unwrap());
        let order: Vec<(u64, u64)> = order.collect();
        let find = |rank: usize, thread: u64| order.iter().position(|&it| it == (rank as u64, thread));
        for process in 0..processes {
            let shown = [&of_processes[process], &execution.times()[processes + process]];
            let [own, thread] = [0, 1].map(|thread| &times[find(process, thread).unwrap()]);
            for (&time, &corrected) in shown[1].iter().zip(thread) {
                let before = shown[0].partition_point(|&other| other < time);
                let after = shown[0].partition_point(|&other| other <= time);
                prop_assert!(before == 0 || own[before - 1] <= corrected);
                prop_assert!(own.get(after).is_none_or(|&other| corrected <= other));
            }
        }
    }

    #[test]
    fn exact_clocks_stay_as_they_are((processes, operations) in programs()) {
        let execution = Execution::new(processes, &operations);
        let (_folder, store) = execution.store();
        let correction = find(&store, Method::Controlled);
        prop_assert!(correction.is_identity());
        prop_assert_eq!(corrected(&store, &correction), execution.times());
    }

    #[test]
    fn a_correction_is_stored_and_read_back(
        (processes, operations) in programs(),
        clocks in prop::collection::vec((-1_000_000_000_i64..1_000_000_000, -100_i64..100), 8),
        jitter in prop::collection::vec(0_u64..1_000, 1..50),
    ) {
        let mut execution = Execution::new(processes, &operations);
        execution.distort(&clocks, &jitter);
        let (_folder, store) = execution.store();
        let correction = find(&store, Method::Controlled);
        let mut complete = CompleteStore::copy_of(store.path()).unwrap();
        let copy = StoreReader::open(complete.path()).unwrap();
        let files = correction.write(DerivedFolder::of(&copy)).unwrap();
        complete.add_derived(&[Derived::Clock], &files, &Diagnostics::default()).unwrap();
        complete.appear(&Progress::default()).unwrap();
        let store = StoreReader::open(store.path()).unwrap();
        let read = Correction::of_store(&store, None, &Progress::default()).unwrap();
        if correction.clocks().len() > 0 {
            prop_assert_eq!(read, correction);
        }
    }
}
