//! The contract between formats and the rest: how a trace is recognised, read and written.
//!
//! A reader splits into streams. A format with a file a location gives one stream a location, so
//! that cores work side by side; a format in global time order gives a single stream whose batches
//! change location. Consumers treat both alike.
//!
//! End of input, truncation and corruption are three different things: [`Step::End`], an error of
//! kind [`Truncated`](crate::ErrorKind::Truncated), an error of kind
//! [`Malformed`](crate::ErrorKind::Malformed).

use std::ffi::OsStr;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::{
    Definitions, Diagnostics, EventBatch, LocationId, Position, SymbolId, SymbolTable, Timestamp,
    TraceError, WideFields,
};

/// Endings of compressed files.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// What a format calls itself and what it can do.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Name on the command line.
    pub name: &'static str,
    /// Usual endings of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// One line on what it is.
    pub about: &'static str,
    /// What it can hold.
    pub holds: &'static str,
    /// What a conversion to it must drop.
    pub drops: &'static str,
    /// Whether [`Format::open`] works.
    pub reads: bool,
    /// Whether [`Format::create`] works.
    pub writes: bool,
    /// Whether it is a text, which is worth compressing: its files may end in `.gz` or `.zst` too.
    pub is_text: bool,
}

impl Descriptor {
    /// Returns whether a file name has a usual extension of this format; for a text also with an ending of
    /// compressed files after it.
    #[must_use]
    pub fn matches_extension(&self, path: &Path) -> bool {
        let Some(extension) = path.extension().and_then(OsStr::to_str) else {
            return false;
        };
        if self.is_text && COMPRESSED.contains(&extension) {
            let plain = path.file_stem().map(Path::new);
            return plain.is_some_and(|plain| self.has_extension(plain));
        }
        self.has_extension(path)
    }

    fn has_extension(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| self.extensions.contains(&extension))
    }
}

/// What the path of an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a terminal, or standard input.
    Stream,
}

/// What a format sees of an input to recognise it: never only the name.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The path, `-` for standard input.
    pub path: &'a Path,
    /// What the path is.
    pub kind: PathKind,
    /// The first bytes of a file or stream; empty for a folder.
    pub head: &'a [u8],
}

/// Where to read from.
pub enum Input {
    /// A file or a folder.
    Path(PathBuf),
    /// A pipe, which can be read once.
    Stream {
        /// What to call it in messages; `-` for standard input.
        name: PathBuf,
        /// What was already read from it to recognise the format.
        head: Vec<u8>,
        /// The rest.
        reader: Box<dyn Read + Send>,
    },
}

impl Input {
    /// A name for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Stream { name, .. } => name,
        }
    }
}

/// Where to write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A file or a folder that does not exist yet, unless `replace` allows it.
    Path {
        /// The final name.
        path: PathBuf,
        /// Whether something of that name may be replaced.
        replace: bool,
    },
    /// Standard output.
    Stdout,
}

/// Choices of the user that concern reading.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Keep what is whole of a damaged input: a reader drops what it must, reports it as a
    /// [`Loss`](crate::Severity::Loss) and goes on.
    pub salvage: bool,
}

/// A format: one folder under `formats/`, one line in the registry.
pub trait Format: Sync {
    /// What it is and what it can do.
    fn descriptor(&self) -> &'static Descriptor;

    /// Whether the input is of this format.
    fn sniff(&self, probe: &Probe<'_>) -> bool;

    /// Returns whether an input that [`sniff`](Self::sniff) recognises is certainly of this format, because
    /// it has a signature or words that no other format has. If not, the recognition is a guess.
    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        let _ = probe;
        true
    }

    /// Opens a trace.
    ///
    /// # Errors
    /// If the input is missing, unreadable, of another format, or damaged before its first event.
    fn open(&self, input: Input, options: &ReadOptions)
    -> Result<Box<dyn TraceReader>, TraceError>;

    /// Begins a trace.
    ///
    /// # Errors
    /// If the format cannot be written, or the output cannot be created.
    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError>;
}

/// One stream of a trace, not opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// The only location of the stream; `None` if its batches change location.
    pub location: Option<LocationId>,
    /// Size in the source, in bytes, for progress and for the spread of work; 0 if unknown.
    pub bytes: u64,
}

/// A range of time; a side that is `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The first tick of it.
    pub from: Option<Timestamp>,
    /// The first tick behind it.
    pub to: Option<Timestamp>,
}

/// A stream that begins somewhere, and what was open there.
pub struct StreamFrom<'a> {
    /// The calls that are open before the first event of the stream, as symbols of the events that
    /// entered them, outermost first; ids of the stream's table.
    pub open: Vec<SymbolId>,
    /// The stream.
    pub stream: Box<dyn EventStream + 'a>,
}

/// An open trace.
pub trait TraceReader: Sync + Send {
    /// What is defined before the first event. More may arrive with batches.
    fn definitions(&self) -> &Definitions;

    /// What was found wrong so far, outside of any stream.
    fn diagnostics(&self) -> &Diagnostics;

    /// The streams; an order that depends on the trace alone.
    fn streams(&self) -> &[StreamInfo];

