//! Measures the critical path of real traces on one core, without and with the correction of clocks; the floor is libotf2 with callbacks
//! that only count.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use foldtrace_bench::measure_corrected;
use foldtrace_critical::find;

fn main() {
    measure_corrected("the critical path", |store, correction, progress| {
        black_box(find(store, correction, progress, &mut ()).unwrap());
    });
}
