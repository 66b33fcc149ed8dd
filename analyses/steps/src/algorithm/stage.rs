//! Joins the steps of the stages of a run.
//!
//! A stage numbers its steps and partitions from the operation with which it begins. Lateness goes on through that operation, so that
//! the origin of what a location carries into a stage is only known when the stages before it are.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{Diagnostic, Diagnostics, LocationId, Severity, TraceError};
use serde::{Deserialize, Serialize};

use super::origins::{Carried, KeptOrigin, OriginId, Origins};
use super::totals::Totals;
use super::{Hop, Sink, StepEvent, StepMessage, Summary};

/// The steps of a stage.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StageSteps {
    pub(super) totals: Totals,
    /// The origins of lateness that it has kept.
    pub(super) origins: Vec<KeptOrigin>,
    /// The effects of the lateness that each location carries into it.
    pub(super) carried: HashMap<LocationId, Carried, FixedState>,
    /// The origin of the lateness of each location at its end.
    pub(super) ends: Vec<(LocationId, Option<OriginId>)>,
    /// Problems with messages and collective operations.
    pub(super) diagnostics: Diagnostics,
}

/// The number of the first step of a stage, and of its first partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offset {
    step: u64,
    partition: u64,
}

/// An event or a message of a stage.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Item {
    Event(StepEvent),
    Message(StepMessage),
}

impl Offset {
    /// Passes an event or a message of the stage on, as one of the run.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn pass_on(self, item: &Item, sink: &mut impl Sink) -> Result<(), TraceError> {
        match *item {
            Item::Event(event) => sink.event(&self.event(event)),
            Item::Message(message) => sink.message(&self.message(message)),
        }
    }

    /// Returns an event of the stage as an event of the run.
    fn event(self, event: StepEvent) -> StepEvent {
        StepEvent {
            step: event.step + self.step,
            partition: event.partition + self.partition,
            ..event
        }
    }

    /// Returns a message of the stage as a message of the run.
    fn message(self, message: StepMessage) -> StepMessage {
        StepMessage {
            send_step: message.send_step + self.step,
            receive_step: message.receive_step + self.step,
            ..message
        }
    }
}

/// The steps of the stages that were added, in the order of the run.
#[derive(Debug)]
pub(crate) struct RunSteps {
    totals: Totals,
    origins: Origins,
    /// The origin of the lateness of each location.
    current: HashMap<LocationId, OriginId, FixedState>,
    diagnostics: Diagnostics,
    /// The number of stages.
    stages: u64,
}

impl RunSteps {
    /// Begins a run. Of its origins of lateness, at most `origins` of each ranking are kept.
    pub fn new(origins: usize) -> Self {
        Self {
            totals: Totals::default(),
            origins: Origins::new(origins),
            current: HashMap::default(),
            diagnostics: Diagnostics::default(),
            stages: 0,
        }
    }

    /// Adds the next stage. Returns where it begins.
    pub fn add(&mut self, stage: StageSteps) -> Offset {
        let offset = Offset {
            // Its first step is the last one of the stage before.
            step: self.totals.steps.saturating_sub(u64::from(self.stages > 0)),
            partition: self.totals.partitions,
        };
        self.stages += 1;
        let origin = |location| self.current.get(&location).copied();
        self.origins
            .reach_stage(&stage.carried, origin, offset.step);
        let mut ids: HashMap<OriginId, OriginId, FixedState> = HashMap::default();
        for (id, mut origin, reached) in stage.origins {
            origin.event = offset.event(origin.event);
            for hop in &mut origin.path {
                *hop = Hop {
                    step: hop.step + offset.step,
                    ..*hop
                };
            }
            let kept = self.origins.keep(origin, reached);
            ids.extend(kept.map(|kept| (id, kept)));
        }
        let ends = stage.ends.into_iter().filter_map(|(location, id)| {
            let id = match id? {
                OriginId::Carried(from) => self.current.get(&from),
                own @ OriginId::Own(_) => ids.get(&own),
            };
            Some((location, *id?))
        });
        self.current = ends.collect();
        self.totals.add(&stage.totals, offset.step);
        self.diagnostics.merge(stage.diagnostics);
        offset
    }

    /// Ends the run. Returns its summary, and problems with messages and collective operations.
    pub fn finish(mut self) -> (Summary, Diagnostics) {
        let messages = self.totals.cut_messages;
        if messages > 0 {
            let message =
                format!("partitions were cut at {messages} messages, to need less memory");
            let diagnostic = Diagnostic::new(Severity::Note, "steps.cut", message);
            self.diagnostics.report(diagnostic);
        }
        let [origins, in_operations] = self.origins.finish();
        let summary = Summary {
            totals: self.totals,
            origins,
            in_operations,
        };
        (summary, self.diagnostics)
    }
}
