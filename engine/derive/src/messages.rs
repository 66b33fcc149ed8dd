//! Writes the table of messages.

use foldtrace_matching::{Message, Side};
use foldtrace_store::columns::ColumnType::{Id, Number, Signed};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, Written};
use foldtrace_trace::{ErrorKind, TraceError};

use super::rows::{Finished, RowWriter, WAITING, position, signed, time, wide};
use super::share::Receivers;

/// The columns of the table, whose rows are not sorted.
pub(crate) const MESSAGES: TableColumns = TableColumns {
    name: Derived::Messages.name(),
    columns: &[
        Column::optional("sender", Number, "rank of the sender"),
        Column::optional("receiver", Number, "rank of the receiver"),
        Column::optional("communicator", Id, "the communicator in the send"),
        Column::optional(
            "receive_communicator",
            Id,
            "the communicator in the receive",
        ),
        Column::optional("tag", Number, "message tag"),
        Column::optional("bytes", Number, "bytes in the send").unit(Unit::Bytes),
        Column::optional("bytes_received", Number, "bytes in the receive").unit(Unit::Bytes),
        Column::optional("sent", Number, "time of the send")
            .unit(Unit::Time)
            .delta(),
        Column::optional(
            "received",
            Number,
            "time of the receive, or of the completion of a non-blocking one",
        )
        .unit(Unit::Time)
        .delta(),
        Column::optional(
            "latency",
            Signed,
            "`received` − `sent`; negative if the clocks differ",
        )
        .unit(Unit::Since("sent"))
        .delta(),
        Column::optional(
            "send_location",
            Id,
            "location of the send; null if no send is recorded",
        ),
        Column::optional("send_position", Number, "position of the send").delta(),
        Column::optional(
            "receive_location",
            Id,
            "location of the receive; null if no receive is recorded",
        ),
        Column::optional("receive_position", Number, "position of the receive").delta(),
        Column::optional(
            "posted",
            Number,
            "time at which a non-blocking receive was posted",
        )
        .unit(Unit::Time)
        .delta(),
        Column::optional(
            "posted_position",
            Number,
            "position of that event, in `receive_location`",
        )
        .delta(),
        Column::optional(
            "completed",
            Number,
            "time at which a non-blocking send completed",
        )
        .unit(Unit::Time)
        .delta(),
        Column::optional(
            "completed_position",
            Number,
            "position of that event, in `send_location`",
        )
        .delta(),
    ],
    sorted_by: &[],
};

/// The number of rows of a row group, of which each group of receivers has one in memory.
const ROWS: usize = 1 << 16;

/// A writer of messages, with a file for each group of receivers. The files are united, or kept in a shard.
pub(super) struct MessagesWriter<'a> {
    receivers: &'a Receivers,
    /// The groups of the task.
    groups: Vec<GroupWriter>,
}

impl<'a> MessagesWriter<'a> {
    /// Begins the files.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(folder: DerivedFolder<'_>, receivers: &'a Receivers) -> Result<Self, TraceError> {
        let groups = receivers.own.clone().map(|group| {
            Ok(GroupWriter {
                table: folder.create_with(&format!(".messages-{group:05}"), &MESSAGES, ROWS)?,
                rows: Vec::with_capacity(WAITING),
            })
        });
        Ok(Self {
            groups: groups.collect::<Result<_, TraceError>>()?,
            receivers,
        })
    }
}

impl RowWriter for MessagesWriter<'_> {
    type Row = Message;

    fn write(&mut self, message: Self::Row) -> Result<(), TraceError> {
        let group = self.receivers.groups.of(message.receiver);
        let own = group.checked_sub(self.receivers.own.start);
        let Some(group) = own.and_then(|group| self.groups.get_mut(group)) else {
            let error = "a message is received by a process of another task";
            return Err(TraceError::new(ErrorKind::Internal, error));
        };
        group.write(message)
    }

    fn finish(self) -> Result<Finished, TraceError> {
        let mut finished = Finished::default();
        for group in self.groups {
            let (rows, file) = group.finish()?;
            finished.rows += rows;
            finished.files.push(file);
        }
        Ok(finished)
    }
}

/// A writer of the messages to a group of receivers.
struct GroupWriter {
    table: DerivedTable,
    rows: Vec<Message>,
}

impl GroupWriter {
    fn write(&mut self, message: Message) -> Result<(), TraceError> {
        self.rows.push(message);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    fn finish(mut self) -> Result<(u64, Written), TraceError> {
        self.flush()?;
        self.table.finish()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        let sent = |message: &Message| message.send.map(|side| side.moment);
        let received = |message: &Message| message.receive.map(|side| side.moment);
        let location = |side: Option<Side>| side.map(|side| side.location.0);
        self.table.write(vec![
            ("sender", wide(rows, |row| row.sender)),
            ("receiver", wide(rows, |row| row.receiver)),
            ("communicator", wide(rows, |row| row.send_communicator)),
            (
                "receive_communicator",
                wide(rows, |row| row.receive_communicator),
            ),
            ("tag", wide(rows, |row| row.tag)),
            ("bytes", wide(rows, |row| row.send?.bytes)),
            ("bytes_received", wide(rows, |row| row.receive?.bytes)),
            ("sent", wide(rows, |row| time(sent(row)))),
            ("received", wide(rows, |row| time(received(row)))),
            ("latency", signed(rows, Message::latency)),
            ("send_location", wide(rows, |row| location(row.send))),
            ("send_position", wide(rows, |row| position(sent(row)))),
            ("receive_location", wide(rows, |row| location(row.receive))),
            (
                "receive_position",
                wide(rows, |row| position(received(row))),
            ),
            ("posted", wide(rows, |row| time(row.posted))),
            ("posted_position", wide(rows, |row| position(row.posted))),
            ("completed", wide(rows, |row| time(row.completed))),
            (
                "completed_position",
                wide(rows, |row| position(row.completed)),
            ),
        ])?;
        self.rows.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/messages.parquet", &MESSAGES);
    }
}
