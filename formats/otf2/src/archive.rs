//! Everything in an archive except its events: the anchor, the definitions, and the locations.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Diagnostic, Diagnostics, ErrorKind, LocationId, Place, ReadOptions, Remedy,
    Severity, StreamInfo, TraceError, TraceHead,
};

use rayon::prelude::*;

use crate::anchor::Anchor;
use crate::checks::Checks;
use crate::definitions::{self, Collector, Corrections};
use crate::errors::{self, TRUNCATED, counted};
use crate::locations::{self, Location};
use crate::paths::Paths;
use crate::pieces::{Border, EventFile, Piece};
use crate::records::definitions::Scope;
use crate::walk::Walk;
use crate::wire::{END_OF_BUFFER, END_OF_FILE};

/// Size of a definition file without definitions: its header and the two marks at its end.
const EMPTY_DEFINITIONS: u64 = 20;

/// An archive whose definitions have been read.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) paths: Paths,
    pub(crate) anchor: Anchor,
    pub(crate) checks: Checks,
    pub(crate) head: TraceHead,
    pub(crate) locations: Vec<Location>,
    /// Where pieces of streams begin, by the numbers of the streams that are divided.
    pub(crate) borders: BTreeMap<usize, Vec<Border>>,
}

impl Archive {
    /// Reads the anchor and the definitions of the archive at `path`.
    pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Self, TraceError> {
        let paths = Paths::find(path)?;
        let mut diagnostics = Diagnostics::default();
        let anchor = Anchor::open(&paths.anchor, &mut diagnostics)?;
        let mut archive = Self {
            paths,
            anchor,
            checks: Checks::default(),
            head: TraceHead {
                diagnostics,
                ..TraceHead::default()
            },
            locations: Vec::new(),
            borders: BTreeMap::new(),
        };
        archive.anchor.define(&mut archive.head.definitions);
        let is_damaged = archive.global_definitions(options)?;
        archive.find_locations(is_damaged, options);
        archive.local_definitions(options)?;
        archive.checks = Checks::new(&archive.head.definitions);
        archive.head.streams = streams(&archive.locations, &archive.paths);
        archive.borders = archive.find_borders(*options);
        Ok(archive)
    }

