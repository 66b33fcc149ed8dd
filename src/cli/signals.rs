//! Signals: every command ends soon after one, whatever it is doing.
//!
//! A signal sets a flag that long work looks at for each batch, so that it ends in order. A thread beside it
//! waits for that, but not for long: some work has no batches, or never gets to the next one. Then the
//! thread itself removes what is unfinished and ends the process.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use foldtrace::read::Progress;
use foldtrace_output::has_appeared;
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use super::report::{INTERNAL, INTERRUPTED};

/// How long work may take to end in order.
const GRACE: Duration = Duration::from_millis(400);

/// Memory of the thread, which users may limit.
const STACK: usize = 1 << 18;

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether a thread reports how the work ended and ends the process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// From here on, signals end the work.
pub fn heed() {
    // Without memory the standard library says so and aborts. That is no crash to be dumped, but an error
    // with an exit code as others have.
    let always = Arc::new(AtomicBool::new(true));
    let _ = flag::register_conditional_shutdown(SIGABRT, i32::from(INTERNAL), always);
    // Without a handler, or without the thread, signals end the process at once. No output has its name
    // by then, and what was unfinished is removed by the next writer.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    let watch = move || {
        if signals.forever().next().is_some() {
            STOP.store(true, Ordering::Relaxed);
            thread::sleep(GRACE);
            if has_appeared() {
                // What is left to do is to remove what was replaced, and to say so.
                thread::sleep(GRACE);
            }
            end();
        }
    };
    let thread = thread::Builder::new().name("signals".to_owned());
    let _ = thread.stack_size(STACK).spawn(watch);
}

/// The flag that a signal sets.
pub fn stop() -> &'static Arc<AtomicBool> {
    &STOP
}

/// Progress of work that a signal stops at its next step.
pub fn progress() -> Progress {
    Progress {
        stop: Arc::clone(stop()),
        ..Progress::default()
    }
}

/// Whether a signal has come.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The work is over, and what comes of it is reported; only one thread does so.
pub fn work_is_over() {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        loop {
            // The other thread ends the process.
            thread::park();
        }
    }
}

/// Ends the process although it works.
fn end() {
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        return;
    }
    foldtrace_output::abandon(|| {
        report();
        // Not `std::process::exit`, which runs what threads that are still at work depend on.
        signal_hook::low_level::exit(i32::from(INTERRUPTED))
    })
}

/// Reports that a signal ended the work.
pub fn report() {
    let written = if has_appeared() {
        "the output is complete"
    } else {
        "nothing was written"
    };
    let _ = writeln!(io::stderr(), "error: stopped; {written}");
}
