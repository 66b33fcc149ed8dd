//! Progress on long work, and Ctrl-C.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use foldtrace::read::Progress;
use foldtrace::store::StoreReader;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::Context;
use super::output::{grouped, stderr_is_terminal};

/// Work that takes less than this shows no bar.
const SHORT: Duration = Duration::from_millis(100);
/// Time between two looks at the work.
const BETWEEN: Duration = Duration::from_millis(50);

/// Work on stores: shown where a person looks, and stopped by signals.
pub struct Work {
    pub progress: Progress,
    quiet: bool,
}

impl Work {
    /// From here on, signals stop the work at its next step.
    pub fn new(context: Context) -> Self {
        let progress = Progress::default();
        heed_signals(&progress);
        Self {
            progress,
            quiet: context.quiet,
        }
    }

    /// Reads all of a store.
    pub fn watch<T>(&self, store: &StoreReader, read: impl FnOnce(&Progress) -> T) -> T {
        let progress = self.progress.beside();
        let total = store.manifest().counts.events;
        watch(&progress, store.path(), total, self.quiet, || {
            read(&progress)
        })
    }
}

/// From here on, a signal stops the work at its next step, so that nothing is left half-written. To
/// be called before any output is begun; before that, a signal ends the program at once.
pub fn heed_signals(progress: &Progress) {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Without a handler the signal ends the program at once, which a store survives too.
        let _ = signal_hook::flag::register(signal, Arc::clone(&progress.stop));
    }
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
    let (done, waiting) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| show(what, total, progress, waiting));
        let result = work();
        drop(done);
        result
    })
}

/// Shows a bar until the other end of the channel is gone.
fn show(what: &Path, total: u64, progress: &Progress, work: Receiver<()>) {
    let goes_on = |time| work.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(SHORT) {
        return;
    }
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
    loop {
        bar.set_position(progress.bytes.load(Ordering::Relaxed));
        bar.set_message(match progress.events.load(Ordering::Relaxed) {
            0 => "opening".to_owned(),
            events => format!("{} events", grouped(events)),
        });
        if !goes_on(BETWEEN) {
            break;
        }
    }
    bar.finish_and_clear();
}
