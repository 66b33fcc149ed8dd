//! Converts rows to columns, some thousand rows at a time, independently of the length of the trace.

use std::collections::HashMap;
use std::iter::repeat_n;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray, UInt64Array};
use foldtrace_matching::Moment;
use foldtrace_store::{DerivedTable, NamedColumn, StoreReader, Written};
use foldtrace_trace::{LocationId, TraceError};

/// A writer of the rows of a table, or of tables that belong together.
pub(super) trait RowWriter {
    /// A row.
    type Row;

    /// Appends a row.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn write(&mut self, row: Self::Row) -> Result<(), TraceError>;

    /// Completes the table.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(self) -> Result<Finished, TraceError>;
}

/// The size and the files of a complete table.
#[derive(Default)]
pub(super) struct Finished {
    /// The number of rows.
    pub rows: u64,
    /// The files of the table, and of tables that belong to it.
    pub files: Vec<Written>,
}

/// The number of rows that are buffered before they are encoded.
pub(super) const WAITING: usize = 1 << 13;

/// Returns a column with an optional unsigned number per row.
pub(super) fn wide<T>(rows: &[T], value: impl Fn(&T) -> Option<u64>) -> ArrayRef {
    Arc::new(rows.iter().map(value).collect::<UInt64Array>())
}

/// Returns a column with an optional signed number per row.
pub(super) fn signed<T>(rows: &[T], value: impl Fn(&T) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(value).collect::<Int64Array>())
}

/// Returns the columns `location`, `rank` and `thread` of a number of rows of a location.
pub(super) fn place(store: &StoreReader, location: LocationId, rows: usize) -> Vec<NamedColumn> {
    let (rank, thread) = store.names().rank(location).unzip();
    let same = |number: Option<u64>| -> ArrayRef {
        Arc::new(repeat_n(number, rows).collect::<UInt64Array>())
    };
    vec![
        ("location", same(Some(location.0))),
        ("rank", same(rank)),
        ("thread", same(thread)),
    ]
}

/// Returns a column of words, from an optional index into `words` per row.
pub(super) fn words<T>(
    table: &DerivedTable,
    rows: &[T],
    word: impl Fn(&T) -> Option<i32>,
    words: &ArrayRef,
) -> Result<ArrayRef, TraceError> {
    table.words(rows.iter().map(word).collect(), words)
}

/// Returns the position of a moment.
pub(super) fn position(moment: Option<Moment>) -> Option<u64> {
    moment.map(|moment| moment.position.0)
}

/// Returns the time of a moment.
pub(super) fn time(moment: Option<Moment>) -> Option<u64> {
    moment.map(|moment| moment.time.0)
}

/// A set of words, numbered in the order of their first use.
#[derive(Default)]
pub(super) struct Dictionary {
    numbers: HashMap<String, i32>,
    words: Vec<String>,
}

impl Dictionary {
    /// Returns the number of a word, which is added if it is new.
    pub fn number(&mut self, word: &str) -> i32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = i32::try_from(self.words.len()).unwrap_or(i32::MAX);
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    /// Returns the words in the order of their numbers.
    pub fn array(&self) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(&self.words))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use foldtrace_store::columns::TableColumns;

    /// Checks the meanings and the order of a table against the section of `store.md` about `path`.
    pub(crate) fn check_meanings(path: &str, table: &TableColumns) {
        let page = include_str!("../../../schemas/store.md");
        let is_about = |section: &&str| section.starts_with(&format!("`{path}`\n"));
        let section = page.split("\n### ").find(is_about).unwrap();
        for column in table.columns {
            assert!(column.is_described_in(section), "{path}: {column:?}");
        }
        assert_eq!(table.sorting().count(), table.sorted_by.len(), "{path}");
    }
}
