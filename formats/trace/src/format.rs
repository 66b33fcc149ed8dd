//! The interface between formats and the rest of foldtrace: how a trace is recognised, read and written.
//!
//! A reader is split into streams. A format with one file per location provides one stream per location, so that
//! several threads can read in parallel. A format in global time order provides a single stream, whose batches change
//! location. Consumers treat both alike.
//!
//! End of input, truncation and corruption are three different things: [`Step::End`], an error of
//! kind [`Truncated`](crate::ErrorKind::Truncated), an error of kind
//! [`Malformed`](crate::ErrorKind::Malformed).

use std::ffi::OsStr;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    Definitions, Diagnostics, EventBatch, LocationId, Names, Place, Position, SymbolId,
    SymbolTable, Timestamp, TraceError, WideFields,
};

/// Extensions of compressed files.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// Returns the name of a file without the extension of its compression, `.gz` or `.zst`, and without its folder; the
/// same path if it has no such extension.
#[must_use]
pub fn uncompressed(path: &Path) -> &Path {
    match (path.extension().and_then(OsStr::to_str), path.file_stem()) {
        (Some(extension), Some(stem)) if COMPRESSED.contains(&extension) => Path::new(stem),
        _ => path,
    }
}

/// The name and the capabilities of a format.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Name on the command line.
    pub name: &'static str,
    /// Usual extensions of its files, without the dot.
    pub extensions: &'static [&'static str],
    /// One-line description.
    pub about: &'static str,
    /// The content that the format can represent.
    pub holds: &'static str,
    /// The content that a conversion to this format must drop.
    pub drops: &'static str,
    /// Whether [`Format::open`] works.
    pub reads: bool,
    /// Whether [`Format::create`] works.
    pub writes: bool,
    /// Whether the format is a text, which is worth compressing: its files may also end in `.gz` or `.zst`.
    pub is_text: bool,
}

impl Descriptor {
    /// Returns whether a file name has a usual extension of this format. For a text format, the extension of a
    /// compressed file may follow it.
    #[must_use]
    pub fn matches_extension(&self, path: &Path) -> bool {
        self.has_extension(if self.is_text {
            uncompressed(path)
        } else {
            path
        })
    }

    fn has_extension(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| self.extensions.contains(&extension))
    }
}

/// The type of the path of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a terminal, or standard input.
    Stream,
    /// A folder on an object store.
    ObjectFolder,
}

/// Returns whether a path is the URL of a folder on an object store, such as `s3://bucket/run.fold`. One slash is enough, because
/// libraries of paths leave out the other one.
#[must_use]
pub fn is_object_url(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(b"s3:/")
}

/// The view of an input from which a format recognises it: never only the name.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    /// The path, `-` for standard input.
    pub path: &'a Path,
    /// The type of the path.
    pub kind: PathKind,
    /// The first bytes of a file or stream; empty for a folder.
    pub head: &'a [u8],
}

/// The source of a trace.
pub enum Input {
    /// A file or a folder.
    Path(PathBuf),
    /// A pipe, which can be read once.
    Stream {
        /// The name of the stream in messages; `-` for standard input.
        name: PathBuf,
        /// The bytes already read from the stream to recognise the format.
        head: Vec<u8>,
        /// The rest of the stream.
        reader: Box<dyn Read + Send>,
    },
}

impl Input {
    /// Returns the name of the input for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Stream { name, .. } => name,
        }
    }
}

/// The destination of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A file or a folder that does not exist yet, unless `replace` allows it.
    Path {
        /// The final name.
        path: PathBuf,
        /// Whether an existing file or folder of that name may be replaced.
        replace: bool,
    },
    /// Standard output.
    Stdout,
}

/// Options for reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// Whether to keep the undamaged parts of a damaged input. A reader then drops what it must, reports each loss as
    /// a [`Loss`](crate::Severity::Loss), and continues.
    pub salvage: bool,
    /// The number of bytes that a [piece](TraceReader::pieces) of a stream has at least; 0 if no stream is divided.
    pub piece_bytes: u64,
}

impl ReadOptions {
    /// The usual size of pieces: more than most locations have, but converted in less than a second.
    const PIECE_BYTES: u64 = 1 << 26;

