//! One part of a store while it is written: the events of some locations, row group by row group.
//!
//! Quantities go to Parquet at once. Topology cannot: symbols of all parts become one table only
//! at the end, so that the same trace gives the same store however the work was spread. Until then
//! the symbols of a row group wait in a compressed spill file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::Schema;
use foldtrace_trace::{
    Clock, EventBatch, EventKind, LocationId, Position, Quantity, SymbolId, SymbolTable,
    TraceError, UNDEFINED,
};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use super::error::{Writing, wrong};
use super::index::Segment;
use super::parquet_io::{ROW_GROUP_ROWS, event_properties};
use super::schema;
use super::side::SideTables;

/// The file name of part number `number` in one of the folders of event tables.
pub(super) fn file_name(number: u32) -> String {
    format!("part-{number:05}.parquet")
}

/// Rows of one location that wait for their row group.
#[derive(Debug, Default)]
struct Buffer {
    first: Position,
    symbols: Vec<SymbolId>,
    times: Vec<i64>,
    quantities: [Vec<u64>; Quantity::COUNT],
}

impl Buffer {
    fn clear(&mut self) {
        self.symbols.clear();
        self.times.clear();
        self.quantities.iter_mut().for_each(Vec::clear);
    }
}

/// Writes the events of some locations.
#[derive(Debug)]
pub struct PartWriter {
    number: u32,
    store: PathBuf,
    symbols: SymbolTable,
    /// Which quantities an event of a symbol has, a bit each.
    masks: Vec<u8>,
    /// Symbols of the present stream as symbols of the part.
    stream_symbols: Vec<SymbolId>,
    buffers: BTreeMap<LocationId, Buffer>,
    /// Empty buffers.
    spare: Vec<Buffer>,
    /// How many rows wait, and how many make a row group.
    rows: usize,
    row_group_rows: usize,
    side: SideTables,
    quantity: EventTable,
    spill: Spill,
    segments: Vec<Segment>,
    row_groups: u32,
    /// Events of each symbol of the part.
    counts: Vec<u64>,
    scratch: Scratch,
}

/// What a part leaves behind for the end of the store.
#[derive(Debug)]
pub struct PartEnd {
    number: u32,
    /// The symbols of the part.
    pub symbols: SymbolTable,
    pub(super) segments: Vec<Segment>,
    /// Events of each kind.
    pub(super) kinds: Vec<u64>,
    /// The file of the symbols, closed: there may be hundreds of parts.
    spill: PathBuf,
}

#[derive(Debug, Default)]
struct Scratch {
    wide: Vec<i64>,
    levels: Vec<i16>,
    masks: Vec<u8>,
}

impl PartWriter {
    /// Begins part number `number` in the folder of a store; row groups have `row_group_rows` rows.
    ///
    /// # Errors
    /// If its files cannot be created.
    pub fn new(store: &Path, number: u32, row_group_rows: usize) -> Result<Self, TraceError> {
        let quantity = EventTable::create(store, "quantity", number, &schema::quantity())?;
        Ok(Self {
            number,
            store: store.to_owned(),
            symbols: SymbolTable::default(),
            masks: Vec::new(),
            stream_symbols: Vec::new(),
            buffers: BTreeMap::new(),
            spare: Vec::new(),
            rows: 0,
            row_group_rows: row_group_rows.clamp(1, ROW_GROUP_ROWS),
            side: SideTables::new(store, number),
            quantity,
            spill: Spill::create(store, number)?,
            segments: Vec::new(),
            row_groups: 0,
            counts: Vec::new(),
            scratch: Scratch::default(),
        })
    }

    /// Forgets the symbols of the stream before; the next batch is of another one.
    pub fn begin_stream(&mut self) {
        self.stream_symbols.clear();
    }

