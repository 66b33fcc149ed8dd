//! Finds the wait states of random programs, whose waiting times are known from their execution.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

use foldtrace_analysis_testing::{Execution, Operation, Reason, Stored, operation};
use foldtrace_clock::Correction;
use foldtrace_store::ShardId;
use foldtrace_stream::read::Progress;
use foldtrace_trace::LocationId;
use foldtrace_waits::{
    Class, Found, Options, PathIndex, ShardRequest, Shards, WaitState, find, to_shard,
};
use proptest::prelude::*;

/// Finds the wait states of a text trace.
fn found(text: String) -> (Found, Vec<WaitState>) {
    let store = Stored::new(text);
    found_in(&store, None)
}

/// Finds the wait states of a store. Each stage has at least `stage_events` events.
fn found_in(store: &Stored, stage_events: Option<u64>) -> (Found, Vec<WaitState>) {
    let (correction, progress) = (Correction::default(), Progress::default());
    let options = Options {
        stage_events,
        ..Options::default()
    };
    let mut waits = Vec::new();
    let found = find(store, &correction, options, &progress, &mut waits).unwrap();
    (found, waits)
}

/// Returns the regions of a call path, the innermost first.
fn names_of(found: &Found, path: PathIndex) -> Vec<&str> {
    let mut names = Vec::new();
    let mut path = &found.summary.paths[path.0 as usize];
    while let Some(region) = path.region {
        names.push(&*found.regions.regions()[region.0 as usize].name);
        path = &found.summary.paths[path.caller.0 as usize];
    }
    names
}

/// Returns the ticks that work causes, by its location and call path.
fn causes_of(found: &Found) -> BTreeMap<(LocationId, Vec<&str>), f64> {
    let causes = found.summary.causes.iter();
    let causes = causes.map(|it| ((it.location, names_of(found, it.path)), it.ticks));
    causes.collect()
}

/// Returns the waiting times by location and position; a late sender in the wrong order is a late sender.
fn by_call(waits: &[WaitState]) -> BTreeMap<(usize, usize), (Reason, u64)> {
    let of_call = |wait: &WaitState| {
        let class = match wait.class {
            Class::WrongOrder => Class::LateSender,
            class => class,
        };
        let call = (wait.location.0 as usize, wait.position.0 as usize);
        (call, (class.name(), wait.ticks))
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
    fn waiting_and_its_causes_do_not_depend_on_stages(
        processes in 2_usize..6,
        operations in prop::collection::vec(operation(), 1..120),
        has_collectives: bool,
        stage_events in 1_u64..60,
    ) {
        let execution = Execution::new(processes, &operations, has_collectives);
        let store = Stored::new(execution.text());
        let (whole, mut waits) = found_in(&store, None);
        let (staged, mut in_stages) = found_in(&store, Some(stage_events));
        waits.sort_by_key(|wait| (wait.location, wait.position));
        in_stages.sort_by_key(|wait| (wait.location, wait.position));
        prop_assert_eq!(waits.len(), in_stages.len());
        for (one, other) in waits.iter().zip(&in_stages) {
            let renamed = WaitState { path: one.path, cause_path: one.cause_path, ..*other };
            prop_assert_eq!(*one, renamed);
            prop_assert_eq!(names_of(&whole, one.path), names_of(&staged, other.path));
            prop_assert_eq!(names_of(&whole, one.cause_path), names_of(&staged, other.cause_path));
        }
        prop_assert_eq!(whole.summary.total, staged.summary.total);
        prop_assert_eq!(whole.summary.classes(), staged.summary.classes());
        let (causes, in_stages) = (causes_of(&whole), causes_of(&staged));
        prop_assert!(causes.keys().eq(in_stages.keys()));
        for (one, other) in causes.values().zip(in_stages.values()) {
            prop_assert!((one - other).abs() <= one * 1e-9, "{one} or {other}");
        }
    }

    #[test]
    fn several_tasks_find_what_one_finds(
        processes in 2_usize..6,
        operations in prop::collection::vec(operation(), 1..120),
        stage_events in 1_u64..60,
        tasks in 1_u32..5,
    ) {
        let execution = Execution::new(processes, &operations, true);
        let store = Stored::new(execution.text());
        let (found, waits) = found_in(&store, Some(stage_events));
        let (correction, progress) = (Correction::default(), Progress::default());
        let options = Options { stage_events: Some(stage_events), ..Options::default() };
        let request = ShardRequest { options, has_waits: true };
        for task in (0..tasks).rev() {
            let shard = ShardId::new(task, tasks).unwrap();
            let write = || to_shard(&store, &correction, request, shard, false, &progress).unwrap();
            prop_assert!(write());
            prop_assert!(!write(), "it is there already");
        }
        let mut joined_waits = Vec::new();
        let shards = Shards::open(&store).unwrap();
        let joined = shards.join(&store, &correction, options, &mut joined_waits).unwrap();
        prop_assert_eq!(joined.summary, found.summary);
        prop_assert_eq!(joined.diagnostics, found.diagnostics);
        prop_assert_eq!(joined_waits, waits);
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
