//! Finds a time in the events of a location, using the statistics of the column of times.
//!
//! Times may decrease, so a binary search is impossible. The result is the first event at or after a time: row groups
//! and pages whose greatest time is less are skipped by their statistics, and only the remaining pages are decoded.

use std::ops::Range;
use std::sync::Arc;

use foldtrace_trace::{Position, Timestamp, TraceError};
use parquet::data_type::Int64Type;
use parquet::file::statistics::Statistics;

use super::part_tables::{Column, PageIndex, PartTables, RowGroup};
use super::rows::EventTables;
use super::source::EventSource;
use crate::error::wrong;
use crate::folder::Form;
use crate::index::Segment;
use crate::schema::{QUANTITY, TIME};
use crate::tables::column_index;

/// A search for times in a store.
pub(crate) struct TimeSeek<'a> {
    source: &'a EventSource,
    quantities: PartTables,
}

impl<'a> TimeSeek<'a> {
    pub fn new(source: &'a EventSource) -> Self {
        Self {
            source,
            quantities: source.part_tables(QUANTITY),
        }
    }

    /// Returns the first position at or after `from` with an event at or after `time`, or the end of the last segment
    /// if there is none. `segments` are consecutive segments of one location.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn first(
        &mut self,
        segments: &[Segment],
        from: Position,
        time: Timestamp,
    ) -> Result<Position, TraceError> {
        for segment in segments.iter().filter(|segment| segment.end() > from) {
            let skip = from.0.saturating_sub(segment.first.0);
            let first_row = u64::from(segment.row);
            let rows = first_row + skip..first_row + segment.events;
            if let Some(row) = self.first_row(segment, rows, time)? {
                return Ok(Position(segment.first.0 + row - first_row));
            }
        }
        Ok(segments.last().map_or(from, Segment::end).max(from))
    }

    /// Returns the first of `rows` of a segment with a time of at least `time`.
    fn first_row(
        &mut self,
        segment: &Segment,
        rows: Range<u64>,
        time: Timestamp,
    ) -> Result<Option<u64>, TraceError> {
        if self.source.form() == Form::Archive {
            return self.first_decoded(segment, rows, time);
        }
        let table = self.quantities.part(segment.part)?;
        table.check_rows(segment)?;
        let Some(footer) = table.row_groups().get(segment.row_group as usize) else {
            let message = format!("row group {} is missing", segment.row_group);
            return Err(wrong(table.path(), &message));
        };
        let times = column_index(footer, TIME).map(|time| footer.column(time));
        let statistics = times.and_then(|times| times.statistics());
        if greatest(statistics).is_some_and(|greatest| greatest < time) {
            return Ok(None);
        }
        let row_group = table.row_group(segment.row_group, PageIndex::Values)?;
        for page in row_group.pages(TIME) {
            let page_rows = page.rows.start.max(rows.start)..page.rows.end.min(rows.end);
            let is_earlier = page.greatest.is_some_and(|most| most < time.0);
            if page_rows.is_empty() || is_earlier {
                continue;
            }
            if let Some(row) = search(&row_group, page_rows, time)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Does the same as [`TimeSeek::first_row`] in an archive, which has no statistics.
    fn first_decoded(
        &self,
        segment: &Segment,
        rows: Range<u64>,
        time: Timestamp,
    ) -> Result<Option<u64>, TraceError> {
        let decoded = EventTables::new(self.source).decode(segment)?;
        let from = (rows.start - u64::from(segment.row)) as usize;
        let mut times = decoded.times().iter().skip(from);
        let found = times.position(|&at| at >= time.0);
        Ok(found.map(|found| rows.start + found as u64))
    }
}

/// Returns the first of `rows` with a time of at least `time`, by reading the times row by row.
fn search(
    row_group: &Arc<RowGroup>,
    rows: Range<u64>,
    time: Timestamp,
) -> Result<Option<u64>, TraceError> {
    /// The number of times decoded at once.
    const CHUNK: u64 = 1 << 14;
    let mut column = Column::<Int64Type>::new(row_group, TIME, rows.start);
    let mut times = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let count = CHUNK.min(rows.end - row);
        times.clear();
        column.read(count, &mut times)?;
        if let Some(found) = times.iter().position(|&t| t as u64 >= time.0) {
            return Ok(Some(row + found as u64));
        }
        row += count;
    }
    Ok(None)
}

/// Returns the greatest time of a row group.
fn greatest(statistics: Option<&Statistics>) -> Option<Timestamp> {
    match statistics? {
        // Deprecated statistics compare the values as signed numbers.
        values if values.is_min_max_deprecated() => None,
        Statistics::Int64(values) => values.max_opt().map(|&most| Timestamp(most as u64)),
        _ => None,
    }
}
