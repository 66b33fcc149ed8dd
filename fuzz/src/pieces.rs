//! Encodes several files in one byte string, so a fuzzer can change each of them.
//!
//! A piece is the number of its file in one byte, its length in three bytes, and its content. Every byte string that a
//! fuzzer may generate can be split: if the last piece is too short, it ends with the string, and pieces whose number
//! belongs to no file are ignored.

const HEADER: usize = 4;
/// The maximum length of a piece, in bytes.
pub const LONGEST: usize = (1 << 24) - 1;

/// The number of a file, and its content.
pub type Piece = (u8, Vec<u8>);

/// Splits a byte string into pieces.
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

/// Joins pieces to a byte string.
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

/// Changes the first `size` bytes of `data`, and returns their new number.
///
/// In most cases, the content of one piece is changed with `fuzz`, which takes a buffer, the number of bytes in use and
/// the buffer's size, at least 1, and returns the new number of bytes in use. In one of 32 cases, a piece is removed; in
/// another one, or if there is no room for the piece, `fuzz` changes the whole string, without regard to pieces.
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
        if room == 0 {
            return fuzz(data, size, most);
        }
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

/// The files of an OTF2 archive that the target knows, which are those of the corpus.
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

/// The files of a trace of CTF: the names of streams are those in traces that foldtrace wrote.
pub const CTF: &[&str] = &["metadata", "location_0", "location_1"];

/// The files of a Paraver trace.
pub const PARAVER: &[&str] = &["trace.prv", "trace.pcf", "trace.row"];

/// The files of a trace of PyTorch's profiler.
pub const KINETO: &[&str] = &["rank0.json", "rank1.json", "c.json", "d.json"];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_without_room_is_not_changed_alone() {
        let mut data = join(&[(0, b"metadata".to_vec()), (1, Vec::new())]);
        let (size, most) = (data.len(), data.len());
        for seed in 0..128 {
            let _ = mutate(&mut data, size, seed, |_, used, room| {
                assert!(room > 0 && used <= room && room <= most);
                used
            });
        }
    }
}
