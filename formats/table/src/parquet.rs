//! Encodes tables as Parquet: compressed, with statistics and a page index, and with the Arrow schema.

use std::sync::Arc;

use arrow::array::RecordBatch;
use foldtrace_columns::with_pandas;
use foldtrace_trace::Clock;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::backend::{Backend, EncodeError, WatchedFile};
use crate::shape::Shape;

/// Number of rows of a data page, which must be decoded to find one row.
const PAGE_ROWS: usize = 1 << 14;

/// The version of the columns that `schemas/table.md` describes.
const VERSION: &str = "2";

pub(crate) struct ParquetEncoder(ArrowWriter<WatchedFile>);

impl ParquetEncoder {
    pub(crate) fn new(
        file: WatchedFile,
        shape: &Shape,
        clock: Clock,
        row_group: usize,
    ) -> Result<Self, EncodeError> {
        let properties = properties(shape, clock, row_group)?;
        let schema = Arc::new(with_pandas(&shape.schema));
        let writer = ArrowWriter::try_new(file, schema, Some(properties))?;
        Ok(Self(writer))
    }
}

impl Backend for ParquetEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<WatchedFile, EncodeError> {
        Ok(self.0.into_inner()?)
    }
}

fn properties(
    shape: &Shape,
    clock: Clock,
    row_group: usize,
) -> Result<WriterProperties, EncodeError> {
    let mut sorting = Vec::new();
    for &column in shape.sorted_by {
        sorting.push(SortingColumn {
            column_idx: shape.schema.index_of(column)? as i32,
            descending: false,
            nulls_first: false,
        });
    }
    let metadata = [
        ("foldtrace.version", VERSION.to_owned()),
        ("foldtrace.table", shape.name.to_owned()),
        (
            "foldtrace.ticks_per_second",
            clock.ticks_per_second.to_string(),
        ),
        ("foldtrace.global_offset", clock.global_offset.to_string()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("foldtrace ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata.to_vec()))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns(Some(sorting))
        .set_max_row_group_row_count(Some(row_group))
        .set_data_page_row_count_limit(PAGE_ROWS);
    for &column in shape.growing {
        let path = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties.build())
}
