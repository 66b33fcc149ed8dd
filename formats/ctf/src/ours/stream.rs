//! Reads the events of a location.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventStream, LocationId, Place, Position, Quantity,
    ReadOptions, Remedy, Severity, Step, Symbol, SymbolTable, Timestamp, TraceError, UNDEFINED,
};

use super::layout::{Layout, Stored};
use super::packet::{CLASS_BITS, CONTEXT, FULL, FULL_HEADER, MAGIC, PACKET, TIME_BITS};
use crate::fault::{Fault, report};

/// The number of events of a batch, unless fewer are wanted.
const BATCH: usize = 1 << 16;

/// A class of events.
#[derive(Debug)]
pub(super) struct Class {
    layout: Layout,
    /// Size of an event without its header, in bytes.
    size: usize,
}

impl Class {
    pub(super) fn new(layout: Layout) -> Self {
        let id = if layout.is_wide { 8 } else { 4 };
        let members = layout.members.iter().map(|(_, value_type)| value_type);
        let types = members.chain(layout.attributes.iter().map(|(_, value_type)| value_type));
        let values = types.map(
            |&value_type| match Stored::new(value_type, layout.is_wide) {
                Stored::Id => id,
                Stored::Real(32) => 4,
                _ => 8,
            },
        );
        let size = 8 * usize::from(layout.is_late)
            + id * layout.kind.operands().len()
            + 8 * layout.kind.quantities().len()
            + values.sum::<usize>();
        Self { layout, size }
    }
}

/// The events of a location.
pub(super) struct OurStream<'a> {
    classes: &'a [Class],
    location: LocationId,
    salvages: bool,
    most: usize,
    packets: Packets,
    /// The current packet, and the offset of its next event.
    packet: Vec<u8>,
    at: usize,
    /// The time of the last event.
    time: u64,
    delivered: u64,
    symbols: SymbolTable,
}

impl<'a> OurStream<'a> {
    pub(super) fn open(
        path: &Path,
        location: LocationId,
        classes: &'a [Class],
        options: ReadOptions,
    ) -> Result<Self, TraceError> {
        let largest_event = classes.iter().map(|class| class.size).max().unwrap_or(0);
        let packets = Packets::open(path, (PACKET + FULL_HEADER + largest_event) as u64);
        Ok(Self {
            classes,
            location,
            salvages: options.salvage,
            most: BATCH,
            packets: packets.map_err(|error| TraceError::unreadable(path, error))?,
            packet: Vec::new(),
            at: 0,
            time: 0,
            delivered: 0,
            symbols: SymbolTable::default(),
        })
    }

    /// Fills a batch. Returns `false` at the end of the stream.
    fn fill(&mut self, batch: &mut EventBatch) -> Result<bool, TraceError> {
        while batch.len() < self.most {
            if self.at == self.packet.len() {
                if let Some(cut_off) = self.packets.cut_off.take() {
                    return Err(cut_off);
                }
                self.at = 0;
                if !self.packets.next(&mut self.packet, self.location)? {
                    return Ok(false);
                }
                self.at = CONTEXT;
            }
            let taken = self.event(batch);
            taken.map_err(|fault| {
                // In a packet that is cut off, this is the reason.
                self.packets.cut_off.take().unwrap_or_else(|| {
                    let byte = self.packets.start + self.at as u64;
                    let position = Position(self.delivered + batch.len() as u64);
                    let place = Place::file(&self.packets.path).byte(byte);
                    failed(fault, place.event(self.location, position))
                })
            })?;
        }
        Ok(true)
    }

    /// Takes an event.
    #[inline]
    fn event(&mut self, batch: &mut EventBatch) -> Result<(), Fault> {
        let mut bytes = Bytes(&self.packet[self.at..]);
        let brief = bytes.half()?;
        let mut class = brief & ((1 << CLASS_BITS) - 1);
        if class == FULL {
            bytes = Bytes(&self.packet[self.at + 1..]);
            class = bytes.half()?;
            self.time = bytes.whole()?;
        } else {
            const LOW: u64 = (1 << TIME_BITS) - 1;
            let low = u64::from(brief >> CLASS_BITS);
            // The time has the low bits of the header and is the first such time since that of the event before.
            self.time = self.time.wrapping_add(low.wrapping_sub(self.time) & LOW);
        }
        let Some(class) = self.classes.get(class as usize) else {
            return Err(Fault::new(format!(
                "expected the number of a class of events, which are {}, found {class}",
                self.classes.len()
            )));
        };
        let (body, rest) = bytes.0.split_at_checked(class.size).ok_or_else(cut_off)?;
        take(
            &mut Bytes(body),
            &class.layout,
            self.time,
            batch,
            &mut self.symbols,
        )?;
        self.at = self.packet.len() - rest.len();
        Ok(())
    }
}

/// Returns the error for a fault in a part of the file.
fn failed(fault: Fault, place: Place) -> TraceError {
    fault.error(place).remedy(Remedy::Salvage)
}

fn cut_off() -> Fault {
    Fault::new("expected an event, found the end of its packet")
}

