//! The manifest, which describes a store and lists its files. It is written last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path};

use bytes::Bytes;
use foldtrace_fold::MAX_BODY;
use foldtrace_trace::{Clock, ErrorKind, Place, TraceError, WideFields};
use serde::{Deserialize, Serialize};

use super::entry::FileEntry;
use super::handle::FolderHandle;
use super::stored::not_a_store;
use crate::error::{Writing, damaged, wrong};
use crate::paths::MANIFEST;
use crate::unsigned::Unsigned;

/// The version of the layout on disk. A store of a later version is rejected.
pub const VERSION: u32 = 4;

/// The encoding of a store's quantities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Plain Parquet.
    #[default]
    Plain,
    /// Coded with the help of the topology: smaller, and readable only by foldtrace.
    Archive,
}

/// The source that a store was made from; its texts are empty if it is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Source {
    /// The name of the format.
    pub format: String,
    /// The file name of the input, without its folders; `-` for standard input.
    pub name: String,
}

/// The source's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct ClockEntry {
    /// Ticks per second.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    ticks_per_second: u64,
    /// The first tick of the trace; 0 if unknown.
    global_offset: u64,
    /// The length of the trace in ticks, according to the source; 0 if unknown.
    trace_length: u64,
}

/// The sizes of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Counts {
    /// The number of events in all locations.
    pub events: u64,
    /// The number of locations that are defined or have events.
    pub locations: u64,
    /// The number of processes: location groups with locations, without groups of accelerators that a process
    /// created.
    pub processes: u64,
    /// The number of region definitions in the source. A region that is defined in several processes counts several
    /// times.
    pub regions: u64,
    /// The number of rows of the table of symbols: events without times, other quantities and tags of tagged symbols.
    pub symbols: u64,
    /// The number of events of each kind that occurs.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::json_schema::counts_by_kind")
    )]
    pub kinds: BTreeMap<String, u64>,
    /// The number of problems by key, see diagnostics.md.
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::json_schema::counts_by_key")
    )]
    pub diagnostics: BTreeMap<String, u64>,
}

/// The manifest of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Manifest {
    /// Always `foldtrace store`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = KIND)))]
    kind: String,
    /// The version of the layout.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The program that wrote the store, and its version.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^[^ ]+ [0-9]+\.[0-9]+\.[0-9]+"))
    )]
    pub created_by: String,
    /// The encoding of the quantities.
    pub form: Form,
    /// The source that the store was made from.
    pub source: Source,
    /// The source's clock.
    clock: ClockEntry,
    /// The sizes of the trace.
    pub counts: Counts,
    /// The maximum number of terms in a loop body of the stored models.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_body: u64,
    /// Whether the topology, the models and the DAG have columns of tags, because tags have many values.
    // Stores before version 3 have none.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(!default))]
    pub has_tags: bool,
    /// The columns of numbers that are unsigned, by table: one of their values needs the 64th bit.
    // A store of version 1 does not list them: most of its numbers are unsigned.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(!default))]
    pub unsigned: Unsigned,
    /// All files of the store except the manifest, sorted by path.
    #[cfg_attr(feature = "schema", schemars(extend("uniqueItems" = true)))]
    pub files: Vec<FileEntry>,
    /// The BLAKE3 hash of the manifest's file with an empty checksum.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    checksum: String,
}

const KIND: &str = "foldtrace store";

