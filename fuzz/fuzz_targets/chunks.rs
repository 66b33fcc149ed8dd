//! Checks that a trace from a pipe reads the same, however the pipe cuts it into pieces.
//!
//! The first bytes of the input are lengths: the first one of the part that is read to recognise the format, the others
//! of the pieces after that part. The format is recognised as in the command; inputs of no known format are rejected.

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
        let options = ReadOptions::whole(salvage);
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
