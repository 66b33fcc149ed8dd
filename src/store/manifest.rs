//! The manifest: what a store is, and what its files must be. It is written last.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use foldtrace_trace::{Clock, ErrorKind, Place, TraceError};
use serde::{Deserialize, Serialize};

use super::derived::Derived;
use super::error::{Writing, damaged};

/// Version of what is on disk. A store of a later version is refused.
pub const VERSION: u32 = 1;

/// The name of the manifest's file.
pub(super) const FILE: &str = "manifest.json";

/// How the quantities of a store are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As plain Parquet.
    #[default]
    Plain,
    /// Coded by what happened, which is smaller and takes foldtrace to read.
    Archive,
}

/// What the store was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the format.
    pub format: String,
    /// File name of the input, without its folders.
    pub name: String,
}

/// Ticks of the source's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ClockEntry {
    ticks_per_second: u64,
    global_offset: u64,
    trace_length: u64,
}

/// How many of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Events of all locations.
    pub events: u64,
    /// Locations.
    pub locations: u64,
    /// Processes.
    pub processes: u64,
    /// Definitions of regions, as the source has them.
    pub regions: u64,
    /// Distinct symbols.
    pub symbols: u64,
    /// Events of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// Problems by key.
    pub diagnostics: BTreeMap<String, u64>,
}

/// A file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path within the store, with `/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its BLAKE3 hash, hexadecimal.
    pub blake3: String,
}

impl FileEntry {
    /// Whether the file is of a derived table, which can be made again from the others.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        Derived::ALL.iter().any(|table| table.has_file(&self.path))
    }
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `foldtrace store`.
    kind: String,
    /// Version of the layout.
    pub version: u32,
    /// Program that wrote it.
    pub created_by: String,
    /// How the quantities are kept.
    pub form: Form,
    /// What it was made from.
    pub source: Source,
    clock: ClockEntry,
    /// How many of everything.
    pub counts: Counts,
    /// Terms that the body of a loop in the stored models may have.
    pub max_body: u64,
    /// Every other file of the store.
    pub files: Vec<FileEntry>,
    /// BLAKE3 hash of this file with an empty checksum.
    checksum: String,
}

const KIND: &str = "foldtrace store";

/// The BLAKE3 hash of a text in pieces, hexadecimal.
fn hash<const N: usize>(pieces: [&str; N]) -> String {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        hasher.update(piece.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// What every version has; read first, so that a later one is named as such.
#[derive(Deserialize)]
struct Head {
    kind: String,
    version: u32,
}

impl Manifest {
    pub(super) fn new(
        form: Form,
        source: Source,
        clock: Clock,
        counts: Counts,
        max_body: u64,
        files: Vec<FileEntry>,
    ) -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION,
            created_by: concat!("foldtrace ", env!("CARGO_PKG_VERSION")).to_owned(),
            form,
            source,
            clock: ClockEntry {
                ticks_per_second: clock.ticks_per_second,
                global_offset: clock.global_offset,
                trace_length: clock.trace_length,
            },
            counts,
            max_body,
            files,
            checksum: String::new(),
        }
    }

    /// The source's clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock {
            ticks_per_second: self.clock.ticks_per_second.max(1),
            global_offset: self.clock.global_offset,
            trace_length: self.clock.trace_length,
        }
    }

    /// Writes the manifest with its own checksum.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, store: &Path) -> Result<(), TraceError> {
        let path = store.join(FILE);
        self.checksum.clear();
        self.checksum = hash([&*self.text().writing(&path)?]);
        let text = self.text().writing(&path)?;
        let mut file = File::create(&path).writing(&path)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .writing(&path)
    }

    /// What its file holds.
    fn text(&self) -> io::Result<String> {
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        Ok(json + "\n")
    }

    /// Whether `folder` is a store, of whatever version.
    pub(super) fn is_of_a_store(folder: &Path) -> bool {
        let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice::<Head>(&bytes).is_ok_and(|head| head.kind == KIND)
    }

    /// Whether the file of this manifest is as it was written, byte for byte.
    pub(super) fn is_intact(&self, store: &Path) -> bool {
        let text = fs::read_to_string(store.join(FILE)).unwrap_or_default();
        text.rsplit_once(&self.checksum)
            .is_some_and(|(before, behind)| hash([before, behind]) == self.checksum)
    }

    /// Reads the manifest of a store.
    ///
    /// # Errors
    /// If there is none, if it is damaged, or if the store is of a later version.
    pub fn read(store: &Path) -> Result<Self, TraceError> {
        let path = store.join(FILE);
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if store.exists() => {
                let message = format!("{} is not a store", store.display());
                TraceError::new(ErrorKind::Foreign, message)
                    .at(Place::file(store))
                    .hint("a store is a folder with a manifest.json; 'foldtrace convert' makes one from a trace")
            }
            io::ErrorKind::NotFound => TraceError::unreadable(store, error),
            _ => TraceError::unreadable(&path, error),
        })?;
        let broken = |error| damaged(&path, "the manifest is damaged", error);
        let head: Head =
            serde_json::from_slice(&bytes).map_err(|e: serde_json::Error| broken(e.into()))?;
        if head.kind != KIND {
            return Err(TraceError::new(
                ErrorKind::Foreign,
                format!("{} is not a store", store.display()),
            )
            .at(Place::file(&path)));
        }
        if head.version > VERSION {
            let message = format!(
                "the store has version {}, this program reads up to {VERSION}",
                head.version
            );
            return Err(TraceError::new(ErrorKind::Foreign, message)
                .at(Place::file(&path))
                .hint("a newer foldtrace reads it"));
        }
        serde_json::from_slice(&bytes)
            .map_err(|e| broken(Box::new(e) as Box<dyn std::error::Error + Send + Sync>))
    }
}
