//! Fuzzes the reader of MTF documents.

#![no_main]

use foldtrace::mtf::Mtf;
use foldtrace_fuzz::trace::{piped, read_both};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&Mtf, || piped(data)));