    /// Returns the options that read whole streams.
    #[must_use]
    pub const fn whole(salvage: bool) -> Self {
        Self {
            salvage,
            piece_bytes: 0,
        }
    }

    /// Returns the options that offer large streams in pieces of the usual size. What is to be salvaged is read as a whole.
    #[must_use]
    pub const fn in_pieces(salvage: bool) -> Self {
        Self {
            salvage,
            piece_bytes: if salvage { 0 } else { Self::PIECE_BYTES },
        }
    }

    /// Returns the number of bytes that a piece has at least in a source of `bytes` bytes, so that there are not more pieces than
    /// [`most_parts`]; 0 if no stream is divided.
    #[must_use]
    pub fn piece_bytes_of(self, bytes: u64) -> u64 {
        if self.piece_bytes == 0 {
            return 0;
        }
        self.piece_bytes.max(bytes / most_parts(bytes))
    }
}

/// Returns the number of parts into which a source of `bytes` bytes is divided at most: 256, unless they would have more than
/// 256 MiB each; and never more than 16,384.
#[must_use]
pub fn most_parts(bytes: u64) -> u64 {
    (bytes >> 28).clamp(1 << 8, 1 << 14)
}

/// A format: one folder under `formats/`, one line in the registry.
pub trait Format: Sync {
    /// Returns the name and the capabilities of the format.
    fn descriptor(&self) -> &'static Descriptor;

    /// Returns whether the input is of this format.
    fn sniff(&self, probe: &Probe<'_>) -> bool;

    /// Returns whether an input that [`sniff`](Self::sniff) recognises is certainly of this format, because it has a
    /// signature or keywords that no other format has. Otherwise, the recognition is a guess.
    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        let _ = probe;
        true
    }

    /// Returns what to do with an input that no format recognises, so that this one reads the result; `None` if nothing is known.
    fn advice(&self, probe: &Probe<'_>) -> Option<&'static str> {
        let _ = probe;
        None
    }

    /// Opens a trace.
    ///
    /// # Errors
    /// Returns an error if the input is missing, unreadable, of another format, or damaged before its first event.
    fn open(&self, input: Input, options: &ReadOptions)
    -> Result<Box<dyn TraceReader>, TraceError>;

    /// Opens the trace at `path` with what [`TraceReader::keep`] returned in another process. Returns `None` if the trace has changed
    /// since, if the options are different, or if the format has nothing to keep.
    ///
    /// # Errors
    /// Returns an error if the trace is unreadable.
    fn open_kept(
        &self,
        path: &Path,
        options: &ReadOptions,
        kept: &[u8],
    ) -> Result<Option<Box<dyn TraceReader>>, TraceError> {
        let _ = (path, options, kept);
        Ok(None)
    }

    /// Returns the checks of locations that were read in [pieces](TraceReader::pieces), in a trace with these definitions. They are those
    /// of [`TraceReader::checks`], for a caller that does not have the trace any more.
    fn checks(&self, definitions: &Definitions) -> Box<dyn LocationChecks> {
        let _ = definitions;
        Box::new(NoChecks)
    }

    /// Creates a trace.
    ///
    /// # Errors
    /// Returns an error if the format cannot be written, or the output cannot be created.
    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError>;
}

/// The description of a stream that is not open yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamInfo {
    /// The only location of the stream; `None` if its batches change location.
    pub location: Option<LocationId>,
    /// Size in the source, in bytes, for progress reports and load balancing; 0 if unknown.
    pub bytes: u64,
    /// The part of the source that has the stream, if the source has parts.
    pub part: Option<u32>,
}

/// A half-open range of time; an end that is `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The first tick in the range.
    pub from: Option<Timestamp>,
    /// The first tick after the range.
    pub to: Option<Timestamp>,
}

/// A stream that may begin in the middle of a location, with the calls that are open there.
pub struct StreamFrom<'a> {
    /// The calls that are open before the first event of the stream, outermost first: the symbols of the events that
    /// entered them, as ids of the stream's table.
    pub open: Vec<SymbolId>,
    /// The stream.
    pub stream: Box<dyn EventStream + 'a>,
}

