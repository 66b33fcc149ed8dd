//! Shows the progress of long work.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{grouped, stderr_is_terminal};
use crate::{Context, signals};

/// The minimum duration of work that shows a bar.
const SHORT: Duration = Duration::from_millis(100);
/// The time between two updates of the bar.
const BETWEEN: Duration = Duration::from_millis(50);

/// Work on stores, which shows a bar in a terminal and is stopped by signals.
pub struct Work {
    /// The progress that the work reports to, and that can stop it.
    pub progress: Progress,
    /// The context of the subcommand.
    pub context: Context,
}

impl Work {
    /// Creates work that shows a bar unless the command is quiet.
    #[must_use]
    pub fn new(context: Context) -> Self {
        Self {
            progress: signals::progress(),
            context,
        }
    }

    /// Runs `read`, which reads a whole store, and shows its progress.
    pub fn watch<T>(&self, store: &StoreReader, read: impl FnOnce(&Progress) -> T) -> T {
        let progress = self.progress.beside();
        let total = store.manifest().counts.events;
        watch(&progress, store.path(), total, self.context.quiet, || {
            read(&progress)
        })
    }
}

/// Runs `work`, which reports to `progress`, and meanwhile shows a bar if standard error is a terminal.
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

/// Shows a bar until the other end of the channel is dropped.
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
