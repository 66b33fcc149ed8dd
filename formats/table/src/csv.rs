//! Encodes tables as comma-separated values: lines end with CR LF, the first line contains the column names, and null
//! is an empty field. Nested values, which CSV does not support, are JSON in a field.

use std::io::BufWriter;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringBuilder};
use arrow::csv::writer::Terminator;
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use arrow::error::ArrowError;
use arrow::json::writer::{EncoderOptions, make_encoder};

use crate::backend::{Backend, EncodeError, WatchedFile};

/// Size of the write buffer, in bytes.
const BLOCK: usize = 1 << 18;

pub(crate) struct CsvEncoder(Writer<BufWriter<WatchedFile>>);

impl CsvEncoder {
    pub(crate) fn new(file: WatchedFile) -> Self {
        let builder = WriterBuilder::new()
            .with_header(true)
            .with_line_terminator(Terminator::CRLF);
        Self(builder.build(BufWriter::with_capacity(BLOCK, file)))
    }
}

impl Backend for CsvEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(&with_json_lists(batch)?)?)
    }

    fn finish(self: Box<Self>) -> Result<WatchedFile, EncodeError> {
        let buffer = self.0.into_inner();
        Ok(buffer.into_inner().map_err(|error| error.into_error())?)
    }
}

/// Returns the rows with lists converted to JSON.
fn with_json_lists(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut fields: Vec<FieldRef> = Vec::with_capacity(batch.num_columns());
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(batch.num_columns());
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        if matches!(field.data_type(), DataType::List(_)) {
            fields.push(Arc::new(Field::new(field.name(), DataType::Utf8, true)));
            columns.push(json(field, column)?);
        } else {
            fields.push(Arc::clone(field));
            columns.push(Arc::clone(column));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Returns the values of a column as JSON texts.
fn json(field: &FieldRef, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let mut texts = StringBuilder::new();
    if column.null_count() == column.len() {
        texts.append_nulls(column.len());
        return Ok(Arc::new(texts.finish()));
    }
    let options = EncoderOptions::default();
    let mut encoder = make_encoder(field, column, &options)?;
    let mut bytes = Vec::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            texts.append_null();
            continue;
        }
        bytes.clear();
        encoder.encode(row, &mut bytes);
        texts.append_value(String::from_utf8_lossy(&bytes));
    }
    Ok(Arc::new(texts.finish()))
}
