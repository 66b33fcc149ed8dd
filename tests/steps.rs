//! Logical steps of random legal programs, beside what their definition says, and of the recorded examples.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use foldtrace::steps::{Kind, Options, StepEvent};
use foldtrace_trace::Position;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use crate::common::parallel::{Action, AllSteps, Program, RANKS, action};
use crate::common::{EXAMPLES, Folder};

fn plain() -> Vec<usize> {
    (0..RANKS).collect()
}

/// What is found of each operation or aggregate, by rank, position and kind.
fn by_place(program: &Program, found: &AllSteps) -> BTreeMap<(usize, u64, Kind), StepEvent> {
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

fn by_leaps() -> Options {
    Options {
        leaps: true,
        ..Options::default()
    }
}

fn by_phases() -> Options {
    Options {
        phases: Some("compute".to_owned()),
        ..Options::default()
    }
}

/// What is found of each operation of a program.
fn operations(program: &Program, options: &Options) -> Vec<StepEvent> {
    let (_, found) = program.steps(options, |_, _| true);
    let events = by_place(program, &found);
    let operations = program.operations.iter();
    let found = operations.map(|it| events[&(it.rank, it.position, it.kind)]);
    found.collect()
}

fn steps(events: &[StepEvent]) -> Vec<u64> {
    events.iter().map(|event| event.step).collect()
}

/// The partition of each event, as the first event that is in it.
fn groups(events: &[StepEvent]) -> Vec<usize> {
    let first = |event: &StepEvent| {
        let mut events = events.iter();
        events
            .position(|it| it.partition == event.partition)
            .unwrap()
    };
    events.iter().map(first).collect()
}

/// Events are in one partition if their groups are the same.
fn assert_same_groups<T: PartialEq>(events: &[StepEvent], expected: &[T]) {
    for (a, event) in events.iter().enumerate() {
        for (b, other) in events.iter().enumerate() {
            let together = expected[a] == expected[b];
            assert_eq!(event.partition == other.partition, together, "{a} {b}");
        }
    }
}

/// All that must be so of the steps of a legal program.
fn check(program: &Program, found: &AllSteps) {
    check_steps(program, found);
    let events = by_place(program, found);
    let partition = |index: usize| {
        let operation = &program.operations[index];
        events[&(operation.rank, operation.position, operation.kind)].partition
    };
    for &(one, other) in program.messages.iter().chain(&program.joined) {
        assert_eq!(partition(one), partition(other));
    }
}

/// All that must be so of the steps of a legal program even if partitions were cut.
fn check_steps(program: &Program, found: &AllSteps) {
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
        let (summary, found) = program.steps(&by_leaps(), |_, _| true);
        prop_assert_eq!(summary.totals.violations, 0);
        check(&program, &found);
        let (summary, found) = program.steps(&by_phases(), |_, _| true);
        prop_assert_eq!(summary.totals.violations, 0);
        check(&program, &found);
    }

    #[test]
    fn steps_are_what_their_definition_says(actions in actions(12)) {
        let program = Program::run(&actions, &plain());
        let own = operations(&program, &Options::default());
        let partitions = crate::common::oracle::partitions(&program);
        assert_same_groups(&own, &partitions);
        prop_assert_eq!(steps(&own), crate::common::oracle::steps(&program, &partitions));
    }

    #[test]
    fn merged_partitions_have_steps_by_the_same_definition(actions in actions(14)) {
        let program = Program::run(&actions, &plain());
        let own = operations(&program, &by_phases());
        assert_same_groups(&own, &crate::common::oracle::phases(&program));
        prop_assert_eq!(steps(&own), crate::common::oracle::steps(&program, &groups(&own)));
        let plain = operations(&program, &Options::default());
        let leaps = operations(&program, &by_leaps());
        for (a, b) in (0..own.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let is_related = plain[a].partition == plain[b].partition;
            prop_assert!(!is_related || leaps[a].partition == leaps[b].partition);
        }
        prop_assert_eq!(steps(&leaps), crate::common::oracle::steps(&program, &groups(&leaps)));
    }

    #[test]
    fn lateness_is_what_its_definition_says(actions in actions(40)) {
        let program = Program::run(&actions, &plain());
        for options in [Options::default(), by_leaps(), by_phases()] {
            let (_, found) = program.steps(&options, |_, _| true);
            let own = operations(&program, &options);
            let expected = crate::common::oracle::lateness(&program, &own);
            for (event, (in_it, before_it)) in own.iter().zip(expected) {
                let side_by_side = own.iter().filter(|other| {
                    (other.partition, other.step) == (event.partition, event.step)
                });
                let first_end = side_by_side.clone().map(|it| it.end).min().unwrap();
                prop_assert_eq!(event.lateness, event.end.0 - first_end.0);
                prop_assert_eq!((event.differential_lateness, event.class), in_it);
                let first_start = side_by_side.map(|it| it.start).min().unwrap();
                let before = found.events.iter().find(|it| {
                    let place = (it.kind, it.location, it.step);
                    place == (Kind::Aggregate, event.location, event.step)
                });
                if let Some(before) = before {
                    prop_assert_eq!(before.lateness, event.start.0 - first_start.0);
                    prop_assert_eq!((before.differential_lateness, before.class), before_it);
                }
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
        let places = |found: &AllSteps| {
            let mut all: Vec<_> = found.messages.clone();
            all.sort_by_key(|it| (it.send, it.receive));
            all
        };
        for options in [Options::default(), by_leaps()] {
            let (all, whole) = program.steps(&options, |_, _| true);
            let (few, parts) = program.steps(&Options { window, ..options }, |_, _| true);
            prop_assert_eq!(all.totals, few.totals);
            let one = renumbered(&by_place(&program, &whole));
            prop_assert_eq!(one, renumbered(&by_place(&program, &parts)));
            prop_assert_eq!(places(&whole), places(&parts));
        }
    }

    #[test]
    fn cut_partitions_have_legal_steps(actions in actions(60), most in 2_usize..20) {
        let program = Program::run(&actions, &plain());
        let (whole, all) = program.steps(&Options::default(), |_, _| true);
        let options = Options { window: 1, most: Some(most), ..Options::default() };
        let (summary, found) = program.steps(&options, |_, _| true);
        check_steps(&program, &found);
        let totals = summary.totals;
        prop_assert_eq!(totals.violations, 0);
        prop_assert_eq!(totals.messages, whole.totals.messages);
        let ends = |found: &AllSteps| {
            let mut ends: Vec<_> = found.messages.iter().map(|it| (it.send, it.receive)).collect();
            ends.sort_unstable();
            ends
        };
        prop_assert_eq!(ends(&found), ends(&all));
        if totals.partitions == whole.totals.partitions {
            let one = renumbered(&by_place(&program, &all));
            prop_assert_eq!(one, renumbered(&by_place(&program, &found)));
        }
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
    fn calls_of_parts_of_the_processes_contradict_nothing(actions in actions(40)) {
        let program = Program::run(&actions, &plain());
        let (summary, found) = program.steps(&Options::default(), |rank, index| {
            !program.is_collective(rank, index)
        });
        prop_assert_eq!(summary.totals.violations, 0);
        let calls = found.events.iter().filter(|it| it.kind == Kind::Collective);
        let calls: Vec<StepEvent> = calls.copied().collect();
        // Either all that call MPI call it together, or it is none.
        let callers = program.callers();
        prop_assert!(calls.len().is_multiple_of(callers));
        for call in &calls {
            let others = calls.iter().filter(|it| it.step == call.step);
            prop_assert_eq!(others.clone().count(), callers);
            let last_start = others.clone().map(|it| it.start).max();
            prop_assert!(last_start <= others.map(|it| it.end).min());
        }
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
fn a_limit_of_memory_that_is_not_reached_changes_nothing() {
    let folder = Folder::with_store("ring-4");
    let whole = steps_of(&folder, "ring-4.fold");
    assert_eq!(steps_of(&folder, "ring-4.fold --memory 1M"), whole);
    let refused = folder.say("steps ring-4.fold --memory 999k").exits(2);
    let stderr = refused.stderr;
    assert!(stderr.contains("at least 1M is needed"), "{stderr}");
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
        let columns = columns.map(|it| foldtrace_columns::numbers(it).unwrap());
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
