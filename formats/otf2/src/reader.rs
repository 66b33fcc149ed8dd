//! An open archive: its definitions, and a stream a location.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, ErrorKind, EventStream, LocationId,
    Place, ReadOptions, Severity, StreamInfo, TraceError, TraceReader, UNDEFINED,
};
use otf2_sys::safe::{Anchor, Archive};

use crate::anchor::{Paths, is_anchor};
use crate::definitions::{Collector, LocalCollector, anchor_properties};
use crate::errors::{self, SALVAGE};
use crate::layout::{self, Damage, Records};
use crate::stream::{Stream, empty};

/// Size of a file of definitions without any: its header and the two marks of its end.
const EMPTY_DEFINITIONS: u64 = 20;

/// Bytes by which an anchor is known.
const ANCHOR_HEAD: u64 = 64;

/// An open archive.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) paths: Paths,
    pub(crate) anchor: Anchor,
    /// Names of regions, for messages.
    pub(crate) regions: HashMap<u64, String>,
    definitions: Definitions,
    diagnostics: Diagnostics,
    streams: Vec<StreamInfo>,
    locations: Vec<Location>,
}

/// What is known of a location before its events are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) id: u64,
    /// How many events the definition promises.
    pub(crate) events: u64,
    /// How many definitions there are to apply.
    pub(crate) local_definitions: u64,
}

impl Reader {
    /// Opens the archive at `path`, reads its anchor and all definitions.
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self, TraceError> {
        let paths = Paths::find(path)?;
        let mut archive = open_archive(&paths)?;
        let anchor = archive
            .anchor()
            .map_err(|error| damaged_anchor(&paths).caused_by(error))?;
        let mut reader = Self {
            paths,
            anchor,
            regions: HashMap::new(),
            definitions: Definitions::default(),
            diagnostics: Diagnostics::default(),
            streams: Vec::new(),
            locations: Vec::new(),
        };
        anchor_properties(&reader.anchor, &mut reader.definitions);
        reader.global_definitions(&mut archive, options)?;
        reader.find_locations();
        reader.local_definitions(&mut archive, options)?;
        reader.regions = region_names(&reader.definitions);
        Ok(reader)
    }

