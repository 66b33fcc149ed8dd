//! The bundle of a store on an object store: one object with copies of its small files.
//!
//! A store is opened with two requests, for the manifest and for the bundle, rather than with one for each of its small tables. The
//! manifest alone says which files are in the bundle, and in which order. Their copies are verified like the files themselves. A
//! store without a bundle, such as one that another program has uploaded, is read file by file.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;

use super::entry::FileEntry;
use super::tree::GROUP;
use crate::paths::{HASHES, INDEX, SYMBOLS};

/// The name of the object.
pub(crate) const BUNDLE: &str = "bundle";

/// The greatest size of a file in the bundle, in bytes. Its hash is that of a single group.
const GREATEST_FILE: u64 = GROUP;

/// The greatest size of the chaining values in the bundle.
const GREATEST_HASHES: u64 = 2 * GROUP;

/// The greatest size of the bundle.
const GREATEST: u64 = 4 * GROUP;

/// Returns the indices of the files in the bundle, in its order: what is read when the store is opened, and other files, small ones
/// first.
pub(crate) fn bundled(files: &[FileEntry]) -> Vec<usize> {
    let is_read_first =
        |path: &str| [HASHES, INDEX, SYMBOLS].contains(&path) || path.starts_with("definitions/");
    let is_small = |file: &FileEntry| {
        file.bytes
            <= if file.path == HASHES {
                GREATEST_HASHES
            } else {
                GREATEST_FILE
            }
    };
    let mut small: Vec<usize> = (0..files.len())
        .filter(|&file| is_small(&files[file]))
        .collect();
    small.sort_by_key(|&file| {
        let FileEntry { path, bytes, .. } = &files[file];
        (!is_read_first(path), *bytes, path)
    });
    let mut total = 0;
    small.retain(|&file| {
        let fits = total + files[file].bytes <= GREATEST;
        total += if fits { files[file].bytes } else { 0 };
        fits
    });
    small
}

/// Returns the copies of files in a bundle, by path, of those whose hashes are right.
pub(super) fn unpack(bundle: &Bytes, files: &[FileEntry]) -> HashMap<String, Bytes> {
    let mut next = 0;
    let copies = bundled(files).into_iter().filter_map(|file| {
        let FileEntry {
            path,
            bytes,
            blake3,
        } = &files[file];
        let range: Range<usize> = next..next + *bytes as usize;
        next = range.end;
        let copy = (range.end <= bundle.len()).then(|| bundle.slice(range))?;
        let is_intact = blake3::hash(&copy).to_hex().as_str() == blake3;
        is_intact.then(|| (path.clone(), copy))
    });
    copies.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, contents: &[u8]) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            bytes: contents.len() as u64,
            blake3: blake3::hash(contents).to_hex().to_string(),
        }
    }

    #[test]
    fn small_files_come_back_and_damaged_ones_do_not() {
        let large = vec![7; GROUP as usize + 1];
        let contents: [(&str, &[u8]); 5] = [
            ("definitions/regions.parquet", b"regions"),
            ("index.parquet", b"the index"),
            ("quantity/part-00000.parquet", &large),
            ("symbols.parquet", b"symbols!"),
            ("topology/part-00000.parquet", b"top"),
        ];
        let files = contents.map(|(path, contents)| entry(path, contents));
        assert_eq!(bundled(&files), [0, 3, 1, 4]);
        let bundle = bundled(&files).into_iter().map(|file| contents[file].1);
        let mut bundle = bundle.collect::<Vec<_>>().concat();
        let unpacked = unpack(&Bytes::from(bundle.clone()), &files);
        assert_eq!(unpacked.len(), 4);
        assert_eq!(&*unpacked["index.parquet"], b"the index");
        bundle[9] ^= 1;
        let unpacked = unpack(&Bytes::from(bundle), &files);
        assert!(!unpacked.contains_key("symbols.parquet") && unpacked.len() == 3);
        assert_eq!(unpack(&Bytes::from_static(b"regions"), &files).len(), 1);
    }

    #[test]
    fn the_bundle_is_bounded_and_has_what_is_read_first() {
        let contents = vec![1; GROUP as usize];
        let parts =
            (0..100).map(|part| entry(&format!("topology/part-{part:05}.parquet"), &contents));
        let tables = (0..3).map(|table| entry(&format!("definitions/{table}.parquet"), &contents));
        let files: Vec<_> = parts.chain(tables).collect();
        assert_eq!(bundled(&files), [100, 101, 102, 0]);
    }
}
