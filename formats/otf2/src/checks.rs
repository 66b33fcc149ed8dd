//! Checks of the symbols of a location's events, from the first to the last.

use std::collections::HashMap;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, LocationCheck, LocationChecks, Place, Position,
    SymbolId, SymbolTable,
};

use crate::nesting::RegionNesting;
use crate::silent::SilentCalls;
use crate::undefined::{DefinedIds, UndefinedIds};

/// The definitions of an archive by which its events are checked.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// Names of regions.
    regions: HashMap<u64, String>,
    /// The ids that events may refer to.
    defined: DefinedIds,
}

impl Checks {
    pub(crate) fn new(definitions: &Definitions) -> Self {
        Self {
            regions: region_names(definitions),
            defined: DefinedIds::new(definitions),
        }
    }

    /// Begins the check of a location whose events are in `file`.
    pub(crate) fn of(&self, file: Place) -> EventCheck<'_> {
        EventCheck {
            file,
            end: None,
            undefined: UndefinedIds::new(&self.defined),
            nesting: RegionNesting::new(&self.regions),
            silent: SilentCalls::new(&self.regions),
        }
    }
}

impl LocationChecks for Checks {
    fn begin(&self, place: &Place) -> Box<dyn LocationCheck + '_> {
        Box::new(self.of(place.clone()))
    }
}

/// The check of a location.
#[derive(Debug)]
pub(crate) struct EventCheck<'a> {
    file: Place,
    /// The position after the last event.
    end: Option<Position>,
    undefined: UndefinedIds<'a>,
    nesting: RegionNesting<'a>,
    silent: SilentCalls<'a>,
}

impl EventCheck<'_> {
    /// Enters a region before the first event that is checked.
    pub(crate) fn enter(&mut self, region: u64) {
        self.nesting.enter(region);
    }

    /// Reports what is found so far and does not depend on the events that follow.
    pub(crate) fn stop(&mut self, diagnostics: &mut Diagnostics) {
        self.silent.report(&self.file, diagnostics);
    }
}

impl LocationCheck for EventCheck<'_> {
    fn check(
        &mut self,
        first: Position,
        events: &[SymbolId],
        symbols: &SymbolTable,
        diagnostics: &mut Diagnostics,
    ) {
        let file = &self.file;
        self.end = Some(Position(first.0 + events.len() as u64));
        self.undefined
            .report(first, events, symbols, file, diagnostics);
        self.nesting
            .check(first, events, symbols, file, diagnostics);
        self.silent.check(first, events, symbols);
    }

    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        let end = Place {
            position: self.end,
            ..self.file.clone()
        };
        self.nesting.report_open(end, diagnostics);
        self.stop(diagnostics);
    }
}

/// Returns the names of regions by their ids.
fn region_names(definitions: &Definitions) -> HashMap<u64, String> {
    let strings: HashMap<u64, &str> = definitions
        .records(DefinitionKind::String)
        .map(|record| (record.get(0), record.text()))
        .collect();
    definitions
        .records(DefinitionKind::Region)
        .filter_map(|record| {
            let name = strings.get(&record.field("name")?)?;
            Some((record.get(0), (*name).to_owned()))
        })
        .collect()
}
