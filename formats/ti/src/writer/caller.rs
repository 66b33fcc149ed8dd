//! What one rank does, call by call, as its events come.
//!
//! Time between MPI calls is computation. What happens within a call is collected until it is left: only
//! then is it known that a call both sends and receives, or waits for all requests. A receive is posted
//! where it began, but the trace says what is received only where it ends; so what follows it waits.

use std::collections::{HashMap, VecDeque};

use foldtrace_trace::LeftOut;

use super::record::{Message, Record};

/// Records that wait for the end of a receive, at most; then the receive is taken for one without end.
const MOST_WAITING: usize = 1 << 16;

/// Something that happens within a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    /// A message is sent, and waited for.
    Send(Message),
    /// A message begins to be sent.
    Isend(Message, u64),
    /// A send has ended.
    Sent(u64),
    /// A message is received.
    Receive(Message),
    /// A receive begins.
    Post(u64),
    /// A receive that had begun has ended.
    Received(Message, u64),
    /// A request has ended, with nothing sent or received.
    Cancelled(u64),
    /// A collective operation of all ranks.
    Collective,
}

/// What is known of a trace before its first event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habits {
    /// Whether it says when a send ends.
    pub ends_sends: bool,
    /// Whether it says when a receive that had begun ends.
    pub ends_receives: bool,
}

/// What a call is for, as far as that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Purpose {
    #[default]
    Other,
    /// It waits for several requests, all of them.
    WaitAll,
    /// It sends or receives, or both.
    Message,
}

impl Purpose {
    pub(crate) fn of(region: &str) -> Self {
        let name = region.to_ascii_lowercase();
        let name = name.trim_start_matches("mpi_").trim_end_matches('_');
        match name {
            "waitall" => Self::WaitAll,
            "send" | "ssend" | "bsend" | "rsend" | "isend" | "issend" | "ibsend" | "irsend"
            | "recv" | "sendrecv" | "sendrecv_replace" => Self::Message,
            _ => Self::Other,
        }
    }
}

/// An open request: its number, and whether it is a receive whose message is not known yet.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u64,
    posted: Option<u64>,
}

/// A rank while its events come.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    habits: Habits,
    deeds: Vec<(Deed, u64)>,
    /// Requests by their ids in the trace.
    open: HashMap<u64, Open>,
    requests: u64,
    /// Records behind the first receive that is not known yet, with it.
    waiting: VecDeque<Record>,
    /// How many records went before those that wait.
    gone: u64,
    /// Numbers of receives that are not known yet, in the order in which they began, by position.
    unknown: VecDeque<u64>,
}

impl Caller {
    pub(crate) fn new(habits: Habits) -> Self {
        Self {
            habits,
            ..Self::default()
        }
    }

    /// Whether nothing has been said or done yet.
    pub(crate) fn is_new(&self) -> bool {
        self.gone == 0 && self.waiting.is_empty()
    }

    /// Takes what happens within a call.
    pub(crate) fn take(&mut self, deed: Option<Deed>, time: u64) {
        self.deeds.extend(deed.map(|deed| (deed, time)));
    }

    /// Says a line of its own.
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

    /// Takes the end of the call that `deeds` were done in. `name` is that of its region.
    pub(crate) fn leave(&mut self, purpose: Purpose, name: &str, left_out: &mut LeftOut) {
        let deeds = std::mem::take(&mut self.deeds);
        if deeds.is_empty() {
            match purpose {
                Purpose::Message => left_out.count(format!("{name} without its message"), 1),
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
        // One that does both does not wait for its send before it receives.
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
                // It began before the trace did.
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
        }
    }

    /// Begins a request; one of the same id has ended without a word.
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

    /// Says what the receive at that position has received, or that it is never going to be known.
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

    /// A call that waits for all requests, in a trace that does not say which have ended.
    fn wait_for_all(&mut self) {
        if self.requests > 0 {
            self.push(Record::WaitAll);
        }
        self.open.clear();
        self.unknown.clear();
    }

    /// The next record behind which nothing can change it any more.
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

    /// The end of the rank: what is not known by now stays so.
    pub(crate) fn finish(&mut self) {
        self.unknown.clear();
        self.open.clear();
    }
}
