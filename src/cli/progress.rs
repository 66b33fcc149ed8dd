//! Progress on long work, and Ctrl-C.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use foldtrace::read::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::output::{grouped, stderr_is_terminal};

/// A progress that a signal stops at its next step, so that nothing is left half-written. To be
/// called before any output is begun.
pub fn interruptible() -> Progress {
    let progress = Progress::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Without a handler the signal ends the program at once, which a store survives too.
        let _ = signal_hook::flag::register(signal, Arc::clone(&progress.stop));
    }
    progress
}

/// Runs `work`, which reports to `progress`, and shows a bar meanwhile when a person looks.
pub fn watch<T>(
    progress: &Progress,
    what: &Path,
    total: u64,
    quiet: bool,
    work: impl FnOnce() -> T,
) -> T {
    if quiet || !stderr_is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| show(what, total, progress, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn show(what: &Path, total: u64, progress: &Progress, done: &AtomicBool) {
    let bar = if total > 0 {
        ProgressBar::new(total)
    } else {
        ProgressBar::new_spinner()
    };
    let template = if total > 0 {
        "{prefix}  {wide_bar} {percent:>3} %  {msg}  {eta}"
    } else {
        "{prefix}  {spinner}  {msg}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let name = what.file_name().unwrap_or(what.as_os_str());
    bar.set_prefix(name.to_string_lossy().into_owned());
    while !done.load(Ordering::Relaxed) {
        bar.set_position(progress.bytes.load(Ordering::Relaxed));
        let events = progress.events.load(Ordering::Relaxed);
        bar.set_message(format!("{} events", grouped(events)));
        thread::sleep(Duration::from_millis(50));
    }
    bar.finish_and_clear();
}
