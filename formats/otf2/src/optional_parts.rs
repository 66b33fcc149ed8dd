//! Reads the optional parts of an archive besides definitions and events: markers, snapshots, thumbnails.
//!
//! Few tools write these parts. They are read together with the definitions and stored as definitions.

use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Place, ReadOptions, Remedy, Severity, TraceError,
    TraceHead, UNDEFINED, ValueType,
};

use rayon::prelude::*;

use crate::archive::Archive;
use crate::errors::{self, TRUNCATED, counted};
use crate::records::optional_parts::{
    MARKER, MARKER_CATEGORY, THUMBNAIL, THUMBNAIL_CHUNK, THUMBNAIL_SAMPLE,
};
use crate::records::snapshots;
use crate::walk::Walk;
use crate::wire::{ATTRIBUTE_LIST, ChunkReader, Cursor, Fault, TIMESTAMP, Wire, read_value};

/// Reads the optional parts that exist.
pub(crate) fn read(archive: &mut Archive, options: &ReadOptions) -> Result<(), TraceError> {
    let markers = archive.paths.markers();
    if markers.exists() {
        let chunk = archive.anchor.definition_chunk;
        read_part(archive, options, &markers, chunk, "markers", marker)?;
    }
    let locations = archive.locations.par_iter().map(|location| location.id);
    let with_snapshots: Vec<u64> = locations
        .filter(|&location| archive.paths.snapshots(location).exists())
        .collect();
    for location in with_snapshots {
        let path = archive.paths.snapshots(location);
        let chunk = archive.anchor.event_chunk;
        let mut snapshots = Snapshots::new(location);
        read_part(
            archive,
            options,
            &path,
            chunk,
            "snapshots",
            |d, code, file| snapshots.record(d, code, file),
        )?;
    }
    for number in 0..archive.anchor.thumbnails {
        let path = archive.paths.thumbnail(number);
        if !path.exists() {
            let message = format!(
                "the anchor declares {}, but thumbnail {number} is missing",
                counted(archive.anchor.thumbnails, "thumbnail")
            );
            archive.head.diagnostics.report(
                Diagnostic::new(Severity::Loss, "otf2.missing_thumbnail", message)
                    .at(Place::file(path)),
            );
            break;
        }
        read_part(
            archive,
            options,
            &path,
            THUMBNAIL_CHUNK,
            "thumbnails",
            |d, code, file| thumbnail(d, number, code, file),
        )?;
    }
    Ok(())
}

