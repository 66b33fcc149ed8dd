//! Fuzzes the reader of stores. Each file of the store is a piece of the input.
//!
//! Hashes are recomputed, because the reader rejects files whose hashes do not match.

#![no_main]

use std::cell::RefCell;

use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{STORE, mutate};
use foldtrace_fuzz::seal::seal;
use foldtrace_fuzz::stores::read;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(STORE));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let store = files.unpack(data);
    seal(store, |_| {});
    read(store);
}));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
