//! Derived tables: calls, messages and collective operations, which follow from the events of a store.
//!
//! They are for who analyses a trace in SQL or with data frames; foldtrace itself does not read them.
//! Rows go to Parquet some thousand at a time, whatever the trace's length.

mod calls;
mod collectives;
mod messages;

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow::datatypes::{Int32Type, Schema};
use foldtrace_trace::{Clock, TraceError};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Encoding, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::schema::types::ColumnPath;

use super::error::Writing;
use super::parquet_io::{clock_entries, event_properties};
use crate::analysis::Moment;

pub use calls::{Callees, CallsWriter};
pub use collectives::CollectivesWriter;
pub use messages::MessagesWriter;

/// What writes the rows of a table, or of tables that belong together.
pub trait RowWriter {
    /// A row.
    type Row;

    /// Appends a row.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn write(&mut self, row: Self::Row) -> Result<(), TraceError>;

    /// Completes the table; gives the number of rows.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn finish(self) -> Result<u64, TraceError>;
}

/// Rows that wait until they are encoded.
const WAITING: usize = 1 << 13;

/// Columns of numbers that are close to the one before, stored as differences.
const CLOSE: [&str; 17] = [
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
];

/// A derived table, with those that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Derived {
    /// Calls: `derived/calls/`.
    Calls,
    /// Messages: `derived/messages.parquet`.
    Messages,
    /// Collective operations and their members.
    Collectives,
}

const MEMBERS: &str = "derived/collective_members.parquet";

impl Derived {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Calls, Self::Messages, Self::Collectives];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Messages => "messages",
            Self::Collectives => "collectives",
        }
    }

    /// The table of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Where it stands in the store.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Calls => "derived/calls",
            Self::Messages => "derived/messages.parquet",
            Self::Collectives => "derived/collectives.parquet",
        }
    }

    /// Whether a file of the store is of this table, or of one that belongs to it.
    pub(super) fn has_file(self, path: &str) -> bool {
        match self {
            Self::Calls => path.starts_with("derived/calls/"),
            Self::Messages => path == self.path(),
            Self::Collectives => path == self.path() || path == MEMBERS,
        }
    }

    /// Whether a diagnostic of this key tells what was odd in making this table.
    pub(super) fn has_key(self, key: &str) -> bool {
        let table = key.split_once('.').map(|(table, _)| table);
        table == Some(self.name())
    }
}

/// A Parquet file of a derived table.
struct Table {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<File>,
    rows: u64,
}

impl Table {
    /// Begins the file at `path`; rows come in the order of the columns with the numbers `sorted`.
    fn create(
        path: PathBuf,
        name: &str,
        schema: Schema,
        sorted: &[i32],
        clock: Clock,
    ) -> Result<Self, TraceError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        let sorted = sorted.iter().map(|&column_idx| SortingColumn {
            column_idx,
            descending: false,
            nulls_first: false,
        });
        let sorted: Vec<_> = sorted.collect();
        let mut properties = event_properties(name, ZstdLevel::default())
            .set_sorting_columns((!sorted.is_empty()).then_some(sorted));
        for column in CLOSE.map(ColumnPath::from) {
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        let schema = Arc::new(schema);
        let file = File::create(&path).writing(&path)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties.build()));
        let mut writer = writer.writing(&path)?;
        clock_entries(clock).for_each(|entry| writer.append_key_value_metadata(entry));
        Ok(Self {
            path,
            schema,
            writer,
            rows: 0,
        })
    }

    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), TraceError> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).writing(&self.path)?;
        self.rows += batch.num_rows() as u64;
        self.writer.write(&batch).writing(&self.path)
    }

    /// Completes the file; gives the number of its rows.
    fn finish(self) -> Result<u64, TraceError> {
        self.writer.close().writing(&self.path)?;
        Ok(self.rows)
    }
}

/// A column with a number a row, or none.
fn wide<T>(rows: &[T], value: impl Fn(&T) -> Option<u64>) -> ArrayRef {
    Arc::new(rows.iter().map(value).collect::<UInt64Array>())
}

/// The same with a sign.
fn signed<T>(rows: &[T], value: impl Fn(&T) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(value).collect::<Int64Array>())
}

/// A column of words, from a number of a word a row.
fn words<T>(
    rows: &[T],
    word: impl Fn(&T) -> Option<i32>,
    words: &ArrayRef,
    path: &Path,
) -> Result<ArrayRef, TraceError> {
    let keys: Int32Array = rows.iter().map(word).collect();
    let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(words)).writing(path)?;
    Ok(Arc::new(column))
}

fn position(moment: Option<Moment>) -> Option<u64> {
    moment.map(|moment| moment.position.0)
}

fn time(moment: Option<Moment>) -> Option<u64> {
    moment.map(|moment| moment.time.0)
}

/// Words, numbered as they are first seen.
#[derive(Default)]
struct Words {
    numbers: HashMap<String, i32>,
    words: Vec<String>,
}

impl Words {
    fn number(&mut self, word: &str) -> i32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = i32::try_from(self.words.len()).unwrap_or(i32::MAX);
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn array(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.words))
    }
}
