//! Finds the stages of programs, and of random ones by brute force.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Cursor;
use std::ops::Range;

use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_matching::{Census, CollectiveCalls, Communication, Communicators, Regions, Stages};
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_text::TextFormat;
use foldtrace_trace::{Format, Input, Position, ReadOptions, TraceReader};
use proptest::prelude::*;

/// The events of a program in the order in which they happen, and their number in each process.
struct Program {
    text: String,
    events: Vec<u64>,
    /// By collective operation in which all take part: its positions in each process.
    operations: Vec<Vec<Range<u64>>>,
    has_events: bool,
}

impl Program {
    /// A program that records collective operations as events, or only as calls.
    fn new(processes: usize, has_events: bool) -> Self {
        let mut program = Self {
            text: String::new(),
            events: vec![0; processes],
            operations: Vec::new(),
            has_events,
        };
        (0..processes).for_each(|process| program.event(process, "local enter main"));
        program
    }

    fn event(&mut self, process: usize, event: &str) {
        let time: u64 = self.events.iter().sum();
        self.text
            .push_str(&format!("{process} {event} time={time}\n"));
        self.events[process] += 1;
    }

    fn call(&mut self, process: usize, routine: &str, events: &[&str]) {
        self.event(process, &format!("local enter {routine}"));
        events.iter().for_each(|event| self.event(process, event));
        self.event(process, &format!("local leave {routine}"));
    }

    fn send(&mut self, from: usize, to: usize) {
        self.call(from, "MPI_Send", &[&format!("send {to} 5")]);
    }

    /// A receive, which the text attributes to the sender.
    fn receive(&mut self, from: usize, to: usize) {
        self.event(to, "local enter MPI_Recv");
        self.received(from, to, "recv", "");
        self.event(to, "local leave MPI_Recv");
    }

    fn received(&mut self, from: usize, to: usize, kind: &str, more: &str) {
        let time: u64 = self.events.iter().sum();
        self.text
            .push_str(&format!("{from} {kind} {to} 5{more} time={time}\n"));
        self.events[to] += 1;
    }

    /// A collective operation of processes with consecutive ranks.
    fn collective(&mut self, routine: &str, members: Range<usize>) {
        let begin = self.events.clone();
        for process in members.clone() {
            self.event(process, &format!("local enter {routine}"));
            if self.has_events {
                self.event(process, "local mpi_collective_begin");
            }
        }
        for process in members.clone() {
            if self.has_events {
                let group = format!("{}-{}", members.start, members.end - 1);
                let root = if routine == "MPI_Bcast" {
                    " root=0"
                } else {
                    ""
                };
                self.event(process, &format!("sync {routine} {group}{root}"));
            }
            self.event(process, &format!("local leave {routine}"));
        }
        if members.len() == self.events.len() {
            let positions = begin.into_iter().zip(&self.events);
            let positions = positions.map(|(begin, &end)| begin..end).collect();
            self.operations.push(positions);
        }
    }

