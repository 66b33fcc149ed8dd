//! The division of time into buckets, the same for all locations.

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Position, Timestamp, TraceError};

/// The number of buckets of a level that form one bucket of the next level.
pub(super) const BRANCHES: u64 = 4;

/// The least number of events of a location, on average, in a bucket of the finest level: so the table takes one or two
/// hundredths of the store.
const EVENTS: u64 = 1500;

/// The greatest number of buckets of a level, as a power of 2. It bounds the rows of a location, whatever its length.
const MOST_BITS: u32 = 16;

/// Buckets of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The time at which the first bucket starts.
    origin: u64,
    /// The ticks of a bucket.
    width: u64,
    /// The index of the last bucket.
    last: u64,
    /// The number of levels.
    levels: u32,
}

impl Buckets {
    /// Divides the time from `begin` to `end`, which is not in it, into at most `most` buckets of one level.
    #[must_use]
    pub fn of_range(begin: Timestamp, end: Timestamp, most: u64) -> Self {
        let ticks = end.0.saturating_sub(begin.0).max(1);
        let width = ticks.div_ceil(most.max(1));
        Self {
            origin: begin.0,
            width,
            last: (ticks - 1) / width,
            levels: 1,
        }
    }

    /// Divides the time between two events into a power of 2 of buckets, at most `most`. The last level has one or two.
    pub(super) fn new(span: (Timestamp, Timestamp), most: u64) -> Self {
        let bits = most.max(1).ilog2().min(MOST_BITS);
        let count = 1 << bits;
        let (Timestamp(first), Timestamp(last)) = span;
        Self {
            origin: first,
            width: (last.saturating_sub(first) / count).saturating_add(1),
            last: count - 1,
            levels: bits / BRANCHES.ilog2() + 1,
        }
    }

    /// Divides the time of a store into at most `most` buckets in all locations together; the usual number is proportional to
    /// that of the events.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub(super) fn of(
        store: &StoreReader,
        most: Option<u64>,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let span = match store.time_span()? {
            Some(span) => Some(span),
            None => span_of_events(store, progress)?,
        };
        let locations = store.locations().count() as u64;
        let most = most.unwrap_or(store.manifest().counts.events / EVENTS);
        Ok(Self::new(span.unwrap_or_default(), most / locations.max(1)))
    }

    /// Returns the ticks of a bucket of the finest level.
    #[must_use]
    pub const fn width(&self) -> u64 {
        self.width
    }

    /// Returns the number of levels.
    pub(super) const fn levels(&self) -> u32 {
        self.levels
    }

    /// Returns the bucket of a time. Times before the first bucket or after the last one are in these.
    pub(super) fn of_time(&self, time: u64) -> u64 {
        (time.saturating_sub(self.origin) / self.width).min(self.last)
    }

    /// Returns the time at which a bucket starts.
    pub(super) fn start(&self, bucket: u64) -> u64 {
        self.origin
            .saturating_add(bucket.saturating_mul(self.width))
    }

    /// Returns the last time in a bucket.
    pub(super) fn last_time(&self, bucket: u64) -> u64 {
        if bucket == self.last {
            u64::MAX
        } else {
            self.start(bucket + 1) - 1
        }
    }
}

/// Returns the least and the greatest time of all events, which are read.
fn span_of_events(
    store: &StoreReader,
    progress: &Progress,
) -> Result<Option<(Timestamp, Timestamp)>, TraceError> {
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let mut span: Option<(Timestamp, Timestamp)> = None;
    for location in store.locations() {
        let mut stream = store.events(location, Position(0));
        loop {
            progress.check()?;
            stream.next_times(&mut symbols, &mut times)?;
            if times.is_empty() {
                break;
            }
            for &time in &times {
                let (first, last) = span.unwrap_or((time, time));
                span = Some((first.min(time), last.max(time)));
            }
        }
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_buckets_is_a_power_of_two() {
        let buckets = |most| Buckets::new((Timestamp(100), Timestamp(1_123)), most);
        assert_eq!((buckets(0).last, buckets(0).levels), (0, 1));
        assert_eq!((buckets(3).last, buckets(3).levels), (1, 1));
        assert_eq!((buckets(4).last, buckets(4).levels), (3, 2));
        assert_eq!((buckets(200).last, buckets(200).levels), (127, 4));
        assert_eq!(buckets(u64::MAX).last, 65_535);
    }

    #[test]
    fn buckets_of_a_range_cover_it() {
        let of_range = |end, most| Buckets::of_range(Timestamp(100), Timestamp(end), most);
        for (end, most, width, last) in [(1_100, 512, 2, 499), (1_100, 3, 334, 2), (100, 8, 1, 0)] {
            let buckets = of_range(end, most);
            assert_eq!(
                (buckets.width, buckets.last, buckets.levels),
                (width, last, 1)
            );
            assert!(buckets.start(last + 1) >= end);
        }
    }

    #[test]
    fn each_time_is_in_one_bucket() {
        let buckets = Buckets::new((Timestamp(100), Timestamp(1_123)), 16);
        assert_eq!((buckets.width, buckets.last), (64, 15));
        for time in [0, 100, 163, 164, 1_059, 1_060, 1_123, u64::MAX] {
            let bucket = buckets.of_time(time);
            assert!(time <= buckets.last_time(bucket), "{time}");
            assert!(time >= buckets.start(bucket) || bucket == 0, "{time}");
        }
        assert_eq!((buckets.of_time(163), buckets.of_time(164)), (0, 1));
        let whole = Buckets::new((Timestamp(0), Timestamp(u64::MAX)), 4);
        assert_eq!((whole.of_time(u64::MAX), whole.last_time(3)), (3, u64::MAX));
    }
}
