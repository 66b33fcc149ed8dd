//! Strings that rows refer to by number.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::TraceError;
use rusqlite::{Connection, OptionalExtension};

use crate::{Database, quoted};

/// The strings of a database.
#[derive(Debug)]
pub struct Strings {
    connection: Connection,
    /// The query for a string by its number, if the table finds it fast.
    query: Option<String>,
    /// The strings, otherwise.
    all: HashMap<i64, String, RandomState>,
    /// Ids of strings in the trace, by their numbers.
    ids: HashMap<i64, Option<u64>, RandomState>,
}

impl Strings {
    /// Opens the strings in the column `text` of a table, by the numbers in its column `id`. Without such a table, there are none.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened again, or if the table must be read as a whole and is damaged.
    pub fn open(
        database: &Database,
        table: &str,
        id: &str,
        text: &str,
    ) -> Result<Self, TraceError> {
        let mut strings = Self {
            connection: database.connect()?,
            query: None,
            all: HashMap::default(),
            ids: HashMap::default(),
        };
        let (columns, from) = ([quoted(id), quoted(text)], quoted(table));
        match database.table(table) {
            Some(table) if !table.has(id) || !table.has(text) => {}
            Some(table) if table.is_keyed_by(id) => {
                let [id, text] = columns;
                strings.query = Some(format!("SELECT {text} FROM {from} WHERE {id} = ?1"));
            }
            Some(_) => {
                let sql = format!("SELECT {} FROM {from}", columns.join(", "));
                database.for_each(table, &sql, |row| {
                    if let (Ok(id), Ok(text)) = (row.get(0), row.get_ref(1)?.as_bytes()) {
                        let text = String::from_utf8_lossy(text).into_owned();
                        strings.all.insert(id, text);
                    }
                    Ok(())
                })?;
            }
            None => {}
        }
        Ok(strings)
    }

    /// Returns the string with a number; `None` if there is none. A damaged page has no strings.
    pub fn get(&mut self, number: i64) -> Option<String> {
        let Some(query) = &self.query else {
            return self.all.get(&number).cloned();
        };
        let mut statement = self.connection.prepare_cached(query).ok()?;
        let text = statement.query_row([number], |row| {
            let bytes = row.get_ref(0)?.as_bytes_or_null()?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        });
        text.optional().ok()??
    }

    /// Returns the id that a string with a number has in the trace, or `None` if there is no such string. `define` gives
    /// an id to a string that is needed for the first time.
    pub fn id(&mut self, number: i64, define: impl FnOnce(&str) -> u64) -> Option<u64> {
        if let Some(&id) = self.ids.get(&number) {
            return id;
        }
        let id = self.get(number).map(|text| define(&text));
        self.ids.insert(number, id);
        id
    }
}
