//! Reports exhausted memory as an error.
//!
//! If the collections of the standard library get no memory, it prints a message and aborts, and `signals` turns
//! the abort into an exit code. Libraries that allocate by themselves panic instead; this module handles those.

use std::io::{self, Write};
use std::panic;

use crate::exit::INTERNAL;
use crate::signals;

/// Parts of the messages with which libraries panic if they get no memory.
const MESSAGES: [&str; 3] = [
    // arrow
    "failed to allocate memory",
    // zstd
    "returned null pointer when creating",
    // rayon, whose threads need memory for their stacks
    "The global thread pool has not been initialized",
];

/// Makes panics of libraries that get no memory end the process with an error.
pub fn install() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or_default();
        if MESSAGES.iter().any(|part| message.contains(part)) {
            signals::end(report, INTERNAL);
        } else {
            others(info);
        }
    }));
}

fn report() {
    let _ = writeln!(
        io::stderr(),
        "error: there is not enough memory, or too few threads are allowed\n  hint: fewer threads need less, such as RAYON_NUM_THREADS=1, \
         and so does a part of the trace"
    );
}
