//! The anchor of an archive: sizes, counts, the writing library, and properties.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, Diagnostics, ErrorKind, Place, Severity, TraceError,
};

use crate::errors;
use crate::wire::{
    BIG_ENDIAN, CHUNK_HEADER, CHUNK_SIZES, Cursor, END_OF_BUFFER, END_OF_CHUNK, END_OF_FILE,
    Encoder, Fault, HEADER, LITTLE_ENDIAN,
};

/// Maximum number of bytes read from an anchor; a real anchor has a few hundred.
const LIMIT: u64 = 16 * 1024 * 1024;

const MAGIC: &str = "OTF2";
/// Version of the anchor's layout. Version 2 added properties and the trace's id, version 3 snapshots and thumbnails.
const FORMAT: u8 = 3;
const WITH_PROPERTIES: u8 = 2;
/// Version of the records' layout.
const TRACE_FORMAT: u8 = 2;
/// One file for each location.
const POSIX: u8 = 1;
/// Bytes of the marks that follow the end-of-file mark of an anchor.
const MARKS: usize = 2;
/// The code for uncompressed files.
const PLAIN: u8 = 1;

/// The content of the anchor of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Version of the library that wrote the archive.
    pub(crate) version: [u8; 3],
    /// Size of a chunk of events, in bytes.
    pub(crate) event_chunk: u64,
    /// Size of a chunk of definitions, in bytes.
    pub(crate) definition_chunk: u64,
    /// Whether each location has a file of its own, uncompressed.
    pub(crate) plain_files: bool,
    /// Number of locations according to the anchor.
    pub(crate) locations: u64,
    /// Number of global definitions according to the anchor.
    pub(crate) global_definitions: u64,
    /// Name of the machine.
    pub(crate) machine_name: String,
    /// The program that wrote the archive.
    pub(crate) creator: String,
    /// Free text.
    pub(crate) description: String,
    /// Further properties: name and value.
    pub(crate) properties: Vec<(String, String)>,
    /// A number that identifies the trace.
    pub(crate) trace_id: u64,
    /// Number of snapshots according to the anchor.
    pub(crate) snapshots: u64,
    /// Number of thumbnails according to the anchor.
    pub(crate) thumbnails: u64,
}

/// Returns whether `head` begins like an anchor, with a chunk header, a byte order and the magic word.
pub(crate) fn is_anchor(head: &[u8]) -> bool {
    matches!(
        head,
        [
            CHUNK_HEADER,
            LITTLE_ENDIAN | BIG_ENDIAN,
            b'O',
            b'T',
            b'F',
            b'2',
            ..
        ]
    )
}

/// Names of the trace properties that the anchor stores in fields of their own.
const VERSION: &str = "otf2_version";
const CREATOR: &str = "creator";
const DESCRIPTION: &str = "description";
const MACHINE: &str = "machine_name";
const TRACE_ID: &str = "trace_id";
const SNAPSHOTS: &str = "snapshots";

impl Default for Anchor {
    fn default() -> Self {
        Self {
            version: [3, 0, 0],
            event_chunk: 1024 * 1024,
            definition_chunk: 4 * 1024 * 1024,
            plain_files: true,
            locations: 0,
            global_definitions: 0,
            machine_name: String::new(),
            creator: String::new(),
            description: String::new(),
            properties: Vec::new(),
            trace_id: 0,
            snapshots: 0,
            thumbnails: 0,
        }
    }
}

