//! Reads and writes traces in Chrome's JSON format, which Perfetto and `chrome://tracing` read.
//!
//! ```text
//! {"traceEvents":[
//! {"ts":0,"pid":0,"tid":0,"ph":"B","name":"main"},
//! {"ts":12.5,"pid":0,"tid":0,"ph":"E"}
//! ]}
//! ```
//!
//! Events of other programs may be in any order: they are sorted, on disk if there are many. Files written by
//! foldtrace are marked as sorted and are read back unchanged. `schemas/chrome.md` describes the mapping.
//!
//! [`Kineto`] reads the traces of PyTorch's profiler, which are such files with a meaning.
//!
//! ```
//! use foldtrace_chrome::Chrome;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"[{\"ph\":\"X\",\"name\":\"work\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}",
//! };
//! assert!(Chrome.sniff(&probe));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod collected;
mod counters;
mod elements;
mod event_json;
mod fault;
mod fields;
mod foreign;
mod json;
mod kineto;
mod meaning;
mod nesting;
mod objects;
mod ours;
mod record;
mod slices;
mod sorted;
mod time;
mod tracks;
mod vocabulary;
mod writer;

use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};
use memchr::memmem;

pub use kineto::Kineto;

use elements::Elements;
use ours::OurStream;
use writer::ChromeWriter;

static DESCRIPTOR: Descriptor = Descriptor {
    name: "chrome",
    extensions: &["json"],
    about: "Chrome's JSON: what chrome://tracing and Perfetto show, and many profilers write",
    holds: "all events, quantities, metrics, attributes and definitions",
    drops: "nothing",
    reads: true,
    writes: true,
    is_text: true,
};

/// Chrome's JSON format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chrome;

impl Format for Chrome {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && is_chrome(probe.head)
    }

    /// Returns whether the head contains a key of this format. An empty array, or an object with general keys such as
    /// `otherData`, may belong to any JSON format.
    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        const KEYS: [&[u8]; 5] = [
            b"\"traceEvents\"",
            b"\"displayTimeUnit\"",
            b"\"systemTraceEvents\"",
            b"\"foldtrace\"",
            b"\"ph\"",
        ];
        KEYS.iter()
            .any(|key| memmem::find(probe.head, key).is_some())
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        let mut elements = Elements::open(input, *options)?;
        Ok(if elements.is_ours()? {
            Box::new(OurStream::open(elements, *options)?)
        } else {
            Box::new(sorted::read(elements)?)
        })
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(ChromeWriter::create(output)?))
    }
}

/// Returns whether a file begins with an array of events, or with an object that has a key specific to this format.
fn is_chrome(head: &[u8]) -> bool {
    /// Keys of the object. The head may contain only keys that come before the events.
    const KEYS: [&[u8]; 8] = [
        b"\"traceEvents\"",
        b"\"displayTimeUnit\"",
        b"\"systemTraceEvents\"",
        b"\"otherData\"",
        b"\"stackFrames\"",
        b"\"beginningOfTime\"",
        b"\"deviceProperties\"",
        b"\"foldtrace\"",
    ];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii();
    let has = |key: &[u8]| memmem::find(head, key).is_some();
    match head.first() {
        Some(b'[') => {
            let rest = head[1..].trim_ascii_start();
            match rest.first() {
                Some(b'{') => has(b"\"ph\""),
                // An array without events is a trace without events.
                None | Some(b']') => rest.len() <= 1,
                Some(_) => false,
            }
        }
        Some(b'{') => KEYS.iter().any(|key| has(key)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_objects_are_recognised_and_other_json_is_not() {
        assert!(is_chrome(b"[\n {\"name\":\"a\",\"ph\":\"X\",\"ts\""));
        assert!(is_chrome(b"\xef\xbb\xbf{\"traceEvents\": ["));
        assert!(is_chrome(b"{\"displayTimeUnit\":\"ms\",\"metadata\":{"));
        assert!(is_chrome(b"[]\n"));
        assert!(!is_chrome(b"[1,2,3]"));
        assert!(!is_chrome(b"[{\"a\":1}]"));
        assert!(!is_chrome(b"{\"a\":1}"));
        assert!(!is_chrome(b"{"));
        assert!(!is_chrome(b""));
        assert!(!is_chrome(b"0 send 1 17\n"));
    }
}
