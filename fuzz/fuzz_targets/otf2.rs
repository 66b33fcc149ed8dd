//! Fuzzes the reader of OTF2 archives. Each file of the archive is a piece of the input.

#![no_main]

use std::cell::RefCell;

use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{ARCHIVE, mutate};
use foldtrace_fuzz::trace::read_both;
use foldtrace_otf2::Otf2;
use foldtrace_trace::Input;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(ARCHIVE));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let anchor = files.unpack(data).join(ARCHIVE[0]);
    read_both(&Otf2, || Input::Path(anchor.clone()));
}));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
