//! Passes every kind of event to a visitor.
//!
//! The library calls one function per kind of event. The table below generates these functions for every type of
//! visitor, so that the visitor's code is inlined: an event costs no indirect call and no allocation except those of
//! the visitor.

use std::ffi::c_void;
use std::marker::PhantomData;

use super::errors::{LibraryError, check};
use super::value::{Widen, value_bits};
use crate::bindings::*;

const SUCCESS: OTF2_CallbackCode = OTF2_CallbackCode_enum_OTF2_CALLBACK_SUCCESS;

/// A visitor of events. The library calls its methods, so they must not panic: a panic ends the process.
pub trait EventVisitor {
    /// Visits an event. `operands` identify what happened, `quantities` are amounts, both in the order of the record.
    /// Undefined values of any width are [`UNDEFINED`](super::UNDEFINED).
    fn event<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        code: EventCode,
        time: u64,
        operands: [u64; OPERANDS],
        quantities: [u64; QUANTITIES],
        attributes: Attributes<'_>,
    );

    /// Visits the values of a metric: the type and the bits of each member.
    fn metric(
        &mut self,
        time: u64,
        metric: u64,
        types: &[u8],
        values: &[u64],
        attributes: Attributes<'_>,
    );

    /// Visits the beginning of the program; its name and its arguments are ids of strings.
    fn program_begin(
        &mut self,
        time: u64,
        name: u64,
        arguments: &[u32],
        attributes: Attributes<'_>,
    );
}

/// The attributes of an event, valid while it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    list: *const OTF2_AttributeList,
    lifetime: PhantomData<&'a OTF2_AttributeList>,
}

impl Attributes<'_> {
    /// Returns the number of attributes.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        if self.list.is_null() {
            return 0;
        }
        // SAFETY: the list belongs to the event that is being visited.
        unsafe { OTF2_AttributeList_GetNumberOfElements(self.list) }
    }

    /// Returns whether there are no attributes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with the id, the type and the bits of each attribute.
    pub fn for_each(&self, mut visit: impl FnMut(u64, u8, u64)) {
        for index in 0..self.len() {
            let (mut attribute, mut value_type) = (0, 0);
            let mut value = OTF2_AttributeValue { uint64: 0 };
            // SAFETY: the list is valid as in `len`, and the other pointers are to results.
            let code = unsafe {
                OTF2_AttributeList_GetAttributeByIndex(
                    self.list,
                    index,
                    &mut attribute,
                    &mut value_type,
                    &mut value,
                )
            };
            if code == OTF2_ErrorCode_OTF2_SUCCESS {
                visit(attribute.widen(), value_type, value_bits(value_type, value));
            }
        }
    }
}

/// Returns the visitor that the user data points to, and the attributes of the event.
///
/// # Safety
/// `user_data` is the registered visitor, and nothing else refers to it; `list` is null or valid until the callback
/// returns.
#[inline(always)]
pub(super) unsafe fn context<'a, V>(
    user_data: *mut c_void,
    list: *mut OTF2_AttributeList,
) -> (&'a mut V, Attributes<'a>) {
    // SAFETY: by the contract of this function.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    (
        visitor,
        Attributes {
            list,
            lifetime: PhantomData,
        },
    )
}

