//! Plans the numbers of workers and rows with which a conversion stays within a limit of memory.
//!
//! Data that grows with the length of a trace is stored on disk; memory contains batches and rows of the locations
//! that are converted in parallel. Fewer rows and fewer locations at a time need less of it. Definitions and symbols
//! are not bounded by the limit: they are the distinct contents of a trace, however often it repeats them.

use foldtrace_trace::{ErrorKind, TraceError};
use rayon::ThreadPoolBuilder;

/// The bytes that a worker needs for any number of rows: a batch of events, a window of the input, encoders.
const WORKER: u64 = 8 << 20;

/// The bytes that a row needs until its row group is written: its columns, and their encoded form.
const ROW: u64 = 96;

/// The minimum number of rows per row group.
const MIN_ROWS: u64 = 1 << 14;

/// The minimum memory of one worker, in bytes.
pub const MIN_BYTES: u64 = WORKER + MIN_ROWS * ROW;

/// The number of workers, and the number of rows that each collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of locations that are converted in parallel.
    pub workers: usize,
    /// The number of rows per row group.
    pub rows: usize,
    /// The limit of memory in bytes, of which a part is used to collect mixed locations.
    pub bytes: u64,
}

impl Plan {
    /// Returns the plan that fits into `bytes` on a machine with this number of cores, with at most `max_rows` rows
    /// per row group.
    ///
    /// # Errors
    /// Returns an error if the memory is too small for a single worker.
    pub fn new(bytes: u64, cores: usize, max_rows: usize) -> Result<Self, TraceError> {
        if bytes < MIN_BYTES {
            let message = format!("{bytes} bytes of memory are not enough for a conversion");
            let hint = format!("at least {}M are needed", MIN_BYTES.div_ceil(1_000_000));
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
        let workers = (bytes / MIN_BYTES).min(cores.max(1) as u64);
        let rows = (bytes / workers - WORKER) / ROW;
        Ok(Self {
            workers: workers as usize,
            rows: rows.min(max_rows as u64) as usize,
            bytes,
        })
    }
}

/// Returns the maximum number of events that wait to be sorted by time; unlimited without a plan.
#[must_use]
pub fn waiting(plan: Option<Plan>) -> usize {
    plan.map_or(usize::MAX, |plan| plan.rows * plan.workers)
}

/// Runs `work` with the number of workers in `plan`, or with all workers without a plan.
///
/// # Errors
/// Returns an error if the work fails, or if no threads can be started.
pub fn bounded<T: Send>(
    plan: Option<Plan>,
    work: impl FnOnce() -> Result<T, TraceError> + Send,
) -> Result<T, TraceError> {
    let Some(plan) = plan else {
        return work();
    };
    let pool = ThreadPoolBuilder::new().num_threads(plan.workers).build();
    let pool = pool.map_err(|error| {
        let message = "threads cannot be started";
        let error = TraceError::new(ErrorKind::Internal, message).caused_by(error);
        error.hint("fewer threads need less memory, such as RAYON_NUM_THREADS=1; 'ulimit -u' may limit their number")
    })?;
    pool.install(work)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MAX_ROWS: usize = 1 << 20;

    #[test]
    fn less_memory_is_fewer_rows_then_fewer_workers() {
        let plan = |bytes, cores| Plan::new(bytes, cores, MAX_ROWS).unwrap();
        assert_eq!(plan(1 << 40, 64).workers, 64);
        assert_eq!(plan(1 << 40, 64).rows, MAX_ROWS);
        let few = plan(1 << 30, 64);
        assert_eq!(few.workers, 64);
        assert!((1 << 14..MAX_ROWS).contains(&few.rows));
        assert_eq!(plan(MIN_BYTES, 64).workers, 1);
        assert_eq!(plan(MIN_BYTES, 64).rows, 1 << 14);
        assert!(Plan::new(MIN_BYTES - 1, 64, MAX_ROWS).is_err());
        for bytes in (MIN_BYTES..1 << 30).step_by(7 << 20) {
            let Plan { workers, rows, .. } = plan(bytes, 16);
            assert!(workers as u64 * (WORKER + rows as u64 * ROW) <= bytes);
        }
    }
}
