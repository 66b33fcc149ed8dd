//! Writes the tables of collective operations and of their members.

use foldtrace_matching::{Collective, Member, Moment};
use foldtrace_store::columns::ColumnType::{Id, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable};
use foldtrace_trace::{COLLECTIVES, TraceError};

use super::rows::{Dictionary, Finished, RowWriter, WAITING, position, time, wide, words};

/// The columns of the table of collective operations.
pub(crate) const COLLECTIVES_TABLE: TableColumns = TableColumns {
    name: Derived::Collectives.name(),
    columns: &[
        Column::required("instance", Number, "number of the row, from 0").delta(),
        Column::required("kind", Word, "kind of the events that complete it"),
        Column::optional(
            "operation",
            Word,
            "the operation, as [events.md](events.md#codes) names it, or its code",
        ),
        Column::optional(
            "communicator",
            Id,
            "the communicator, or that of the window",
        ),
        Column::optional("window", Id, "the window of an RMA operation"),
        Column::required(
            "number",
            Number,
            "number of earlier operations on that communicator or window",
        ),
        Column::optional("root", Number, "rank of the root"),
        Column::required("members", Number, "number of processes that took part"),
        Column::optional("size", Number, "number of processes in the communicator"),
        Column::optional(
            "first_begin",
            Number,
            "time at which the first member began it or, if it is non-blocking, requested it",
        )
        .unit(Unit::Time),
        Column::optional("last_begin", Number, "time at which the last member did")
            .unit(Unit::Time),
        Column::required(
            "first_end",
            Number,
            "time at which the first member completed it",
        )
        .unit(Unit::Time),
        Column::required("last_end", Number, "time at which the last member did").unit(Unit::Time),
        Column::optional("bytes", Number, "bytes that all members sent").unit(Unit::Bytes),
        Column::optional("bytes_received", Number, "bytes that all members received")
            .unit(Unit::Bytes),
    ],
    sorted_by: &["instance"],
};

/// The columns of the table of their members.
pub(crate) const MEMBERS_TABLE: TableColumns = TableColumns {
    name: Derived::MEMBERS_NAME,
    columns: &[
        Column::required("instance", Number, "row of `collectives`").delta(),
        Column::required("location", Id, "id of the location").delta(),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional(
            "operation",
            Word,
            "the operation in the event of this member",
        ),
        Column::optional(
            "begin_position",
            Number,
            "position where it began or was requested; null if that is not recorded",
        )
        .delta(),
        Column::required("end_position", Number, "position where it completed").delta(),
        Column::optional("begun", Number, "time at `begin_position`").unit(Unit::Time),
        Column::required("ended", Number, "time at `end_position`")
            .unit(Unit::Time)
            .delta(),
        Column::optional("bytes", Number, "bytes that it sent").unit(Unit::Bytes),
        Column::optional("bytes_received", Number, "bytes that it received").unit(Unit::Bytes),
    ],
    sorted_by: &["instance"],
};

/// A writer of collective operations and their members.
pub(super) struct CollectivesWriter {
    table: DerivedTable,
    members_table: DerivedTable,
    /// The number of the next operation.
    next: u64,
    rows: Vec<Collective>,
    /// The number of members in `rows`.
    members: usize,
}

impl CollectivesWriter {
    /// Begins the tables.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(folder: DerivedFolder<'_>) -> Result<Self, TraceError> {
        Ok(Self {
            table: folder.create(Derived::Collectives.path(), &COLLECTIVES_TABLE)?,
            members_table: folder.create(Derived::MEMBERS, &MEMBERS_TABLE)?,
            next: 0,
            rows: Vec::new(),
            members: 0,
        })
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let numbered = (self.next..).zip(&self.rows);
        let rows: Vec<(u64, &Collective)> = numbered.collect();
        let with_members = rows
            .iter()
            .flat_map(|&(number, row)| row.members.iter().map(move |member| (number, member)));
        let members: Vec<(u64, &Member)> = with_members.collect();

