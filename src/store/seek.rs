//! Finding a time in the events of a location, by the statistics of the times.
//!
//! Times may go backwards, so there is nothing to bisect. What is asked for is the first event at
//! or after a time: row groups and pages whose greatest time is less are passed over by their
//! statistics, and only pages that may have it are decoded.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use foldtrace_trace::{Position, Timestamp, TraceError};
use parquet::data_type::Int64Type;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::StoreReader;
use super::error::{Reading, wrong};
use super::index::Segment;
use super::manifest::Form;
use super::part::file_name;
use super::schema;
use super::stream::{TIME, decode_segment, open_column, open_table};

/// Finds times in a store.
pub(super) struct TimeSeek<'a> {
    store: &'a StoreReader,
    /// The file that was looked at last; segments of a location are often of one part.
    open: Option<(u32, PathBuf, SerializedFileReader<File>)>,
}

impl<'a> TimeSeek<'a> {
    pub fn new(store: &'a StoreReader) -> Self {
        Self { store, open: None }
    }

    /// The first position at or behind `from` with an event at or after `time`; the end of the
    /// last segment if there is none. `segments` are of one location and follow each other.
    ///
    /// # Errors
    /// If a table is missing or damaged.
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

    /// The first of some rows of a segment with a time not less than `time`.
    fn first_row(
        &mut self,
        segment: &Segment,
        rows: Range<u64>,
        time: Timestamp,
    ) -> Result<Option<u64>, TraceError> {
        if self.store.manifest().form == Form::Archive {
            return self.first_decoded(segment, rows, time);
        }
        let (path, table) = self.table(segment.part)?;
        let row_group = segment.row_group as usize;
        let metadata = table.metadata();
        let Some(group) = metadata.row_groups().get(row_group) else {
            return Err(wrong(path, &format!("row group {row_group} is missing")));
        };
        let statistics = group.columns().get(TIME).and_then(|c| c.statistics());
        if greatest(statistics).is_some_and(|greatest| greatest < time) {
            return Ok(None);
        }
        let index = metadata.page_index_for_row_group(row_group);
        let begins = index.offset_index(TIME).map(|pages| {
            let begins = pages.page_locations().iter().map(|p| p.first_row_index);
            begins.map(|row| row.max(0) as u64).collect::<Vec<_>>()
        });
        // Without an index, the row group is one page.
        let begins = begins.unwrap_or_else(|| vec![0]);
        let of_pages = index.column_index(TIME);
        for (page, &begin) in begins.iter().enumerate() {
            let end = begins.get(page + 1).copied().unwrap_or(u64::MAX);
            let wanted = begin.max(rows.start)..end.min(rows.end);
            let is_earlier = greatest_of_page(of_pages, page).is_some_and(|most| most < time);
            if wanted.is_empty() || is_earlier {
                continue;
            }
            if let Some(row) = search(table, path, row_group, wanted, time)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The same in an archive, which has no statistics.
    fn first_decoded(
        &self,
        segment: &Segment,
        rows: Range<u64>,
        time: Timestamp,
    ) -> Result<Option<u64>, TraceError> {
        let (_, columns) = decode_segment(self.store, segment)?;
        let from = (rows.start - u64::from(segment.row)) as usize;
        let mut times = columns.times.iter().skip(from);
        Ok(times
            .position(|&t| t >= time.0)
            .map(|found| rows.start + found as u64))
    }

    /// The quantities of a part.
    fn table(&mut self, part: u32) -> Result<(&Path, &SerializedFileReader<File>), TraceError> {
        let open = match self.open.take() {
            Some(open) if open.0 == part => open,
            _ => {
                let path = self.store.path().join("quantity").join(file_name(part));
                let table = open_table(&path, &schema::quantity())?;
                (part, path, table)
            }
        };
        let (_, path, table) = self.open.insert(open);
        Ok((path, table))
    }
}

/// Looks for a time row by row.
fn search(
    table: &SerializedFileReader<File>,
    path: &Path,
    row_group: usize,
    rows: Range<u64>,
    time: Timestamp,
) -> Result<Option<u64>, TraceError> {
    /// Times that are decoded at once.
    const CHUNK: usize = 1 << 14;
    let mut column = open_column::<Int64Type>(table, TIME, (row_group, rows.start), path)?;
    let mut times = Vec::with_capacity(CHUNK);
    let mut row = rows.start;
    while row < rows.end {
        let count = CHUNK.min((rows.end - row) as usize);
        times.clear();
        let (read, _, _) = column
            .read_records(count, None, None, &mut times)
            .reading(path)?;
        if read != count {
            return Err(wrong(path, "the table has fewer rows than the index says"));
        }
        if let Some(found) = times.iter().position(|&t| t as u64 >= time.0) {
            return Ok(Some(row + found as u64));
        }
        row += count as u64;
    }
    Ok(None)
}

/// The greatest time of a row group.
fn greatest(statistics: Option<&Statistics>) -> Option<Timestamp> {
    match statistics? {
        // Statistics in the old place were of signed numbers.
        values if values.is_min_max_deprecated() => None,
        Statistics::Int64(values) => values.max_opt().map(|&most| Timestamp(most as u64)),
        _ => None,
    }
}

fn greatest_of_page(index: Option<&ColumnIndexMetaData>, page: usize) -> Option<Timestamp> {
    match index? {
        ColumnIndexMetaData::INT64(pages) => pages
            .max_values()
            .get(page)
            .filter(|_| !pages.is_null_page(page))
            .map(|&most| Timestamp(most as u64)),
        _ => None,
    }
}