/// The part of a trace that is known before its first event, except its symbols.
#[derive(Clone, Debug, Default)]
pub struct TraceHead {
    /// The definitions known before the first event. More may arrive with batches.
    pub definitions: Definitions,
    /// The problems found outside of any stream.
    pub diagnostics: Diagnostics,
    /// The streams, in an order that depends only on the trace.
    pub streams: Vec<StreamInfo>,
    /// The times and quantities that need all 64 bits; `None` if they are not known before the first event.
    pub wide_fields: Option<WideFields>,
}

/// An open trace.
pub trait TraceReader: Sync + Send {
    /// Returns the part of the trace that is known before its first event.
    fn head(&self) -> &TraceHead;

    /// Returns the [definitions](TraceHead::definitions) of the head.
    fn definitions(&self) -> &Definitions {
        &self.head().definitions
    }

    /// Returns the [problems](TraceHead::diagnostics) of the head.
    fn diagnostics(&self) -> &Diagnostics {
        &self.head().diagnostics
    }

    /// Returns the [streams](TraceHead::streams) of the head.
    fn streams(&self) -> &[StreamInfo] {
        &self.head().streams
    }

    /// Returns the [wide fields](TraceHead::wide_fields) of the head.
    fn wide_fields(&self) -> Option<WideFields> {
        self.head().wide_fields
    }

    /// Returns what was read to open the trace, so that other processes open it with [`Format::open_kept`] instead of reading it
    /// again; `None` if that would be no faster.
    fn keep(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns the symbols of all streams, if they are known before the first event. In such a trace, all definitions
    /// are known as well, and each stream is one location, in ascending order of their ids.
    ///
    /// The table is not part of the [`head`](Self::head), because its reader also decodes events with it.
    fn all_symbols(&self) -> Option<&SymbolTable> {
        None
    }

    /// Returns the names of the definitions, if the reader has resolved them, for example because it has the definitions
    /// of some locations only, whose ranks do not follow from these.
    fn all_names(&self) -> Option<&Names> {
        None
    }

    /// Opens stream number `index`. Several threads may read different streams at the same time.
    ///
    /// # Errors
    /// Returns an error if the stream's part of the input is missing or unreadable.
    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError>;

    /// Returns the sizes in bytes of the pieces into which stream number `index` is divided, so that several threads or
    /// processes read them at the same time; none if it is read as a whole. They depend only on the trace and on
    /// [`ReadOptions`].
    fn pieces(&self, index: usize) -> Vec<u64> {
        let _ = index;
        Vec::new()
    }

    /// Opens a piece of stream number `index`. Its batches have the positions that they have in the stream. Problems with
    /// the symbols of its events are found by [`checks`](Self::checks), which need all events.
    ///
    /// # Errors
    /// Returns an error if there is no such piece, or in the same cases as [`open_stream`](Self::open_stream).
    fn open_piece(
        &self,
        index: usize,
        piece: usize,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Err(TraceError::no_piece(index, piece))
    }

    /// Returns the checks of locations that were read in pieces.
    fn checks(&self) -> &dyn LocationChecks {
        &NoChecks
    }

    /// Returns the place of stream number `index` in the source.
    fn place_of(&self, index: usize) -> Place {
        Place {
            location: self.streams().get(index).and_then(|stream| stream.location),
            ..Place::default()
        }
    }

    /// Opens stream number `index` for a caller that needs only the events at `positions`. A reader that can seek
    /// provides only these events; other readers provide all events.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`open_stream`](Self::open_stream).
    fn open_stream_at(
        &self,
        index: usize,
        positions: Range<Position>,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let _ = positions;
        self.open_stream(index)
    }

    /// Opens stream number `index` for a caller that needs only the events from the first one at or after
    /// `range.from` up to, but excluding, the first one at or after `range.to`. A reader that can skip begins there
    /// or at any earlier event, and reports which calls are open where it begins; it may end at any later event.
    /// Other readers, and streams that change location, provide all events.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`open_stream`](Self::open_stream), and if the skipped part is damaged.
    fn open_stream_in(&self, index: usize, range: TimeRange) -> Result<StreamFrom<'_>, TraceError> {
        let _ = range;
        Ok(StreamFrom {
            open: Vec::new(),
            stream: self.open_stream(index)?,
        })
    }
}

