//! Writes slices, instants, counters and arrows for viewers, with all data that is needed to read the trace back
//! unchanged.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::ops::Range;

use foldtrace_notation::{SymbolTexts, push_definition, push_number};
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Arrow, Arrows, DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, LocationId,
    Names, Output, Ranks, SymbolId, SymbolTable, TraceError, TraceWriter,
};

use crate::elements::{OUR_DEFINITIONS, OURS};
use crate::event_json::{
    Extras, close, push_metric, push_place, push_quantities, push_symbol, push_values,
};
use crate::json::{push_text, push_unsigned};
use crate::slices::{End, Slices};
use crate::time::Scale;
use crate::vocabulary::Vocabulary;

/// Size of a block that is written at once, in bytes.
const BLOCK: usize = 1 << 18;
/// The process of locations that have no process.
const NO_PROCESS: u64 = i32::MAX as u64;
/// The category of drawn elements that are not events of the trace.
pub(crate) const DRAWN: &str = "drawn";
/// Category and name of the arrows from sends to receives.
pub(crate) const MESSAGE: &str = "message";

/// Writes a trace.
pub(crate) struct ChromeWriter {
    file: OutputFile,
    out: Vec<u8>,
    defined: Definitions,
    vocabulary: Vocabulary,
    ranks: Ranks,
    /// Whether names and ranks include all definitions so far.
    is_resolved: bool,
    /// The scale of times, set at the first event.
    scale: Option<Scale>,
    is_first: bool,
    tracks: HashMap<LocationId, Track>,
    taken: HashSet<(u64, u64)>,
    named: HashSet<u64>,
    arrows: Arrows,
    texts: SymbolTexts,
}

/// The process and the thread that show a location.
struct Track {
    process: u64,
    thread: u64,
    slices: Slices,
}

