//! Writes the files of definitions, markers, snapshots and thumbnails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, LocationId, Place, TraceError, UNDEFINED,
    ValueType,
};

use super::events::Written;
use crate::anchor::Anchor;
use crate::errors;
use crate::paths::Paths;
use crate::records::definitions::Scope;
use crate::records::optional_parts::{
    MARKER, MARKER_CATEGORY, THUMBNAIL, THUMBNAIL_CHUNK, THUMBNAIL_SAMPLE,
};
use crate::records::snapshots;
use crate::wire::{
    ATTRIBUTE_LIST, CHUNK_SIZES, ChunkWriter, Encoder, SinkError, TooWide, Wire, write_value,
};

/// The location type of a thread of a process.
const THREAD: u64 = 1;

/// A file that does not contain events.
struct DefinitionFile(ChunkWriter);

impl DefinitionFile {
    fn new(path: PathBuf, chunk: u64) -> Self {
        Self(ChunkWriter::new(path, chunk, false))
    }

    /// Appends a record, called `name` in messages.
    fn push(
        &mut self,
        code: u8,
        name: &str,
        fields: impl FnOnce(&mut Encoder) -> Result<(), TooWide>,
    ) -> Result<(), TraceError> {
        self.0.begin();
        self.0.encoder.byte(code);
        let length = self.0.encoder.begin();
        let encoded = fields(&mut self.0.encoder);
        encoded.map_err(|error| errors::too_wide(error, name, Place::file(self.0.path())))?;
        self.0.encoder.end(length);
        self.end(name)
    }

    /// Completes an encoded record, called `name` in messages.
    fn end(&mut self, name: &str) -> Result<(), TraceError> {
        const BLOCK: usize = 1 << 20;
        let mut ended = self.0.end();
        if ended.is_ok() && self.0.waiting() >= BLOCK {
            ended = self.0.send().map_err(SinkError::Io);
        }
        let place = || Place::file(self.0.path());
        ended.map_err(|error| errors::unwritten(error, self.0.path(), name, place()))
    }

    fn finish(self) -> Result<(), TraceError> {
        let path = self.0.path().to_owned();
        match self.0.finish() {
            Ok(_) => Ok(()),
            Err(error) => Err(TraceError::unwritable(&path, error)),
        }
    }
}

/// Returns the number of local definitions and snapshots with an unknown type of record.
pub(super) fn unknown(definitions: &Definitions) -> u64 {
    let local = definitions.records(DefinitionKind::LocalDefinition);
    let local = local.filter(|record| Scope::Local.by_code(record.get(1)).is_none());
    let is_known = |code: u64| u8::try_from(code).is_ok_and(snapshots::is_known);
    let of_snapshots = definitions.records(DefinitionKind::Snapshot);
    let of_snapshots = of_snapshots.filter(|record| !is_known(record.get(2)));
    (local.count() + of_snapshots.count()) as u64
}

/// Returns the size of chunks that have room for the longest definition.
fn chunk_for(definitions: &Definitions, usual: u64) -> u64 {
    // A number needs at most 9 bytes; a record has about ten numbers in addition to its list.
    const OTHERS: usize = 256;
    let longest = definitions
        .in_order()
        .iter()
        .map(|record| 9 * record.list().len() + record.text().len() + OTHERS)
        .max();
    let longest = longest.unwrap_or_default() as u64;
    longest.next_power_of_two().clamp(usual, *CHUNK_SIZES.end())
}

/// Writes the global definitions, and sets the fields of the anchor that depend on them.
pub(super) fn global(
    paths: &Paths,
    anchor: &mut Anchor,
    definitions: &Definitions,
    written: &BTreeMap<LocationId, Written>,
) -> Result<(), TraceError> {
    let mut file = DefinitionFile::new(paths.definitions(), anchor.definition_chunk);
    let (mut records, mut defined) = (0, BTreeSet::new());
    let mut push = |kind: DefinitionKind, fields: &[u64], list: &[u64], text: &str| {
        let Some(layout) = Scope::Global.by_kind(kind) else {
            return Ok(());
        };
        records += 1;
        file.push(layout.code, kind.name(), |encoder| {
            layout.write(encoder, fields, list, text)
        })
    };
    if definitions
        .table(DefinitionKind::ClockProperties)
        .is_empty()
    {
        let clock = definitions.clock();
        let times = written.values().filter_map(|written| written.times);
        let span = times.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
        let (first, last) = span.unwrap_or_default();
        let fields = [clock.ticks_per_second, first, last - first, UNDEFINED];
        push(DefinitionKind::ClockProperties, &fields, &[], "")?;
    }
    let mut strings = 0;
    for record in definitions.in_order() {
        let mut fields = fields(&record);
        match record.kind {
            DefinitionKind::TraceProperty => anchor.set(record.text()),
            DefinitionKind::String => {
                strings = strings.max(record.get(0).wrapping_add(1));
            }
            DefinitionKind::Location => {
                let location = LocationId(record.get(0));
                defined.insert(location);
                // If the source does not declare the number of events, the number of written events is used.
                if let Some(events @ &mut UNDEFINED) = fields.get_mut(3) {
                    *events = written.get(&location).map_or(0, |written| written.events);
                }
            }
            _ => {}
        }
        push(record.kind, &fields, record.list(), record.text())?;
    }
    for (&location, written) in written {
        if defined.insert(location) {
            let name = format!("location {location}");
            push(DefinitionKind::String, &[strings], &[], &name)?;
            let fields = [location.0, strings, THREAD, written.events, UNDEFINED];
            push(DefinitionKind::Location, &fields, &[], "")?;
            strings += 1;
        }
    }
    anchor.locations = defined.len() as u64;
    anchor.global_definitions = records;
    file.finish()
}

