//! Archives for tests of readers and writers, written by the library itself.
//!
//! Archives that the library writes are correct by definition. [`every_record`] writes every record that the library
//! supports, so that other readers and writers can be compared with the library record by record.

mod archive;
mod definitions;
mod events;
mod extras;
mod fields;
mod local;
mod records;
mod values;

use std::path::{Path, PathBuf};

use crate::safe::{LibraryError, Thumbnail};
use archive::Archive;
use local::Mode;
use records::RecordWriter;

/// A location with every kind of event, without mapping tables and clock offsets.
pub const PLAIN: u64 = 0;

/// A location with every kind of event, a mapping table for every kind of ids, and several clock offsets.
pub const MAPPED: u64 = 1;

/// A location like [`MAPPED`], with dense tables instead of sparse ones and vice versa. It has a single clock offset,
/// which the library does not use, because it interpolates between two offsets.
pub const MAPPED_OTHERWISE: u64 = 7;

/// A location whose events fill several chunks, and whose clock offsets are very large.
pub const LONG: u64 = 1 << 40;

/// A location without events and local definitions; its id is the largest possible id.
pub const EMPTY: u64 = u64::MAX - 1;

/// All locations, in the order in which they are defined.
pub const LOCATIONS: [u64; 5] = [PLAIN, MAPPED, LONG, MAPPED_OTHERWISE, EMPTY];

/// Writes an archive with every kind of record to the new folder `folder`, with ordinary, undefined and extreme fields,
/// and returns the path of its anchor.
///
/// The ids are chosen so that `otf2-print` can print everything, with warnings about unusual values.
///
/// # Errors
/// Returns an error if the folder cannot be written.
pub fn every_record(folder: &Path) -> Result<PathBuf, LibraryError> {
    let archive = Archive::create(folder)?;
    archive.describe(extras::SNAPSHOTS)?;
    let numbers = archive.events(&LOCATIONS, |location, writer| {
        let mut events = RecordWriter::new(writer, 1000);
        match location {
            EMPTY => Ok(()),
            LONG => events::many(&mut events),
            _ => events::every_kind(&mut events),
        }?;
        if location == PLAIN {
            events::at_the_end_of_time(&mut events)?;
        }
        Ok(())
    })?;
    archive.local_definitions(&LOCATIONS, |location, writer| match location {
        MAPPED => {
            local::mapping_tables(writer, Mode::EvenDense)?;
            let offsets = [
                (1500, 400, 0.5),
                (4000, -300, f64::NAN),
                (5000, 1 << 30, -0.0),
            ];
            local::clock_offsets(writer, &offsets)?;
            definitions::local(writer)
        }
        MAPPED_OTHERWISE => {
            local::mapping_tables(writer, Mode::OddDense)?;
            local::clock_offsets(writer, &[(2000, -700, 1e-9)])
        }
        LONG => {
            let offsets = [(0, 1 << 50, 0.0), (u64::MAX / 4, -(1 << 50), f64::INFINITY)];
            local::clock_offsets(writer, &offsets)
        }
        _ => Ok(()),
    })?;
    archive.snapshots(&LOCATIONS, |location, writer| match location {
        PLAIN | MAPPED => extras::snapshots(writer),
        _ => Ok(()),
    })?;
    archive.markers(extras::markers)?;
    for thumbnail in thumbnails() {
        extras::write_thumbnail(&archive, &thumbnail)?;
    }
    archive.global_definitions(|writer| definitions::global(writer, &numbers))?;
    archive.close(folder)
}

/// Returns the thumbnails of [`every_record`], because not every version of the library can read them back.
#[must_use]
pub fn thumbnails() -> Vec<Thumbnail> {
    extras::thumbnails()
}
