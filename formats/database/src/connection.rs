//! Opens databases read only, with bounds for what a hostile file can do.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::Row;
use crate::blocks::{BlockQuery, Selection};
use crate::fault::{endless, fault};
use crate::rows::Chunk;
use crate::schema::{Table, quoted, tables};

/// The first bytes of every SQLite database.
pub const SIGNATURE: &[u8; 16] = b"SQLite format 3\0";

/// Length of the header of a database, in bytes.
const HEADER: usize = 100;
/// Maximum length of a value, in bytes.
const LONGEST_VALUE: i32 = 1 << 24;
/// How many times the size of a file its values may have together. More are only possible if damaged rows share pages.
const MOST_VALUES: u64 = 16;
/// Size of the largest file whose texts are added up before they are sorted.
const LARGEST_CHECKED: u64 = 1 << 24;
/// Minimum number of bytes that a row takes in a file: a pointer, a length, a row id and a header.
const SHORTEST_ROW: u64 = 4;

/// A SQLite database that is open for reading. Nothing beside or in its file is created or changed.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
    tables: Vec<Table>,
    bytes: u64,
    /// Whether the file may be shorter than its header says.
    is_partial: bool,
}

impl Database {
    /// Opens the database at `path`. If `salvage` is set, a file that is shorter than it should be is read as far as it goes.
    ///
    /// # Errors
    /// Returns an error if the file is missing, unreadable, no database, or truncated, if its schema is damaged, or if a part of
    /// its content is in another file.
    pub fn open(path: &Path, salvage: bool) -> Result<Self, TraceError> {
        let bytes = check(path, salvage)?;
        let connection = connect(path, salvage)?;
        let tables = tables(&connection).map_err(|error| fault(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            tables,
            bytes,
            is_partial: salvage,
        })
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the tables, in the order of the schema. Views and virtual tables are not among them.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the table with that name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Returns the number of rows of a table.
    ///
    /// # Errors
    /// Returns an error if the table is damaged.
    pub fn count(&self, table: &Table) -> Result<u64, TraceError> {
        let mut count = 0;
        let from = format!("{} NOT INDEXED", quoted(&table.name));
        self.for_each(&table.name, &["1".to_owned()], &from, |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    /// Returns whether rows of a table have ids, by which ranges of them are found fast.
    pub(crate) fn has_row_ids(&self, table: &Table) -> bool {
        let is_other = |name: &String| name.eq_ignore_ascii_case("rowid");
        let sql = format!("SELECT R.rowid FROM {} AS R", quoted(&table.name));
        !table.columns.iter().any(is_other) && self.connection.prepare(&sql).is_ok()
    }

    /// Returns the number of rows that a table can have at most. A damaged tree of pages may have more.
    pub(crate) fn most_rows(&self) -> u64 {
        self.bytes / SHORTEST_ROW
    }

    /// Returns the number of bytes that the values of all rows can have together at most. Damaged rows that share pages may have
    /// more.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.bytes.saturating_mul(MOST_VALUES)
    }

    /// Checks that the rows of a query fit into the file, so that they can be sorted: `columns` are those of the query, and `from`
    /// its tables. A large file takes too long to check; if it is hostile, it fills the disk, which is an error as well.
    ///
    /// # Errors
    /// Returns an error if they do not fit, or if the query fails.
    pub fn check_sortable(
        &self,
        table: &str,
        columns: &[String],
        from: &str,
    ) -> Result<(), TraceError> {
        if self.bytes > LARGEST_CHECKED {
            return Ok(());
        }
        let lengths = columns.iter();
        let lengths: Vec<_> = lengths.map(|it| format!("octet_length({it})")).collect();
        let mut bytes = 0;
        self.for_each(table, &lengths, from, |row| {
            for column in 0..lengths.len() {
                let length = row.integer(column).unwrap_or_default();
                bytes += u64::try_from(length).unwrap_or_default();
            }
            self.check_bytes(table, bytes)
        })
    }

    /// Checks that values of a table with so many bytes together fit into the file.
    pub(crate) fn check_bytes(&self, table: &str, bytes: u64) -> Result<(), TraceError> {
        if bytes > self.most_bytes() {
            return Err(endless(&self.path, &format!("the table {table}")));
        }
        Ok(())
    }

    /// Calls `each` with these columns of every row of a table, or of several that are joined. `each` does not read the database.
    ///
    /// # Errors
    /// Returns an error if the query fails, if `each` does, or if the rows of `table` are more than the file has room for.
    pub(crate) fn for_each(
        &self,
        table: &str,
        columns: &[String],
        from: &str,
        mut each: impl FnMut(&Row<'_>) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let fault = |error| fault(&self.path, error);
        let selection = Selection {
            query: 0,
            number: 0,
            selections: 1,
            columns,
            from,
            row_ids: [None; 2],
            is_ordered: false,
        };
        let mut query = BlockQuery::prepare(&self.connection, selection).map_err(fault)?;
        let mut blocks = query.blocks();
        let mut block = Chunk::default();
        let mut count = 0;
        loop {
            // The rows before a failure come first.
            let has_more = blocks.next(&mut block);
            for row in block.iter() {
                count += 1;
                if count > self.most_rows() {
                    return Err(endless(&self.path, &format!("the table {table}")));
                }
                each(&row)?;
            }
            if !has_more.map_err(fault)? {
                return Ok(());
            }
        }
    }

    /// Opens another connection to the same database, for another thread.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened any more.
    pub(crate) fn connect(&self) -> Result<Connection, TraceError> {
        connect(&self.path, self.is_partial)
    }
}

/// Returns whether the file at `path` is a database that has a table for which `is_wanted` returns `true`, so that a format
/// recognises it. A part of a database is enough, if it has the name of the table.
pub(crate) fn has_table(path: &Path, is_wanted: impl Fn(&str) -> bool) -> bool {
    let Ok(connection) = connect(path, true) else {
        return false;
    };
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
    let Ok(mut statement) = connection.prepare(sql) else {
        return false;
    };
    let Ok(mut rows) = statement.query([]) else {
        return false;
    };
    while let Ok(Some(row)) = rows.next() {
        if row.get::<_, String>(0).is_ok_and(|name| is_wanted(&name)) {
            return true;
        }
    }
    false
}

/// Returns whether the first bytes of a database contain a name, as the definitions of its tables do.
#[must_use]
pub fn has_name(head: &[u8], name: &[u8]) -> bool {
    head.windows(name.len()).any(|bytes| bytes == name)
}

/// Opens a connection that can only read, and that neither creates nor needs any other file. With `is_partial`, SQLite reads a
/// file that is shorter than its header says.
fn connect(path: &Path, is_partial: bool) -> Result<Connection, TraceError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(uri(path), flags)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        // SQLite accepts parts of databases only if it could repair their schemas, which the next pragmas prevent.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, !is_partial)?;
        connection.pragma_update(None, "writable_schema", is_partial)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; \
             PRAGMA temp_store = FILE; PRAGMA cache_size = -8192;",
        )?;
        Ok(connection)
    };
    open().map_err(|error| fault(path, error))
}

