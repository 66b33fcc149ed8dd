//! Strings that rows refer to by number.

use std::collections::HashMap;
use std::path::PathBuf;

use foldhash::fast::RandomState;
use foldtrace_trace::TraceError;
use rusqlite::{Connection, Error, OptionalExtension};

use crate::fault::fault;
use crate::{Database, quoted};

/// The strings of a database.
#[derive(Debug)]
pub struct Strings {
    connection: Connection,
    /// The query for a string by its number, if the table finds it fast.
    query: Option<String>,
    /// The strings, otherwise.
    all: HashMap<i64, String, RandomState>,
    /// The failure to read a string. No more strings are read after it, because SQLite checks a damaged page only once.
    failure: Option<TraceError>,
    is_damaged: bool,
    path: PathBuf,
    /// Ids of strings in the trace, by their numbers.
    ids: HashMap<i64, Option<u64>, RandomState>,
}

impl Strings {
    /// Opens the strings in the column `text` of a table, by the numbers in its column `id`. Without such a table, there are none.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened again. Damage is a [failure](Self::take_failure).
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
            failure: None,
            is_damaged: false,
            path: database.path().to_owned(),
            ids: HashMap::default(),
        };
        let is_keyed = database
            .table(table)
            .is_some_and(|table| table.is_keyed_by(id) && table.has(text));
        if is_keyed {
            let [id, text, table] = [id, text, table].map(quoted);
            strings.query = Some(format!("SELECT {text} FROM {table} WHERE {id} = ?1"));
        } else {
            let all = &mut strings.all;
            let result = database.look_up(table, &[id, text], |row| {
                all.extend(row.integer(0).zip(row.text(1)));
            });
            strings.failure = result.err();
        }
        Ok(strings)
    }

    /// Returns the string with a number; `None` if there is none, or if it cannot be read.
    pub fn get(&mut self, number: i64) -> Option<String> {
        if self.query.is_none() {
            return self.all.get(&number).cloned();
        }
        if self.is_damaged {
            return None;
        }
        self.find(number).unwrap_or_else(|error| {
            self.is_damaged = true;
            self.failure = Some(fault(&self.path, error));
            None
        })
    }

    fn find(&self, number: i64) -> rusqlite::Result<Option<String>> {
        let Some(query) = &self.query else {
            return Ok(None);
        };
        let mut statement = self.connection.prepare_cached(query)?;
        let text = statement.query_row([number], |row| {
            let bytes = row.get_ref(0)?.as_bytes_or_null()?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
        });
        match text.optional() {
            // A number in the place of a string.
            Err(Error::FromSqlConversionFailure(..) | Error::InvalidColumnType(..)) => Ok(None),
            text => Ok(text?.flatten()),
        }
    }

    /// Returns the failure to read a string, if there was one since the last call.
    pub fn take_failure(&mut self) -> Option<TraceError> {
        self.failure.take()
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
