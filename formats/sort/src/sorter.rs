//! Sorts rows: in memory up to a limit, and beyond it in runs on disk.
//!
//! The rows of each run are grouped by track, so the rows of one track are merged independently of all other tracks,
//! on all cores. Sorters of whole streams do not support this.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use crate::rows::{push, take};

/// Maximum memory of rows before they are written as a run, in bytes.
const MOST: usize = 1 << 26;
/// Maximum number of bytes of the time and the duration of a row.
const HEAD: usize = 20;
/// Number of bytes of a run that are read at a time.
const BLOCK: usize = 1 << 15;

/// The time and the duration of a row. Among rows of the same time, those without a duration come first, in input
/// order, then those with a duration, longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowTime {
    /// Nanoseconds.
    pub time: i64,
    /// Nanoseconds from the beginning to the end, if the row has a duration.
    pub span: Option<u64>,
}

impl RowTime {
    /// Returns the duration as a number: 0 for none, otherwise 1 more than the duration.
    fn code(self) -> u64 {
        self.span.map_or(0, |span| span.saturating_add(1))
    }

    /// Returns the sort key of the row.
    #[inline]
    fn order(self) -> (i64, u64) {
        order(self.time, self.code())
    }
}

/// Returns the sort key of a row with a time and the number of its duration.
#[inline]
fn order(time: i64, code: u64) -> (i64, u64) {
    (time, if code == 0 { 0 } else { !code })
}

/// A pending row, in few bytes.
struct Entry {
    time: i64,
    /// The duration as a number.
    code: u64,
    track: u32,
    /// The end of the row in the bytes of all pending rows. It begins where the previous one ends.
    end: u32,
}

impl Entry {
    #[inline]
    fn order(&self) -> (i64, u64) {
        order(self.time, self.code)
    }
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    length: u64,
    in_memory: bool,
}

/// Accepts rows in any order.
#[derive(Default)]
pub struct Sorter {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    most: usize,
    sorted: SortedRows,
    written: u64,
}

/// The rows of all tracks, sorted within each track.
#[derive(Default)]
pub struct SortedRows {
    /// The runs that did not fit into memory.
    file: Option<File>,
    /// The last run.
    memory: Vec<u8>,
    /// The segments of each track, in the order in which their rows arrived.
    segments: Vec<Vec<Segment>>,
}

impl Sorter {
    /// Returns a sorter that keeps up to 64 MiB of rows in memory.
    #[must_use]
    pub fn new() -> Self {
        Self::within(MOST)
    }

