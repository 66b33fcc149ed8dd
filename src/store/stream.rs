//! The events of one location, read from any position on.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{Float64Array, Int64Array, UInt32Array, UInt64Array};
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Quantity, Step, SymbolId,
    SymbolTable, Timestamp, TraceError, UNDEFINED, ValueType,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;

use super::StoreReader;
use super::archive::{self, Columns, Cursor};
use super::error::{Reading, wrong};
use super::index::Segment;
use super::manifest::Form;
use super::parquet_io::{check_schema, column, texts};
use super::part::file_name;
use super::schema;

/// Events of a batch, unless the caller wants fewer.
const BATCH: u64 = 1 << 16;

const SYMBOL: usize = 2;
pub(super) const TIME: usize = 2;
const FIRST_QUANTITY: usize = 3;

/// Reads the events of one location, batch by batch.
#[derive(Debug)]
pub struct LocationStream<'a> {
    store: &'a StoreReader,
    symbols: &'a SymbolTable,
    segments: std::collections::VecDeque<Segment>,
    rows: Option<SegmentRows>,
    batch: u64,
    events_read: u64,
}

/// The open columns of a segment.
struct SegmentRows {
    segment: Segment,
    left: u64,
    topology: PathBuf,
    symbol: ColumnReaderImpl<Int32Type>,
    /// Opened when first read: who only asks for symbols does not touch them.
    quantities: Option<Quantities>,
}

/// The quantities of a segment: open columns, or what was decoded of an archive.
enum Quantities {
    Plain(Box<PlainQuantities>),
    Archive(Cursor),
}

struct PlainQuantities {
    path: PathBuf,
    time: ColumnReaderImpl<Int64Type>,
    columns: Vec<ColumnReaderImpl<Int64Type>>,
}

impl std::fmt::Debug for SegmentRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SegmentRows")
            .field("segment", &self.segment)
            .finish_non_exhaustive()
    }
}

impl<'a> LocationStream<'a> {
    /// The events of `segments`, which are of one location and follow each other, from position
    /// `from` on.
    pub(super) fn new(store: &'a StoreReader, segments: &[Segment], from: Position) -> Self {
        let behind = segments.iter().filter(|s| s.end() > from).map(|s| {
            let skip = from.0.saturating_sub(s.first.0);
            Segment {
                first: Position(s.first.0 + skip),
                events: s.events - skip,
                row: s.row + skip as u32,
                ..*s
            }
        });
        Self {
            store,
            symbols: store.symbols(),
            segments: behind.collect(),
            rows: None,
            batch: BATCH,
            events_read: 0,
        }
    }

    /// The same without the events from position `to` on.
    #[must_use]
    pub fn until(mut self, to: Position) -> Self {
        self.segments.retain(|segment| segment.first < to);
        if let Some(last) = self.segments.back_mut() {
            last.events = last.events.min(to.0 - last.first.0);
        }
        self
    }

    /// The same with at most `events` a batch.
    #[must_use]
    pub fn with_batch_size(mut self, events: u64) -> Self {
        self.batch = events.clamp(1, BATCH);
        self
    }

    /// Only the symbols of the next events, without their quantities; empty at the end.
    ///
    /// # Errors
    /// If a table is missing or damaged.
    pub fn next_symbols(&mut self, symbols: &mut Vec<SymbolId>) -> Result<(), TraceError> {
        symbols.clear();
        let table = self.symbols;
        if let Some(rows) = self.next_rows()? {
            let count = rows.left.min(BATCH);
            rows.read_symbols(count, table, symbols)?;
            rows.left -= count;
            // They stand where the symbols stood.
            rows.quantities = None;
        }
        Ok(())
    }

    /// The open segment with rows left; opens the next one where needed.
    fn next_rows(&mut self) -> Result<Option<&mut SegmentRows>, TraceError> {
        if self.rows.as_ref().is_none_or(|rows| rows.left == 0) {
            let Some(segment) = self.segments.pop_front() else {
                self.rows = None;
                return Ok(None);
            };
            self.rows = Some(SegmentRows::open(self.store.path(), segment)?);
        }
        Ok(self.rows.as_mut())
    }

