//! Fuzzes the reader of Pajé traces.

#![no_main]

use foldtrace_fuzz::trace::{piped, read_both};
use foldtrace_paje::Paje;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&Paje, || piped(data)));
