//! Fuzzes the reader of Perfetto traces (protobuf).

#![no_main]

use foldtrace_fuzz::trace::{piped, read_both};
use foldtrace_perfetto::Perfetto;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&Perfetto, || piped(data)));