    fn read_metrics(&self, batch: &mut EventBatch, segment: &Segment) -> Result<(), TraceError> {
        let end = batch.first.0 + batch.len() as u64;
        let path = self
            .store
            .path()
            .join("metrics")
            .join(file_name(segment.part));
        for rows in side_rows(&path, &schema::metrics(), segment.metrics)? {
            let position = column::<UInt64Array>(&rows, 1, &path)?;
            let member = column::<UInt32Array>(&rows, 2, &path)?;
            let types = texts(&rows, 3, &path)?;
            let uint = column::<UInt64Array>(&rows, 4, &path)?;
            let int = column::<Int64Array>(&rows, 5, &path)?;
            let double = column::<Float64Array>(&rows, 6, &path)?;
            for (row, name) in types.iter().enumerate() {
                let at = position.value(row);
                if at < batch.first.0 || at >= end {
                    continue;
                }
                let value_type = value_type(name.as_deref(), &path)?;
                let bits = match value_type {
                    ValueType::Float | ValueType::Double => {
                        value_type.from_double(double.value(row))
                    }
                    t if t.is_signed() => int.value(row) as u64,
                    _ => uint.value(row),
                };
                batch.metrics.push(
                    (at - batch.first.0) as u32,
                    member.value(row),
                    value_type,
                    bits,
                );
            }
        }
        Ok(())
    }

    fn read_attributes(&self, batch: &mut EventBatch, segment: &Segment) -> Result<(), TraceError> {
        let end = batch.first.0 + batch.len() as u64;
        let path = self
            .store
            .path()
            .join("attributes")
            .join(file_name(segment.part));
        for rows in side_rows(&path, &schema::attributes(), segment.attributes)? {
            let position = column::<UInt64Array>(&rows, 1, &path)?;
            let attribute = column::<UInt64Array>(&rows, 2, &path)?;
            let types = texts(&rows, 3, &path)?;
            let bits = column::<UInt64Array>(&rows, 4, &path)?;
            for (row, name) in types.iter().enumerate() {
                let at = position.value(row);
                if at < batch.first.0 || at >= end {
                    continue;
                }
                let value_type = value_type(name.as_deref(), &path)?;
                batch.attributes.push(
                    (at - batch.first.0) as u32,
                    attribute.value(row),
                    value_type,
                    bits.value(row),
                );
            }
        }
        Ok(())
    }
}

impl EventStream for LocationStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        _diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let (limit, store, table) = (self.batch, self.store, self.symbols);
        let Some(rows) = self.next_rows()? else {
            batch.reset(batch.location, Position(self.events_read));
            return Ok(Step::End);
        };
        let count = rows.left.min(limit);
        let segment = rows.segment;
        batch.reset(segment.location, Position(segment.end().0 - rows.left));
        rows.read_symbols(count, table, &mut batch.symbols)?;
        rows.quantities(store)?.read(count, table, batch)?;
        rows.left -= count;
        self.events_read += count;
        if segment.metrics.1 > 0 {
            self.read_metrics(batch, &segment)?;
        }
        if segment.attributes.1 > 0 {
            self.read_attributes(batch, &segment)?;
        }
        Ok(Step::Batch)
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.events_read
    }
}

impl SegmentRows {
    fn open(store: &Path, segment: Segment) -> Result<Self, TraceError> {
        let topology = store.join("topology").join(file_name(segment.part));
        let symbols = open_table(&topology, &schema::topology())?;
        let place = (segment.row_group as usize, u64::from(segment.row));
        Ok(Self {
            segment,
            left: segment.events,
            symbol: open_column(&symbols, SYMBOL, place, &topology)?,
            quantities: None,
            topology,
        })
    }

