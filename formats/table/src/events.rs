//! The flat table: one row per event, with the columns of the view `events` of a store.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use foldtrace_columns::with_signs;
use foldtrace_trace::{
    Clock, Definitions, Diagnostic, Diagnostics, EventBatch, Names, Operand, Severity, Symbol,
    SymbolTable, UNDEFINED, WideFields,
};

use crate::account::KeptFields;
use crate::cells::{Cells, Fields, Shared, SymbolFields};
use crate::content::{COLUMNS, Content, OPERANDS};
use crate::dictionary::Dictionary;
use crate::shape::Shape;
use crate::symbols::Symbols;
use crate::writer::TableRows;

/// Converts events to rows of the flat table, with all of its columns or some. Events come in batches, whose columns are
/// converted one after the other.
///
/// ```
/// use foldtrace_table::EventRows;
/// let rows = EventRows::with_columns(&["position", "name"]).ok_or("unknown column")?;
/// assert!(!rows.needs_times() && !rows.needs_quantities());
/// assert!(EventRows::with_columns(&["region_name"]).is_none());
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct EventRows {
    columns: Vec<Cells>,
    /// The number of rows that are not encoded yet.
    rows: usize,
    symbols: Symbols<SymbolFields>,
    /// The first of the rows of symbols that are equal except for repeated definitions, for symbols and for rows whose
    /// symbols differ in their tags.
    first: HashMap<(Symbol, bool), u32>,
    /// The canonical rows of symbols for which these are known, see [`EventRows::set_canonical`].
    canonical: HashMap<u32, u32>,
    kinds: Dictionary,
    names: Dictionary,
    mpi_names: Dictionary,
    /// The members of metrics, by the id of the metric.
    members: HashMap<u64, Vec<u64>>,
    clock: Clock,
    /// Number of times that do not fit into 64 bits in nanoseconds.
    left_out_times: u64,
}

impl Default for EventRows {
    /// Creates rows with all columns.
    fn default() -> Self {
        Self::of(&COLUMNS)
    }
}

impl EventRows {
    /// Returns the names of all columns, in order.
    pub fn column_names() -> impl Iterator<Item = String> {
        COLUMNS.iter().map(|column| column.field().name().clone())
    }

    /// Creates rows with some columns, in the given order; `None` if there is no column with one of the names.
    #[must_use]
    pub fn with_columns(names: &[impl AsRef<str>]) -> Option<Self> {
        let named = |name: &str| {
            let mut columns = COLUMNS.iter();
            columns
                .find(|column| column.field().name() == name)
                .copied()
        };
        let columns: Option<Vec<Content>> = names.iter().map(|name| named(name.as_ref())).collect();
        columns.map(|columns| Self::of(&columns))
    }

    fn of(columns: &[Content]) -> Self {
        Self {
            columns: columns.iter().copied().map(Cells::new).collect(),
            rows: 0,
            symbols: Symbols::default(),
            first: HashMap::new(),
            canonical: HashMap::new(),
            kinds: Dictionary::default(),
            names: Dictionary::default(),
            mpi_names: Dictionary::default(),
            members: HashMap::new(),
            clock: Clock::default(),
            left_out_times: 0,
        }
    }

    fn has(&self, is_content: impl Fn(Content) -> bool) -> bool {
        self.columns
            .iter()
            .any(|column| is_content(column.content()))
    }

    /// Returns whether a column needs the times of events.
    #[must_use]
    pub fn needs_times(&self) -> bool {
        self.has(|content| matches!(content, Content::Time | Content::Ticks))
    }

    /// Returns whether a column needs more of events than their symbols and times.
    #[must_use]
    pub fn needs_quantities(&self) -> bool {
        self.has(|content| {
            matches!(
                content,
                Content::Quantity(_) | Content::Metrics | Content::Attributes
            )
        })
    }

