//! Writes the quantities of a part, as Parquet or coded for an archive.

use std::path::Path;
use std::sync::Arc;

use foldtrace_trace::{Clock, Quantity, SymbolId, SymbolTable, TraceError, UNDEFINED};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;

use super::event_table::{EventTable, RowGroup, write_column, write_location_and_position};
use super::layout::Layout;
use crate::archive::{BlockWriter, EventColumns, QuantityCodec};
use crate::encode::{Codec, write_differences, write_nulls};
use crate::error::Writing;
use crate::folder::{Form, VERSION};
use crate::index::Segment;
use crate::schema::QUANTITY;
use crate::tables::clock_entries;

/// The events of one location in a row group.
#[derive(Debug, Default)]
pub(crate) struct EventRows {
    /// The symbols of the events, as symbols of the part.
    pub symbols: Vec<SymbolId>,
    /// The times and quantities of the events.
    pub columns: EventColumns,
}

/// A writer of the quantities of a part.
#[derive(Debug)]
pub(crate) enum QuantityWriter {
    /// A writer of Parquet.
    Plain(Box<PlainWriter>),
    /// A writer of coded blocks.
    Archive(Box<ArchiveWriter>),
}

impl QuantityWriter {
    /// Creates the writer for the quantities of part `number`.
    pub fn create(store: &Path, number: u32, layout: &Layout) -> Result<Self, TraceError> {
        Ok(match layout.form {
            Form::Plain => Self::Plain(Box::new(PlainWriter {
                table: EventTable::create(store, &QUANTITY, number, layout.level)?,
                masks: Vec::new(),
            })),
            Form::Archive => Self::Archive(Box::new(ArchiveWriter {
                codec: QuantityCodec::new(VERSION),
                blocks: BlockWriter::create(store, number)?,
            })),
        })
    }

    /// Writes a row group: `rows` are the rows of `segments`, which get the places of their blocks.
    pub fn write<'a>(
        &mut self,
        segments: &mut [Segment],
        rows: impl Iterator<Item = &'a mut EventRows>,
        symbols: &SymbolTable,
        scratch: &mut Scratch,
    ) -> Result<(), TraceError> {
        match self {
            Self::Plain(plain) => {
                let rows: Vec<&EventRows> = rows.map(|rows| &*rows).collect();
                plain.write(segments, &rows, symbols, scratch)
            }
            Self::Archive(archive) => archive.write(segments, rows, symbols),
        }
    }

    /// Completes the file. The clock is written to the footer, so that times can be interpreted with the file alone.
    pub fn finish(self, clock: Clock) -> Result<(), TraceError> {
        match self {
            Self::Plain(plain) => plain.finish(clock),
            Self::Archive(archive) => archive.blocks.finish(),
        }
    }
}

/// A writer of quantities as Parquet columns.
#[derive(Debug)]
pub(crate) struct PlainWriter {
    table: EventTable,
    /// The quantities that events of each row of the table of symbols have, one bit per quantity.
    masks: Vec<u8>,
}

/// Columns of a row group before they are encoded.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The times of several locations.
    times: Vec<u64>,
    wide: Vec<i64>,
    levels: Vec<i16>,
    masks: Vec<u8>,
}

impl PlainWriter {
    fn write(
        &mut self,
        segments: &[Segment],
        rows: &[&EventRows],
        symbols: &SymbolTable,
        scratch: &mut Scratch,
    ) -> Result<(), TraceError> {
        let new = symbols.iter_from(self.masks.len());
        let masks = new.map(|(_, symbol)| symbol.kind.quantity_bits());
        self.masks.extend(masks);
        let Self { table, masks } = self;
        scratch.masks.clear();
        for rows in rows {
            let masks = rows.symbols.iter().map(|s| masks[s.row()]);
            scratch.masks.extend(masks);
        }
        let EventTable {
            path,
            writer,
            columns,
            codec,
        } = table;
        let mut row_group = writer.next_row_group().writing(path)?;
        write_location_and_position(&mut row_group, columns, segments, codec)
            .and_then(|()| scratch.write_columns(&mut row_group, &columns[2..], rows, codec))
            .writing(path)?;
        row_group.close().writing(path)?;
        Ok(())
    }

    fn finish(self, clock: Clock) -> Result<(), TraceError> {
        let EventTable {
            path, mut writer, ..
        } = self.table;
        clock_entries(clock).for_each(|entry| writer.append_key_value_metadata(entry));
        writer.finish().writing(&path)?;
        Ok(())
    }
}

impl Scratch {
    /// Writes the times and quantities to `columns`.
    fn write_columns(
        &mut self,
        row_group: &mut RowGroup<'_>,
        columns: &[ColumnDescPtr],
        rows: &[&EventRows],
        codec: &mut Codec,
    ) -> Result<(), ParquetError> {
        let (times, quantities) = columns.split_first().ok_or_else(|| {
            ParquetError::General("the table of quantities has no column of times".to_owned())
        })?;
        let all_times = if let [rows] = rows {
            &rows.columns.times
        } else {
            self.times.clear();
            let of_locations = rows.iter().map(|rows| &rows.columns.times);
            of_locations.for_each(|times| self.times.extend_from_slice(times));
            &self.times
        };
        write_differences(row_group, Arc::clone(times), all_times, codec)?;
        let masks = std::mem::take(&mut self.masks);
        for (&quantity, column) in Quantity::ALL.iter().zip(quantities) {
            let packed = |rows: &'_ &EventRows| rows.columns.quantities[quantity as usize].len();
            if rows.iter().map(packed).sum::<usize>() == 0 {
                write_nulls(row_group, Arc::clone(column), masks.len(), codec)?;
                continue;
            }
            write_column(row_group, |column| {
                let mut rest = &masks[..];
                for rows in rows {
                    let (own_masks, after) = rest.split_at(rows.symbols.len());
                    rest = after;
                    let packed = &rows.columns.quantities[quantity as usize];
                    self.spread(own_masks, packed, quantity);
                    column.write_batch(&self.wide, Some(&self.levels), None)?;
                }
                Ok(())
            })?;
        }
        self.masks = masks;
        Ok(())
    }

    /// Converts packed values to Parquet's form: definition levels for all rows, and the values that are present.
    /// Undefined values are absent, except for [`Quantity::Value`], which has no undefined value.
    fn spread(&mut self, masks: &[u8], packed: &[u64], quantity: Quantity) {
        let bit = quantity.bit();
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

/// A writer of quantities coded with the help of the topology, one block per segment.
#[derive(Debug)]
pub(crate) struct ArchiveWriter {
    codec: QuantityCodec,
    blocks: BlockWriter,
}

impl ArchiveWriter {
    fn write<'a>(
        &mut self,
        segments: &mut [Segment],
        rows: impl Iterator<Item = &'a mut EventRows>,
        symbols: &SymbolTable,
    ) -> Result<(), TraceError> {
        self.codec.update(symbols);
        for (segment, rows) in segments.iter_mut().zip(rows) {
            let block = self.codec.encode(&rows.symbols, &mut rows.columns);
            segment.block = self.blocks.append(&block)?;
        }
        Ok(())
    }
}
