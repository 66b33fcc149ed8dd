//! Writes a table: converts events to rows and encodes them, some thousands at a time.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Clock, Definitions, Diagnostics, ErrorKind, EventBatch, Order, Place, SymbolTable, TraceError,
    TraceWriter, WideFields,
};

use crate::account::{Account, KeptFields};
use crate::encoder::{Encoder, Encoding, ROW_GROUP_ROWS};
use crate::shape::Shape;

/// Number of rows that are encoded together.
const BATCH_ROWS: usize = 1 << 16;

/// Memory of a row until its row group is written, in bytes: its columns and their encoded form.
const ROW: u64 = 384;

/// Minimum number of rows of a row group; smaller groups are inefficient.
const FEWEST_ROWS: usize = 1 << 12;

/// Converts events to rows.
pub(crate) trait TableRows {
    /// The fields of events that have columns.
    const KEPT: KeptFields;

    /// Returns the columns for a trace with these symbols, and hints for their encoding. The fields in `wide` need
    /// all 64 bits.
    fn shape(&self, wide: WideFields, symbols: &SymbolTable) -> Shape;

    /// Adds definitions.
    fn define(&mut self, definitions: &Definitions);

    /// Returns the clock of the trace.
    fn clock(&self) -> Clock;

    /// Adds rows for the events of a batch.
    fn push(&mut self, batch: &EventBatch, symbols: &SymbolTable);

    /// Returns the number of rows that are not encoded yet.
    fn len(&self) -> usize;

    /// Removes and returns the rows that are not encoded yet.
    fn take(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError>;

    /// Returns diagnostics about values that the table cannot represent.
    fn diagnostics(&self) -> Diagnostics;
}

/// Writes a table.
pub(crate) struct TableWriter<R> {
    rows: R,
    order: Order,
    encoding: Encoding,
    wide: WideFields,
    /// Maximum number of rows of a row group.
    row_group: usize,
    /// The output file, until the first rows are written.
    file: Option<OutputFile>,
    encoder: Option<(Encoder, SchemaRef)>,
    account: Account,
    /// The table of symbols, which is complete from the first batch on.
    symbols: SymbolTable,
}

impl<R: TableRows> TableWriter<R> {
    pub(crate) fn new(rows: R, order: Order, encoding: Encoding, file: OutputFile) -> Self {
        Self {
            rows,
            order,
            encoding,
            wide: WideFields::default(),
            row_group: ROW_GROUP_ROWS,
            file: Some(file),
            encoder: None,
            account: Account::new(R::KEPT),
            symbols: SymbolTable::default(),
        }
    }

    /// Encodes the pending rows.
    fn flush(&mut self) -> Result<(), TraceError> {
        if let Some(file) = self.file.take() {
            let clock = self.rows.clock();
            let shape = self.rows.shape(self.wide, &self.symbols);
            let encoder = Encoder::new(self.encoding, file, &shape, clock, self.row_group)?;
            self.encoder = Some((encoder, shape.schema));
        }
        let Some((encoder, schema)) = &mut self.encoder else {
            return Ok(());
        };
        let batch = self.rows.take(schema);
        let batch = batch.map_err(|error| {
            TraceError::new(ErrorKind::Internal, "cannot assemble the table")
                .at(Place::file(encoder.path()))
                .caused_by(error)
        })?;
        encoder.write(&batch)
    }
}

impl<R: TableRows> TraceWriter for TableWriter<R> {
    fn order(&self) -> Order {
        self.order
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.account.define(definitions);
        self.rows.define(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.account.define(&batch.definitions);
        self.account.count(batch, symbols);
        if self.symbols.len() < symbols.len() {
            self.symbols = symbols.clone();
        }
        self.rows.define(&batch.definitions);
        self.rows.push(batch, symbols);
        if self.rows.len() >= BATCH_ROWS.min(self.row_group) {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn wide_fields(&mut self, fields: WideFields) {
        self.wide = fields;
    }

    fn collect_at_most(&mut self, bytes: u64) {
        let rows = usize::try_from(bytes / ROW).unwrap_or(usize::MAX);
        self.row_group = rows.clamp(FEWEST_ROWS, ROW_GROUP_ROWS);
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.flush()?;
        if let Some((encoder, _)) = self.encoder.take() {
            encoder.finish()?;
        }
        let left_out = self.account.left_out(&self.symbols);
        let mut diagnostics = left_out.diagnostics("table.left_out", "table.definitions_left_out");
        diagnostics.merge(self.rows.diagnostics());
        Ok(diagnostics)
    }
}
