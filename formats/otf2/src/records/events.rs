//! The records of events: their types, and the mapping of their fields to operands and quantities.
//!
//! The reader and the writer use the same table. `schemas/otf2.md` publishes it; a test compares the page with the
//! table and with libotf2.

use foldtrace_trace::{EventKind, Operand, Quantity};

use crate::ids::IdKind;
use crate::wire::{ChunkReader, Cursor, Fault, Wire};

/// The layout of an event's record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRecord {
    /// The record's type in the file.
    pub(crate) code: u8,
    /// The record's kind in the model.
    pub(crate) kind: EventKind,
    /// Whether the record is a single number without a preceding length.
    pub(crate) single: bool,
    /// The record's fields, in the order of the file.
    pub(crate) fields: &'static [EventField],
    /// The list after the fields.
    pub(crate) trailing_list: TrailingList,
}

impl EventRecord {
    /// Returns a cursor over the fields of this record, whose type was just read from `file`.
    ///
    /// # Errors
    /// Returns an error if the length of the record is damaged.
    #[inline(always)]
    pub(crate) fn cursor<'a>(&self, file: &'a mut ChunkReader) -> Result<Cursor<'a>, Fault> {
        if self.single {
            file.single()
        } else {
            file.record()
        }
    }
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventField {
    pub(crate) wire: Wire,
    pub(crate) destination: Destination,
}

/// The destination of a field in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The operand in this slot of the symbol. If it has a kind of ids, the id may be a local one.
    Operand(usize, Option<IdKind>),
    /// A quantity.
    Quantity(Quantity),
}

/// A list after the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrailingList {
    /// No list.
    None,
    /// A byte with the number of values, then the type and the bits of each value.
    MetricValues,
    /// The number of arguments, then their strings.
    Arguments,
}

/// The type of the first event record.
pub(crate) const FIRST: u8 = 10;

/// A consumer of events whose records are known at compile time, so that each record gets specialised code.
pub(crate) trait Take {
    /// Takes the event, whose record is `EVENTS[ROW]`.
    fn take<const ROW: usize>(&mut self) -> Result<(), Fault>;
}

/// Returns the record of that kind; `None` if OTF2 has no record for it.
#[inline(always)]
pub(crate) fn by_kind(kind: EventKind) -> Option<&'static EventRecord> {
    EVENTS.get(usize::from(*BY_KIND.get(kind as usize)?))
}

const BY_KIND: [u8; EventKind::COUNT] = {
    let mut rows = [u8::MAX; EventKind::COUNT];
    let mut row = 0;
    while row < EVENTS.len() {
        rows[EVENTS[row].kind as usize] = row as u8;
        row += 1;
    }
    rows
};

macro_rules! destination {
    ($kind:ident Bytes) => {
        Destination::Quantity(Quantity::Bytes)
    };
    ($kind:ident BytesReceived) => {
        Destination::Quantity(Quantity::BytesReceived)
    };
    ($kind:ident Request) => {
        Destination::Quantity(Quantity::Request)
    };
    ($kind:ident Value) => {
        Destination::Quantity(Quantity::Value)
    };
    ($kind:ident Offset) => {
        Destination::Quantity(Quantity::Offset)
    };
    ($kind:ident $operand:ident) => {
        Destination::Operand(
            EventKind::$kind.slot(Operand::$operand).unwrap(),
            IdKind::of_operand(Operand::$operand),
        )
    };
}

macro_rules! trailing_list {
    () => {
        TrailingList::None
    };
    ($list:ident) => {
        TrailingList::$list
    };
}

/// Returns whether events of this type are frequent: regions, and messages and collective operations of MPI. Only their
/// code is part of the loop over events; with the code of all records, compiling this crate would take minutes.
const fn is_frequent(code: u8) -> bool {
    matches!(code, 12..=23)
}

/// Takes an event of a type that is not frequent.
#[inline(never)]
fn take_rare<const INDEX: usize>(taker: &mut impl Take) -> Result<(), Fault> {
    taker.take::<INDEX>()
}

