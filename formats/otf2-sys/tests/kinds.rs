//! Checks that every kind of event is read back as the library writes it.

use otf2_sys::bindings::*;
use otf2_sys::safe::{Archive, EventCode};

use crate::common::{ReadEvent, ok, read, write};

macro_rules! every_kind {
    ($($code:ident $write:ident ($($value:expr),*) [$($operand:expr),*] [$($quantity:expr),*];)*) => {
        /// Writes an event of every kind, with numbered operands.
        fn write_every_kind(writer: *mut OTF2_EvtWriter) {
            let mut time = 0;
            $(
                time += 1;
                ok(unsafe { $write(writer, std::ptr::null_mut(), time $(, $value)*) });
            )*
            let _ = time;
        }

        /// Returns the expected events.
        fn every_kind() -> Vec<ReadEvent> {
            let mut all = Vec::new();
            $(
                let (operands, quantities): (&[i64], &[i64]) = (&[$($operand),*], &[$($quantity),*]);
                all.push(ReadEvent {
                    code: Some(EventCode::$code),
                    time: all.len() as u64 + 1,
                    operands: operands.iter().map(|&value| value.cast_unsigned()).collect(),
                    quantities: quantities.iter().map(|&value| value.cast_unsigned()).collect(),
                    attributes: Vec::new(),
                });
            )*
            all
        }
    };
}

