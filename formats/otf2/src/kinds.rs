//! Which of the library's records is which of ours.

use foldtrace_trace::{DefinitionKind, EventKind};
use otf2_sys::safe::{DefinitionCode, EventCode};

macro_rules! event_kind {
    ($code:ident: $($name:ident)*) => {
        match $code { $(EventCode::$name => EventKind::$name,)* }
    };
}

macro_rules! definition_kind {
    ($code:ident: $($name:ident)*) => {
        match $code {
            DefinitionCode::Unknown => None,
            $(DefinitionCode::$name => Some(DefinitionKind::$name),)*
        }
    };
}

/// The kind of an event's record.
#[inline(always)]
pub(crate) const fn event_kind(code: EventCode) -> EventKind {
    event_kind! { code:
        Unknown BufferFlush MeasurementOnOff Enter Leave MpiSend MpiIsend MpiIsendComplete
        MpiIrecvRequest MpiRecv MpiIrecv MpiRequestTest MpiRequestCancelled MpiCollectiveBegin
        MpiCollectiveEnd OmpFork OmpJoin OmpAcquireLock OmpReleaseLock OmpTaskCreate
        OmpTaskSwitch OmpTaskComplete ParameterString ParameterInt ParameterUnsignedInt
        RmaWinCreate RmaWinDestroy RmaCollectiveBegin RmaCollectiveEnd RmaGroupSync
        RmaRequestLock RmaAcquireLock RmaTryLock RmaReleaseLock RmaSync RmaWaitChange RmaPut
        RmaGet RmaAtomic RmaOpCompleteBlocking RmaOpCompleteNonBlocking RmaOpTest
        RmaOpCompleteRemote ThreadFork ThreadJoin ThreadTeamBegin ThreadTeamEnd
        ThreadAcquireLock ThreadReleaseLock ThreadTaskCreate ThreadTaskSwitch ThreadTaskComplete
        ThreadCreate ThreadBegin ThreadWait ThreadEnd CallingContextEnter CallingContextLeave
        CallingContextSample IoCreateHandle IoDestroyHandle IoDuplicateHandle IoSeek
        IoChangeStatusFlags IoDeleteFile IoOperationBegin IoOperationTest IoOperationIssued
        IoOperationComplete IoOperationCancelled IoAcquireLock IoReleaseLock IoTryLock
        ProgramEnd NonBlockingCollectiveRequest NonBlockingCollectiveComplete CommCreate
        CommDestroy
    }
}

/// The kind of a definition's record; `None` for one that the library does not know.
pub(crate) const fn definition_kind(code: DefinitionCode) -> Option<DefinitionKind> {
    definition_kind! { code:
        ClockProperties Paradigm ParadigmProperty Attribute SystemTreeNode LocationGroup
        Location Region Callsite Callpath Group MetricMember MetricClass MetricInstance Comm
        Parameter RmaWin MetricClassRecorder SystemTreeNodeProperty SystemTreeNodeDomain
        LocationGroupProperty LocationProperty CartDimension CartTopology CartCoordinate
        SourceCodeLocation CallingContext CallingContextProperty InterruptGenerator
        IoFileProperty IoRegularFile IoDirectory IoHandle IoPreCreatedHandleState
        CallpathParameter InterComm String IoParadigm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_the_operands_and_quantities_of_its_kind() {
        for &code in EventCode::ALL {
            let kind = event_kind(code);
            assert_eq!(code.name(), kind.name());
            assert_eq!(code.operands().len(), kind.operands().len(), "{kind}");
            assert_eq!(code.quantities().len(), kind.quantities().len(), "{kind}");
        }
        // Three others are a metric, the begin of the program, and what text traces say; four are
        // matched probes and their receives, which are of OTF2 3.2 while the library may be 3.0.
        assert_eq!(EventCode::ALL.len() + 3 + 4, EventKind::COUNT);
    }
}