macro_rules! events {
    ($($code:literal $kind:ident $(is $single:ident)? [$($wire:ident $field:ident),*] $(and $list:ident)?;)*) => {
        /// All records, sorted by type; the types are consecutive from [`FIRST`] on.
        pub(crate) const EVENTS: &[EventRecord] = &[$(EventRecord {
            code: $code,
            kind: EventKind::$kind,
            single: events!(@single $($single)?),
            fields: &[$(EventField { wire: Wire::$wire, destination: destination!($kind $field) }),*],
            trailing_list: trailing_list!($($list)?),
        },)*];

        /// Lets `taker` take an event of that type. Returns `None` if there is no such record.
        #[inline(always)]
        pub(crate) fn dispatch(code: u8, taker: &mut impl Take) -> Option<Result<(), Fault>> {
            Some(match code {
                $($code => {
                    const INDEX: usize = $code as usize - FIRST as usize;
                    if const { is_frequent($code) } {
                        taker.take::<INDEX>()
                    } else {
                        take_rare::<INDEX>(taker)
                    }
                })*
                _ => return None,
            })
        }
    };
    (@single) => { false };
    (@single number) => { true };
}

events! {
    10 BufferFlush [Full64 Value];
    11 MeasurementOnOff [U8 Mode];
    12 Enter is number [U32 Region];
    13 Leave is number [U32 Region];
    14 MpiSend [U32 Peer, U32 Communicator, U32 Tag, U64 Bytes];
    15 MpiIsend [U32 Peer, U32 Communicator, U32 Tag, U64 Bytes, U64 Request];
    16 MpiIsendComplete is number [U64 Request];
    17 MpiIrecvRequest is number [U64 Request];
    18 MpiRecv [U32 Peer, U32 Communicator, U32 Tag, U64 Bytes];
    19 MpiIrecv [U32 Peer, U32 Communicator, U32 Tag, U64 Bytes, U64 Request];
    20 MpiRequestTest is number [U64 Request];
    21 MpiRequestCancelled is number [U64 Request];
    22 MpiCollectiveBegin [];
    23 MpiCollectiveEnd [U8 Operation, U32 Communicator, U32 Root, U64 Bytes, U64 BytesReceived];
    24 OmpFork is number [U32 Value];
    25 OmpJoin [];
    26 OmpAcquireLock [U32 Lock, U32 Value];
    27 OmpReleaseLock [U32 Lock, U32 Value];
    28 OmpTaskCreate is number [U64 Value];
    29 OmpTaskSwitch is number [U64 Value];
    30 OmpTaskComplete is number [U64 Value];
    31 Metric [U32 Metric] and MetricValues;
    32 ParameterString [U32 Parameter, U32 String];
    33 ParameterInt [U32 Parameter, I64 Value];
    34 ParameterUnsignedInt [U32 Parameter, U64 Value];
    35 RmaWinCreate [U32 Window];
    36 RmaWinDestroy [U32 Window];
    37 RmaCollectiveBegin [];
    38 RmaCollectiveEnd [U8 Operation, U32 SyncLevel, U32 Window, U32 Root, U64 Bytes, U64 BytesReceived];
    39 RmaGroupSync [U32 SyncLevel, U32 Window, U32 Group];
    40 RmaRequestLock [U32 Window, U32 Peer, U64 Lock, U8 LockType];
    41 RmaAcquireLock [U32 Window, U32 Peer, U64 Lock, U8 LockType];
    42 RmaTryLock [U32 Window, U32 Peer, U64 Lock, U8 LockType];
    43 RmaReleaseLock [U32 Window, U32 Peer, U64 Lock];
    44 RmaSync [U32 Window, U32 Peer, U8 SyncType];
    45 RmaWaitChange [U32 Window];
    46 RmaPut [U32 Window, U32 Peer, U64 Bytes, U64 Request];
    47 RmaGet [U32 Window, U32 Peer, U64 Bytes, U64 Request];
    48 RmaAtomic [U32 Window, U32 Peer, U8 AtomicType, U64 Bytes, U64 BytesReceived, U64 Request];
    49 RmaOpCompleteBlocking [U32 Window, U64 Request];
    50 RmaOpCompleteNonBlocking [U32 Window, U64 Request];
    51 RmaOpTest [U32 Window, U64 Request];
    52 RmaOpCompleteRemote [U32 Window, U64 Request];
    53 ThreadFork [U8 Model, U32 Value];
    54 ThreadJoin [U8 Model];
    55 ThreadTeamBegin [U32 Communicator];
    56 ThreadTeamEnd [U32 Communicator];
    57 ThreadAcquireLock [U8 Model, U32 Lock, U32 Value];
    58 ThreadReleaseLock [U8 Model, U32 Lock, U32 Value];
    59 ThreadTaskCreate [U32 Communicator, U32 CreatingThread, U32 Value];
    60 ThreadTaskSwitch [U32 Communicator, U32 CreatingThread, U32 Value];
    61 ThreadTaskComplete [U32 Communicator, U32 CreatingThread, U32 Value];
    62 ThreadCreate [U32 Communicator, U64 Value];
    63 ThreadBegin [U32 Communicator, U64 Value];
    64 ThreadWait [U32 Communicator, U64 Value];
    65 ThreadEnd [U32 Communicator, U64 Value];
    66 CallingContextEnter [U32 CallingContext, U32 Value];
    67 CallingContextLeave [U32 CallingContext];
    68 CallingContextSample [U32 CallingContext, U32 Value, U32 InterruptGenerator];
    69 IoCreateHandle [U32 Handle, U8 Mode, U32 CreationFlags, U32 StatusFlags];
    70 IoDestroyHandle [U32 Handle];
    71 IoDuplicateHandle [U32 Handle, U32 NewHandle, U32 StatusFlags];
    72 IoSeek [U32 Handle, I64 Value, U8 Whence, U64 Offset];
    73 IoChangeStatusFlags [U32 Handle, U32 StatusFlags];
    74 IoDeleteFile [U8 IoParadigm, U32 File];
    75 IoOperationBegin [U32 Handle, U8 Mode, U32 OperationFlags, U64 Bytes, U64 Request];
    76 IoOperationTest [U32 Handle, U64 Request];
    77 IoOperationIssued [U32 Handle, U64 Request];
    78 IoOperationComplete [U32 Handle, U64 Bytes, U64 Request];
    79 IoOperationCancelled [U32 Handle, U64 Request];
    80 IoAcquireLock [U32 Handle, U8 LockType];
    81 IoReleaseLock [U32 Handle, U8 LockType];
    82 IoTryLock [U32 Handle, U8 LockType];
    83 ProgramBegin [U32 String] and Arguments;
    84 ProgramEnd [I64 Value];
    85 NonBlockingCollectiveRequest [U64 Request];
    86 NonBlockingCollectiveComplete [U8 Operation, U32 Communicator, U32 Root, U64 Bytes, U64 BytesReceived, U64 Request];
    87 CommCreate [U32 Communicator];
    88 CommDestroy [U32 Communicator];
    89 MpiProbe [U32 Peer, U32 Communicator, U32 Tag, U64 Value];
    90 MpiMrecv [U64 Value, U64 Bytes];
    91 MpiImrecvRequest [U64 Value, U64 Request];
    92 MpiImrecv [U64 Request, U64 Bytes];
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn types_are_consecutive_and_every_operand_and_quantity_has_a_field() {
        for (code, record) in (FIRST..).zip(EVENTS) {
            assert_eq!(record.code, code, "{}", record.kind);
            let (mut operands, mut quantities) = (HashSet::new(), HashSet::new());
            for field in record.fields {
                assert!(match field.destination {
                    Destination::Operand(slot, _) => operands.insert(slot),
                    Destination::Quantity(quantity) => quantities.insert(quantity),
                });
            }
            assert_eq!(
                operands.len(),
                record.kind.operands().len(),
                "{}",
                record.kind
            );
            let expected: HashSet<_> = record.kind.quantities().iter().copied().collect();
            assert_eq!(quantities, expected, "{}", record.kind);
            assert_eq!(by_kind(record.kind).map(|by_kind| by_kind.code), Some(code));
            assert!(!record.single || record.fields.len() == 1);
        }
        let without: Vec<_> = EventKind::ALL
            .iter()
            .filter(|&&kind| by_kind(kind).is_none())
            .collect();
        assert_eq!(without, [&EventKind::Unknown, &EventKind::Local]);
    }
}