/// Returns the URI of a file that nothing changes while it is read, so that no lock and no journal is needed.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    if path.as_os_str().as_encoded_bytes().starts_with(b"//") {
        // Without an empty authority, the first folder would be one.
        uri.push_str("//");
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    uri
}

/// Checks the header of a file and the files beside it, and returns the size of the file.
fn check(path: &Path, salvage: bool) -> Result<u64, TraceError> {
    let unreadable = |error| TraceError::unreadable(path, error);
    let mut header = [0; HEADER];
    let mut file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    let mut length = 0;
    while length < HEADER {
        match file.read(&mut header[length..]).map_err(unreadable)? {
            0 => break,
            read => length += read,
        }
    }
    if !header[..length].starts_with(&SIGNATURE[..length.min(SIGNATURE.len())]) || length == 0 {
        let message = "this is not a SQLite database";
        return Err(TraceError::new(ErrorKind::Foreign, message).at(Place::file(path)));
    }
    let expected = size(&header).max(HEADER as u64);
    if bytes < expected && !(salvage && length == HEADER) {
        let message = format!("the database ends after {bytes} of {expected} bytes");
        return Err(TraceError::new(ErrorKind::Truncated, message)
            .hint("the copy may be incomplete")
            .remedy(Remedy::Salvage)
            .at(Place::file(path)));
    }
    check_beside(path)?;
    Ok(bytes)
}

/// Returns the size that a database should have according to its header; 0 if the header does not contain it.
fn size(header: &[u8; HEADER]) -> u64 {
    let number = |at: usize| {
        header[at..at + 4]
            .iter()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let page = match u64::from(header[16]) << 8 | u64::from(header[17]) {
        1 => 1 << 16,
        page => page,
    };
    // Only if the last program that wrote the file knew of the number of pages is it valid.
    let is_valid = number(24) == number(92);
    if is_valid { page * number(28) } else { 0 }
}

/// Checks that no other file has changes that are not in the database yet.
fn check_beside(path: &Path) -> Result<(), TraceError> {
    for suffix in ["-wal", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let beside = PathBuf::from(name);
        if fs::metadata(&beside).is_ok_and(|metadata| metadata.len() > 0) {
            let message = format!("a part of the database is still in {}", beside.display());
            return Err(TraceError::new(ErrorKind::Unreadable, message)
                .hint("end the program that writes it, or run 'sqlite3 FILE \"PRAGMA wal_checkpoint(TRUNCATE)\"' on a copy of both files")
                .at(Place::file(path)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_has_a_uri() {
        let uri = uri(Path::new("/a b/c?d#e%f.sqlite"));
        assert_eq!(uri, "file:/a%20b/c%3Fd%23e%25f.sqlite?mode=ro&immutable=1");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t(a)").unwrap();
        let path = format!("/{}", path.display());
        assert!(has_table(Path::new(&path), |name| name == "t"), "{path}");
    }

    #[test]
    fn a_database_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a ?#%.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b AS (a + 1)); \
                 INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT * FROM t;",
            )
            .unwrap();
        let error = Database::open(&path, false).unwrap_err();
        assert!(error.message.contains("-wal"), "{error}");
        drop(connection);
        let before = fs::read(&path).unwrap();
        let database = Database::open(&path, false).unwrap();
        let names: Vec<_> = database.tables().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["t"]);
        assert_eq!(database.tables()[0].columns, ["a"], "b is computed");
        assert!(database.tables()[0].is_keyed_by("a"));
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "no file appears beside the database");
        drop(database);
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(has_table(&path, |name| name == "t"));
        assert!(!has_table(&path, |name| name == "v"));
    }

    #[test]
    fn what_is_no_database_or_a_part_of_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let kind = |salvage| {
            Database::open(&path, salvage)
                .map(|_| ())
                .map_err(|e| e.kind)
        };
        assert_eq!(kind(false), Err(ErrorKind::Unreadable));
        for (bytes, expected) in [
            (&b""[..], ErrorKind::Foreign),
            (b"SQL", ErrorKind::Truncated),
            (b"nothing like it", ErrorKind::Foreign),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(kind(false), Err(expected));
            assert_eq!(kind(true), Err(expected));
        }
        fs::remove_file(&path).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE t(a); CREATE TABLE u(a)")
            .unwrap();
        drop(connection);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(kind(false), Err(ErrorKind::Truncated));
        assert_eq!(kind(true), Ok(()));
    }
}
