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
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, NamedColumn, StoreReader};
use foldtrace_stream::read::{Progress, read_stream};
use foldtrace_trace::{LocationId, TraceError, TraceReader};
use rayon::prelude::*;

use buckets::BRANCHES;

pub use buckets::Buckets;
pub use levels::{Effects, Levels, Row, Share};

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

/// Computes the rows of locations from their events.
#[derive(Debug)]
pub(super) struct LocationRows<'a> {
    store: &'a StoreReader,
    effects: Effects,
    buckets: Buckets,
    progress: &'a Progress,
}

impl<'a> LocationRows<'a> {
    /// Prepares to compute rows. The finest level has at most `most` buckets in all locations together.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn new(
        store: &'a StoreReader,
        most: Option<u64>,
        progress: &'a Progress,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            store,
            effects: Effects::new(&regions_of(store), store.symbols()),
            buckets: Buckets::of(store, most, progress)?,
            progress,
        })
    }

    /// Computes the rows of a location with the number `stream`.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of(&self, stream: usize) -> Result<Vec<Row>, TraceError> {
        let mut levels = Levels::new(&self.effects, self.buckets);
        read_stream(self.store, stream, false, self.progress, |batch, _| {
            levels.take(batch);
            Ok(())
        })?;
        Ok(levels.finish())
    }
}

/// Writes the table. The finest level has at most `most` buckets in all locations together. `rows_of` returns the rows of a location,
/// given also the number of its stream.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(super) fn write(
    folder: DerivedFolder<'_>,
    most: Option<u64>,
    rows_of: impl Fn(LocationId, usize) -> Result<Vec<Row>, TraceError> + Sync,
    progress: &Progress,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let regions = regions_of(store);
    let names = regions.regions().iter().map(|region| region.name.as_str());
    let mut writer = TimelineWriter {
        table: folder.create(Derived::Timeline.path(), &TIMELINE)?,
        store,
        buckets: Buckets::of(store, most, progress)?,
        names: Arc::new(StringArray::from_iter_values(names)),
    };
    let mut locations: Vec<(LocationId, usize)> = store.locations().zip(0..).collect();
    locations.sort_unstable();
    // So many locations are in memory at once.
    for some in locations.chunks(rayon::current_num_threads()) {
        let rows = some.par_iter();
        let rows = rows.map(|&(location, stream)| Ok((location, rows_of(location, stream)?)));
        for (location, rows) in rows.collect::<Result<Vec<_>, TraceError>>()? {
            writer.write(location, &rows)?;
        }
    }
    let (rows, file) = writer.table.finish()?;
    let files = vec![file];
    Ok(Finished { rows, files })
}

fn regions_of(store: &StoreReader) -> Regions {
    Regions::new(store.definitions(), store.names(), store.symbols())
}

struct TimelineWriter<'a> {
    table: DerivedTable,
    store: &'a StoreReader,
    buckets: Buckets,
    /// The names of regions, by index.
    names: ArrayRef,
}

impl TimelineWriter<'_> {
    /// Writes the rows of a location.
    fn write(&mut self, location: LocationId, rows: &[Row]) -> Result<(), TraceError> {
        for rows in rows.chunks(WAITING) {
            let columns = self.columns(location, rows)?;
            self.table.write(columns)?;
        }
        Ok(())
    }

    fn columns(&self, location: LocationId, rows: &[Row]) -> Result<Vec<NamedColumn>, TraceError> {
        let width = |row: &Row| self.buckets.width().saturating_mul(BRANCHES.pow(row.level));
        let start = |row: &Row| {
            let finest = row.bucket.saturating_mul(BRANCHES.pow(row.level));
            self.buckets.start(finest)
        };
        let levels = rows.iter().map(|row| row.level);
        let levels: ArrayRef = Arc::new(UInt32Array::from_iter_values(levels));
        let name = |row: &Row| row.region.map(|region| region.0 as i32);
        let mut columns = place(self.store, location, rows.len());
        columns.extend([
            ("level", levels),
            ("start", wide(rows, |row| Some(start(row)))),
            ("width", wide(rows, |row| Some(width(row)))),
            ("name", words(&self.table, rows, name, &self.names)?),
            ("time", wide(rows, |row| Some(row.share.time))),
            ("calls", wide(rows, |row| Some(row.share.calls))),
            ("bytes", wide(rows, |row| Some(row.share.bytes))),
        ]);
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/timeline.parquet", &TIMELINE);
    }
}