    /// The quantities, at the first row that was not read.
    fn quantities(&mut self, store: &StoreReader) -> Result<&mut Quantities, TraceError> {
        let quantities = match self.quantities.take() {
            Some(quantities) => quantities,
            None => {
                let segment = &self.segment;
                let read = segment.events - self.left;
                match store.manifest().form {
                    Form::Plain => Quantities::Plain(Box::new(PlainQuantities::open(
                        &store.path().join("quantity").join(file_name(segment.part)),
                        segment.row_group as usize,
                        u64::from(segment.row) + read,
                    )?)),
                    Form::Archive => {
                        let at = Position(segment.first.0 + read);
                        Quantities::Archive(decoded(store, segment.location, at)?)
                    }
                }
            }
        };
        Ok(self.quantities.insert(quantities))
    }

    fn read_symbols(
        &mut self,
        count: u64,
        table: &SymbolTable,
        symbols: &mut Vec<SymbolId>,
    ) -> Result<(), TraceError> {
        let path = &self.topology;
        read_symbols(&mut self.symbol, path, count, table, symbols)
    }
}

fn read_symbols(
    column: &mut ColumnReaderImpl<Int32Type>,
    path: &Path,
    count: u64,
    table: &SymbolTable,
    symbols: &mut Vec<SymbolId>,
) -> Result<(), TraceError> {
    let mut ids = Vec::with_capacity(count as usize);
    let read = column
        .read_records(count as usize, None, None, &mut ids)
        .reading(path)?;
    if read.0 as u64 != count {
        return Err(wrong(path, "the table has fewer rows than the index says"));
    }
    for id in ids {
        let id = SymbolId(id as u32);
        if id.index() >= table.len() {
            let message = format!("symbol {id} is not in the table of symbols");
            return Err(wrong(path, &message));
        }
        symbols.push(id);
    }
    Ok(())
}

/// The quantities of an archive's events from `at` on, to the end of its segment.
fn decoded(store: &StoreReader, location: LocationId, at: Position) -> Result<Cursor, TraceError> {
    let (segment, row) = store
        .index()
        .find(location, at)
        .ok_or_else(|| wrong(store.path(), "the index does not have the event"))?;
    let (symbols, columns) = decode_segment(store, segment)?;
    let mut cursor = Cursor::new(columns);
    let before = (row - u64::from(segment.row)) as usize;
    cursor.skip(&symbols[..before], store.symbols());
    Ok(cursor)
}

/// The symbols and quantities of a whole segment of an archive: what is expected of an event
/// depends on those before it.
pub(super) fn decode_segment(
    store: &StoreReader,
    segment: &Segment,
) -> Result<(Vec<SymbolId>, Columns), TraceError> {
    let path = store.path().join("topology").join(file_name(segment.part));
    let topology = open_table(&path, &schema::topology())?;
    let place = (segment.row_group as usize, u64::from(segment.row));
    let mut column = open_column(&topology, SYMBOL, place, &path)?;
    let (table, mut symbols) = (store.symbols(), Vec::new());
    read_symbols(&mut column, &path, segment.events, table, &mut symbols)?;
    let block = archive::read(store.path(), segment.part, segment.block)?;
    match store.known().decode(&symbols, &block) {
        Ok(columns) => Ok((symbols, columns)),
        Err(_) => Err(archive::damaged(store.path(), segment.part, segment.block)),
    }
}

impl Quantities {
    /// Gives the next events, whose symbols `batch` has, their times and quantities.
    fn read(
        &mut self,
        count: u64,
        table: &SymbolTable,
        batch: &mut EventBatch,
    ) -> Result<(), TraceError> {
        match self {
            Self::Plain(columns) => columns.read(count, table, batch),
            Self::Archive(cursor) => {
                cursor.read(batch, table);
                Ok(())
            }
        }
    }
}

