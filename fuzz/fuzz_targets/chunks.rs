//! Whatever comes through a pipe, in pieces: a trace reads the same however it is cut.
//!
//! The first bytes are lengths: of what is read to recognise the format, and of the pieces behind it. The
//! format is recognised as the command does it; what none recognises is of no use.

#![no_main]

use foldtrace::formats::REGISTRY;
use foldtrace_fuzz::cut::Cut;
use foldtrace_fuzz::trace::{piped, read};
use foldtrace_trace::{Input, PathKind, Probe, ReadOptions};
use libfuzzer_sys::{Corpus, fuzz_target};

const LENGTHS: usize = 8;

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some((&[of_head, ref lengths @ ..], bytes)) = data.split_first_chunk::<LENGTHS>() else {
        return Corpus::Reject;
    };
    let probe = Probe {
        path: "-".as_ref(),
        kind: PathKind::Stream,
        head: bytes,
    };
    let Ok(format) = REGISTRY.sniff(&probe) else {
        return Corpus::Reject;
    };
    for salvage in [false, true] {
        let options = ReadOptions { salvage };
        let (head, rest) = bytes.split_at(usize::from(of_head).min(bytes.len()));
        let cut = Input::Stream {
            name: "-".into(),
            head: head.to_owned(),
            reader: Box::new(Cut::new(rest, lengths)),
        };
        let whole = read(format.open(piped(bytes), &options));
        assert_eq!(read(format.open(cut, &options)), whole);
    }
    Corpus::Keep
});