impl ChromeWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        Ok(Self {
            file: OutputFile::create(output)?,
            out: Vec::with_capacity(BLOCK + BLOCK / 4),
            defined: Definitions::default(),
            vocabulary: Vocabulary::default(),
            ranks: Ranks::default(),
            is_resolved: true,
            scale: None,
            is_first: true,
            tracks: HashMap::new(),
            taken: HashSet::new(),
            named: HashSet::new(),
            arrows: Arrows::default(),
            texts: SymbolTexts::default(),
        })
    }

    fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.defined.append(definitions);
        self.is_resolved = false;
        if self.scale.is_some() {
            for definition in lines(definitions) {
                self.begin_event();
                self.out.extend_from_slice(
                    b"{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"foldtrace\",\"args\":{\"definition\":",
                );
                push_text(&mut self.out, &definition);
                self.out.extend_from_slice(b"}}");
            }
        }
    }

    fn resolve(&mut self) {
        if !self.is_resolved {
            self.vocabulary = Vocabulary::new(&self.defined);
            self.ranks = Ranks::new(&self.defined, &self.vocabulary.names);
            self.is_resolved = true;
        }
    }

    /// Returns the scale of times, and writes everything that comes before the first event if it is not written yet.
    fn scale(&mut self) -> Scale {
        if let Some(scale) = self.scale {
            return scale;
        }
        let clock = self.defined.clock();
        let scale = Scale::new(clock.ticks_per_second, clock.global_offset);
        self.scale = Some(scale);
        let out = &mut self.out;
        // Comes first, so that readers recognise the file at once.
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(OURS.as_bytes());
        out.extend_from_slice(b"\":{\"version\":1,\"ticks_per_second\":");
        push_unsigned(out, scale.ticks_per_second);
        out.extend_from_slice(b",\"first_tick\":");
        push_unsigned(out, scale.first_tick);
        out.extend_from_slice(b"},\n\"displayTimeUnit\":\"ns\",\n\"");
        out.extend_from_slice(OUR_DEFINITIONS.as_bytes());
        out.extend_from_slice(b"\":[");
        let mut separator: &[u8] = b"\n";
        for definition in lines(&self.defined) {
            out.extend_from_slice(separator);
            push_text(out, &definition);
            separator = b",\n";
        }
        out.extend_from_slice(b"],\n\"traceEvents\":[");
        self.resolve();
        let locations = self.defined.records(DefinitionKind::Location);
        let locations: Vec<_> = locations.map(|record| LocationId(record.get(0))).collect();
        for location in locations {
            self.track(location);
        }
        scale
    }

    /// Begins a line.
    fn begin_event(&mut self) {
        let separator: &[u8] = if self.is_first { b"\n" } else { b",\n" };
        self.out.extend_from_slice(separator);
        self.is_first = false;
    }

    /// Returns the track of a location, and assigns and names it if necessary.
    fn track(&mut self, location: LocationId) -> (u64, u64) {
        if let Some(track) = self.tracks.get(&location) {
            return (track.process, track.thread);
        }
        let (process, thread) = (self.vocabulary.names.rank(location))
            .filter(|place| place.0 < NO_PROCESS && self.taken.insert(*place))
            .unwrap_or_else(|| {
                let place = (NO_PROCESS, self.tracks.len() as u64);
                self.taken.insert(place);
                place
            });
        let track = Track {
            process,
            thread,
            slices: Slices::default(),
        };
        self.tracks.insert(location, track);
        if self.named.insert(process) {
            self.name_process(process, thread);
        }
        self.name_thread(process, thread, location);
        (process, thread)
    }

    /// Writes the name and the display order of a process; `thread` is its first thread.
    fn name_process(&mut self, process: u64, thread: u64) {
        let names = &self.vocabulary.names;
        let name = (names.process(process))
            .and_then(|process| names.name(DefinitionKind::LocationGroup, process.group));
        let title = match name.filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None if process == NO_PROCESS => "no process".to_owned(),
            None => format!("rank {process}"),
        };
        self.push_title((process, thread), "process_name", |out| {
            out.extend_from_slice(b"\"name\":");
            push_text(out, &title);
        });
        self.push_title((process, thread), "process_sort_index", |out| {
            out.extend_from_slice(b"\"sort_index\":");
            push_number(out, process);
        });
    }

    /// Writes the name and the display order of the thread that shows a location.
    fn name_thread(&mut self, process: u64, thread: u64, location: LocationId) {
        let title = (self.vocabulary.names)
            .name(DefinitionKind::Location, location.0)
            .filter(|name| !name.is_empty())
            .map_or_else(|| format!("thread {thread}"), str::to_owned);
        self.push_title((process, thread), "thread_name", |out| {
            out.extend_from_slice(b"\"name\":");
            push_text(out, &title);
            out.extend_from_slice(b",\"location\":");
            push_unsigned(out, location.0);
        });
        self.push_title((process, thread), "thread_sort_index", |out| {
            out.extend_from_slice(b"\"sort_index\":");
            push_number(out, thread);
        });
    }

    /// Writes a metadata event called `name` for a process or a thread.
    fn push_title(&mut self, at: (u64, u64), name: &str, args: impl FnOnce(&mut Vec<u8>)) {
        self.begin_event();
        self.out.extend_from_slice(b"{\"ph\":\"M\"");
        push_place(&mut self.out, at);
        self.out.extend_from_slice(b",\"name\":\"");
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\",\"args\":{");
        args(&mut self.out);
        self.out.extend_from_slice(b"}}");
    }

    /// Returns the text of a symbol of the current batch: everything from the process to the fields that all events
    /// of this symbol share.
    fn text(&mut self, at: (u64, u64), id: SymbolId, symbols: &SymbolTable) -> Range<usize> {
        if let Some(text) = self.texts.find(id) {
            return text;
        }
        push_symbol(
            self.texts.begin(),
            at,
            &symbols.symbol(id),
            &self.vocabulary,
        );
        self.texts.end(id, symbols.len())
    }

    fn begin_timed(&mut self, scale: &Scale, time: u64) {
        self.begin_event();
        self.out.extend_from_slice(b"{\"ts\":");
        scale.push(&mut self.out, time);
    }

    /// Writes an event that ends the innermost slice, and ends the slices around it that were left before.
    fn push_end(&mut self, scale: &Scale, at: (u64, u64), time: u64, around: usize, args: &[u8]) {
        self.begin_timed(scale, time);
        push_place(&mut self.out, at);
        self.out.extend_from_slice(b",\"ph\":\"E\"");
        if !args.is_empty() {
            self.out.extend_from_slice(b",\"args\":{");
            self.out.extend_from_slice(args);
            self.out.push(b'}');
        }
        self.out.push(b'}');
        for _ in 0..around {
            self.begin_timed(scale, time);
            push_place(&mut self.out, at);
            self.out.extend_from_slice(b",\"ph\":\"E\",\"cat\":\"");
            self.out.extend_from_slice(DRAWN.as_bytes());
            self.out.extend_from_slice(b"\"}");
        }
    }

    fn push_arrow(&mut self, scale: &Scale, at: (u64, u64), time: u64, arrow: Arrow) {
        self.begin_timed(scale, time);
        push_place(&mut self.out, at);
        let phase = if arrow.is_send { "s" } else { "f" };
        let bound = if arrow.is_send { "" } else { ",\"bp\":\"e\"" };
        let id = arrow.id;
        // Writing to memory cannot fail.
        let _ = write!(
            self.out,
            ",\"ph\":\"{phase}\",\"cat\":\"{MESSAGE}\",\"name\":\"{MESSAGE}\",\"id\":\"{id:#x}\"{bound}}}"
        );
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        if self.out.len() >= BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let written = self.file.write_all(&self.out);
        self.out.clear();
        written.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }
}

