//! A first reading of the times of a table: how many events it has, in which order, and when.

use foldtrace_trace::{Clock, TraceError};

use crate::{Cell, Database, Order, Table, quoted};

/// Maximum number of places where the order of rows begins anew, up to which no rows are sorted.
const MOST_RUNS: usize = 63;
/// Maximum number of columns that tell where an event happened.
const MOST_KEYS: usize = 6;

/// What is known of the events of a table before they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The number of events.
    pub rows: u64,
    /// The number of rows that have no time and are therefore left out.
    pub without_time: u64,
    /// Whether the rows are in the order that a merge needs.
    pub is_sorted: bool,
    /// Whether all ends are integers, and none is before its beginning.
    pub has_plain_ends: bool,
    /// The row ids at which the order of rows begins anew.
    runs: Vec<i64>,
    /// Whether `runs` has all of them.
    has_all_runs: bool,
    /// The earliest time.
    pub first: i64,
    /// The latest time.
    pub last: i64,
}

impl Default for Survey {
    fn default() -> Self {
        Self {
            rows: 0,
            without_time: 0,
            is_sorted: true,
            has_plain_ends: true,
            runs: Vec::new(),
            has_all_runs: true,
            first: i64::MAX,
            last: i64::MIN,
        }
    }
}

/// The columns of a row that tell where an event happened.
pub type SurveyedRow = [Option<i64>; MOST_KEYS];

impl Survey {
    /// Reads the times of a table: `times` are the expressions for the beginning and the end of an event, `keys` those for its
    /// place, at most six. `each` is called for the place of each event, except if it is the same as that of the event before.
    ///
    /// # Errors
    /// Returns an error if the table is damaged. The survey then has what comes before the damage.
    pub fn read(
        &mut self,
        database: &Database,
        table: &Table,
        times: [&str; 2],
        keys: &[String],
        mut each: impl FnMut(&SurveyedRow),
    ) -> Result<(), TraceError> {
        let mut columns = times.map(str::to_owned).to_vec();
        columns.extend(keys.iter().take(MOST_KEYS).cloned());
        let places = columns.len();
        self.has_all_runs = database.has_row_ids(table);
        if self.has_all_runs {
            columns.push("R.rowid".to_owned());
        }
        let from = format!("{} AS R NOT INDEXED", quoted(&table.name));
        let mut before = (i64::MIN, i64::MAX);
        let mut last = None;
        let mut last_id = None;
        let result = database.for_each(&table.name, &columns, &from, |row| {
            let id = row.integer(places);
            self.has_all_runs &= id > last_id;
            last_id = id;
            let Some(begin) = row.integer(0) else {
                self.without_time += 1;
                return Ok(());
            };
            let end = row.integer(1);
            self.rows += 1;
            self.has_plain_ends &= match row.cell(1) {
                Cell::Integer(end) => end.checked_sub(begin).is_some_and(|length| length >= 0),
                cell => cell == Cell::Null,
            };
            let order = (begin, end.unwrap_or(i64::MIN));
            if before.0 > begin || (before.0 == begin && before.1 < order.1) {
                self.is_sorted = false;
                self.has_all_runs &= self.runs.len() < MOST_RUNS;
                if self.has_all_runs {
                    self.runs.extend(id);
                }
            }
            before = order;
            self.first = self.first.min(begin);
            self.last = self.last.max(end.unwrap_or(begin).max(begin));
            let mut place = SurveyedRow::default();
            for (column, key) in place.iter_mut().enumerate().take(places - 2) {
                *key = row.integer(column + 2);
            }
            if last != Some(place) {
                each(&place);
                last = Some(place);
            }
            Ok(())
        });
        self.has_all_runs &= result.is_ok();
        result
    }

    /// Adds the survey of another table, whose order does not matter.
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.without_time += other.without_time;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    /// Returns the survey with all times moved by `shift` nanoseconds; `None` if they do not fit.
    #[must_use]
    pub fn shifted(&self, shift: i64) -> Option<Self> {
        let mut shifted = self.clone();
        if self.rows > 0 {
            shifted.first = self.first.checked_add(shift)?;
            shifted.last = self.last.checked_add(shift)?;
        }
        Some(shifted)
    }

    /// Returns the order of the rows.
    #[must_use]
    pub fn order(&self) -> Order {
        if self.is_sorted {
            Order::Time
        } else if !self.has_plain_ends {
            Order::Irregular
        } else if self.has_all_runs {
            Order::Runs(self.runs.clone())
        } else {
            Order::Any
        }
    }

    /// Returns the time that becomes 0: the earliest one, or 0 if there is none before it.
    #[must_use]
    pub fn origin(&self) -> i64 {
        self.first.min(0)
    }

    /// Returns the clock of a trace with these times in nanoseconds.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let mut clock = Clock::default();
        if self.first <= self.last {
            clock.global_offset = self.first.wrapping_sub(self.origin()) as u64;
            clock.trace_length = (self.last.wrapping_sub(self.first) as u64).saturating_add(1);
        }
        clock
    }
}
