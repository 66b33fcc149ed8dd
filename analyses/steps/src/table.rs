//! Writes the table of steps, which `analyses/steps/README.md` describes.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray, UInt64Array};
use foldtrace_store::{DerivedTable, Manifest};
use foldtrace_trace::TraceError;

use crate::{Class, Kind, Sink, StepEvent};

/// The number of rows that are buffered before they are encoded.
const WAITING: usize = 1 << 13;

/// A sink that writes a row for each operation and aggregate.
pub struct StepsTable<W: Write + Send> {
    table: DerivedTable<W>,
    rows: Vec<StepEvent>,
    kinds: ArrayRef,
    classes: ArrayRef,
}

impl<W: Write + Send> StepsTable<W> {
    /// Starts the table of the steps of the store `store` in `file`, whose path is `path`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn new(file: W, path: PathBuf, store: &Manifest) -> Result<Self, TraceError> {
        let words = |words: [&'static str; 4]| Arc::new(StringArray::from_iter_values(words));
        Ok(Self {
            table: DerivedTable::steps(file, path, store)?,
            rows: Vec::with_capacity(WAITING),
            kinds: words(Kind::ALL.map(Kind::name)),
            classes: words(Class::ALL.map(Class::name)),
        })
    }

    /// Completes the table; returns the number of rows, and the file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(u64, W), TraceError> {
        self.flush()?;
        self.table.close()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let wide = |value: fn(&StepEvent) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(self.rows.iter().map(value)))
        };
        let kinds = self.rows.iter().map(|row| Some(row.kind as i32));
        let classes = self.rows.iter().map(|row| Some(row.class? as i32));
        let columns = vec![
            wide(|row| row.location.0),
            wide(|row| row.position.0),
            wide(|row| row.events),
            self.table
                .words(kinds.collect::<Int32Array>(), &self.kinds)?,
            wide(|row| row.partition),
            wide(|row| row.step),
            wide(|row| row.start.0),
            wide(|row| row.end.0),
            wide(|row| row.lateness),
            wide(|row| row.differential_lateness),
            self.table
                .words(classes.collect::<Int32Array>(), &self.classes)?,
        ];
        self.rows.clear();
        self.table.write(columns)
    }
}

impl<W: Write + Send> Sink for StepsTable<W> {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.rows.push(*event);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }
}
