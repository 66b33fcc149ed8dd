//! Finds the steps of random programs in stages of a few events, and in one piece.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use foldtrace_analysis_testing::{Execution, Stored, operation};
use foldtrace_clock::Correction;
use foldtrace_steps::{
    Options, Origin, ShardRequest, Shards, Sink, StepEvent, StepMessage, Summary, find, to_shard,
};
use foldtrace_store::ShardId;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, TraceError};
use proptest::prelude::*;

/// Everything that is found, in an order that does not depend on the numbers of partitions, which are left out.
#[derive(Debug, Default)]
struct Found {
    events: Vec<StepEvent>,
    messages: Vec<StepMessage>,
    summary: Summary,
    diagnostics: Diagnostics,
}

impl Sink for Found {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.events.push(unnumbered(event));
        Ok(())
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.messages.push(*message);
        Ok(())
    }
}

impl Found {
    fn new(store: &Stored, options: &Options) -> Self {
        let (correction, progress) = (Correction::default(), Progress::default());
        let mut found = Self::default();
        let (summary, diagnostics) =
            find(store, &correction, options, &progress, &mut found).unwrap();
        found.summary = summary;
        found.diagnostics = diagnostics;
        let Summary {
            origins,
            in_operations,
            ..
        } = &mut found.summary;
        for origin in origins.iter_mut().chain(in_operations) {
            origin.event = unnumbered(&origin.event);
        }
        found
            .events
            .sort_by_key(|event| (event.location, event.position, event.kind));
        found
            .messages
            .sort_by_key(|message| (message.receive, message.send));
        found
    }
}

/// All events and messages.
#[derive(Default)]
struct All(Vec<StepEvent>, Vec<StepMessage>);

impl Sink for All {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.0.push(*event);
        Ok(())
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.1.push(*message);
        Ok(())
    }
}

fn unnumbered(event: &StepEvent) -> StepEvent {
    StepEvent {
        partition: 0,
        ..*event
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn steps_and_lateness_do_not_depend_on_stages(
        processes in 2_usize..6,
        operations in prop::collection::vec(operation(), 1..120),
        has_collectives: bool,
        stage_events in 1_u64..60,
    ) {
        let execution = Execution::new(processes, &operations, has_collectives);
        let store = Stored::new(execution.text());
        let whole = Found::new(&store, &Options::default());
        let staged = Found::new(&store, &Options {
            stage_events: Some(stage_events),
            window: 4,
            ..Options::default()
        });
        prop_assert_eq!(&staged.events, &whole.events);
        prop_assert_eq!(staged.messages, whole.messages);
        prop_assert_eq!(staged.summary.totals, whole.summary.totals);
        prop_assert_eq!(staged.diagnostics, whole.diagnostics);
        let effects = |origin: &Origin| {
            (origin.event, origin.call, origin.late_events, origin.late_locations, origin.largest)
        };
        let both = [
            (&staged.summary.origins, &whole.summary.origins),
            (&staged.summary.in_operations, &whole.summary.in_operations),
        ];
        for (staged, whole) in both {
            let staged: Vec<_> = staged.iter().map(effects).collect();
            let whole: Vec<_> = whole.iter().map(effects).collect();
            prop_assert_eq!(staged, whole);
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
        let options = Options { stage_events: Some(stage_events), ..Options::default() };
        let (correction, progress) = (Correction::default(), Progress::default());
        let mut one = All::default();
        let found = find(&store, &correction, &options, &progress, &mut one).unwrap();
        let request = ShardRequest { options: &options, has_events: true };
        for task in (0..tasks).rev() {
            let shard = ShardId::new(task, tasks).unwrap();
            let write = || to_shard(&store, &correction, request, shard, false, &progress).unwrap();
            prop_assert!(write());
            prop_assert!(!write(), "it is there already");
        }
        let mut many = All::default();
        let joined = Shards::open(&store).unwrap().join(options.origins, &mut many).unwrap();
        prop_assert_eq!(joined, found);
        prop_assert_eq!(many.0, one.0);
        prop_assert_eq!(many.1, one.1);
    }
}
