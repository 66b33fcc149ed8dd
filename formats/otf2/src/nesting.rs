//! Checks whether regions are left in the order in which they were entered.

use std::collections::HashMap;

use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, Place, Position, Severity, SymbolId, SymbolTable,
};

use crate::errors::counted;

/// Maximum number of open regions that are searched for one that is not the innermost. Without this limit, a trace in
/// which some regions are only entered and others only left would take quadratic time. No program that ends is in
/// that many regions at once.
const SEARCHED: usize = 1000;

/// The meaning of an event for this check.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Nothing,
    Enter(u64),
    Leave(u64),
}

/// A check of the nesting of one location's regions.
#[derive(Debug)]
pub(crate) struct RegionNesting<'a> {
    regions: &'a HashMap<u64, String>,
    /// The meaning of each symbol.
    meanings: Vec<Meaning>,
    nesting: Nesting,
}

impl<'a> RegionNesting<'a> {
    /// Creates a check for a location whose regions have the names `regions`.
    pub(crate) fn new(regions: &'a HashMap<u64, String>) -> Self {
        Self {
            regions,
            meanings: Vec::new(),
            nesting: Nesting::default(),
        }
    }

    /// Enters a region before the first event that is checked.
    pub(crate) fn enter(&mut self, region: u64) {
        self.nesting.enter(region);
    }

    /// Checks the events from position `first` on, which follow those checked before. `file` is the file of the location.
    pub(crate) fn check(
        &mut self,
        first: Position,
        events: &[SymbolId],
        symbols: &SymbolTable,
        file: &Place,
        diagnostics: &mut Diagnostics,
    ) {
        for (_, symbol) in symbols.iter_from(self.meanings.len()) {
            let region = symbol.operands[0];
            self.meanings.push(match symbol.kind {
                EventKind::Enter => Meaning::Enter(region),
                EventKind::Leave => Meaning::Leave(region),
                _ => Meaning::Nothing,
            });
        }
        for (position, &symbol) in (first.0..).zip(events) {
            match self.meanings[symbol.row()] {
                Meaning::Nothing => {}
                Meaning::Enter(region) => self.nesting.enter(region),
                Meaning::Leave(region) => {
                    let order = self.nesting.leave(region);
                    if order != LeaveOrder::InOrder {
                        let place = Place {
                            position: Some(Position(position)),
                            ..file.clone()
                        };
                        diagnostics.report(self.misnested(region, order).at(place));
                    }
                }
            }
        }
    }

    #[cold]
    fn misnested(&self, region: u64, order: LeaveOrder) -> Diagnostic {
        let name = self.name(region);
        let message = match order {
            LeaveOrder::Outer(inner) if self.is_end_by_eztrace(region, inner) => {
                let message =
                    "region 'Working' is left within region 'EZTrace finalize', as EZTrace does it";
                return Diagnostic::new(Severity::Note, "otf2.eztrace_finalize", message);
            }
            LeaveOrder::Outer(inner) => {
                format!("region {name} is left within region {}", self.name(inner))
            }
            LeaveOrder::InOrder | LeaveOrder::NeverEntered => {
                format!("region {name} is left but was not entered")
            }
        };
        Diagnostic::new(Severity::Warning, "otf2.misnested_region", message)
    }

    /// Returns whether `region` is left within `inner` as EZTrace does it at the end of each process but the
    /// first one.
    fn is_end_by_eztrace(&self, region: u64, inner: u64) -> bool {
        let is = |id, name| self.regions.get(&id).is_some_and(|region| region == name);
        is(region, "Working") && is(inner, "EZTrace finalize")
    }

    /// Returns the quoted name of a region for messages, or its id if it has no name.
    fn name(&self, id: u64) -> String {
        match self.regions.get(&id) {
            Some(name) => format!("'{name}'"),
            None => format!("{id}"),
        }
    }

    /// Reports the regions that are never left. `end` is the place after the last event.
    pub(crate) fn report_open(&self, end: Place, diagnostics: &mut Diagnostics) {
        let open = self.nesting.open();
        if let [.., innermost] = open {
            let message = format!(
                "{} never left; the innermost is region {}",
                counted(open.len() as u64, "region"),
                self.name(*innermost),
            );
            let case = Diagnostic::new(Severity::Warning, "otf2.unclosed_region", message);
            diagnostics.report(case.at(end));
        }
    }
}

/// The open regions of a location.
#[derive(Debug, Default)]
struct Nesting {
    stack: Vec<u64>,
}

/// The position of a region among the open regions when it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeaveOrder {
    /// It was the innermost region.
    InOrder,
    /// It was open, but this region, the innermost one, is still open within it.
    Outer(u64),
    /// It was not entered, or it is not among the innermost regions.
    NeverEntered,
}

impl Nesting {
    /// Enters a region.
    #[inline(always)]
    fn enter(&mut self, region: u64) {
        self.stack.push(region);
    }

    /// Leaves a region.
    #[inline(always)]
    fn leave(&mut self, region: u64) -> LeaveOrder {
        if self.stack.last() == Some(&region) {
            self.stack.pop();
            return LeaveOrder::InOrder;
        }
        self.leave_outer(region)
    }

    #[cold]
    fn leave_outer(&mut self, region: u64) -> LeaveOrder {
        let Some(&inner) = self.stack.last() else {
            return LeaveOrder::NeverEntered;
        };
        let beyond = self.stack.len().saturating_sub(SEARCHED);
        let searched = self.stack.get(beyond..).unwrap_or_default();
        let Some(depth) = searched.iter().rposition(|&entered| entered == region) else {
            return LeaveOrder::NeverEntered;
        };
        // Only this region is removed: the regions within it may be left later, and then in order.
        self.stack.remove(beyond + depth);
        LeaveOrder::Outer(inner)
    }

    /// Returns the open regions, outermost first.
    fn open(&self) -> &[u64] {
        &self.stack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_left_too_early_does_not_blame_those_within_it() {
        let mut nesting = Nesting::default();
        nesting.enter(1);
        nesting.enter(2);
        assert_eq!(nesting.leave(1), LeaveOrder::Outer(2));
        assert_eq!(nesting.leave(2), LeaveOrder::InOrder);
        assert_eq!(nesting.leave(2), LeaveOrder::NeverEntered);
        nesting.enter(3);
        assert_eq!(nesting.leave(4), LeaveOrder::NeverEntered);
        assert_eq!(nesting.open(), [3]);
    }

    #[test]
    fn regions_that_are_only_entered_cost_no_more_than_others() {
        let mut nesting = Nesting::default();
        (0..1_000_000).for_each(|region| nesting.enter(region));
        for _ in 0..10_000 {
            assert_eq!(nesting.leave(5), LeaveOrder::NeverEntered);
        }
        assert_eq!(nesting.leave(999_000), LeaveOrder::Outer(999_999));
        assert_eq!(nesting.leave(999_999), LeaveOrder::InOrder);
        assert_eq!(nesting.open().len(), 999_998);
    }
}
