//! Columns of a store that have no sign, although numbers usually have one: some value needs the 64th bit.
//!
//! A reader of a folder of parts takes the types of the first one for all, so a column has the same type in
//! all parts of its table. Which columns need it is known when the last part is written; the footers of
//! the others are corrected then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use arrow::datatypes::SchemaRef;
use foldtrace_columns::without_sign;
use foldtrace_trace::{Quantity, TraceError, WideFields};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::retype::retype;

/// The table of quantities, as its footers call it.
pub(super) const QUANTITY: &str = "quantity";

/// The column of times in it.
const TIME: &str = "time";

/// Columns without a sign, by the name of their table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unsigned(BTreeMap<String, BTreeSet<String>>);

/// A complete file of a table.
#[derive(Debug)]
pub(crate) struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// The name of the table.
    pub table: String,
    /// Its columns, as they were written.
    pub schema: SchemaRef,
    /// The columns with a number that needs the bit of the sign.
    pub wide: BTreeSet<usize>,
}

impl Unsigned {
    /// Whether all columns have the sign that they usually have.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a column has no sign.
    #[must_use]
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.0
            .get(table)
            .is_some_and(|columns| columns.contains(column))
    }

    /// The times and quantities without a sign.
    #[must_use]
    pub fn fields(&self) -> WideFields {
        let mut fields = WideFields::with_times(self.has(QUANTITY, TIME));
        let wide = Quantity::ALL
            .iter()
            .filter(|q| self.has(QUANTITY, q.name()));
        wide.for_each(|&quantity| fields.insert(quantity));
        fields
    }

    /// Takes the times and quantities that need the 64th bit. Requests are ids and never have a sign.
    pub(super) fn insert_fields(&mut self, fields: WideFields) {
        let quantities = Quantity::ALL
            .iter()
            .filter(|&&quantity| fields.has(quantity) && quantity != Quantity::Request);
        let time = fields.time.then_some(TIME);
        for column in time.into_iter().chain(quantities.map(|q| q.name())) {
            self.insert(QUANTITY, column);
        }
    }

    fn insert(&mut self, table: &str, column: &str) {
        let columns = self.0.entry(table.to_owned()).or_default();
        columns.insert(column.to_owned());
    }

    /// Forgets tables.
    pub(super) fn remove(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.0.retain(|table, _| !is_gone(table));
    }

    /// Takes all files of a table. A column that needs all 64 bits in one of them loses its sign in all.
    ///
    /// # Errors
    /// If a footer cannot be corrected.
    pub(crate) fn settle(&mut self, files: &[Written]) -> Result<(), TraceError> {
        for file in files {
            let names = file
                .wide
                .iter()
                .map(|&column| file.schema.field(column).name());
            names.for_each(|name| self.insert(&file.table, name));
        }
        files.par_iter().try_for_each(|file| self.correct(file))
    }

    /// Corrects the footer of a file that was written with all signs.
    pub(super) fn correct(&self, file: &Written) -> Result<(), TraceError> {
        let schema = without_sign(&file.schema, |column| self.has(&file.table, column));
        if schema == *file.schema {
            return Ok(());
        }
        retype(&file.path, &schema)
    }
}
