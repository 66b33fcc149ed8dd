//! What is lost of a damaged database.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity, TraceError};

use crate::fault::{is_endless, is_unsorted};

/// How a format treats damage.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    /// The severity and the key of the diagnostic.
    pub kind: (Severity, &'static str),
    /// Whether the rest is salvaged.
    pub salvages: bool,
}

impl Damage {
    /// Returns whether the rest is read after a failure.
    fn passes(&self, error: &TraceError) -> bool {
        self.salvages && error.is_salvageable() && !is_unsorted(error)
    }

    fn report(&self, error: &TraceError, lost: &str, diagnostics: &mut Diagnostics) {
        let (severity, key) = self.kind;
        let loss = Diagnostic::new(severity, key, format!("{error}; {lost} is lost"));
        diagnostics.report(loss.at((*error.place).clone()));
    }

    /// Reports a failure that loses what comes after it if the rest is salvaged.
    ///
    /// # Errors
    /// Returns the failure otherwise.
    pub(crate) fn pass(
        &self,
        error: TraceError,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        if !self.passes(&error) {
            return Err(error);
        }
        self.report(&error, "what comes after this place", diagnostics);
        Ok(())
    }

    /// Returns what was read. If that failed and the rest is salvaged, reports `what` as lost, such as "a table of names", and
    /// returns nothing instead.
    ///
    /// # Errors
    /// Returns the failure otherwise.
    pub fn or_default<T: Default>(
        &self,
        result: Result<T, TraceError>,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Result<T, TraceError> {
        match result {
            Err(error) if self.passes(&error) => {
                self.report(&error, what, diagnostics);
                Ok(T::default())
            }
            other => other,
        }
    }

    /// Returns whether the rows of a table can be read, after its survey and, if that succeeded, a check. The survey of a damaged
    /// table ends early: its rows are read, and the stream reports the damage when it comes there. A table with more rows than
    /// the file has room for is lost, because reading it might never end.
    ///
    /// # Errors
    /// Returns the failure of either if the rest is not salvaged.
    pub fn is_read(
        &self,
        table: &str,
        surveyed: Result<(), TraceError>,
        check: impl FnOnce() -> Result<(), TraceError>,
        diagnostics: &mut Diagnostics,
    ) -> Result<bool, TraceError> {
        let result = match surveyed {
            Err(error) if self.passes(&error) && !is_endless(&error) => return Ok(true),
            surveyed => surveyed.and_then(|()| check()),
        };
        self.or_default(result.map(|()| true), table, diagnostics)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use foldtrace_trace::ErrorKind;
    use rusqlite::{Connection, ffi};

    use super::*;
    use crate::fault::fault;
    use crate::{Database, Strings, Survey};

    const PAGE: usize = 512;

    fn damage(salvages: bool) -> Damage {
        Damage {
            kind: (Severity::Loss, "damaged"),
            salvages,
        }
    }

    fn damaged() -> TraceError {
        TraceError::new(ErrorKind::Malformed, "it is damaged").caused_by("a cause")
    }

    /// Returns the messages of all cases.
    fn messages(diagnostics: &Diagnostics) -> Vec<String> {
        let cases = diagnostics.groups().flat_map(|(_, group)| &group.cases);
        cases.map(|case| case.message.clone()).collect()
    }

    #[test]
    fn only_damage_is_salvaged() {
        let mut diagnostics = Diagnostics::default();
        let mut value = |salvages, error| {
            let result =
                damage(salvages).or_default(Err::<u8, _>(error), "a table", &mut diagnostics);
            result.map_err(|error| error.kind)
        };
        assert_eq!(value(true, damaged()), Ok(0));
        assert_eq!(value(false, damaged()), Err(ErrorKind::Malformed));
        let interrupted = || TraceError::new(ErrorKind::Interrupted, "it was interrupted");
        assert_eq!(value(true, interrupted()), Err(ErrorKind::Interrupted));
        let full = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        let full = fault(Path::new("a.db"), full);
        assert_eq!(value(true, full), Err(ErrorKind::Unreadable));
        assert_eq!(messages(&diagnostics), ["it is damaged; a table is lost"]);
        let passed = damage(true).pass(interrupted(), &mut diagnostics);
        assert!(passed.is_err());
        let passed = damage(true).pass(damaged(), &mut diagnostics);
        assert!(passed.is_ok());
        let [_, message] = &messages(&diagnostics)[..] else {
            panic!("{diagnostics:?}");
        };
        assert_eq!(
            message,
            "it is damaged; what comes after this place is lost"
        );
    }

    #[test]
    fn a_damaged_table_is_read_up_to_the_damage_and_one_that_fails_the_check_is_lost() {
        let mut diagnostics = Diagnostics::default();
        let mut is_read = |surveyed, checked| {
            let check = move || checked;
            let is_read = damage(true).is_read("calls", surveyed, check, &mut diagnostics);
            is_read.unwrap()
        };
        assert!(is_read(Ok(()), Ok(())));
        assert!(is_read(Err(damaged()), Ok(())));
        assert!(!is_read(Ok(()), Err(damaged())));
        assert_eq!(messages(&diagnostics), ["it is damaged; calls is lost"]);
        for (surveyed, checked) in [(Err(damaged()), Ok(())), (Ok(()), Err(damaged()))] {
            let is_read = damage(false).is_read("calls", surveyed, || checked, &mut diagnostics);
            assert!(is_read.is_err());
        }
    }

    /// Writes a database of three pages, in whose table all pointers of the root are to the same page of rows.
    fn write_endless(path: &Path) {
        let connection = Connection::open(path).unwrap();
        let sql = format!(
            "PRAGMA page_size = {PAGE}; CREATE TABLE t(a INT, b TEXT); \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) \
             INSERT INTO t SELECT NULL, NULL FROM n; VACUUM;"
        );
        connection.execute_batch(&sql).unwrap();
        drop(connection);
        let mut bytes = std::fs::read(path).unwrap();
        let root = PAGE;
        assert_eq!(bytes[root], 5, "the second page is the root of the table");
        let number = |at: usize| usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1]);
        let cells = (0..number(root + 3)).map(|cell| root + number(root + 12 + 2 * cell));
        for pointer in cells.chain([root + 8]).collect::<Vec<_>>() {
            bytes[pointer..pointer + 4].copy_from_slice(&3_u32.to_be_bytes());
        }
        bytes[28..32].copy_from_slice(&3_u32.to_be_bytes());
        bytes.truncate(3 * PAGE);
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_table_with_more_rows_than_the_file_has_room_for_is_lost_even_if_they_have_no_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        write_endless(&path);
        let database = Database::open(&path, false).unwrap();
        let table = database.table("t").unwrap();
        let mut survey = Survey::default();
        let surveyed = survey.read(&database, table, ["a", "NULL"], &[], |_| {});
        assert_eq!(survey.rows, 0);
        assert_eq!(survey.without_time, database.most_rows());
        let mut diagnostics = Diagnostics::default();
        let is_read = damage(true).is_read("t", surveyed, || Ok(()), &mut diagnostics);
        assert!(!is_read.unwrap());
        let message = "the table t has more content than the file has room for; t is lost";
        assert_eq!(messages(&diagnostics), [message]);
        let columns = ["a".to_owned(), "b".to_owned()];
        for error in [
            database.count(table).unwrap_err(),
            database.check_sortable("t", &columns, "t").unwrap_err(),
            database.look_up("t", &["a", "b"], |_| {}).unwrap_err(),
            Strings::open(&database, "t", "a", "b")
                .unwrap()
                .take_failure()
                .unwrap(),
        ] {
            assert!(is_endless(&error), "{error:?}");
        }
    }
}
