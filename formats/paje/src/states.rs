//! Maps states of containers to calls: pushing a state enters a call, popping it leaves the call.

use std::collections::HashMap;

use foldtrace_trace::SymbolId;

use crate::hierarchy::{ContainerId, TypeId};
use crate::locations::Location;

/// The states of one type in one container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneId(u32);

/// The open states of a lane, and the location of their events.
#[derive(Debug)]
pub(crate) struct Lane {
    pub location: Location,
    /// The symbols that leave the open states, outermost first.
    pub open: Vec<SymbolId>,
}

/// The states of all containers.
#[derive(Debug, Default)]
pub(crate) struct States {
    lanes: Vec<Lane>,
    lane_by_type: HashMap<(ContainerId, TypeId), LaneId>,
    lanes_by_container: HashMap<ContainerId, Vec<LaneId>>,
}

impl States {
    pub(crate) fn find(&self, container: ContainerId, type_id: TypeId) -> Option<LaneId> {
        self.lane_by_type.get(&(container, type_id)).copied()
    }

    /// Returns the lanes of a container.
    pub(crate) fn lanes_of(&self, container: ContainerId) -> &[LaneId] {
        self.lanes_by_container
            .get(&container)
            .map_or(&[], Vec::as_slice)
    }

    /// Returns whether any state of a container is open.
    pub(crate) fn has_open_states(&self, container: ContainerId) -> bool {
        let mut lanes = self.lanes_of(container).iter();
        lanes.any(|lane| !self.lanes[lane.0 as usize].open.is_empty())
    }

    pub(crate) fn add(
        &mut self,
        container: ContainerId,
        type_id: TypeId,
        location: Location,
    ) -> LaneId {
        let id = LaneId(self.lanes.len() as u32);
        self.lanes.push(Lane {
            location,
            open: Vec::new(),
        });
        self.lane_by_type.insert((container, type_id), id);
        self.lanes_by_container
            .entry(container)
            .or_default()
            .push(id);
        id
    }

    #[inline]
    pub(crate) fn lane(&mut self, id: LaneId) -> &mut Lane {
        &mut self.lanes[id.0 as usize]
    }

    /// Returns the number of open states.
    pub(crate) fn count_open(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.open.len() as u64).sum()
    }
}
