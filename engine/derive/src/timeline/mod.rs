//! Writes the table `timeline`: levels of detail of the whole run, by which pictures of any part of it are drawn without reading
//! its events.
//!
//! Each level divides the run into buckets of time, and has a row for what a location does in a bucket, by region.

mod buckets;
mod levels;

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt32Array};
use foldtrace_matching::Regions;
use foldtrace_store::columns::ColumnType::{Id, Int32, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, Written};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_trace::{LocationId, TraceError, TraceReader};
use rayon::prelude::*;

use buckets::{BRANCHES, Buckets};
use levels::{Effects, Levels, Row};

use crate::locations_of_parts;
use crate::rows::{Finished, WAITING, place, wide, words};

/// The columns of the table.
pub(crate) const TIMELINE: TableColumns = TableColumns {
    name: Derived::Timeline.name(),
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional("thread", Number, "number of the location in its process"),
        Column::required(
            "level",
            Int32,
            "level of the bucket: 0 is the finest, and four buckets are one of the next level",
        ),
        Column::required("start", Number, "time at which the bucket starts")
            .unit(Unit::Time)
            .delta(),
        Column::required(
            "width",
            Number,
            "ticks of the bucket, the same in all rows of a level",
        )
        .unit(Unit::Duration),
        Column::optional("name", Word, "name of the region; null while no call is open"),
        Column::required(
            "time",
            Number,
            "ticks in which a call of the region is the innermost open one",
        )
        .unit(Unit::Duration)
        .delta(),
        Column::required("calls", Number, "number of calls of the region that are entered"),
        Column::required(
            "bytes",
            Number,
            "bytes that are sent, received, read or written while a call of the region is the innermost open one",
        )
        .unit(Unit::Bytes),
    ],
    sorted_by: &["location", "level", "start"],
};

/// Writes the table, in one file per part of the store. The finest level has at most `most` buckets in all locations together.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(super) fn write(
    folder: DerivedFolder<'_>,
    most: Option<u64>,
    progress: &Progress,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let (definitions, symbols) = (store.definitions(), store.symbols());
    let regions = Regions::new(definitions, store.names(), symbols);
    let effects = Effects::new(&regions, symbols);
    let buckets = Buckets::of(store, most)?;
    let names = regions.regions().iter().map(|region| region.name.as_str());
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(names));
    let written = locations_of_parts(store).into_par_iter();
    let written = written.map(|(part, locations)| {
        let path = Derived::Timeline.part_path(part);
        let mut writer = TimelineWriter {
            table: folder.create(&path, &TIMELINE)?,
            folder,
            buckets,
            names: Arc::clone(&names),
            location: LocationId::default(),
            rows: Vec::new(),
            coarser: Vec::new(),
        };
        for (stream, location) in locations {
            writer.location = location;
            let mut levels = Levels::new(&effects, buckets);
            read_stream(store, stream, false, progress, |batch, _| {
                levels.take(batch, |row| writer.write(row))
            })?;
            levels.finish(|row| writer.write(row))?;
            writer.finish_location()?;
        }
        writer.table.finish()
    });
    let written = written.collect::<Result<Vec<_>, TraceError>>()?;
    let (rows, files): (Vec<u64>, Vec<Written>) = written.into_iter().unzip();
    let rows = rows.into_iter().sum();
    Ok(Finished { rows, files })
}

/// A writer of the rows of some locations, which come one after the other.
struct TimelineWriter<'a> {
    table: DerivedTable,
    folder: DerivedFolder<'a>,
    buckets: Buckets,
    names: ArrayRef,
    location: LocationId,
    /// Rows of the finest level.
    rows: Vec<Row>,
    /// The rows of the other levels, which come after all of those. There is a bounded number of them.
    coarser: Vec<Row>,
}

impl TimelineWriter<'_> {
    fn write(&mut self, row: Row) -> Result<(), TraceError> {
        if row.level > 0 {
            self.coarser.push(row);
            return Ok(());
        }
        self.rows.push(row);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    /// Writes the remaining rows of the location.
    fn finish_location(&mut self) -> Result<(), TraceError> {
        self.flush()?;
        // The rows of a level are in order already.
        self.coarser.sort_by_key(|row| row.level);
        self.rows = std::mem::take(&mut self.coarser);
        self.flush()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        let width = |row: &Row| self.buckets.width.saturating_mul(BRANCHES.pow(row.level));
        let start = |row: &Row| {
            let finest = row.bucket.saturating_mul(BRANCHES.pow(row.level));
            self.buckets.start(finest)
        };
        let levels = rows.iter().map(|row| row.level);
        let levels: ArrayRef = Arc::new(UInt32Array::from_iter_values(levels));
        let name = |row: &Row| row.region.map(|region| region.0 as i32);
        let mut columns = place(self.folder.store, self.location, rows.len());
        columns.extend([
            ("level", levels),
            ("start", wide(rows, |row| Some(start(row)))),
            ("width", wide(rows, |row| Some(width(row)))),
            ("name", words(&self.table, rows, name, &self.names)?),
            ("time", wide(rows, |row| Some(row.share.time))),
            ("calls", wide(rows, |row| Some(row.share.calls))),
            ("bytes", wide(rows, |row| Some(row.share.bytes))),
        ]);
        self.table.write(columns)?;
        self.rows.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/timeline/part-NNNNN.parquet", &TIMELINE);
    }
}
