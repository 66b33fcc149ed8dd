//! Measures efficiencies of real traces on one core, without and with the correction of clocks; the floor is libotf2 with callbacks
//! that only count.
#![allow(missing_docs)]

use std::hint::black_box;

use foldtrace_bench::measure_corrected;
use foldtrace_efficiency::find;

fn main() {
    measure_corrected("efficiencies", |store, correction, progress| {
        // A trace without MPI has no efficiencies.
        drop(black_box(find(store, correction, progress, &mut ())));
    });
}
