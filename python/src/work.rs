//! Runs work of the library: without Python's lock, on threads of this process, until it is done or Ctrl-C.

use std::sync::atomic::Ordering;
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