    fn global_definitions(
        &mut self,
        archive: &mut Archive,
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let file = self.paths.definitions();
        errors::readable(&file).map_err(|error| {
            error.hint("an OTF2 archive is the anchor, this file and a folder of the same name")
        })?;
        let (whole, damage) = self.whole_definitions(&file)?;
        let mut collector = Collector::new(&file, &mut self.definitions, &mut self.diagnostics);
        // A file without a single whole record may be too short for the library to open.
        let result = match whole {
            0 => Ok(0),
            _ => archive.global_definitions(whole, &mut collector),
        };
        let records = collector.records;
        collector.finish();
        let expected = self.anchor.global_definitions;
        let message = format!("the definitions end after {records} records of {expected}");
        let error = match (damage, result) {
            (_, Err(error)) => errors::library(error, message, Place::file(&file)),
            (Some(damage), Ok(_)) if records < expected => {
                errors::damaged(damage, message, Place::file(&file))
            }
            (None, Ok(_)) if records < expected => {
                TraceError::new(ErrorKind::Malformed, message).at(Place::file(&file))
            }
            // All are there, though the end of the file may be missing.
            _ => return Ok(()),
        };
        if options.salvage && records > 0 {
            let message = format!("{}; those are kept", error.message);
            self.diagnostics.report(
                Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message)
                    .at(*error.place),
            );
            return Ok(());
        }
        Err(error.hint(SALVAGE))
    }

    /// How many records of a file of definitions are whole, and what is wrong behind them.
    fn whole_definitions(&self, file: &Path) -> Result<(u64, Option<Damage>), TraceError> {
        errors::readable(file)?;
        if !self.anchor.plain_files || self.anchor.definition_chunk == 0 {
            return Ok((u64::MAX, None));
        }
        let layout = layout::scan(file, Records::Definitions, self.anchor.definition_chunk)
            .map_err(|error| TraceError::unreadable(file, error))?;
        Ok((layout.records, layout.damage))
    }

    /// One stream a location, however often and in which order they are defined.
    fn find_locations(&mut self) {
        let mut locations: Vec<Location> = self
            .definitions
            .records(DefinitionKind::Location)
            .map(|record| Location {
                id: record.get(0),
                events: record.field("number_of_events").unwrap_or(UNDEFINED),
                local_definitions: 0,
            })
            .collect();
        // The last definition of an id counts; sorting keeps the order of equal ones.
        locations.reverse();
        locations.sort_by_key(|location| location.id);
        locations.dedup_by_key(|location| location.id);
        self.streams = locations
            .iter()
            .map(|location| StreamInfo {
                location: Some(LocationId(location.id)),
                bytes: self
                    .paths
                    .events(location.id)
                    .metadata()
                    .map_or(0, |file| file.len()),
            })
            .collect();
        if self.anchor.locations != locations.len() as u64 {
            let message = format!(
                "the anchor says {} locations, {} are defined",
                self.anchor.locations,
                locations.len()
            );
            self.diagnostics.report(
                Diagnostic::new(Severity::Warning, "otf2.location_count", message)
                    .at(Place::file(&self.paths.anchor)),
            );
        }
        self.locations = locations;
    }

    /// Reads the definitions of all locations that have any.
    fn local_definitions(
        &mut self,
        archive: &mut Archive,
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let mut wanted = Vec::new();
        for index in 0..self.locations.len() {
            let id = self.locations[index].id;
            let file = self.paths.local_definitions(id);
            let place = Place::file(&file).location(LocationId(id));
            let whole = match file.metadata() {
                Ok(metadata) if metadata.len() == EMPTY_DEFINITIONS => continue,
                Ok(_) => self.whole_definitions(&file).map(|found| match found {
                    (whole, None) => (whole, None),
                    (whole, Some(damage)) => {
                        let message = format!(
                            "the definitions of location {id} are damaged after {whole} records"
                        );
                        (whole, Some(errors::damaged(damage, message, place.clone())))
                    }
                })?,
                Err(error) => {
                    let message = format!(
                        "the definitions of location {id} cannot be read ({error}); \
                         its ids and times are taken as they stand"
                    );
                    self.diagnostics.report(
                        Diagnostic::new(Severity::Warning, "otf2.missing_definitions", message)
                            .at(place),
                    );
                    continue;
                }
            };
            if let (_, Some(error)) = whole {
                self.local_damage(error, options)?;
            }
            self.locations[index].local_definitions = whole.0;
            if whole.0 > 0 {
                wanted.push((id, whole.0));
            }
        }
        self.read_local_definitions(archive, &wanted, options)
    }

    /// Ids and times that are not translated are wrong, so it takes the user's word to go on.
    fn local_damage(&mut self, error: TraceError, options: &ReadOptions) -> Result<(), TraceError> {
        if !options.salvage {
            return Err(error.hint(SALVAGE));
        }
        let message = format!(
            "{}; ids and times of its events may be wrong",
            error.message
        );
        self.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
        );
        Ok(())
    }

    fn read_local_definitions(
        &mut self,
        archive: &mut Archive,
        wanted: &[(u64, u64)],
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        if wanted.is_empty() {
            return Ok(());
        }
        let mut results = Vec::with_capacity(wanted.len());
        archive
            .local_definitions(wanted, LocalCollector::new, |id, collector, result| {
                results.push((id, collector, result));
            })
            .map_err(|error| {
                let message = "the definitions of the locations cannot be read";
                errors::library(error, message, Place::file(&self.paths.anchor))
            })?;
        for (id, collector, result) in results {
            let place = Place::file(self.paths.local_definitions(id)).location(LocationId(id));
            let understood = collector.len();
            collector.append_to(&mut self.definitions);
            match result {
                Ok(records) if records > understood => {
                    let message = format!(
                        "{} records of location {id} define what should be defined for all",
                        records - understood
                    );
                    self.diagnostics.report(
                        Diagnostic::new(Severity::Note, "otf2.local_definition", message).at(place),
                    );
                }
                Ok(_) => {}
                Err(error) => {
                    let message = format!(
                        "the definitions of location {id} are damaged after {understood} records"
                    );
                    self.local_damage(errors::library(error, message, place), options)?;
                    let damaged = self
                        .locations
                        .iter_mut()
                        .filter(|location| location.id == id);
                    damaged.for_each(|location| location.local_definitions = understood);
                }
            }
        }
        Ok(())
    }
}

/// Opens the archive, with reasons that a user understands.
pub(crate) fn open_archive(paths: &Paths) -> Result<Archive, TraceError> {
    errors::readable(&paths.anchor)?;
    let mut head = Vec::new();
    File::open(&paths.anchor)
        .and_then(|file| file.take(ANCHOR_HEAD).read_to_end(&mut head))
        .map_err(|error| TraceError::unreadable(&paths.anchor, error))?;
    if !is_anchor(&head) {
        let message = format!(
            "{} is not the anchor of an OTF2 archive",
            paths.anchor.display()
        );
        return Err(TraceError::new(ErrorKind::Foreign, message).at(Place::file(&paths.anchor)));
    }
    Archive::open(&paths.anchor).map_err(|error| damaged_anchor(paths).caused_by(error))
}

fn damaged_anchor(paths: &Paths) -> TraceError {
    let message = format!("the anchor {} is damaged", paths.anchor.display());
    TraceError::new(ErrorKind::Malformed, message)
        .at(Place::file(&paths.anchor))
        .hint("without its anchor an OTF2 archive cannot be read; it may have been cut off")
}

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

impl TraceReader for Reader {
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let Some(&location) = self.locations.get(index) else {
            let message = format!("there is no stream number {index}");
            return Err(TraceError::new(ErrorKind::Internal, message));
        };
        if location.events == 0 && !self.paths.events(location.id).exists() {
            return Ok(Box::new(empty(LocationId(location.id))));
        }
        Ok(Box::new(Stream::open(self, location)?))
    }
}
