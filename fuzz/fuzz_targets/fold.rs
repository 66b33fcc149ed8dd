//! Stores: each of their files is a piece of the input.

#![no_main]

use std::cell::RefCell;
use std::path::Path;

use foldtrace::fold::dag::Roles;
use foldtrace::store::{FoldFormat, StoreReader, verify};
use foldtrace_fuzz::files::Files;
use foldtrace_fuzz::pieces::{STORE, mutate};
use foldtrace_fuzz::trace::read_both;
use foldtrace_trace::Input;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

thread_local! {
    static FILES: RefCell<Files> = RefCell::new(Files::new(STORE));
}

fuzz_target!(|data: &[u8]| FILES.with_borrow_mut(|files| {
    let store = files.unpack(data);
    read_both(&FoldFormat, || Input::Path(store.to_owned()));
    let _ = verify(store);
    expand_dag(store);
}));

/// Reads the DAG and expands it, as far as is bearable: damaged repetitions may stand for anything.
fn expand_dag(store: &Path) {
    const EVENTS: usize = 1 << 12;
    let Ok(reader) = StoreReader::open(store) else {
        return;
    };
    if let Ok(Some(dag)) = reader.dag() {
        let roles = Roles::of(reader.symbols());
        for &root in &dag.roots {
            dag.events(root, &roles).take(EVENTS).for_each(drop);
        }
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(&mut data[..max_size], size, seed, fuzzer_mutate)
});
