//! Archives to test readers and writers with, written by the library itself.
//!
//! What the library writes is right by definition. [`every_record`] lets it write all that it can,
//! so that whoever reads or writes the format can be compared with it record by record.

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
use records::Records;

/// A location with every kind of event, whose ids and clock are those of the trace.
pub const PLAIN: u64 = 0;

/// A location with every kind of event, whose ids are all mapped, and whose clock is compared with
/// the trace's several times.
pub const MAPPED: u64 = 1;

/// As [`MAPPED`], with dense tables where that one has sparse ones, and a clock compared only once,
/// of which the library makes nothing: it takes two offsets to know what lies between them.
pub const MAPPED_OTHERWISE: u64 = 7;

/// A location whose events fill several chunks, its clock far behind.
pub const LONG: u64 = 1 << 40;

/// A location without any event or definition; its number is the last there is.
pub const EMPTY: u64 = u64::MAX - 1;

/// All locations, in the order in which they are defined.
pub const LOCATIONS: [u64; 5] = [PLAIN, MAPPED, LONG, MAPPED_OTHERWISE, EMPTY];

/// Writes an archive into the new folder that has every kind of record the library can write, with
/// ordinary, undefined and extreme fields; gives the path of its anchor.
///
/// Ids are such that `otf2-print` can print it all; it warns of what is odd.
///
/// # Errors
/// If the folder cannot be written.
pub fn every_record(folder: &Path) -> Result<PathBuf, LibraryError> {
    let archive = Archive::create(folder)?;
    archive.describe()?;
    let numbers = archive.events(&LOCATIONS, |location, writer| {
        let mut events = Records::new(writer, 1000);
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

/// The thumbnails of [`every_record`]: the library cannot read them back in every version.
#[must_use]
pub fn thumbnails() -> Vec<Thumbnail> {
    extras::thumbnails()
}