/// Adds an event of a class, whose header has a time, to a batch.
#[inline]
fn take(
    bytes: &mut Bytes<'_>,
    layout: &Layout,
    time: u64,
    batch: &mut EventBatch,
    symbols: &mut SymbolTable,
) -> Result<(), Fault> {
    let kind = layout.kind;
    let time = Timestamp(if layout.is_late { bytes.whole()? } else { time });
    let mut operands = [UNDEFINED; foldtrace_trace::MAX_OPERANDS];
    let operands = &mut operands[..kind.operands().len()];
    for operand in operands.iter_mut() {
        *operand = bytes.id(layout.is_wide)?;
    }
    let symbol = symbols.intern(Symbol::new(kind, operands));
    let mut quantities = [(Quantity::Bytes, 0); Quantity::COUNT];
    let quantities = &mut quantities[..kind.quantities().len()];
    for (place, &quantity) in quantities.iter_mut().zip(kind.quantities()) {
        *place = (quantity, bytes.whole()?);
    }
    let event = batch.len() as u32;
    batch.push(symbol, time, quantities);
    let mut value = |value_type| match Stored::new(value_type, layout.is_wide) {
        Stored::Id => bytes.id(layout.is_wide),
        Stored::Real(32) => bytes.half().map(u64::from),
        _ => bytes.whole(),
    };
    for &(member, value_type) in &layout.members {
        batch
            .metrics
            .push(event, member, value_type, value(value_type)?);
    }
    for &(attribute, value_type) in &layout.attributes {
        batch
            .attributes
            .push(event, attribute, value_type, value(value_type)?);
    }
    Ok(())
}

/// Bytes that are taken from the beginning.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    #[inline]
    fn half(&mut self) -> Result<u32, Fault> {
        let (&bytes, rest) = self.0.split_first_chunk().ok_or_else(cut_off)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(bytes))
    }

    #[inline]
    fn whole(&mut self) -> Result<u64, Fault> {
        let (&bytes, rest) = self.0.split_first_chunk().ok_or_else(cut_off)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Takes an id or an operand. In 32 bits, the undefined one has all of them.
    #[inline]
    fn id(&mut self, is_wide: bool) -> Result<u64, Fault> {
        if is_wide {
            return self.whole();
        }
        self.half().map(|id| id.cast_signed() as i64 as u64)
    }
}

/// The packets of a file.
struct Packets {
    path: PathBuf,
    file: File,
    size: u64,
    /// Where the current packet and the next one begin.
    start: u64,
    next: u64,
    /// The maximum size of a packet, in bytes.
    most: u64,
    /// The error for the current packet if the file ends within it, until its events have been read.
    cut_off: Option<TraceError>,
}

impl Packets {
    fn open(path: &Path, most: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        Ok(Self {
            path: path.to_owned(),
            size: file.metadata()?.len(),
            file,
            start: 0,
            next: 0,
            most,
            cut_off: None,
        })
    }

    /// Reads the next packet, which must be one of `location`, or the part of it that the file has. Returns `false` at the end
    /// of the file.
    fn next(&mut self, packet: &mut Vec<u8>, location: LocationId) -> Result<bool, TraceError> {
        packet.clear();
        self.start = self.next;
        if self.start == self.size {
            return Ok(false);
        }
        let place = Place::file(&self.path).byte(self.start).location(location);
        let failed = |fault: Fault| failed(fault, place.clone());
        // Without a size, there is no next packet.
        self.next = self.size;
        let unreadable = |error| TraceError::unreadable(&self.path, error);
        self.file
            .seek(SeekFrom::Start(self.start))
            .map_err(unreadable)?;
        let mut file = &self.file;
        file.by_ref()
            .take(CONTEXT as u64)
            .read_to_end(packet)
            .map_err(unreadable)?;
        if packet.len() < CONTEXT {
            return Err(failed(Fault::truncated(
                "the file ends within the header of a packet",
            )));
        }
        let word = |index: usize| {
            let word = packet[4 + 8 * index..].first_chunk();
            word.map_or(0, |&word| u64::from_le_bytes(word))
        };
        let (bits, owner) = (word(3), LocationId(word(4)));
        if packet[..4] != MAGIC.to_le_bytes()
            || bits != word(2)
            || bits % 8 != 0
            || !(CONTEXT as u64..=self.most).contains(&(bits / 8))
        {
            return Err(failed(Fault::new("expected a packet that foldtrace wrote")));
        }
        self.next = self.size.min(self.start.saturating_add(bits / 8));
        if owner != location {
            let message =
                format!("expected a packet of location {location}, found one of location {owner}");
            return Err(failed(Fault::new(message)));
        }
        let rest = bits / 8 - CONTEXT as u64;
        file.take(rest).read_to_end(packet).map_err(unreadable)?;
        if (packet.len() as u64) < bits / 8 {
            let message = format!(
                "expected a packet of {} bytes, found {}",
                bits / 8,
                packet.len()
            );
            self.cut_off = Some(failed(Fault::truncated(message)));
        }
        Ok(true)
    }
}

impl EventStream for OurStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(self.location, Position(self.delivered));
        let filled = loop {
            match self.fill(batch) {
                Err(error) if self.salvages && error.is_salvageable() => {
                    let key = if error.kind == ErrorKind::Truncated {
                        "ctf.cut_off"
                    } else {
                        "ctf.damaged_stream"
                    };
                    report(Severity::Loss, key, &error, diagnostics);
                    self.skip();
                }
                other => break other,
            }
        };
        self.delivered += batch.len() as u64;
        if let Err(error) = filled {
            self.skip();
            return Err(error);
        }
        Ok(if batch.is_empty() {
            Step::End
        } else {
            Step::Batch
        })
    }

    fn batch_at_most(&mut self, events: usize) {
        self.most = events.clamp(1, BATCH);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.packets.start + self.at as u64
    }
}

impl OurStream<'_> {
    /// Passes over the rest of a packet that is damaged.
    fn skip(&mut self) {
        self.packet.clear();
        self.at = 0;
    }
}
