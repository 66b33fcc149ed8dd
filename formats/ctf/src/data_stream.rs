//! Reads the packets and events of a data stream, from one file or several in sequence.

use std::path::PathBuf;

use foldtrace_trace::{Place, Remedy, TraceError};

use crate::chunk::Chunk;
use crate::class::Role;
use crate::cursor::{Cursor, Stop};
use crate::decoder::Decoder;
use crate::fault::Fault;
use crate::leaf::Fields;
use crate::plan::{StreamPlan, TracePlan};
use crate::program::Op;
use crate::run::run;
use crate::state::State;
use crate::timeline::Conversion;
use crate::window::Window;

/// What packets begin with.
const MAGIC: u64 = 0xc1fc_1fc1;

/// What identifies the stream to which a file belongs, from its first packet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    pub class: u64,
    /// The number of the stream; `None` if packets have none.
    pub number: Option<u64>,
    /// The value of the clock when the packet begins.
    pub begin: Option<u64>,
}

/// Events and packets that a tracer has lost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub events: u64,
    /// Packets whose tracer lost events, but not how many.
    pub uncounted: u64,
    pub packets: u64,
    /// Packets that the file cuts off.
    pub cut_off: u64,
}

/// A packet. Offsets and sizes are in bits from the beginning of the packet, except for its own offset.
#[derive(Debug, Default)]
struct Packet {
    /// Where it begins in the file, in bytes.
    offset: u64,
    /// Where the next item begins.
    at: u64,
    content: u64,
    total: u64,
}

/// Why a stream decodes no more events for now.
#[derive(Debug)]
pub(crate) enum Filled {
    /// The chunk is full.
    Full,
    /// The stream ends.
    End,
    Stuck(Obstacle),
}

/// What must be overcome before a stream can be decoded further.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// The class of events with this number has not been compiled.
    Unknown(u64),
    Failed(TraceError),
}

/// An open data stream.
#[derive(Debug)]
pub(crate) struct DataStream {
    pub class: u64,
    files: std::vec::IntoIter<PathBuf>,
    window: Window,
    window_bytes: usize,
    keeps_open: bool,
    /// Whether a packet that the file cuts off is read as far as possible.
    pub salvages: bool,
    pub state: State,
    packet: Packet,
    has_packet: bool,
    /// How the values of the clock become times; `None` if the stream has no clock.
    pub conversion: Option<Conversion>,
    /// The latest time of the events so far.
    latest: u64,
    /// The snapshots of the counters of the previous packet.
    discarded: Option<u64>,
    sequence: Option<u64>,
    pub losses: Losses,
    /// The number of texts that are not valid in their encoding.
    pub damaged_texts: u64,
    /// The sizes of the files that have been read to their ends.
    finished_bytes: u64,
    /// The size of all files.
    pub size: u64,
}

/// Checks the magic number of a packet, if it has one.
fn check_magic(state: &State) -> Result<(), Fault> {
    match state.role(Role::Magic) {
        Some(magic) if magic != MAGIC => {
            let message =
                format!("expected a packet that begins with {MAGIC:#x}, found {magic:#x}");
            Err(Fault::new(message).hint("the file may not be a stream of this trace"))
        }
        _ => Ok(()),
    }
}

impl DataStream {
    /// Opens a stream whose files, of which there is at least one, are in the order of time.
    pub(crate) fn open(
        files: Vec<PathBuf>,
        class: u64,
        plan: &TracePlan,
        window_bytes: usize,
        keeps_open: bool,
    ) -> Result<Self, TraceError> {
        let sizes = files
            .iter()
            .map(|file| file.metadata().map_or(0, |it| it.len()));
        let size = sizes.sum();
        let mut files = files.into_iter();
        let first = files.next().unwrap_or_default();
        let window = Window::open(&first, window_bytes, keeps_open);
        let window = window.map_err(|error| TraceError::unreadable(&first, error))?;
        let state = State::new(plan.slots, plan.description.uuid);
        Ok(Self {
            class,
            files,
            window,
            window_bytes,
            keeps_open,
            salvages: false,
            state,
            packet: Packet::default(),
            has_packet: false,
            conversion: None,
            latest: 0,
            discarded: None,
            sequence: None,
            losses: Losses::default(),
            damaged_texts: 0,
            finished_bytes: 0,
            size,
        })
    }

    /// Reads the first packet of a file, to find out to which stream it belongs.
    pub(crate) fn identify(
        file: PathBuf,
        plan: &TracePlan,
        salvages: bool,
    ) -> Result<Identity, TraceError> {
        const BYTES: usize = 1 << 12;
        let mut stream = Self::open(vec![file], 0, plan, BYTES, true)?;
        stream.salvages = salvages;
        let class = stream.begin_packet(plan, None, &mut Fields::default())?;
        Ok(Identity {
            class,
            number: stream.state.role(Role::Stream),
            begin: stream.state.clock,
        })
    }

