//! Reads and writes traces as text: one event per line, as in Ketterlin et al., section II.B, with additional fields.
//!
//! ```text
//! 0 local enter main time=0
//! 0 send 1 17 time=120 bytes=800
//! 0 recv 1 17 time=131 bytes=800
//! 0 sync MPI_Allreduce 0-1 time=140
//! ```
//!
//! Written traces contain all definitions as comments that begin with `#:`, and are read back unchanged. Traces
//! written by hand need no definitions. `schemas/text.md` describes the grammar.
//!
//! ```
//! use foldtrace_text::TextFormat;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"# by hand\n0 send 1 17\n",
//! };
//! assert!(TextFormat.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod creator;
mod event;
mod folder;
mod parser;
mod resolve;
mod sink;
mod writer;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use foldtrace_input::LineReader;
use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    Carried, Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError,
    TraceReader, TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "text",
    extensions: &["trace"],
    about: "Lines of text, one event each, as in Ketterlin et al., section II.B",
    holds: "all events, quantities, metrics, attributes and definitions",
    drops: "nothing",
    reads: true,
    writes: true,
    is_text: true,
};

type TextReader = LineReader<parser::TextParser>;

/// The text format.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextFormat;

impl Format for TextFormat {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::File | PathKind::Stream => is_text_trace(probe.head, probe.path),
            PathKind::Folder => sniff_folder(probe.path),
            PathKind::ObjectFolder => false,
        }
    }

    /// Returns whether the file name, or something that only this format has, identifies the format. Lines such as `0
    /// send 1 17` also occur in other formats.
    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::File | PathKind::Stream => {
                DESCRIPTOR.matches_extension(probe.path) || is_unmistakable(probe.head)
            }
            PathKind::Folder | PathKind::ObjectFolder => true,
        }
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(TextReader::open(input, *options)?))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(writer::TextWriter::create(output)?))
    }
}

/// Returns whether a folder is a text trace, which is the case if its first file called `*.trace` is one.
fn sniff_folder(folder: &Path) -> bool {
    const HEAD: u64 = 4096;
    let files = folder::trace_files(folder).unwrap_or_default();
    let Some(first) = files.first() else {
        return false;
    };
    let mut head = Vec::new();
    let read = File::open(first).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && is_text_trace(&head, first)
}

/// Returns whether the first line that is neither empty nor an ordinary comment is an event or a definition. If the
/// head contains only comments, the file name decides.
fn is_text_trace(head: &[u8], path: &Path) -> bool {
    if head.contains(&0) {
        return false;
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if head.starts_with(writer::HEADER.trim_end().as_bytes()) {
        return true;
    }
    let mut has_comments = false;
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix(MARK)
            && parse_definition(rest, 0).is_ok()
        {
            return true;
        }
        if line.starts_with(b"#") {
            has_comments = true;
            continue;
        }
        return event::parse(line, &mut Carried::default()).is_ok();
    }
    has_comments && DESCRIPTOR.matches_extension(path)
}

/// Returns whether a line has something that only this format has: a definition, one of its own verbs, a field, or a
/// tag with letters.
fn is_unmistakable(head: &[u8]) -> bool {
    const VERBS: [&[u8]; 3] = [b"local", b"sync", b"isync"];
    head.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix(MARK) {
            return parse_definition(rest, 0).is_ok();
        }
        let mut words = line.split(u8::is_ascii_whitespace);
        let has_own_verb = words.nth(1).is_some_and(|verb| VERBS.contains(&verb));
        let has_field = line.contains(&b'=');
        let has_tag = words.nth(1).is_some_and(|tag| tag.starts_with(b"tag"));
        (has_own_verb || has_field || has_tag)
            && event::parse(line, &mut Carried::default()).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_this_format_alone_are_unmistakable() {
        for head in [
            "0 local main\n",
            "0 send 1 17 bytes=8\n",
            "0 send 1 tag17\n",
        ] {
            assert!(is_unmistakable(head.as_bytes()), "{head}");
        }
        assert!(is_unmistakable(b"# foldtrace\n#: string id=0 \"main\"\n"));
        for head in ["0 send 1 17\n1 recv 0 17\n", "a=b\n", ""] {
            assert!(!is_unmistakable(head.as_bytes()), "{head}");
        }
    }

    fn sniff(path: &str, head: &[u8]) -> bool {
        TextFormat.sniff(&Probe {
            path: path.as_ref(),
            kind: PathKind::File,
            head,
        })
    }

    #[test]
    fn events_and_definitions_are_recognised_and_other_things_are_not() {
        assert!(sniff("x", b"0 send 1 tag17\n0 se"));
        assert!(sniff("x", b"\n# a comment\n  0 local call MPI_Init\n"));
        assert!(sniff("x", b"#: string id=0 \"main\"\n"));
        assert!(sniff("x", b"0 sync MPI_Barrier 0-3"));
        assert!(sniff("x.trace", b"# only comments so far\n"));
        assert!(!sniff("x.sh", b"# only comments so far\n"));
        assert!(!sniff("x.trace", b"OTF2\0\x01"));
        assert!(!sniff("x.trace", b"hello world\n0 send 1 17\n"));
        assert!(!sniff("x.trace", b""));
        assert!(!sniff("x.csv", b"1,2,3\n"));
    }
}
