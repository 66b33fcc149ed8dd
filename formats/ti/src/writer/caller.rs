//! Converts the events of one rank to records, call by call.
//!
//! Time between MPI calls is computation. The events within a call are collected until the call is left: only then is
//! it known whether the call both sends and receives, or waits for all requests. A receive is posted where it began,
//! but the trace specifies the received message only where the receive ends, so the records after it must wait.

use std::collections::{HashMap, VecDeque};

use foldtrace_trace::LeftOut;

use super::collectives::Collective;
use super::record::{Message, Record};

/// Maximum number of records that wait for the end of a receive. Beyond it, the receive is assumed not to end.
const MOST_WAITING: usize = 1 << 16;

/// An operation within a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
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
    Passed,
}

/// Properties of a trace that are known before its first event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habits {
    /// Whether the trace records the ends of sends.
    pub ends_sends: bool,
    /// Whether the trace records the ends of receives that had begun.
    pub ends_receives: bool,
}

/// Returns the part of an MPI name after `MPI_` or, in the profiling interface, `PMPI_`; `None` for any other name.
pub(crate) fn of_mpi(name: &str) -> Option<&str> {
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
    pub(crate) fn of(region: &str) -> Self {
        let name = of_mpi(region).unwrap_or(region).to_ascii_lowercase();
        match name.trim_end_matches('_') {
            "waitall" => Self::WaitAll,
            "send" | "ssend" | "bsend" | "rsend" | "isend" | "issend" | "ibsend" | "irsend"
            | "recv" | "sendrecv" | "sendrecv_replace" => Self::Message,
            name if Collective::is_called(name) => Self::Collective,
            _ => Self::Other,
        }
    }
}

/// An open request: its number and, for a receive whose message is unknown, the position of its record.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u64,
    posted: Option<u64>,
}

/// The state of a rank while its events are read.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    habits: Habits,
    deeds: Vec<(Deed, u64)>,
    /// Open requests, by their ids in the trace.
    open: HashMap<u64, Open>,
    requests: u64,
    /// The records from the first receive whose message is unknown.
    waiting: VecDeque<Record>,
    /// Number of records before those in `waiting`.
    gone: u64,
    /// Positions of the receives whose messages are unknown, in the order in which they began.
    unknown: VecDeque<u64>,
}

impl Caller {
    pub(crate) fn new(habits: Habits) -> Self {
        Self {
            habits,
            ..Self::default()
        }
    }

    /// Returns whether there are no records yet.
    pub(crate) fn is_new(&self) -> bool {
        self.gone == 0 && self.waiting.is_empty()
    }

    /// Adds an operation of the current call.
    pub(crate) fn take(&mut self, deed: Option<Deed>, time: u64) {
        self.deeds.extend(deed.map(|deed| (deed, time)));
    }

    /// Adds a literal line.
    pub(crate) fn say(&mut self, line: String) {
        self.push(Record::Line(line.into_bytes()));
    }

    fn push(&mut self, record: Record) {
        self.waiting.push_back(record);
    }

    fn number(&mut self) -> u64 {
        self.requests += 1;
        self.requests - 1
    }

    /// Ends the current call, which consists of the operations in `deeds`. `name` is the name of its region.
    pub(crate) fn leave(&mut self, purpose: Purpose, name: &str, left_out: &mut LeftOut) {
        let deeds = std::mem::take(&mut self.deeds);
        if deeds.is_empty() {
            match purpose {
                Purpose::Message => left_out.count(format!("{name} without its message"), 1),
                Purpose::Collective => left_out.count(format!("{name} without its operation"), 1),
                Purpose::WaitAll if !self.habits.ends_receives => self.wait_for_all(),
                _ => {}
            }
            self.deeds = deeds;
            return;
        }
        let sends = deeds.iter().any(|(deed, _)| matches!(deed, Deed::Send(_)));
        let receives = deeds
            .iter()
            .any(|(deed, _)| matches!(deed, Deed::Receive(_)));
        // A call that does both does not wait for its send before it receives.
        let is_exchange = sends && receives;
        let mut waits = Vec::new();
        for &(deed, time) in &deeds {
            self.do_in_call(deed, time, is_exchange, &mut waits, left_out);
        }
        let waits_for_all = purpose == Purpose::WaitAll && self.open.is_empty();
        if waits_for_all && !waits.is_empty() {
            self.push(Record::WaitAll);
        } else {
            for request in waits {
                self.push(Record::Wait(request));
            }
        }
        self.deeds = deeds;
        self.deeds.clear();
    }

    fn do_in_call(
        &mut self,
        deed: Deed,
        time: u64,
        is_exchange: bool,
        waits: &mut Vec<u64>,
        left_out: &mut LeftOut,
    ) {
        match deed {
            Deed::Send(message) => {
                let request = is_exchange.then(|| self.number());
                waits.extend(request);
                self.push(Record::Send {
                    message,
                    time,
                    request,
                });
            }
            Deed::Isend(message, id) => {
                let number = self.number();
                self.push(Record::Send {
                    message,
                    time,
                    request: Some(number),
                });
                if self.habits.ends_sends {
                    self.begin(id, number, None);
                }
            }
            Deed::Receive(message) => self.push(Record::Receive(message)),
            Deed::Post(id) => {
                let number = self.number();
                let position = self.gone + self.waiting.len() as u64;
                self.unknown.push_back(position);
                self.push(Record::Post {
                    request: number,
                    message: None,
                });
                self.begin(id, number, Some(position));
            }
            Deed::Sent(id) => match self.open.remove(&id) {
                Some(open) => waits.push(open.number),
                None => left_out.count("end of a send that was not seen to begin", 1),
            },
            Deed::Received(message, id) => match self.open.remove(&id) {
                Some(Open {
                    number,
                    posted: Some(position),
                }) => {
                    self.resolve(position, Some(message));
                    waits.push(number);
                }
                // The receive began before the trace.
                _ => self.push(Record::Receive(message)),
            },
            Deed::Cancelled(id) => {
                if let Some(Open {
                    posted: Some(position),
                    ..
                }) = self.open.remove(&id)
                {
                    self.resolve(position, None);
                }
            }
            Deed::Collective => self.push(Record::Collective),
            Deed::Passed => {}
        }
    }

