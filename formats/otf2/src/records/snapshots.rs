//! The records of snapshots: what a location was doing at some time, so that a reader can begin
//! there.
//!
//! Hardly any tool writes them. They are kept as numbers, one list a record.

use crate::wire::{Cursor, Encoder, Fault, TooWide, Wire};

/// Types of the records, from [`FIRST`] on without a gap: how their numbers lie in the file. The
/// time of the event that the record is about comes first, if there is one.
const RECORDS: &[(HasEvent, &[Wire])] = {
    use HasEvent::{No, Yes};
    use Wire::{I64, U8, U32, U64};
    &[
        (No, &[U64]),                      // 10 SnapshotStart
        (No, &[U64]),                      // 11 SnapshotEnd
        (Yes, &[U8]),                      // 12 MeasurementOnOff
        (Yes, &[U32]),                     // 13 Enter
        (Yes, &[U32, U32, U32, U64]),      // 14 MpiSend
        (Yes, &[U32, U32, U32, U64, U64]), // 15 MpiIsend
        (Yes, &[U64]),                     // 16 MpiIsendComplete
        (Yes, &[U32, U32, U32, U64]),      // 17 MpiRecv
        (Yes, &[U64]),                     // 18 MpiIrecvRequest
        (Yes, &[U32, U32, U32, U64, U64]), // 19 MpiIrecv
        (Yes, &[]),                        // 20 MpiCollectiveBegin
        (Yes, &[U8, U32, U32, U64, U64]),  // 21 MpiCollectiveEnd
        (Yes, &[U32]),                     // 22 OmpFork
        (Yes, &[U32, U32]),                // 23 OmpAcquireLock
        (Yes, &[U64]),                     // 24 OmpTaskCreate
        (Yes, &[U64]),                     // 25 OmpTaskSwitch
        (Yes, &[U32]),                     // 26 Metric, its values behind that
        (Yes, &[U32, U32]),                // 27 ParameterString
        (Yes, &[U32, I64]),                // 28 ParameterInt
        (Yes, &[U32, U64]),                // 29 ParameterUnsignedInt
    ]
};

/// Type of the first record.
const FIRST: u8 = 10;
/// The one with values of metrics.
const METRIC: u8 = 26;

/// Whether a record is about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HasEvent {
    No,
    Yes,
}

fn record(code: u8) -> Option<(HasEvent, &'static [Wire])> {
    RECORDS.get(usize::from(code.checked_sub(FIRST)?)).copied()
}

/// Whether there is such a record.
pub(crate) fn is_known(code: u8) -> bool {
    record(code).is_some()
}

/// Reads a record: the time of its event, if it has one, and its numbers.
///
/// # Errors
/// If it is shorter than its fields.
pub(crate) fn read(
    code: u8,
    mut cursor: Cursor<'_>,
    numbers: &mut Vec<u64>,
) -> Result<Option<u64>, Fault> {
    let Some((has_event, wires)) = record(code) else {
        return Ok(None);
    };
    let event = match has_event {
        HasEvent::Yes => Some(cursor.full64()?),
        HasEvent::No => None,
    };
    for &wire in wires {
        numbers.push(cursor.number(wire)?);
    }
    if code == METRIC {
        for _ in 0..cursor.byte()? {
            numbers.extend([u64::from(cursor.byte()?), cursor.number(Wire::U64)?]);
        }
    }
    Ok(event)
}

/// Writes what [`read`] reads.
///
/// # Errors
/// If a number does not fit into its field.
pub(crate) fn write(
    encoder: &mut Encoder,
    code: u8,
    event: u64,
    numbers: &[u64],
) -> Result<(), TooWide> {
    let Some((has_event, wires)) = record(code) else {
        return Ok(());
    };
    if has_event == HasEvent::Yes {
        encoder.full64(event);
    }
    for (&wire, &number) in wires.iter().zip(numbers) {
        encoder.number(wire, number)?;
    }
    if code == METRIC {
        let values = numbers.get(wires.len()..).unwrap_or_default();
        let count = values.len() as u64 / 2;
        encoder.byte(u8::try_from(count).map_err(|_| TooWide(count))?);
        for value in values.chunks_exact(2) {
            if let &[value_type, bits] = value {
                encoder.byte(u8::try_from(value_type).map_err(|_| TooWide(value_type))?);
                encoder.number(Wire::U64, bits)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_record_comes_back(event in any::<u64>(), bits in any::<u32>()) {
            for code in FIRST..FIRST + RECORDS.len() as u8 {
                let (has_event, wires) = record(code).unwrap();
                let number = u64::from(bits >> 25);
                let mut numbers = vec![number; wires.len()];
                if code == METRIC {
                    numbers.extend([10, event, 4, number]);
                }
                let mut encoder = Encoder::default();
                write(&mut encoder, code, event, &numbers).unwrap();
                let mut read_back = Vec::new();
                let cursor = Cursor::new(&encoder.bytes, 0, encoder.bytes.len(), false);
                let read_event = read(code, cursor, &mut read_back).unwrap();
                prop_assert_eq!(read_back, numbers);
                prop_assert_eq!(read_event, (has_event == HasEvent::Yes).then_some(event));
            }
        }
    }
}
