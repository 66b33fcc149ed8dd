//! Writes the parts that few archives have: markers, snapshots and thumbnails.

use std::ffi::CStr;

use super::archive::{Archive, c_string, text};
use super::records::{RecordWriter, every_variant, metric_values};
use crate::bindings::*;
use crate::safe::errors::check;
use crate::safe::{LibraryError, Thumbnail};

/// Number of snapshots of each location that has snapshots.
pub(super) const SNAPSHOTS: u32 = 2;

/// Writes definitions of markers with every severity, and markers with every scope.
pub(super) fn markers(writer: *mut OTF2_MarkerWriter) -> Result<(), LibraryError> {
    let definitions: [(u32, &CStr, &CStr, u32); 5] = [
        (
            0,
            c"checks",
            c"nothing",
            OTF2_MarkerSeverity_enum_OTF2_SEVERITY_NONE,
        ),
        (
            1,
            c"checks",
            c"slow",
            OTF2_MarkerSeverity_enum_OTF2_SEVERITY_LOW,
        ),
        (
            2,
            c"checks",
            c"größer",
            OTF2_MarkerSeverity_enum_OTF2_SEVERITY_MEDIUM,
        ),
        (
            3,
            c"other",
            c"slow",
            OTF2_MarkerSeverity_enum_OTF2_SEVERITY_HIGH,
        ),
        (u32::MAX - 1, c"", c"", u32::from(u8::MAX)),
    ];
    for (marker, group, category, severity) in definitions {
        // SAFETY: the writer is valid, the strings end with a zero.
        check(unsafe {
            OTF2_MarkerWriter_WriteDefMarker(
                writer,
                marker,
                group.as_ptr(),
                category.as_ptr(),
                severity as OTF2_MarkerSeverity,
            )
        })?;
    }
    let long = text(300)?;
    let markers: [(u64, u64, u32, u32, u64, &CStr); 9] = [
        (
            1000,
            0,
            0,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_GLOBAL,
            u64::MAX,
            c"",
        ),
        (
            1000,
            1,
            1,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_LOCATION,
            1,
            c"here",
        ),
        (
            1001,
            2,
            2,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_LOCATION_GROUP,
            0,
            c"größer",
        ),
        (
            1002,
            3,
            3,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE,
            0,
            &long,
        ),
        (
            1002,
            4,
            0,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_GROUP,
            0,
            c"a group",
        ),
        (
            1003,
            5,
            1,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_COMM,
            1,
            c"a communicator",
        ),
        (
            500,
            6,
            1,
            OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_LOCATION,
            1 << 40,
            c"back in time",
        ),
        (
            u64::MAX - 1,
            u64::MAX - 1,
            u32::MAX - 1,
            u32::from(u8::MAX),
            u64::MAX - 1,
            c"far",
        ),
        (u64::MAX, u64::MAX, u32::MAX, 0, 0, c"undefined"),
    ];
    for (time, duration, marker, scope, scope_ref, text) in markers {
        // SAFETY: the writer is valid, the string ends with a zero.
        check(unsafe {
            OTF2_MarkerWriter_WriteMarker(
                writer,
                time,
                duration,
                marker,
                scope as OTF2_MarkerScope,
                scope_ref,
                text.as_ptr(),
            )
        })?;
    }
    Ok(())
}