    /// Reads the global definitions and returns whether some of them are lost.
    fn global_definitions(&mut self, options: &ReadOptions) -> Result<bool, TraceError> {
        let file = self.paths.definitions();
        errors::readable(&file).map_err(|error| {
            error.hint(
                "an OTF2 archive consists of its anchor, this file and a folder of the same name",
            )
        })?;
        let mut collector = Collector::new(
            &file,
            &mut self.head.definitions,
            &mut self.head.diagnostics,
        );
        let chunk = self.anchor.definition_chunk;
        let expected = self.anchor.global_definitions;
        let mut unknown = 0;
        let walk = definitions::read(&file, chunk, Scope::Global, Some(expected), |code, read| {
            unknown += u64::from(read.is_none());
            collector.definition(code, read);
        })
        .map_err(|error| TraceError::unreadable(&file, error))?;
        collector.finish();
        let place = Place::file(&file);
        walk.report_trailing(&place, &mut self.head.diagnostics);
        let records = walk.records;
        // All definitions were read, although the end of the file may be missing.
        if walk.before_damage() >= expected {
            return Ok(false);
        }
        let error = match walk.first {
            Some((damage, before)) => {
                let message =
                    format!("the definitions are damaged after {before} of {expected} records");
                errors::damaged(damage, message, place)
            }
            None => {
                let message = format!("the definitions end after {records} of {expected} records");
                TraceError::new(ErrorKind::Malformed, message).at(place)
            }
        };
        if !options.salvage || !error.is_salvageable() {
            return Err(error.hint(TRUNCATED).remedy(Remedy::Salvage));
        }
        let message = format!("{}; {} are kept", error.message, records - unknown);
        self.head.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
        );
        Ok(true)
    }

    /// Finds the locations, each once, even if a location is defined several times. With salvage, recovers
    /// locations whose definitions are lost.
    fn find_locations(&mut self, is_damaged: bool, options: &ReadOptions) {
        let mut all = locations::defined(&self.head.definitions);
        if self.anchor.locations != all.len() as u64 {
            let message = format!(
                "the anchor declares {}, but the definitions contain {}",
                counted(self.anchor.locations, "location"),
                all.len()
            );
            self.head.diagnostics.report(
                Diagnostic::new(Severity::Warning, "otf2.location_count", message)
                    .at(Place::file(&self.paths.anchor)),
            );
        }
        let lacks_locations = is_damaged || self.anchor.locations > all.len() as u64;
        if options.salvage && (lacks_locations || locations::lacks_events(&all, &self.paths)) {
            for location in locations::recovered(&all, &self.paths) {
                locations::define(location, &mut self.head.definitions);
                self.head.diagnostics.report(location.recovery(&self.paths));
                all.push(location);
            }
            all.sort_by_key(|location| location.id);
        }
        self.locations = all;
    }

    /// Reads the definitions of all locations that have their own.
    fn local_definitions(&mut self, options: &ReadOptions) -> Result<(), TraceError> {
        // Requests to a file system are answered side by side; most files have no definitions.
        let file_of = |location: &Location| self.paths.local_definitions(location.id);
        let are_empty: Vec<io::Result<bool>> = (self.locations.par_iter())
            .map(|location| is_empty(&file_of(location)))
            .collect();
        for (index, is_empty) in are_empty.into_iter().enumerate() {
            let id = self.locations[index].id;
            let file = self.paths.local_definitions(id);
            let place = Place::file(&file).location(LocationId(id));
            match is_empty {
                Ok(true) => {}
                Ok(false) => {
                    errors::readable(&file)?;
                    self.locations[index].has_definitions = true;
                    self.definitions_of_location(id, &file, place, options)?;
                }
                Err(error) => {
                    let message = format!(
                        "the definitions of the location cannot be read ({error}); \
                         its ids and times are not corrected"
                    );
                    self.head.diagnostics.report(
                        Diagnostic::new(Severity::Warning, "otf2.missing_definitions", message)
                            .at(place),
                    );
                }
            }
        }
        Ok(())
    }

    /// Reads the definitions of the location `id` from `file`.
    fn definitions_of_location(
        &mut self,
        id: u64,
        file: &Path,
        place: Place,
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let mut corrections = Corrections::default();
        let (mut unused, mut unknown) = (0_u64, 0_u64);
        let chunk = self.anchor.definition_chunk;
        let walk = definitions::read(file, chunk, Scope::Local, None, |code, read| {
            let Some((record, read)) = read else {
                unknown += 1;
                return;
            };
            corrections.add(record, &read);
            let definitions = &mut self.head.definitions;
            let is_unused = definitions::push_local(definitions, id, code, record, read);
            unused += u64::from(is_unused);
        })
        .map_err(|error| TraceError::unreadable(file, error))?;
        let mut report = |count: u64, severity, key, message: String| {
            if count > 0 {
                let diagnostic = Diagnostic::new(severity, key, message);
                self.head.diagnostics.report(diagnostic.at(place.clone()));
            }
        };
        let definitions = counted(unused, "definition");
        report(
            unused,
            Severity::Note,
            "otf2.local_definition",
            format!("{definitions} of the location should be global; kept but not used"),
        );
        let records = counted(unknown, "record");
        report(
            unknown,
            Severity::Loss,
            "otf2.unknown_definition",
            format!("left out {records} of unknown type in the definitions of the location"),
        );
        let records = counted(corrections.contradictions, "record");
        report(
            corrections.contradictions,
            Severity::Warning,
            "otf2.contradictory_definition",
            format!(
                "ignored {records} of the location in contradiction to earlier mapping tables or clock offsets"
            ),
        );
        walk.report_trailing(&place, &mut self.head.diagnostics);
        let may_be_wrong = unknown > 0 || has_lost_corrections(&walk);
        let records = walk.records;
        let Some((damage, before)) = walk.first else {
            return Ok(());
        };
        let complete = counted(before, "record");
        let message = format!("the definitions of the location are damaged after {complete}");
        let error = errors::damaged(damage, message, place);
        // Ids and times may be wrong if they are not translated, so reading goes on only with salvage.
        if !options.salvage {
            return Err(error);
        }
        let effect = if may_be_wrong {
            "; ids and times of its events may be wrong"
        } else {
            ""
        };
        let message = format!("{}; {records} are kept{effect}", error.message);
        self.head.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
        );
        Ok(())
    }

    /// Finds where streams divide into pieces.
    pub(crate) fn find_borders(&self, options: ReadOptions) -> BTreeMap<usize, Vec<Border>> {
        let bytes = self.head.streams.iter().map(|stream| stream.bytes);
        let piece_bytes = options.piece_bytes_of(bytes.sum());
        let streams = self.head.streams.par_iter().zip(&self.locations);
        let borders = streams.enumerate().map(|(index, (stream, location))| {
            let file = EventFile {
                path: &self.paths.events(location.id),
                bytes: stream.bytes,
                chunk: self.anchor.event_chunk,
            };
            (index, file.borders(piece_bytes))
        });
        borders.filter(|(_, borders)| !borders.is_empty()).collect()
    }

    /// Returns the pieces of a stream; none if it is not divided.
    pub(crate) fn pieces(&self, index: usize) -> impl Iterator<Item = Piece> {
        let borders = self.borders.get(&index).map_or(&[][..], Vec::as_slice);
        let first = (!borders.is_empty()).then(Border::default);
        let ends = borders.iter().copied().map(Some).chain([None]);
        let begins = first.into_iter().chain(borders.iter().copied());
        begins.zip(ends).map(|(begin, end)| Piece { begin, end })
    }

    /// Returns the corrections that the location's own definitions specify for its events.
    pub(crate) fn corrections(&self, location: Location) -> Corrections {
        let mut corrections = Corrections::default();
        if location.has_definitions {
            let file = self.paths.local_definitions(location.id);
            let chunk = self.anchor.definition_chunk;
            // Problems with the file were reported when it was read the first time.
            let _ = definitions::read(&file, chunk, Scope::Local, None, |_, read| {
                if let Some((record, read)) = read {
                    corrections.add(record, &read);
                }
            });
        }
        corrections
    }
}

/// Returns whether tables of ids or clock offsets may be among the lost definitions of a location.
fn has_lost_corrections(walk: &Walk) -> bool {
    let is_correction = |&code: &u8| {
        let record = Scope::Local.by_code(u64::from(code));
        record.is_none_or(|record| {
            matches!(
                record.kind,
                DefinitionKind::MappingTable | DefinitionKind::ClockOffset
            )
        })
    };
    walk.has_gap || walk.damaged.iter().any(is_correction)
}

/// Returns whether a file has no definitions, and is not a longer file that was cut.
fn is_empty(file: &Path) -> io::Result<bool> {
    if file.metadata()?.len() != EMPTY_DEFINITIONS {
        return Ok(false);
    }
    let mut bytes = [0; EMPTY_DEFINITIONS as usize];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut bytes));
    Ok(read.is_ok() && bytes.ends_with(&[END_OF_FILE, END_OF_BUFFER]))
}

fn streams(locations: &[Location], paths: &Paths) -> Vec<StreamInfo> {
    let streams = locations.par_iter().map(|location| StreamInfo {
        location: Some(LocationId(location.id)),
        bytes: paths
            .events(location.id)
            .metadata()
            .map_or(0, |file| file.len()),
        part: None,
    });
    streams.collect()
}
