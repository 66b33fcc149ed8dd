//! Logical steps of random legal programs, beside what their definition says, and of the recorded examples.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail"
)]

mod common;
#[path = "common/parallel.rs"]
mod parallel;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use arrow::array::{Array, UInt64Array};
use common::{EXAMPLES, Folder};
use foldtrace::analysis::steps::{Kind, Options, StepEvent};
use foldtrace::steps::Between;
use foldtrace_trace::Position;
use parallel::{Action, Program, RANKS, action};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

fn plain() -> Vec<usize> {
    (0..RANKS).collect()
}

/// What is found of each operation or aggregate, by rank, position and kind.
fn by_place(program: &Program, found: &Between) -> BTreeMap<(usize, u64, Kind), StepEvent> {
    let events = found.events.iter();
    events
        .map(|event| {
            (
                (program.rank(event.location), event.position.0, event.kind),
                *event,
            )
        })
        .collect()
}

/// What the definition says of operations: partition, step.
struct Oracle {
    partitions: Vec<usize>,
    steps: Vec<u64>,
}

impl Oracle {
    fn of(program: &Program) -> Self {
        let operations = &program.operations;
        let len = operations.len();
        let mut partitions: Vec<usize> = (0..len).collect();
        let previous = |own: usize| {
            let before = (0..len).filter(|&other| {
                operations[other].rank == operations[own].rank
                    && operations[other].position < operations[own].position
            });
            before.max_by_key(|&other| operations[other].position)
        };
        let previous: Vec<Option<usize>> = (0..len).map(previous).collect();
        let mut related: Vec<(usize, usize)> = program.messages.clone();
        related.extend(&program.joined);
        for members in &program.collectives {
            related.extend(members.iter().map(|&member| (members[0], member)));
        }
        // The closure: related ones are together, and so are partitions that reach each other.
        loop {
            let before = partitions.clone();
            for &(a, b) in &related {
                let (a, b) = (partitions[a], partitions[b]);
                let together = a.min(b);
                for partition in &mut partitions {
                    if *partition == a || *partition == b {
                        *partition = together;
                    }
                }
            }
            let mut reaches = vec![vec![false; len]; len];
            for own in 0..len {
                if let Some(previous) = previous[own] {
                    reaches[partitions[previous]][partitions[own]] = true;
                }
            }
            for via in 0..len {
                for from in 0..len {
                    for to in 0..len {
                        reaches[from][to] |= reaches[from][via] && reaches[via][to];
                    }
                }
            }
            for own in 0..len {
                for other in 0..len {
                    let (a, b) = (partitions[own], partitions[other]);
                    if a != b && reaches[a][b] && reaches[b][a] {
                        related.push((own, other));
                    }
                }
            }
            if partitions == before {
                break;
            }
        }
        let inside = |own: usize| previous[own].filter(|&it| partitions[it] == partitions[own]);
        let senders = |own: usize| {
            let messages = program.messages.iter();
            messages
                .filter(move |(_, receive)| *receive == own)
                .map(|(send, _)| *send)
        };
        let team = |own: usize| {
            let mut teams = program.collectives.iter();
            teams
                .find(|team| team.contains(&own))
                .cloned()
                .unwrap_or(vec![own])
        };
        // Strides: the longest way, where receiving takes nothing.
        let mut ends = vec![0_u64; len];
        loop {
            let before = ends.clone();
            for own in 0..len {
                let is_receive = operations[own].kind == Kind::Receive;
                let own_team = team(own);
                let befores = own_team.iter().filter_map(|&member| inside(member));
                let befores = befores.chain(senders(own));
                let stride = befores.map(|it| ends[it]).max().unwrap_or(0);
                ends[own] = stride + u64::from(!is_receive);
            }
            if ends == before {
                break;
            }
        }
        // The least steps: all of a stride of a partition share one.
        let mut local = vec![0_u64; len];
        loop {
            let before = local.clone();
            for own in 0..len {
                let is_receive = operations[own].kind == Kind::Receive;
                let mates = (0..len).filter(|&other| {
                    if is_receive {
                        return other == own;
                    }
                    operations[other].kind != Kind::Receive
                        && partitions[other] == partitions[own]
                        && ends[other] == ends[own]
                });
                let befores = mates.filter_map(inside);
                let befores = befores.chain(senders(own).filter(|_| is_receive));
                local[own] = befores.map(|it| before[it] + 1).max().unwrap_or(0);
            }
            if local == before {
                break;
            }
        }
        // Partitions begin when all before them are over.
        let length = |partition: usize| {
            let members = (0..len).filter(|&it| partitions[it] == partition);
            members.map(|it| local[it] + 1).max().unwrap_or(0)
        };
        let lengths: Vec<u64> = (0..len).map(length).collect();
        let mut offsets = vec![0; len];
        loop {
            let before = offsets.clone();
            for own in 0..len {
                let Some(previous) = previous[own].filter(|_| inside(own).is_none()) else {
                    continue;
                };
                let end = offsets[partitions[previous]] + lengths[partitions[previous]];
                offsets[partitions[own]] = end.max(offsets[partitions[own]]);
            }
            if offsets == before {
                break;
            }
        }
        Self {
            steps: (0..len)
                .map(|own| offsets[partitions[own]] + local[own])
                .collect(),
            partitions,
        }
    }
}

