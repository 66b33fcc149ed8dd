//! Writes one part of a store: the events of some locations, row group by row group.
//!
//! Quantities are written to Parquet immediately. Topology cannot be: the symbols of all parts become one table only
//! at the end, so that the same trace gives the same store however the work was distributed. Until then, the symbols
//! of a row group are kept in a compressed spill file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use foldtrace_trace::{
    Clock, EventBatch, EventKind, LocationId, Place, Quantity, SymbolId, SymbolTable, TraceError,
    WideFields,
};
use parquet::basic::ZstdLevel;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};

use super::event_table::{EventTable, RowGroup, write_column, write_location_and_position};
use super::layout::Layout;
use super::memory::{MemoryPool, PartMemory, RowBuffer};
use super::quantities::{EventRows, QuantityWriter};
use super::side::SideTables;
use super::spill::{Spill, SpillBlocks};
use super::used_rows::UsedRows;
use crate::encode::{Dictionary, write_ids};
use crate::error::{Writing, wrong};
use crate::index::{Block, Segment};
use crate::models::ModelSpill;
use crate::paths::part_table;
use crate::schema::{QUANTITY, TAGGED_TOPOLOGY, TOPOLOGY};
use crate::tables::{ROW_GROUP_ROWS, Written};

/// A placeholder for a row whose symbols are found by their tags.
const BY_TAG: SymbolId = SymbolId::new(u32::MAX);

/// The index of the column of symbols in the topology.
const SYMBOL: usize = 2;

/// A writer of the events of some locations.
#[derive(Debug)]
pub struct PartWriter<'a> {
    number: u32,
    store: PathBuf,
    symbols: SymbolTable,
    /// The table of symbols of all streams, if they have the same.
    shared: Option<&'a SymbolTable>,
    /// The rows of the shared table that occur in the part, as rows of the part.
    shared_rows: UsedRows,
    /// The symbols in the rows of the current stream, as symbols of the part, if it has a table of its own; [`BY_TAG`]
    /// for rows whose symbols differ in their tags.
    stream_rows: Vec<SymbolId>,
    buffers: BTreeMap<LocationId, RowBuffer>,
    /// The number of rows in `buffers`.
    rows: usize,
    layout: Layout,
    side: SideTables,
    quantity: QuantityWriter,
    spill: Spill,
    segments: Vec<Segment>,
    row_groups: u32,
    /// The number of events of each row of the part's table of symbols.
    counts: Vec<u64>,
    wide: WideFields,
    piece_of: Option<Place>,
    memory: PartMemory,
    pool: MemoryPool,
}

/// A completed part, without its topology.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartEnd {
    number: u32,
    /// The symbols of the part.
    pub symbols: SymbolTable,
    /// Whether events of the part have symbols of the shared table.
    pub(crate) has_shared_symbols: bool,
    pub(crate) segments: Vec<Segment>,
    /// The number of events of each kind.
    pub(crate) kinds: Vec<u64>,
    /// The times and quantities that need all 64 bits.
    pub(crate) wide: WideFields,
    /// The place of the location's events, if the part has only a piece of a location.
    pub(crate) piece_of: Option<Place>,
    #[serde(skip)]
    level: ZstdLevel,
    /// The path of the symbols' spill file, which is closed because there may be hundreds of parts.
    #[serde(skip)]
    pub(super) spill: PathBuf,
}

