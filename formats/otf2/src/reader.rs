//! An open archive: its definitions, and one stream per location.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, ErrorKind, EventStream, LocationId,
    Place, ReadOptions, Remedy, Severity, StreamFrom, StreamInfo, TimeRange, TraceError,
    TraceReader,
};

use crate::anchor::{self, Anchor, is_anchor};
use crate::definitions::{self, Collector, Corrections};
use crate::errors::{self, TRUNCATED};
use crate::locations::{self, Location};
use crate::paths::Paths;
use crate::records::definitions::Scope;
use crate::sides;
use crate::stream::{Stream, empty};
use crate::undefined::Defined;
use crate::walk::Walk;
use crate::wire::{END_OF_BUFFER, END_OF_FILE, Fault};

/// Size of a definition file without definitions: its header and the two marks at its end.
const EMPTY_DEFINITIONS: u64 = 20;

/// An open archive.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) paths: Paths,
    pub(crate) anchor: Anchor,
    /// Names of regions, for messages.
    pub(crate) regions: HashMap<u64, String>,
    /// The ids that events may refer to.
    pub(crate) defined: Defined,
    pub(crate) definitions: Definitions,
    pub(crate) diagnostics: Diagnostics,
    streams: Vec<StreamInfo>,
    pub(crate) locations: Vec<Location>,
}

impl Reader {
    /// Opens the archive at `path` and reads its anchor and all definitions.
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Self, TraceError> {
        let paths = Paths::find(path)?;
        let mut diagnostics = Diagnostics::default();
        let anchor = read_anchor(&paths, &mut diagnostics)?;
        let mut reader = Self {
            paths,
            anchor,
            regions: HashMap::new(),
            defined: Defined::default(),
            definitions: Definitions::default(),
            diagnostics,
            streams: Vec::new(),
            locations: Vec::new(),
        };
        reader.anchor.define(&mut reader.definitions);
        let is_damaged = reader.global_definitions(options)?;
        reader.find_locations(is_damaged, options);
        reader.local_definitions(options)?;
        sides::read(&mut reader, options)?;
        reader.regions = region_names(&reader.definitions);
        reader.defined = Defined::new(&reader.definitions);
        Ok(reader)
    }

