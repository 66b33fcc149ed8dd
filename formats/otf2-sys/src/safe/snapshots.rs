//! Reads snapshots: the state of a location at some time, so that a reader can begin there.

use std::ffi::c_void;

use super::errors::{LibraryError, check, null_error};
use super::events::{Attributes, context, slice};
use super::value::Widen;
use crate::bindings::*;

const SUCCESS: OTF2_CallbackCode = OTF2_CallbackCode_enum_OTF2_CALLBACK_SUCCESS;

/// A visitor of the records of snapshots. The library calls its methods, so they must not panic.
pub trait SnapshotVisitor {
    /// Visits a record of the snapshot at `time`. `fields` are in the order of the record; if it describes an event,
    /// the time of that event is the first. Undefined values of any width are [`UNDEFINED`](super::UNDEFINED).
    fn record(&mut self, code: SnapshotCode, time: u64, fields: &[u64], attributes: Attributes<'_>);

    /// Visits the values of a metric that was last set at `event_time`: the type and the bits of each member.
    fn metric(
        &mut self,
        time: u64,
        event_time: u64,
        metric: u64,
        types: &[u8],
        values: &[u64],
        attributes: Attributes<'_>,
    );
}

/// The type of a record, with the names of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum SnapshotCode {
    Unknown,
    SnapshotStart,
    SnapshotEnd,
    MeasurementOnOff,
    Enter,
    MpiSend,
    MpiIsend,
    MpiIsendComplete,
    MpiRecv,
    MpiIrecvRequest,
    MpiIrecv,
    MpiCollectiveBegin,
    MpiCollectiveEnd,
    OmpFork,
    OmpAcquireLock,
    OmpTaskCreate,
    OmpTaskSwitch,
    ParameterString,
    ParameterInt,
    ParameterUnsignedInt,
}