/// All that must be so of the steps of a legal program.
fn check(program: &Program, found: &Between) {
    let events = by_place(program, found);
    let event = |index: usize| {
        let operation = &program.operations[index];
        let place = (operation.rank, operation.position, operation.kind);
        *events
            .get(&place)
            .unwrap_or_else(|| panic!("{operation:?} of {events:#?}"))
    };
    let operations = found.events.iter().filter(|it| it.kind != Kind::Aggregate);
    assert_eq!(operations.count(), program.operations.len());
    for (index, expected) in program.operations.iter().enumerate() {
        let event = event(index);
        assert_eq!(
            (event.events, event.start.0, event.end.0),
            (expected.events, expected.start, expected.end),
            "{expected:?}"
        );
    }
    for &(send, receive) in &program.messages {
        assert!(event(send).step < event(receive).step);
        assert_eq!(event(send).partition, event(receive).partition);
    }
    for &(send, receive) in &program.joined {
        assert_eq!(event(send).partition, event(receive).partition);
    }
    for members in &program.collectives {
        assert!(
            members
                .iter()
                .all(|&it| event(it).step == event(members[0]).step)
        );
    }
    for rank in 0..RANKS {
        let mut last = None;
        let mut behind = 0;
        for event in events.range((rank, 0, Kind::Aggregate)..(rank + 1, 0, Kind::Aggregate)) {
            let event = event.1;
            assert_eq!(event.position.0, behind, "nothing is left out or twice");
            behind += event.events;
            if event.kind != Kind::Aggregate {
                assert!(last < Some(event.step), "{last:?} {event:?}");
                last = Some(event.step);
            }
        }
    }
    assert!(
        found
            .events
            .iter()
            .all(|it| it.differential_lateness <= it.lateness)
    );
    assert!(
        found
            .events
            .iter()
            .all(|it| it.class.is_some() == (it.lateness > 0))
    );
}

/// Steps with partitions numbered in the order of their first places, which no window changes.
fn renumbered(events: &BTreeMap<(usize, u64, Kind), StepEvent>) -> Vec<(usize, StepEvent)> {
    let mut numbers = HashMap::new();
    let events = events.iter().map(|(&(rank, ..), event)| {
        let next = numbers.len() as u64;
        let partition = *numbers.entry(event.partition).or_insert(next);
        (
            rank,
            StepEvent {
                partition,
                location: 0.into(),
                ..*event
            },
        )
    });
    events.collect()
}

