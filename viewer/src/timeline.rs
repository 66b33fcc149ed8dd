//! The timeline of a page: levels of detail as columns, from the derived table `timeline`.

use std::collections::HashMap;
use std::path::Path;

use arrow::array::{AsArray, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, UInt64Type};
use foldtrace_derive::{Request, Table, derive_into};
use foldtrace_output::Scratch;
use foldtrace_store::columns::numbers;
use foldtrace_store::{Derived, DerivedRows, Portion, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Timestamp, TraceError};

use crate::error::other_columns;
use crate::pack::Columns;

/// The greatest number of buckets of the finest level, in all locations together. Most buckets have a few rows.
const BUCKETS: u64 = 250_000;

/// The greatest number of rows of a page: about 8 MB. If there are more, the finest levels are left out.
const MOST_ROWS: usize = 1_000_000;

/// What a location does in a bucket, by region.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The index of the location in the store.
    location: u32,
    /// The ticks from the start of the first bucket to the start of this one.
    start: u64,
    /// 0 is the time without an open call, others are indices of regions plus 1.
    place: u32,
    time: u64,
    calls: u64,
    bytes: u64,
}

/// A level of detail.
#[derive(Debug, Default)]
struct Level {
    /// The ticks of a bucket.
    width: u64,
    rows: Vec<Row>,
    is_left_out: bool,
}

/// The levels of detail of a store.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    levels: Vec<Level>,
    /// The number of rows that are kept.
    kept: usize,
    /// The time at which the first bucket starts.
    origin: u64,
    /// The names of regions, by index.
    pub regions: Vec<String>,
}

impl Levels {
    /// Returns the levels of a store. If it has none, or if they have to be `fine`, finer ones than a store keeps are derived
    /// in a folder for temporary files.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, the work was stopped, or the table cannot be written.
    pub fn of(
        store: &StoreReader,
        fine: bool,
        temporary: &Path,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        if !fine && let Some(rows) = Table::Timeline.rows(store, Portion::ALL)? {
            return Self::read(store, rows, store.path());
        }
        let scratch = Scratch::create(temporary)?;
        let request = Request {
            buckets: Some(BUCKETS),
            ..Request::new(&[Derived::Timeline])
        };
        derive_into(scratch.path(), store, request, progress)?;
        match Table::Timeline.rows_in(scratch.path(), Portion::ALL)? {
            Some(rows) => Self::read(store, rows, scratch.path()),
            None => Ok(Self::default()),
        }
    }

    /// Reads the rows of the table in a folder.
    fn read(store: &StoreReader, rows: DerivedRows, folder: &Path) -> Result<Self, TraceError> {
        let indices: HashMap<LocationId, u32> = store.locations().zip(0..).collect();
        let mut places = HashMap::new();
        let mut levels = Self {
            origin: u64::MAX,
            ..Self::default()
        };
        for batch in rows {
            levels
                .take(&batch?, &indices, &mut places)
                .ok_or_else(|| other_columns(Derived::Timeline, folder))?;
        }
        for level in &mut levels.levels {
            // The rows of a location are in order.
            level.rows.sort_by_key(|row| row.location);
            level
                .rows
                .iter_mut()
                .for_each(|row| row.start -= levels.origin);
        }
        levels.levels.retain(|level| !level.is_left_out);
        Ok(levels)
    }

