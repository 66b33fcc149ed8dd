//! Makes one table of several by copying their row groups, which are not decoded.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use foldtrace_trace::{ErrorKind, Place, TraceError};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::page_index::RowGroupPageIndex;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use super::retype::Written;
use super::write::create_file;
use crate::error::Writing;

/// Unites tables with the same columns to one at `path`: it has their row groups, one table after the other, and the entries of the
/// first footer. A single table is linked, unless its footer may be corrected.
///
/// # Errors
/// Returns an error if there is no table, or if a file cannot be read or written.
pub(crate) fn unite(tables: &[Written], path: &Path) -> Result<Written, TraceError> {
    let Some((first, others)) = tables.split_first() else {
        let error = TraceError::new(ErrorKind::Internal, "a table has no parts");
        return Err(error.at(Place::file(path)));
    };
    let mut united = Written {
        path: path.to_owned(),
        ..first.clone()
    };
    for table in others {
        united.wide.extend(&table.wide);
    }
    if others.is_empty() {
        let is_linked = united.wide.is_empty() && fs::hard_link(&first.path, path).is_ok();
        if !is_linked {
            fs::copy(&first.path, path).map(drop).writing(path)?;
        }
    } else {
        splice(tables, create_file(path)?).writing(path)?;
    }
    Ok(united)
}

fn splice(tables: &[Written], to: File) -> ParquetResult<()> {
    let tables = tables.iter().map(|table| open(&table.path));
    let tables = tables.collect::<ParquetResult<Vec<_>>>()?;
    let of_file = tables[0].1.file_metadata();
    let mut properties = WriterProperties::builder();
    if let Some(creator) = of_file.created_by() {
        properties = properties.set_created_by(creator.to_owned());
    }
    let schema = of_file.schema_descr().root_schema_ptr();
    let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties.build()))?;
    for entry in of_file.key_value_metadata().into_iter().flatten() {
        writer.append_key_value_metadata(entry.clone());
    }
    for (file, metadata) in &tables {
        append(&mut writer, file, metadata)?;
    }
    writer.close().map(drop)
}

/// Opens a table. Returns its footer with the places and the bounds of its pages.
fn open(path: &Path) -> ParquetResult<(File, ParquetMetaData)> {
    let file = File::open(path)?;
    let metadata = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .parse_and_finish(&file)?;
    Ok((file, metadata))
}

fn append(
    writer: &mut SerializedFileWriter<File>,
    file: &File,
    metadata: &ParquetMetaData,
) -> ParquetResult<()> {
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let pages = RowGroupPageIndex::new(number, metadata.page_index().cloned());
        let mut to = writer.next_row_group()?;
        for (column, chunk) in group.columns().iter().enumerate() {
            let copied = ColumnCloseResult {
                bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
                rows_written: u64::try_from(group.num_rows()).unwrap_or_default(),
                metadata: chunk.clone(),
                bloom_filter: None,
                column_index: pages.column_index(column).cloned(),
                offset_index: pages.offset_index(column).cloned(),
            };
            to.append_column(file, copied)?;
        }
        to.close()?;
    }
    Ok(())
}