fn actions(most: usize) -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(action(), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn steps_of_legal_programs_are_legal(actions in actions(60)) {
        let program = Program::run(&actions, &plain());
        let (summary, found) = program.steps(&Options::default(), |_, _| true);
        prop_assert_eq!(summary.totals.violations, 0);
        prop_assert_eq!(found.messages.len() as u64, summary.totals.messages);
        check(&program, &found);
        let leaps = Options { leaps: true, ..Options::default() };
        let (summary, found) = program.steps(&leaps, |_, _| true);
        prop_assert_eq!(summary.totals.violations, 0);
        check(&program, &found);
        let phases = Options { phases: Some("compute".to_owned()), ..Options::default() };
        let (summary, found) = program.steps(&phases, |_, _| true);
        prop_assert_eq!(summary.totals.violations, 0);
        check(&program, &found);
    }

    #[test]
    fn steps_are_what_their_definition_says(actions in actions(9)) {
        let program = Program::run(&actions, &plain());
        let oracle = Oracle::of(&program);
        let (_, found) = program.steps(&Options::default(), |_, _| true);
        let events = by_place(&program, &found);
        let own: Vec<StepEvent> = program
            .operations
            .iter()
            .map(|it| events[&(it.rank, it.position, it.kind)])
            .collect();
        let steps: Vec<u64> = own.iter().map(|event| event.step).collect();
        prop_assert_eq!(&steps, &oracle.steps);
        for (a, event) in own.iter().enumerate() {
            for (b, other) in own.iter().enumerate() {
                let together = oracle.partitions[a] == oracle.partitions[b];
                prop_assert_eq!(event.partition == other.partition, together, "{} {}", a, b);
            }
            let side_by_side = own.iter().filter(|other| {
                (other.partition, other.step) == (event.partition, event.step)
            });
            let first_end = side_by_side.clone().map(|it| it.end).min().unwrap();
            prop_assert_eq!(event.lateness, event.end.0 - first_end.0);
            let first_start = side_by_side.map(|it| it.start).min().unwrap();
            let before = found.events.iter().find(|it| {
                it.kind == Kind::Aggregate && it.location == event.location && it.step == event.step
            });
            if let Some(before) = before {
                prop_assert_eq!(before.lateness, event.start.0 - first_start.0);
            }
        }
    }

    #[test]
    fn labels_of_ranks_change_nothing(
        actions in actions(40),
        labels in Just(plain()).prop_shuffle(),
    ) {
        let program = Program::run(&actions, &plain());
        let other = Program::run(&actions, &labels);
        let (_, one) = program.steps(&Options::default(), |_, _| true);
        let (_, two) = other.steps(&Options::default(), |_, _| true);
        let one = renumbered(&by_place(&program, &one));
        prop_assert_eq!(one, renumbered(&by_place(&other, &two)));
    }

    #[test]
    fn a_small_window_changes_nothing(actions in actions(60), window in 1_usize..20) {
        let program = Program::run(&actions, &plain());
        let (all, one) = program.steps(&Options::default(), |_, _| true);
        let (few, two) = program.steps(&Options { window, ..Options::default() }, |_, _| true);
        prop_assert_eq!(all.totals, few.totals);
        let one = renumbered(&by_place(&program, &one));
        prop_assert_eq!(one, renumbered(&by_place(&program, &two)));
        let places = |found: &Between| {
            let mut all: Vec<_> = found.messages.clone();
            all.sort_by_key(|it| (it.send, it.receive));
            all
        };
        let (_, one) = program.steps(&Options::default(), |_, _| true);
        prop_assert_eq!(places(&one), places(&two));
    }

    #[test]
    fn collective_calls_tell_as_much_as_their_events(actions in actions(60), window in 1_usize..50) {
        let of_all = actions.into_iter().map(|action| match action {
            // All ranks are in the first two communicators.
            Action::Collective(communicator, time) => Action::Collective(communicator % 2, time),
            other => other,
        });
        let program = Program::run(&of_all.collect::<Vec<_>>(), &plain());
        let options = Options { window, ..Options::default() };
        let (events, one) = program.steps(&Options::default(), |_, _| true);
        let (calls, two) = program.steps(&options, |rank, index| {
            !program.is_collective(rank, index)
        });
        prop_assert_eq!(events.totals, calls.totals);
        // Events that are gone change positions and counts of the others.
        let plain = |found| {
            let events = renumbered(&by_place(&program, found)).into_iter();
            let plain = events.map(|(rank, event)| {
                (rank, StepEvent { position: Position(0), events: 0, ..event })
            });
            plain.collect::<Vec<_>>()
        };
        prop_assert_eq!(plain(&one), plain(&two));
    }

    #[test]
    fn what_is_left_of_a_damaged_trace_has_steps(
        actions in actions(40),
        lost in prop::collection::vec((0..RANKS, 0..200_usize), 0..30),
    ) {
        let program = Program::run(&actions, &plain());
        let (summary, found) = program.steps(&Options::default(), |rank, index| {
            !lost.contains(&(rank, index))
        });
        let rows = summary.totals.operations + summary.totals.aggregates;
        prop_assert_eq!(found.events.len() as u64, rows);
        prop_assert!(found.events.iter().all(|it| it.step < summary.totals.steps));
    }
}