        let mut kinds = Dictionary::default();
        let kind_numbers: Vec<i32> = rows
            .iter()
            .map(|(_, row)| kinds.number(row.kind.name()))
            .collect();
        let mut operations = Dictionary::default();
        let mut operation = |code: Option<u64>| -> Option<i32> {
            let code = code?;
            Some(match COLLECTIVES.name(code) {
                Some(name) => operations.number(name),
                None => operations.number(&code.to_string()),
            })
        };
        let of_rows: Vec<_> = rows
            .iter()
            .map(|(_, row)| operation(row.operation))
            .collect();
        let of_members: Vec<_> = members
            .iter()
            .map(|(_, member)| operation(member.operation))
            .collect();
        let (kinds, operations) = (kinds.array(), operations.array());

        let begin = |member: &Member| member.begin;
        let end = |member: &Member| Some(member.end);
        self.table.write(vec![
            ("instance", wide(&rows, |(number, _)| Some(*number))),
            (
                "kind",
                words(&self.table, &kind_numbers, |number| Some(*number), &kinds)?,
            ),
            (
                "operation",
                words(&self.table, &of_rows, |number| *number, &operations)?,
            ),
            ("communicator", wide(&rows, |(_, row)| row.communicator)),
            ("window", wide(&rows, |(_, row)| row.window)),
            ("number", wide(&rows, |(_, row)| Some(row.number))),
            ("root", wide(&rows, |(_, row)| row.root)),
            (
                "members",
                wide(&rows, |(_, row)| Some(row.members.len() as u64)),
            ),
            ("size", wide(&rows, |(_, row)| row.size)),
            (
                "first_begin",
                wide(&rows, |(_, row)| times(row, begin).min()),
            ),
            (
                "last_begin",
                wide(&rows, |(_, row)| times(row, begin).max()),
            ),
            ("first_end", wide(&rows, |(_, row)| times(row, end).min())),
            ("last_end", wide(&rows, |(_, row)| times(row, end).max())),
            (
                "bytes",
                wide(&rows, |(_, row)| sum(row, |member| member.bytes)),
            ),
            (
                "bytes_received",
                wide(&rows, |(_, row)| sum(row, |member| member.bytes_received)),
            ),
        ])?;
        self.members_table.write(vec![
            ("instance", wide(&members, |(number, _)| Some(*number))),
            (
                "location",
                wide(&members, |(_, member)| Some(member.location.0)),
            ),
            ("rank", wide(&members, |(_, member)| member.rank)),
            (
                "operation",
                words(&self.table, &of_members, |number| *number, &operations)?,
            ),
            (
                "begin_position",
                wide(&members, |(_, member)| position(member.begin)),
            ),
            (
                "end_position",
                wide(&members, |(_, member)| Some(member.end.position.0)),
            ),
            ("begun", wide(&members, |(_, member)| time(member.begin))),
            (
                "ended",
                wide(&members, |(_, member)| Some(member.end.time.0)),
            ),
            ("bytes", wide(&members, |(_, member)| member.bytes)),
            (
                "bytes_received",
                wide(&members, |(_, member)| member.bytes_received),
            ),
        ])?;
        self.next += self.rows.len() as u64;
        self.rows.clear();
        self.members = 0;
        Ok(())
    }
}

impl RowWriter for CollectivesWriter {
    type Row = Collective;

    fn write(&mut self, collective: Self::Row) -> Result<(), TraceError> {
        self.members += collective.members.len();
        self.rows.push(collective);
        if self.members < WAITING {
            return Ok(());
        }
        self.flush()
    }

    fn finish(mut self) -> Result<Finished, TraceError> {
        self.flush()?;
        let (_, members) = self.members_table.finish()?;
        let (rows, file) = self.table.finish()?;
        let files = vec![file, members];
        Ok(Finished { rows, files })
    }
}

/// Returns the times of a moment of all members that have it.
fn times(
    row: &Collective,
    moment: impl Fn(&Member) -> Option<Moment>,
) -> impl Iterator<Item = u64> {
    let moments = row.members.iter().filter_map(moment);
    moments.map(|moment| moment.time.0)
}

/// Returns the sum over all members with a value; `None` if no member has one.
fn sum(row: &Collective, value: impl Fn(&Member) -> Option<u64>) -> Option<u64> {
    let values = row.members.iter().filter_map(value);
    values.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/collectives.parquet", &COLLECTIVES_TABLE);
        check_meanings("derived/collective_members.parquet", &MEMBERS_TABLE);
    }
}
