//! Parquet files with one row per event, written column by column.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldtrace_columns::TableColumns;
use foldtrace_trace::TraceError;
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::ZstdLevel;
use parquet::data_type::Int64Type;
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnDescPtr;

use crate::encode::{Codec, Progression, write_progressions};
use crate::error::Writing;
use crate::folder::VERSION;
use crate::index::Segment;
use crate::paths::part_table;
use crate::tables::{declared_properties, pandas_entry};

pub(crate) type RowGroup<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;
pub(crate) type WideWriter<'a> = parquet::column::writer::ColumnWriterImpl<'a, Int64Type>;

/// A Parquet file with one row per event.
pub(crate) struct EventTable {
    pub path: PathBuf,
    pub writer: SerializedFileWriter<BufWriter<File>>,
    /// The columns that each row group contains, in order.
    pub columns: Vec<ColumnDescPtr>,
    /// The codec that compresses the columns that are encoded here.
    pub codec: Codec,
}

impl std::fmt::Debug for EventTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventTable")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl EventTable {
    /// Creates the file of a table of part `number`.
    pub fn create(
        store: &Path,
        table: &TableColumns,
        number: u32,
        level: ZstdLevel,
    ) -> Result<Self, TraceError> {
        let path = store.join(part_table(table.name, number));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        // All types of its columns are native to Parquet, so the file needs no Arrow schema.
        let properties = declared_properties(table, VERSION, level).build();
        let schema = table.schema();
        let parquet = ArrowSchemaConverter::new()
            .convert(&schema)
            .writing(&path)?;
        let file = BufWriter::new(File::create(&path).writing(&path)?);
        let mut writer =
            SerializedFileWriter::new(file, parquet.root_schema_ptr(), Arc::new(properties))
                .writing(&path)?;
        let entry = pandas_entry(&schema);
        entry
            .into_iter()
            .for_each(|entry| writer.append_key_value_metadata(entry));
        let codec = Codec::new(level).writing(&path)?;
        Ok(Self {
            columns: parquet.columns().to_vec(),
            path,
            writer,
            codec,
        })
    }
}

/// Writes the next column of a row group, a column of 64-bit integers.
pub(crate) fn write_column(
    row_group: &mut RowGroup<'_>,
    fill: impl FnOnce(&mut WideWriter<'_>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut column = row_group.next_column()?.ok_or_else(|| {
        ParquetError::General("a row group has more columns than its schema".to_owned())
    })?;
    fill(column.typed::<Int64Type>())?;
    column.close()
}

/// Writes the columns `location` and `position`, which are the first two.
pub(crate) fn write_location_and_position(
    row_group: &mut RowGroup<'_>,
    columns: &[ColumnDescPtr],
    segments: &[Segment],
    codec: &mut Codec,
) -> Result<(), ParquetError> {
    // Locations repeat, positions count.
    for (step, column) in [0, 1].into_iter().zip(columns) {
        let progressions = segments.iter().map(|segment| Progression {
            first: if step == 0 {
                segment.location.0
            } else {
                segment.first.0
            },
            step,
            count: segment.events as usize,
        });
        write_progressions(row_group, Arc::clone(column), progressions, codec)?;
    }
    Ok(())
}
