//! The tables of a database and their columns.

use rusqlite::Connection;

/// A table that is stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The name of the table.
    pub name: String,
    /// The names of its columns, without those that are computed.
    pub columns: Vec<String>,
    /// The only column of its primary key.
    key: Option<String>,
}

impl Table {
    /// Returns whether the table has a column of that name.
    #[must_use]
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }

    /// Returns whether rows can be found fast by the value of this column.
    #[must_use]
    pub fn is_keyed_by(&self, column: &str) -> bool {
        self.key.as_deref() == Some(column)
    }
}

/// Returns a name as it appears in SQL.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the tables of a database.
pub(crate) fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    names.map(|name| table(connection, name?)).collect()
}

fn table(connection: &Connection, name: String) -> rusqlite::Result<Table> {
    let mut statement = connection.prepare(&format!("PRAGMA table_info({})", quoted(&name)))?;
    let mut rows = statement.query([])?;
    let (mut columns, mut keys) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let column: String = row.get("name")?;
        if row.get::<_, i64>("pk")? > 0 {
            keys.push(column.clone());
        }
        columns.push(column);
    }
    let key = if keys.len() == 1 { keys.pop() } else { None };
    Ok(Table { name, columns, key })
}
