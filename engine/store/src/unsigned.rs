//! Records which columns of numbers are unsigned because one of their values needs the 64th bit.
//!
//! Tools that read a folder of parts use the types of the first part for all parts, so a column has the same type in
//! all parts of its table. The unsigned columns are only known after the last part is written; then the footers of
//! all parts are corrected.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_trace::{Quantity, WideFields};
use serde::{Deserialize, Serialize};

use crate::schema::{QUANTITY, TIME};

/// The columns of numbers that are unsigned, by the name of their table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Unsigned(
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = {
        "type": "array",
        "items": { "type": "string" },
        "minItems": 1,
        "uniqueItems": true,
    })))]
    BTreeMap<String, BTreeSet<String>>,
);

impl Unsigned {
    /// Returns whether no column is listed, so that all numbers are signed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a column of numbers is unsigned.
    #[must_use]
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.0
            .get(table)
            .is_some_and(|columns| columns.contains(column))
    }

    /// Returns the times and quantities that are unsigned.
    #[must_use]
    pub fn fields(&self) -> WideFields {
        let mut fields = WideFields::with_times(self.has(QUANTITY.name, TIME));
        let wide = Quantity::ALL
            .iter()
            .filter(|q| self.has(QUANTITY.name, q.name()));
        wide.for_each(|&quantity| fields.insert(quantity));
        fields
    }

    /// Adds the times and quantities that need the 64th bit. Requests are ids, which are always unsigned.
    pub(crate) fn insert_fields(&mut self, fields: WideFields) {
        let quantities = Quantity::ALL
            .iter()
            .filter(|&&quantity| fields.has(quantity) && quantity != Quantity::Request);
        let time = fields.time.then_some(TIME);
        for column in time.into_iter().chain(quantities.map(|q| q.name())) {
            self.insert(QUANTITY.name, column);
        }
    }

    /// Adds a column of a table.
    pub(crate) fn insert(&mut self, table: &str, column: &str) {
        let columns = self.0.entry(table.to_owned()).or_default();
        columns.insert(column.to_owned());
    }

    /// Removes the tables whose names satisfy `is_gone`.
    pub(crate) fn remove(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.0.retain(|table, _| !is_gone(table));
    }
}
