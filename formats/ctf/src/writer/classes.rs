//! The classes of the events that were written, and the ids that need a label.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;
use foldtrace_trace::{DefinitionKind, EventKind};

use crate::ours::layout::Layout;

/// What the numbers of a field name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    /// Definitions.
    Definition(DefinitionKind),
    /// Collective operations.
    Operation,
    /// Processes, by rank.
    Process,
}

/// The ids that occurred, by what they name.
pub(super) type Used = BTreeMap<Named, BTreeSet<u64>>;

/// The classes of a trace. Locations that are written in parallel share them.
#[derive(Debug, Default)]
pub(super) struct Classes {
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    ids: HashMap<Layout, u32, FixedState>,
    layouts: Vec<Layout>,
    used: Used,
}

impl Classes {
    /// Returns the id of a class.
    fn id(&self, layout: &Layout) -> u32 {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = shared.ids.get(layout) {
            return id;
        }
        let id = shared.layouts.len() as u32;
        shared.layouts.push(layout.clone());
        shared.ids.insert(layout.clone(), id);
        id
    }

    /// Adds ids that occurred in a location.
    pub(super) fn add_used(&self, used: Used) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for (named, ids) in used {
            // A location has few of all ids; `append` would go through all of them.
            shared.used.entry(named).or_default().extend(ids);
        }
    }

    /// Returns all classes, by their ids, and all ids that occurred.
    pub(super) fn into_parts(self) -> (Vec<Layout>, Used) {
        let shared = self.shared.into_inner();
        let shared = shared.unwrap_or_else(PoisonError::into_inner);
        (shared.layouts, shared.used)
    }
}

/// The classes that a location has met.
#[derive(Debug)]
pub(super) struct Known {
    /// The classes of events without values of a metric and attributes, by kind and width.
    plain: [[Option<u32>; 2]; EventKind::COUNT],
    others: HashMap<Layout, u32, FixedState>,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            plain: [[None; 2]; EventKind::COUNT],
            others: HashMap::default(),
        }
    }
}

impl Known {
    /// Returns the id of the class of an event without values of a metric and attributes, whose time does not decrease.
    #[inline]
    pub(super) fn plain(&mut self, kind: EventKind, is_wide: bool, classes: &Classes) -> u32 {
        let known = &mut self.plain[kind as usize][usize::from(is_wide)];
        *known.get_or_insert_with(|| classes.id(&Layout::plain(kind, is_wide)))
    }

    /// Returns the id of any class.
    pub(super) fn other(&mut self, layout: &Layout, classes: &Classes) -> u32 {
        if let Some(&id) = self.others.get(layout) {
            return id;
        }
        let id = classes.id(layout);
        self.others.insert(layout.clone(), id);
        id
    }
}