fn fields(record: &DefinitionRecord<'_>) -> Vec<u64> {
    (0..record.kind.fields().len())
        .map(|field| record.get(field))
        .collect()
}

/// Writes the local definitions, with an empty file for each location that has none. Also decides the size of chunks
/// of definitions.
pub(super) fn local(
    paths: &Paths,
    anchor: &mut Anchor,
    definitions: &Definitions,
    locations: &BTreeSet<LocationId>,
) -> Result<(), TraceError> {
    anchor.definition_chunk = chunk_for(definitions, anchor.definition_chunk);
    let mut own: BTreeMap<LocationId, Vec<DefinitionRecord<'_>>> = BTreeMap::new();
    for record in definitions.records(DefinitionKind::LocalDefinition) {
        own.entry(LocationId(record.get(0)))
            .or_default()
            .push(record);
    }
    for location in locations {
        let path = paths.local_definitions(location.0);
        let mut file = DefinitionFile::new(path, anchor.definition_chunk);
        for record in own.get(location).into_iter().flatten() {
            let Some(layout) = Scope::Local.by_code(record.get(1)) else {
                continue;
            };
            let fields = layout.kind.fields().len().min(record.list().len());
            let (fields, list) = record.list().split_at(fields);
            file.push(layout.code, layout.kind.name(), |encoder| {
                layout.write(encoder, fields, list, record.text())
            })?;
        }
        file.finish()?;
    }
    Ok(())
}

/// Writes markers, snapshots and thumbnails, if there are any.
pub(super) fn optional_parts(
    paths: &Paths,
    anchor: &mut Anchor,
    definitions: &Definitions,
    locations: &BTreeSet<LocationId>,
) -> Result<(), TraceError> {
    markers(paths, anchor, definitions)?;
    all_snapshots(paths, anchor, definitions, locations)?;
    thumbnails(paths, anchor, definitions)
}

/// Returns the texts of a kind by the id in the first field. Several texts with the same id are in reverse order, so
/// that `pop` returns the first one.
fn texts(definitions: &Definitions, kind: DefinitionKind) -> BTreeMap<u64, Vec<&str>> {
    let mut texts: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for record in definitions.records(kind) {
        texts.entry(record.get(0)).or_default().push(record.text());
    }
    texts.values_mut().for_each(|texts| texts.reverse());
    texts
}

fn markers(paths: &Paths, anchor: &Anchor, definitions: &Definitions) -> Result<(), TraceError> {
    let mut groups = texts(definitions, DefinitionKind::MarkerGroup);
    let is_marker = |record: &DefinitionRecord<'_>| {
        matches!(
            record.kind,
            DefinitionKind::Marker | DefinitionKind::MarkerCategory
        )
    };
    let records: Vec<_> = definitions
        .in_order()
        .into_iter()
        .filter(is_marker)
        .collect();
    if records.is_empty() {
        return Ok(());
    }
    let mut file = DefinitionFile::new(paths.markers(), anchor.definition_chunk);
    for record in records {
        let name = record.kind.name();
        if record.kind == DefinitionKind::MarkerCategory {
            let group = groups
                .get_mut(&record.get(0))
                .and_then(Vec::pop)
                .unwrap_or_default();
            file.push(MARKER_CATEGORY, name, |encoder| {
                encoder.number(Wire::U32, record.get(0))?;
                encoder.text(group);
                encoder.text(record.text());
                encoder.number(Wire::U8, record.get(1))
            })?;
            continue;
        }
        file.push(MARKER, name, |encoder| {
            encoder.number(Wire::U64, record.get(1))?;
            encoder.number(Wire::U64, record.get(2))?;
            encoder.number(Wire::U32, record.get(0))?;
            encoder.number(Wire::U8, record.get(3))?;
            encoder.number(Wire::U64, record.get(4))?;
            encoder.text(record.text());
            Ok(())
        })?;
    }
    file.finish()
}

