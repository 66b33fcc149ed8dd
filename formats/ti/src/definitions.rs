//! What a reader defines before it knows more than the number of ranks.

use foldtrace_trace::{Clock, DefinitionKind, LocationId, Minter, UNDEFINED, ValueType};

use crate::action::{ACTIONS, Meaning};
use crate::clock::TICKS_PER_SECOND;

/// Attribute with the words of an action, without the rank.
pub(crate) const ACTION: &str = "ti_action";
/// Attribute with the amount of a `compute`.
pub(crate) const FLOPS: &str = "ti_flops";
/// Attribute with the length of a `sleep`.
pub(crate) const SECONDS: &str = "ti_seconds";

/// Gives ids to what a trace names.
pub(crate) struct Known {
    pub minter: Minter,
    pub action: u64,
    pub flops: u64,
    pub seconds: u64,
    /// Ids of the regions of [`ACTIONS`].
    regions: Vec<u64>,
    ranks: u64,
    locations: Vec<LocationId>,
}

/// The communicator of all ranks. There is no other one.
pub(crate) const WORLD: u64 = 0;

impl Known {
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

    /// The same for the stream of one rank, which defines nothing that all have in common and gives
    /// out ids that no other stream gives.
    pub(crate) fn of_rank(rank: u64, ranks: u64) -> Self {
        let mut known = Self::new();
        known.minter.take();
        // The names of the ranks and of the world.
        known.minter.leave(DefinitionKind::String, ranks + 1);
        known.minter.take_turns(rank, ranks);
        known
    }

    /// Defines all ranks up to this one.
    pub(crate) fn rank(&mut self, rank: u64) {
        while self.ranks <= rank {
            let name = format!("rank {}", self.ranks);
            let process = self.minter.process(&name);
            self.locations.push(self.minter.location(&name, process));
            self.ranks += 1;
        }
    }

    /// Defines the communicator of all ranks.
    pub(crate) fn world(&mut self) {
        let world = self.minter.world(&self.locations);
        debug_assert_eq!(world, WORLD);
    }

    /// The region of the action with that number.
    pub(crate) fn region(&self, action: usize) -> u64 {
        self.regions.get(action).copied().unwrap_or(UNDEFINED)
    }

    /// The attribute that carries the amount of an action, if it is an amount.
    pub(crate) fn amount(&self, meaning: Meaning) -> Option<u64> {
        match meaning {
            Meaning::Compute => Some(self.flops),
            Meaning::Sleep => Some(self.seconds),
            _ => None,
        }
    }
}
