//! Writes every kind of event, and enough events to fill several chunks.

use super::records::{RecordWriter, every_variant, metric_values};
use super::values::Attributed;
use crate::bindings::*;
use crate::safe::LibraryError;

/// Writes every kind of event.
pub(super) fn every_kind(events: &mut RecordWriter<OTF2_EvtWriter>) -> Result<(), LibraryError> {
    metrics(events)?;
    program_begin(events)?;
    // The end of a buffer flush is a time as well. After a time far in the future, the library does not use earlier
    // clock offsets any more, so this kind is the last one.
    every_variant! { events:
        OTF2_EvtWriter_MeasurementOnOff(measurement_mode);
        OTF2_EvtWriter_Enter(region);
        OTF2_EvtWriter_Leave(region);
        OTF2_EvtWriter_MpiSend(receiver communicator msg_tag msg_length);
        OTF2_EvtWriter_MpiIsend(receiver communicator msg_tag msg_length request_id);
        OTF2_EvtWriter_MpiIsendComplete(request_id);
        OTF2_EvtWriter_MpiIrecvRequest(request_id);
        OTF2_EvtWriter_MpiRecv(sender communicator msg_tag msg_length);
        OTF2_EvtWriter_MpiIrecv(sender communicator msg_tag msg_length request_id);
        OTF2_EvtWriter_MpiRequestTest(request_id);
        OTF2_EvtWriter_MpiRequestCancelled(request_id);
        OTF2_EvtWriter_MpiCollectiveBegin();
        OTF2_EvtWriter_MpiCollectiveEnd(collective_op communicator root size_sent size_received);
        OTF2_EvtWriter_OmpFork(number_of_requested_threads);
        OTF2_EvtWriter_OmpJoin();
        OTF2_EvtWriter_OmpAcquireLock(lock_id acquisition_order);
        OTF2_EvtWriter_OmpReleaseLock(lock_id acquisition_order);
        OTF2_EvtWriter_OmpTaskCreate(task_id);
        OTF2_EvtWriter_OmpTaskSwitch(task_id);
        OTF2_EvtWriter_OmpTaskComplete(task_id);
        OTF2_EvtWriter_ParameterString(parameter string);
        OTF2_EvtWriter_ParameterInt(parameter value);
        OTF2_EvtWriter_ParameterUnsignedInt(parameter value);
        OTF2_EvtWriter_RmaWinCreate(win);
        OTF2_EvtWriter_RmaWinDestroy(win);
        OTF2_EvtWriter_RmaCollectiveBegin();
        OTF2_EvtWriter_RmaCollectiveEnd(collective_op sync_level win root bytes_sent bytes_received);
        OTF2_EvtWriter_RmaGroupSync(sync_level win group);
        OTF2_EvtWriter_RmaRequestLock(win remote lock_id lock_type);
        OTF2_EvtWriter_RmaAcquireLock(win remote lock_id lock_type);
        OTF2_EvtWriter_RmaTryLock(win remote lock_id lock_type);
        OTF2_EvtWriter_RmaReleaseLock(win remote lock_id);
        OTF2_EvtWriter_RmaSync(win remote sync_type);
        OTF2_EvtWriter_RmaWaitChange(win);
        OTF2_EvtWriter_RmaPut(win remote bytes matching_id);
        OTF2_EvtWriter_RmaGet(win remote bytes matching_id);
        OTF2_EvtWriter_RmaAtomic(win remote kind bytes_sent bytes_received matching_id);
        OTF2_EvtWriter_RmaOpCompleteBlocking(win matching_id);
        OTF2_EvtWriter_RmaOpCompleteNonBlocking(win matching_id);
        OTF2_EvtWriter_RmaOpTest(win matching_id);
        OTF2_EvtWriter_RmaOpCompleteRemote(win matching_id);
        OTF2_EvtWriter_ThreadFork(model number_of_requested_threads);
        OTF2_EvtWriter_ThreadJoin(model);
        OTF2_EvtWriter_ThreadTeamBegin(thread_team);
        OTF2_EvtWriter_ThreadTeamEnd(thread_team);
        OTF2_EvtWriter_ThreadAcquireLock(model lock_id acquisition_order);
        OTF2_EvtWriter_ThreadReleaseLock(model lock_id acquisition_order);
        OTF2_EvtWriter_ThreadTaskCreate(thread_team creating_thread generation_number);
        OTF2_EvtWriter_ThreadTaskSwitch(thread_team creating_thread generation_number);
        OTF2_EvtWriter_ThreadTaskComplete(thread_team creating_thread generation_number);
        OTF2_EvtWriter_ThreadCreate(thread_contingent sequence_count);
        OTF2_EvtWriter_ThreadBegin(thread_contingent sequence_count);
        OTF2_EvtWriter_ThreadWait(thread_contingent sequence_count);
        OTF2_EvtWriter_ThreadEnd(thread_contingent sequence_count);
        OTF2_EvtWriter_CallingContextEnter(calling_context unwind_distance);
        OTF2_EvtWriter_CallingContextLeave(calling_context);
        OTF2_EvtWriter_CallingContextSample(calling_context unwind_distance interrupt_generator);
        OTF2_EvtWriter_IoCreateHandle(handle mode creation_flags status_flags);
        OTF2_EvtWriter_IoDestroyHandle(handle);
        OTF2_EvtWriter_IoDuplicateHandle(old_handle new_handle status_flags);
        OTF2_EvtWriter_IoSeek(handle offset_request whence offset_result);
        OTF2_EvtWriter_IoChangeStatusFlags(handle status_flags);
        OTF2_EvtWriter_IoDeleteFile(io_paradigm file);
        OTF2_EvtWriter_IoOperationBegin(handle mode operation_flags bytes_request matching_id);
        OTF2_EvtWriter_IoOperationTest(handle matching_id);
        OTF2_EvtWriter_IoOperationIssued(handle matching_id);
        OTF2_EvtWriter_IoOperationComplete(handle bytes_result matching_id);
        OTF2_EvtWriter_IoOperationCancelled(handle matching_id);
        OTF2_EvtWriter_IoAcquireLock(handle lock_type);
        OTF2_EvtWriter_IoReleaseLock(handle lock_type);
        OTF2_EvtWriter_IoTryLock(handle lock_type);
        OTF2_EvtWriter_ProgramEnd(exit_status);
        OTF2_EvtWriter_NonBlockingCollectiveRequest(request_id);
        OTF2_EvtWriter_NonBlockingCollectiveComplete(collective_op communicator root size_sent size_received request_id);
        OTF2_EvtWriter_CommCreate(communicator);
        OTF2_EvtWriter_CommDestroy(communicator);
        OTF2_EvtWriter_BufferFlush(stop_time);
    }
    Ok(())
}

