//! Fuzzes the reader of Paraver traces. Each of the three files is a piece of the input.

#![no_main]

use std::cell::RefCell;

use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{PARAVER, mutate};
use foldtrace_fuzz::trace::read_both;
use foldtrace_paraver::Paraver;
use foldtrace_trace::Input;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(PARAVER));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let records = files.unpack(data).join(PARAVER[0]);
    read_both(&Paraver, || Input::Path(records.clone()));
}));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
