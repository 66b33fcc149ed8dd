//! Reads and writes Pajé traces: self-describing text, as written by SimGrid, StarPU and EZTrace 1.
//!
//! A header defines the events and their fields. The lines after it create containers and describe their states,
//! events and variables, and the links between them; each line has its own time. `schemas/paje.md` describes how
//! these map to events.
//!
//! Other programs can open the traces that foldtrace writes. Data that the format cannot express is in comments and
//! additional fields, so that the traces can be read back unchanged.
//!
//! ```
//! use foldtrace_paje::Paje;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"# by a simulator\n%EventDef PajePushState 12\n% Time date\n",
//! };
//! assert!(Paje.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod action;
mod builder;
mod carried;
mod header;
mod hierarchy;
mod irregularities;
mod lexer;
mod links;
mod locations;
mod parser;
mod producer;
mod resolve;
mod states;
mod time;
mod variables;
mod writer;

use foldtrace_input::LineReader;
use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "paje",
    extensions: &["paje"],
    about: "Pajé traces: self-describing text, as SimGrid, StarPU and EZTrace 1 write it",
    holds: "all events, quantities, metrics, attributes and definitions",
    drops: "nothing",
    reads: true,
    writes: true,
    is_text: true,
};

/// The Pajé format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paje;

impl Format for Paje {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && is_paje(probe.head)
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        type Reader = LineReader<parser::PajeParser>;
        Ok(Box::new(Reader::open(input, *options)?))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::PajeWriter::create(output)?))
    }
}

/// Returns whether the first line that is neither empty nor a comment defines an event.
fn is_paje(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if head.starts_with(parser::SIGNATURE) {
        return true;
    }
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let Some(definition) = first.and_then(|line| line.strip_prefix(b"%")) else {
        return false;
    };
    definition.trim_ascii_start().starts_with(b"EventDef")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_begin_with_an_event_definition() {
        for head in [
            "%EventDef PajeDefineContainerType 0\n",
            "# comment\n\n  % EventDef PajeSetState\t7",
            "# foldtrace paje, see schemas/paje.md\n#: string id=0 \"\"\n",
        ] {
            assert!(is_paje(head.as_bytes()), "{head}");
        }
        for head in [
            "",
            "# only a comment\n",
            "0 send 1 17\n",
            "%PDF-1.4\n",
            "%EventDef\0",
        ] {
            assert!(!is_paje(head.as_bytes()), "{head}");
        }
    }
}
