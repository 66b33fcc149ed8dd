//! Writes the table of messages.

use foldtrace_matching::{Message, Side};
use foldtrace_store::columns::ColumnType::{Id, Number, Signed};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable};
use foldtrace_trace::TraceError;

use super::rows::{Finished, RowWriter, WAITING, position, signed, time, wide};

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

/// A writer of messages.
pub(super) struct MessagesWriter {
    table: DerivedTable,
    rows: Vec<Message>,
}

impl MessagesWriter {
    /// Begins the table.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(folder: DerivedFolder<'_>) -> Result<Self, TraceError> {
        Ok(Self {
            table: folder.create(Derived::Messages.path(), &MESSAGES)?,
            rows: Vec::with_capacity(WAITING),
        })
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

impl RowWriter for MessagesWriter {
    type Row = Message;

    fn write(&mut self, message: Self::Row) -> Result<(), TraceError> {
        self.rows.push(message);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    fn finish(mut self) -> Result<Finished, TraceError> {
        self.flush()?;
        let (rows, file) = self.table.finish()?;
        let files = vec![file];
        Ok(Finished { rows, files })
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
