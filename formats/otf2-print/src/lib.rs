//! Reads the output of otf2-print, which is often all that is left of an archive.
//!
//! Definitions are read if they were printed (`otf2-print -G`, `-A`, `-M`, `-C`). Otherwise, or if only a few lines
//! of the output are available, definitions are created from the names that events contain. The supported subset is
//! described in `schemas/otf2-print.md`.
//!
//! ```
//! use foldtrace_otf2_print::Otf2Print;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "ticket.txt".as_ref(),
//!     kind: PathKind::File,
//!     head: b"> ENTER      0    7396895680197675  Region: \"MPI_Init\" <148>\r\n",
//! };
//! assert!(Otf2Print.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod anchor;
mod cursor;
mod definitions;
mod events;
mod implied_definitions;
mod parser;
mod record;
mod words;

use foldtrace_input::LineReader;
use foldtrace_trace::{
    Carried, Descriptor, ErrorKind, Format, Input, Output, PathKind, Probe, ReadOptions,
    TraceError, TraceReader, TraceWriter,
};

use crate::cursor::Cursor;
use crate::parser::{PrintParser, RecordRow, record_rows, unquoted};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "otf2-print",
    extensions: &["txt"],
    about: "What otf2-print prints of an OTF2 archive, whole or pasted",
    holds: "all events and global definitions, as text",
    drops: "it is only read",
    reads: true,
    writes: false,
    is_text: true,
};

/// The format: the output of otf2-print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Otf2Print;

impl Format for Otf2Print {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && is_output(probe.head)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(LineReader::<PrintParser>::open(input, *options)?))
    }

    fn create(&self, _: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        let message = "foldtrace cannot write the output of otf2-print";
        Err(TraceError::new(ErrorKind::Usage, message)
            .hint("write an OTF2 archive and print it with otf2-print"))
    }
}

/// Returns whether `head` contains the banner or a line that is a record.
fn is_output(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    let rows = record_rows();
    head.split(|&byte| byte == b'\n').any(|line| {
        let line = unquoted(line.trim_ascii_end());
        if line.starts_with(b"=== OTF2-PRINT ===") {
            return true;
        }
        let mut cursor = Cursor::new(line, 0);
        match rows.get(cursor.word()) {
            Some(RecordRow::Event(row)) => {
                record::parse(row, &mut cursor, &mut Carried::default()).is_ok()
            }
            Some(RecordRow::Definition(row)) => definitions::parse(row, &mut cursor).is_ok(),
            None => false,
        }
    })
}