/// Returns definitions as texts, without line ends.
fn lines(definitions: &Definitions) -> impl Iterator<Item = String> {
    definitions.in_order().into_iter().map(|record| {
        let mut line = Vec::new();
        push_definition(&mut line, &record);
        line.pop();
        String::from_utf8_lossy(&line).into_owned()
    })
}

impl TraceWriter for ChromeWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions);
        self.settle()
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions);
        if batch.is_empty() {
            return self.settle();
        }
        let scale = self.scale();
        self.resolve();
        let at = self.track(batch.location);
        self.texts.begin_batch();
        let mut extras = Extras::default();
        let mut args = Vec::new();
        for event in batch.iter(symbols) {
            let (kind, time) = (symbols.kind(event.symbol), event.time.0);
            let mut end = None;
            if let Some(track) = self.tracks.get_mut(&batch.location) {
                use EventKind::{CallingContextEnter, CallingContextLeave, Enter, Leave};
                match kind {
                    Enter | CallingContextEnter => track.slices.begin(symbols.symbol(event.symbol)),
                    Leave | CallingContextLeave => {
                        end = Some(track.slices.end(symbols.symbol(event.symbol)));
                    }
                    _ => {}
                }
            }
            if let Some(End::Innermost(around)) = end {
                // The helpers expect the opening brace of the arguments.
                args.clear();
                args.push(b'{');
                push_values(&mut args, batch, extras.metrics(batch, event.index));
                extras.push_attributes(&mut args, batch, event.index, &self.vocabulary);
                self.push_end(&scale, at, time, around, &args[1..]);
                self.settle()?;
                continue;
            }
            let text = self.text(at, event.symbol, symbols);
            self.begin_timed(&scale, time);
            self.out.extend_from_slice(self.texts.text(text));
            let rows = extras.metrics(batch, event.index);
            let (out, vocabulary) = (&mut self.out, &self.vocabulary);
            if kind == EventKind::Metric {
                let symbol = symbols.symbol(event.symbol);
                push_metric(out, batch, rows, &symbol, vocabulary, |out| {
                    extras.push_attributes(out, batch, event.index, vocabulary);
                });
            } else {
                push_quantities(out, kind, &event);
                push_values(out, batch, rows);
                extras.push_attributes(out, batch, event.index, vocabulary);
                close(out);
            }
            if kind.is_send() || kind.is_receive() || kind == EventKind::MpiProbe {
                let symbol = symbols.symbol(event.symbol);
                let names: &Names = &self.vocabulary.names;
                let arrow = self.arrows.end(batch.location, &symbol, names, &self.ranks);
                if let Some(arrow) = arrow {
                    self.push_arrow(&scale, at, time, arrow);
                }
            }
            self.settle()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.scale();
        self.out.extend_from_slice(b"\n]}\n");
        self.flush()?;
        self.file.complete()?;
        Ok(Diagnostics::default())
    }
}
