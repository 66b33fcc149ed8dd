//! Small tables that are read as a whole, such as those of names.

use foldtrace_trace::TraceError;

use crate::{Database, quoted};

/// The values of a row, in the order of the requested columns.
#[derive(Debug)]
pub struct Fields<'a>(&'a rusqlite::Row<'a>);

impl Fields<'_> {
    /// Returns the integer in a column; `None` if there is none.
    #[must_use]
    pub fn integer(&self, column: usize) -> Option<i64> {
        self.0.get(column).ok()
    }

    /// Returns the text in a column, in which U+FFFD replaces what is not UTF-8; `None` if there is none.
    #[must_use]
    pub fn text(&self, column: usize) -> Option<String> {
        let bytes = self.0.get_ref(column).ok()?.as_bytes_or_null().ok()??;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Database {
    /// Calls `each` for every row of a table, if the table exists and has all of these columns.
    ///
    /// # Errors
    /// Returns an error if the table is damaged.
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
        self.check_texts(table, &columns, &quoted(table))?;
        let sql = format!("SELECT {} FROM {}", columns.join(", "), quoted(table));
        self.for_each(table, &sql, |row| {
            each(&Fields(row));
            Ok(())
        })
    }
}
