//! Finds the critical path of random programs, and executes them again with less work: only work on the path counts.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use foldtrace_analysis_testing::{Execution, Operation, Stored, Work, operation};
use foldtrace_clock::Correction;
use foldtrace_critical::{Critical, Segment, find};
use foldtrace_stream::read::Progress;
use proptest::prelude::*;

/// Finds the critical path of a text trace.
fn found(text: String) -> (Critical, Vec<Segment>) {
    let (store, correction) = (Stored::new(text), Correction::default());
    let mut segments = Vec::new();
    let critical = find(&store, &correction, &Progress::default(), &mut segments);
    (critical.unwrap(), segments)
}

/// Returns whether work is on the path; none is so in part.
fn is_on_path(work: &Work, segments: &[Segment]) -> bool {
    segments.iter().any(|segment| {
        segment.location.0 == work.process as u64
            && segment.begin.0 <= work.begin
            && work.end <= segment.end.0
    })
}

/// Returns random operations whose work takes times that nobody adds up to the same sum twice.
fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let one = (operation(), 2_u64..1 << 40).prop_map(|(mut operation, ticks)| {
        if let Some(work) = operation.work_mut() {
            *work = ticks;
        }
        operation
    });
    prop::collection::vec(one, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn only_work_on_the_path_makes_a_program_shorter(
        processes in 2_usize..6,
        operations in operations(),
    ) {
        let execution = Execution::new(processes, &operations, true);
        let (critical, segments) = found(execution.text());
        prop_assert_eq!(critical.length, execution.makespan());
        let mut works = execution.works.iter();
        for (index, operation) in operations.iter().enumerate() {
            let mut shorter = operation.clone();
            let Some(work) = shorter.work_mut() else { continue };
            *work -= 1;
            let mut changed = operations.clone();
            changed[index] = shorter;
            let saved = execution.makespan() - Execution::new(processes, &changed, true).makespan();
            let work = works.next().unwrap();
            prop_assert_eq!(saved, u64::from(is_on_path(work, &segments)), "{:?}", work);
        }
    }

    #[test]
    fn segments_follow_each_other_and_are_all_in_the_sums(
        processes in 2_usize..6,
        operations in operations(),
    ) {
        let (critical, segments) = found(Execution::new(processes, &operations, true).text());
        for pair in segments.windows(2) {
            prop_assert_eq!(pair[0].begin, pair[1].end);
            prop_assert_eq!(pair[0].waited.is_some(), pair[1].released.is_some());
        }
        prop_assert_eq!(critical.segments, segments.len() as u64);
        let length: u64 = segments.iter().map(Segment::ticks).sum();
        prop_assert_eq!(length, critical.length);
        let of_regions: u64 = critical.regions.iter().map(|it| it.ticks).sum();
        prop_assert_eq!(of_regions, length);
        for process in &critical.processes {
            let own = segments.iter().filter(|it| it.location == process.location);
            prop_assert_eq!(own.map(Segment::ticks).sum::<u64>(), process.ticks);
        }
    }
}
