//! Fuzzes the reader of traces of PyTorch's profiler. Each file of a folder is a piece of the input.

#![no_main]

use std::cell::RefCell;

use foldtrace_chrome::Kineto;
use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{KINETO, mutate};
use foldtrace_fuzz::trace::read_both;
use foldtrace_trace::Input;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(KINETO));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let folder = files.unpack(data).to_owned();
    read_both(&Kineto, || Input::Path(folder.clone()));
}));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
