//! Measures the search for wait states in real traces on one core, without and with the correction of clocks; the floor is libotf2 with callbacks
//! that only count.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use foldtrace_bench::measure_corrected;
use foldtrace_waits::{Options, find};

fn main() {
    measure_corrected("wait states", |store, correction, progress| {
        let found = find(store, correction, Options::default(), progress, &mut ());
        black_box(found.unwrap());
    });
}
