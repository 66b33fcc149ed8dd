//! Properties of processes.

use foldtrace_trace::{DefinitionKind, Minter, ValueType};

/// Adds a number as a property of a process.
pub fn process_number(minter: &mut Minter, process: u64, name: &str, number: u64) {
    let fields = [
        process,
        minter.string(name),
        ValueType::Uint64 as u64,
        number,
    ];
    minter.define(DefinitionKind::LocationGroupProperty, &fields, &[], "");
}
