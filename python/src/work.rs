//! Runs work of the library: without Python's lock, on threads of this process, until it is done or Ctrl-C.

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{mem, panic, process, thread};

use foldtrace::read::Progress;
use foldtrace::trace::{ErrorKind, TraceError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::exception;

/// The time between two looks at signals.
const BETWEEN: Duration = Duration::from_millis(50);

/// The threads of a process, with its id.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns the threads of this process. A fork has none of the threads of its parent, so it starts its own.
fn pool() -> Result<Arc<ThreadPool>, TraceError> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*pool
        && *process == process::id()
    {
        return Ok(Arc::clone(pool));
    }
    let own = ThreadPoolBuilder::new().build().map_err(|error| {
        TraceError::new(ErrorKind::Internal, "threads cannot be started").caused_by(error)
    })?;
    let own = Arc::new(own);
    // Ending the threads of the parent would wait for them.
    mem::forget(pool.replace((process::id(), Arc::clone(&own))));
    Ok(own)
}

/// Runs work that is short on the threads of this process.
///
/// # Errors
/// Returns the error of the work, or an error if threads cannot be started.
pub fn on_threads<T: Send>(
    work: impl FnOnce() -> Result<T, TraceError> + Send,
) -> Result<T, TraceError> {
    pool()?.install(work)
}

/// Returns the name of a file or folder, for people.
pub fn name_of(path: &Path) -> Cow<'_, str> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy()
}

/// Runs work that may be long, shows how far it is with a line that begins with `what`, and stops the work if a signal has
/// raised an exception. `total` is what the work counts up to in the bytes of its progress; 0 if that is not known.
///
/// # Errors
/// Returns the exception of the work or of a signal.
pub fn watched<T: Send>(
    py: Python<'_>,
    what: &str,
    total: &AtomicU64,
    work: impl FnOnce(&Progress) -> Result<T, TraceError> + Send,
) -> PyResult<T> {
    let class = py.import("foldtrace._progress")?.getattr("Line")?;
    let line = class.call1((what,))?;
    let report = |progress: &Progress| {
        let counts = [&progress.events, &progress.bytes, total];
        let [events, done, total] = counts.map(|count| count.load(Ordering::Relaxed));
        line.call_method1("update", (events, done, total)).map(drop)
    };
    let result = interruptible(py, report, work);
    line.call_method0("close")?;
    result
}

/// Runs work that may be long, calls `report` with its progress every now and then, and stops the work if a signal has raised
/// an exception.
///
/// # Errors
/// Returns the exception of the work, of a signal, or of `report`.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    mut report: impl FnMut(&Progress) -> PyResult<()>,
    work: impl FnOnce(&Progress) -> Result<T, TraceError> + Send,
) -> PyResult<T> {
    let progress = Progress::default();
    let (done, waiting) = mpsc::channel::<()>();
    let waiting = Mutex::new(waiting);
    let goes_on = || {
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.recv_timeout(BETWEEN) == Err(RecvTimeoutError::Timeout)
    };
    let (result, stopped) = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _done = done;
            on_threads(|| work(&progress))
        });
        let mut stopped = Ok(());
        while py.detach(goes_on) {
            if stopped.is_ok() {
                stopped = py.check_signals().and_then(|()| report(&progress));
                progress.stop.store(stopped.is_err(), Ordering::Relaxed);
            }
        }
        (worker.join(), stopped)
    });
    let result = result.unwrap_or_else(|payload| panic::resume_unwind(payload));
    stopped?;
    result.map_err(|error| exception(py, &error))
}
