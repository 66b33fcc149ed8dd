//! The index of positions: the rows that contain the events of each location.
//!
//! A segment is a run of consecutive positions of one location within one row group. Finding (location, position) is
//! a binary search among the location's segments and an addition.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use foldtrace_columns::ColumnType::{Id, Number, UInt32};
use foldtrace_columns::{Column, Unit, arrow_schema};
use foldtrace_trace::{LocationId, Position, TraceError};
use serde::{Deserialize, Serialize};

use crate::error::wrong;
use crate::folder::StoreFolder;
use crate::paths::INDEX;
use crate::tables::{Keys, column, numbers, read_table, rows_with, write_keyed_table};
use crate::unsigned::Unsigned;

/// The columns of `index.parquet`, in which each row is a [`Segment`].
const COLUMNS: &[Column] = &[
    Column::required("location", Id, "id of the location"),
    Column::required("first_position", Number, "position of the first event"),
    Column::required("events", Number, "number of events"),
    Column::required("part", UInt32, "number of the part"),
    Column::required(
        "row_group",
        UInt32,
        "number of the row group in topology and quantity, from 0",
    ),
    Column::required(
        "row",
        UInt32,
        "row of the first event in that row group, from 0",
    ),
    Column::required(
        "metrics_row",
        Number,
        "first row of the segment's values in the part's file of metrics, counted over the \
         whole file",
    ),
    Column::required(
        "metrics_rows",
        Number,
        "number of rows; if 0, the file may not exist",
    ),
    Column::required(
        "attributes_row",
        Number,
        "the same in the file of attributes",
    ),
    Column::required("attributes_rows", Number, "number of rows"),
    Column::required(
        "block_offset",
        Number,
        "first byte of the segment's block in the part's file of an [archive](archive.md); 0 \
         in plain stores",
    )
    .unit(Unit::Bytes),
    Column::required("block_bytes", Number, "number of bytes; 0 in plain stores").unit(Unit::Bytes),
];

/// The column by which rows are found.
const LOCATION: &str = "location";

/// Rows of a table of metrics or attributes: the number of the first row, and the number of rows.
pub type SideRows = (u64, u64);

/// The place of a segment's coded quantities in the archive file of its part; empty in a store that is not an
/// archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block {
    /// The offset in bytes.
    pub offset: u64,
    /// The length in bytes.
    pub bytes: u64,
}

/// Consecutive positions of one location in one row group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Segment {
    /// The location of the events.
    pub location: LocationId,
    /// The position of the first event.
    pub first: Position,
    /// The number of events.
    pub events: u64,
    /// The number of the part file.
    pub part: u32,
    /// The number of the row group in the part.
    pub row_group: u32,
    /// The row of the first event in the row group.
    pub row: u32,
    /// The rows in the metrics of the part.
    pub metrics: SideRows,
    /// The rows in the attributes of the part.
    pub attributes: SideRows,
    /// The coded quantities of the segment.
    pub block: Block,
}

impl Segment {
    /// Returns the position after the last event.
    #[must_use]
    pub fn end(&self) -> Position {
        Position(self.first.0 + self.events)
    }
}

/// All segments, sorted by location and position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    segments: Vec<Segment>,
}

impl Index {
    /// Creates an index of segments in any order.
    #[must_use]
    pub fn new(mut segments: Vec<Segment>) -> Self {
        segments.sort();
        Self { segments }
    }

    /// Returns the segments of a location, in order of position.
    #[must_use]
    pub fn of(&self, location: LocationId) -> &[Segment] {
        let start = self.segments.partition_point(|s| s.location < location);
        let len = self.segments[start..].partition_point(|s| s.location == location);
        &self.segments[start..start + len]
    }

    /// Returns all segments, sorted by location and position.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the number of events of all locations.
    #[must_use]
    pub fn total(&self) -> u64 {
        let events = self.segments.iter().map(|segment| segment.events);
        events.fold(0, u64::saturating_add)
    }

    /// Returns the number of events of a location.
    #[must_use]
    pub fn events(&self, location: LocationId) -> u64 {
        self.of(location).iter().map(|s| s.events).sum()
    }

    /// Returns the part with the first events of a location, if it has any.
    #[must_use]
    pub fn part(&self, location: LocationId) -> Option<u32> {
        self.of(location).first().map(|segment| segment.part)
    }