fn steps_of(folder: &Folder, arguments: &str) -> serde_json::Value {
    folder
        .say(&format!("steps -q --json {arguments}"))
        .exits(0)
        .json()
}

#[test]
fn the_recorded_examples_have_no_violations() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        for options in ["", "--leaps"] {
            let found = steps_of(&folder, &format!("{name}.fold {options}"));
            assert_eq!(found["violations"], 0, "{name} {options}");
            assert!(found["steps"].as_u64() > Some(0), "{name}");
        }
    }
}

#[test]
fn the_ring_has_the_steps_of_its_program() {
    // MPI_Bcast, 20 rounds in which even ranks send first, MPI_Barrier.
    let folder = Folder::with_store("ring-4");
    let found = steps_of(&folder, "ring-4.fold");
    assert_eq!(found["operations"], 4 + 20 * 8 + 4);
    assert_eq!(found["messages"], 80);
    // A round takes two sends and two receives; each message is its own partition.
    assert_eq!(found["partitions"], 1 + 80 + 1);
    assert_eq!(found["steps"], 1 + 20 * 4 + 1);
}

#[test]
fn the_table_has_a_row_for_each_event() {
    let folder = Folder::with_store("vcycle-4");
    let found = steps_of(&folder, "vcycle-4.fold --table steps.parquet");
    let open = || {
        let file = File::open(folder.path("steps.parquet")).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
    };
    let entries = open()
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .cloned()
        .unwrap();
    let clock = entries
        .iter()
        .find(|it| it.key == "foldtrace.ticks_per_second")
        .unwrap();
    assert_eq!(clock.value.as_deref(), Some("1000000000"));
    let batches: Vec<_> = open().build().unwrap().map(Result::unwrap).collect();
    let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
    assert_eq!(found["events"], rows);
    let column = |name: &str| -> Vec<u64> {
        let columns = batches
            .iter()
            .map(|batch| batch.column_by_name(name).unwrap());
        let columns = columns.map(|it| it.as_any().downcast_ref::<UInt64Array>().unwrap());
        columns.flat_map(|it| it.values().to_vec()).collect()
    };
    assert_eq!(found["steps"], column("step").iter().max().unwrap() + 1);
    assert_eq!(
        found["partitions"],
        column("partition").iter().max().unwrap() + 1
    );
    let late = column("lateness").iter().filter(|it| **it > 0).count() as u64;
    let classes = found["late"].as_object().unwrap().values();
    assert_eq!(late, classes.map(|it| it.as_u64().unwrap()).sum::<u64>());
    // What is there is not overwritten unawares.
    folder
        .say("steps vcycle-4.fold --table steps.parquet")
        .exits(5);
    folder
        .say("steps -q vcycle-4.fold --table steps.parquet --force")
        .exits(0);
}

#[test]
fn phases_are_instances_of_a_function() {
    let folder = Folder::with_store("vcycle-4");
    let found = steps_of(&folder, "vcycle-4.fold --phases vcycle");
    assert_eq!(found["violations"], 0);
    // 20 cycles, what is before, behind, and between those with a norm between them.
    let between = found["partitions"].as_u64().unwrap() - 20;
    assert!((2..=21).contains(&between), "{between}");
    let ran = folder.say("steps vcycle-4.fold --phases nothing").exits(2);
    assert!(ran.stderr.contains("hint:"), "{ran:?}");
}
