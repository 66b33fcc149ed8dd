//! Properties of Parquet files, and entries of their footers.

use arrow::datatypes::Schema;
use foldtrace_columns::{Column, ColumnEncoding, PANDAS, TableColumns, pandas};
use foldtrace_trace::Clock;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

/// The number of rows per row group: enough for fast scans, few enough to keep in memory.
pub const ROW_GROUP_ROWS: usize = 1 << 18;

/// The number of rows per data page, all of which are decoded to find one event. Smaller pages compress less well.
pub(crate) const PAGE_ROWS: usize = 1 << 16;

/// The key of the name of the table in a footer.
pub(super) const TABLE: &str = "foldtrace.table";

/// Returns the properties that all tables share. Each file contains the version of the schema.
fn common_properties(table: &str, version: u32, level: ZstdLevel) -> WriterPropertiesBuilder {
    let entry = |key: &str, value| KeyValue::new(key.to_owned(), value);
    let entries = vec![
        entry("foldtrace.version", version.to_string()),
        entry(TABLE, table.to_owned()),
    ];
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("foldtrace ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(entries))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_data_page_row_count_limit(PAGE_ROWS)
}

/// The number of rows per data page of a table of which single rows are read.
const KEYED_PAGE_ROWS: usize = 1 << 13;

/// Returns the properties of a large table, of which rows are found by keys, columns of numbers that mostly ascend.
pub(crate) fn keyed_properties(table: &str, version: u32, keys: &[&str]) -> WriterProperties {
    let mut properties = common_properties(table, version, ZstdLevel::default())
        .set_data_page_row_count_limit(KEYED_PAGE_ROWS)
        .set_write_batch_size(KEYED_PAGE_ROWS)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for &key in keys {
        let key = ColumnPath::from(key);
        properties = properties
            .set_column_statistics_enabled(key.clone(), EnabledStatistics::Page)
            .set_column_dictionary_enabled(key.clone(), false)
            .set_column_encoding(key, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

/// Returns the properties of a table that is read as a whole, which needs neither statistics nor places of pages.
pub(crate) fn whole_properties(table: &str, version: u32) -> WriterProperties {
    common_properties(table, version, ZstdLevel::default())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build()
}

/// Returns the footer entries about the clock, so that times can be interpreted with the file alone.
pub(crate) fn clock_entries(clock: Clock) -> impl Iterator<Item = KeyValue> {
    let entries = [
        ("foldtrace.ticks_per_second", clock.ticks_per_second),
        ("foldtrace.global_offset", clock.global_offset),
    ];
    let entry = |(key, ticks): (&str, u64)| KeyValue::new(key.to_owned(), ticks.to_string());
    entries.into_iter().map(entry)
}

/// Returns the properties of a declared table: its order, its encodings, and statistics per page.
pub(crate) fn declared_properties(
    table: &TableColumns,
    version: u32,
    level: ZstdLevel,
) -> WriterPropertiesBuilder {
    let sorting = table.sorting().map(|column| SortingColumn {
        column_idx: column as i32,
        descending: false,
        nulls_first: false,
    });
    let sorting: Vec<_> = sorting.collect();
    let mut properties = common_properties(table.name, version, level)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting));
    let is_delta = |column: &&Column| column.encoding == ColumnEncoding::Delta;
    for column in table.columns.iter().filter(is_delta) {
        let path = ColumnPath::from(column.name);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties
}

/// Returns the entry for pandas in the footer of a table without an Arrow schema.
pub(crate) fn pandas_entry(schema: &Schema) -> Option<KeyValue> {
    Some(KeyValue::new(PANDAS.to_owned(), pandas(schema)?))
}