impl<'a> PartWriter<'a> {
    /// Begins part `number` in the folder of a store. `shared` is the table of symbols of all streams, if they have the
    /// same. The part uses memory of `pool`.
    ///
    /// # Errors
    /// Returns an error if the files of the part cannot be created.
    pub(crate) fn new(
        store: &Path,
        number: u32,
        layout: &Layout,
        shared: Option<&'a SymbolTable>,
        pool: MemoryPool,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            number,
            store: store.to_owned(),
            symbols: SymbolTable::default(),
            shared,
            shared_rows: UsedRows::default(),
            stream_rows: Vec::new(),
            buffers: BTreeMap::new(),
            rows: 0,
            layout: *layout,
            side: SideTables::new(store, number, layout.level),
            quantity: QuantityWriter::create(store, number, layout)?,
            spill: Spill::create(store, number)?,
            segments: Vec::new(),
            row_groups: 0,
            counts: Vec::new(),
            wide: WideFields::default(),
            piece_of: None,
            memory: pool.take(),
            pool,
        })
    }

    /// Begins another stream: the next batch has another table of symbols.
    pub fn begin_stream(&mut self) {
        self.stream_rows.clear();
    }

    /// The events of the part are a piece of those of the location at `place`.
    pub(super) fn is_piece_of(&mut self, place: Place) {
        self.piece_of = Some(place);
    }

    /// Creates a spill file for the models of the part.
    pub(super) fn models(&self) -> ModelSpill {
        ModelSpill::new(&self.store, self.number)
    }

    /// Returns the symbols of the part.
    #[must_use]
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Writes a batch; `stream` is the table of symbols of its stream. Replaces `mapped` with the batch's symbols, as
    /// symbols of the part.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(
        &mut self,
        batch: &EventBatch,
        stream: &SymbolTable,
        mapped: &mut Vec<SymbolId>,
    ) -> Result<(), TraceError> {
        self.map(&batch.symbols, stream, mapped);

        let spare = || self.memory.buffer();
        let buffer = self.buffers.entry(batch.location).or_insert_with(spare);
        let EventRows { symbols, columns } = &mut buffer.rows;
        if symbols.is_empty() {
            buffer.first = batch.first;
        } else if buffer.first.0 + symbols.len() as u64 != batch.first.0 {
            let message = format!("positions of location {} have a gap", batch.location);
            return Err(wrong(&self.store, &message));
        }
        symbols.extend_from_slice(mapped);
        columns.times.extend(batch.times.iter().map(|t| t.0));
        self.wide.add_times(&batch.times);
        for (&quantity, values) in Quantity::ALL.iter().zip(&batch.quantities) {
            columns.quantities[quantity as usize].extend_from_slice(values);
            self.wide.add(quantity, values);
        }
        self.side.collect(batch);
        self.rows += batch.len();
        if self.rows >= self.layout.row_group_rows.clamp(1, ROW_GROUP_ROWS) {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Replaces `mapped` with symbols of a stream, as symbols of the part.
    ///
    /// All rows of the stream's own table become rows of the part, in their order. A shared table may have many rows
    /// for each part, so only those that occur become rows of the part.
    fn map(&mut self, batch: &[SymbolId], stream: &SymbolTable, mapped: &mut Vec<SymbolId>) {
        mapped.clear();
        if self.shared.is_some_and(|shared| ptr::eq(shared, stream)) {
            let ids = batch.iter();
            mapped.extend(ids.map(|&id| self.shared_rows.map(id, stream, &mut self.symbols)));
            return;
        }
        for (id, symbol) in stream.iter_from(self.stream_rows.len()) {
            let is_tagged = stream.is_tagged(id);
            let row = self.symbols.intern_row(symbol, is_tagged);
            self.stream_rows.push(if is_tagged { BY_TAG } else { row });
        }
        mapped.extend(batch.iter().map(|&symbol| {
            let known = self.stream_rows[symbol.row()];
            if known == BY_TAG {
                // Another stream may have given a row of its own to a symbol with this tag.
                self.symbols.intern(stream.symbol(symbol))
            } else {
                known
            }
        }));
    }

    /// Writes the waiting rows as a row group, with locations in ascending order.
    fn flush(&mut self) -> Result<(), TraceError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.buffers
            .retain(|_, buffer| !buffer.rows.symbols.is_empty());
        let mut row = 0;
        let first_segment = self.segments.len();
        self.counts.resize(self.symbols.len(), 0);
        for (&location, buffer) in &self.buffers {
            let symbols = &buffer.rows.symbols;
            let [metrics, attributes] = self.side.flush(location)?;
            self.segments.push(Segment {
                location,
                first: buffer.first,
                events: symbols.len() as u64,
                part: self.number,
                row_group: self.row_groups,
                row,
                metrics,
                attributes,
                block: Block::default(),
            });
            row += symbols.len() as u32;
            for symbol in symbols {
                self.counts[symbol.row()] += 1;
            }
        }
        let rows = self.buffers.values_mut().map(|buffer| &mut buffer.rows);
        let segments = &mut self.segments[first_segment..];
        self.quantity
            .write(segments, rows, &self.symbols, &mut self.memory.quantities)?;
        let symbols = self.buffers.values().map(|b| &b.rows.symbols[..]);
        self.spill.append(symbols, &mut self.memory.spill)?;
        // A part may have many locations, one after the other.
        let written = std::mem::take(&mut self.buffers);
        self.memory.reuse(written.into_values());
        self.row_groups += 1;
        self.rows = 0;
        Ok(())
    }

    /// Completes the part's files except for the topology. The clock is written to the footer of the quantities, so
    /// that their times can be interpreted with the file alone.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self, clock: Clock) -> Result<PartEnd, TraceError> {
        self.flush()?;
        self.side.finish()?;
        self.quantity.finish(clock)?;
        let spill = self.spill.finish()?;
        self.pool.give(self.memory);
        let mut kinds = vec![0; EventKind::COUNT];
        for ((_, symbol), count) in self.symbols.iter().zip(&self.counts) {
            kinds[symbol.kind as usize] += count;
        }
        Ok(PartEnd {
            number: self.number,
            symbols: self.symbols,
            has_shared_symbols: !self.shared_rows.is_empty(),
            segments: self.segments,
            kinds,
            wide: self.wide,
            piece_of: self.piece_of,
            level: self.layout.level,
            spill,
        })
    }
}