macro_rules! event_callbacks {
    ($($variant:ident $function:ident $setter:ident ($($parameter:ident: $type:ty),*) [$($operand:ident)*] [$($quantity:ident)*];)*) => {
        mod callbacks {
            use super::*;

            $(
                #[allow(clippy::too_many_arguments, clippy::extra_unused_type_parameters)]
                pub(super) unsafe extern "C" fn $function<V: EventVisitor>(
                    _location: OTF2_LocationRef,
                    time: OTF2_TimeStamp,
                    _position: u64,
                    user_data: *mut c_void,
                    list: *mut OTF2_AttributeList,
                    $($parameter: $type),*
                ) -> OTF2_CallbackCode {
                    // SAFETY: the library passes the registered visitor and a list of its own.
                    let (visitor, attributes) = unsafe { context::<V>(user_data, list) };
                    visitor.event(
                        EventCode::$variant,
                        time,
                        [$($operand.widen()),*],
                        [$($quantity.widen()),*],
                        attributes,
                    );
                    SUCCESS
                }
            )*
        }

        impl EventCode {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name of the record, in lower case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($function),)* }
            }

            /// Returns the names of the operands.
            #[must_use]
            pub const fn operands(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$(stringify!($operand)),*],)* }
            }

            /// Returns the names of the quantities.
            #[must_use]
            pub const fn quantities(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$(stringify!($quantity)),*],)* }
            }
        }

        /// Sets all callbacks of the table.
        ///
        /// # Safety
        /// `table` is a table of the library.
        pub(super) unsafe fn fill<V: EventVisitor>(table: *mut OTF2_EvtReaderCallbacks) -> Result<(), LibraryError> {
            // SAFETY: the table is valid, and every function has the type that its setter requires.
            unsafe {
                $(check($setter(table, Some(callbacks::$function::<V>)))?;)*
                check(OTF2_EvtReaderCallbacks_SetMetricCallback(table, Some(metric::<V>)))?;
                check(OTF2_EvtReaderCallbacks_SetProgramBeginCallback(table, Some(program_begin::<V>)))
            }
        }
    };
}

/// The type of an event, with the names of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum EventCode {
    Unknown,
    BufferFlush,
    MeasurementOnOff,
    Enter,
    Leave,
    MpiSend,
    MpiIsend,
    MpiIsendComplete,
    MpiIrecvRequest,
    MpiRecv,
    MpiIrecv,
    MpiRequestTest,
    MpiRequestCancelled,
    MpiCollectiveBegin,
    MpiCollectiveEnd,
    OmpFork,
    OmpJoin,
    OmpAcquireLock,
    OmpReleaseLock,
    OmpTaskCreate,
    OmpTaskSwitch,
    OmpTaskComplete,
    ParameterString,
    ParameterInt,
    ParameterUnsignedInt,
    RmaWinCreate,
    RmaWinDestroy,
    RmaCollectiveBegin,
    RmaCollectiveEnd,
    RmaGroupSync,
    RmaRequestLock,
    RmaAcquireLock,
    RmaTryLock,
    RmaReleaseLock,
    RmaSync,
    RmaWaitChange,
    RmaPut,
    RmaGet,
    RmaAtomic,
    RmaOpCompleteBlocking,
    RmaOpCompleteNonBlocking,
    RmaOpTest,
    RmaOpCompleteRemote,
    ThreadFork,
    ThreadJoin,
    ThreadTeamBegin,
    ThreadTeamEnd,
    ThreadAcquireLock,
    ThreadReleaseLock,
    ThreadTaskCreate,
    ThreadTaskSwitch,
    ThreadTaskComplete,
    ThreadCreate,
    ThreadBegin,
    ThreadWait,
    ThreadEnd,
    CallingContextEnter,
    CallingContextLeave,
    CallingContextSample,
    IoCreateHandle,
    IoDestroyHandle,
    IoDuplicateHandle,
    IoSeek,
    IoChangeStatusFlags,
    IoDeleteFile,
    IoOperationBegin,
    IoOperationTest,
    IoOperationIssued,
    IoOperationComplete,
    IoOperationCancelled,
    IoAcquireLock,
    IoReleaseLock,
    IoTryLock,
    ProgramEnd,
    NonBlockingCollectiveRequest,
    NonBlockingCollectiveComplete,
    CommCreate,
    CommDestroy,
}

