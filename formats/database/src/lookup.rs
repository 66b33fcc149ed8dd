//! Small tables that are read as a whole, such as those of names.

use std::borrow::Cow;

use foldtrace_trace::{Diagnostics, TraceError};

use crate::{Damage, Database, Row, quoted};

/// The values of a row, in the order of the requested columns.
#[derive(Debug)]
pub struct Fields<'a>(&'a Row<'a>);

impl Fields<'_> {
    /// Returns the integer in a column; `None` if there is none.
    #[must_use]
    pub fn integer(&self, column: usize) -> Option<i64> {
        self.0.integer(column)
    }

    /// Returns the text in a column, in which U+FFFD replaces what is not UTF-8; `None` if there is none.
    #[must_use]
    pub fn text(&self, column: usize) -> Option<String> {
        self.0.text(column).map(Cow::into_owned)
    }
}

impl Database {
    /// Calls `each` for every row of a table, if the table exists and has all of these columns.
    ///
    /// # Errors
    /// Returns an error if the table is damaged, after `each` was called for the rows before the damage.
    pub fn look_up(
        &self,
        table: &str,
        columns: &[&str],
        mut each: impl FnMut(&Fields<'_>),
    ) -> Result<(), TraceError> {
        let has_all = |table: &crate::Table| columns.iter().all(|name| table.has(name));
        if !self.table(table).is_some_and(has_all) {
            return Ok(());
        }
        let columns: Vec<_> = columns.iter().map(|name| quoted(name)).collect();
        let mut bytes = 0;
        self.for_each(table, &columns, &quoted(table), |row| {
            for column in 0..columns.len() {
                bytes += row.bytes(column).map_or(0, <[u8]>::len) as u64;
            }
            self.check_bytes(table, bytes)?;
            each(&Fields(row));
            Ok(())
        })
    }
}

/// Small tables of a database. The rest of a damaged one is lost if the rest of the database is salvaged.
#[derive(Debug)]
pub struct SmallTables<'a> {
    /// The database.
    pub database: &'a Database,
    /// How damage is treated.
    pub damage: Damage,
    /// The losses.
    pub diagnostics: &'a mut Diagnostics,
}

impl SmallTables<'_> {
    /// Calls `each` like [`Database::look_up`].
    ///
    /// # Errors
    /// Returns an error if the table is damaged and nothing is salvaged.
    pub fn look_up(
        &mut self,
        table: &str,
        columns: &[&str],
        each: impl FnMut(&Fields<'_>),
    ) -> Result<(), TraceError> {
        let result = self.database.look_up(table, columns, each);
        let lost = format!("a part of the table {table}");
        self.damage.or_default(result, &lost, self.diagnostics)
    }
}