    /// Returns the positions of the operations between stages that have at least `least` events.
    fn borders(&self, least: u64) -> Vec<Vec<Range<u64>>> {
        let input = Input::Stream {
            name: "program.trace".into(),
            head: Vec::new(),
            reader: Box::new(Cursor::new(self.text.clone())),
        };
        let trace = TextFormat.open(input, &ReadOptions::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (path, progress) = (folder.path().join("program.fold"), Progress::default());
        let (origin, options) = (Origin::default(), ConvertOptions::default());
        to_store(&*trace, &origin, &path, &options, &progress).unwrap();
        let store = StoreReader::open(&path).unwrap();
        let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
        let census = Census::from_store(&store, &progress).unwrap();
        let communication = Communication {
            regions: &Regions::new(definitions, names, symbols),
            communicators: &Communicators::new(definitions, names, &census, symbols),
            census: &census,
            calls: &CollectiveCalls::from_store(&store, &census, |_, _, _| {}, &progress).unwrap(),
        };
        let stages = Stages::of_store(&store, communication, Some(least), &progress).unwrap();
        let mut ends = stages.parts(0);
        let borders = (1..stages.count()).map(|stage| {
            let parts = stages.parts(stage);
            let before = std::mem::replace(&mut ends, parts.clone());
            assert!(
                parts
                    .iter()
                    .all(|part| part.border.is_some_and(|border| border.open.len() == 1))
            );
            let both = before.iter().zip(parts.iter());
            both.map(|(before, part)| part.positions.start.0..before.positions.end.0)
                .collect()
        });
        let borders = borders.collect();
        assert!(
            ends.iter()
                .all(|part| part.positions.end == Position(u64::MAX))
        );
        borders
    }
}

#[test]
fn a_run_divides_where_all_wait_for_all_and_nothing_is_under_way() {
    for has_events in [true, false] {
        let mut program = Program::new(2, has_events);
        program.collective("MPI_Barrier", 0..2);
        program.send(0, 1);
        program.collective("MPI_Allreduce", 0..2);
        program.receive(0, 1);
        program.collective("MPI_Allreduce", 0..2);
        program.call(1, "MPI_Irecv", &["local mpi_irecv_request request=3"]);
        program.collective("MPI_Barrier", 0..2);
        program.send(0, 1);
        program.event(1, "local enter MPI_Wait");
        program.received(0, 1, "irecv", " request=3");
        program.event(1, "local leave MPI_Wait");
        program.collective("MPI_Bcast", 0..2);
        program.collective("MPI_Barrier", 0..2);
        (0..2).for_each(|process| program.event(process, "local leave main"));
        let of_program = |numbers: &[usize]| {
            let operations = numbers
                .iter()
                .map(|&number| program.operations[number].clone());
            operations.collect::<Vec<_>>()
        };
        assert_eq!(program.borders(1), of_program(&[0, 2, 5]), "{has_events}");
        assert_eq!(program.borders(12), of_program(&[2]), "{has_events}");
        assert_eq!(program.borders(30), of_program(&[]), "{has_events}");
    }
}

#[test]
fn operations_of_some_locations_are_no_borders() {
    let mut program = Program::new(3, true);
    program.collective("MPI_Barrier", 0..2);
    program.collective("MPI_Barrier", 0..3);
    program.collective("MPI_Barrier", 1..3);
    (0..3).for_each(|process| program.event(process, "local leave main"));
    assert_eq!(program.borders(1), program.operations);
}

#[test]
fn probes_that_take_messages_leave_a_run_whole() {
    let mut program = Program::new(2, true);
    program.collective("MPI_Barrier", 0..2);
    program.event(1, "local mpi_probe peer=0 tag=5");
    program.collective("MPI_Barrier", 0..2);
    (0..2).for_each(|process| program.event(process, "local leave main"));
    assert!(program.borders(1).is_empty());
}

/// What a program does next.
#[derive(Clone, Debug)]
enum Next {
    Send(usize, usize),
    /// The receive of the message that was sent first, of those that are under way.
    Receive,
    Collective(&'static str, Range<usize>),
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        3 => (0..4_usize, 1..4_usize).prop_map(|(from, by)| Next::Send(from, (from + by) % 4)),
        4 => Just(Next::Receive),
        2 => Just(Next::Collective("MPI_Allreduce", 0..4)),
        1 => Just(Next::Collective("MPI_Bcast", 0..4)),
        1 => (0..3_usize).prop_map(|first| Next::Collective("MPI_Barrier", first..4)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn borders_are_those_of_the_order_in_which_events_happen(steps in prop::collection::vec(next(), 1..60)) {
        let mut program = Program::new(4, true);
        // All of them communicate.
        program.collective("MPI_Bcast", 0..4);
        let (mut under_way, mut expected) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                Next::Send(from, to) => {
                    program.send(from, to);
                    under_way.push((from, to));
                }
                Next::Receive if under_way.is_empty() => {}
                Next::Receive => {
                    let (from, to) = under_way.remove(0);
                    program.receive(from, to);
                }
                Next::Collective(routine, members) => {
                    let is_border = members.len() == 4 && routine != "MPI_Bcast" && under_way.is_empty();
                    program.collective(routine, members);
                    expected.extend(is_border.then(|| program.operations[program.operations.len() - 1].clone()));
                }
            }
        }
        for (from, to) in under_way {
            program.receive(from, to);
        }
        (0..4).for_each(|process| program.event(process, "local leave main"));
        prop_assert_eq!(program.borders(1), expected);
    }
}
