//! Where a store comes from, and what was found wrong there.
//!
//! A store that is made from a store comes from where that one came from. What was wrong with that
//! source is still worth knowing, so it is handed on.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, RecordBatch, StringArray, StringDictionaryBuilder, UInt32Array, UInt64Array,
};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::Int32Type;
use foldtrace_trace::{Diagnostic, Diagnostics, TraceError};

use super::error::Writing;
use super::manifest::{Manifest, Source};
use super::parquet_io::{TableWriter, read_table, texts};
use super::schema;

/// The table of what was found wrong.
const FILE: &str = "diagnostics.parquet";

/// The column of keys, by which the table is sorted.
const KEY: usize = 1;

/// Where a store comes from.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What the first store was made from.
    pub source: Source,
    /// What was wrong with it, as the store before has it.
    handed_on: Vec<RecordBatch>,
    /// How often, by key.
    counts: BTreeMap<String, u64>,
}

impl Origin {
    /// A trace that is no store.
    #[must_use]
    pub fn trace(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// The store at `path`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn store(path: &Path) -> Result<Self, TraceError> {
        let manifest = Manifest::read(path)?;
        Ok(Self {
            source: manifest.source,
            handed_on: read_table(&path.join(FILE), &schema::diagnostics())?,
            counts: manifest.counts.diagnostics,
        })
    }

    /// How many problems there are of each key, with those that are new.
    pub(super) fn count_diagnostics(&self, new: &Diagnostics) -> BTreeMap<String, u64> {
        let mut counts = self.counts.clone();
        for (key, group) in new.groups() {
            *counts.entry(key.to_owned()).or_default() += group.count;
        }
        counts
    }

    /// Writes the table of problems, with those that are new, sorted by key.
    pub(super) fn write_diagnostics(
        &self,
        store: &Path,
        new: &Diagnostics,
    ) -> Result<(), TraceError> {
        let path = store.join(FILE);
        let schema = Arc::new(schema::diagnostics());
        let cases: Vec<_> = new.groups().flat_map(|(_, group)| &group.cases).collect();
        let rows = RecordBatch::try_new(Arc::clone(&schema), columns(&cases)).writing(&path)?;
        let rows = concat_batches(&schema, self.handed_on.iter().chain([&rows])).writing(&path)?;
        let keys = texts(&rows, KEY, &path)?;
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&row| &keys[row as usize]);
        let rows = take_record_batch(&rows, &UInt32Array::from(order)).writing(&path)?;
        let mut table = TableWriter::create(&path, schema::diagnostics())?;
        table.write(rows.columns().to_vec())?;
        table.finish()
    }
}

/// Problems as columns of the table.
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
    vec![
        words(cases.iter().map(|case| case.severity.name())),
        words(cases.iter().map(|case| case.key)),
        text(&|case| Some(case.message.clone())),
        text(&|case| case.hint.map(str::to_owned)),
        text(&|case| {
            case.place
                .file
                .as_ref()
                .map(|file| file.display().to_string())
        }),
        wide(&|case| case.place.byte),
        wide(&|case| case.place.line),
        wide(&|case| case.place.location.map(|location| location.0)),
        wide(&|case| case.place.position.map(|position| position.0)),
    ]
}
