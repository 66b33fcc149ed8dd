//! Fuzzes the reader of rocpd databases.

#![no_main]

use std::fs;

use foldtrace_fuzz::database::DatabaseFile;
use foldtrace_fuzz::trace::read_both;
use foldtrace_rocpd::Rocpd;
use foldtrace_trace::Input;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static FILE: DatabaseFile = DatabaseFile::default();
}

fuzz_target!(|data: &[u8]| FILE.with(|file| {
    let path = file.write(data);
    read_both(&Rocpd, || Input::Path(path.clone()));
    assert!(fs::read(&path).unwrap() == data, "the database has changed");
}));