    /// Reads the global definitions and returns whether some of them are lost.
    fn global_definitions(&mut self, options: &ReadOptions) -> Result<bool, TraceError> {
        let file = self.paths.definitions();
        errors::readable(&file).map_err(|error| {
            error.hint("an OTF2 archive is the anchor, this file and a folder of the same name")
        })?;
        let mut collector = Collector::new(&file, &mut self.definitions, &mut self.diagnostics);
        let chunk = self.anchor.definition_chunk;
        let expected = self.anchor.global_definitions;
        let mut unknown = 0;
        let walk = definitions::read(&file, chunk, Scope::Global, Some(expected), |_, read| {
            unknown += u64::from(read.is_none());
            collector.definition(read);
        })
        .map_err(|error| TraceError::unreadable(&file, error))?;
        collector.finish();
        let place = Place::file(&file);
        walk.report_trailing(&place, &mut self.diagnostics);
        let records = walk.records;
        // All definitions were read, although the end of the file may be missing.
        if walk.before_damage() >= expected {
            return Ok(false);
        }
        let error = match walk.first {
            Some((damage, before)) => {
                let message =
                    format!("the definitions are damaged after {before} records of {expected}");
                errors::damaged(damage, message, place)
            }
            None => {
                let message = format!("the definitions end after {records} records of {expected}");
                TraceError::new(ErrorKind::Malformed, message).at(place)
            }
        };
        if !options.salvage || !error.is_salvageable() {
            return Err(error.hint(TRUNCATED).remedy(Remedy::Salvage));
        }
        let message = format!("{}; {} are kept", error.message, records - unknown);
        self.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
        );
        Ok(true)
    }

    /// Finds the locations and makes one stream for each, even if a location is defined several times. With
    /// salvage, recovers locations whose definitions are lost.
    fn find_locations(&mut self, is_damaged: bool, options: &ReadOptions) {
        let mut all = locations::defined(&self.definitions);
        if self.anchor.locations != all.len() as u64 {
            let message = format!(
                "the anchor says {} locations, {} are defined",
                self.anchor.locations,
                all.len()
            );
            self.diagnostics.report(
                Diagnostic::new(Severity::Warning, "otf2.location_count", message)
                    .at(Place::file(&self.paths.anchor)),
            );
        }
        let lacks_locations = is_damaged || self.anchor.locations > all.len() as u64;
        if options.salvage && (lacks_locations || locations::lacks_events(&all, &self.paths)) {
            for location in locations::recovered(&all, &self.paths) {
                locations::define(location, &mut self.definitions);
                self.diagnostics.report(location.recovery(&self.paths));
                all.push(location);
            }
            all.sort_by_key(|location| location.id);
        }
        let size = |location: &Location| self.paths.events(location.id).metadata();
        let streams = all.iter().map(|location| StreamInfo {
            location: Some(LocationId(location.id)),
            bytes: size(location).map_or(0, |file| file.len()),
        });
        self.streams = streams.collect();
        self.locations = all;
    }

    /// Reads the definitions of all locations that have their own.
    fn local_definitions(&mut self, options: &ReadOptions) -> Result<(), TraceError> {
        for index in 0..self.locations.len() {
            let id = self.locations[index].id;
            let file = self.paths.local_definitions(id);
            let place = Place::file(&file).location(LocationId(id));
            match file.metadata() {
                Ok(metadata) if metadata.len() == EMPTY_DEFINITIONS && is_empty(&file) => {}
                Ok(_) => {
                    errors::readable(&file)?;
                    self.locations[index].has_definitions = true;
                    self.definitions_of(id, &file, place, options)?;
                }
                Err(error) => {
                    let message = format!(
                        "the definitions of the location cannot be read ({error}); \
                         its ids and times are taken as they are"
                    );
                    self.diagnostics.report(
                        Diagnostic::new(Severity::Warning, "otf2.missing_definitions", message)
                            .at(place),
                    );
                }
            }
        }
        Ok(())
    }

    fn definitions_of(
        &mut self,
        id: u64,
        file: &Path,
        place: Place,
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let mut corrections = Corrections::default();
        let (mut others, mut unknown) = (0_u64, 0_u64);
        let chunk = self.anchor.definition_chunk;
        let walk = definitions::read(file, chunk, Scope::Local, None, |code, read| {
            let Some((record, read)) = read else {
                unknown += 1;
                return;
            };
            corrections.take(record, &read);
            let definitions = &mut self.definitions;
            let other = definitions::push_local(definitions, id, code, record, read);
            others += u64::from(other);
        })
        .map_err(|error| TraceError::unreadable(file, error))?;
        let mut report = |count: u64, severity, key, what: &str| {
            if count > 0 {
                let message = format!("{count} records of the location {what}");
                let diagnostic = Diagnostic::new(severity, key, message);
                self.diagnostics.report(diagnostic.at(place.clone()));
            }
        };
        report(
            others,
            Severity::Note,
            "otf2.local_definition",
            "define what should be defined for all; they are kept but not used",
        );
        report(
            unknown,
            Severity::Loss,
            "otf2.unknown_definition",
            "are of a type that is not known and are left out",
        );
        report(
            corrections.contradictions,
            Severity::Warning,
            "otf2.contradictory_definition",
            "say of ids or of the clock what was said in another way; the first ones count",
        );
        walk.report_trailing(&place, &mut self.diagnostics);
        let may_be_wrong = unknown > 0 || has_lost_corrections(&walk);
        let records = walk.records;
        let Some((damage, before)) = walk.first else {
            return Ok(());
        };
        let message = format!("the definitions of the location are damaged after {before} records");
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
        self.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
        );
        Ok(())
    }

    fn location(&self, index: usize) -> Result<Location, TraceError> {
        self.locations.get(index).copied().ok_or_else(|| {
            let message = format!("there is no stream number {index}");
            TraceError::new(ErrorKind::Internal, message)
        })
    }

    /// Returns whether a location has no events and no file for them.
    fn is_empty(&self, location: Location) -> bool {
        location.events == 0 && !self.paths.events(location.id).exists()
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
                    corrections.take(record, &read);
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

/// Reads the anchor; errors are in terms that a user understands.
fn read_anchor(paths: &Paths, diagnostics: &mut Diagnostics) -> Result<Anchor, TraceError> {
    let file = &paths.anchor;
    errors::readable(file)?;
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(anchor::LIMIT).read_to_end(&mut bytes))
        .map_err(|error| TraceError::unreadable(file, error))?;
    if !is_anchor(&bytes) {
        let message = format!("{} is not the anchor of an OTF2 archive", file.display());
        return Err(TraceError::new(ErrorKind::Foreign, message).at(Place::file(file)));
    }
    let (anchor, trailing) = Anchor::read(&bytes).map_err(|fault| {
        let what = match fault {
            Fault::Malformed(what) | Fault::Contained(what) => what,
            _ => "it ends too early",
        };
        let message = format!("the anchor {} is damaged: {what}", file.display());
        TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(file))
            .hint("without its anchor an OTF2 archive cannot be read; it may have been cut off")
    })?;
    let place = Place::file(file);
    errors::report_trailing(trailing, bytes.len() as u64, place, diagnostics);
    anchor.report(file, diagnostics);
    if !anchor.plain_files {
        let message = format!(
            "the archive {} is compressed or in one file",
            file.display()
        );
        return Err(TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(file))
            .hint("only archives with plain files for each location can be read; copy it with a tool that was built for SIONlib"));
    }
    Ok(anchor)
}

/// Returns whether a file that is as long as one without definitions has no definitions, and is not a longer file
/// that was cut.
fn is_empty(file: &Path) -> bool {
    let mut bytes = [0; EMPTY_DEFINITIONS as usize];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && bytes.ends_with(&[END_OF_FILE, END_OF_BUFFER])
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
        let location = self.location(index)?;
        if self.is_empty(location) {
            return Ok(Box::new(empty(LocationId(location.id))));
        }
        Ok(Box::new(Stream::open(self, location)?))
    }

    /// Begins at the first event of the range and ends with the first event after it. From the preceding events, only
    /// times and calls are decoded; of the following events, only the rest of the window is read.
    fn open_stream_in(&self, index: usize, range: TimeRange) -> Result<StreamFrom<'_>, TraceError> {
        let location = self.location(index)?;
        if self.is_empty(location) {
            return Ok(StreamFrom {
                open: Vec::new(),
                stream: Box::new(empty(LocationId(location.id))),
            });
        }
        let mut stream = Stream::open(self, location)?;
        let open = range.from.map(|from| stream.skip(from));
        if let Some(to) = range.to {
            stream.end_at(to);
        }
        Ok(StreamFrom {
            open: open.unwrap_or_default(),
            stream: Box::new(stream),
        })
    }
}