/// Writes the snapshots. If any location has snapshots, readers expect a file for each location.
fn all_snapshots(
    paths: &Paths,
    anchor: &Anchor,
    definitions: &Definitions,
    locations: &BTreeSet<LocationId>,
) -> Result<(), TraceError> {
    if definitions.table(DefinitionKind::Snapshot).is_empty() {
        return Ok(());
    }
    let mut attributes: BTreeMap<(u64, u64), Vec<DefinitionRecord<'_>>> = BTreeMap::new();
    for record in definitions.records(DefinitionKind::SnapshotAttribute) {
        attributes
            .entry((record.get(0), record.get(1)))
            .or_default()
            .push(record);
    }
    let new = |location| {
        let path = paths.snapshots(location);
        DefinitionFile(ChunkWriter::new(path, anchor.event_chunk, true))
    };
    let locations = locations.iter().map(|location| location.0);
    let mut files: BTreeMap<u64, DefinitionFile> = locations
        .map(|location| (location, new(location)))
        .collect();
    for record in definitions.records(DefinitionKind::Snapshot) {
        let [location, index, code, time, event] = [0, 1, 2, 3, 4].map(|field| record.get(field));
        let known = u8::try_from(code)
            .ok()
            .filter(|&code| snapshots::is_known(code));
        let Some(code) = known else {
            continue;
        };
        let file = files.entry(location).or_insert_with(|| new(location));
        file.0.begin_at(time);
        let own = attributes.get(&(location, index));
        let own = own.map_or(&[][..], Vec::as_slice);
        let encoded = snapshot(&mut file.0.encoder, code, event, record.list(), own);
        let place = || Place::file(file.0.path());
        encoded.map_err(|error| errors::too_wide(error, record.kind.name(), place()))?;
        file.end(record.kind.name())?;
    }
    files.into_values().try_for_each(DefinitionFile::finish)
}

fn snapshot(
    encoder: &mut Encoder,
    code: u8,
    event: u64,
    numbers: &[u64],
    attributes: &[DefinitionRecord<'_>],
) -> Result<(), TooWide> {
    if !attributes.is_empty() {
        encoder.byte(ATTRIBUTE_LIST);
        let length = encoder.begin();
        encoder.number(Wire::U32, attributes.len() as u64)?;
        for attribute in attributes {
            let code = attribute.get(3);
            let code = u8::try_from(code).map_err(|_| TooWide(code))?;
            encoder.number(Wire::U32, attribute.get(2))?;
            encoder.byte(code);
            let value_type = ValueType::from_code(code).unwrap_or_default();
            write_value(encoder, value_type, attribute.get(4))?;
        }
        encoder.end(length);
    }
    encoder.byte(code);
    let length = encoder.begin();
    snapshots::write(encoder, code, event, numbers)?;
    encoder.end(length);
    Ok(())
}

fn thumbnails(
    paths: &Paths,
    anchor: &mut Anchor,
    definitions: &Definitions,
) -> Result<(), TraceError> {
    fn list(encoder: &mut Encoder, numbers: &[u64]) -> Result<(), TooWide> {
        encoder.number(Wire::U32, numbers.len() as u64)?;
        numbers
            .iter()
            .try_for_each(|&number| encoder.number(Wire::U64, number))
    }
    let mut descriptions = texts(definitions, DefinitionKind::ThumbnailDescription);
    let mut samples: BTreeMap<u64, Vec<DefinitionRecord<'_>>> = BTreeMap::new();
    for sample in definitions.records(DefinitionKind::ThumbnailSample) {
        samples.entry(sample.get(0)).or_default().push(sample);
    }
    for (number, record) in (0..).zip(definitions.records(DefinitionKind::Thumbnail)) {
        let id = record.get(0);
        let description = descriptions
            .get_mut(&id)
            .and_then(Vec::pop)
            .unwrap_or_default();
        let mut file = DefinitionFile::new(paths.thumbnail(number), THUMBNAIL_CHUNK);
        file.push(THUMBNAIL, record.kind.name(), |encoder| {
            encoder.text(record.text());
            encoder.text(description);
            encoder.number(Wire::U8, record.get(1))?;
            encoder.number(Wire::U32, record.get(2))?;
            list(encoder, record.list())
        })?;
        for sample in samples.remove(&id).unwrap_or_default() {
            file.push(THUMBNAIL_SAMPLE, sample.kind.name(), |encoder| {
                encoder.number(Wire::U64, sample.get(1))?;
                list(encoder, sample.list())
            })?;
        }
        file.finish()?;
        anchor.thumbnails = number + 1;
    }
    Ok(())
}
