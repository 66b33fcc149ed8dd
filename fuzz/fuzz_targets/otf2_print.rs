//! Fuzzes the reader of the output of otf2-print.

#![no_main]

use foldtrace_fuzz::trace::{piped, read_both};
use foldtrace_otf2_print::Otf2Print;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&Otf2Print, || piped(data)));