impl PlainQuantities {
    fn open(path: &Path, row_group: usize, row: u64) -> Result<Self, TraceError> {
        let table = open_table(path, &schema::quantity())?;
        let column = |column| open_column(&table, column, (row_group, row), path);
        Ok(Self {
            path: path.to_owned(),
            time: column(TIME)?,
            columns: (FIRST_QUANTITY..FIRST_QUANTITY + Quantity::COUNT)
                .map(column)
                .collect::<Result<_, _>>()?,
        })
    }

    fn read(
        &mut self,
        count: u64,
        table: &SymbolTable,
        batch: &mut EventBatch,
    ) -> Result<(), TraceError> {
        let path = &self.path;
        let mut values = Vec::with_capacity(count as usize);
        let read = self
            .time
            .read_records(count as usize, None, None, &mut values)
            .reading(path)?;
        if read.0 as u64 != count {
            return Err(wrong(path, "the table has fewer rows than the index says"));
        }
        batch
            .times
            .extend(values.iter().map(|&time| Timestamp(time as u64)));
        let mut levels: Vec<i16> = Vec::with_capacity(count as usize);
        for (&quantity, reader) in Quantity::ALL.iter().zip(&mut self.columns) {
            values.clear();
            levels.clear();
            reader
                .read_records(count as usize, Some(&mut levels), None, &mut values)
                .reading(path)?;
            let packed = &mut batch.quantities[quantity as usize];
            let mut values = values.iter();
            for (symbol, level) in batch.symbols.iter().zip(&levels) {
                let value = if *level > 0 {
                    values.next().map(|&v| v as u64)
                } else {
                    None
                };
                if table.kind(*symbol).quantities().contains(&quantity) {
                    packed.push(value.unwrap_or(UNDEFINED));
                } else if value.is_some() {
                    return Err(wrong(
                        path,
                        &format!("an event has '{quantity}' that its kind has not"),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A table of events; it must have the columns of `schema`.
pub(super) fn open_table(
    path: &Path,
    schema: &arrow::datatypes::Schema,
) -> Result<SerializedFileReader<File>, TraceError> {
    let file = File::open(path).reading(path)?;
    let options = ReadOptionsBuilder::new().with_page_index().build();
    let reader = SerializedFileReader::new_with_options(file, options).reading(path)?;
    let metadata = reader.metadata().file_metadata();
    let found = parquet::arrow::parquet_to_arrow_schema(
        metadata.schema_descr(),
        metadata.key_value_metadata(),
    )
    .reading(path)?;
    check_schema(path, &found, schema)?;
    Ok(reader)
}

/// A column of a row group, at a row; pages before it are skipped without being decoded.
pub(super) fn open_column<T: DataType>(
    table: &SerializedFileReader<File>,
    index: usize,
    (row_group, row): (usize, u64),
    path: &Path,
) -> Result<ColumnReaderImpl<T>, TraceError> {
    if row_group >= table.num_row_groups() {
        return Err(wrong(path, &format!("row group {row_group} is missing")));
    }
    let row_group = table.get_row_group(row_group).reading(path)?;
    let mut reader =
        get_typed_column_reader::<T>(row_group.get_column_reader(index).reading(path)?);
    if reader.skip_records(row as usize).reading(path)? as u64 != row {
        return Err(wrong(path, "the table has fewer rows than the index says"));
    }
    Ok(reader)
}

fn side_rows(
    path: &Path,
    schema: &arrow::datatypes::Schema,
    (first, rows): (u64, u64),
) -> Result<Vec<arrow::array::RecordBatch>, TraceError> {
    let file = File::open(path).reading(path)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).reading(path)?;
    check_schema(path, builder.schema(), schema)?;
    let reader = builder
        .with_offset(first as usize)
        .with_limit(rows as usize)
        .build()
        .reading(path)?;
    reader.collect::<Result<_, _>>().reading(path)
}

fn value_type(name: Option<&str>, path: &Path) -> Result<ValueType, TraceError> {
    name.and_then(ValueType::from_name)
        .ok_or_else(|| wrong(path, "a value has no type that this version knows"))
}