/// Checks of the locations of a trace, for streams that were read in pieces.
pub trait LocationChecks: Sync {
    /// Begins the check of a location whose events are at `place`.
    fn begin(&self, place: &Place) -> Box<dyn LocationCheck + '_>;
}

/// A check of all events of a location, in their order. It finds the problems that a reader of the whole stream finds in
/// the symbols of its events.
pub trait LocationCheck {
    /// Checks the events from position `first` on, which follow those checked before. `symbols` is the same table for all
    /// events; it grows by the symbols that occur in them for the first time.
    fn check(
        &mut self,
        first: Position,
        events: &[SymbolId],
        symbols: &SymbolTable,
        diagnostics: &mut Diagnostics,
    );

    /// Ends the events.
    fn finish(&mut self, diagnostics: &mut Diagnostics);
}

/// The checks of a format that has none.
struct NoChecks;

impl LocationChecks for NoChecks {
    fn begin(&self, _place: &Place) -> Box<dyn LocationCheck + '_> {
        Box::new(Self)
    }
}

impl LocationCheck for NoChecks {
    fn check(
        &mut self,
        _first: Position,
        _events: &[SymbolId],
        _symbols: &SymbolTable,
        _diagnostics: &mut Diagnostics,
    ) {
    }

    fn finish(&mut self, _diagnostics: &mut Diagnostics) {}
}

/// The result of [`EventStream::next_batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The batch contains at least one event.
    Batch,
    /// The end of the stream. The batch has no events, but may contain definitions.
    End,
}

/// A stream of batches.
pub trait EventStream {
    /// Fills `batch` with the next events of one location and reports problems with them.
    ///
    /// # Errors
    /// Returns an error if the input is truncated or corrupt. The batch then contains the complete events before the
    /// damage. If called again, a stream that can find the next record continues after the damage; any other stream
    /// returns [`Step::End`].
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError>;

    /// Asks for batches of at most `events` events, for a caller that holds many streams open at once. A stream that
    /// does not support this ignores the request.
    fn batch_at_most(&mut self, events: usize) {
        let _ = events;
    }

    /// Returns the table that the symbol ids of the batches refer to. The table only grows.
    fn symbols(&self) -> &SymbolTable;

    /// Returns the number of bytes of the source consumed so far, for progress reports.
    fn bytes_read(&self) -> u64;
}

/// The order in which a writer takes the events of several locations. Events of one location always come in the order
/// of their positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Any order.
    #[default]
    Any,
    /// One location after the other, in ascending order of their ids. All definitions come before the first event,
    /// and all batches use the same, complete table of symbols.
    Location,
    /// By time, and at the same time by the ids of the locations. Definitions and symbols are as in
    /// [`Location`](Self::Location).
    Time,
}

/// A trace being written. If dropped unfinished, it leaves no output that looks valid.
pub trait TraceWriter {
    /// Returns the order in which the writer takes events.
    fn order(&self) -> Order {
        Order::Any
    }

    /// Writes the definitions known at the start.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError>;

    /// Writes a batch, its definitions first. `symbols` is the table of the stream that filled the batch.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError>;

    /// Sets which times and quantities need all 64 bits, for formats with signed columns. Called before the first
    /// event, for writers with an order other than [`Order::Any`].
    fn wide_fields(&mut self, fields: WideFields) {
        let _ = fields;
    }

    /// Limits the memory for data that is collected before it is written, for formats that collect.
    fn collect_at_most(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Returns writers of single locations, if the format can write locations in parallel. Definitions are still
    /// written by [`definitions`](Self::definitions); a location is written in only one of the two ways.
    fn locations(&self) -> Option<&dyn LocationWriters> {
        None
    }

    /// Completes the trace. Returns diagnostics, including what the format could not represent.
    ///
    /// # Errors
    /// Returns an error if the output cannot be completed.
    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError>;
}

/// A factory of writers for locations that are written in parallel, each on a thread of its own.
pub trait LocationWriters: Sync {
    /// Begins a location that was not begun before.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn begin(&self, location: LocationId) -> Result<Box<dyn LocationWriter + '_>, TraceError>;
}

/// A location being written.
pub trait LocationWriter {
    /// Writes the events of a batch of this location, without its definitions.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError>;

    /// Completes the location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be completed.
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