every_kind! {
    BufferFlush OTF2_EvtWriter_BufferFlush
        (1) [] [1];
    MeasurementOnOff OTF2_EvtWriter_MeasurementOnOff
        (1) [1] [];
    Enter OTF2_EvtWriter_Enter
        (1) [1] [];
    Leave OTF2_EvtWriter_Leave
        (1) [1] [];
    MpiSend OTF2_EvtWriter_MpiSend
        (1, 2, 3, 4) [1, 2, 3] [4];
    MpiIsend OTF2_EvtWriter_MpiIsend
        (1, 2, 3, 4, 5) [1, 2, 3] [4, 5];
    MpiIsendComplete OTF2_EvtWriter_MpiIsendComplete
        (1) [] [1];
    MpiIrecvRequest OTF2_EvtWriter_MpiIrecvRequest
        (1) [] [1];
    MpiRecv OTF2_EvtWriter_MpiRecv
        (1, 2, 3, 4) [1, 2, 3] [4];
    MpiIrecv OTF2_EvtWriter_MpiIrecv
        (1, 2, 3, 4, 5) [1, 2, 3] [4, 5];
    MpiRequestTest OTF2_EvtWriter_MpiRequestTest
        (1) [] [1];
    MpiRequestCancelled OTF2_EvtWriter_MpiRequestCancelled
        (1) [] [1];
    MpiCollectiveBegin OTF2_EvtWriter_MpiCollectiveBegin
        () [] [];
    MpiCollectiveEnd OTF2_EvtWriter_MpiCollectiveEnd
        (1, 2, 3, 4, 5) [1, 2, 3] [4, 5];
    OmpFork OTF2_EvtWriter_OmpFork
        (1) [] [1];
    OmpJoin OTF2_EvtWriter_OmpJoin
        () [] [];
    OmpAcquireLock OTF2_EvtWriter_OmpAcquireLock
        (1, 2) [1] [2];
    OmpReleaseLock OTF2_EvtWriter_OmpReleaseLock
        (1, 2) [1] [2];
    OmpTaskCreate OTF2_EvtWriter_OmpTaskCreate
        (1) [] [1];
    OmpTaskSwitch OTF2_EvtWriter_OmpTaskSwitch
        (1) [] [1];
    OmpTaskComplete OTF2_EvtWriter_OmpTaskComplete
        (1) [] [1];
    ParameterString OTF2_EvtWriter_ParameterString
        (1, 2) [1, 2] [];
    ParameterInt OTF2_EvtWriter_ParameterInt
        (1, -2) [1] [-2];
    ParameterUnsignedInt OTF2_EvtWriter_ParameterUnsignedInt
        (1, 2) [1] [2];
    RmaWinCreate OTF2_EvtWriter_RmaWinCreate
        (1) [1] [];
    RmaWinDestroy OTF2_EvtWriter_RmaWinDestroy
        (1) [1] [];
    RmaCollectiveBegin OTF2_EvtWriter_RmaCollectiveBegin
        () [] [];
    RmaCollectiveEnd OTF2_EvtWriter_RmaCollectiveEnd
        (1, 2, 3, 4, 5, 6) [1, 2, 3, 4] [5, 6];
    RmaGroupSync OTF2_EvtWriter_RmaGroupSync
        (1, 2, 3) [1, 2, 3] [];
    RmaRequestLock OTF2_EvtWriter_RmaRequestLock
        (1, 2, 3, 4) [1, 2, 3, 4] [];
    RmaAcquireLock OTF2_EvtWriter_RmaAcquireLock
        (1, 2, 3, 4) [1, 2, 3, 4] [];
    RmaTryLock OTF2_EvtWriter_RmaTryLock
        (1, 2, 3, 4) [1, 2, 3, 4] [];
    RmaReleaseLock OTF2_EvtWriter_RmaReleaseLock
        (1, 2, 3) [1, 2, 3] [];
    RmaSync OTF2_EvtWriter_RmaSync
        (1, 2, 3) [1, 2, 3] [];
    RmaWaitChange OTF2_EvtWriter_RmaWaitChange
        (1) [1] [];
    RmaPut OTF2_EvtWriter_RmaPut
        (1, 2, 3, 4) [1, 2] [3, 4];
    RmaGet OTF2_EvtWriter_RmaGet
        (1, 2, 3, 4) [1, 2] [3, 4];
    RmaAtomic OTF2_EvtWriter_RmaAtomic
        (1, 2, 3, 4, 5, 6) [1, 2, 3] [4, 5, 6];
    RmaOpCompleteBlocking OTF2_EvtWriter_RmaOpCompleteBlocking
        (1, 2) [1] [2];
    RmaOpCompleteNonBlocking OTF2_EvtWriter_RmaOpCompleteNonBlocking
        (1, 2) [1] [2];
    RmaOpTest OTF2_EvtWriter_RmaOpTest
        (1, 2) [1] [2];
    RmaOpCompleteRemote OTF2_EvtWriter_RmaOpCompleteRemote
        (1, 2) [1] [2];
    ThreadFork OTF2_EvtWriter_ThreadFork
        (1, 2) [1] [2];
    ThreadJoin OTF2_EvtWriter_ThreadJoin
        (1) [1] [];
    ThreadTeamBegin OTF2_EvtWriter_ThreadTeamBegin
        (1) [1] [];
    ThreadTeamEnd OTF2_EvtWriter_ThreadTeamEnd
        (1) [1] [];
    ThreadAcquireLock OTF2_EvtWriter_ThreadAcquireLock
        (1, 2, 3) [1, 2] [3];
    ThreadReleaseLock OTF2_EvtWriter_ThreadReleaseLock
        (1, 2, 3) [1, 2] [3];
    ThreadTaskCreate OTF2_EvtWriter_ThreadTaskCreate
        (1, 2, 3) [1, 2] [3];
    ThreadTaskSwitch OTF2_EvtWriter_ThreadTaskSwitch
        (1, 2, 3) [1, 2] [3];
    ThreadTaskComplete OTF2_EvtWriter_ThreadTaskComplete
        (1, 2, 3) [1, 2] [3];
    ThreadCreate OTF2_EvtWriter_ThreadCreate
        (1, 2) [1] [2];
    ThreadBegin OTF2_EvtWriter_ThreadBegin
        (1, 2) [1] [2];
    ThreadWait OTF2_EvtWriter_ThreadWait
        (1, 2) [1] [2];
    ThreadEnd OTF2_EvtWriter_ThreadEnd
        (1, 2) [1] [2];
    CallingContextEnter OTF2_EvtWriter_CallingContextEnter
        (1, 2) [1] [2];
    CallingContextLeave OTF2_EvtWriter_CallingContextLeave
        (1) [1] [];
    CallingContextSample OTF2_EvtWriter_CallingContextSample
        (1, 2, 3) [1, 3] [2];
    IoCreateHandle OTF2_EvtWriter_IoCreateHandle
        (1, 2, 3, 4) [1, 2, 3, 4] [];
    IoDestroyHandle OTF2_EvtWriter_IoDestroyHandle
        (1) [1] [];
    IoDuplicateHandle OTF2_EvtWriter_IoDuplicateHandle
        (1, 2, 3) [1, 2, 3] [];
    IoSeek OTF2_EvtWriter_IoSeek
        (1, -2, 3, 4) [1, 3] [-2, 4];
    IoChangeStatusFlags OTF2_EvtWriter_IoChangeStatusFlags
        (1, 2) [1, 2] [];
    IoDeleteFile OTF2_EvtWriter_IoDeleteFile
        (1, 2) [1, 2] [];
    IoOperationBegin OTF2_EvtWriter_IoOperationBegin
        (1, 2, 3, 4, 5) [1, 2, 3] [4, 5];
    IoOperationTest OTF2_EvtWriter_IoOperationTest
        (1, 2) [1] [2];
    IoOperationIssued OTF2_EvtWriter_IoOperationIssued
        (1, 2) [1] [2];
    IoOperationComplete OTF2_EvtWriter_IoOperationComplete
        (1, 2, 3) [1] [2, 3];
    IoOperationCancelled OTF2_EvtWriter_IoOperationCancelled
        (1, 2) [1] [2];
    IoAcquireLock OTF2_EvtWriter_IoAcquireLock
        (1, 2) [1, 2] [];
    IoReleaseLock OTF2_EvtWriter_IoReleaseLock
        (1, 2) [1, 2] [];
    IoTryLock OTF2_EvtWriter_IoTryLock
        (1, 2) [1, 2] [];
    ProgramEnd OTF2_EvtWriter_ProgramEnd
        (-1) [] [-1];
    NonBlockingCollectiveRequest OTF2_EvtWriter_NonBlockingCollectiveRequest
        (1) [] [1];
    NonBlockingCollectiveComplete OTF2_EvtWriter_NonBlockingCollectiveComplete
        (1, 2, 3, 4, 5, 6) [1, 2, 3] [4, 5, 6];
    CommCreate OTF2_EvtWriter_CommCreate
        (1) [1] [];
    CommDestroy OTF2_EvtWriter_CommDestroy
        (1) [1] [];
}

#[test]
fn every_kind_of_event_comes_back_with_its_operands() {
    let folder = tempfile::tempdir().unwrap();
    let anchor = write(folder.path(), 7, write_every_kind, |_| {});
    let (seen, expected) = (read(&anchor, 7), every_kind());
    for (seen, expected) in seen.iter().zip(&expected) {
        assert_eq!(seen, expected);
    }
    assert_eq!(seen.len(), expected.len());
    assert_eq!(
        expected.len() + 1,
        EventCode::ALL.len(),
        "all kinds except unknown"
    );
    assert_eq!(
        Archive::open(&anchor).unwrap().count_events(7),
        Ok(seen.len() as u64)
    );
}
