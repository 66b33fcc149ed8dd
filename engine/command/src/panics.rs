//! Ends the process after a panic, which is an error of foldtrace itself or exhausted memory.
//!
//! If the collections of the standard library get no memory, it prints a message and aborts, and `signals` turns
//! the abort into an exit code. Libraries that allocate by themselves panic instead; this module tells what that means.

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

/// Makes a panic in any thread remove unfinished outputs and end the process.
pub fn install() {
    let print_panic = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or_default();
        let exhausted = MESSAGES.iter().find(|(part, _)| message.contains(part));
        let report = || match exhausted {
            Some((_, what)) => report_exhausted(what),
            None => print_panic(info),
        };
        signals::end(report, INTERNAL);
    }));
}

fn report_exhausted(what: &str) {
    let _ = writeln!(
        io::stderr(),
        "error: {what}\n  hint: fewer threads need less, such as RAYON_NUM_THREADS=1, \
         and so does a part of the trace"
    );
}