    /// The symbols of the part.
    #[must_use]
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Takes a batch; `stream` is the table of its stream. Puts the batch's symbols, as symbols of
    /// the part, into `mapped`.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(
        &mut self,
        batch: &EventBatch,
        stream: &SymbolTable,
        mapped: &mut Vec<SymbolId>,
    ) -> Result<(), TraceError> {
        for index in self.stream_symbols.len()..stream.len() {
            let symbol = stream.symbol(SymbolId(index as u32));
            let id = self.symbols.intern(symbol);
            self.stream_symbols.push(id);
            if id.index() == self.masks.len() {
                let bits = symbol.kind.quantities().iter().map(|&q| 1 << q as u8);
                self.masks.push(bits.fold(0, |mask, bit| mask | bit));
            }
        }
        mapped.clear();
        mapped.extend(batch.symbols.iter().map(|s| self.stream_symbols[s.index()]));

        let spare = || self.spare.pop().unwrap_or_default();
        let buffer = self.buffers.entry(batch.location).or_insert_with(spare);
        if buffer.symbols.is_empty() {
            buffer.first = batch.first;
        } else if buffer.first.0 + buffer.symbols.len() as u64 != batch.first.0 {
            let message = format!("positions of location {} have a gap", batch.location);
            return Err(wrong(&self.store, &message));
        }
        buffer.symbols.extend_from_slice(mapped);
        buffer.times.extend(batch.times.iter().map(|t| t.0 as i64));
        for (column, values) in buffer.quantities.iter_mut().zip(&batch.quantities) {
            column.extend_from_slice(values);
        }
        self.side.collect(batch);
        self.rows += batch.len();
        if self.rows >= self.row_group_rows {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes what waits as a row group, locations in ascending order.
    fn flush(&mut self) -> Result<(), TraceError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut row = 0;
        let first_segment = self.segments.len();
        for (&location, buffer) in self.buffers.iter().filter(|(_, b)| !b.symbols.is_empty()) {
            let [metrics, attributes] = self.side.flush(location)?;
            self.segments.push(Segment {
                location,
                first: buffer.first,
                events: buffer.symbols.len() as u64,
                part: self.number,
                row_group: self.row_groups,
                row,
                metrics,
                attributes,
            });
            row += buffer.symbols.len() as u32;
            self.counts.resize(self.symbols.len(), 0);
            for symbol in &buffer.symbols {
                self.counts[symbol.index()] += 1;
            }
        }
        self.write_quantities(first_segment)?;
        let symbols = self.buffers.values().flat_map(|buffer| &buffer.symbols);
        self.spill.append(symbols)?;
        // Their memory is for the next locations: a part may have many, one after the other.
        while let Some((_, mut buffer)) = self.buffers.pop_first() {
            buffer.clear();
            self.spare.push(buffer);
        }
        self.row_groups += 1;
        self.rows = 0;
        Ok(())
    }

    fn write_quantities(&mut self, first_segment: usize) -> Result<(), TraceError> {
        let Self {
            quantity,
            segments,
            scratch,
            buffers,
            masks,
            ..
        } = self;
        let path = &quantity.path;
        let mut row_group = quantity.writer.next_row_group().writing(path)?;
        write_places(&mut row_group, &segments[first_segment..], scratch).writing(path)?;
        write_column(&mut row_group, |column| {
            for buffer in buffers.values() {
                column.write_batch(&buffer.times, None, None)?;
            }
            Ok(())
        })
        .writing(path)?;
        let mut row_masks = std::mem::take(&mut scratch.masks);
        row_masks.clear();
        for buffer in buffers.values() {
            row_masks.extend(buffer.symbols.iter().map(|s| masks[s.index()]));
        }
        for &q in Quantity::ALL {
            write_column(&mut row_group, |column| {
                let mut rest = &row_masks[..];
                for buffer in buffers.values() {
                    let (mine, others) = rest.split_at(buffer.symbols.len());
                    rest = others;
                    scratch.spread(mine, &buffer.quantities[q as usize], q);
                    column.write_batch(&scratch.wide, Some(&scratch.levels), None)?;
                }
                Ok(())
            })
            .writing(path)?;
        }
        scratch.masks = row_masks;
        row_group.close().writing(path)?;
        Ok(())
    }

    /// Completes the part's files but for the topology. The clock goes to the footer of the
    /// quantities, so that the file explains its times alone.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self, clock: Clock) -> Result<PartEnd, TraceError> {
        self.flush()?;
        for (key, ticks) in [
            ("foldtrace.ticks_per_second", clock.ticks_per_second),
            ("foldtrace.global_offset", clock.global_offset),
        ] {
            let entry = KeyValue::new(key.to_owned(), ticks.to_string());
            self.quantity.writer.append_key_value_metadata(entry);
        }
        self.side.finish()?;
        self.quantity.writer.finish().writing(&self.quantity.path)?;
        let spill = self.spill.finish()?;
        let mut kinds = vec![0; EventKind::COUNT];
        for ((_, symbol), count) in self.symbols.iter().zip(&self.counts) {
            kinds[symbol.kind as usize] += count;
        }
        Ok(PartEnd {
            number: self.number,
            symbols: self.symbols,
            segments: self.segments,
            kinds,
            spill,
        })
    }
}

