//! Handles signals: a signal ends every command soon, whatever the command is doing.
//!
//! A signal sets a flag that long work checks before each batch, so that the work stops cleanly. Some work has no
//! batches, or never reaches the next one. If the work has not stopped after a short time, the thread that
//! waits for signals removes unfinished output and ends the process itself.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use foldtrace_output::has_appeared;
use foldtrace_stream::read::Progress;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use crate::exit::{INTERNAL, INTERRUPTED};
use crate::host;

/// The time that work has to stop cleanly.
const GRACE: Duration = Duration::from_millis(400);

/// The stack size of the thread that waits for signals. It is small because users may limit memory.
const STACK: usize = 1 << 18;

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether a thread has begun to report the outcome and to end the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Starts to handle signals: from now on, a signal stops the work.
pub fn install() {
    // If memory runs out, the standard library prints a message and aborts. That should not dump core, but be an
    // error with an exit code like any other.
    let always = Arc::new(AtomicBool::new(true));
    let _ = flag::register_conditional_shutdown(SIGABRT, i32::from(INTERNAL), always);
    // If the handlers or the thread cannot be created, signals end the process at once. That is safe: no output
    // has its final name yet, and the next writer removes unfinished files.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    let watch = move || {
        if signals.forever().next().is_some() {
            STOP.store(true, Ordering::Relaxed);
            thread::sleep(GRACE);
            if has_appeared() {
                // The output is complete; the work only has to remove the replaced output and report the outcome.
                thread::sleep(GRACE);
            }
            end(report, INTERRUPTED);
        }
    };
    let thread = thread::Builder::new().name("signals".to_owned());
    let _ = thread.stack_size(STACK).spawn(watch);
}

/// Returns the flag that a signal sets, or the host of the subcommand.
#[must_use]
pub fn stop() -> Arc<AtomicBool> {
    host::stop().unwrap_or_else(|| Arc::clone(&STOP))
}

/// Creates the progress of work that a signal stops at its next step.
pub fn progress() -> Progress {
    Progress {
        stop: stop(),
        ..Progress::default()
    }
}

/// Returns whether a signal has arrived.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Marks the work as over, before its outcome is reported. Does not return if the thread that waits for signals is
/// already ending the process, since only one thread may report.
pub fn work_is_over() {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        loop {
            // The thread that waits for signals ends the process.
            thread::park();
        }
    }
}

/// Ends the process with `code` while work is still running, unless the outcome is already being reported.
/// Removes unfinished outputs, then calls `report`.
pub fn end(report: impl FnOnce(), code: u8) {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        return;
    }
    foldtrace_output::abandon(|| {
        report();
        // Not `std::process::exit`: its exit handlers release state that running threads still use.
        signal_hook::low_level::exit(i32::from(code))
    })
}

/// Prints the error message of a command that was stopped by a signal.
pub fn report() {
    let written = if has_appeared() {
        "the output is complete"
    } else {
        "nothing was written"
    };
    let _ = writeln!(io::stderr(), "error: stopped; {written}");
}