impl PartEnd {
    /// Returns the number of the part.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Returns whether the part has a piece of the events of a location, see [`Ingest::of_piece`](super::Ingest::of_piece).
    #[must_use]
    pub const fn is_piece(&self) -> bool {
        self.piece_of.is_some()
    }

    /// The files of the part are now those in the folder of a store with a layout.
    pub(crate) fn move_to(&mut self, store: &Path, layout: &Layout) {
        self.level = layout.level;
        self.spill = Spill::path(store, self.number);
    }

    /// Returns the file of the part's quantities in a plain store.
    pub(crate) fn quantity(&self, store: &Path) -> Written {
        Written {
            path: store.join(part_table(QUANTITY.name, self.number)),
            table: QUANTITY.name.to_owned(),
            schema: Arc::new(QUANTITY.schema()),
            wide: BTreeSet::new(),
        }
    }

    /// Writes the topology with the symbols of the store; `rows` contains a row of the store for each row of the part.
    pub(crate) fn write_topology(
        &self,
        store: &Path,
        symbols: &SymbolTable,
        rows: &[SymbolId],
        buffers: &mut TopologyBuffers,
    ) -> Result<(), TraceError> {
        let has_tags = symbols.has_tagged_rows();
        let columns = if has_tags {
            &TAGGED_TOPOLOGY
        } else {
            &TOPOLOGY
        };
        let table = EventTable::create(store, columns, self.number, self.level)?;
        let EventTable {
            path,
            mut writer,
            columns,
            mut codec,
        } = table;
        let mut blocks = SpillBlocks::open(&self.spill)?;
        let TopologyBuffers {
            events,
            row_numbers,
            dictionary,
            tags,
        } = buffers;
        for segments in self.segments.chunk_by(|a, b| a.row_group == b.row_group) {
            blocks.next(events)?;
            for symbol in events.iter_mut() {
                *symbol = symbol.in_row(rows[symbol.row()]);
            }
            row_numbers.clear();
            row_numbers.extend(events.iter().map(|symbol| symbol.row_number()));
            let mut row_group = writer.next_row_group().writing(&path)?;
            write_location_and_position(&mut row_group, &columns, segments, &mut codec)
                .writing(&path)?;
            let column = Arc::clone(&columns[SYMBOL]);
            write_ids(&mut row_group, column, row_numbers, dictionary, &mut codec)
                .writing(&path)?;
            if has_tags {
                tags.write(&mut row_group, events, symbols).writing(&path)?;
            }
            row_group.close().writing(&path)?;
        }
        writer.finish().writing(&path)?;
        fs::remove_file(&self.spill).writing(&self.spill)
    }
}

/// Columns of a row group of the topology before they are encoded.
#[derive(Debug, Default)]
pub(crate) struct TopologyBuffers {
    events: Vec<SymbolId>,
    row_numbers: Vec<u32>,
    dictionary: Dictionary,
    tags: Tags,
}

/// The column of tags in a row group of the topology.
#[derive(Debug, Default)]
struct Tags {
    values: Vec<i64>,
    /// A level per event: 1 if it has a value, 0 if not.
    levels: Vec<i16>,
}

impl Tags {
    /// Writes the tags of those events whose symbols do not determine them.
    fn write(
        &mut self,
        row_group: &mut RowGroup<'_>,
        events: &[SymbolId],
        symbols: &SymbolTable,
    ) -> Result<(), ParquetError> {
        self.values.clear();
        self.levels.clear();
        for &event in events {
            let is_tagged = symbols.is_tagged(event);
            self.levels.push(i16::from(is_tagged));
            if is_tagged {
                self.values.push(event.tag().into());
            }
        }
        write_column(row_group, |column| {
            column
                .write_batch(&self.values, Some(&self.levels), None)
                .map(drop)
        })
    }
}
