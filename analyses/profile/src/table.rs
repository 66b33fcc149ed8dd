//! Writes a profile as a table with a row for each region in each location.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use foldtrace_columns::ColumnType::{Double, Id, Number, Signed, Text};
use foldtrace_columns::{Column, TableColumns, Unit};
use foldtrace_output::OutputFile;
use foldtrace_table::{Encoder, Encoding, ROW_GROUP_ROWS, Shape};
use foldtrace_trace::{ErrorKind, LocationId, Names, TraceError};

use crate::{Profile, RegionTime};

/// The columns of the table.
const PROFILE: TableColumns = TableColumns {
    name: "profile",
    columns: &[
        Column::required("location", Id, "id of the location"),
        Column::required("label", Text, "its name on the command line"),
        Column::required("region", Text, "name of the region"),
        Column::required("paradigm", Text, "programming model of the region"),
        Column::required("calls", Number, "number of calls"),
        Column::required(
            "inclusive",
            Signed,
            "nanoseconds during which a call was open",
        ),
        Column::required(
            "exclusive",
            Signed,
            "nanoseconds during which a call was the innermost open call",
        ),
        Column::required("min", Signed, "nanoseconds of the shortest call"),
        Column::required("mean", Double, "nanoseconds of a call on average"),
        Column::required("max", Signed, "nanoseconds of the longest call"),
        Column::required("bytes_sent", Number, "bytes that the calls send").unit(Unit::Bytes),
        Column::required("bytes_received", Number, "bytes that the calls receive")
            .unit(Unit::Bytes),
        Column::required("bytes_io", Number, "bytes that the calls read or write")
            .unit(Unit::Bytes),
    ],
    sorted_by: &[],
};

/// The number of rows that are encoded together.
const ROWS: usize = 1 << 13;

/// Writes the table of a profile into `file`.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn write_table(
    profile: &Profile,
    names: &Names,
    encoding: Encoding,
    file: OutputFile,
) -> Result<(), TraceError> {
    let shape = Shape {
        name: PROFILE.name,
        schema: Arc::new(PROFILE.schema()),
        sorted_by: &[],
        growing: &[],
    };
    let mut encoder = Encoder::new(encoding, file, &shape, profile.clock, ROW_GROUP_ROWS)?;
    let rows = profile.locations.iter().flat_map(|location| {
        let regions = location.regions.iter();
        regions.map(|time| (location.location, time))
    });
    let rows: Vec<(LocationId, &RegionTime)> = rows.collect();
    for rows in rows.chunks(ROWS) {
        let batch = RecordBatch::try_new(Arc::clone(&shape.schema), columns(profile, names, rows));
        let batch = batch.map_err(|error| {
            let message = "a row of the profile does not fit its table";
            TraceError::new(ErrorKind::Internal, message).caused_by(error)
        })?;
        encoder.write(&batch)?;
    }
    encoder.finish()
}

fn columns(profile: &Profile, names: &Names, rows: &[(LocationId, &RegionTime)]) -> Vec<ArrayRef> {
    let text = |value: &dyn Fn(LocationId, &RegionTime) -> String| -> ArrayRef {
        let values = rows.iter().map(|(location, time)| value(*location, time));
        Arc::new(StringArray::from_iter_values(values))
    };
    let number = |value: fn(&RegionTime) -> u64| -> ArrayRef {
        let values = rows.iter().map(|(_, time)| value(time) as i64);
        Arc::new(Int64Array::from_iter_values(values))
    };
    let nanoseconds = |ticks: fn(&RegionTime) -> i64| -> ArrayRef {
        let values = rows
            .iter()
            .map(|(_, time)| profile.nanoseconds(ticks(time)));
        Arc::new(Int64Array::from_iter_values(values))
    };
    let means = rows.iter().map(|(_, time)| {
        let durations = profile.nanoseconds(time.durations);
        durations as f64 / time.calls as f64
    });
    let locations = rows.iter().map(|(location, _)| location.0);
    vec![
        Arc::new(UInt64Array::from_iter_values(locations)),
        text(&|location, _| names.label(location)),
        text(&|_, time| profile.name(time.region).to_owned()),
        text(&|_, time| profile.paradigm(time.region).name().to_owned()),
        number(|time| time.calls),
        nanoseconds(|time| time.inclusive),
        nanoseconds(|time| time.exclusive),
        nanoseconds(|time| time.least),
        Arc::new(Float64Array::from_iter_values(means)),
        nanoseconds(|time| time.greatest),
        number(|time| time.bytes_sent),
        number(|time| time.bytes_received),
        number(|time| time.bytes_io),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_the_page() {
        let page = include_str!("../README.md");
        for column in PROFILE.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
    }
}