    /// The symbols of all streams, if they are known before the first event. Such a trace has no
    /// surprises: all definitions are known as well, and each stream is one location, in ascending
    /// order of their ids.
    fn all_symbols(&self) -> Option<&SymbolTable> {
        None
    }

    /// Returns which times and quantities need all 64 bits, if that is known before the first event.
    fn wide_fields(&self) -> Option<WideFields> {
        None
    }

    /// Opens stream number `index`. Streams may be read side by side on different threads.
    ///
    /// # Errors
    /// If the stream's part of the input is missing or unreadable.
    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError>;

    /// Opens stream number `index` for someone who needs no events but those at `positions`. A
    /// reader that can seek gives these alone; others give all events.
    ///
    /// # Errors
    /// As [`open_stream`](Self::open_stream).
    fn open_stream_at(
        &self,
        index: usize,
        positions: Range<Position>,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let _ = positions;
        self.open_stream(index)
    }

    /// Opens stream number `index` for someone who needs no event before the first one at or after
    /// `range.from`, and none from the first one at or after `range.to` on. A reader that can skip
    /// begins there, or anywhere before, and tells which calls are open where it begins; it may end
    /// anywhere behind. Others, and streams that change location, give all events.
    ///
    /// # Errors
    /// As [`open_stream`](Self::open_stream), and if what is skipped is damaged.
    fn open_stream_in(&self, index: usize, range: TimeRange) -> Result<StreamFrom<'_>, TraceError> {
        let _ = range;
        Ok(StreamFrom {
            open: Vec::new(),
            stream: self.open_stream(index)?,
        })
    }
}

/// What [`EventStream::next_batch`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The batch holds at least one event.
    Batch,
    /// The end of the stream; the batch is empty, but may hold definitions.
    End,
}

/// A stream of batches.
pub trait EventStream {
    /// Fills `batch` with the next events of one location and reports what is odd about them.
    ///
    /// # Errors
    /// On truncation or corruption. The batch then holds the complete events before the place of
    /// the error. Called again, a stream that can find a next record goes on behind the damage;
    /// one that cannot gives [`Step::End`].
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError>;

    /// Asks for batches of no more than `events` events, for who holds many streams open at once.
    /// A stream that cannot do so gives batches as it likes.
    fn batch_at_most(&mut self, events: usize) {
        let _ = events;
    }

    /// The table that the batches' symbols are ids of; it only grows.
    fn symbols(&self) -> &SymbolTable;

    /// How many bytes of the source were consumed, for progress.
    fn bytes_read(&self) -> u64;
}

/// The order in which a writer takes the events of several locations. Those of one location always
/// come in the order of their positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they come.
    #[default]
    Any,
    /// A location after the other, in ascending order of their ids. All definitions come before the
    /// first event, and the table of symbols is the same for all batches, and complete.
    Location,
    /// By time; events of the same time by the ids of their locations. Definitions and symbols as in
    /// [`Location`](Self::Location).
    Time,
}

/// A trace being written. Dropped unfinished, it leaves nothing that looks valid.
pub trait TraceWriter {
    /// The order in which it takes events.
    fn order(&self) -> Order {
        Order::Any
    }

    /// Writes the definitions known at the start.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError>;

    /// Writes a batch, its definitions first; `symbols` is the table of the stream it came from.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError>;

    /// Sets which times and quantities need all 64 bits, for formats with signed columns. Called before
    /// the first event, for writers with an order other than [`Order::Any`].
    fn wide_fields(&mut self, fields: WideFields) {
        let _ = fields;
    }

    /// Bounds what is collected in memory before it is written, for formats that collect.
    fn collect_at_most(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Writers of single locations, if the format can write them side by side. Definitions still go
    /// through [`definitions`](Self::definitions); a location is written in one way or the other.
    fn locations(&self) -> Option<&dyn LocationWriters> {
        None
    }

    /// Completes the trace; gives what the format could not hold, and what else is to say.
    ///
    /// # Errors
    /// If the output cannot be completed.
    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError>;
}

/// Begins locations that are written side by side, each on a thread of its own.
pub trait LocationWriters: Sync {
    /// Begins a location that was not begun before.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn begin(&self, location: LocationId) -> Result<Box<dyn LocationWriter + '_>, TraceError>;
}

/// A location being written.
pub trait LocationWriter {
    /// Writes the events of a batch, which is of this location; not its definitions.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError>;

    /// Completes the location.
    ///
    /// # Errors
    /// If the output cannot be completed.
    fn finish(self: Box<Self>) -> Result<(), TraceError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_texts_may_end_as_compressed_files_do() {
        let text = Descriptor {
            name: "text",
            extensions: &["trace"],
            about: "",
            holds: "",
            drops: "",
            reads: true,
            writes: true,
            is_text: true,
        };
        let binary = Descriptor {
            is_text: false,
            ..text
        };
        for (name, of_text, of_binary) in [
            ("a.trace", true, true),
            ("a.trace.gz", true, false),
            ("a.gz", false, false),
            ("trace", false, false),
        ] {
            assert_eq!(text.matches_extension(Path::new(name)), of_text, "{name}");
            assert_eq!(
                binary.matches_extension(Path::new(name)),
                of_binary,
                "{name}"
            );
        }
    }
}
