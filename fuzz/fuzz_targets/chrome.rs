//! Fuzzes the reader of Chrome traces (JSON).

#![no_main]

use foldtrace_chrome::Chrome;
use foldtrace_fuzz::trace::{piped, read_both};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| read_both(&Chrome, || piped(data)));