    /// Returns the positions of a location in each part that has some of them.
    pub fn parts(&self, location: LocationId) -> impl Iterator<Item = Range<Position>> {
        let parts = self.of(location).chunk_by(|a, b| a.part == b.part);
        parts.map(|segments| segments[0].first..segments[segments.len() - 1].end())
    }

    /// Returns the segment that contains a position, and the row of the event in the row group.
    #[must_use]
    pub fn find(&self, location: LocationId, position: Position) -> Option<(&Segment, u64)> {
        let segments = self.of(location);
        let segment = segments.get(segments.partition_point(|s| s.end() <= position))?;
        let offset = position.0.checked_sub(segment.first.0)?;
        Some((segment, u64::from(segment.row) + offset))
    }

    pub(crate) fn write(&self, store: &Path, unsigned: &mut Unsigned) -> Result<(), TraceError> {
        let wide = |f: &dyn Fn(&Segment) -> u64| -> ArrayRef {
            Arc::new(self.segments.iter().map(f).collect::<UInt64Array>())
        };
        let narrow = |f: &dyn Fn(&Segment) -> u32| -> ArrayRef {
            Arc::new(
                self.segments
                    .iter()
                    .map(|s| Some(f(s)))
                    .collect::<UInt32Array>(),
            )
        };
        let columns = vec![
            ("location", wide(&|s| s.location.0)),
            ("first_position", wide(&|s| s.first.0)),
            ("events", wide(&|s| s.events)),
            ("part", narrow(&|s| s.part)),
            ("row_group", narrow(&|s| s.row_group)),
            ("row", narrow(&|s| s.row)),
            ("metrics_row", wide(&|s| s.metrics.0)),
            ("metrics_rows", wide(&|s| s.metrics.1)),
            ("attributes_row", wide(&|s| s.attributes.0)),
            ("attributes_rows", wide(&|s| s.attributes.1)),
            ("block_offset", wide(&|s| s.block.offset)),
            ("block_bytes", wide(&|s| s.block.bytes)),
        ];
        let schema = arrow_schema(COLUMNS);
        write_keyed_table(&store.join(INDEX), schema, &[LOCATION], columns, unsigned)
    }

    pub(crate) fn read(folder: &StoreFolder) -> Result<Self, TraceError> {
        let path = folder.path_of(INDEX);
        let mut segments: Vec<Segment> = Vec::new();
        for batch in read_table(folder, INDEX, COLUMNS)? {
            add_segments(&batch?, &path, &mut segments)?;
        }
        let index = Self::new(segments).checked(&path)?;
        if !index.has_all_rows() {
            let message = "the segments do not cover the rows of each row group in order";
            return Err(wrong(&path, message));
        }
        let (events, expected) = (index.total(), folder.manifest().counts.events);
        if events != expected {
            let message =
                format!("the index has {events} events, but the manifest states {expected}");
            return Err(wrong(&path, &message));
        }
        Ok(index)
    }

    /// Reads the segments of some locations.
    pub(crate) fn read_of(folder: &StoreFolder, locations: &Keys) -> Result<Self, TraceError> {
        let path = folder.path_of(INDEX);
        let mut segments: Vec<Segment> = Vec::new();
        for batch in rows_with(folder, INDEX, COLUMNS, LOCATION, locations)? {
            add_segments(&batch, &path, &mut segments)?;
        }
        Self::new(segments).checked(&path)
    }

    /// Returns the index if the positions of each location are complete; `path` is that of its table.
    fn checked(self, path: &Path) -> Result<Self, TraceError> {
        if self.has_all_positions() {
            Ok(self)
        } else {
            Err(wrong(path, "the positions of a location have a gap"))
        }
    }