impl Scratch {
    /// Packed values as Parquet wants them: definition levels for all rows, and the values that
    /// are there. An undefined one is not there, but for [`Quantity::Value`], which has no such.
    fn spread(&mut self, masks: &[u8], packed: &[u64], quantity: Quantity) {
        let bit = 1 << quantity as u8;
        self.wide.clear();
        self.levels.clear();
        if packed.is_empty() {
            self.levels.resize(masks.len(), 0);
            return;
        }
        if quantity == Quantity::Value || !packed.contains(&UNDEFINED) {
            self.wide.extend(packed.iter().map(|&value| value as i64));
            self.levels
                .extend(masks.iter().map(|mask| i16::from(mask & bit != 0)));
            return;
        }
        let mut packed = packed.iter();
        for mask in masks {
            let value = match mask & bit {
                0 => None,
                _ => packed.next().filter(|&&value| value != UNDEFINED),
            };
            self.wide.extend(value.map(|&value| value as i64));
            self.levels.push(i16::from(value.is_some()));
        }
    }
}

impl PartEnd {
    /// Writes the topology; `map` gives the symbol of the store for each symbol of the part.
    pub(super) fn write_topology(&mut self, store: &Path, map: &[u32]) -> Result<(), TraceError> {
        let mut table = EventTable::create(store, "topology", self.number, &schema::topology())?;
        let path = &table.path;
        let mut blocks = SpillBlocks::open(&self.spill)?;
        let mut symbols = Vec::new();
        let mut scratch = Scratch::default();
        for segments in self.segments.chunk_by(|a, b| a.row_group == b.row_group) {
            blocks.next(&mut symbols)?;
            for symbol in &mut symbols {
                *symbol = map[*symbol as usize] as i32;
            }
            let mut row_group = table.writer.next_row_group().writing(path)?;
            write_places(&mut row_group, segments, &mut scratch).writing(path)?;
            let mut column = next_column(&mut row_group).writing(path)?;
            column
                .typed::<Int32Type>()
                .write_batch(&symbols, None, None)
                .writing(path)?;
            column.close().writing(path)?;
            row_group.close().writing(path)?;
        }
        table.writer.finish().writing(path)?;
        fs::remove_file(&self.spill).writing(&self.spill)
    }
}

type RowGroup<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;
type Column<'a> = parquet::file::writer::SerializedColumnWriter<'a>;
type WideWriter<'a> = parquet::column::writer::ColumnWriterImpl<'a, Int64Type>;

/// A Parquet file with a row an event.
struct EventTable {
    path: PathBuf,
    writer: SerializedFileWriter<BufWriter<File>>,
}

impl std::fmt::Debug for EventTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventTable")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl EventTable {
    fn create(store: &Path, table: &str, number: u32, schema: &Schema) -> Result<Self, TraceError> {
        let folder = store.join(table);
        fs::create_dir_all(&folder).writing(&folder)?;
        let path = folder.join(file_name(number));
        let properties: WriterPropertiesBuilder = event_properties(table);
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        let parquet = ArrowSchemaConverter::new().convert(schema).writing(&path)?;
        let file = BufWriter::new(File::create(&path).writing(&path)?);
        let writer =
            SerializedFileWriter::new(file, parquet.root_schema_ptr(), Arc::new(properties))
                .writing(&path)?;
        Ok(Self { path, writer })
    }
}

