//! Several files in one string of bytes, so that a fuzzer can change each of them.
//!
//! A piece is the number of its file, its length in three bytes, and its bytes. Whatever a fuzzer makes
//! of it has pieces: the last one ends with the string, and numbers beyond the files mean none.

const HEADER: usize = 4;
/// Bytes of the longest piece.
pub const LONGEST: usize = (1 << 24) - 1;

/// A file by its number, and what is in it.
pub type Piece = (u8, Vec<u8>);

/// The pieces of a string.
#[must_use]
pub fn split(mut data: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while let Some((&[number, a, b, c], rest)) = data.split_first_chunk::<HEADER>() {
        let length = u32::from_le_bytes([a, b, c, 0]) as usize;
        let (bytes, behind) = rest.split_at(length.min(rest.len()));
        pieces.push((number, bytes.to_owned()));
        data = behind;
    }
    pieces
}

/// The string of pieces.
#[must_use]
pub fn join(pieces: &[Piece]) -> Vec<u8> {
    let mut data = Vec::new();
    for (number, bytes) in pieces {
        data.push(*number);
        data.extend_from_slice(&(bytes.len() as u32).to_le_bytes()[..3]);
        data.extend_from_slice(bytes);
    }
    data
}

/// Changes the bytes of a piece with `fuzz`, which gets what is there, its length in it, and gives the new
/// one; now and then, a piece is left out, or all of the string is changed as it stands.
#[must_use]
pub fn mutate(
    data: &mut [u8],
    size: usize,
    seed: u32,
    fuzz: impl Fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let most = data.len();
    let mut pieces = split(&data[..size]);
    let (choice, which) = (seed % 32, (seed / 32) as usize);
    if pieces.is_empty() || choice == 0 {
        return fuzz(data, size, most);
    }
    let chosen = which % pieces.len();
    if choice == 1 {
        pieces.remove(chosen);
    } else {
        let others = join(&pieces).len() - pieces[chosen].1.len();
        let room = most.saturating_sub(others).min(LONGEST);
        let bytes = &mut pieces[chosen].1;
        let length = bytes.len().min(room);
        bytes.resize(room, 0);
        let length = fuzz(bytes, length, room);
        bytes.truncate(length);
    }
    let joined = join(&pieces);
    let length = joined.len().min(most);
    data[..length].copy_from_slice(&joined[..length]);
    length
}

/// The files of an archive of OTF2 that the target knows: those of the corpus.
pub const ARCHIVE: &[&str] = &[
    "traces.otf2",
    "traces.def",
    "traces.marker",
    "traces.0.thumb",
    "traces.1.thumb",
    "traces/0.def",
    "traces/0.evt",
    "traces/0.snap",
    "traces/1.def",
    "traces/1.evt",
    "traces/7.def",
    "traces/7.evt",
    "traces/1073741823.def",
    "traces/1073741823.evt",
    "traces/1099511627776.def",
    "traces/1099511627776.evt",
];

/// The files of a store that the target knows.
pub const STORE: &[&str] = &[
    "manifest.json",
    "symbols.parquet",
    "index.parquet",
    "diagnostics.parquet",
    "topology/part-00000.parquet",
    "quantity/part-00000.parquet",
    "archive/part-00000.coded",
    "metrics/part-00000.parquet",
    "attributes/part-00000.parquet",
    "models/loops.parquet",
    "definitions/strings.parquet",
    "definitions/locations.parquet",
    "definitions/location_groups.parquet",
    "definitions/ranks.parquet",
    "definitions/regions.parquet",
    "definitions/groups.parquet",
    "definitions/comms.parquet",
    "definitions/attributes.parquet",
    "definitions/metric_members.parquet",
    "definitions/metric_classes.parquet",
    "derived/messages.parquet",
    "derived/collectives.parquet",
    "derived/collective_members.parquet",
    "derived/calls/part-00000.parquet",
    "models/dag_nodes.parquet",
    "models/dag_edges.parquet",
    "models/dag_roots.parquet",
    "models/dag_symbols.parquet",
];
