//! Writes the table of models from the models of the parts.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int64Array, Int64Builder, ListBuilder, PrimitiveBuilder, UInt8Builder, UInt16Array,
    UInt16Builder, UInt32Array, UInt64Array,
};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Field};
use foldtrace_columns::arrow_schema;
use foldtrace_fold::Step;
use foldtrace_trace::{LocationId, SymbolId, SymbolTable, TraceError};

use super::rows::{ConstructRow, LOCATION, RowContent, columns};
use super::spill::{ConstructBlock, PartModels};
use crate::paths::LOOPS;
use crate::schema::TAG;
use crate::tables::{NamedColumn, TableWriter};
use crate::unsigned::Unsigned;

/// The number of rows written at once.
const CHUNK: usize = 1 << 16;

/// Writes the models of all parts, sorted by location, and removes the files of the parts. Each part comes with a row
/// of the store's `symbols` for each of its own rows.
pub(crate) fn write(
    store: &Path,
    parts: Vec<(PartModels, &[SymbolId])>,
    symbols: &SymbolTable,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let path = store.join(LOOPS);
    let schema = arrow_schema(columns(symbols.has_tagged_rows()));
    let blocks = parts.iter().flat_map(|(models, _)| models.blocks());
    let rows = blocks.map(|block| block.rows).sum();
    let mut table = Table {
        table: TableWriter::create_keyed(&path, schema, &[LOCATION], rows)?,
        symbols,
        locations: Vec::new(),
        rows: Vec::new(),
    };
    // The model of a location is in a single part, but the locations of a part may lie between those of another.
    let mut runs: Vec<_> = (parts.iter().enumerate())
        .flat_map(|(part, (models, _))| {
            let by_location = |a: &ConstructBlock, b: &ConstructBlock| a.location == b.location;
            let runs = models.blocks().chunk_by(by_location);
            runs.map(move |blocks| (blocks[0].location, part, blocks))
        })
        .collect();
    runs.sort_by_key(|&(location, part, _)| (location, part));
    for of_part in runs.chunk_by(|a, b| a.1 == b.1) {
        let (models, map) = &parts[of_part[0].1];
        let mut file = models.open()?;
        for block in of_part.iter().flat_map(|run| run.2) {
            for row in models.rows(&mut file, block)? {
                table.push(block.location, row, map)?;
            }
        }
    }
    table.flush()?;
    table.table.finish(unsigned)?;
    parts
        .into_iter()
        .try_for_each(|(models, _)| models.remove())
}

/// Rows that are about to be written to the table.
struct Table<'a> {
    table: TableWriter,
    /// The symbols of the store.
    symbols: &'a SymbolTable,
    locations: Vec<LocationId>,
    rows: Vec<ConstructRow>,
}

impl Table<'_> {
    fn push(
        &mut self,
        location: LocationId,
        mut row: ConstructRow,
        map: &[SymbolId],
    ) -> Result<(), TraceError> {
        if self.rows.len() >= CHUNK {
            self.flush()?;
        }
        if let RowContent::Event(row, tag) = &mut row.content {
            let symbol = SymbolId::new(*row).with_tag(*tag);
            let symbol = symbol.in_row(map[symbol.row()]);
            (*row, *tag) = (symbol.row_number(), symbol.tag());
        }
        self.locations.push(location);
        self.rows.push(row);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        let location = self.locations.iter().map(|location| Some(location.0));
        let symbol = rows.iter().map(|row| match row.content {
            RowContent::Event(row, _) => Some(row),
            RowContent::Loop(_) => None,
        });
        let tag = rows.iter().map(|row| match row.content {
            RowContent::Event(row, tag) => {
                (self.symbols.is_tagged(SymbolId::new(row))).then_some(u64::from(tag))
            }
            RowContent::Loop(_) => None,
        });
        let count = rows.iter().map(|row| match row.content {
            RowContent::Event(..) => None,
            RowContent::Loop(count) => Some(count),
        });
        let depth = rows.iter().map(|row| Some(row.depth));
        let step_slot = step_column(UInt8Builder::new(), DataType::UInt8, rows, |step| step.slot);
        let step_depth = step_column(UInt16Builder::new(), DataType::UInt16, rows, |step| {
            step.depth
        });
        let step_coefficient = step_column(Int64Builder::new(), DataType::Int64, rows, |step| {
            step.coefficient
        });
        let mut table: Vec<NamedColumn> = vec![
            (LOCATION, Arc::new(location.collect::<UInt64Array>())),
            ("depth", Arc::new(depth.collect::<UInt16Array>())),
            ("symbol", Arc::new(symbol.collect::<UInt32Array>())),
            ("count", Arc::new(count.collect::<Int64Array>())),
            ("step_slot", step_slot),
            ("step_depth", step_depth),
            ("step_coefficient", step_coefficient),
        ];
        if self.symbols.has_tagged_rows() {
            table.push((TAG, Arc::new(tag.collect::<UInt64Array>())));
        }
        self.table.write(table)?;
        self.locations.clear();
        self.rows.clear();
        Ok(())
    }
}

fn step_column<T: ArrowPrimitiveType>(
    values: PrimitiveBuilder<T>,
    data_type: DataType,
    rows: &[ConstructRow],
    part: impl Fn(&Step) -> T::Native,
) -> ArrayRef {
    let mut builder = ListBuilder::new(values).with_field(Field::new_list_field(data_type, false));
    for row in rows {
        for step in &row.steps {
            builder.values().append_value(part(step));
        }
        builder.append(true);
    }
    Arc::new(builder.finish())
}
