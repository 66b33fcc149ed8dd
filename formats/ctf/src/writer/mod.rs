//! Writes traces: a folder with the metadata and a data stream for each location that has events.
//!
//! The metadata are written at the end, when all classes of events are known. `schemas/ctf.md` describes them.

mod classes;
mod description;
mod events;
mod json;
mod packets;
mod tsdl;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use foldtrace_output::{Contents, OutputFolder};
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventBatch, LocationId, LocationWriter, LocationWriters,
    Names, Output, SymbolTable, TraceError, TraceWriter,
};

use crate::metadata::FILE as METADATA;
use crate::ours::STREAM;
use classes::{Classes, Named, Used};
use description::{Description, LOCATION};
use events::Location;
use packets::Packets;
use tsdl::Tsdl;

/// Maximum number of bytes collected for all locations together if their batches are interleaved, by default.
const MOST_COLLECTED: usize = 1 << 26;

/// The kind of files that a trace consists of.
const CONTENTS: Contents = Contents {
    name: "files of a CTF trace that foldtrace wrote",
    has: |path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name == METADATA || name.starts_with(STREAM))
    },
};

/// The version of the format in which metadata are written. Data streams are the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// 1.8, which most programs read.
    One,
    /// 2, whose metadata are JSON.
    Two,
}

/// A trace that is being written.
pub(crate) struct CtfWriter {
    version: Version,
    folder: OutputFolder,
    definitions: Definitions,
    /// The ranks of locations, by the definitions so far.
    names: Names,
    is_resolved: bool,
    /// Locations whose batches are interleaved.
    open: BTreeMap<LocationId, Location>,
    /// The size of the memory for their packets in bytes, and its limit.
    held: usize,
    most: usize,
    classes: Classes,
}

impl CtfWriter {
    pub(crate) fn create(output: Output, version: Version) -> Result<Self, TraceError> {
        let Output::Path { path, replace } = output else {
            return Err(TraceError::new(
                ErrorKind::Usage,
                "a CTF trace is a folder, so it cannot be written to standard output",
            )
            .hint("give the name of a folder, such as run.ctf"));
        };
        let check = move |target: &Path| CONTENTS.check(target, replace);
        Ok(Self {
            version,
            folder: OutputFolder::create(path.components().collect(), check)?,
            definitions: Definitions::default(),
            names: Names::default(),
            is_resolved: true,
            open: BTreeMap::new(),
            held: 0,
            most: MOST_COLLECTED,
            classes: Classes::default(),
        })
    }

    fn define(&mut self, definitions: &Definitions) {
        self.definitions.append(definitions);
        self.is_resolved &= definitions.is_empty();
    }

    fn begin(&self, location: LocationId) -> Location {
        let rank = self.names.rank(location).map(|(rank, _)| rank);
        let named = [
            (LOCATION, location.0),
            (Named::Process, rank.unwrap_or(u64::MAX)),
        ];
        let used = named.map(|(named, id)| (named, [id].into()));
        self.classes.add_used(Used::from(used));
        Location::new(Packets::new(&self.folder, location, rank))
    }
}

impl TraceWriter for CtfWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions);
        self.names = Names::new(&self.definitions);
        self.is_resolved = true;
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions);
        if batch.is_empty() {
            return Ok(());
        }
        let known = self.open.remove(&batch.location);
        let before = known.as_ref().map_or(0, Location::held);
        let mut location = match known {
            Some(location) => location,
            None => {
                if !self.is_resolved {
                    self.names = Names::new(&self.definitions);
                    self.is_resolved = true;
                }
                self.begin(batch.location)
            }
        };
        location.write(batch, symbols, &self.classes)?;
        self.held = self.held - before + location.held();
        self.open.insert(batch.location, location);
        if self.held > self.most {
            self.open.values_mut().try_for_each(Location::send)?;
            self.held = 0;
        }
        Ok(())
    }

    fn collect_at_most(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.most = bytes.min(MOST_COLLECTED);
    }

    fn locations(&self) -> Option<&dyn LocationWriters> {
        Some(self)
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        for location in std::mem::take(&mut self.open).into_values() {
            location.finish(&self.classes)?;
        }
        let (layouts, used) = self.classes.into_parts();
        let description = Description::new(&self.definitions, &layouts, &used);
        let metadata = match self.version {
            Version::One => Tsdl(&description).to_string(),
            Version::Two => json::metadata(&description),
        };
        let written = fs::write(self.folder.path().join(METADATA), metadata);
        written
            .map_err(|error| TraceError::unwritable(&self.folder.target().join(METADATA), error))?;
        self.folder.complete()?;
        Ok(Diagnostics::default())
    }
}

impl LocationWriters for CtfWriter {
    fn begin(&self, location: LocationId) -> Result<Box<dyn LocationWriter + '_>, TraceError> {
        Ok(Box::new(Parallel {
            location: Self::begin(self, location),
            classes: &self.classes,
        }))
    }
}

/// A location that is written in parallel with others.
struct Parallel<'a> {
    location: Location,
    classes: &'a Classes,
}

impl LocationWriter for Parallel<'_> {
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.location.write(batch, symbols, self.classes)
    }

    fn finish(self: Box<Self>) -> Result<(), TraceError> {
        self.location.finish(self.classes)
    }
}
