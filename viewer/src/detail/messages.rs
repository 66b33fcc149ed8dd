//! The single messages of a part of a run, from the derived table `messages`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch, UInt64Array};
use foldtrace_derive::{Request, Table, derive_into};
use foldtrace_store::columns::numbers;
use foldtrace_store::{Derived, Overlap, Portion, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, TraceError};

use crate::error::other_columns;

/// The columns that are read.
const COLUMNS: &[&str] = &[
    "send_location",
    "receive_location",
    "send_position",
    "receive_position",
    "sent",
    "received",
    "bytes",
    "tag",
];

/// A message whose send and receive are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The index of the location.
    pub sender: u32,
    pub receiver: u32,
    pub send_position: u64,
    pub receive_position: u64,
    pub sent: u64,
    pub received: u64,
    pub bytes: Option<u64>,
    pub tag: Option<u64>,
}

/// The place of the messages of a store.
#[derive(Debug)]
pub(crate) struct Messages {
    /// The folder of the table; `None` if the store has it.
    folder: Option<PathBuf>,
    indices: HashMap<LocationId, u32>,
}

impl Messages {
    /// Finds the messages of a store. If it does not have their table, derives it in the folder `scratch`.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, the work was stopped, or the table cannot be written.
    pub fn of(
        store: &StoreReader,
        scratch: &Path,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let is_derived = Table::Messages.rows(store, Portion::ALL)?.is_some();
        if !is_derived {
            // Messages in one order are in few row groups if they are under way at the same time.
            let request = Request {
                events_per_group: u64::MAX,
                ..Request::new(&[Derived::Messages])
            };
            derive_into(scratch, store, request, progress)?;
        }
        Ok(Self {
            folder: (!is_derived).then(|| scratch.to_owned()),
            indices: store.locations().zip(0..).collect(),
        })
    }

    /// Returns the messages that are under way at some time in a range of ticks; `None` if there are more than `most`.
    ///
    /// # Errors
    /// Returns an error if the table is missing or damaged.
    pub(super) fn within(
        &self,
        store: &StoreReader,
        range: Range<u64>,
        most: usize,
    ) -> Result<Option<Vec<Message>>, TraceError> {
        let portion = Portion {
            columns: Some(COLUMNS),
            overlap: Some(Overlap {
                between: ["sent", "received"],
                begin: range.start,
                end: range.end,
            }),
        };
        let rows = match &self.folder {
            Some(folder) => Table::Messages.rows_in(folder, portion)?,
            None => Table::Messages.rows(store, portion)?,
        };
        let mut messages = Vec::new();
        for batch in rows.into_iter().flatten() {
            let batch = batch?;
            self.take(&batch, &range, &mut messages)
                .ok_or_else(|| other_columns(Derived::Messages, store.path()))?;
            if messages.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(messages))
    }

    /// Adds the messages of a batch that are in a range; `None` if the columns are not those of the table.
    fn take(
        &self,
        batch: &RecordBatch,
        range: &Range<u64>,
        messages: &mut Vec<Message>,
    ) -> Option<()> {
        let column = |name: &str| numbers(batch.column_by_name(name)?);
        let (senders, receivers) = (column("send_location")?, column("receive_location")?);
        let positions = (column("send_position")?, column("receive_position")?);
        let (sent, received) = (column("sent")?, column("received")?);
        let (bytes, tags) = (column("bytes")?, column("tag")?);
        let at = |column: &UInt64Array, row| column.is_valid(row).then(|| column.value(row));
        let location = |column, row| self.indices.get(&LocationId(at(column, row)?)).copied();
        for row in 0..batch.num_rows() {
            // The times of a message may be in any order, because clocks differ.
            let (begin, end) = (
                sent.value(row).min(received.value(row)),
                sent.value(row).max(received.value(row)),
            );
            if end < range.start || begin >= range.end {
                continue;
            }
            let ends = location(&senders, row).zip(location(&receivers, row));
            if let Some((sender, receiver)) = ends {
                messages.push(Message {
                    sender,
                    receiver,
                    send_position: positions.0.value(row),
                    receive_position: positions.1.value(row),
                    sent: sent.value(row),
                    received: received.value(row),
                    bytes: at(&bytes, row),
                    tag: at(&tags, row),
                });
            }
        }
        Some(())
    }
}
