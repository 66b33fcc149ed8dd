//! Writes the files of derived tables.
//!
//! Derived tables are for analysis in SQL or with data frames; foldtrace itself does not read them. This module does
//! not know the meaning of their rows.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch};
use arrow::datatypes::{Int32Type, Schema};
use foldtrace_columns::{with_pandas, with_signs, without_sign};
use foldtrace_trace::{Clock, TraceError};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Encoding, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::schema::types::ColumnPath;

use crate::derived::{Derived, MEMBERS, MEMBERS_NAME};
use crate::error::Writing;
use crate::folder::{Manifest, VERSION};
use crate::models::DagTable;
use crate::paths::part_table;
use crate::reader::StoreReader;
use crate::schema;
use crate::tables::{Written, clock_entries, event_properties};

/// The columns of numbers that are close to their predecessors, which are stored as differences.
const CLOSE: [&str; 25] = [
    "first_position",
    "last_position",
    "iteration",
    "begin_position",
    "end_position",
    "start",
    "duration",
    "exclusive",
    "parent",
    "instance",
    "sent",
    "received",
    "latency",
    "send_position",
    "receive_position",
    "posted",
    "posted_position",
    "completed",
    "completed_position",
    "ended",
    "order",
    "offset",
    "partition",
    "step",
    "end",
];

/// The index of the column with the number of the collective operation.
const INSTANCE: i32 = 0;

/// A Parquet file of a derived table, in a store or in another output.
pub struct DerivedTable<W: Write + Send = File> {
    path: PathBuf,
    name: &'static str,
    schema: Arc<Schema>,
    writer: ArrowWriter<W>,
    rows: u64,
    wide: BTreeSet<usize>,
}

impl DerivedTable {
    /// Creates the file of a part's calls, which are written location by location in the order in which they end.
    pub fn calls(store: &StoreReader, part: u32) -> Result<Self, TraceError> {
        const LOCATION: i32 = 0;
        const END_POSITION: i32 = 7;
        let path = part_table(Derived::Calls.path(), part);
        let clock = Some(store.manifest().clock());
        let sorted = &[LOCATION, END_POSITION];
        Self::create(store, &path, "calls", schema::calls(), sorted, clock)
    }

    /// Creates the file of messages.
    pub fn messages(store: &StoreReader) -> Result<Self, TraceError> {
        let clock = Some(store.manifest().clock());
        let path = Derived::Messages.path();
        Self::create(store, path, "messages", schema::messages(), &[], clock)
    }

    /// Creates the file of collective operations, in the order of their numbers.
    pub fn collectives(store: &StoreReader) -> Result<Self, TraceError> {
        let clock = Some(store.manifest().clock());
        let (path, schema) = (Derived::Collectives.path(), schema::collectives());
        Self::create(store, path, "collectives", schema, &[INSTANCE], clock)
    }

    /// Creates the file of the members of collective operations, in the order of the operations' numbers.
    pub fn collective_members(store: &StoreReader) -> Result<Self, TraceError> {
        let clock = Some(store.manifest().clock());
        let schema = schema::collective_members();
        Self::create(store, MEMBERS, MEMBERS_NAME, schema, &[INSTANCE], clock)
    }

    /// Creates the file of a part's iterations, which are written location by location in the order in which they
    /// end.
    pub fn iterations(store: &StoreReader, part: u32) -> Result<Self, TraceError> {
        const LOCATION: i32 = 0;
        const LAST_POSITION: i32 = 8;
        let path = part_table(Derived::Iterations.path(), part);
        let clock = Some(store.manifest().clock());
        let sorted = &[LOCATION, LAST_POSITION];
        let schema = schema::iterations();
        Self::create(store, &path, "iterations", schema, sorted, clock)
    }

