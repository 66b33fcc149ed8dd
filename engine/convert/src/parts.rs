//! Distributes the streams of a trace over the parts of a store.

use std::ops::Range;

use foldtrace_trace::{TraceReader, most_parts};

use crate::ConvertOptions;

/// The content of a part of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Consecutive streams.
    Streams(Range<usize>),
    /// A piece of a large stream.
    Piece {
        stream: usize,
        piece: usize,
        bytes: u64,
    },
}

impl Part {
    /// Returns the size of the source of the part, in bytes.
    pub(crate) fn bytes(&self, reader: &dyn TraceReader) -> u64 {
        match self {
            Self::Streams(streams) => bytes_of(reader, streams.clone()),
            Self::Piece { bytes, .. } => *bytes,
        }
    }
}

/// Returns the size of some streams in bytes.
pub(crate) fn bytes_of(reader: &dyn TraceReader, streams: Range<usize>) -> u64 {
    let bytes = reader.streams()[streams].iter().map(|stream| stream.bytes);
    bytes.fold(0, u64::saturating_add)
}

/// Distributes the streams of a trace over numbered parts. Consecutive small ones share a part, unless they are in different
/// parts of the source; each piece of a large one is a part, unless it is salvaged.
pub(crate) fn parts_of(reader: &dyn TraceReader, options: &ConvertOptions) -> Vec<(u32, Part)> {
    let streams = reader.streams();
    let mut parts: Vec<Part> = Vec::new();
    let mut bytes = 0_u64;
    for (index, stream) in streams.iter().enumerate() {
        let pieces = if options.salvage {
            Vec::new()
        } else {
            reader.pieces(index)
        };
        if !pieces.is_empty() {
            let pieces = pieces.into_iter().enumerate();
            parts.extend(pieces.map(|(piece, bytes)| Part::Piece {
                stream: index,
                piece,
                bytes,
            }));
            continue;
        }
        bytes = bytes.saturating_add(stream.bytes);
        match parts.last_mut() {
            Some(Part::Streams(part))
                if bytes <= options.part_bytes && streams[part.start].part == stream.part =>
            {
                part.end = index + 1;
            }
            _ => {
                parts.push(Part::Streams(index..index + 1));
                bytes = stream.bytes;
            }
        }
    }
    let parts = if parts.is_empty() {
        // A trace without streams has one part without events.
        vec![Part::Streams(0..0)]
    } else {
        let most = most_parts(bytes_of(reader, 0..streams.len()));
        fewer(parts, usize::try_from(most).unwrap_or(usize::MAX))
    };
    (0..).zip(parts).collect()
}

/// Joins consecutive parts with whole streams so that there are at most `most`, in addition to pieces.
fn fewer(parts: Vec<Part>, most: usize) -> Vec<Part> {
    let is_piece = |part: &Part| matches!(part, Part::Piece { .. });
    let whole = parts.iter().filter(|part| !is_piece(part)).count();
    let together = whole.div_ceil(most).max(1);
    let mut joined: Vec<Part> = Vec::new();
    let mut number = 0;
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(Part::Streams(last)), Part::Streams(next)) if number < together => {
                last.end = next.end;
                number += 1;
            }
            (_, part) => {
                joined.push(part);
                number = 1;
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{EventStream, StreamInfo, TraceError, TraceHead};

    use super::*;

    /// A trace with streams, given as their sizes and the parts that have them. Streams of at least `piece_bytes` have
    /// pieces of this size.
    struct Streams {
        head: TraceHead,
        piece_bytes: u64,
    }

    impl Streams {
        fn new(streams: &[(u64, Option<u32>)]) -> Self {
            let streams = streams.iter().map(|&(bytes, part)| StreamInfo {
                bytes,
                part,
                ..StreamInfo::default()
            });
            Self {
                head: TraceHead {
                    streams: streams.collect(),
                    ..TraceHead::default()
                },
                piece_bytes: u64::MAX,
            }
        }
    }

    impl TraceReader for Streams {
        fn head(&self) -> &TraceHead {
            &self.head
        }

        fn pieces(&self, index: usize) -> Vec<u64> {
            let pieces = self.head.streams[index].bytes / self.piece_bytes;
            vec![self.piece_bytes; pieces as usize]
        }

        fn open_stream(&self, _index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
            panic!("the streams have no events")
        }
    }

    fn options(part_bytes: u64) -> ConvertOptions {
        ConvertOptions {
            part_bytes,
            ..ConvertOptions::default()
        }
    }

    /// Returns the streams of each part.
    fn parted(trace: &Streams) -> Vec<Range<usize>> {
        let parts = parts_of(trace, &options(100)).into_iter();
        let streams = parts.map(|(_, part)| match part {
            Part::Streams(streams) => streams,
            Part::Piece { stream, .. } => stream..stream + 1,
        });
        streams.collect()
    }

    #[test]
    fn small_streams_share_parts_within_the_parts_of_their_source() {
        let sizes = [60, 40, 1, 200, 0].map(|bytes| (bytes, None));
        assert_eq!(parted(&Streams::new(&sizes)), [0..2, 2..3, 3..4, 4..5]);
        let sizes = [(1, Some(0)), (1, Some(0)), (1, Some(1)), (1, None)];
        assert_eq!(parted(&Streams::new(&sizes)), [0..2, 2..3, 3..4]);
        let of_nothing = parted(&Streams::new(&[]));
        assert!(of_nothing.len() == 1 && of_nothing[0].is_empty());
    }

    #[test]
    fn each_piece_is_a_part_of_its_own() {
        let mut sizes = vec![(1, None); 300];
        sizes[100] = (2_500, None);
        let trace = Streams {
            piece_bytes: 500,
            ..Streams::new(&sizes)
        };
        let parts = parts_of(&trace, &options(1));
        let pieces = parts.iter().filter_map(|(_, part)| match part {
            Part::Streams(_) => None,
            Part::Piece {
                stream,
                piece,
                bytes,
            } => Some((*stream, *piece, *bytes)),
        });
        let pieces: Vec<_> = pieces.collect();
        assert_eq!(
            pieces,
            Vec::from_iter((0..5).map(|piece| (100, piece, 500)))
        );
        // The 299 small ones share parts, but not across the large one.
        assert_eq!(parts.len(), 5 + 50 + 100);
        let mut streams = parted(&trace);
        streams.dedup();
        let flat: Vec<usize> = streams.into_iter().flatten().collect();
        assert_eq!(flat, Vec::from_iter(0..300));
    }

    #[test]
    fn a_store_has_a_limited_number_of_parts_with_all_streams_in_order() {
        let all = vec![(1_000, None); 3 * 256 + 1];
        let parts = parted(&Streams::new(&all));
        assert!(parts.len() <= 256);
        let flat: Vec<usize> = parts.into_iter().flatten().collect();
        assert_eq!(flat, Vec::from_iter(0..all.len()));
    }

    #[test]
    fn a_large_source_has_more_parts() {
        let number = |length, bytes| {
            let trace = Streams::new(&vec![(bytes, None); length]);
            parts_of(&trace, &options(1 << 20)).len()
        };
        assert_eq!(number(100_000, 1 << 19), 256);
        // 1.5 TB in 100,000 locations, and much more.
        assert_eq!(number(100_000, 15_000_000), 5_556);
        assert_eq!(number(100_000, 1 << 40), 14_286);
    }
}
