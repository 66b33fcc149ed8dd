//! Parquet files with a row an event, written column by column.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::Schema;
use foldtrace_trace::TraceError;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::data_type::Int64Type;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use super::error::Writing;
use super::index::Segment;
use super::parquet_io::event_properties;
use super::part::file_name;

pub(super) type RowGroup<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;
type Column<'a> = parquet::file::writer::SerializedColumnWriter<'a>;
pub(super) type WideWriter<'a> = parquet::column::writer::ColumnWriterImpl<'a, Int64Type>;

/// A Parquet file with a row an event.
pub(super) struct EventTable {
    pub path: PathBuf,
    pub writer: SerializedFileWriter<BufWriter<File>>,
}

impl std::fmt::Debug for EventTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventTable")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl EventTable {
    /// Begins the table called `table` of part number `number`.
    pub fn create(
        store: &Path,
        table: &str,
        number: u32,
        schema: &Schema,
    ) -> Result<Self, TraceError> {
        let folder = store.join(table);
        fs::create_dir_all(&folder).writing(&folder)?;
        let path = folder.join(file_name(number));
        let mut properties = event_properties(table).build();
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        let parquet = ArrowSchemaConverter::new().convert(schema).writing(&path)?;
        let file = BufWriter::new(File::create(&path).writing(&path)?);
        let writer =
            SerializedFileWriter::new(file, parquet.root_schema_ptr(), Arc::new(properties))
                .writing(&path)?;
        Ok(Self { path, writer })
    }
}

/// The next column of a row group.
pub(super) fn next_column<'a>(
    row_group: &'a mut RowGroup<'_>,
) -> Result<Column<'a>, parquet::errors::ParquetError> {
    row_group
        .next_column()?
        .ok_or_else(|| parquet::errors::ParquetError::General("a column too many".to_owned()))
}

/// Writes the next column of a row group, of 64-bit integers.
pub(super) fn write_column(
    row_group: &mut RowGroup<'_>,
    fill: impl FnOnce(&mut WideWriter<'_>) -> Result<(), parquet::errors::ParquetError>,
) -> Result<(), parquet::errors::ParquetError> {
    let mut column = next_column(row_group)?;
    fill(column.typed::<Int64Type>())?;
    column.close()
}

/// The columns `location` and `position`.
pub(super) fn write_places(
    row_group: &mut RowGroup<'_>,
    segments: &[Segment],
    wide: &mut Vec<i64>,
) -> Result<(), parquet::errors::ParquetError> {
    let fills: [fn(&Segment, &mut Vec<i64>); 2] = [
        |segment, rows| rows.resize(segment.events as usize, segment.location.0 as i64),
        |segment, rows| rows.extend(segment.first.0 as i64..segment.end().0 as i64),
    ];
    for fill in fills {
        write_column(row_group, |column| {
            for segment in segments {
                wide.clear();
                fill(segment, wide);
                column.write_batch(wide, None, None)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}