macro_rules! snapshot_callbacks {
    ($($variant:ident $function:ident $setter:ident ($($parameter:ident: $type:ty),*);)*) => {
        mod callbacks {
            use super::*;

            $(
                #[allow(clippy::too_many_arguments)]
                pub(super) unsafe extern "C" fn $function<V: SnapshotVisitor>(
                    _location: OTF2_LocationRef,
                    time: OTF2_TimeStamp,
                    user_data: *mut c_void,
                    list: *mut OTF2_AttributeList,
                    $($parameter: $type),*
                ) -> OTF2_CallbackCode {
                    // SAFETY: the library passes the registered visitor and a list of its own.
                    let (visitor, attributes) = unsafe { context::<V>(user_data, list) };
                    visitor.record(SnapshotCode::$variant, time, &[$($parameter.widen()),*], attributes);
                    SUCCESS
                }
            )*
        }

        impl SnapshotCode {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }

        /// Sets all callbacks of the table.
        ///
        /// # Safety
        /// `table` is a table of the library.
        unsafe fn fill<V: SnapshotVisitor>(
            table: *mut OTF2_SnapReaderCallbacks,
        ) -> Result<(), LibraryError> {
            // SAFETY: the table is valid, and every function has the type that its setter requires.
            unsafe {
                $(check($setter(table, Some(callbacks::$function::<V>)))?;)*
                check(OTF2_SnapReaderCallbacks_SetMetricCallback(table, Some(metric::<V>)))
            }
        }
    };
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn metric<V: SnapshotVisitor>(
    _location: OTF2_LocationRef,
    time: OTF2_TimeStamp,
    user_data: *mut c_void,
    list: *mut OTF2_AttributeList,
    event_time: OTF2_TimeStamp,
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
    visitor.metric(time, event_time, metric.widen(), types, values, attributes);
    SUCCESS
}

/// Reads all snapshot records of a selected location, whose files must be open.
pub(super) fn read<V: SnapshotVisitor>(
    archive: *mut OTF2_Reader,
    location: u64,
    visitor: &mut V,
) -> Result<u64, LibraryError> {
    let mut read = 0;
    // SAFETY: the archive is valid. The visitor is registered only while its borrow lasts: the
    // reader that would call it is closed before this function returns.
    unsafe {
        let reader = OTF2_Reader_GetSnapReader(archive, location);
        if reader.is_null() {
            return Err(null_error());
        }
        let table = OTF2_SnapReaderCallbacks_New();
        let result = fill::<V>(table).and_then(|()| {
            let user_data = std::ptr::from_mut(visitor).cast();
            check(OTF2_Reader_RegisterSnapCallbacks(
                archive, reader, table, user_data,
            ))?;
            check(OTF2_Reader_ReadAllLocalSnapshots(
                archive, reader, &mut read,
            ))
        });
        OTF2_SnapReaderCallbacks_Delete(table);
        let closed = OTF2_Reader_CloseSnapReader(archive, reader);
        result.and_then(|()| check(closed))?;
    }
    Ok(read)
}

snapshot_callbacks! {
    Unknown unknown OTF2_SnapReaderCallbacks_SetUnknownCallback
        ();
    SnapshotStart snapshot_start OTF2_SnapReaderCallbacks_SetSnapshotStartCallback
        (number_of_records: u64);
    SnapshotEnd snapshot_end OTF2_SnapReaderCallbacks_SetSnapshotEndCallback
        (cont_read_pos: u64);
    MeasurementOnOff measurement_on_off OTF2_SnapReaderCallbacks_SetMeasurementOnOffCallback
        (orig_event_time: OTF2_TimeStamp, measurement_mode: OTF2_MeasurementMode);
    Enter enter OTF2_SnapReaderCallbacks_SetEnterCallback
        (orig_event_time: OTF2_TimeStamp, region: OTF2_RegionRef);
    MpiSend mpi_send OTF2_SnapReaderCallbacks_SetMpiSendCallback
        (orig_event_time: OTF2_TimeStamp, receiver: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64);
    MpiIsend mpi_isend OTF2_SnapReaderCallbacks_SetMpiIsendCallback
        (orig_event_time: OTF2_TimeStamp, receiver: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64, request_id: u64);
    MpiIsendComplete mpi_isend_complete OTF2_SnapReaderCallbacks_SetMpiIsendCompleteCallback
        (orig_event_time: OTF2_TimeStamp, request_id: u64);
    MpiRecv mpi_recv OTF2_SnapReaderCallbacks_SetMpiRecvCallback
        (orig_event_time: OTF2_TimeStamp, sender: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64);
    MpiIrecvRequest mpi_irecv_request OTF2_SnapReaderCallbacks_SetMpiIrecvRequestCallback
        (orig_event_time: OTF2_TimeStamp, request_id: u64);
    MpiIrecv mpi_irecv OTF2_SnapReaderCallbacks_SetMpiIrecvCallback
        (orig_event_time: OTF2_TimeStamp, sender: u32, communicator: OTF2_CommRef, msg_tag: u32, msg_length: u64, request_id: u64);
    MpiCollectiveBegin mpi_collective_begin OTF2_SnapReaderCallbacks_SetMpiCollectiveBeginCallback
        (orig_event_time: OTF2_TimeStamp);
    MpiCollectiveEnd mpi_collective_end OTF2_SnapReaderCallbacks_SetMpiCollectiveEndCallback
        (orig_event_time: OTF2_TimeStamp, collective_op: OTF2_CollectiveOp, communicator: OTF2_CommRef, root: u32, size_sent: u64, size_received: u64);
    OmpFork omp_fork OTF2_SnapReaderCallbacks_SetOmpForkCallback
        (orig_event_time: OTF2_TimeStamp, number_of_requested_threads: u32);
    OmpAcquireLock omp_acquire_lock OTF2_SnapReaderCallbacks_SetOmpAcquireLockCallback
        (orig_event_time: OTF2_TimeStamp, lock_id: u32, acquisition_order: u32);
    OmpTaskCreate omp_task_create OTF2_SnapReaderCallbacks_SetOmpTaskCreateCallback
        (orig_event_time: OTF2_TimeStamp, task_id: u64);
    OmpTaskSwitch omp_task_switch OTF2_SnapReaderCallbacks_SetOmpTaskSwitchCallback
        (orig_event_time: OTF2_TimeStamp, task_id: u64);
    ParameterString parameter_string OTF2_SnapReaderCallbacks_SetParameterStringCallback
        (orig_event_time: OTF2_TimeStamp, parameter: OTF2_ParameterRef, string: OTF2_StringRef);
    ParameterInt parameter_int OTF2_SnapReaderCallbacks_SetParameterIntCallback
        (orig_event_time: OTF2_TimeStamp, parameter: OTF2_ParameterRef, value: i64);
    ParameterUnsignedInt parameter_unsigned_int OTF2_SnapReaderCallbacks_SetParameterUnsignedIntCallback
        (orig_event_time: OTF2_TimeStamp, parameter: OTF2_ParameterRef, value: u64);
}
