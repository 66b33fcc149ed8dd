//! Lazy tables: their rows are computed when they are read, and passed on as Arrow record batches without copies.

use std::iter;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ffi::FFI_ArrowSchema;
use arrow::ffi_stream::FFI_ArrowArrayStream;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use foldtrace::store::columns::with_pandas;
use foldtrace::trace::TraceError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::exception;
use crate::work::on_threads;

/// Batches of rows.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TraceError>> + Send>;

/// The number of rows that notebooks show.
const PREVIEWED: usize = 10;

/// The rows of a table.
pub trait Rows: Send + Sync {
    /// Returns the columns.
    fn schema(&self) -> SchemaRef;

    /// Begins to read the rows.
    ///
    /// # Errors
    /// Returns an error if the store is damaged.
    fn read(&self) -> Result<Batches, TraceError>;
}

impl Rows for RecordBatch {
    fn schema(&self) -> SchemaRef {
        RecordBatch::schema(self)
    }

    fn read(&self) -> Result<Batches, TraceError> {
        Ok(Box::new(iter::once(Ok(self.clone()))))
    }
}

/// The first rows of a table.
struct Head {
    rows: Arc<dyn Rows>,
    count: usize,
}

impl Rows for Head {
    fn schema(&self) -> SchemaRef {
        self.rows.schema()
    }

    fn read(&self) -> Result<Batches, TraceError> {
        let mut batches = self.rows.read()?;
        let mut left = self.count;
        Ok(Box::new(iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let batch = batches.next()?;
            Some(batch.map(|batch| {
                let batch = batch.slice(0, left.min(batch.num_rows()));
                left -= batch.num_rows();
                batch
            }))
        })))
    }
}

/// A table of a trace. Its rows are computed when they are read.
#[pyclass(frozen, module = "foldtrace")]
pub struct Table {
    rows: Arc<dyn Rows>,
    /// The columns as Python gets them.
    schema: SchemaRef,
}

impl Table {
    pub fn new(rows: impl Rows + 'static) -> Self {
        Self {
            schema: Arc::new(with_pandas(&renamed(&rows.schema()))),
            rows: Arc::new(rows),
        }
    }

    /// Reads all rows. Signals are handled after each batch.
    fn collect(&self, py: Python<'_>) -> PyResult<Vec<RecordBatch>> {
        let begun = py.detach(|| on_threads(|| self.rows.read()));
        let mut batches = begun.map_err(|error| exception(py, &error))?;
        let mut all = Vec::new();
        loop {
            let (next, rest) = py.detach(|| {
                let next = on_threads(|| Ok(batches.next()));
                (next, batches)
            });
            batches = rest;
            py.check_signals()?;
            let next = next.and_then(Option::transpose);
            match next.map_err(|error| exception(py, &error))? {
                Some(batch) => all.push(self.typed(batch).map_err(mistake)?),
                None => return Ok(all),
            }
        }
    }

    /// Reads all rows, and passes them to a function of a Python module.
    fn convert<'py>(
        &self,
        py: Python<'py>,
        module: &str,
        function: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = py.import(module)?.getattr(function)?;
        let batches = self.collect(py)?.into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        function.call1((Stream::new(reader),))
    }

    /// Gives a batch the schema as Python gets it.
    fn typed(&self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        typed(&self.schema, batch)
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The first rows, as a table. Only these are read.
    #[pyo3(signature = (rows = 5))]
    fn head(&self, rows: usize) -> Self {
        let head = Head {
            rows: Arc::clone(&self.rows),
            count: rows,
        };
        Self {
            rows: Arc::new(head),
            schema: Arc::clone(&self.schema),
        }
    }

    /// The rows as a pyarrow.Table.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.convert(py, "pyarrow", "table")
    }

    /// The rows as a pandas.DataFrame. Integers that may be null are exact.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_arrow(py)?.call_method0("to_pandas")
    }

    /// The rows as a polars.DataFrame.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.convert(py, "polars", "DataFrame")
    }

    /// The columns as NumPy arrays, by their names. Columns with nulls are masked arrays.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let to_numpy = py.import("foldtrace._bridges")?.getattr("to_numpy")?;
        to_numpy.call1((self.to_arrow(py)?,))
    }

    /// The columns, for any library that reads Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(mistake)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows as a stream of record batches, for any library that reads Arrow.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The consumer converts columns to other types.
        drop(requested_schema);
        let batches = py.detach(|| on_threads(|| self.rows.read()));
        let mut batches = batches.map_err(|error| exception(py, &error))?;
        let schema = Arc::clone(&self.schema);
        let next = iter::from_fn(move || on_threads(|| Ok(batches.next())).transpose());
        let typed = next.map(move |batch| {
            let batch = batch.and_then(|batch| batch);
            let batch = batch.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
            typed(&schema, batch)
        });
        let reader = RecordBatchIterator::new(typed, Arc::clone(&self.schema));
        stream(py, Box::new(reader))
    }

    /// The first rows, for notebooks.
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batches = self.head(PREVIEWED).collect(py)?;
        let options = FormatOptions::new();
        let mut rows = Vec::new();
        for batch in &batches {
            let columns = batch.columns().iter();
            let columns = columns.map(|column| ArrayFormatter::try_new(column, &options));
            let columns: Vec<_> = columns.collect::<Result<_, _>>().map_err(mistake)?;
            rows.extend((0..batch.num_rows()).map(|row| {
                let cells = columns.iter().map(|column| column.value(row).to_string());
                cells.collect::<Vec<_>>()
            }));
        }
        let preview = py.import("foldtrace._html")?.getattr("preview")?;
        preview.call1((self.columns(), rows))
    }

    fn __repr__(&self) -> String {
        let fields = self.schema.fields().iter();
        let fields = fields.map(|field| format!("  {}: {}", field.name(), field.data_type()));
        let fields: Vec<String> = fields.collect();
        format!("foldtrace.Table with columns\n{}", fields.join("\n"))
    }
}

/// Rows that a library is about to read.
#[pyclass]
struct Stream(Option<Box<dyn RecordBatchReader + Send + Sync>>);

impl Stream {
    fn new(reader: impl RecordBatchReader + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(reader)))
    }
}

#[pymethods]
impl Stream {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &mut self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let read = || PyRuntimeError::new_err("the rows were read already");
        stream(py, self.0.take().ok_or_else(read)?)
    }
}

/// Returns a reader as a capsule of Arrow's interface for Python.
fn stream(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(reader);
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The name that a column has in files, and its name in Python.
const RENAMED: (&str, &str) = ("mpi_name", "mpi");

/// Returns the name in files of a column with a name in Python.
pub fn name_in_files(name: String) -> String {
    if name == RENAMED.1 {
        RENAMED.0.to_owned()
    } else {
        name
    }
}

/// Returns the columns with their names in Python.
fn renamed(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| {
        let field = Field::clone(field);
        if field.name() == RENAMED.0 {
            field.with_name(RENAMED.1)
        } else {
            field
        }
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

fn typed(schema: &SchemaRef, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (_, columns, rows) = batch.into_parts();
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

fn mistake(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
