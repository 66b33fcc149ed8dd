//! Fuzzes the reader of traces of CTF. The metadata and two streams are pieces of the input.

#![no_main]

use std::cell::RefCell;

use foldtrace_ctf::Ctf;
use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{CTF, mutate};
use foldtrace_fuzz::trace::read_both;
use foldtrace_trace::Input;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(CTF));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let folder = files.unpack(data).to_owned();
    read_both(&Ctf, || Input::Path(folder.clone()));
}));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
