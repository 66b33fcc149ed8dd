//! Maps states of containers to calls: pushing a state enters a call, popping it leaves the call.

use std::collections::HashMap;

use foldtrace_trace::SymbolId;

use crate::hierarchy::{ContainerId, TypeId};
use crate::places::Place;

/// The states of one type in one container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneId(u32);

#[derive(Debug)]
pub(crate) struct Lane {
    pub place: Place,
    /// The symbols that leave the open states, outermost first.
    pub open: Vec<SymbolId>,
}

/// The states of all containers.
#[derive(Debug, Default)]
pub(crate) struct States {
    lanes: Vec<Lane>,
    lane_of: HashMap<(ContainerId, TypeId), LaneId>,
    of_container: HashMap<ContainerId, Vec<LaneId>>,
}

impl States {
    pub(crate) fn find(&self, container: ContainerId, of: TypeId) -> Option<LaneId> {
        self.lane_of.get(&(container, of)).copied()
    }

    /// Returns the lanes of a container.
    pub(crate) fn of_container(&self, container: ContainerId) -> &[LaneId] {
        self.of_container.get(&container).map_or(&[], Vec::as_slice)
    }

    /// Returns whether any state of a container is open.
    pub(crate) fn is_in_any(&self, container: ContainerId) -> bool {
        let mut lanes = self.of_container(container).iter();
        lanes.any(|lane| !self.lanes[lane.0 as usize].open.is_empty())
    }

    pub(crate) fn add(&mut self, container: ContainerId, of: TypeId, place: Place) -> LaneId {
        let id = LaneId(self.lanes.len() as u32);
        self.lanes.push(Lane {
            place,
            open: Vec::new(),
        });
        self.lane_of.insert((container, of), id);
        self.of_container.entry(container).or_default().push(id);
        id
    }

    #[inline]
    pub(crate) fn lane(&mut self, id: LaneId) -> &mut Lane {
        &mut self.lanes[id.0 as usize]
    }

    /// Returns the number of open states.
    pub(crate) fn open(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.open.len() as u64).sum()
    }
}