    /// Returns whether the segments of each row group cover its rows from row 0 on without gaps, in the order of
    /// locations, and whether the row groups of each part are numbered from 0 without gaps.
    fn has_all_rows(&self) -> bool {
        let mut segments: Vec<&Segment> = self.segments.iter().collect();
        segments.sort_by_key(|s| (s.part, s.row_group, s.row));
        let of_parts = segments.chunk_by(|a, b| a.part == b.part);
        of_parts.into_iter().all(|part| {
            let row_groups = part.chunk_by(|a, b| a.row_group == b.row_group);
            (0..).zip(row_groups).all(|(number, segments)| {
                let mut next = Some(0);
                let follow = segments.iter().all(|segment| {
                    let follows = next == Some(u64::from(segment.row));
                    next = u64::from(segment.row).checked_add(segment.events);
                    follows && next.is_some() && segment.events > 0
                });
                let is_sorted = segments.is_sorted_by(|a, b| a.location < b.location);
                follow && is_sorted && segments.iter().all(|s| s.row_group == number)
            })
        })
    }

    /// Returns whether the positions of each location begin at 0 and have no gaps, so that a position is found by an
    /// addition.
    fn has_all_positions(&self) -> bool {
        let of_locations = self.segments.chunk_by(|a, b| a.location == b.location);
        of_locations.into_iter().all(|segments| {
            let mut next = Some(0_u64);
            segments.iter().all(|segment| {
                let follows = next == Some(segment.first.0);
                next = segment.first.0.checked_add(segment.events);
                follows && next.is_some()
            })
        })
    }
}

/// Adds the segments in a batch of the table at `path`.
fn add_segments(
    batch: &RecordBatch,
    path: &Path,
    segments: &mut Vec<Segment>,
) -> Result<(), TraceError> {
    let wide = |name| numbers(batch, name, path);
    let narrow = |name| column::<UInt32Array>(batch, name, path);
    let (location, first) = (wide(LOCATION)?, wide("first_position")?);
    let events = wide("events")?;
    let (part, row_group, row) = (narrow("part")?, narrow("row_group")?, narrow("row")?);
    let metrics = (wide("metrics_row")?, wide("metrics_rows")?);
    let attributes = (wide("attributes_row")?, wide("attributes_rows")?);
    let (offset, bytes) = (wide("block_offset")?, wide("block_bytes")?);
    segments.extend((0..batch.num_rows()).map(|i| Segment {
        location: LocationId(location.value(i)),
        first: Position(first.value(i)),
        events: events.value(i),
        part: part.value(i),
        row_group: row_group.value(i),
        row: row.value(i),
        metrics: (metrics.0.value(i), metrics.1.value(i)),
        attributes: (attributes.0.value(i), attributes.1.value(i)),
        block: Block {
            offset: offset.value(i),
            bytes: bytes.value(i),
        },
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings(INDEX, COLUMNS);
    }

    #[test]
    fn a_position_is_found_in_its_segment() {
        let segment = |location, first, events, row_group, row| Segment {
            location: LocationId(location),
            first: Position(first),
            events,
            part: 0,
            row_group,
            row,
            metrics: (0, 0),
            attributes: (0, 0),
            block: Block::default(),
        };
        let index = Index::new(vec![
            segment(7, 100, 50, 1, 0),
            segment(7, 0, 100, 0, 30),
            segment(3, 0, 30, 0, 0),
        ]);
        let find = |l, p| {
            index
                .find(LocationId(l), Position(p))
                .map(|(s, row)| (s.row_group, row))
        };
        assert_eq!(find(7, 0), Some((0, 30)));
        assert_eq!(find(7, 99), Some((0, 129)));
        assert_eq!(find(7, 100), Some((1, 0)));
        assert_eq!(find(7, 150), None);
        assert_eq!(find(3, 29), Some((0, 29)));
        assert_eq!(find(5, 0), None);
        assert_eq!(index.events(LocationId(7)), 150);
        assert_eq!(index.total(), 180);
        assert!(index.has_all_rows());
        for (row_group, row) in [(2, 0), (1, 1), (0, 130), (0, 129)] {
            let segments = vec![
                segment(7, 0, 100, 0, 0),
                segment(7, 100, 50, row_group, row),
            ];
            assert!(!Index::new(segments).has_all_rows(), "{row_group} {row}");
        }
        assert!(index.has_all_positions());
        for (first, events) in [(99, 51), (101, 49), (100, u64::MAX)] {
            let segments = vec![segment(7, 0, 100, 0, 0), segment(7, first, events, 1, 0)];
            assert!(!Index::new(segments).has_all_positions());
        }
        assert!(!Index::new(vec![segment(3, 1, 30, 0, 0)]).has_all_positions());
    }
}