unsafe extern "C" fn metric<V: EventVisitor>(
    _location: OTF2_LocationRef,
    time: OTF2_TimeStamp,
    _position: u64,
    user_data: *mut c_void,
    list: *mut OTF2_AttributeList,
    metric: OTF2_MetricRef,
    count: u8,
    types: *const OTF2_Type,
    values: *const OTF2_MetricValue,
) -> OTF2_CallbackCode {
    // SAFETY: the library passes the registered visitor and a list of its own.
    let (visitor, attributes) = unsafe { context::<V>(user_data, list) };
    // SAFETY: both arrays have `count` elements until the callback returns; a metric's value is a
    // union of 64-bit members, any bits of which are a valid u64.
    let (types, values) = unsafe {
        (
            slice(types, usize::from(count)),
            slice(values.cast(), usize::from(count)),
        )
    };
    visitor.metric(time, metric.widen(), types, values, attributes);
    SUCCESS
}

unsafe extern "C" fn program_begin<V: EventVisitor>(
    _location: OTF2_LocationRef,
    time: OTF2_TimeStamp,
    _position: u64,
    user_data: *mut c_void,
    list: *mut OTF2_AttributeList,
    name: OTF2_StringRef,
    count: u32,
    arguments: *const OTF2_StringRef,
) -> OTF2_CallbackCode {
    // SAFETY: the library passes the registered visitor and a list of its own.
    let (visitor, attributes) = unsafe { context::<V>(user_data, list) };
    // SAFETY: the array has `count` elements until the callback returns.
    let arguments = unsafe { slice(arguments, count as usize) };
    visitor.program_begin(time, name.widen(), arguments, attributes);
    SUCCESS
}

/// Returns an array of the library as a slice; empty if `pointer` is null.
///
/// # Safety
/// `pointer` is null or has `count` elements that live as long as the slice is used.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

