//! Reads selected columns of selected events of a location, many events at once.
//!
//! A caller with a list of positions needs neither whole batches nor single events. In each column, requested rows
//! that are close together are decoded as a run, pages without requested rows are skipped, and columns that are not
//! requested are not opened.

use std::ops::Range;

use foldtrace_trace::{LocationId, Position, TraceError};

use super::store_reader::StoreReader;
use crate::events::{EventTables, PlainColumns};
use crate::field::{Field, Gathered};
use crate::folder::Form;
use crate::index::Segment;

/// The maximum number of rows decoded together.
const RUN: u64 = 1 << 16;

/// The number of consecutive rows that are not requested above which a new run begins. A shorter gap mostly lies in
/// pages that are decoded anyway.
const GAP: u64 = 1 << 12;

impl StoreReader {
    /// Returns the values of events of a location in some columns: for each of `fields`, one value for each of
    /// `positions`, which must ascend. Positions after the last event have no value.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn gather(
        &self,
        location: LocationId,
        positions: &[Position],
        fields: &[Field],
    ) -> Result<Vec<Gathered>, TraceError> {
        let mut gathered = vec![Gathered::default(); fields.len()];
        let mut tables = EventTables::new(self.source());
        let mut rest = positions;
        for segment in self.index().of(location) {
            let (inside, after) = rest.split_at(rest.partition_point(|&p| p < segment.end()));
            rest = after;
            if !inside.is_empty() {
                self.gather_segment(&mut tables, segment, inside, fields, &mut gathered)?;
            }
        }
        for column in &mut gathered {
            rest.iter().for_each(|_| column.push(None));
        }
        Ok(gathered)
    }

    fn gather_segment(
        &self,
        tables: &mut EventTables<'_>,
        segment: &Segment,
        positions: &[Position],
        fields: &[Field],
        gathered: &mut [Gathered],
    ) -> Result<(), TraceError> {
        let rows: Vec<u64> = positions.iter().map(|p| p.0 - segment.first.0).collect();
        match self.manifest().form {
            Form::Plain => {
                let mut columns = tables.columns(segment, segment.row.into())?;
                for (&field, values) in fields.iter().zip(gathered) {
                    gather_column(&mut columns, field, &rows, values)?;
                }
            }
            Form::Archive => {
                let cursor = tables.decode(segment)?;
                for (&field, values) in fields.iter().zip(gathered) {
                    cursor.gather(field, &rows, values);
                }
            }
        }
        Ok(())
    }
}

/// Appends the values of ascending rows, which are counted from the current row of the columns.
fn gather_column(
    columns: &mut PlainColumns,
    field: Field,
    rows: &[u64],
    gathered: &mut Gathered,
) -> Result<(), TraceError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut next = 0;
    let mut rest = rows;
    while let Some(&first) = rest.first() {
        let (run, after) = rest.split_at(run_length(rest));
        rest = after;
        let end = run.last().map_or(first, |&last| last) + 1;
        columns.skip_in(field, first - next);
        values.clear();
        levels.clear();
        columns.read_field(field, end - first, &mut values, &mut levels)?;
        next = end;
        let offset = |&row: &u64| (row - first) as usize;
        if values.len() as u64 == end - first {
            gathered.extend(run.iter().map(|row| values[offset(row)] as u64));
            continue;
        }
        pick(&values, &levels, run.iter().map(offset), gathered);
    }
    Ok(())
}

/// Returns how many of the ascending rows are read together.
fn run_length(rows: &[u64]) -> usize {
    let first = rows.first().copied().unwrap_or(0);
    let is_near = |pair: &&[u64]| pair[1] - pair[0] <= GAP && pair[1] - first < RUN;
    1 + rows.windows(2).take_while(is_near).count()
}

/// Appends the values of some rows of a column that has fewer values than rows.
fn pick(
    values: &[i64],
    levels: &[i16],
    rows: impl Iterator<Item = usize>,
    gathered: &mut Gathered,
) {
    let (mut row, mut value) = (0, 0);
    for requested in rows {
        let passed: Range<usize> = row..requested.min(levels.len());
        value += levels[passed].iter().filter(|&&level| level != 0).count();
        row = requested;
        let has = levels.get(requested).is_some_and(|&level| level != 0);
        gathered.push(has.then(|| values.get(value).map_or(0, |&v| v as u64)));
    }
}
