//! Converts the events of one rank to records, call by call.
//!
//! Time between MPI calls is computation. The events within a call are collected until the call is left: only then is
//! it known whether the call both sends and receives, or waits for all requests. A receive is posted where it began,
//! but the trace specifies the received message only where the receive ends, so the records after it must wait.

use std::collections::{HashMap, VecDeque};

use foldtrace_trace::{EventKind, LeftOut, SymbolTable};

use super::collectives::Collective;
use super::record::{Message, Record};

/// Maximum number of records that wait for the end of a receive. Beyond it, the receive is assumed not to end.
const MAX_WAITING: usize = 1 << 16;

/// An operation within a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallOperation {
    /// Sends a message and waits for it.
    Send(Message),
    /// Begins to send a message, with a request.
    Isend(Message, u64),
    /// Completes a send.
    Sent(u64),
    /// Receives a message.
    Receive(Message),
    /// Begins to receive a message.
    Post(u64),
    /// Completes a receive that had begun.
    Received(Message, u64),
    /// Ends a request without a message.
    Cancelled(u64),
    /// A collective operation of all ranks.
    Collective,
    /// A collective operation that is left out.
    Ignored,
}

/// The kinds of requests whose ends a trace records. They are known before its first event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordedEnds {
    /// Whether the trace records the ends of nonblocking sends.
    pub of_sends: bool,
    /// Whether the trace records the ends of nonblocking receives.
    pub of_receives: bool,
}

impl RecordedEnds {
    /// Returns the kinds whose ends occur among the symbols of a trace.
    pub(crate) fn from_symbols(symbols: &SymbolTable) -> Self {
        let has = |kind| symbols.iter().any(|(_, symbol)| symbol.kind == kind);
        Self {
            of_sends: has(EventKind::MpiIsendComplete),
            of_receives: has(EventKind::MpiIrecv),
        }
    }
}

/// Returns the part of an MPI name after `MPI_` or, in the profiling interface, `PMPI_`; `None` for any other name.
pub(crate) fn strip_mpi_prefix(name: &str) -> Option<&str> {
    let prefix = ["mpi_", "pmpi_"].into_iter().find(|prefix| {
        let begins = name.get(..prefix.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(prefix))
    })?;
    Some(&name[prefix.len()..])
}

/// The purpose of a call, as far as the writer distinguishes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Purpose {
    #[default]
    Other,
    /// Waits for several requests, all of them.
    WaitAll,
    /// Sends or receives, or both.
    Message,
    /// Performs a collective operation.
    Collective,
}

impl Purpose {
    pub(crate) fn of_region(region: &str) -> Self {
        let name = strip_mpi_prefix(region)
            .unwrap_or(region)
            .to_ascii_lowercase();
        match name.trim_end_matches('_') {
            "waitall" => Self::WaitAll,
            "send" | "ssend" | "bsend" | "rsend" | "isend" | "issend" | "ibsend" | "irsend"
            | "recv" | "sendrecv" | "sendrecv_replace" => Self::Message,
            name if Collective::is_routine(name) => Self::Collective,
            _ => Self::Other,
        }
    }
}

/// An open request: its number and, for a receive whose message is unknown, the position of its record.
#[derive(Clone, Copy, Debug)]
struct OpenRequest {
    number: u64,
    posted: Option<u64>,
}

/// The state of a rank while its events are read.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    recorded_ends: RecordedEnds,
    operations: Vec<(CallOperation, u64)>,
    /// Open requests, by their ids in the trace.
    open: HashMap<u64, OpenRequest>,
    requests: u64,
    /// The records from the first receive whose message is unknown.
    waiting: VecDeque<Record>,
    /// Number of records before those in `waiting`.
    popped: u64,
    /// Positions of the receives whose messages are unknown, in the order in which they began.
    unknown: VecDeque<u64>,
}

impl Caller {
    pub(crate) fn new(recorded_ends: RecordedEnds) -> Self {
        Self {
            recorded_ends,
            ..Self::default()
        }
    }

    /// Returns whether there are no records yet.
    pub(crate) fn is_new(&self) -> bool {
        self.popped == 0 && self.waiting.is_empty()
    }

    /// Adds an operation of the current call.
    pub(crate) fn add(&mut self, operation: Option<CallOperation>, time: u64) {
        self.operations
            .extend(operation.map(|operation| (operation, time)));
    }

    /// Adds a literal line.
    pub(crate) fn push_line(&mut self, line: String) {
        self.push(Record::Line(line.into_bytes()));
    }

    fn push(&mut self, record: Record) {
        self.waiting.push_back(record);
    }