    /// Returns the columns for a trace in which the fields in `wide`, and the operands that `is_wide`, need all 64 bits.
    pub fn schema(&self, wide: WideFields, is_wide: impl Fn(Operand) -> bool) -> SchemaRef {
        let fields = self.columns.iter().map(|column| {
            let (content, field) = (column.content(), column.content().field());
            if field.data_type() == &DataType::Int64 && content.is_wide(wide, &is_wide) {
                field.with_data_type(DataType::UInt64)
            } else {
                field
            }
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// Adds definitions.
    pub fn add_definitions(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.symbols.define(definitions);
        self.first.clear();
        self.members = self.symbols.definitions.metric_members();
        self.clock = self.symbols.definitions.clock();
    }

    /// Sets the names of the definitions, which follow from these unless they are only a part of all definitions.
    pub fn set_names(&mut self, names: Names) {
        self.symbols.set_names(names);
        self.first.clear();
    }

    /// Sets the canonical rows of symbols, if they cannot be found because the table of symbols has unknown rows.
    pub fn set_canonical(&mut self, rows: HashMap<u32, u32>) {
        self.canonical = rows;
    }

    /// Returns the number of rows that were not taken yet.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows
    }

    /// Adds rows for the events of a batch. The batch may lack the times and the quantities that no column needs.
    pub fn push_batch(&mut self, batch: &EventBatch, table: &SymbolTable) {
        let Self {
            symbols,
            first,
            canonical,
            kinds,
            names,
            mpi_names,
            ..
        } = self;
        symbols.derive(table, |id, symbol, definitions| {
            let operands = OPERANDS.map(|operand| symbol.get(operand).unwrap_or(UNDEFINED));
            SymbolFields {
                fields: Fields::new(symbol.kind, &operands),
                kind_key: kinds.key(symbol.kind.name()),
                name_key: definitions.title(&symbol).map(|name| names.key(name)),
                mpi_key: (definitions.mpi_name(&symbol)).map(|name| mpi_names.key(&name)),
                canonical: canonical.get(&id.row_number()).copied().unwrap_or_else(|| {
                    let all = (definitions.canonical(symbol), table.is_tagged(id));
                    *first.entry(all).or_insert(id.row_number())
                }),
                operands,
                metric: symbol.get(Operand::Metric).unwrap_or(UNDEFINED),
            }
        });
        let shared = Shared {
            batch,
            symbols: &self.symbols,
            members: &self.members,
            clock: self.clock,
            fields: OnceCell::new(),
        };
        for column in &mut self.columns {
            self.left_out_times += column.push(&shared);
        }
        self.rows += batch.len();
    }

    /// Removes and returns the rows so far, with the columns of `schema`.
    ///
    /// # Errors
    /// Returns an error if a value needs the 64th bit although its column is signed in `schema`.
    pub fn take_batch(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for (column, field) in self.columns.iter_mut().zip(schema.fields()) {
            columns.push(match column.content() {
                Content::Kind => column.take_words(&mut self.kinds)?,
                Content::Name => column.take_words(&mut self.names)?,
                Content::MpiName => column.take_words(&mut self.mpi_names)?,
                _ => column.take(field)?,
            });
        }
        let mut wide = BTreeSet::new();
        let columns = with_signs(schema, columns, &mut wide);
        match wide.first() {
            Some(&column) => Err(ArrowError::ComputeError(format!(
                "a value of the column '{}' does not fit into a signed integer",
                schema.field(column).name()
            ))),
            None => RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options),
        }
    }
}

impl TableRows for EventRows {
    const KEPT: KeptFields = KeptFields {
        operand: |_, operand| {
            let by_name = [Operand::String, Operand::Parameter, Operand::Metric];
            OPERANDS.contains(&operand) || by_name.contains(&operand)
        },
        quantity: |_, _| true,
        metrics: true,
        attributes: true,
    };

    fn shape(&self, wide: WideFields, symbols: &SymbolTable) -> Shape {
        Shape {
            name: "events",
            schema: self.schema(wide, |operand| symbols.is_wide(operand)),
            sorted_by: &["location", "position"],
            growing: &["location", "position", "time", "ticks"],
        }
    }

    fn define(&mut self, definitions: &Definitions) {
        self.add_definitions(definitions);
    }

    fn clock(&self) -> Clock {
        self.clock
    }

    fn push(&mut self, batch: &EventBatch, table: &SymbolTable) {
        self.push_batch(batch, table);
    }

    fn len(&self) -> usize {
        self.rows
    }

    fn take(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        self.take_batch(schema)
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if self.left_out_times > 0 {
            let message = format!(
                "times that do not fit into 64 bits as nanoseconds are null: {}; the column 'ticks' has them",
                self.left_out_times
            );
            diagnostics.report(Diagnostic::new(Severity::Warning, "table.time", message));
        }
        diagnostics
    }
}
