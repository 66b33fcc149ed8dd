//! Corrects the types of columns in the footer of a complete table.
//!
//! Signed and unsigned numbers have the same bytes; only the footer distinguishes them. If a late value of a column
//! turns out to need all 64 bits, the file therefore only needs a new footer.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use foldtrace_columns::{PANDAS, pandas, with_pandas, without_sign};
use foldtrace_trace::TraceError;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader,
    ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::statistics::Statistics;
use parquet::schema::types::SchemaDescriptor;
use rayon::prelude::*;

use super::properties::TABLE;
use crate::error::{Reading, Writing};
use crate::unsigned::Unsigned;

/// The number of bytes after the metadata in a footer: the length of the metadata, and the magic number.
const TAIL: u64 = 8;

/// A complete file of a table.
#[derive(Clone, Debug)]
pub struct Written {
    /// The path of the file.
    pub path: PathBuf,
    /// The name of the table.
    pub table: String,
    /// The schema with which the file was written.
    pub schema: SchemaRef,
    /// The columns with a value that needs the 64th bit.
    pub wide: BTreeSet<usize>,
}

impl Written {
    /// Describes a complete table that another task has written. `wide` are the columns with a value that needs the 64th bit.
    ///
    /// # Errors
    /// Returns an error if the footer cannot be read.
    pub fn from_file(path: PathBuf, wide: BTreeSet<usize>) -> Result<Self, TraceError> {
        let file = File::open(&path).reading(&path)?;
        let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).reading(&path)?;
        let of_file = footer.metadata().file_metadata();
        let entries = of_file.key_value_metadata().into_iter().flatten();
        let schema = Schema::new(footer.schema().fields().clone());
        let table = entries
            .filter(|entry| entry.key == TABLE)
            .find_map(|entry| entry.value.clone());
        Ok(Self {
            path,
            table: table.unwrap_or_default(),
            schema: Arc::new(with_pandas(&schema)),
            wide,
        })
    }
}

impl Unsigned {
    /// Processes all files of some tables. A column that needs all 64 bits in one file becomes unsigned in all files
    /// of its table.
    ///
    /// # Errors
    /// Returns an error if a footer cannot be corrected.
    pub(crate) fn settle(&mut self, files: &[Written]) -> Result<(), TraceError> {
        for file in files {
            let names = file
                .wide
                .iter()
                .map(|&column| file.schema.field(column).name());
            names.for_each(|name| self.insert(&file.table, name));
        }
        files.par_iter().try_for_each(|file| self.correct(file))
    }

    /// Corrects the footer of a file in which all numbers were written as signed.
    pub(crate) fn correct(&self, file: &Written) -> Result<(), TraceError> {
        let schema = without_sign(&file.schema, |column| self.has(&file.table, column));
        if schema == *file.schema {
            return Ok(());
        }
        retype(&file.path, &schema)
    }
}

/// Gives the columns of the table at `path` the types of `schema`, which has the same columns in the same
/// order, with the same widths.
///
/// # Errors
/// Returns an error if the file cannot be read or written.
fn retype(path: &Path, schema: &Schema) -> Result<(), TraceError> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .writing(path)?;
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&file)
        .writing(path)?;
    let end = file.metadata().writing(path)?.len();
    let begin = end.saturating_sub(TAIL + metadata_bytes(&file, end).writing(path)?);
    let metadata = retyped(&metadata, schema).writing(path)?;
    file.set_len(begin).writing(path)?;
    file.seek(SeekFrom::Start(begin)).writing(path)?;
    // The page index stays where it is.
    let mut buffer = BufWriter::new(file);
    ParquetMetaDataWriter::new(&mut buffer, &metadata)
        .finish()
        .writing(path)?;
    buffer
        .into_inner()
        .map_err(|error| error.into_error())
        .writing(path)?;
    Ok(())
}

/// Reads the length of the metadata from the footer.
fn metadata_bytes(file: &File, end: u64) -> std::io::Result<u64> {
    use std::os::unix::fs::FileExt;
    let mut length = [0; 4];
    file.read_exact_at(&mut length, end.saturating_sub(TAIL))?;
    Ok(u32::from_le_bytes(length).into())
}

fn retyped(metadata: &ParquetMetaData, schema: &Schema) -> ParquetResult<ParquetMetaData> {
    let descriptor = Arc::new(ArrowSchemaConverter::new().convert(schema)?);
    let of_file = metadata.file_metadata();
    let mut pairs = of_file.key_value_metadata().cloned().unwrap_or_default();
    for KeyValue { key, value } in &mut pairs {
        match key.as_str() {
            ARROW_SCHEMA_META_KEY => *value = Some(encode_arrow_schema(&with_pandas(schema))),
            PANDAS => *value = pandas(schema),
            _ => {}
        }
    }
    let of_file = FileMetaData::new(
        of_file.version(),
        of_file.num_rows(),
        of_file.created_by().map(str::to_owned),
        Some(pairs),
        Arc::clone(&descriptor),
        of_file.column_orders().cloned(),
    );
    let row_groups = metadata.row_groups().iter().cloned();
    let row_groups = row_groups
        .map(|row_group| with_bounds_in_order(row_group, &descriptor))
        .collect::<ParquetResult<_>>()?;
    Ok(ParquetMetaData::new(of_file, row_groups))
}

/// Removes the bounds of columns that get another type, unless they are also bounds in the order of that
/// type.
fn with_bounds_in_order(
    row_group: RowGroupMetaData,
    descriptor: &SchemaDescriptor,
) -> ParquetResult<RowGroupMetaData> {
    let columns = row_group.columns().iter().zip(descriptor.columns());
    let columns = columns.map(|(column, new)| {
        let column = column.clone();
        let is_same = column.column_descr().logical_type_ref() == new.logical_type_ref();
        if is_same || is_in_order(&column) {
            return Ok(column);
        }
        let column = column.into_builder().clear_statistics();
        column
            .set_column_index_offset(None)
            .set_column_index_length(None)
            .build()
    });
    let columns = columns.collect::<ParquetResult<_>>()?;
    row_group
        .into_builder()
        .set_column_metadata(columns)
        .build()
}

/// Returns whether the minimum of a column is at most its maximum in unsigned order. If not, values with
/// and without the 64th bit were compared as signed numbers. Otherwise the bounds are right: either all
/// values agree in that bit, or they were compared as unsigned numbers.
fn is_in_order(column: &ColumnChunkMetaData) -> bool {
    let bounds = match column.statistics() {
        Some(Statistics::Int64(bounds)) => bounds.min_opt().zip(bounds.max_opt()),
        _ => None,
    };
    bounds.is_none_or(|(&least, &most)| least.cast_unsigned() <= most.cast_unsigned())
}