    /// Returns the number of bytes that have been read.
    pub(crate) fn bytes_read(&self) -> u64 {
        let position = self.packet.offset + self.packet.at / 8;
        self.finished_bytes + position.min(self.window.size)
    }

    /// Returns the current place in the file.
    pub(crate) fn place(&self) -> Place {
        Place::file(self.window.path()).byte(self.packet.offset + self.packet.at / 8)
    }

    /// Returns the error for a fault at the current place.
    pub(crate) fn failed(&self, fault: Fault) -> TraceError {
        fault.error(self.place()).remedy(Remedy::Salvage)
    }

    /// Decodes a scope of a packet from the position `at` on. Returns the position after it.
    fn decode(&mut self, scope: &[Op], at: u64, fields: &mut Fields) -> Result<u64, TraceError> {
        let (clock, kept) = (self.state.clock, fields.mark());
        self.state.first_text = fields.texts().len();
        loop {
            let start = at / 8;
            let (bytes, is_last) = self.window.bytes_from(self.packet.offset + start);
            let mut cursor = Cursor::new(bytes, start, at, self.packet.content, is_last);
            match run(scope, &mut cursor, &mut self.state, fields) {
                Ok(()) => return Ok(cursor.at),
                Err(Stop::Starved) => {
                    self.state.clock = clock;
                    fields.truncate(kept);
                    self.fill_window(start)?;
                }
                Err(Stop::Fault(fault)) => return Err(self.failed(*fault)),
                // The header of a packet has no events.
                Err(Stop::Unknown(_)) => return Ok(at),
            }
        }
    }

    /// Moves the window to a byte of the packet, or enlarges it.
    fn fill_window(&mut self, start: u64) -> Result<(), TraceError> {
        let filled = self.window.fill(self.packet.offset + start);
        filled.map_err(|error| TraceError::unreadable(self.window.path(), error))
    }

    /// Reads the header and the context of the packet at the current offset. Returns the number of its class of streams, which
    /// must be `expected` if that is known.
    fn begin_packet(
        &mut self,
        plan: &TracePlan,
        expected: Option<u64>,
        fields: &mut Fields,
    ) -> Result<u64, TraceError> {
        (self.packet.at, self.packet.content) = (0, u64::MAX);
        self.state.forget_roles();
        if !plan.description.is_tsdl {
            self.state.clock = None;
        }
        let at = self.decode(&plan.packet_header, 0, fields)?;
        check_magic(&self.state).map_err(|fault| self.failed(fault))?;
        let only = plan
            .streams
            .keys()
            .next()
            .filter(|_| plan.streams.len() == 1);
        let class = self
            .state
            .role(Role::StreamClass)
            .or(only.copied())
            .unwrap_or(0);
        let Some(stream) = plan.streams.get(&class) else {
            let message =
                format!("a packet belongs to stream {class}, which the metadata do not describe");
            return Err(self.failed(Fault::new(message)));
        };
        if expected.is_some_and(|expected| expected != class) {
            let message = format!(
                "packets of several streams follow each other, the last one of stream {class}"
            );
            return Err(self.failed(Fault::new(message)));
        }
        self.packet.at = self.decode(&stream.packet_context, at, fields)?;
        self.set_sizes()?;
        Ok(class)
    }

    /// Sets the sizes of the packet, whose context has been read.
    fn set_sizes(&mut self) -> Result<(), TraceError> {
        let [total, content] =
            [Role::PacketBits, Role::ContentBits].map(|role| self.state.role(role));
        let rest = 8 * (self.window.size - self.packet.offset);
        let (total, content) = match (total, content) {
            (None, None) => (rest, rest),
            (Some(total), content) => (total, content.unwrap_or(total)),
            (None, Some(content)) => (content, content),
        };
        let at = self.packet.at;
        if content > total || content < at || total % 8 != 0 {
            let message = format!(
                "expected a packet of whole bytes with a content of at least {at} bits, found one of {total} bits with a content of {content}"
            );
            return Err(self.failed(Fault::new(message)));
        }
        (self.packet.total, self.packet.content) = (total, content);
        if total > rest {
            if !self.salvages {
                let message = format!(
                    "expected a packet of {} bytes, found {}",
                    total / 8,
                    rest / 8
                );
                return Err(self.failed(Fault::truncated(message)));
            }
            // What is there is read up to the end of the file.
            self.losses.cut_off += 1;
            (self.packet.total, self.packet.content) = (rest, content.min(rest));
        }
        Ok(())
    }

    /// Counts what was lost before the packet.
    fn count_losses(&mut self) {
        let discarded = self.state.role(Role::Discarded);
        match (self.discarded, discarded) {
            (None, Some(now)) => self.losses.uncounted += u64::from(now > 0),
            (Some(before), Some(now)) => self.losses.events += now.saturating_sub(before),
            _ => {}
        }
        let sequence = self.state.role(Role::Sequence);
        if let (Some(before), Some(now)) = (self.sequence, sequence) {
            self.losses.packets += now.saturating_sub(before).saturating_sub(1);
        }
        (self.discarded, self.sequence) = (discarded, sequence);
    }