fn next_column<'a>(
    row_group: &'a mut RowGroup<'_>,
) -> Result<Column<'a>, parquet::errors::ParquetError> {
    row_group
        .next_column()?
        .ok_or_else(|| parquet::errors::ParquetError::General("a column too many".to_owned()))
}

fn write_column(
    row_group: &mut RowGroup<'_>,
    fill: impl FnOnce(&mut WideWriter<'_>) -> Result<(), parquet::errors::ParquetError>,
) -> Result<(), parquet::errors::ParquetError> {
    let mut column = next_column(row_group)?;
    fill(column.typed::<Int64Type>())?;
    column.close()
}

/// The columns `location` and `position`.
fn write_places(
    row_group: &mut RowGroup<'_>,
    segments: &[Segment],
    scratch: &mut Scratch,
) -> Result<(), parquet::errors::ParquetError> {
    let fills: [fn(&Segment, &mut Vec<i64>); 2] = [
        |segment, rows| rows.resize(segment.events as usize, segment.location.0 as i64),
        |segment, rows| rows.extend(segment.first.0 as i64..segment.end().0 as i64),
    ];
    for fill in fills {
        write_column(row_group, |column| {
            for segment in segments {
                scratch.wide.clear();
                fill(segment, &mut scratch.wide);
                column.write_batch(&scratch.wide, None, None)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Symbols of row groups, compressed, until they are known by their final ids.
#[derive(Debug)]
struct Spill {
    path: PathBuf,
    writer: BufWriter<File>,
    bytes: Vec<u8>,
}

impl Spill {
    const LEVEL: i32 = 1;

    fn create(store: &Path, number: u32) -> Result<Self, TraceError> {
        let path = store.join(format!(".symbols-{number:05}"));
        let writer = BufWriter::new(File::create(&path).writing(&path)?);
        Ok(Self {
            path,
            writer,
            bytes: Vec::new(),
        })
    }

    fn append<'a>(
        &mut self,
        symbols: impl Iterator<Item = &'a SymbolId>,
    ) -> Result<(), TraceError> {
        self.bytes.clear();
        self.bytes
            .extend(symbols.flat_map(|symbol| symbol.0.to_le_bytes()));
        let block = zstd::bulk::compress(&self.bytes, Self::LEVEL).writing(&self.path)?;
        let sizes = [self.bytes.len() as u64, block.len() as u64];
        for size in sizes {
            self.writer
                .write_all(&size.to_le_bytes())
                .writing(&self.path)?;
        }
        self.writer.write_all(&block).writing(&self.path)
    }

    /// Completes the file; gives where it is.
    fn finish(mut self) -> Result<PathBuf, TraceError> {
        self.writer.flush().writing(&self.path)?;
        Ok(self.path)
    }
}

struct SpillBlocks<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    block: Vec<u8>,
}

impl<'a> SpillBlocks<'a> {
    fn open(path: &'a Path) -> Result<Self, TraceError> {
        let file = File::open(path).writing(path)?;
        Ok(Self {
            path,
            reader: BufReader::new(file),
            block: Vec::new(),
        })
    }

    fn next(&mut self, symbols: &mut Vec<i32>) -> Result<(), TraceError> {
        let mut sizes = [[0; 8]; 2];
        for size in &mut sizes {
            self.reader.read_exact(size).writing(self.path)?;
        }
        let [bytes, block] = sizes.map(|size| u64::from_le_bytes(size) as usize);
        self.block.resize(block, 0);
        self.reader.read_exact(&mut self.block).writing(self.path)?;
        let plain = zstd::bulk::decompress(&self.block, bytes).writing(self.path)?;
        symbols.clear();
        symbols.extend(
            plain
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| i32::from_le_bytes(*bytes)),
        );
        Ok(())
    }
}
