//! The definitions of a reader, which depend only on the number of ranks.

use foldtrace_trace::{Clock, DefinitionKind, LocationId, Minter, UNDEFINED, ValueType};

use crate::action::{ACTIONS, Effect};
use crate::clock::TICKS_PER_SECOND;

/// Name of the attribute with the words of an action, without the rank.
pub(crate) const ACTION: &str = "ti_action";
/// Name of the attribute with the amount of a `compute` action.
pub(crate) const FLOPS: &str = "ti_flops";
/// Name of the attribute with the duration of a `sleep` action.
pub(crate) const SECONDS: &str = "ti_seconds";

/// The definitions of a trace that is read, and their ids.
pub(crate) struct TraceDefinitions {
    pub minter: Minter,
    pub action: u64,
    pub flops: u64,
    pub seconds: u64,
    /// The ids of the regions of [`ACTIONS`].
    regions: Vec<u64>,
    ranks: u64,
    locations: Vec<LocationId>,
}

/// The communicator of all ranks, which is the only communicator.
pub(crate) const WORLD: u64 = 0;

impl TraceDefinitions {
    /// Defines the clock, the attributes and the calls.
    pub(crate) fn new() -> Self {
        let mut minter = Minter::default();
        minter.clock(Clock {
            ticks_per_second: TICKS_PER_SECOND,
            ..Clock::default()
        });
        let action = minter.attribute(ACTION, ValueType::String);
        let flops = minter.attribute(FLOPS, ValueType::Double);
        let seconds = minter.attribute(SECONDS, ValueType::Double);
        let regions = ACTIONS.iter().map(|action| minter.region(action.call));
        let regions = regions.collect();
        Self {
            minter,
            action,
            flops,
            seconds,
            regions,
            ranks: 0,
            locations: Vec::new(),
        }
    }

    /// Creates the definitions for the stream of one rank. They contain no shared definitions, and their ids differ
    /// from those of all other streams.
    pub(crate) fn for_rank(rank: u64, ranks: u64) -> Self {
        let mut definitions = Self::new();
        definitions.minter.take();
        // Skips the names of the ranks and of the communicator.
        definitions.minter.leave(DefinitionKind::String, ranks + 1);
        definitions.minter.take_turns(rank, ranks);
        definitions
    }

    /// Defines all ranks up to `rank`.
    pub(crate) fn define_ranks_up_to(&mut self, rank: u64) {
        while self.ranks <= rank {
            let name = format!("rank {}", self.ranks);
            let process = self.minter.process(&name);
            self.locations.push(self.minter.location(&name, process));
            self.ranks += 1;
        }
    }

    /// Defines the communicator of all ranks.
    pub(crate) fn define_world(&mut self) {
        let world = self.minter.world(&self.locations);
        debug_assert_eq!(world, WORLD);
    }

    /// Returns the region of the action with that index.
    pub(crate) fn region(&self, action: usize) -> u64 {
        self.regions.get(action).copied().unwrap_or(UNDEFINED)
    }

    /// Returns the attribute for the amount of an action, if the action has an amount.
    pub(crate) fn amount_attribute(&self, effect: Effect) -> Option<u64> {
        match effect {
            Effect::Compute => Some(self.flops),
            Effect::Sleep => Some(self.seconds),
            _ => None,
        }
    }
}