    fn next_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests - 1
    }

    /// Ends the current call, which consists of the operations in `operations`. `name` is the name of its region.
    pub(crate) fn leave(&mut self, purpose: Purpose, name: &str, left_out: &mut LeftOut) {
        let operations = std::mem::take(&mut self.operations);
        if operations.is_empty() {
            match purpose {
                Purpose::Message => left_out.count(format!("{name} without its message"), 1),
                Purpose::Collective => left_out.count(format!("{name} without its operation"), 1),
                Purpose::WaitAll if !self.recorded_ends.of_receives => self.wait_for_all(),
                _ => {}
            }
            self.operations = operations;
            return;
        }
        let sends = operations
            .iter()
            .any(|(operation, _)| matches!(operation, CallOperation::Send(_)));
        let receives = operations
            .iter()
            .any(|(operation, _)| matches!(operation, CallOperation::Receive(_)));
        // A call that does both does not wait for its send before it receives.
        let is_exchange = sends && receives;
        let mut waits = Vec::new();
        for &(operation, time) in &operations {
            self.push_operation(operation, time, is_exchange, &mut waits, left_out);
        }
        let waits_for_all = purpose == Purpose::WaitAll && self.open.is_empty();
        if waits_for_all && !waits.is_empty() {
            self.push(Record::WaitAll);
        } else {
            for request in waits {
                self.push(Record::Wait(request));
            }
        }
        self.operations = operations;
        self.operations.clear();
    }

    fn push_operation(
        &mut self,
        operation: CallOperation,
        time: u64,
        is_exchange: bool,
        waits: &mut Vec<u64>,
        left_out: &mut LeftOut,
    ) {
        match operation {
            CallOperation::Send(message) => {
                let request = is_exchange.then(|| self.next_request());
                waits.extend(request);
                self.push(Record::Send {
                    message,
                    time,
                    request,
                });
            }
            CallOperation::Isend(message, id) => {
                let number = self.next_request();
                self.push(Record::Send {
                    message,
                    time,
                    request: Some(number),
                });
                if self.recorded_ends.of_sends {
                    self.begin(id, number, None);
                }
            }
            CallOperation::Receive(message) => self.push(Record::Receive(message)),
            CallOperation::Post(id) => {
                let number = self.next_request();
                let position = self.popped + self.waiting.len() as u64;
                self.unknown.push_back(position);
                self.push(Record::Post {
                    request: number,
                    message: None,
                });
                self.begin(id, number, Some(position));
            }
            CallOperation::Sent(id) => match self.open.remove(&id) {
                Some(open) => waits.push(open.number),
                None => left_out.count("end of a send whose beginning is not in the trace", 1),
            },
            CallOperation::Received(message, id) => match self.open.remove(&id) {
                Some(OpenRequest {
                    number,
                    posted: Some(position),
                }) => {
                    self.resolve(position, Some(message));
                    waits.push(number);
                }
                // The receive began before the trace.
                _ => self.push(Record::Receive(message)),
            },
            CallOperation::Cancelled(id) => {
                if let Some(OpenRequest {
                    posted: Some(position),
                    ..
                }) = self.open.remove(&id)
                {
                    self.resolve(position, None);
                }
            }
            CallOperation::Collective => self.push(Record::Collective),
            CallOperation::Ignored => {}
        }
    }

    /// Begins a request. An open request with the same id has ended without a record in the trace.
    fn begin(&mut self, id: u64, number: u64, posted: Option<u64>) {
        let open = OpenRequest { number, posted };
        if let Some(OpenRequest {
            posted: Some(position),
            ..
        }) = self.open.insert(id, open)
        {
            self.resolve(position, None);
        }
    }

    /// Sets the message received by the receive at `position`, or marks it as permanently unknown.
    fn resolve(&mut self, position: u64, received: Option<Message>) {
        let Ok(index) = self.unknown.binary_search(&position) else {
            return;
        };
        self.unknown.remove(index);
        let waiting = position.checked_sub(self.popped).map(|i| i as usize);
        if let Some(Record::Post { message, .. }) = waiting.and_then(|i| self.waiting.get_mut(i)) {
            *message = received;
        }
    }

    /// Adds a call that waits for all requests, in a trace that does not record which requests end.
    fn wait_for_all(&mut self) {
        if self.requests > 0 {
            self.push(Record::WaitAll);
        }
        self.open.clear();
        self.unknown.clear();
    }

    /// Returns the next record that later events cannot change.
    pub(crate) fn pop(&mut self) -> Option<Record> {
        if let Some(&first) = self.unknown.front()
            && first == self.popped
        {
            if self.waiting.len() < MAX_WAITING {
                return None;
            }
            self.unknown.pop_front();
        }
        let record = self.waiting.pop_front()?;
        self.popped += 1;
        Some(record)
    }

    /// Ends the rank. Messages that are still unknown remain unknown.
    pub(crate) fn finish(&mut self) {
        self.unknown.clear();
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_ENDS: RecordedEnds = RecordedEnds {
        of_sends: true,
        of_receives: true,
    };

    fn message(peer: u64) -> Message {
        Message {
            peer,
            communicator: 0,
            tag: 5,
            bytes: 8,
        }
    }

    fn call(caller: &mut Caller, purpose: Purpose, operations: &[CallOperation]) -> LeftOut {
        let mut left_out = LeftOut::default();
        for &operation in operations {
            caller.add(Some(operation), 0);
        }
        caller.leave(purpose, "MPI_Call", &mut left_out);
        left_out
    }

    fn records(caller: &mut Caller) -> Vec<Record> {
        std::iter::from_fn(|| caller.pop()).collect()
    }

    fn post(request: u64, message: Option<Message>) -> Record {
        Record::Post { request, message }
    }

    #[test]
    fn a_received_message_is_recorded_where_the_receive_began() {
        let mut caller = Caller::new(ALL_ENDS);
        call(&mut caller, Purpose::Other, &[CallOperation::Post(77)]);
        call(
            &mut caller,
            Purpose::Message,
            &[CallOperation::Receive(message(2))],
        );
        assert_eq!(records(&mut caller), [], "waits for the first receive");
        let ends = [CallOperation::Received(message(1), 77)];
        call(&mut caller, Purpose::Other, &ends);
        let all = [
            post(0, Some(message(1))),
            Record::Receive(message(2)),
            Record::Wait(0),
        ];
        assert_eq!(records(&mut caller), all);
    }

    #[test]
    fn a_receive_that_begins_again_has_ended_unrecorded() {
        let mut caller = Caller::new(ALL_ENDS);
        for _ in 0..2 {
            call(&mut caller, Purpose::Other, &[CallOperation::Post(77)]);
        }
        assert_eq!(records(&mut caller), [post(0, None)]);
        caller.finish();
        assert_eq!(records(&mut caller), [post(1, None)]);
    }

    #[test]
    fn memory_is_bounded_where_a_receive_never_ends() {
        let mut caller = Caller::new(ALL_ENDS);
        call(&mut caller, Purpose::Other, &[CallOperation::Post(77)]);
        for _ in 0..MAX_WAITING {
            call(
                &mut caller,
                Purpose::Message,
                &[CallOperation::Receive(message(2))],
            );
        }
        assert_eq!(records(&mut caller).len(), MAX_WAITING + 1);
        // Its end comes too late to be used, but is recognised as its end.
        let ends = [CallOperation::Received(message(1), 77)];
        call(&mut caller, Purpose::Other, &ends);
        assert_eq!(records(&mut caller), [Record::Wait(0)]);
    }

    #[test]
    fn a_call_that_sends_and_receives_receives_first() {
        let mut caller = Caller::new(ALL_ENDS);
        let operations = [
            CallOperation::Send(message(1)),
            CallOperation::Receive(message(2)),
        ];
        call(&mut caller, Purpose::Message, &operations);
        let sent = Record::Send {
            message: message(1),
            time: 0,
            request: Some(0),
        };
        let all = [sent, Record::Receive(message(2)), Record::Wait(0)];
        assert_eq!(records(&mut caller), all);
    }

    #[test]
    fn a_call_waits_for_all_if_no_request_stays_open() {
        let mut caller = Caller::new(ALL_ENDS);
        let begin = [
            CallOperation::Isend(message(1), 7),
            CallOperation::Isend(message(2), 8),
        ];
        call(&mut caller, Purpose::Other, &begin);
        call(&mut caller, Purpose::WaitAll, &[CallOperation::Sent(7)]);
        call(&mut caller, Purpose::WaitAll, &[CallOperation::Sent(8)]);
        let waits = records(&mut caller).split_off(2);
        assert_eq!(waits, [Record::Wait(0), Record::WaitAll]);
    }

    #[test]
    fn purposes_follow_from_names() {
        for (name, purpose) in [
            ("MPI_Waitall", Purpose::WaitAll),
            ("mpi_send_", Purpose::Message),
            ("PMPI_Recv", Purpose::Message),
            ("PMPI_Alltoall", Purpose::Collective),
            ("mpi_ibcast_", Purpose::Collective),
            ("MPI_Init", Purpose::Other),
            ("barrier", Purpose::Collective),
        ] {
            assert_eq!(Purpose::of_region(name), purpose, "{name}");
        }
    }

    #[test]
    fn calls_without_their_operation_are_counted() {
        for (purpose, operation, message) in [
            (
                Purpose::Message,
                CallOperation::Receive(message(1)),
                "left out: 1 MPI_Call without its message",
            ),
            (
                Purpose::Collective,
                CallOperation::Ignored,
                "left out: 1 MPI_Call without its operation",
            ),
        ] {
            let mut caller = Caller::new(ALL_ENDS);
            let diagnostics =
                |left_out: LeftOut| left_out.diagnostics("ti.left_out", "ti.definitions_left_out");
            assert!(diagnostics(call(&mut caller, purpose, &[operation])).is_empty());
            let reported = diagnostics(call(&mut caller, purpose, &[]));
            let (_, group) = reported.groups().next().unwrap();
            assert_eq!(group.cases[0].message, message);
        }
    }
}
