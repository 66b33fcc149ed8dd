//! The records of snapshots: the state of a location at some time, so that a reader can begin there.
//!
//! Hardly any tool writes snapshots. They are kept as numbers, one list per record.

use foldtrace_trace::EventKind;

use crate::wire::{Cursor, Encoder, Fault, TooWide, Wire};

/// The records, whose types are consecutive from [`FIRST`] on: the kind of the event that a record describes, and the
/// encodings of its numbers. If there is such an event, its time precedes the numbers.
pub(crate) const RECORDS: &[(Option<EventKind>, &[Wire])] = {
    use EventKind::{
        Enter, MeasurementOnOff, Metric, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv,
        MpiIrecvRequest, MpiIsend, MpiIsendComplete, MpiRecv, MpiSend, OmpAcquireLock, OmpFork,
        OmpTaskCreate, OmpTaskSwitch, ParameterInt, ParameterString, ParameterUnsignedInt,
    };
    use Wire::{I64, U8, U32, U64};
    &[
        (None, &[U64]),                                      // 10 SnapshotStart
        (None, &[U64]),                                      // 11 SnapshotEnd
        (Some(MeasurementOnOff), &[U8]),                     // 12
        (Some(Enter), &[U32]),                               // 13
        (Some(MpiSend), &[U32, U32, U32, U64]),              // 14
        (Some(MpiIsend), &[U32, U32, U32, U64, U64]),        // 15
        (Some(MpiIsendComplete), &[U64]),                    // 16
        (Some(MpiRecv), &[U32, U32, U32, U64]),              // 17
        (Some(MpiIrecvRequest), &[U64]),                     // 18
        (Some(MpiIrecv), &[U32, U32, U32, U64, U64]),        // 19
        (Some(MpiCollectiveBegin), &[]),                     // 20
        (Some(MpiCollectiveEnd), &[U8, U32, U32, U64, U64]), // 21
        (Some(OmpFork), &[U32]),                             // 22
        (Some(OmpAcquireLock), &[U32, U32]),                 // 23
        (Some(OmpTaskCreate), &[U64]),                       // 24
        (Some(OmpTaskSwitch), &[U64]),                       // 25
        (Some(Metric), &[U32]),                              // 26, followed by its values
        (Some(ParameterString), &[U32, U32]),                // 27
        (Some(ParameterInt), &[U32, I64]),                   // 28
        (Some(ParameterUnsignedInt), &[U32, U64]),           // 29
    ]
};

/// The type of the first record.
pub(crate) const FIRST: u8 = 10;
/// The type of the record with values of metrics.
const METRIC: u8 = 26;

fn record(code: u8) -> Option<(Option<EventKind>, &'static [Wire])> {
    RECORDS.get(usize::from(code.checked_sub(FIRST)?)).copied()
}

/// Returns whether there is a record of that type.
pub(crate) fn is_known(code: u8) -> bool {
    record(code).is_some()
}

/// Reads a record: the time of its event, if it has one, and its numbers.
///
/// # Errors
/// Returns an error if the record is too short for its fields.
pub(crate) fn read(
    code: u8,
    mut cursor: Cursor<'_>,
    numbers: &mut Vec<u64>,
) -> Result<Option<u64>, Fault> {
    let Some((about, wires)) = record(code) else {
        return Ok(None);
    };
    let event = match about {
        Some(_) => Some(cursor.full64()?),
        None => None,
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

/// Writes a record; the inverse of [`read`].
///
/// # Errors
/// Returns an error if a number does not fit into its field.
pub(crate) fn write(
    encoder: &mut Encoder,
    code: u8,
    event: u64,
    numbers: &[u64],
) -> Result<(), TooWide> {
    let Some((about, wires)) = record(code) else {
        return Ok(());
    };
    if about.is_some() {
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
                let (about, wires) = record(code).unwrap();
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
                prop_assert_eq!(read_event, about.map(|_| event));
            }
        }
    }
}
