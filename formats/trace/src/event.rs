//! The kinds of events, and where each of their operands is stored.
//!
//! The names follow OTF2's records. An operand that says *what* happened (region, peer, tag, …) is topological and
//! part of the event's symbol. An operand that says *how much* (bytes, request id, counter) is a quantity and has a
//! column of its own. The table below is the only place that decides this; `schemas/events.md` publishes it.

use std::fmt;

/// The maximum number of topological operands of an event kind.
pub const MAX_OPERANDS: usize = 4;

macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($(#[doc = $line:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $enum { $($(#[doc = $line])* $variant,)* }

        impl $enum {
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The number of values.
            pub const COUNT: usize = Self::ALL.len();

            /// Returns the name used in files and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns what the documentation of the value says.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($line),*).trim_ascii_start(),)* }
            }

            /// Returns the value with that name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

names! {
    /// A topological operand: part of what happened.
    Operand {
        /// Source code region entered or left.
        Region = "region",
        /// Rank of the other process, within the communicator (or within that of the window).
        Peer = "peer",
        /// Communicator, thread team or thread contingent.
        Communicator = "communicator",
        /// Message tag.
        Tag = "tag",
        /// Collective operation.
        Operation = "operation",
        /// Root rank of a collective operation.
        Root = "root",
        /// Synchronisation level of an RMA operation.
        SyncLevel = "sync_level",
        /// RMA window.
        Window = "window",
        /// Group of locations.
        Group = "group",
        /// Lock id.
        Lock = "lock",
        /// Exclusive or shared lock.
        LockType = "lock_type",
        /// Kind of RMA synchronisation.
        SyncType = "sync_type",
        /// Kind of RMA atomic operation.
        AtomicType = "atomic_type",
        /// Threading paradigm.
        Model = "model",
        /// Rank of the thread that created a task.
        CreatingThread = "creating_thread",
        /// Calling context.
        CallingContext = "calling_context",
        /// Source of an interrupt that triggered a sample.
        InterruptGenerator = "interrupt_generator",
        /// I/O handle.
        Handle = "handle",
        /// I/O handle created by a duplication.
        NewHandle = "new_handle",
        /// Access, operation or measurement mode.
        Mode = "mode",
        /// Flags given at creation of an I/O handle.
        CreationFlags = "creation_flags",
        /// Status flags of an I/O handle.
        StatusFlags = "status_flags",
        /// Flags of an I/O operation.
        OperationFlags = "operation_flags",
        /// Reference point of a seek.
        Whence = "whence",
        /// I/O paradigm.
        IoParadigm = "io_paradigm",
        /// I/O file.
        File = "file",
        /// Metric class or instance.
        Metric = "metric",
        /// Parameter.
        Parameter = "parameter",
        /// A string: program name, value of a string parameter.
        String = "string",
    }
}

impl Operand {
    /// Returns whether values of this operand count or order something, so that an arithmetic progression of them is
    /// meaningful (rank 1, 2, 3, …). All other operands are only identifiers.
    #[must_use]
    #[inline]
    pub const fn is_number(self) -> bool {
        matches!(
            self,
            Self::Peer | Self::Tag | Self::Root | Self::CreatingThread
        )
    }
}

names! {
    /// A quantitative operand: how much. Time is not a `Quantity`, because every event has a time.
    Quantity {
        /// Bytes sent, requested or transferred.
        Bytes = "bytes",
        /// Bytes received by a collective or atomic operation.
        BytesReceived = "bytes_received",
        /// Request or matching id.
        Request = "request",
        /// The kind's own number, see `schemas/events.md`. Signed values are stored in two's complement.
        Value = "value",
        /// File offset after a seek.
        Offset = "offset",
    }
}

impl Quantity {
    /// Returns the bit of this quantity in a set of quantities.
    #[must_use]
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

macro_rules! event_kinds {
    ($($(#[doc = $line:literal])* $variant:ident $text:literal [$($operand:ident)*] [$($quantity:ident)*];)*) => {
        names! {
            /// The kind of an event. The names follow OTF2's records.
            EventKind { $($(#[doc = $line])* $variant = $text,)* }
        }

        impl EventKind {
            /// Returns the topological operands of this kind, in the order of a symbol's slots.
            #[must_use]
            #[inline]
            pub const fn operands(self) -> &'static [Operand] {
                match self { $(Self::$variant => &[$(Operand::$operand),*],)* }
            }

            /// Returns the quantities that every event of this kind has, in addition to its time.
            #[must_use]
            #[inline]
            pub const fn quantities(self) -> &'static [Quantity] {
                match self { $(Self::$variant => &[$(Quantity::$quantity),*],)* }
            }

            /// Returns the quantities of this kind as a set, one [`bit`](Quantity::bit) each.
            #[must_use]
            #[inline]
            pub const fn quantity_bits(self) -> u8 {
                match self { $(Self::$variant => 0 $(| Quantity::$quantity.bit())*,)* }
            }
        }
    };
}

event_kinds! {
    /// A record of an unknown type.
    Unknown "unknown" [] [];
    /// The trace buffer was flushed; value: time at which the flush ended.
    BufferFlush "buffer_flush" [] [Value];
    /// Measurement was switched on or off.
    MeasurementOnOff "measurement_on_off" [Mode] [];
    /// A region was entered.
    Enter "enter" [Region] [];
    /// A region was left.
    Leave "leave" [Region] [];
    /// A message was sent (blocking).
    MpiSend "mpi_send" [Peer Communicator Tag] [Bytes];
    /// A non-blocking send was started.
    MpiIsend "mpi_isend" [Peer Communicator Tag] [Bytes Request];
    /// A non-blocking send has completed.
    MpiIsendComplete "mpi_isend_complete" [] [Request];
    /// A non-blocking receive was started.
    MpiIrecvRequest "mpi_irecv_request" [] [Request];
    /// A message was received (blocking).
    MpiRecv "mpi_recv" [Peer Communicator Tag] [Bytes];
    /// A non-blocking receive has completed.
    MpiIrecv "mpi_irecv" [Peer Communicator Tag] [Bytes Request];
    /// A request was tested and had not completed.
    MpiRequestTest "mpi_request_test" [] [Request];
    /// A request was cancelled.
    MpiRequestCancelled "mpi_request_cancelled" [] [Request];
    /// A collective operation begins.
    MpiCollectiveBegin "mpi_collective_begin" [] [];
    /// A collective operation ends.
    MpiCollectiveEnd "mpi_collective_end" [Operation Communicator Root] [Bytes BytesReceived];
    /// An OpenMP team is forked; value: requested threads.
    OmpFork "omp_fork" [] [Value];
    /// An OpenMP team is joined.
    OmpJoin "omp_join" [] [];
    /// An OpenMP lock was acquired; value: acquisition order.
    OmpAcquireLock "omp_acquire_lock" [Lock] [Value];
    /// An OpenMP lock was released; value: acquisition order.
    OmpReleaseLock "omp_release_lock" [Lock] [Value];
    /// An OpenMP task was created; value: task id.
    OmpTaskCreate "omp_task_create" [] [Value];
    /// Execution switched to an OpenMP task; value: task id.
    OmpTaskSwitch "omp_task_switch" [] [Value];
    /// An OpenMP task has completed; value: task id.
    OmpTaskComplete "omp_task_complete" [] [Value];
    /// Values of the members of a metric.
    Metric "metric" [Metric] [];
    /// A string parameter.
    ParameterString "parameter_string" [Parameter String] [];
    /// A signed parameter; value: its value.
    ParameterInt "parameter_int" [Parameter] [Value];
    /// An unsigned parameter; value: its value.
    ParameterUnsignedInt "parameter_unsigned_int" [Parameter] [Value];
    /// An RMA window was created.
    RmaWinCreate "rma_win_create" [Window] [];
    /// An RMA window was destroyed.
    RmaWinDestroy "rma_win_destroy" [Window] [];
    /// A collective RMA operation begins.
    RmaCollectiveBegin "rma_collective_begin" [] [];
    /// A collective RMA operation ends.
    RmaCollectiveEnd "rma_collective_end" [Operation SyncLevel Window Root] [Bytes BytesReceived];
    /// A group synchronises on a window.
    RmaGroupSync "rma_group_sync" [SyncLevel Window Group] [];
    /// A lock on a window was requested.
    RmaRequestLock "rma_request_lock" [Window Peer Lock LockType] [];
    /// A lock on a window was acquired.
    RmaAcquireLock "rma_acquire_lock" [Window Peer Lock LockType] [];
    /// An attempt to acquire a lock on a window failed.
    RmaTryLock "rma_try_lock" [Window Peer Lock LockType] [];
    /// A lock on a window was released.
    RmaReleaseLock "rma_release_lock" [Window Peer Lock] [];
    /// Synchronisation with a remote process.
    RmaSync "rma_sync" [Window Peer SyncType] [];
    /// Waited for a change of the window's memory.
    RmaWaitChange "rma_wait_change" [Window] [];
    /// Bytes were put; request: matching id.
    RmaPut "rma_put" [Window Peer] [Bytes Request];
    /// Bytes were fetched; request: matching id.
    RmaGet "rma_get" [Window Peer] [Bytes Request];
    /// A remote atomic operation; request: matching id.
    RmaAtomic "rma_atomic" [Window Peer AtomicType] [Bytes BytesReceived Request];
    /// An RMA operation completed, blocking.
    RmaOpCompleteBlocking "rma_op_complete_blocking" [Window] [Request];
    /// An RMA operation completed, non-blocking.
    RmaOpCompleteNonBlocking "rma_op_complete_non_blocking" [Window] [Request];
    /// An RMA operation was tested.
    RmaOpTest "rma_op_test" [Window] [Request];
    /// An RMA operation completed at its remote side.
    RmaOpCompleteRemote "rma_op_complete_remote" [Window] [Request];
    /// Threads are forked; value: requested threads.
    ThreadFork "thread_fork" [Model] [Value];
    /// Threads are joined.
    ThreadJoin "thread_join" [Model] [];
    /// A thread joins a team.
    ThreadTeamBegin "thread_team_begin" [Communicator] [];
    /// A thread leaves a team.
    ThreadTeamEnd "thread_team_end" [Communicator] [];
    /// A lock was acquired; value: acquisition order.
    ThreadAcquireLock "thread_acquire_lock" [Model Lock] [Value];
    /// A lock was released; value: acquisition order.
    ThreadReleaseLock "thread_release_lock" [Model Lock] [Value];
    /// A task was created; value: generation number.
    ThreadTaskCreate "thread_task_create" [Communicator CreatingThread] [Value];
    /// Execution switched to a task; value: generation number.
    ThreadTaskSwitch "thread_task_switch" [Communicator CreatingThread] [Value];
    /// A task has completed; value: generation number.
    ThreadTaskComplete "thread_task_complete" [Communicator CreatingThread] [Value];
    /// A thread was created; value: sequence count.
    ThreadCreate "thread_create" [Communicator] [Value];
    /// A thread begins; value: sequence count.
    ThreadBegin "thread_begin" [Communicator] [Value];
    /// A thread was waited for; value: sequence count.
    ThreadWait "thread_wait" [Communicator] [Value];
    /// A thread ends; value: sequence count.
    ThreadEnd "thread_end" [Communicator] [Value];
    /// A calling context was entered; value: unwind distance.
    CallingContextEnter "calling_context_enter" [CallingContext] [Value];
    /// A calling context was left.
    CallingContextLeave "calling_context_leave" [CallingContext] [];
    /// A calling context was sampled; value: unwind distance.
    CallingContextSample "calling_context_sample" [CallingContext InterruptGenerator] [Value];
    /// An I/O handle was created.
    IoCreateHandle "io_create_handle" [Handle Mode CreationFlags StatusFlags] [];
    /// An I/O handle was destroyed.
    IoDestroyHandle "io_destroy_handle" [Handle] [];
    /// An I/O handle was duplicated.
    IoDuplicateHandle "io_duplicate_handle" [Handle NewHandle StatusFlags] [];
    /// A seek; value: requested offset (signed); offset: resulting offset.
    IoSeek "io_seek" [Handle Whence] [Value Offset];
    /// Status flags of a handle changed.
    IoChangeStatusFlags "io_change_status_flags" [Handle StatusFlags] [];
    /// A file was deleted.
    IoDeleteFile "io_delete_file" [IoParadigm File] [];
    /// An I/O operation begins; request: matching id.
    IoOperationBegin "io_operation_begin" [Handle Mode OperationFlags] [Bytes Request];
    /// An I/O operation was tested and had not completed.
    IoOperationTest "io_operation_test" [Handle] [Request];
    /// A non-blocking I/O operation was issued.
    IoOperationIssued "io_operation_issued" [Handle] [Request];
    /// An I/O operation has completed.
    IoOperationComplete "io_operation_complete" [Handle] [Bytes Request];
    /// An I/O operation was cancelled.
    IoOperationCancelled "io_operation_cancelled" [Handle] [Request];
    /// A file lock was acquired.
    IoAcquireLock "io_acquire_lock" [Handle LockType] [];
    /// A file lock was released.
    IoReleaseLock "io_release_lock" [Handle LockType] [];
    /// An attempt to acquire a file lock failed.
    IoTryLock "io_try_lock" [Handle LockType] [];
    /// The program begins; its arguments are stored as attributes.
    ProgramBegin "program_begin" [String] [];
    /// The program ends; value: exit status (signed).
    ProgramEnd "program_end" [] [Value];
    /// A non-blocking collective was started.
    NonBlockingCollectiveRequest "non_blocking_collective_request" [] [Request];
    /// A non-blocking collective has completed.
    NonBlockingCollectiveComplete "non_blocking_collective_complete" [Operation Communicator Root] [Bytes BytesReceived Request];
    /// A communicator was created.
    CommCreate "comm_create" [Communicator] [];
    /// A communicator was destroyed.
    CommDestroy "comm_destroy" [Communicator] [];
    /// A probe found a message; value: message id, or 2^64 − 1 if the message was left in the queue.
    MpiProbe "mpi_probe" [Peer Communicator Tag] [Value];
    /// A message matched by an earlier probe was received (blocking); value: message id.
    MpiMrecv "mpi_mrecv" [] [Bytes Value];
    /// A non-blocking receive of a message matched by an earlier probe was started; value: message id.
    MpiImrecvRequest "mpi_imrecv_request" [] [Request Value];
    /// A non-blocking receive of a message matched by an earlier probe has completed.
    MpiImrecv "mpi_imrecv" [] [Bytes Request];
    /// A local event that a text trace describes in its own words.
    Local "local" [String] [];
}

/// The slot of an operand that a kind does not have.
const NO_SLOT: u8 = u8::MAX;

/// The slot of each operand in a symbol of each kind.
const SLOTS: [[u8; Operand::COUNT]; EventKind::COUNT] = {
    let mut slots = [[NO_SLOT; Operand::COUNT]; EventKind::COUNT];
    let mut kind = 0;
    while kind < EventKind::COUNT {
        let operands = EventKind::ALL[kind].operands();
        let mut slot = 0;
        while slot < operands.len() {
            slots[kind][operands[slot] as usize] = slot as u8;
            slot += 1;
        }
        kind += 1;
    }
    slots
};

impl EventKind {
    /// Returns whether this is one of the events that the papers count as communication: a send, the completion of a
    /// receive, or the end of a collective. Such an event names its partners.
    #[must_use]
    #[inline]
    pub const fn is_communication(self) -> bool {
        self.is_send() || self.is_receive() || self.is_collective()
    }

    /// Returns whether an event of this kind sends a message.
    #[must_use]
    #[inline]
    pub const fn is_send(self) -> bool {
        matches!(self, Self::MpiSend | Self::MpiIsend)
    }

    /// Returns whether an event of this kind completes the receive of a message and names its sender.
    ///
    /// Receives of a probed message (`mpi_mrecv`, `mpi_imrecv`) are excluded: they refer to a message id or a
    /// request, and only the probe names the sender. The probe itself receives nothing.
    #[must_use]
    #[inline]
    pub const fn is_receive(self) -> bool {
        matches!(self, Self::MpiRecv | Self::MpiIrecv)
    }

    /// Returns whether an event of this kind leaves a call.
    #[must_use]
    #[inline]
    pub const fn is_leave(self) -> bool {
        matches!(self, Self::Leave | Self::CallingContextLeave)
    }

    /// Returns whether an event of this kind completes a collective operation.
    #[must_use]
    #[inline]
    pub const fn is_collective(self) -> bool {
        matches!(
            self,
            Self::MpiCollectiveEnd | Self::RmaCollectiveEnd | Self::NonBlockingCollectiveComplete
        )
    }

    /// Returns whether the kind's [`Quantity::Value`] is signed. If so, −1 is a value like any other and does not
    /// mean undefined.
    #[must_use]
    #[inline]
    pub const fn has_signed_value(self) -> bool {
        matches!(self, Self::ParameterInt | Self::ProgramEnd | Self::IoSeek)
    }

    /// Returns the kind with that discriminant.
    #[must_use]
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// Returns the slot of `operand` in a symbol of this kind.
    #[must_use]
    #[inline]
    pub const fn slot(self, operand: Operand) -> Option<usize> {
        match SLOTS[self as usize][operand as usize] {
            NO_SLOT => None,
            slot => Some(slot as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kind() {
        for &kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), Some(kind));
            assert_eq!(EventKind::from_index(kind as u8), Some(kind));
            assert!(kind.operands().len() <= MAX_OPERANDS, "{kind}");
        }
        assert_eq!(EventKind::from_name("nothing"), None);
    }

    #[test]
    fn who_sends_or_receives_has_a_peer_a_communicator_and_a_tag() {
        for kind in EventKind::ALL
            .iter()
            .filter(|k| k.is_send() || k.is_receive())
        {
            for operand in [Operand::Peer, Operand::Communicator, Operand::Tag] {
                assert!(kind.slot(operand).is_some(), "{kind} has no {operand}");
            }
        }
    }

    #[test]
    fn no_kind_names_an_operand_or_a_quantity_twice() {
        for &kind in EventKind::ALL {
            for (i, operand) in kind.operands().iter().enumerate() {
                assert_eq!(kind.slot(*operand), Some(i), "{kind}");
            }
            let quantities = kind.quantities();
            assert!(quantities.is_sorted(), "{kind}: quantities in column order");
        }
    }
}