/// Writes snapshots of a location, with every kind of record.
pub(super) fn snapshots(writer: *mut OTF2_SnapWriter) -> Result<(), LibraryError> {
    let mut records = RecordWriter::new(writer, 1000);
    for _ in 0..SNAPSHOTS {
        every_variant! { records:
            OTF2_SnapWriter_SnapshotStart(number_of_records);
        }
        snapshot_metrics(&mut records)?;
        every_variant! { records:
            OTF2_SnapWriter_MeasurementOnOff(event_time measurement_mode);
            OTF2_SnapWriter_Enter(event_time region);
            OTF2_SnapWriter_MpiSend(event_time receiver communicator msg_tag msg_length);
            OTF2_SnapWriter_MpiIsend(event_time receiver communicator msg_tag msg_length request_id);
            OTF2_SnapWriter_MpiIsendComplete(event_time request_id);
            OTF2_SnapWriter_MpiRecv(event_time sender communicator msg_tag msg_length);
            OTF2_SnapWriter_MpiIrecvRequest(event_time request_id);
            OTF2_SnapWriter_MpiIrecv(event_time sender communicator msg_tag msg_length request_id);
            OTF2_SnapWriter_MpiCollectiveBegin(event_time);
            OTF2_SnapWriter_MpiCollectiveEnd(event_time collective_op communicator root size_sent size_received);
            OTF2_SnapWriter_OmpFork(event_time number_of_requested_threads);
            OTF2_SnapWriter_OmpAcquireLock(event_time lock_id acquisition_order);
            OTF2_SnapWriter_OmpTaskCreate(event_time task_id);
            OTF2_SnapWriter_OmpTaskSwitch(event_time task_id);
            OTF2_SnapWriter_ParameterString(event_time parameter string);
            OTF2_SnapWriter_ParameterInt(event_time parameter value);
            OTF2_SnapWriter_ParameterUnsignedInt(event_time parameter value);
            OTF2_SnapWriter_SnapshotEnd(cont_read_pos);
        }
    }
    Ok(())
}

fn snapshot_metrics(records: &mut RecordWriter<OTF2_SnapWriter>) -> Result<(), LibraryError> {
    for (event_time, metric, members) in [
        (0, 0, 0),
        (1, 1, 1),
        (900, 2, 9),
        (u64::MAX, u32::MAX, u8::MAX),
    ] {
        let (types, values) = metric_values(members);
        records.attributed(|writer, list, time| {
            // SAFETY: the writer and the list are valid, and the arrays have that many members.
            unsafe {
                OTF2_SnapWriter_Metric(
                    writer,
                    list,
                    time,
                    event_time,
                    metric,
                    members,
                    types.as_ptr(),
                    values.as_ptr(),
                )
            }
        })?;
    }
    Ok(())
}

/// Returns thumbnails of every kind, small and large.
pub(super) fn thumbnails() -> Vec<Thumbnail> {
    let many = (0..300).map(|number| number << (number % 56)).collect();
    let thumbnails: [(&str, String, u32, u32, Vec<u64>); 4] = [
        (
            "regions",
            "of what how much".to_owned(),
            OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_REGION,
            2,
            vec![0, 1],
        ),
        (
            "metrics",
            String::new(),
            OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_METRIC,
            1,
            vec![u64::MAX],
        ),
        (
            "größer",
            "long ".repeat(60),
            OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_ATTRIBUTES,
            3,
            vec![u64::MAX - 1, 0, 1],
        ),
        (
            "",
            "many".to_owned(),
            OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_REGION,
            500,
            many,
        ),
    ];
    let all = thumbnails
        .into_iter()
        .map(|(name, description, kind, samples, references)| Thumbnail {
            name: name.to_owned(),
            description,
            kind: kind as OTF2_ThumbnailType,
            // A sample has one number per reference.
            samples: (0..samples)
                .map(|sample| {
                    let numbers = references
                        .iter()
                        .map(|number: &u64| number.rotate_left(sample));
                    (u64::from(sample).wrapping_sub(1), numbers.collect())
                })
                .collect(),
            references,
        });
    all.collect()
}

/// Writes a thumbnail; its file is written when the archive is closed.
pub(super) fn write_thumbnail(
    archive: &Archive,
    thumbnail: &Thumbnail,
) -> Result<(), LibraryError> {
    let writer = archive.thumbnail(
        &c_string(thumbnail.name.as_str())?,
        &c_string(thumbnail.description.as_str())?,
        thumbnail.kind,
        thumbnail.samples.len() as u32,
        &thumbnail.references,
    )?;
    for (baseline, numbers) in &thumbnail.samples {
        // SAFETY: the writer is valid until the archive is closed, and the array has that many members.
        check(unsafe {
            OTF2_ThumbWriter_WriteSample(writer, *baseline, numbers.len() as u32, numbers.as_ptr())
        })?;
    }
    Ok(())
}