impl Anchor {
    /// Reads the anchor from `file`.
    pub(crate) fn open(file: &Path, diagnostics: &mut Diagnostics) -> Result<Self, TraceError> {
        errors::readable(file)?;
        let mut bytes = Vec::new();
        File::open(file)
            .and_then(|file| file.take(LIMIT).read_to_end(&mut bytes))
            .map_err(|error| TraceError::unreadable(file, error))?;
        if !is_anchor(&bytes) {
            let message = format!("{} is not the anchor of an OTF2 archive", file.display());
            return Err(TraceError::new(ErrorKind::Foreign, message).at(Place::file(file)));
        }
        let (anchor, trailing) = Self::read(&bytes).map_err(|fault| {
            let reason = match fault {
                Fault::Malformed(reason) | Fault::Contained(reason) => reason,
                _ => "it ends too early",
            };
            let message = format!("the anchor {} is damaged: {reason}", file.display());
            TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(file))
                .hint("the anchor may be truncated; without it, the archive cannot be read")
        })?;
        let place = Place::file(file);
        errors::report_trailing(trailing, bytes.len() as u64, place, diagnostics);
        anchor.report_chunk_sizes(file, diagnostics);
        if !anchor.plain_files {
            let message = format!(
                "the archive {} is compressed or stored in a single file",
                file.display()
            );
            return Err(TraceError::new(ErrorKind::Foreign, message)
                .at(Place::file(file))
                .hint("only uncompressed archives with one file per location can be read; copy the archive with a tool that was built with SIONlib"));
        }
        Ok(anchor)
    }

    /// Decodes an anchor from its bytes and returns it with the number of bytes after its end.
    fn read(bytes: &[u8]) -> Result<(Self, u64), Fault> {
        let big_endian = bytes.get(1) == Some(&BIG_ENDIAN);
        let mut cursor = Cursor::new(bytes, 2, bytes.len(), big_endian);
        if cursor.text()? != MAGIC.as_bytes() {
            return Err(Fault::Malformed("its magic word is not OTF2"));
        }
        let format = cursor.byte()?;
        let _trace_format = cursor.byte()?;
        let version = [cursor.byte()?, cursor.byte()?, cursor.byte()?];
        let (event_chunk, definition_chunk) = (cursor.full64()?, cursor.full64()?);
        let (substrate, compression) = (cursor.byte()?, cursor.byte()?);
        let (locations, global_definitions) = (cursor.full64()?, cursor.full64()?);
        let machine_name = owned(cursor.text()?);
        let creator = owned(cursor.text()?);
        let description = owned(cursor.text()?);
        let (mut properties, mut trace_id) = (Vec::new(), 0);
        if format >= WITH_PROPERTIES {
            for _ in 0..cursor.full32()? {
                let property = (owned(cursor.text()?), owned(cursor.text()?));
                properties.push(from_stored(property));
            }
            trace_id = cursor.full64()?;
        }
        let (mut snapshots, mut thumbnails) = (0, 0);
        if format >= FORMAT {
            snapshots = u64::from(cursor.full32()?);
            thumbnails = u64::from(cursor.full32()?);
        }
        let mut trailing = 0;
        if format == FORMAT {
            if cursor.byte()? != END_OF_FILE {
                return Err(Fault::Malformed("it continues after its expected end"));
            }
            trailing = cursor.left().saturating_sub(MARKS) as u64;
        }
        let smallest = (HEADER as u64) * 2;
        if event_chunk < smallest || definition_chunk < smallest {
            return Err(Fault::Malformed(
                "its chunk sizes are too small for any record",
            ));
        }
        let anchor = Self {
            version,
            event_chunk,
            definition_chunk,
            plain_files: substrate == POSIX && compression == PLAIN,
            locations,
            global_definitions,
            machine_name,
            creator,
            description,
            properties,
            trace_id,
            snapshots,
            thumbnails,
        };
        Ok((anchor, trailing))
    }

    /// Reports chunk sizes that OTF2 does not allow.
    fn report_chunk_sizes(&self, path: &Path, diagnostics: &mut Diagnostics) {
        for (content, size) in [
            ("events", self.event_chunk),
            ("definitions", self.definition_chunk),
        ] {
            if !CHUNK_SIZES.contains(&size) {
                let (least, most) = (CHUNK_SIZES.start(), CHUNK_SIZES.end());
                let message = format!(
                    "according to the anchor, chunks of {content} have {size} bytes; OTF2 allows {least} to {most}"
                );
                diagnostics.report(
                    Diagnostic::new(Severity::Note, "otf2.chunk_size", message)
                        .at(Place::file(path)),
                );
            }
        }
    }

    /// Encodes the anchor as bytes.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.byte(CHUNK_HEADER);
        encoder.byte(LITTLE_ENDIAN);
        encoder.text(MAGIC);
        encoder.byte(FORMAT);
        encoder.byte(TRACE_FORMAT);
        self.version.iter().for_each(|&part| encoder.byte(part));
        encoder.full64(self.event_chunk);
        encoder.full64(self.definition_chunk);
        encoder.byte(POSIX);
        encoder.byte(PLAIN);
        encoder.full64(self.locations);
        encoder.full64(self.global_definitions);
        encoder.text(&self.machine_name);
        encoder.text(&self.creator);
        encoder.text(&self.description);
        encoder.full32(self.properties.len() as u32);
        for (name, value) in (0..).zip(&self.properties).map(stored) {
            encoder.text(&name);
            encoder.text(&value);
        }
        encoder.full64(self.trace_id);
        encoder.full32(self.snapshots as u32);
        encoder.full32(self.thumbnails as u32);
        encoder.byte(END_OF_FILE);
        encoder.byte(END_OF_BUFFER);
        encoder.byte(END_OF_CHUNK);
        encoder.bytes
    }

    /// Adds the content of the anchor to `definitions`, as properties `name=value` of the trace.
    pub(crate) fn define(&self, definitions: &mut Definitions) {
        let [major, minor, bugfix] = self.version;
        let known = [
            (VERSION, format!("{major}.{minor}.{bugfix}")),
            (CREATOR, self.creator.clone()),
            (DESCRIPTION, self.description.clone()),
            (MACHINE, self.machine_name.clone()),
            (TRACE_ID, format!("{:016x}", self.trace_id)),
            (SNAPSHOTS, count(self.snapshots)),
        ];
        let further = self.properties.iter();
        let further = further.map(|(name, value)| (name.as_str(), value.clone()));
        let known = known.into_iter().filter(|(_, value)| !value.is_empty());
        for (name, value) in known.chain(further) {
            let text = format!("{name}={value}");
            definitions.push(DefinitionKind::TraceProperty, &[], &[], &text);
        }
    }

    /// Sets the field for a property of the trace; the inverse of [`define`](Self::define).
    pub(crate) fn set(&mut self, property: &str) {
        let (name, value) = property.split_once('=').unwrap_or((property, ""));
        match name {
            VERSION => {
                let parts: Vec<_> = value.split('.').map(str::parse).collect();
                // Archives written by this crate have the layout of version 3.0, whichever version the source had.
                if let [Ok(major @ 3..), Ok(minor), Ok(bugfix)] = parts[..] {
                    self.version = [major, minor, bugfix];
                }
            }
            CREATOR => value.clone_into(&mut self.creator),
            DESCRIPTION => value.clone_into(&mut self.description),
            MACHINE => value.clone_into(&mut self.machine_name),
            TRACE_ID => self.trace_id = u64::from_str_radix(value, 16).unwrap_or_default(),
            SNAPSHOTS => self.snapshots = value.parse().unwrap_or_default(),
            _ => self.properties.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// The beginning of the names of properties that have another name in the trace.
const RENAMED: &str = "FOLDTRACE::PROPERTY_";

/// Returns whether libotf2 accepts the name of a property. It does not open an archive with any other name.
fn is_property_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let parts: Vec<_> = name.split("::").collect();
    parts.len() > 1
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.chars().all(is_allowed))
}