/// Reads the file of an optional part, called `name` in messages. `take` returns whether the type of a record is known.
fn read_part(
    archive: &mut Archive,
    options: &ReadOptions,
    path: &Path,
    chunk: u64,
    name: &str,
    mut take: impl FnMut(&mut Definitions, u8, &mut ChunkReader) -> Result<bool, Fault>,
) -> Result<(), TraceError> {
    errors::readable(path)?;
    let TraceHead {
        definitions,
        diagnostics,
        ..
    } = &mut archive.head;
    let place = Place::file(path);
    let walk = Walk::through(path, chunk, u64::MAX, |code, byte, file| {
        if !take(definitions, code, file)? {
            let message = format!("left out a record of the {name} with the unknown type {code}");
            diagnostics.report(
                Diagnostic::new(Severity::Loss, "otf2.unknown_record", message)
                    .at(place.clone().byte(byte)),
            );
        }
        Ok(())
    })
    .map_err(|error| TraceError::unreadable(path, error))?;
    walk.report_trailing(&place, diagnostics);
    let records = walk.records;
    let Some((damage, before)) = walk.first else {
        return Ok(());
    };
    let complete = counted(before, "complete record");
    let message = format!("the {name} are damaged after {complete}");
    let error = errors::damaged(damage, message, place);
    if !options.salvage || !error.is_salvageable() {
        return Err(error.hint(TRUNCATED).remedy(Remedy::Salvage));
    }
    let message = format!("{}; {records} are kept", error.message);
    diagnostics.report(
        Diagnostic::new(Severity::Loss, "otf2.damaged_definitions", message).at(*error.place),
    );
    Ok(())
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn marker(definitions: &mut Definitions, code: u8, file: &mut ChunkReader) -> Result<bool, Fault> {
    let mut cursor = file.record()?;
    match code {
        MARKER_CATEGORY => {
            let id = cursor.number(Wire::U32)?;
            let (group, category) = (cursor.text()?, cursor.text()?);
            let severity = cursor.number(Wire::U8)?;
            definitions.push(DefinitionKind::MarkerGroup, &[id], &[], &text(group));
            let fields = [id, severity];
            definitions.push(
                DefinitionKind::MarkerCategory,
                &fields,
                &[],
                &text(category),
            );
        }
        MARKER => {
            let (time, duration) = (cursor.number(Wire::U64)?, cursor.number(Wire::U64)?);
            let (category, scope_type) = (cursor.number(Wire::U32)?, cursor.number(Wire::U8)?);
            let fields = [
                category,
                time,
                duration,
                scope_type,
                cursor.number(Wire::U64)?,
            ];
            definitions.push(DefinitionKind::Marker, &fields, &[], &text(cursor.text()?));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn thumbnail(
    definitions: &mut Definitions,
    number: u64,
    code: u8,
    file: &mut ChunkReader,
) -> Result<bool, Fault> {
    fn list(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, Fault> {
        let count = cursor.number(Wire::U32)?;
        let count = cursor.count(count)?;
        (0..count).map(|_| cursor.number(Wire::U64)).collect()
    }
    let mut cursor = file.record()?;
    match code {
        THUMBNAIL => {
            let (name, description) = (cursor.text()?, cursor.text()?);
            let fields = [number, cursor.number(Wire::U8)?, cursor.number(Wire::U32)?];
            let references = list(&mut cursor)?;
            definitions.push(DefinitionKind::Thumbnail, &fields, &references, &text(name));
            let description = text(description);
            definitions.push(
                DefinitionKind::ThumbnailDescription,
                &[number],
                &[],
                &description,
            );
        }
        THUMBNAIL_SAMPLE => {
            let fields = [number, cursor.number(Wire::U64)?];
            let samples = list(&mut cursor)?;
            definitions.push(DefinitionKind::ThumbnailSample, &fields, &samples, "");
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The snapshots of a location. Like events, they have time stamps and attributes. Ids and times are kept as the
/// location wrote them, as in libotf2.
struct Snapshots {
    location: u64,
    next: u64,
    time: u64,
    numbers: Vec<u64>,
}

impl Snapshots {
    fn new(location: u64) -> Self {
        Self {
            location,
            next: 0,
            time: 0,
            numbers: Vec::new(),
        }
    }

    fn record(
        &mut self,
        definitions: &mut Definitions,
        code: u8,
        file: &mut ChunkReader,
    ) -> Result<bool, Fault> {
        match code {
            TIMESTAMP => self.time = file.time()?,
            ATTRIBUTE_LIST => {
                let mut cursor = file.record()?;
                let count = cursor.number(Wire::U32)?;
                for _ in 0..cursor.count(count)? {
                    let attribute = cursor.number(Wire::U32)?;
                    let code = cursor.byte()?;
                    let value_type = ValueType::from_code(code).unwrap_or_default();
                    let value = read_value(&mut cursor, value_type)?;
                    let fields = [self.location, self.next, attribute, u64::from(code), value];
                    definitions.push(DefinitionKind::SnapshotAttribute, &fields, &[], "");
                }
            }
            _ => {
                let cursor = file.record()?;
                if !snapshots::is_known(code) {
                    return Ok(false);
                }
                self.numbers.clear();
                let event = snapshots::read(code, cursor, &mut self.numbers)?;
                let record = u64::from(code);
                let event = event.unwrap_or(UNDEFINED);
                let fields = [self.location, self.next, record, self.time, event];
                definitions.push(DefinitionKind::Snapshot, &fields, &self.numbers, "");
                self.next += 1;
            }
        }
        Ok(true)
    }
}
