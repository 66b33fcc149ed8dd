//! The table of the problems found in a trace, `diagnostics.parquet`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, RecordBatch, StringArray, StringDictionaryBuilder, UInt32Array,
    UInt64Array,
};
use arrow::compute::{concat_batches, filter_record_batch, take_record_batch};
use arrow::datatypes::Int32Type;
use arrow::error::ArrowError;
use foldtrace_columns::ColumnType::{Id, Number, Text, Word};
use foldtrace_columns::{Column, Unit, arrow_schema, numbers, without_sign};
use foldtrace_trace::{Diagnostic, Diagnostics, TraceError};

use crate::error::{Reading, Writing};
use crate::folder::StoreFolder;
use crate::paths::DIAGNOSTICS;
use crate::schema::in_version;
use crate::tables::{NamedColumn, read_table, texts, without_names, write_table};
use crate::unsigned::Unsigned;

/// The columns of `diagnostics.parquet`.
const COLUMNS: &[Column] = &[
    Column::required("severity", Word, "`note`, `warning` or `loss`"),
    Column::required(
        "key",
        Word,
        "stable name, see [diagnostics.md](diagnostics.md)",
    ),
    Column::required("message", Text, "description of the problem"),
    Column::optional("hint", Text, "possible remedy"),
    Column::optional("file", Text, "path of the file as it was read"),
    Column::optional("byte", Number, "offset in the file, from 0").unit(Unit::Bytes),
    Column::optional("line", Number, "line in the file, from 1"),
    Column::optional("location", Id, "id of the location"),
    Column::optional("position", Number, "position of the event"),
];

/// The column by which the table is sorted.
const KEY: &str = "key";

/// Writes the table of diagnostics of a store of `version`: the rows `inherited` from another store, and the `new`
/// ones.
pub(crate) fn write(
    store: &Path,
    inherited: &[RecordBatch],
    new: &Diagnostics,
    version: u32,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let path = store.join(DIAGNOSTICS);
    let schema = Arc::new(without_sign(&arrow_schema(COLUMNS), |_| true));
    let cases: Vec<_> = new.groups().flat_map(|(_, group)| &group.cases).collect();
    let new = without_names(&path, &schema, columns(&cases))?;
    let new = RecordBatch::try_new(Arc::clone(&schema), new).writing(&path)?;
    let rows = concat_batches(&schema, inherited.iter().chain([&new])).writing(&path)?;
    let keys = texts(&rows, KEY, &path)?;
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&row| keys.get(row as usize));
    let rows = take_record_batch(&rows, &UInt32Array::from(order)).writing(&path)?;
    let names = COLUMNS.iter().map(|column| column.name);
    let columns = names.zip(rows.columns().iter().cloned()).collect();
    write_table(&path, in_version(version, COLUMNS), columns, unsigned)
}

/// Reads the rows of the table whose keys satisfy `is_selected`.
pub(crate) fn read(
    folder: &StoreFolder,
    is_selected: impl Fn(&str) -> bool,
) -> Result<Vec<RecordBatch>, TraceError> {
    let path = folder.path_of(DIAGNOSTICS);
    let rows = read_table(folder, DIAGNOSTICS, COLUMNS)?;
    rows.map(|rows| {
        let rows = rows?;
        let keys = texts(&rows, KEY, &path)?;
        let selected = |key: &Option<String>| Some(is_selected(key.as_deref().unwrap_or_default()));
        let selected: BooleanArray = keys.iter().map(selected).collect();
        let rows = filter_record_batch(&rows, &selected).reading(&path)?;
        unsigned_rows(&rows).reading(&path)
    })
    .collect()
}

/// Returns the rows with all numbers unsigned, so that rows from stores of different versions have the
/// same types.
fn unsigned_rows(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = without_sign(&rows.schema(), |_| true);
    let columns = rows.columns().iter().map(|column| match numbers(column) {
        Some(numbers) => Arc::new(numbers),
        None => Arc::clone(column),
    });
    RecordBatch::try_new(Arc::new(schema), columns.collect())
}

/// Keeps the diagnostics whose keys satisfy `is_selected`, and replaces the others by `new`.
pub(crate) fn replace(
    store: &Path,
    is_selected: impl Fn(&str) -> bool,
    new: &Diagnostics,
    version: u32,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let kept = read(&StoreFolder::open(store)?, is_selected)?;
    // The file may be a hard link to a file of a store that must not change.
    let path = store.join(DIAGNOSTICS);
    fs::remove_file(&path).writing(&path)?;
    write(store, &kept, new, version, unsigned)
}

/// Returns the columns of the table for these problems.
fn columns(cases: &[&Diagnostic]) -> Vec<NamedColumn> {
    fn words<'a>(words: impl Iterator<Item = &'a str>) -> ArrayRef {
        let mut builder = StringDictionaryBuilder::<Int32Type>::new();
        words.for_each(|word| builder.append_value(word));
        Arc::new(builder.finish())
    }
    let text = |of: &dyn Fn(&Diagnostic) -> Option<String>| -> ArrayRef {
        Arc::new(cases.iter().map(|case| of(case)).collect::<StringArray>())
    };
    let wide = |of: &dyn Fn(&Diagnostic) -> Option<u64>| -> ArrayRef {
        Arc::new(cases.iter().map(|case| of(case)).collect::<UInt64Array>())
    };
    let file = |case: &Diagnostic| {
        let file = case.place.file.as_ref()?;
        Some(file.display().to_string())
    };
    vec![
        (
            "severity",
            words(cases.iter().map(|case| case.severity.name())),
        ),
        ("key", words(cases.iter().map(|case| case.key))),
        ("message", text(&|case| Some(case.message.clone()))),
        ("hint", text(&|case| case.hint.map(str::to_owned))),
        ("file", text(&file)),
        ("byte", wide(&|case| case.place.byte)),
        ("line", wide(&|case| case.place.line)),
        ("location", wide(&|case| Some(case.place.location?.0))),
        ("position", wide(&|case| Some(case.place.position?.0))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings(DIAGNOSTICS, COLUMNS);
    }
}
