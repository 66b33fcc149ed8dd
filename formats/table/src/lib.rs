//! Writes traces as flat tables for other tools: Parquet, Arrow and CSV with one row per event, and a table that
//! Pipit loads directly. [`Encoder`] writes any other table in the same three encodings.
//!
//! These formats are only written: a table contains events and names, but not the other fields of definitions.
//! `schemas/table.md` describes all columns.
//!
//! ```
//! use foldtrace_table::{CSV, PARQUET};
//! use foldtrace_trace::Format;
//! assert_eq!(PARQUET.descriptor().extensions, ["parquet"]);
//! assert!(!CSV.descriptor().reads);
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod account;
mod arrow_ipc;
mod backend;
mod cells;
mod content;
mod csv;
mod dictionary;
mod encoder;
mod events;
mod nullable;
mod parquet;
mod pipit;
mod shape;
mod symbols;
mod values;
mod writer;

pub use encoder::{Encoder, Encoding, ROW_GROUP_ROWS};
pub use events::EventRows;
pub use shape::Shape;

use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Order, Output, PathKind, Place, Probe, ReadOptions,
    TraceError, TraceReader, TraceWriter,
};

use pipit::PipitRows;
use writer::TableWriter;

/// One flat Parquet file.
pub const PARQUET: TableFormat = TableFormat {
    descriptor: &Descriptor {
        name: "parquet",
        extensions: &["parquet"],
        about: "One flat Parquet table, a row an event",
        holds: HOLDS,
        drops: DROPS,
        reads: false,
        writes: true,
        is_text: false,
    },
    encoding: Encoding::Parquet,
    table: Table::Events,
    magic: b"PAR1",
};

/// An Arrow IPC file, or an Arrow IPC stream on standard output.
pub const ARROW: TableFormat = TableFormat {
    descriptor: &Descriptor {
        name: "arrow",
        extensions: &["arrow"],
        about: "The same table as an Arrow IPC file, to pipes as a stream",
        holds: HOLDS,
        drops: DROPS,
        reads: false,
        writes: true,
        is_text: false,
    },
    encoding: Encoding::Arrow,
    table: Table::Events,
    magic: b"ARROW1",
};

/// Comma-separated values according to RFC 4180.
pub const CSV: TableFormat = TableFormat {
    descriptor: &Descriptor {
        name: "csv",
        extensions: &["csv"],
        about: "The same table as comma-separated values (RFC 4180) with a header",
        holds: HOLDS,
        drops: DROPS,
        reads: false,
        writes: true,
        is_text: true,
    },
    encoding: Encoding::Csv,
    table: Table::Events,
    magic: b"",
};

/// A Parquet file with the columns of Pipit's data frames.
pub const PIPIT: TableFormat = TableFormat {
    descriptor: &Descriptor {
        name: "pipit",
        extensions: &[],
        about: "A Parquet table with the columns of Pipit, in the order of time",
        holds: "all events: time, name, process, thread; of messages partner, communicator, tag, bytes",
        drops: "definitions but names; other operands and quantities, metrics, attributes",
        reads: false,
        writes: true,
        is_text: false,
    },
    encoding: Encoding::Parquet,
    table: Table::Pipit,
    magic: b"",
};

const HOLDS: &str = "all events with names, quantities, metrics, attributes";
const DROPS: &str = "definitions but names; operands beside those of calls, messages, collectives, metrics, parameters";

/// A table as a format; see [`PARQUET`], [`ARROW`], [`CSV`] and [`PIPIT`].
#[derive(Clone, Copy, Debug)]
pub struct TableFormat {
    descriptor: &'static Descriptor,
    encoding: Encoding,
    table: Table,
    /// The first bytes of a file of this format; empty if the format must not claim files.
    magic: &'static [u8],
}

/// The kind of table.
#[derive(Clone, Copy, Debug)]
enum Table {
    Events,
    Pipit,
}

impl Format for TableFormat {
    fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    /// Recognises a table only to report that it cannot be read.
    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder
            && !self.magic.is_empty()
            && probe.head.starts_with(self.magic)
    }

    fn open(&self, input: Input, _: &ReadOptions) -> Result<Box<dyn TraceReader>, TraceError> {
        let message = format!("cannot read tables of format '{}'", self.descriptor.name);
        Err(TraceError::new(ErrorKind::Usage, message)
            .at(Place::file(input.path()))
            .hint(
                "tables lack definitions; read the trace or store that the table was written from",
            ))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        let file = OutputFile::create(output)?;
        Ok(match self.table {
            Table::Events => Box::new(TableWriter::new(
                EventRows::default(),
                Order::Location,
                self.encoding,
                file,
            )),
            Table::Pipit => Box::new(TableWriter::new(
                PipitRows::default(),
                Order::Time,
                self.encoding,
                file,
            )),
        })
    }
}
