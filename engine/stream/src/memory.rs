//! How much memory the buffers of a conversion may have, and what follows from that.
//!
//! What grows with the length of a trace waits on disk; what waits in memory are batches and rows of
//! the locations that are converted side by side. Fewer rows at a time and fewer locations at a time
//! need less of it. What is not bounded by this are definitions and symbols: they are what a trace has to
//! say, however often it repeats it.

use foldtrace_trace::{ErrorKind, TraceError};
use rayon::ThreadPoolBuilder;

/// Bytes that a worker needs whatever its rows: a batch of events, a window of the input, encoders.
const WORKER: u64 = 8 << 20;

/// Bytes that a row needs until its row group is written: its columns, and those encoded.
const ROW: u64 = 96;

/// Fewer rows a row group than this are not worth a row group.
const FEWEST_ROWS: u64 = 1 << 14;

/// The least that one worker can do with.
pub const LEAST: u64 = WORKER + FEWEST_ROWS * ROW;

/// How many workers there are, and how many rows each collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Locations that are converted side by side.
    pub workers: usize,
    /// Rows of a row group.
    pub rows: usize,
    /// Bytes for what is collected of mixed locations.
    pub bytes: u64,
}

impl Plan {
    /// What fits into `bytes` on a machine with so many cores, with at most `most_rows` rows in a row group.
    ///
    /// # Errors
    /// If not even one worker fits.
    pub fn new(bytes: u64, cores: usize, most_rows: usize) -> Result<Self, TraceError> {
        if bytes < LEAST {
            let message = format!("{bytes} bytes of memory are too few to convert anything");
            let hint = format!("at least {}M are needed", LEAST.div_ceil(1_000_000));
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
        let workers = (bytes / LEAST).min(cores.max(1) as u64);
        let rows = (bytes / workers - WORKER) / ROW;
        Ok(Self {
            workers: workers as usize,
            rows: rows.min(most_rows as u64) as usize,
            bytes,
        })
    }
}

/// Events that may wait in the order of time; as many as are useful where nothing is planned.
#[must_use]
pub fn waiting(plan: Option<Plan>) -> usize {
    plan.map_or(usize::MAX, |plan| plan.rows * plan.workers)
}

/// Does `work` with as many workers as `plan` has, or with all there are.
///
/// # Errors
/// That of the work, or if no threads can be had.
pub fn bounded<T: Send>(
    plan: Option<Plan>,
    work: impl FnOnce() -> Result<T, TraceError> + Send,
) -> Result<T, TraceError> {
    let Some(plan) = plan else {
        return work();
    };
    let pool = ThreadPoolBuilder::new().num_threads(plan.workers).build();
    let pool = pool.map_err(|error| {
        TraceError::new(ErrorKind::Internal, "no threads can be started").caused_by(error)
    })?;
    pool.install(work)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MOST_ROWS: usize = 1 << 20;

    #[test]
    fn less_memory_is_fewer_rows_then_fewer_workers() {
        let plan = |bytes, cores| Plan::new(bytes, cores, MOST_ROWS).unwrap();
        assert_eq!(plan(1 << 40, 64).workers, 64);
        assert_eq!(plan(1 << 40, 64).rows, MOST_ROWS);
        let few = plan(1 << 30, 64);
        assert_eq!(few.workers, 64);
        assert!((1 << 14..MOST_ROWS).contains(&few.rows));
        assert_eq!(plan(LEAST, 64).workers, 1);
        assert_eq!(plan(LEAST, 64).rows, 1 << 14);
        assert!(Plan::new(LEAST - 1, 64, MOST_ROWS).is_err());
        for bytes in (LEAST..1 << 30).step_by(7 << 20) {
            let Plan { workers, rows, .. } = plan(bytes, 16);
            assert!(workers as u64 * (WORKER + rows as u64 * ROW) <= bytes);
        }
    }
}