/// Returns the BLAKE3 hash of a text given in pieces, in hexadecimal.
fn hash<const N: usize>(pieces: [&str; N]) -> String {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        hasher.update(piece.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The entries that every version has. They are read first, so that a later version is reported as such.
#[derive(Deserialize)]
struct Head {
    kind: String,
    version: u32,
}

impl Manifest {
    pub(crate) fn new(
        form: Form,
        source: Source,
        clock: Clock,
        counts: Counts,
        max_body: u64,
        has_tags: bool,
        unsigned: Unsigned,
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
            has_tags,
            unsigned,
            files: Vec::new(),
            checksum: String::new(),
        }
    }

    /// Returns the source's clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock {
            ticks_per_second: self.clock.ticks_per_second.max(1),
            global_offset: self.clock.global_offset,
            trace_length: self.clock.trace_length,
        }
    }

    /// Returns the times and quantities that need all 64 bits; `None` for a store of version 1, which
    /// does not record them.
    #[must_use]
    pub fn wide_fields(&self) -> Option<WideFields> {
        (self.version > 1).then(|| self.unsigned.fields())
    }

    /// Returns the checksum of the manifest, which identifies the contents of the store.
    #[must_use]
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Writes the manifest with its own checksum.
    ///
    /// # Errors
    /// Returns an error if the manifest cannot be written.
    pub fn write(&mut self, store: &Path) -> Result<(), TraceError> {
        let path = store.join(MANIFEST);
        self.checksum.clear();
        self.checksum = hash([&*self.text().writing(&path)?]);
        let text = self.text().writing(&path)?;
        let mut file = File::create(&path).writing(&path)?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .writing(&path)
    }

    /// Returns the text of the manifest's file.
    fn text(&self) -> io::Result<String> {
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        Ok(json + "\n")
    }

    /// Returns whether `folder` is a store of any version.
    pub(crate) fn exists_in(folder: &Path) -> bool {
        let bytes = fs::read(folder.join(MANIFEST)).unwrap_or_default();
        serde_json::from_slice::<Head>(&bytes).is_ok_and(|head| head.kind == KIND)
    }

    /// Reads the manifest of a store.
    ///
    /// # Errors
    /// Returns an error if there is no manifest, if it is damaged, or if the store was written by a later version.
    pub fn read(store: &Path) -> Result<Self, TraceError> {
        Self::within(&FolderHandle::open(store)?)
    }

    /// Reads and checks the manifest in an open folder.
    pub(crate) fn within(folder: &FolderHandle) -> Result<Self, TraceError> {
        let bytes = Self::bytes(folder)?;
        let manifest = Self::parse(folder.path(), &bytes)?;
        match manifest.problems(&bytes).into_iter().next() {
            Some(problem) => Err(wrong(
                &folder.path_of(MANIFEST),
                &format!("the manifest {problem}"),
            )),
            None => Ok(manifest),
        }
    }

    /// Reads the bytes of the manifest in an open folder.
    pub(crate) fn bytes(folder: &FolderHandle) -> Result<Bytes, TraceError> {
        let manifest = folder.manifest()?;
        manifest.ok_or_else(|| not_a_store(folder.path()))
    }

    /// Parses the manifest of the store at `store`, without the checks of [`Manifest::problems`].
    pub(crate) fn parse(store: &Path, bytes: &[u8]) -> Result<Self, TraceError> {
        let path = store.join(MANIFEST);
        let broken = |error: serde_json::Error| damaged(&path, "the manifest is damaged", error);
        let head: Head = serde_json::from_slice(bytes).map_err(broken)?;
        if head.kind != KIND {
            return Err(TraceError::new(
                ErrorKind::Foreign,
                format!("{} is not a store", store.display()),
            )
            .at(Place::file(&path)));
        }
        if head.version > VERSION {
            let message = format!(
                "the store has version {}, but this program reads versions up to {VERSION}",
                head.version
            );
            return Err(TraceError::new(ErrorKind::Foreign, message)
                .at(Place::file(&path))
                .hint("use a newer version of foldtrace"));
        }
        serde_json::from_slice(bytes).map_err(broken)
    }

    /// Returns the problems of the manifest whose file has these bytes.
    pub(crate) fn problems(&self, bytes: &[u8]) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.has_checksum_of(bytes) {
            problems.push("does not match its own checksum".to_owned());
        }
        if self.max_body > MAX_BODY as u64 {
            problems.push(format!(
                "allows loop bodies of {} terms, more than {MAX_BODY}",
                self.max_body
            ));
        }
        let mut paths = BTreeSet::new();
        for FileEntry { path, .. } in &self.files {
            if !is_within(path) {
                problems.push(format!("lists {path}, which is outside of the store"));
            }
            if !paths.insert(path) {
                problems.push(format!("lists {path} twice"));
            }
        }
        problems
    }

    /// Returns whether these bytes have the checksum that the manifest states.
    fn has_checksum_of(&self, bytes: &[u8]) -> bool {
        let text = str::from_utf8(bytes).unwrap_or_default();
        text.rsplit_once(&self.checksum)
            .is_some_and(|(before, after)| hash([before, after]) == self.checksum)
    }
}

/// Returns whether a path leads to a file within its store, other than the manifest.
pub(crate) fn is_within(path: &str) -> bool {
    let mut components = Path::new(path).components();
    let is_inside = components.all(|component| matches!(component, Component::Normal(_)));
    is_inside && !path.is_empty() && path != MANIFEST
}

/// Returns the paths of the files that a manifest of any version lists; `None` if it cannot be parsed.
pub(crate) fn listed_files(bytes: &[u8]) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct PathEntry {
        path: String,
    }
    #[derive(Deserialize)]
    struct Files {
        files: Vec<PathEntry>,
    }
    let files: Files = serde_json::from_slice(bytes).ok()?;
    Some(files.files.into_iter().map(|file| file.path).collect())
}

/// Returns the entries of files that can still be parsed in a damaged manifest.
pub(crate) fn legible_entries(bytes: &[u8]) -> Vec<FileEntry> {
    let begins = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'{');
    let entries = begins.filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_slice(&bytes[at..]).into_iter();
        values.next()?.ok()
    });
    entries
        .filter(|entry: &FileEntry| is_within(&entry.path))
        .collect()
}
