//! Writes the table of messages.

use foldtrace_matching::{Message, Side};
use foldtrace_store::{DerivedTable, StoreReader};
use foldtrace_trace::TraceError;

use super::rows::{Finished, RowWriter, WAITING, position, signed, time, wide};

/// A writer of messages.
pub(super) struct MessagesWriter {
    table: DerivedTable,
    rows: Vec<Message>,
}

impl MessagesWriter {
    /// Begins the table in the folder of a store.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(store: &StoreReader) -> Result<Self, TraceError> {
        Ok(Self {
            table: DerivedTable::messages(store)?,
            rows: Vec::with_capacity(WAITING),
        })
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        let sent = |message: &Message| message.send.map(|side| side.moment);
        let received = |message: &Message| message.receive.map(|side| side.moment);
        let location = |side: Option<Side>| side.map(|side| side.location.0);
        self.table.write(vec![
            wide(rows, |message| message.sender),
            wide(rows, |message| message.receiver),
            wide(rows, |message| message.send_communicator),
            wide(rows, |message| message.receive_communicator),
            wide(rows, |message| message.tag),
            wide(rows, |message| message.send?.bytes),
            wide(rows, |message| message.receive?.bytes),
            wide(rows, |message| time(sent(message))),
            wide(rows, |message| time(received(message))),
            signed(rows, Message::latency),
            wide(rows, |message| location(message.send)),
            wide(rows, |message| position(sent(message))),
            wide(rows, |message| location(message.receive)),
            wide(rows, |message| position(received(message))),
            wide(rows, |message| time(message.posted)),
            wide(rows, |message| position(message.posted)),
            wide(rows, |message| time(message.completed)),
            wide(rows, |message| position(message.completed)),
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
