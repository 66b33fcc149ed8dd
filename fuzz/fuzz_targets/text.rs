//! Fuzzes the reader of text traces.

#![no_main]

use foldtrace_fuzz::trace::{piped, read_both};
use foldtrace_text::TextFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&TextFormat, || piped(data)));