    /// Creates the file of a table of the DAG, which has no times.
    pub fn dag(store: &StoreReader, table: DagTable) -> Result<Self, TraceError> {
        let (path, name) = (table.path(), table.name());
        Self::create(store, path, name, table.schema(), table.sorted(), None)
    }

    /// Creates the file of a table at `path` in a store. `clock` is the clock of the times, if the table has any.
    /// Rows are sorted by the columns with the numbers `sorted`.
    fn create(
        store: &StoreReader,
        path: &str,
        name: &'static str,
        schema: Schema,
        sorted: &[i32],
        clock: Option<Clock>,
    ) -> Result<Self, TraceError> {
        let path = store.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        let file = File::create(&path).writing(&path)?;
        let version = store.manifest().version;
        let schema = schema::in_version(version, &schema);
        let properties = event_properties(name, version, ZstdLevel::default());
        Self::within(file, path, name, schema, properties, sorted, clock)
    }

    /// Completes the file. Returns the number of its rows, and the file.
    pub fn finish(self) -> Result<(u64, Written), TraceError> {
        self.writer.close().writing(&self.path)?;
        let file = Written {
            path: self.path,
            table: self.name.to_owned(),
            schema: self.schema,
            wide: self.wide,
        };
        Ok((self.rows, file))
    }
}

impl<W: Write + Send> DerivedTable<W> {
    /// Creates the table of a store's logical steps, sorted by partition; error messages call the file `path`.
    pub fn steps(file: W, path: PathBuf, store: &Manifest) -> Result<Self, TraceError> {
        const PARTITION: i32 = 4;
        const STEP: i32 = 5;
        const TIMES: [&str; 4] = ["start", "end", "lateness", "differential_lateness"];
        let is_wide = store.wide_fields().is_none_or(|fields| fields.time);
        let schema = without_sign(&schema::steps(), |name| is_wide && TIMES.contains(&name));
        let properties = event_properties("steps", VERSION, ZstdLevel::default());
        let (sorted, clock) = (&[PARTITION, STEP], Some(store.clock()));
        Self::within(file, path, "steps", schema, properties, sorted, clock)
    }

    fn within(
        file: W,
        path: PathBuf,
        name: &'static str,
        schema: Schema,
        properties: WriterPropertiesBuilder,
        sorted: &[i32],
        clock: Option<Clock>,
    ) -> Result<Self, TraceError> {
        let sorted = sorted.iter().map(|&column_idx| SortingColumn {
            column_idx,
            descending: false,
            nulls_first: false,
        });
        let sorted: Vec<_> = sorted.collect();
        let mut properties = properties.set_sorting_columns((!sorted.is_empty()).then_some(sorted));
        for column in CLOSE.map(ColumnPath::from) {
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        let schema = Arc::new(with_pandas(&schema));
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties.build()));
        let mut writer = writer.writing(&path)?;
        let entries = clock.into_iter().flat_map(clock_entries);
        entries.for_each(|entry| writer.append_key_value_metadata(entry));
        Ok(Self {
            path,
            name,
            schema,
            writer,
            rows: 0,
            wide: BTreeSet::new(),
        })
    }

    /// Appends rows, given as columns.
    pub fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), TraceError> {
        let columns = with_signs(&self.schema, columns, &mut self.wide);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).writing(&self.path)?;
        self.rows += batch.num_rows() as u64;
        self.writer.write(&batch).writing(&self.path)
    }

    /// Completes the table. Returns the number of its rows, and the file.
    pub fn close(self) -> Result<(u64, W), TraceError> {
        let file = self.writer.into_inner().writing(&self.path)?;
        Ok((self.rows, file))
    }

    /// Returns a dictionary column whose values are the `words` with the given numbers.
    pub fn words(&self, numbers: Int32Array, words: &ArrayRef) -> Result<ArrayRef, TraceError> {
        let column = DictionaryArray::<Int32Type>::try_new(numbers, Arc::clone(words));
        Ok(Arc::new(column.writing(&self.path)?))
    }
}
