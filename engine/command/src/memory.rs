//! Reports exhausted memory as an error.
//!
//! If the collections of the standard library get no memory, it prints a message and aborts, and `signals` turns
//! the abort into an exit code. Libraries that allocate by themselves panic instead; this module handles those.

use std::io::{self, Write};
use std::panic;

use crate::exit::INTERNAL;
use crate::signals;

const NO_MEMORY: &str = "there is not enough memory";
const NO_THREADS: &str =
    "threads cannot be started: there is not enough memory, or too few threads are allowed";

/// Parts of the messages with which libraries panic if they get no memory, and what has happened.
const MESSAGES: [(&str, &str); 3] = [
    // arrow
    ("failed to allocate memory", NO_MEMORY),
    // zstd
    ("returned null pointer when creating", NO_MEMORY),
    // rayon, whose threads need memory for their stacks
    (
        "The global thread pool has not been initialized",
        NO_THREADS,
    ),
];

/// Makes panics of libraries that get no memory end the process with an error.
pub fn install() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or_default();
        match MESSAGES.iter().find(|(part, _)| message.contains(part)) {
            Some((_, what)) => signals::end(|| report(what), INTERNAL),
            None => others(info),
        }
    }));
}

fn report(what: &str) {
    let _ = writeln!(
        io::stderr(),
        "error: {what}\n  hint: fewer threads need less, such as RAYON_NUM_THREADS=1, \
         and so does a part of the trace"
    );
}