event_callbacks! {
    Unknown unknown OTF2_EvtReaderCallbacks_SetUnknownCallback
        () [] [];
    BufferFlush buffer_flush OTF2_EvtReaderCallbacks_SetBufferFlushCallback
        (stop_time: OTF2_TimeStamp) [] [stop_time];
    MeasurementOnOff measurement_on_off OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback
        (measurement_mode: OTF2_MeasurementMode) [measurement_mode] [];
    Enter enter OTF2_EvtReaderCallbacks_SetEnterCallback
        (region: OTF2_RegionRef) [region] [];
    Leave leave OTF2_EvtReaderCallbacks_SetLeaveCallback
        (region: OTF2_RegionRef) [region] [];
    MpiSend mpi_send OTF2_EvtReaderCallbacks_SetMpiSendCallback
        (receiver: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64) [receiver communicator msg_tag] [msg_length];
    MpiIsend mpi_isend OTF2_EvtReaderCallbacks_SetMpiIsendCallback
        (receiver: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64, request_id: u64) [receiver communicator msg_tag] [msg_length request_id];
    MpiIsendComplete mpi_isend_complete OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback
        (request_id: u64) [] [request_id];
    MpiIrecvRequest mpi_irecv_request OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback
        (request_id: u64) [] [request_id];
    MpiRecv mpi_recv OTF2_EvtReaderCallbacks_SetMpiRecvCallback
        (sender: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64) [sender communicator msg_tag] [msg_length];
    MpiIrecv mpi_irecv OTF2_EvtReaderCallbacks_SetMpiIrecvCallback
        (sender: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64, request_id: u64) [sender communicator msg_tag] [msg_length request_id];
    MpiRequestTest mpi_request_test OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback
        (request_id: u64) [] [request_id];
    MpiRequestCancelled mpi_request_cancelled OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback
        (request_id: u64) [] [request_id];
    MpiCollectiveBegin mpi_collective_begin OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback
        () [] [];
    MpiCollectiveEnd mpi_collective_end OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback
        (collective_op: OTF2_CollectiveOp, communicator: OTF2_CommRef, root: u32, size_sent: u64, size_received: u64) [collective_op communicator root] [size_sent size_received];
    OmpFork omp_fork OTF2_EvtReaderCallbacks_SetOmpForkCallback
        (number_of_requested_threads: u32) [] [number_of_requested_threads];
    OmpJoin omp_join OTF2_EvtReaderCallbacks_SetOmpJoinCallback
        () [] [];
    OmpAcquireLock omp_acquire_lock OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback
        (lock_id: u32, acquisition_order: u32) [lock_id] [acquisition_order];
    OmpReleaseLock omp_release_lock OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback
        (lock_id: u32, acquisition_order: u32) [lock_id] [acquisition_order];
    OmpTaskCreate omp_task_create OTF2_EvtReaderCallbacks_SetOmpTaskCreateCallback
        (task_id: u64) [] [task_id];
    OmpTaskSwitch omp_task_switch OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback
        (task_id: u64) [] [task_id];
    OmpTaskComplete omp_task_complete OTF2_EvtReaderCallbacks_SetOmpTaskCompleteCallback
        (task_id: u64) [] [task_id];
    ParameterString parameter_string OTF2_EvtReaderCallbacks_SetParameterStringCallback
        (parameter: OTF2_ParameterRef, string: OTF2_StringRef) [parameter string] [];
    ParameterInt parameter_int OTF2_EvtReaderCallbacks_SetParameterIntCallback
        (parameter: OTF2_ParameterRef, value: i64) [parameter] [value];
    ParameterUnsignedInt parameter_unsigned_int OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback
        (parameter: OTF2_ParameterRef, value: u64) [parameter] [value];
    RmaWinCreate rma_win_create OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback
        (win: OTF2_RmaWinRef) [win] [];
    RmaWinDestroy rma_win_destroy OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback
        (win: OTF2_RmaWinRef) [win] [];
    RmaCollectiveBegin rma_collective_begin OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback
        () [] [];
    RmaCollectiveEnd rma_collective_end OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback
        (collective_op: OTF2_CollectiveOp, sync_level: OTF2_RmaSyncLevel, win: OTF2_RmaWinRef, root: u32, bytes_sent: u64, bytes_received: u64) [collective_op sync_level win root] [bytes_sent bytes_received];
    RmaGroupSync rma_group_sync OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback
        (sync_level: OTF2_RmaSyncLevel, win: OTF2_RmaWinRef, group: OTF2_GroupRef) [sync_level win group] [];
    RmaRequestLock rma_request_lock OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback
        (win: OTF2_RmaWinRef, remote: u32, lock_id: u64, lock_type: OTF2_LockType) [win remote lock_id lock_type] [];
    RmaAcquireLock rma_acquire_lock OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback
        (win: OTF2_RmaWinRef, remote: u32, lock_id: u64, lock_type: OTF2_LockType) [win remote lock_id lock_type] [];
    RmaTryLock rma_try_lock OTF2_EvtReaderCallbacks_SetRmaTryLockCallback
        (win: OTF2_RmaWinRef, remote: u32, lock_id: u64, lock_type: OTF2_LockType) [win remote lock_id lock_type] [];
    RmaReleaseLock rma_release_lock OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback
        (win: OTF2_RmaWinRef, remote: u32, lock_id: u64) [win remote lock_id] [];
    RmaSync rma_sync OTF2_EvtReaderCallbacks_SetRmaSyncCallback
        (win: OTF2_RmaWinRef, remote: u32, sync_type: OTF2_RmaSyncType) [win remote sync_type] [];
    RmaWaitChange rma_wait_change OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback
        (win: OTF2_RmaWinRef) [win] [];
    RmaPut rma_put OTF2_EvtReaderCallbacks_SetRmaPutCallback
        (win: OTF2_RmaWinRef, remote: u32, bytes: u64, matching_id: u64) [win remote] [bytes matching_id];
    RmaGet rma_get OTF2_EvtReaderCallbacks_SetRmaGetCallback
        (win: OTF2_RmaWinRef, remote: u32, bytes: u64, matching_id: u64) [win remote] [bytes matching_id];
    RmaAtomic rma_atomic OTF2_EvtReaderCallbacks_SetRmaAtomicCallback
        (win: OTF2_RmaWinRef, remote: u32, type_: OTF2_RmaAtomicType, bytes_sent: u64, bytes_received: u64, matching_id: u64) [win remote type_] [bytes_sent bytes_received matching_id];
    RmaOpCompleteBlocking rma_op_complete_blocking OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback
        (win: OTF2_RmaWinRef, matching_id: u64) [win] [matching_id];
    RmaOpCompleteNonBlocking rma_op_complete_non_blocking OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback
        (win: OTF2_RmaWinRef, matching_id: u64) [win] [matching_id];
    RmaOpTest rma_op_test OTF2_EvtReaderCallbacks_SetRmaOpTestCallback
        (win: OTF2_RmaWinRef, matching_id: u64) [win] [matching_id];
    RmaOpCompleteRemote rma_op_complete_remote OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback
        (win: OTF2_RmaWinRef, matching_id: u64) [win] [matching_id];
    ThreadFork thread_fork OTF2_EvtReaderCallbacks_SetThreadForkCallback
        (model: OTF2_Paradigm, number_of_requested_threads: u32) [model] [number_of_requested_threads];
    ThreadJoin thread_join OTF2_EvtReaderCallbacks_SetThreadJoinCallback
        (model: OTF2_Paradigm) [model] [];
    ThreadTeamBegin thread_team_begin OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback
        (thread_team: OTF2_CommRef) [thread_team] [];
    ThreadTeamEnd thread_team_end OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback
        (thread_team: OTF2_CommRef) [thread_team] [];
    ThreadAcquireLock thread_acquire_lock OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback
        (model: OTF2_Paradigm, lock_id: u32, acquisition_order: u32) [model lock_id] [acquisition_order];
    ThreadReleaseLock thread_release_lock OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback
        (model: OTF2_Paradigm, lock_id: u32, acquisition_order: u32) [model lock_id] [acquisition_order];
    ThreadTaskCreate thread_task_create OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback
        (thread_team: OTF2_CommRef, creating_thread: u32, generation_number: u32) [thread_team creating_thread] [generation_number];
    ThreadTaskSwitch thread_task_switch OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback
        (thread_team: OTF2_CommRef, creating_thread: u32, generation_number: u32) [thread_team creating_thread] [generation_number];
    ThreadTaskComplete thread_task_complete OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback
        (thread_team: OTF2_CommRef, creating_thread: u32, generation_number: u32) [thread_team creating_thread] [generation_number];
    ThreadCreate thread_create OTF2_EvtReaderCallbacks_SetThreadCreateCallback
        (thread_contingent: OTF2_CommRef, sequence_count: u64) [thread_contingent] [sequence_count];
    ThreadBegin thread_begin OTF2_EvtReaderCallbacks_SetThreadBeginCallback
        (thread_contingent: OTF2_CommRef, sequence_count: u64) [thread_contingent] [sequence_count];
    ThreadWait thread_wait OTF2_EvtReaderCallbacks_SetThreadWaitCallback
        (thread_contingent: OTF2_CommRef, sequence_count: u64) [thread_contingent] [sequence_count];
    ThreadEnd thread_end OTF2_EvtReaderCallbacks_SetThreadEndCallback
        (thread_contingent: OTF2_CommRef, sequence_count: u64) [thread_contingent] [sequence_count];
    CallingContextEnter calling_context_enter OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback
        (calling_context: OTF2_CallingContextRef, unwind_distance: u32) [calling_context] [unwind_distance];
    CallingContextLeave calling_context_leave OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback
        (calling_context: OTF2_CallingContextRef) [calling_context] [];
    CallingContextSample calling_context_sample OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback
        (calling_context: OTF2_CallingContextRef, unwind_distance: u32, interrupt_generator: OTF2_InterruptGeneratorRef) [calling_context interrupt_generator] [unwind_distance];
    IoCreateHandle io_create_handle OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback
        (handle: OTF2_IoHandleRef, mode: OTF2_IoAccessMode, creation_flags: OTF2_IoCreationFlag, status_flags: OTF2_IoStatusFlag) [handle mode creation_flags status_flags] [];
    IoDestroyHandle io_destroy_handle OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback
        (handle: OTF2_IoHandleRef) [handle] [];
    IoDuplicateHandle io_duplicate_handle OTF2_EvtReaderCallbacks_SetIoDuplicateHandleCallback
        (old_handle: OTF2_IoHandleRef, new_handle: OTF2_IoHandleRef, status_flags: OTF2_IoStatusFlag) [old_handle new_handle status_flags] [];
    IoSeek io_seek OTF2_EvtReaderCallbacks_SetIoSeekCallback
        (handle: OTF2_IoHandleRef, offset_request: i64, whence: OTF2_IoSeekOption, offset_result: u64) [handle whence] [offset_request offset_result];
    IoChangeStatusFlags io_change_status_flags OTF2_EvtReaderCallbacks_SetIoChangeStatusFlagsCallback
        (handle: OTF2_IoHandleRef, status_flags: OTF2_IoStatusFlag) [handle status_flags] [];
    IoDeleteFile io_delete_file OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback
        (io_paradigm: OTF2_IoParadigmRef, file: OTF2_IoFileRef) [io_paradigm file] [];
    IoOperationBegin io_operation_begin OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback
        (handle: OTF2_IoHandleRef, mode: OTF2_IoOperationMode, operation_flags: OTF2_IoOperationFlag, bytes_request: u64, matching_id: u64) [handle mode operation_flags] [bytes_request matching_id];
    IoOperationTest io_operation_test OTF2_EvtReaderCallbacks_SetIoOperationTestCallback
        (handle: OTF2_IoHandleRef, matching_id: u64) [handle] [matching_id];
    IoOperationIssued io_operation_issued OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback
        (handle: OTF2_IoHandleRef, matching_id: u64) [handle] [matching_id];
    IoOperationComplete io_operation_complete OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback
        (handle: OTF2_IoHandleRef, bytes_result: u64, matching_id: u64) [handle] [bytes_result matching_id];
    IoOperationCancelled io_operation_cancelled OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback
        (handle: OTF2_IoHandleRef, matching_id: u64) [handle] [matching_id];
    IoAcquireLock io_acquire_lock OTF2_EvtReaderCallbacks_SetIoAcquireLockCallback
        (handle: OTF2_IoHandleRef, lock_type: OTF2_LockType) [handle lock_type] [];
    IoReleaseLock io_release_lock OTF2_EvtReaderCallbacks_SetIoReleaseLockCallback
        (handle: OTF2_IoHandleRef, lock_type: OTF2_LockType) [handle lock_type] [];
    IoTryLock io_try_lock OTF2_EvtReaderCallbacks_SetIoTryLockCallback
        (handle: OTF2_IoHandleRef, lock_type: OTF2_LockType) [handle lock_type] [];
    ProgramEnd program_end OTF2_EvtReaderCallbacks_SetProgramEndCallback
        (exit_status: i64) [] [exit_status];
    NonBlockingCollectiveRequest non_blocking_collective_request OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback
        (request_id: u64) [] [request_id];
    NonBlockingCollectiveComplete non_blocking_collective_complete OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback
        (collective_op: OTF2_CollectiveOp, communicator: OTF2_CommRef, root: u32, size_sent: u64, size_received: u64, request_id: u64) [collective_op communicator root] [size_sent size_received request_id];
    CommCreate comm_create OTF2_EvtReaderCallbacks_SetCommCreateCallback
        (communicator: OTF2_CommRef) [communicator] [];
    CommDestroy comm_destroy OTF2_EvtReaderCallbacks_SetCommDestroyCallback
        (communicator: OTF2_CommRef) [communicator] [];
}