    /// Adds the rows of a batch; `None` if the columns are not those of the table.
    fn take(
        &mut self,
        batch: &RecordBatch,
        locations: &HashMap<LocationId, u32>,
        places: &mut HashMap<String, u32>,
    ) -> Option<()> {
        // Numbers have no sign if one of them needs the 64th bit.
        let number = |name| numbers(batch.column_by_name(name)?);
        let (location, start, width) = (number("location")?, number("start")?, number("width")?);
        let (time, calls, bytes) = (number("time")?, number("calls")?, number("bytes")?);
        let level = cast(batch.column_by_name("level")?, &DataType::UInt64).ok()?;
        let level = level.as_primitive_opt::<UInt64Type>()?;
        let names = batch.column_by_name("name")?;
        let names = names.as_dictionary_opt::<Int32Type>()?;
        let words: &StringArray = names.values().as_string_opt()?;
        for row in 0..batch.num_rows() {
            let place = match names.key(row) {
                None => 0,
                Some(key) => self.place(words.value(key), places),
            };
            let index = *locations.get(&LocationId(location.value(row)))?;
            self.origin = self.origin.min(start.value(row));
            self.push(
                level.value(row) as usize,
                width.value(row),
                Row {
                    location: index,
                    start: start.value(row),
                    place,
                    time: time.value(row),
                    calls: calls.value(row),
                    bytes: bytes.value(row),
                },
            );
        }
        Some(())
    }

    /// Returns the place of a region, which is added if it is new.
    fn place(&mut self, name: &str, places: &mut HashMap<String, u32>) -> u32 {
        if let Some(&place) = places.get(name) {
            return place;
        }
        self.regions.push(name.to_owned());
        let place = self.regions.len() as u32;
        places.insert(name.to_owned(), place);
        place
    }

    fn push(&mut self, number: usize, width: u64, row: Row) {
        if self.levels.len() <= number {
            self.levels.resize_with(number + 1, Level::default);
        }
        let Some(level) = self.levels.get_mut(number) else {
            return;
        };
        level.width = width;
        if level.is_left_out {
            return;
        }
        level.rows.push(row);
        self.kept += 1;
        if self.kept > MOST_ROWS {
            self.leave_out_finest();
        }
    }

    /// Leaves out the finest level that is kept, unless it is the last one.
    fn leave_out_finest(&mut self) {
        let kept = self.levels.iter().filter(|level| !level.is_left_out);
        if kept.count() > 1
            && let Some(finest) = self.levels.iter_mut().find(|level| !level.is_left_out)
        {
            self.kept -= finest.rows.len();
            finest.rows = Vec::new();
            finest.is_left_out = true;
        }
    }

    /// Returns the time at which the timeline starts.
    pub fn origin(&self) -> Timestamp {
        Timestamp(self.origin)
    }

    /// Returns the time of the start of the first bucket, and of the last tick of the last one.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        let finest = self.levels.first();
        let ends = finest.into_iter().flat_map(|level| {
            let rows = level.rows.iter();
            rows.map(|row| row.start.saturating_add(level.width.saturating_sub(1)))
        });
        let last = self.origin.saturating_add(ends.max().unwrap_or_default());
        (self.origin(), Timestamp(last))
    }

    /// Returns the ticks of a bucket of each level, the finest one first.
    pub fn widths(&self) -> impl Iterator<Item = u64> {
        self.levels.iter().map(|level| level.width)
    }

    /// Adds the columns of all levels. `nanoseconds` is the length of a tick.
    pub fn pack(&self, locations: usize, nanoseconds: f64, columns: &mut Columns) {
        for (number, level) in self.levels.iter().enumerate() {
            let name = |column: &str| format!("timeline.{number}.{column}");
            let rows = || level.rows.iter();
            let first = (0..=locations as u32)
                .map(|location| level.rows.partition_point(|row| row.location < location) as u32);
            columns.add_u32(name("first"), first);
            let width = level.width.max(1);
            columns.add_u32(name("bucket"), rows().map(|row| (row.start / width) as u32));
            columns.add_u32(name("place"), rows().map(|row| row.place));
            let time = |row: &Row| (row.time as f64 * nanoseconds) as f32;
            columns.add_f32(name("time"), rows().map(time));
            columns.add_f32(name("calls"), rows().map(|row| row.calls as f32));
            columns.add_f64(name("bytes"), rows().map(|row| row.bytes as f64));
        }
    }
}
