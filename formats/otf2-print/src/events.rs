//! The events that otf2-print prints, with the labels of their operands and quantities in the order of the line. Each
//! kind of event is described completely by its row.

use foldtrace_trace::{EventKind, Operand, Quantity, Vocabulary};

use crate::words;

/// The layout of the line of a kind of event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRow {
    /// The first word of the line.
    pub(crate) word: &'static str,
    pub(crate) kind: EventKind,
    pub(crate) fields: &'static [EventField],
    pub(crate) trailing_list: TrailingList,
}

/// A label and the value after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventField {
    /// The text before the value.
    pub(crate) label: &'static str,
    pub(crate) form: Form,
    pub(crate) destination: Destination,
}

/// The form in which a number is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Digits, a name and an id, or a word; with this number of bits.
    Number(u32, &'static Vocabulary),
    /// Flags.
    Set(&'static Vocabulary),
    /// A signed number.
    Signed,
}

/// The destination of a number in the model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    Operand(usize, Operand),
    Quantity(Quantity),
}

/// The list after the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrailingList {
    /// No list.
    None,
    /// The values of a metric.
    Values,
    /// The arguments of a program.
    Arguments,
}

macro_rules! form {
    (signed) => {
        Form::Signed
    };
    (set $words:ident) => {
        Form::Set(&words::$words)
    };
    ($bits:literal) => {
        Form::Number($bits, &words::NONE)
    };
    ($bits:literal $words:ident) => {
        Form::Number($bits, &words::$words)
    };
}

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
            Operand::$operand,
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

macro_rules! events {
    ($($word:literal $kind:ident [$($label:literal $destination:ident: $form:tt $($words:ident)?),*] $(and $list:ident)?;)*) => {
        pub(crate) static EVENTS: &[EventRow] = &[$(EventRow {
            word: $word,
            kind: EventKind::$kind,
            fields: &[$(EventField {
                label: concat!($label, ": "),
                form: form!($form $($words)?),
                destination: destination!($kind $destination),
            }),*],
            trailing_list: trailing_list!($($list)?),
        }),*];
    };
}

