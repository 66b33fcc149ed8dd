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
use foldtrace_columns::{numbers, without_sign};
use foldtrace_trace::{Diagnostic, Diagnostics, TraceError};

use crate::error::{Reading, Writing};
use crate::folder::StoreFolder;
use crate::paths::DIAGNOSTICS;
use crate::schema;
use crate::tables::{read_table, texts, write_table};
use crate::unsigned::Unsigned;

/// The index of the column of keys, by which the table is sorted.
const KEY: usize = 1;

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
    let schema = Arc::new(without_sign(&schema::diagnostics(), |_| true));
    let cases: Vec<_> = new.groups().flat_map(|(_, group)| &group.cases).collect();
    let new = RecordBatch::try_new(Arc::clone(&schema), columns(&cases)).writing(&path)?;
    let rows = concat_batches(&schema, inherited.iter().chain([&new])).writing(&path)?;
    let keys = texts(&rows, KEY, &path)?;
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&row| keys.get(row as usize));
    let rows = take_record_batch(&rows, &UInt32Array::from(order)).writing(&path)?;
    let columns = rows.columns().to_vec();
    let schema = schema::in_version(version, &schema::diagnostics());
    write_table(&path, schema, columns, unsigned)
}

/// Reads the rows of the table whose keys satisfy `is_selected`.
pub(crate) fn read(
    folder: &StoreFolder,
    is_selected: impl Fn(&str) -> bool,
) -> Result<Vec<RecordBatch>, TraceError> {
    let path = folder.path_of(DIAGNOSTICS);
    let rows = read_table(folder, DIAGNOSTICS, &schema::diagnostics())?.into_iter();
    rows.map(|rows| {
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
fn columns(cases: &[&Diagnostic]) -> Vec<ArrayRef> {
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
        words(cases.iter().map(|case| case.severity.name())),
        words(cases.iter().map(|case| case.key)),
        text(&|case| Some(case.message.clone())),
        text(&|case| case.hint.map(str::to_owned)),
        text(&file),
        wide(&|case| case.place.byte),
        wide(&|case| case.place.line),
        wide(&|case| case.place.location.map(|location| location.0)),
        wide(&|case| case.place.position.map(|position| position.0)),
    ]
}
