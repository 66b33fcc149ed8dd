//! Follows wait states back from the end of a trace.

use foldtrace_trace::{LocationId, Position, Timestamp, TraceError};

use crate::rows::RowReader;

/// A part of the critical path: one location is active, and all that wait do so for this path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The location.
    pub location: LocationId,
    /// The corrected time at which the segment begins: the location has waited until then.
    pub begin: Timestamp,
    /// The corrected time at which it ends.
    pub end: Timestamp,
    /// The position at which the location enters the call in which it has waited; `None` for the first segment.
    pub waited: Option<Position>,
    /// The position at which the location enters the call for which the location of the next segment waits; `None` for the
    /// last segment.
    pub released: Option<Position>,
}

impl Segment {
    /// Returns its length in ticks.
    #[must_use]
    pub const fn ticks(&self) -> u64 {
        self.end.0 - self.begin.0
    }
}

/// A receiver of the segments of the critical path.
pub trait Sink {
    /// Takes a segment; the last one of the path comes first.
    ///
    /// # Errors
    /// Returns an error if the sink cannot keep it; this ends the work.
    fn segment(&mut self, segment: &Segment) -> Result<(), TraceError>;
}

/// A sink that discards everything, for callers that only need the sums.
impl Sink for () {
    fn segment(&mut self, _: &Segment) -> Result<(), TraceError> {
        Ok(())
    }
}

impl Sink for Vec<Segment> {
    fn segment(&mut self, segment: &Segment) -> Result<(), TraceError> {
        self.push(*segment);
        Ok(())
    }
}

/// A wait state, as far as the path needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    /// The position at which the location enters the call in which it waits.
    pub position: u64,
    /// The time at which it waits no longer.
    pub end: u64,
    /// The number of the location that it waits for.
    pub late: usize,
    /// The position at which that location enters the call that ends the waiting.
    pub late_position: u64,
}

impl Waited {
    /// The numbers of a row.
    pub const NUMBERS: usize = 4;

    /// Returns the row, by the position.
    pub const fn row(self) -> [u64; Self::NUMBERS] {
        let late = self.late as u64;
        [self.position, self.end, late, self.late_position]
    }

    const fn from_row([position, end, late, late_position]: [u64; Self::NUMBERS]) -> Self {
        Self {
            position,
            end,
            late: late as usize,
            late_position,
        }
    }
}

/// The end of the critical path, from which it is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEnd {
    /// The number of the location that ends last.
    pub lane: usize,
    /// The times at which the path begins and ends.
    pub begin: u64,
    pub end: u64,
}

/// Follows the wait states of all locations back from the end. Passes each segment on, with the number of its location; the
/// last one comes first.
///
/// Before a location has waited, it depends on nobody. When it ends to wait, it depends on the call that ended the waiting,
/// and on what the other location did before.
pub(crate) fn follow(
    waits: &mut [RowReader<{ Waited::NUMBERS }>],
    locations: &[LocationId],
    from: PathEnd,
    mut pass: impl FnMut(usize, &Segment) -> Result<(), TraceError>,
) -> Result<(), TraceError> {
    let PathEnd {
        mut lane,
        begin,
        mut end,
    } = from;
    let mut released = None;
    loop {
        let waited = last_before(&mut waits[lane], released.unwrap_or(u64::MAX))?;
        // A call that ends to wait later than it is left follows clocks that contradict each other.
        let start = waited.map_or(begin, |waited| waited.end).min(end);
        let segment = Segment {
            location: locations[lane],
            begin: Timestamp(start),
            end: Timestamp(end),
            waited: waited.map(|waited| Position(waited.position)),
            released: released.map(Position),
        };
        pass(lane, &segment)?;
        let Some(waited) = waited else {
            return Ok(());
        };
        lane = waited.late;
        released = Some(waited.late_position);
        end = start;
    }
}

/// Returns the last wait state of a location before a position. All behind it are passed over: the path never comes back to
/// them.
fn last_before(
    waits: &mut RowReader<{ Waited::NUMBERS }>,
    position: u64,
) -> Result<Option<Waited>, TraceError> {
    while let Some(row) = waits.next()? {
        let waited = Waited::from_row(row);
        if waited.position < position {
            return Ok(Some(waited));
        }
    }
    Ok(None)
}
