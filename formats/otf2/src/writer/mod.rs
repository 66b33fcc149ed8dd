//! Writes archives.
//!
//! Each location has a file of its own, so that locations can be written in parallel. The common files are written at
//! the end, when the numbers of events are known.

mod definitions;
mod events;
mod output;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, EventBatch, LocationId, LocationWriter,
    LocationWriters, Place, Severity, SymbolTable, TraceError, TraceWriter,
};

use crate::anchor::Anchor;
use definitions::{global, local, optional_parts, unknown};
use events::{EventFile, Written};
use output::Partial;

/// Maximum number of bytes collected for all locations together if their batches are interleaved, by default.
const MOST_COLLECTED: usize = 1 << 26;

/// An archive that is being written.
pub(crate) struct Writer {
    partial: Partial,
    pub(crate) anchor: Anchor,
    definitions: Definitions,
    /// Locations whose batches are interleaved.
    open: BTreeMap<LocationId, EventFile>,
    /// The number of bytes that wait in `open`, and its limit.
    waiting: usize,
    most: usize,
    /// Completed locations.
    written: Mutex<BTreeMap<LocationId, Written>>,
}

impl Writer {
    /// Creates an archive at `path`, which is its anchor or the folder that will contain it.
    pub(crate) fn create(path: &Path, replace: bool) -> Result<Self, TraceError> {
        Ok(Self {
            partial: Partial::new(path, replace)?,
            anchor: Anchor::default(),
            definitions: Definitions::default(),
            open: BTreeMap::new(),
            waiting: 0,
            most: MOST_COLLECTED,
            written: Mutex::default(),
        })
    }

    fn begin(&self, location: LocationId) -> EventFile {
        let path = self.partial.paths.events(location.0);
        EventFile::new(location, path, self.anchor.event_chunk)
    }
}

impl TraceWriter for Writer {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.definitions.append(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.definitions.append(&batch.definitions);
        if batch.is_empty() {
            return Ok(());
        }
        let known = self.open.remove(&batch.location);
        let before = known.as_ref().map_or(0, EventFile::waiting);
        let mut file = known.unwrap_or_else(|| self.begin(batch.location));
        file.write(batch, symbols)?;
        self.waiting = self.waiting - before + file.waiting();
        self.open.insert(batch.location, file);
        if self.waiting > self.most {
            self.open.values_mut().try_for_each(EventFile::send)?;
            self.waiting = 0;
        }
        Ok(())
    }

    fn collect_at_most(&mut self, bytes: u64) {
        self.most = usize::try_from(bytes)
            .unwrap_or(usize::MAX)
            .min(MOST_COLLECTED);
    }

    fn locations(&self) -> Option<&dyn LocationWriters> {
        Some(self)
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        for (_, file) in std::mem::take(&mut self.open) {
            Location {
                file,
                writer: &self,
            }
            .complete()?;
        }
        let written = self
            .written
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let written = std::mem::take(written);
        let mut locations: BTreeSet<LocationId> = written.keys().copied().collect();
        let defined = self.definitions.records(DefinitionKind::Location);
        locations.extend(defined.map(|record| LocationId(record.get(0))));
        for &location in &locations {
            if !written.contains_key(&location) {
                self.begin(location).finish()?;
            }
        }
        let paths = &self.partial.paths;
        local(paths, &mut self.anchor, &self.definitions, &locations)?;
        optional_parts(paths, &mut self.anchor, &self.definitions, &locations)?;
        global(paths, &mut self.anchor, &self.definitions, &written)?;
        let anchor = fs::write(&paths.anchor, self.anchor.write());
        anchor.map_err(|error| TraceError::unwritable(&paths.anchor, error))?;
        let diagnostics = dropped(&self.definitions, &written);
        self.partial.complete()?;
        Ok(diagnostics)
    }
}

/// Returns diagnostics for the content that is not in the archive.
fn dropped(definitions: &Definitions, written: &BTreeMap<LocationId, Written>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut lost = |count: u64, content: &str, place: Place| {
        if count > 0 {
            let message = format!("left out {content}: {count}");
            let loss = Diagnostic::new(Severity::Loss, "otf2.left_out", message);
            diagnostics.report(loss.at(place));
        }
    };
    for (&location, written) in written {
        let place = Place::default().location(location);
        let content = "events of a kind that OTF2 has no record for";
        lost(written.left_out, content, place.clone());
        let content = "program arguments of events other than program_begin";
        lost(written.arguments, content, place);
    }
    let texts = definitions
        .in_order()
        .into_iter()
        .map(|record| record.text());
    let ended = texts.filter(|text| text.contains('\0')).count() as u64;
    let content = "ends of texts, after a zero character";
    lost(ended, content, Place::default());
    let content = "records of locations of a type that OTF2 does not have";
    lost(unknown(definitions), content, Place::default());
    let applied = [DefinitionKind::MappingTable, DefinitionKind::ClockOffset];
    let applied: usize = applied
        .iter()
        .map(|&kind| definitions.table(kind).len())
        .sum();
    if applied > 0 {
        let message = format!(
            "mapping tables and clock offsets that are already applied to the events and \
             therefore not written: {applied}"
        );
        let note = Diagnostic::new(Severity::Note, "otf2.applied_definition", message);
        diagnostics.report(note);
    }
    diagnostics
}

impl LocationWriters for Writer {
    fn begin(&self, location: LocationId) -> Result<Box<dyn LocationWriter + '_>, TraceError> {
        let file = Self::begin(self, location);
        Ok(Box::new(Location { file, writer: self }))
    }
}

/// A location that is written in parallel with others.
struct Location<'a> {
    file: EventFile,
    writer: &'a Writer,
}

impl Location<'_> {
    fn complete(self) -> Result<(), TraceError> {
        let (location, written) = self.file.finish()?;
        let all = &self.writer.written;
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(location, written);
        Ok(())
    }
}

impl LocationWriter for Location<'_> {
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.file.write(batch, symbols)?;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), TraceError> {
        self.complete()
    }
}