    /// Moves to the next packet. At the end of the file, the chunk is full if it has events, because the next one belongs to
    /// another file.
    fn next_packet(
        &mut self,
        plan: &TracePlan,
        chunk: &mut Chunk,
    ) -> Result<Option<Filled>, TraceError> {
        if std::mem::take(&mut self.has_packet) {
            self.packet.offset += self.packet.total / 8;
            (self.packet.at, self.packet.total) = (0, 0);
        }
        chunk.forget_packet();
        while self.packet.offset >= self.window.size {
            if !chunk.events.is_empty() {
                return Ok(Some(Filled::Full));
            }
            self.finished_bytes += self.window.size;
            self.packet = Packet::default();
            let Some(file) = self.files.next() else {
                self.window.size = 0;
                return Ok(Some(Filled::End));
            };
            let window = Window::open(&file, self.window_bytes, self.keeps_open);
            self.window = window.map_err(|error| TraceError::unreadable(&file, error))?;
        }
        if chunk.events.is_empty() {
            self.window.path().clone_into(&mut chunk.file);
        }
        self.begin_packet(plan, Some(self.class), &mut chunk.fields)?;
        self.has_packet = true;
        self.count_losses();
        Ok(None)
    }

    /// Decodes events until the chunk has `most` of them, or until something stops it.
    pub(crate) fn fill(&mut self, plan: &TracePlan, chunk: &mut Chunk, most: usize) -> Filled {
        let damaged = chunk.fields.damaged_texts;
        let filled = self.try_fill(plan, chunk, most);
        self.damaged_texts += chunk.fields.damaged_texts - damaged;
        filled.unwrap_or_else(|error| Filled::Stuck(Obstacle::Failed(error)))
    }

    fn try_fill(
        &mut self,
        plan: &TracePlan,
        chunk: &mut Chunk,
        most: usize,
    ) -> Result<Filled, TraceError> {
        let Some(stream) = plan.streams.get(&self.class) else {
            return Ok(Filled::End);
        };
        if self.state.slots.len() < plan.slots {
            self.state.slots.resize(plan.slots, 0);
        }
        if chunk.events.is_empty() {
            self.window.path().clone_into(&mut chunk.file);
        }
        loop {
            while !self.has_packet || self.packet.at >= self.packet.content {
                if let Some(filled) = self.next_packet(plan, chunk)? {
                    return Ok(filled);
                }
            }
            match self.decode_events(plan, stream, chunk, most) {
                Ok(true) => return Ok(Filled::Full),
                Ok(false) => {}
                Err(Stop::Unknown(id)) => return Ok(Filled::Stuck(Obstacle::Unknown(id))),
                Err(Stop::Starved) => self.fill_window(self.packet.at / 8)?,
                Err(Stop::Fault(fault)) => return Err(self.failed(*fault)),
            }
        }
    }

    /// Decodes at least one event, and more until the packet ends or the chunk is full. Returns whether the chunk is full.
    fn decode_events(
        &mut self,
        plan: &TracePlan,
        stream: &StreamPlan,
        chunk: &mut Chunk,
        most: usize,
    ) -> Result<bool, Stop> {
        let Packet {
            offset,
            at,
            content,
            ..
        } = self.packet;
        let (bytes, is_last) = self.window.bytes_from(offset + at / 8);
        let mut cursor = Cursor::new(bytes, at / 8, at, content, is_last);
        let mut decoder = Decoder {
            plan,
            stream,
            conversion: self.conversion,
            state: &mut self.state,
        };
        while cursor.at < content {
            let (clock, mark) = (decoder.state.clock, chunk.fields.mark());
            let mut event = match decoder.event(&mut cursor, &mut chunk.fields) {
                Ok(event) => event,
                Err(stop) => {
                    decoder.state.clock = clock;
                    chunk.fields.truncate(mark);
                    return Err(stop);
                }
            };
            self.packet.at = cursor.at;
            self.latest = self.latest.max(event.turn);
            event.turn = self.latest;
            event.place = offset + cursor.at / 8;
            let is_barrier = plan.events[event.class as usize].is_barrier;
            chunk.push(event, decoder.state, is_barrier);
            if chunk.is_full(most) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives up the rest of the packet after a failure. Returns `false` if the next packet cannot be found.
    pub(crate) fn skip_packet(&mut self) -> bool {
        if self.has_packet {
            self.packet.at = self.packet.content;
        }
        self.has_packet
    }

    /// Gives up the rest of the file after a failure.
    pub(crate) fn skip_file(&mut self) {
        self.has_packet = false;
        self.packet.offset = self.window.size;
    }
}