/// Returns name and value of a property as an anchor has them, from the number of the property.
fn stored((number, (name, value)): (u32, &(String, String))) -> (String, String) {
    if is_property_name(name) && !name.starts_with(RENAMED) {
        return (name.clone(), value.clone());
    }
    (format!("{RENAMED}{number}"), format!("{name}={value}"))
}

/// Returns name and value of a property of the trace; the inverse of [`stored`].
fn from_stored((name, value): (String, String)) -> (String, String) {
    match value.split_once('=') {
        Some((own, value)) if name.starts_with(RENAMED) => (own.to_owned(), value.to_owned()),
        _ => (name, value),
    }
}

fn count(number: u64) -> String {
    match number {
        0 => String::new(),
        number => number.to_string(),
    }
}

fn owned(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn properties_have_names_that_libotf2_accepts() {
        for (name, is_name) in [
            ("EZTRACE::VERSION", true),
            ("A::B_1::C", true),
            ("VERSION", false),
            ("UUID 4", false),
            ("A::b", false),
            ("A::", false),
            ("", false),
        ] {
            assert_eq!(is_property_name(name), is_name, "{name}");
            let property = (name.to_owned(), "1=2".to_owned());
            let stored = stored((3, &property));
            assert!(is_property_name(&stored.0));
            assert_eq!(from_stored(stored), property);
        }
    }

    #[test]
    fn an_anchor_is_known_by_its_bytes() {
        assert!(is_anchor(b"\x03BOTF2\0\x03"));
        assert!(is_anchor(b"\x03#OTF2\0\x03"));
        assert!(!is_anchor(b"\x03BOTF"));
        assert!(!is_anchor(b"OTF2\x03B"));
        assert!(!is_anchor(b""));
    }

    proptest! {
        #[test]
        fn an_anchor_comes_back(
            texts in prop::array::uniform3("[^\0]{0,9}"),
            properties in prop::collection::vec(("[^\0=]{1,9}", "[^\0]{0,9}"), 0..4),
            numbers in prop::array::uniform5(0..1_u64 << 32),
        ) {
            let known = [VERSION, CREATOR, DESCRIPTION, MACHINE, TRACE_ID, SNAPSHOTS];
            prop_assume!(properties.iter().all(|(name, _)| !known.contains(&name.as_str())));
            let [machine_name, creator, description] = texts;
            let [locations, global_definitions, trace_id, snapshots, thumbnails] = numbers;
            let (version, snapshots, thumbnails) = ([3, 1, 2], snapshots >> 1, thumbnails >> 1);
            let anchor = Anchor {
                version, locations, global_definitions, machine_name, creator, description,
                properties, trace_id, snapshots, thumbnails, ..Anchor::default()
            };
            let mut bytes = anchor.write();
            prop_assert_eq!(Anchor::read(&bytes).unwrap(), (anchor.clone(), 0));
            bytes.push(b'\n');
            prop_assert_eq!(Anchor::read(&bytes).unwrap(), (anchor.clone(), 1));
            let mut definitions = Definitions::default();
            anchor.define(&mut definitions);
            let mut taken = Anchor { locations, global_definitions, thumbnails, ..Anchor::default() };
            for record in definitions.records(DefinitionKind::TraceProperty) {
                taken.set(record.text());
            }
            prop_assert_eq!(&taken, &anchor);
            for cut in 0..anchor.write().len() - 2 {
                prop_assert!(Anchor::read(&anchor.write()[..cut]).is_err());
            }
        }
    }
}