events! {
    "UNKNOWN" Unknown [];
    "BUFFER_FLUSH" BufferFlush ["Stop Time" Value: 64];
    "MEASUREMENT_ON_OFF" MeasurementOnOff ["Mode" Mode: 8 MEASUREMENT];
    "ENTER" Enter ["Region" Region: 32];
    "LEAVE" Leave ["Region" Region: 32];
    "MPI_SEND" MpiSend ["Receiver" Peer: 32, "Communicator" Communicator: 32, "Tag" Tag: 32, "Length" Bytes: 64];
    "MPI_ISEND" MpiIsend ["Receiver" Peer: 32, "Communicator" Communicator: 32, "Tag" Tag: 32, "Length" Bytes: 64, "Request" Request: 64];
    "MPI_ISEND_COMPLETE" MpiIsendComplete ["Request" Request: 64];
    "MPI_IRECV_REQUEST" MpiIrecvRequest ["Request" Request: 64];
    "MPI_RECV" MpiRecv ["Sender" Peer: 32, "Communicator" Communicator: 32, "Tag" Tag: 32, "Length" Bytes: 64];
    "MPI_IRECV" MpiIrecv ["Sender" Peer: 32, "Communicator" Communicator: 32, "Tag" Tag: 32, "Length" Bytes: 64, "Request" Request: 64];
    "MPI_REQUEST_TEST" MpiRequestTest ["Request" Request: 64];
    "MPI_REQUEST_CANCELLED" MpiRequestCancelled ["Request" Request: 64];
    "MPI_COLLECTIVE_BEGIN" MpiCollectiveBegin [];
    "MPI_COLLECTIVE_END" MpiCollectiveEnd ["Operation" Operation: 8 COLLECTIVE_OPERATIONS, "Communicator" Communicator: 32, "Root" Root: 32 ROOTS, "Sent" Bytes: 64, "Received" BytesReceived: 64];
    "OMP_FORK" OmpFork ["# Requested Threads" Value: 32];
    "OMP_JOIN" OmpJoin [];
    "OMP_ACQUIRE_LOCK" OmpAcquireLock ["Lock" Lock: 32, "Acquisition Order" Value: 32];
    "OMP_RELEASE_LOCK" OmpReleaseLock ["Lock" Lock: 32, "Acquisition Order" Value: 32];
    "OMP_TASK_CREATE" OmpTaskCreate ["Task" Value: 64];
    "OMP_TASK_SWITCH" OmpTaskSwitch ["Task" Value: 64];
    "OMP_TASK_COMPLETE" OmpTaskComplete ["Task" Value: 64];
    "METRIC" Metric ["Metric" Metric: 32] and Values;
    "PARAMETER_STRING" ParameterString ["Parameter" Parameter: 32, "Value" String: 32];
    "PARAMETER_INT64" ParameterInt ["Parameter" Parameter: 32, "Value" Value: signed];
    "PARAMETER_UINT64" ParameterUnsignedInt ["Parameter" Parameter: 32, "Value" Value: 64];
    "RMA_WIN_CREATE" RmaWinCreate ["Window" Window: 32];
    "RMA_WIN_DESTROY" RmaWinDestroy ["Window" Window: 32];
    "RMA_COLLECTIVE_BEGIN" RmaCollectiveBegin [];
    "RMA_COLLECTIVE_END" RmaCollectiveEnd ["Operation" Operation: 8 COLLECTIVE_OPERATIONS, "Window" Window: 32, "Level of Synchronicity" SyncLevel: set SYNCHRONICITY, "Root" Root: 32 ROOTS, "Sent" Bytes: 64, "Received" BytesReceived: 64];
    "RMA_GROUP_SYNC" RmaGroupSync ["Level of Synchronicity" SyncLevel: set SYNCHRONICITY, "Window" Window: 32, "Group" Group: 32];
    "RMA_REQUEST_LOCK" RmaRequestLock ["Window" Window: 32, "Remote" Peer: 32, "Lock" Lock: 64, "Type" LockType: 8 LOCKS];
    "RMA_ACQUIRE_LOCK" RmaAcquireLock ["Window" Window: 32, "Remote" Peer: 32, "Lock" Lock: 64, "Type" LockType: 8 LOCKS];
    "RMA_TRY_LOCK" RmaTryLock ["Window" Window: 32, "Remote" Peer: 32, "Lock" Lock: 64, "Type" LockType: 8 LOCKS];
    "RMA_RELEASE_LOCK" RmaReleaseLock ["Window" Window: 32, "Remote" Peer: 32, "Lock" Lock: 64];
    "RMA_SYNC" RmaSync ["Window" Window: 32, "Remote" Peer: 32, "Sync Type" SyncType: 8 SYNCHRONISATIONS];
    "RMA_WAIT_CHANGE" RmaWaitChange ["Window" Window: 32];
    "RMA_PUT" RmaPut ["Window" Window: 32, "Remote" Peer: 32, "Bytes" Bytes: 64, "Matching" Request: 64];
    "RMA_GET" RmaGet ["Window" Window: 32, "Remote" Peer: 32, "Bytes" Bytes: 64, "Matching" Request: 64];
    "RMA_ATOMIC" RmaAtomic ["Window" Window: 32, "Remote" Peer: 32, "Type" AtomicType: 8 ATOMICS, "Sent" Bytes: 64, "Received" BytesReceived: 64, "Matching" Request: 64];
    "RMA_OP_COMPLETE_BLOCKING" RmaOpCompleteBlocking ["Window" Window: 32, "Matching" Request: 64];
    "RMA_OP_COMPLETE_NON_BLOCKING" RmaOpCompleteNonBlocking ["Window" Window: 32, "Matching" Request: 64];
    "RMA_OP_TEST" RmaOpTest ["Window" Window: 32, "Matching" Request: 64];
    "RMA_OP_COMPLETE_REMOTE" RmaOpCompleteRemote ["Window" Window: 32, "Matching" Request: 64];
    "THREAD_FORK" ThreadFork ["Model" Model: 8 PARADIGMS, "# Requested Threads" Value: 32];
    "THREAD_JOIN" ThreadJoin ["Model" Model: 8 PARADIGMS];
    "THREAD_TEAM_BEGIN" ThreadTeamBegin ["Thread Team" Communicator: 32];
    "THREAD_TEAM_END" ThreadTeamEnd ["Thread Team" Communicator: 32];
    "THREAD_ACQUIRE_LOCK" ThreadAcquireLock ["Model" Model: 8 PARADIGMS, "Lock" Lock: 32, "Acquisition Order" Value: 32];
    "THREAD_RELEASE_LOCK" ThreadReleaseLock ["Model" Model: 8 PARADIGMS, "Lock" Lock: 32, "Acquisition Order" Value: 32];
    "THREAD_TASK_CREATE" ThreadTaskCreate ["Thread Team" Communicator: 32, "Creating Thread" CreatingThread: 32, "Generation Number" Value: 32];
    "THREAD_TASK_SWITCH" ThreadTaskSwitch ["Thread Team" Communicator: 32, "Creating Thread" CreatingThread: 32, "Generation Number" Value: 32];
    "THREAD_TASK_COMPLETE" ThreadTaskComplete ["Thread Team" Communicator: 32, "Creating Thread" CreatingThread: 32, "Generation Number" Value: 32];
    "THREAD_CREATE" ThreadCreate ["Thread Contingent" Communicator: 32, "Sequence Count" Value: 64];
    "THREAD_BEGIN" ThreadBegin ["Thread Contingent" Communicator: 32, "Sequence Count" Value: 64];
    "THREAD_WAIT" ThreadWait ["Thread Contingent" Communicator: 32, "Sequence Count" Value: 64];
    "THREAD_END" ThreadEnd ["Thread Contingent" Communicator: 32, "Sequence Count" Value: 64];
    "CALLING_CONTEXT_ENTER" CallingContextEnter ["Calling Context" CallingContext: 32, "Unwind Distance" Value: 32];
    "CALLING_CONTEXT_LEAVE" CallingContextLeave ["Calling Context" CallingContext: 32];
    "CALLING_CONTEXT_SAMPLE" CallingContextSample ["Calling Context" CallingContext: 32, "Unwind Distance" Value: 32, "Interrupt Generator" InterruptGenerator: 32];
    "IO_CREATE_HANDLE" IoCreateHandle ["Handle" Handle: 32, "Access Mode" Mode: 8 ACCESS, "Creation Flags" CreationFlags: set CREATION_FLAGS, "Status Flags" StatusFlags: set STATUS_FLAGS];
    "IO_DESTROY_HANDLE" IoDestroyHandle ["Handle" Handle: 32];
    "IO_DUPLICATE_HANDLE" IoDuplicateHandle ["Old Handle" Handle: 32, "New Handle" NewHandle: 32, "Status Flags" StatusFlags: set STATUS_FLAGS];
    "IO_SEEK" IoSeek ["Handle" Handle: 32, "Offset Request" Value: signed, "Whence" Whence: 8 WHENCE, "Offset Result" Offset: 64];
    "IO_CHANGE_FLAGS" IoChangeStatusFlags ["Handle" Handle: 32, "Status Flags" StatusFlags: set STATUS_FLAGS];
    "IO_DELETE_FILE" IoDeleteFile ["I/O Paradigm" IoParadigm: 8, "File" File: 32];
    "IO_OPERATION_BEGIN" IoOperationBegin ["Handle" Handle: 32, "Mode" Mode: 8 IO_OPERATIONS, "Operation Flags" OperationFlags: set IO_OPERATION_FLAGS, "Bytes Request" Bytes: 64, "Matching Id" Request: 64];
    "IO_OPERATION_TEST" IoOperationTest ["Handle" Handle: 32, "Matching Id" Request: 64];
    "IO_OPERATION_ISSUED" IoOperationIssued ["Handle" Handle: 32, "Matching Id" Request: 64];
    "IO_OPERATION_COMPLETE" IoOperationComplete ["Handle" Handle: 32, "Bytes Result" Bytes: 64, "Matching Id" Request: 64];
    "IO_OPERATION_CANCELLED" IoOperationCancelled ["Handle" Handle: 32, "Matching Id" Request: 64];
    "IO_ACQUIRE_LOCK" IoAcquireLock ["Handle" Handle: 32, "Type" LockType: 8 LOCKS];
    "IO_RELEASE_LOCK" IoReleaseLock ["Handle" Handle: 32, "Type" LockType: 8 LOCKS];
    "IO_TRY_LOCK" IoTryLock ["Handle" Handle: 32, "Type" LockType: 8 LOCKS];
    "PROGRAM_BEGIN" ProgramBegin ["Name" String: 32] and Arguments;
    "PROGRAM_END" ProgramEnd ["Exit status" Value: signed];
    "NON_BLOCKING_COLLECTIVE_REQUEST" NonBlockingCollectiveRequest ["Request" Request: 64];
    "NON_BLOCKING_COLLECTIVE_COMPLETE" NonBlockingCollectiveComplete ["Operation" Operation: 8 COLLECTIVE_OPERATIONS, "Communicator" Communicator: 32, "Root" Root: 32 ROOTS, "Sent" Bytes: 64, "Received" BytesReceived: 64, "Request" Request: 64];
    "COMM_CREATE" CommCreate ["Communicator" Communicator: 32];
    "COMM_DESTROY" CommDestroy ["Communicator" Communicator: 32];
}
