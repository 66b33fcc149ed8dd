//! Skips the events before a range of time.
//!
//! The first event of the range is only known once all events before it were read: times are not in order, and no
//! record contains the offset of another one. But little of these events is needed: their times, and the calls that
//! are open afterwards. Therefore, only enters and leaves are decoded. Attributes and all other events are skipped by
//! their lengths, and nothing of them is kept.

use foldtrace_trace::{CallStack, EventKind, MAX_OPERANDS, Symbol, Timestamp};

use crate::decode::{DamagedEvent, Prelude, StreamState};
use crate::records::events::{self, Destination, EVENTS, EventRecord, Take};
use crate::wire::{ATTRIBUTE_LIST, ChunkReader, Cursor, Fault, Wire};

/// An open region or calling context: the kind of the event that entered it, and its id.
type Call = (EventKind, u64);

/// A decoder that skips events.
pub(crate) struct Skipper<'a> {
    state: &'a mut StreamState,
    from: u64,
    /// The open calls, by the rules of [`foldtrace_trace::OpenCalls`], outermost first.
    calls: CallStack<Call, ()>,
    /// The number of skipped events.
    pub(crate) skipped: u64,
}

/// The outcome of an attempt to skip an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// The event was skipped.
    Event,
    /// The event is the first one of the range, or there is none.
    Nothing,
}

impl<'a> Skipper<'a> {
    /// Creates a decoder that skips the events before the first one at or after `from`.
    pub(crate) fn new(state: &'a mut StreamState, from: Timestamp) -> Self {
        Self {
            state,
            from: from.0,
            calls: CallStack::default(),
            skipped: 0,
        }
    }

    /// Reads `file` up to the beginning of the first event of the range, or to the end.
    ///
    /// # Errors
    /// Returns an error if the file is damaged before that event.
    pub(crate) fn skip(&mut self, file: &mut ChunkReader) -> Result<(), DamagedEvent> {
        loop {
            let mut prelude = Prelude::default();
            match self.event(file, &mut prelude) {
                Ok(Passed::Event) => self.skipped += 1,
                Ok(Passed::Nothing) => return Ok(()),
                Err(fault) => return Err(prelude.damage(fault, file)),
            }
        }
    }

    /// Skips an event whose record is damaged.
    pub(crate) fn pass_damaged(&mut self, file: &mut ChunkReader) {
        self.state.last_time = self.state.corrections.clock.apply(self.state.raw_time);
        self.skipped += 1;
        file.count_event();
    }

    /// Returns the open calls as the symbols that entered them, outermost first.
    pub(crate) fn into_open(self) -> Vec<Symbol> {
        let calls = self.calls.iter();
        calls
            .map(|((kind, id), ())| Symbol::new(kind, &[id]))
            .collect()
    }

    /// Skips the next event if it is before the range.
    #[inline(always)]
    fn event(&mut self, file: &mut ChunkReader, prelude: &mut Prelude) -> Result<Passed, Fault> {
        let mut has_attributes = false;
        while let Some(code) = prelude.next(file)? {
            if prelude.is_stamp(code, file) {
                self.state.raw_time = prelude.stamp(file)?;
                continue;
            }
            if code == ATTRIBUTE_LIST {
                let count = file.record()?.number(Wire::U32);
                has_attributes |= count.is_ok_and(|count| count > 0);
                continue;
            }
            let time = self.state.corrections.clock.apply(self.state.raw_time);
            if time >= self.from {
                // An event whose record is unreadable cannot be the first one of the range.
                let framed = events::dispatch(code, &mut Frame { file })
                    .unwrap_or_else(|| file.record().map(|_| ()));
                if let Err(fault @ Fault::Malformed(_)) = framed {
                    return Err(fault);
                }
                // The reader may already be after the time stamp and the attributes of the event.
                prelude
                    .begin()
                    .map_or(Ok(()), |begin| file.go_back(begin))?;
                return Ok(Passed::Nothing);
            }
            prelude.begins_event();
            let mut event = Event {
                skipper: self,
                file,
            };
            match events::dispatch(code, &mut event) {
                Some(passed) => passed?,
                None => {
                    file.record()?;
                }
            }
            file.count_event();
            self.state.last_time = time;
            return Ok(Passed::Event);
        }
        self.state.is_cut |= has_attributes;
        Ok(Passed::Nothing)
    }

    /// Decodes the fields of a record as for a batch, and returns the first operand.
    #[inline(always)]
    fn fields(&mut self, record: &EventRecord, mut cursor: Cursor<'_>) -> Result<u64, Fault> {
        let corrections = &mut self.state.corrections;
        let mut operands = [0; MAX_OPERANDS];
        for field in record.fields {
            let value = cursor.number(field.wire)?;
            match field.destination {
                Destination::Operand(slot, ids) => {
                    let ids = ids.map(|kind| corrections.ids.apply(kind, value));
                    operands[slot % MAX_OPERANDS] = ids.unwrap_or(value);
                }
                Destination::Quantity(_) if field.wire == Wire::Full64 => {
                    corrections.clock.apply(value);
                }
                Destination::Quantity(_) => {}
            }
        }
        Ok(operands[0])
    }
}

/// An event that is being skipped.
struct Event<'a, 'b> {
    skipper: &'a mut Skipper<'b>,
    file: &'a mut ChunkReader,
}

/// An event of whose record only the length is read.
struct Frame<'a> {
    file: &'a mut ChunkReader,
}

impl Take for Frame<'_> {
    fn take<const ROW: usize>(&mut self) -> Result<(), Fault> {
        const { &EVENTS[ROW] }.cursor(self.file).map(|_| ())
    }
}

impl Take for Event<'_, '_> {
    #[inline(always)]
    fn take<const ROW: usize>(&mut self) -> Result<(), Fault> {
        let record = const { &EVENTS[ROW] };
        let skipper = &mut *self.skipper;
        let cursor = record.cursor(self.file)?;
        match record.kind {
            EventKind::Enter | EventKind::CallingContextEnter => {
                let id = skipper.fields(record, cursor)?;
                skipper.calls.enter((record.kind, id), ());
            }
            EventKind::Leave => {
                let id = skipper.fields(record, cursor)?;
                skipper.calls.leave((EventKind::Enter, id));
            }
            EventKind::CallingContextLeave => {
                let id = skipper.fields(record, cursor)?;
                skipper.calls.leave((EventKind::CallingContextEnter, id));
            }
            // Its field is a time, and the clock correction needs all times in their order.
            EventKind::BufferFlush => {
                skipper.fields(record, cursor)?;
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