    /// Returns a sorter that keeps up to `most` bytes of rows in memory.
    #[must_use]
    pub fn within(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// Adds a row of a track, whose bytes `write` appends.
    ///
    /// # Errors
    /// If a run cannot be written to the temporary file.
    pub fn push(
        &mut self,
        track: u32,
        when: RowTime,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> io::Result<()> {
        write(&mut self.bytes);
        self.entries.push(Entry {
            time: when.time,
            code: when.code(),
            track,
            end: u32::try_from(self.bytes.len()).map_err(io::Error::other)?,
        });
        if self.entries.len() * size_of::<Entry>() + self.bytes.len() >= self.most {
            self.write_run()?;
        }
        Ok(())
    }

    /// Sorts the pending rows and passes their bytes to `take`, in blocks of one track each.
    fn sort(
        &mut self,
        mut take: impl FnMut(&mut Vec<u8>, u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = Vec::with_capacity(2 * BLOCK);
        let mut head = Vec::with_capacity(HEAD);
        let (ends, mut rows) = by_track(&self.entries);
        let mut start = 0;
        for (track, end) in (0..).zip(ends) {
            let rows = &mut rows[start..end];
            start = end;
            // The rows of a track are mostly in order already, which makes this sort fast.
            rows.sort_by_key(|&row| self.entries[row as usize].order());
            let mut before = 0;
            for &row in &*rows {
                let start = row
                    .checked_sub(1)
                    .map_or(0, |it| self.entries[it as usize].end);
                let row = &self.entries[row as usize];
                let bytes = &self.bytes[start as usize..row.end as usize];
                head.clear();
                push(&mut head, row.time.wrapping_sub(before) as u64);
                push(&mut head, row.code);
                push(&mut out, (head.len() + bytes.len()) as u64);
                out.extend_from_slice(&head);
                out.extend_from_slice(bytes);
                before = row.time;
                if out.len() >= BLOCK {
                    take(&mut out, track)?;
                }
            }
            if !out.is_empty() {
                take(&mut out, track)?;
            }
        }
        self.entries.clear();
        self.bytes.clear();
        Ok(())
    }

    fn write_run(&mut self) -> io::Result<()> {
        let mut file = match self.sorted.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let mut segments = std::mem::take(&mut self.sorted.segments);
        let mut written = self.written;
        let run = written;
        self.sort(|bytes, track| {
            file.write_all(bytes)?;
            let length = bytes.len() as u64;
            extend(
                &mut segments,
                track,
                run,
                Segment {
                    offset: written,
                    length,
                    in_memory: false,
                },
            );
            written += length;
            bytes.clear();
            Ok(())
        })?;
        self.written = written;
        self.sorted.segments = segments;
        self.sorted.file = Some(file);
        Ok(())
    }

    /// Sorts the remaining rows and returns all rows.
    ///
    /// # Errors
    /// Currently none: the remaining rows stay in memory.
    pub fn finish(mut self) -> io::Result<SortedRows> {
        let mut segments = std::mem::take(&mut self.sorted.segments);
        let mut memory = Vec::new();
        self.sort(|bytes, track| {
            let (offset, length) = (memory.len() as u64, bytes.len() as u64);
            memory.append(bytes);
            extend(
                &mut segments,
                track,
                0,
                Segment {
                    offset,
                    length,
                    in_memory: true,
                },
            );
            Ok(())
        })?;
        self.sorted.segments = segments;
        self.sorted.memory = memory;
        Ok(self.sorted)
    }
}

/// Returns the indices of entries grouped by track, in input order, and the end of each track's group.
fn by_track(entries: &[Entry]) -> (Vec<usize>, Vec<u32>) {
    let tracks = entries.iter().map(|entry| entry.track as usize + 1).max();
    let mut places = vec![0; tracks.unwrap_or(0)];
    for entry in entries {
        places[entry.track as usize] += 1;
    }
    let mut start = 0;
    for place in &mut places {
        (*place, start) = (start, start + *place);
    }
    let mut rows = vec![0; entries.len()];
    for (index, entry) in (0..).zip(entries) {
        let place = &mut places[entry.track as usize];
        rows[*place] = index;
        *place += 1;
    }
    (places, rows)
}

/// Appends a segment to a track, merging it with the previous one if that belongs to the same run, which begins at
/// `run`.
fn extend(segments: &mut Vec<Vec<Segment>>, track: u32, run: u64, piece: Segment) {
    if segments.len() <= track as usize {
        segments.resize_with(track as usize + 1, Vec::new);
    }
    let of_track = &mut segments[track as usize];
    match of_track.last_mut() {
        Some(last)
            if last.in_memory == piece.in_memory
                && last.offset >= run
                && last.offset + last.length == piece.offset =>
        {
            last.length += piece.length;
        }
        _ => of_track.push(piece),
    }
}

impl SortedRows {
    fn segments(&self, track: u32) -> &[Segment] {
        let segments = self.segments.get(track as usize);
        segments.map_or(&[], Vec::as_slice)
    }

    /// Returns the size of the rows of a track, in bytes.
    pub(crate) fn size(&self, track: u32) -> u64 {
        let segments = self.segments(track).iter();
        segments.map(|segment| segment.length).sum()
    }

    /// Returns the rows of a track, in the order of time.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn rows(&self, track: u32) -> io::Result<TrackRows<'_>> {
        let mut rows = TrackRows {
            sorted: self,
            cursors: Vec::new(),
            next: BinaryHeap::new(),
            has_current: false,
            bytes_read: 0,
        };
        for &segment in self.segments(track) {
            let mut run = Cursor::new(segment);
            if run.advance(self)? {
                let place = (run.when.order(), rows.cursors.len());
                rows.next.push(Reverse(place));
            }
            rows.cursors.push(run);
        }
        Ok(rows)
    }

    fn read(&self, segment: Segment, bytes: &mut [u8]) -> io::Result<()> {
        match (&self.file, segment.in_memory) {
            (_, true) => {
                let start = segment.offset as usize;
                let from = self.memory.get(start..start + bytes.len());
                bytes.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            (Some(file), false) => file.read_exact_at(bytes, segment.offset),
            (None, false) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// The rows of a track, merged from all runs.
pub struct TrackRows<'a> {
    sorted: &'a SortedRows,
    cursors: Vec<Cursor>,
    /// Runs by their next rows. Among equal rows, those of earlier runs come first.
    next: BinaryHeap<Reverse<((i64, u64), usize)>>,
    /// Whether the first row was returned already.
    has_current: bool,
    bytes_read: u64,
}

impl TrackRows<'_> {
    /// Returns the number of bytes of the rows that were returned.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Returns the time and the bytes of the next row; `None` at the end.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    #[inline]
    pub fn next_row(&mut self) -> io::Result<Option<(RowTime, &[u8])>> {
        if self.has_current
            && let Some(mut first) = self.next.peek_mut()
        {
            let Reverse((order, cursor)) = &mut *first;
            let run = &mut self.cursors[*cursor];
            if run.advance(self.sorted)? {
                *order = run.when.order();
            } else {
                PeekMut::pop(first);
            }
        }
        self.has_current = true;
        let current = self.next.peek().map(|&Reverse((_, cursor))| cursor);
        self.bytes_read += current.map_or(0, |cursor| self.cursors[cursor].row.len() as u64);
        Ok(self.current_row())
    }

    /// Returns the row that [`next_row`](Self::next_row) returned last.
    #[must_use]
    #[inline]
    pub fn current_row(&self) -> Option<(RowTime, &[u8])> {
        let &Reverse((_, cursor)) = self.next.peek().filter(|_| self.has_current)?;
        let run = &self.cursors[cursor];
        Some((run.when, &run.buffer[run.row.clone()]))
    }
}

/// A position in a run.
struct Cursor {
    /// The part that is not read yet.
    rest: Segment,
    buffer: Vec<u8>,
    at: usize,
    when: RowTime,
    row: std::ops::Range<usize>,
}

impl Cursor {
    fn new(rest: Segment) -> Self {
        Self {
            rest,
            buffer: Vec::new(),
            at: 0,
            when: RowTime {
                time: 0,
                span: None,
            },
            row: 0..0,
        }
    }

    /// Moves to the next row. Returns whether there is one.
    fn advance(&mut self, sorted: &SortedRows) -> io::Result<bool> {
        let damaged = || io::Error::other("a row of the sorted events is damaged");
        let length = loop {
            let mut bytes = &self.buffer[self.at..];
            let before = bytes.len();
            if let Some(length) = take(&mut bytes)
                && bytes.len() as u64 >= length
            {
                self.at += before - bytes.len();
                break length as usize;
            }
            if self.rest.length == 0 {
                return if before == 0 {
                    Ok(false)
                } else {
                    Err(damaged())
                };
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            let start = self.buffer.len();
            let more = self.rest.length.min(BLOCK.max(start) as u64);
            self.buffer.resize(start + more as usize, 0);
            sorted.read(self.rest, &mut self.buffer[start..])?;
            self.rest.offset += more;
            self.rest.length -= more;
        };
        let mut bytes = &self.buffer[self.at..][..length];
        let (Some(delta), Some(code)) = (take(&mut bytes), take(&mut bytes)) else {
            return Err(damaged());
        };
        self.at += length;
        self.row = self.at - bytes.len()..self.at;
        self.when = RowTime {
            time: self.when.time.wrapping_add(delta as i64),
            span: code.checked_sub(1),
        };
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_however_little_memory_there_is(
            rows in prop::collection::vec(
                (0u32..4, -9i64..9, prop::option::of(0u64..4), any::<u8>()), 0..300),
            most in prop_oneof![Just(1usize), Just(400), Just(4000), Just(1 << 20)],
        ) {
            let mut sorter = Sorter::within(most);
            for &(track, time, span, byte) in &rows {
                sorter.push(track, RowTime { time, span }, |out| out.push(byte)).unwrap();
            }
            let sorted = sorter.finish().unwrap();
            for track in 0..4 {
                let mut expected: Vec<_> = rows.iter().filter(|row| row.0 == track).collect();
                expected.sort_by_key(|row| (row.1, row.2.is_some(), Reverse(row.2)));
                let mut found = sorted.rows(track).unwrap();
                for &&(_, time, span, byte) in &expected {
                    let (when, row) = found.next_row().unwrap().unwrap();
                    prop_assert_eq!(when, RowTime { time, span });
                    prop_assert_eq!(row, &[byte][..]);
                }
                prop_assert!(found.next_row().unwrap().is_none());
            }
        }
    }
}
