//! Writes the tables of collective operations and of their members.

use foldtrace_matching::{Collective, Member, Moment};
use foldtrace_store::{DerivedTable, StoreReader};
use foldtrace_trace::{COLLECTIVES, TraceError};

use super::rows::{Dictionary, Finished, RowWriter, WAITING, position, time, wide, words};

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
    /// Begins the tables in the folder of a store.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(store: &StoreReader) -> Result<Self, TraceError> {
        Ok(Self {
            table: DerivedTable::collectives(store)?,
            members_table: DerivedTable::collective_members(store)?,
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
            wide(&rows, |(number, _)| Some(*number)),
            words(&self.table, &kind_numbers, |number| Some(*number), &kinds)?,
            words(&self.table, &of_rows, |number| *number, &operations)?,
            wide(&rows, |(_, row)| row.communicator),
            wide(&rows, |(_, row)| row.window),
            wide(&rows, |(_, row)| Some(row.number)),
            wide(&rows, |(_, row)| row.root),
            wide(&rows, |(_, row)| Some(row.members.len() as u64)),
            wide(&rows, |(_, row)| row.size),
            wide(&rows, |(_, row)| times(row, begin).min()),
            wide(&rows, |(_, row)| times(row, begin).max()),
            wide(&rows, |(_, row)| times(row, end).min()),
            wide(&rows, |(_, row)| times(row, end).max()),
            wide(&rows, |(_, row)| sum(row, |member| member.bytes)),
            wide(&rows, |(_, row)| sum(row, |member| member.bytes_received)),
        ])?;
        self.members_table.write(vec![
            wide(&members, |(number, _)| Some(*number)),
            wide(&members, |(_, member)| Some(member.location.0)),
            wide(&members, |(_, member)| member.rank),
            words(&self.table, &of_members, |number| *number, &operations)?,
            wide(&members, |(_, member)| position(member.begin)),
            wide(&members, |(_, member)| Some(member.end.position.0)),
            wide(&members, |(_, member)| time(member.begin)),
            wide(&members, |(_, member)| Some(member.end.time.0)),
            wide(&members, |(_, member)| member.bytes),
            wide(&members, |(_, member)| member.bytes_received),
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