fn metrics(events: &mut RecordWriter<OTF2_EvtWriter>) -> Result<(), LibraryError> {
    for (metric, members) in [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 9),
        (u32::MAX - 1, 9),
        (u32::MAX, u8::MAX),
    ] {
        let (types, values) = metric_values(members);
        events.attributed(|writer, list, time| {
            // SAFETY: the writer and the list are valid, and the arrays have that many members.
            unsafe {
                OTF2_EvtWriter_Metric(
                    writer,
                    list,
                    time,
                    metric,
                    members,
                    types.as_ptr(),
                    values.as_ptr(),
                )
            }
        })?;
    }
    Ok(())
}

fn program_begin(events: &mut RecordWriter<OTF2_EvtWriter>) -> Result<(), LibraryError> {
    let many: Vec<u32> = (0..300).collect();
    let lists: [(u32, &[u32]); 4] = [
        (1, &[]),
        (2, &[3, u32::MAX, u32::MAX - 1]),
        (u32::MAX, &[0]),
        (u32::MAX - 1, &many),
    ];
    for (name, arguments) in lists {
        events.attributed(|writer, list, time| {
            // SAFETY: the writer and the list are valid, and the array has that many members.
            unsafe {
                OTF2_EvtWriter_ProgramBegin(
                    writer,
                    list,
                    time,
                    name,
                    arguments.len() as u32,
                    arguments.as_ptr(),
                )
            }
        })?;
    }
    Ok(())
}

/// Writes many events of varying lengths, so that chunks end in all possible ways.
pub(super) fn many(events: &mut RecordWriter<OTF2_EvtWriter>) -> Result<(), LibraryError> {
    let mut random = 1u64;
    for number in 0..60_000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let field = random >> (random >> 59);
        let attributed = match number % 1000 {
            0 => Attributed::Every,
            999 => Attributed::One(number / 1000),
            _ => Attributed::None,
        };
        events.one(attributed, |writer, list, time| {
            // SAFETY: the writer and the list are valid; all other arguments are numbers.
            unsafe {
                match random >> 62 {
                    0 => OTF2_EvtWriter_Enter(writer, list, time, field as u32),
                    1 => OTF2_EvtWriter_Leave(writer, list, time, field as u32),
                    2 => OTF2_EvtWriter_MpiIsendComplete(writer, list, time, field),
                    _ => OTF2_EvtWriter_MpiSend(writer, list, time, 1, 0, field as u32, field),
                }
            }
        })?;
        events.time += random >> 40 >> (random >> 58 & 31);
    }
    Ok(())
}

/// Writes an event at the last possible time.
pub(super) fn at_the_end_of_time(
    events: &mut RecordWriter<OTF2_EvtWriter>,
) -> Result<(), LibraryError> {
    events.time = u64::MAX - 1;
    events.one(Attributed::None, |writer, list, time| {
        // SAFETY: the writer and the list are valid; all other arguments are numbers.
        unsafe { OTF2_EvtWriter_Leave(writer, list, time, 1) }
    })
}