    /// Begins a request. An open request with the same id has ended without a record in the trace.
    fn begin(&mut self, id: u64, number: u64, posted: Option<u64>) {
        let open = Open { number, posted };
        if let Some(Open {
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
        let waiting = position.checked_sub(self.gone).map(|i| i as usize);
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
            && first == self.gone
        {
            if self.waiting.len() < MOST_WAITING {
                return None;
            }
            self.unknown.pop_front();
        }
        let record = self.waiting.pop_front()?;
        self.gone += 1;
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

    const ENDS: Habits = Habits {
        ends_sends: true,
        ends_receives: true,
    };

    fn message(peer: u64) -> Message {
        Message {
            peer,
            communicator: 0,
            tag: 5,
            bytes: 8,
        }
    }

    fn call(caller: &mut Caller, purpose: Purpose, deeds: &[Deed]) -> LeftOut {
        let mut left_out = LeftOut::default();
        for &deed in deeds {
            caller.take(Some(deed), 0);
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
    fn a_receive_is_known_where_it_began() {
        let mut caller = Caller::new(ENDS);
        call(&mut caller, Purpose::Other, &[Deed::Post(77)]);
        call(&mut caller, Purpose::Message, &[Deed::Receive(message(2))]);
        assert_eq!(records(&mut caller), [], "waits for the first receive");
        let ends = [Deed::Received(message(1), 77)];
        call(&mut caller, Purpose::Other, &ends);
        let all = [
            post(0, Some(message(1))),
            Record::Receive(message(2)),
            Record::Wait(0),
        ];
        assert_eq!(records(&mut caller), all);
    }

    #[test]
    fn a_receive_that_begins_again_has_ended_without_a_word() {
        let mut caller = Caller::new(ENDS);
        for _ in 0..2 {
            call(&mut caller, Purpose::Other, &[Deed::Post(77)]);
        }
        assert_eq!(records(&mut caller), [post(0, None)]);
        caller.finish();
        assert_eq!(records(&mut caller), [post(1, None)]);
    }

    #[test]
    fn memory_is_bounded_where_a_receive_never_ends() {
        let mut caller = Caller::new(ENDS);
        call(&mut caller, Purpose::Other, &[Deed::Post(77)]);
        for _ in 0..MOST_WAITING {
            call(&mut caller, Purpose::Message, &[Deed::Receive(message(2))]);
        }
        assert_eq!(records(&mut caller).len(), MOST_WAITING + 1);
        // Its end comes too late to be used, but is recognised as its end.
        let ends = [Deed::Received(message(1), 77)];
        call(&mut caller, Purpose::Other, &ends);
        assert_eq!(records(&mut caller), [Record::Wait(0)]);
    }

    #[test]
    fn who_sends_and_receives_in_one_call_receives_first() {
        let mut caller = Caller::new(ENDS);
        let deeds = [Deed::Send(message(1)), Deed::Receive(message(2))];
        call(&mut caller, Purpose::Message, &deeds);
        let sent = Record::Send {
            message: message(1),
            time: 0,
            request: Some(0),
        };
        let all = [sent, Record::Receive(message(2)), Record::Wait(0)];
        assert_eq!(records(&mut caller), all);
    }

    #[test]
    fn all_are_waited_for_if_none_stays_open() {
        let mut caller = Caller::new(ENDS);
        let begin = [Deed::Isend(message(1), 7), Deed::Isend(message(2), 8)];
        call(&mut caller, Purpose::Other, &begin);
        call(&mut caller, Purpose::WaitAll, &[Deed::Sent(7)]);
        call(&mut caller, Purpose::WaitAll, &[Deed::Sent(8)]);
        let waits = records(&mut caller).split_off(2);
        assert_eq!(waits, [Record::Wait(0), Record::WaitAll]);
    }

    #[test]
    fn calls_by_their_names() {
        for (name, purpose) in [
            ("MPI_Waitall", Purpose::WaitAll),
            ("mpi_send_", Purpose::Message),
            ("PMPI_Recv", Purpose::Message),
            ("PMPI_Alltoall", Purpose::Collective),
            ("mpi_ibcast_", Purpose::Collective),
            ("MPI_Init", Purpose::Other),
            ("barrier", Purpose::Collective),
        ] {
            assert_eq!(Purpose::of(name), purpose, "{name}");
        }
    }

    #[test]
    fn calls_without_what_they_are_for_are_counted() {
        for (purpose, deed, message) in [
            (
                Purpose::Message,
                Deed::Receive(message(1)),
                "left out: 1 MPI_Call without its message",
            ),
            (
                Purpose::Collective,
                Deed::Passed,
                "left out: 1 MPI_Call without its operation",
            ),
        ] {
            let mut caller = Caller::new(ENDS);
            let told =
                |left_out: LeftOut| left_out.diagnostics("ti.left_out", "ti.definitions_left_out");
            assert!(told(call(&mut caller, purpose, &[deed])).is_empty());
            let told = told(call(&mut caller, purpose, &[]));
            let (_, group) = told.groups().next().unwrap();
            assert_eq!(group.cases[0].message, message);
        }
    }
}
