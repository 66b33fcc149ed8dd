//! Fuzzes the reader of time-independent traces, with all actions in one file.

#![no_main]

use foldtrace_fuzz::trace::{piped, read_both};
use foldtrace_ti::TimeIndependent;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&TimeIndependent, || piped(data)));
