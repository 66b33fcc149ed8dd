//! Messages and collective operations of MPI: what the call of a routine sends, receives, begins and completes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_database::{Lane, Moment};
use foldtrace_mpi::{COLLECTIVES, mpi_name, mpi_routine};
use foldtrace_trace::{EventKind, Quantity, Symbol, SymbolTable, UNDEFINED};
use indexmap::IndexMap;

/// The effect of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routine {
    Send,
    BeginSend,
    Receive,
    BeginReceive,
    /// A collective operation by its code in OTF2.
    Collective(u64),
    BeginCollective(u64),
    /// The call completes one request.
    Wait,
    /// The call completes all requests that it is given, and the database has at most one of them.
    WaitAll,
    /// The call both sends and receives, and the database does not have both.
    Exchange,
    Other,
}

impl Routine {
    /// Returns the effect of a routine by its name.
    pub(crate) fn called(name: &str) -> Self {
        let Some(own) = mpi_routine(name) else {
            return Self::Other;
        };
        match &*own {
            "send" | "bsend" | "ssend" | "rsend" => Self::Send,
            "isend" | "ibsend" | "issend" | "irsend" => Self::BeginSend,
            "recv" | "mrecv" => Self::Receive,
            "irecv" | "imrecv" => Self::BeginReceive,
            "wait" | "waitany" | "waitsome" | "test" | "testany" | "testsome" | "testall" => {
                Self::Wait
            }
            "waitall" => Self::WaitAll,
            _ if own.contains("sendrecv") => Self::Exchange,
            _ => Self::collective(name, &own).unwrap_or(Self::Other),
        }
    }

    fn collective(name: &str, own: &str) -> Option<Self> {
        let code = |name: &str| COLLECTIVES.code(&mpi_name(name)?);
        if let Some(code) = code(name) {
            return Some(Self::Collective(code));
        }
        let blocking = own.strip_prefix('i')?;
        code(&format!("MPI_{blocking}")).map(Self::BeginCollective)
    }
}

/// The values of a row of MPI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments {
    pub communicator: u64,
    /// The rank of the other process; `None` if it is not a process.
    pub peer: Option<u64>,
    pub tag: u64,
    /// The root; `None` if the operation has none.
    pub root: Option<u64>,
    pub bytes: u64,
    pub received: u64,
    pub request: Option<i64>,
}

/// The events within a call.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub at_begin: Option<Moment>,
    pub at_end: Vec<Moment>,
    /// The number of requests that cannot be completed any more.
    pub incomplete: u64,
}

/// The requests that wait for their completion, by location and handle.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: HashMap<Lane, IndexMap<i64, Moment, RandomState>, RandomState>,
}

impl Requests {
    /// Returns the events within a call.
    pub(crate) fn effects(
        &mut self,
        lane: Lane,
        routine: Routine,
        arguments: &Arguments,
        symbols: &mut SymbolTable,
    ) -> Effects {
        let mut effects = Effects::default();
        let message = [
            arguments.peer.unwrap_or(UNDEFINED),
            arguments.communicator,
            arguments.tag,
        ];
        let mut moment = |kind, operands: &[u64]| moment(symbols, kind, operands, arguments);
        match routine {
            Routine::Send if arguments.peer.is_some() => {
                effects.at_begin = Some(moment(EventKind::MpiSend, &message));
            }
            Routine::BeginSend if arguments.peer.is_some() => {
                effects.at_begin = Some(moment(EventKind::MpiIsend, &message));
                let completion = moment(EventKind::MpiIsendComplete, &[]);
                effects.incomplete = self.begin(lane, arguments.request, completion);
            }
            Routine::Receive => effects.at_end.push(moment(EventKind::MpiRecv, &message)),
            Routine::BeginReceive => {
                effects.at_begin = Some(moment(EventKind::MpiIrecvRequest, &[]));
                let completion = moment(EventKind::MpiIrecv, &message);
                effects.incomplete = self.begin(lane, arguments.request, completion);
            }
            Routine::Collective(code) => {
                effects.at_begin = Some(moment(EventKind::MpiCollectiveBegin, &[]));
                let operands = [
                    code,
                    arguments.communicator,
                    arguments.root.unwrap_or(UNDEFINED),
                ];
                effects
                    .at_end
                    .push(moment(EventKind::MpiCollectiveEnd, &operands));
            }
            Routine::BeginCollective(code) => {
                effects.at_begin = Some(moment(EventKind::NonBlockingCollectiveRequest, &[]));
                let operands = [
                    code,
                    arguments.communicator,
                    arguments.root.unwrap_or(UNDEFINED),
                ];
                let completion = moment(EventKind::NonBlockingCollectiveComplete, &operands);
                effects.incomplete = self.begin(lane, arguments.request, completion);
            }
            Routine::Wait | Routine::WaitAll => {
                effects.at_end = self.complete(lane, routine, arguments.request);
            }
            Routine::Send | Routine::BeginSend | Routine::Exchange | Routine::Other => {}
        }
        effects
    }

    /// Begins a request, and returns the number of requests that can never complete, because they have no handle of their own.
    fn begin(&mut self, lane: Lane, request: Option<i64>, completion: Moment) -> u64 {
        let Some(request) = request else {
            return 1;
        };
        let before = self
            .open
            .entry(lane)
            .or_default()
            .insert(request, completion);
        u64::from(before.is_some())
    }

    fn complete(&mut self, lane: Lane, routine: Routine, request: Option<i64>) -> Vec<Moment> {
        let Some(open) = self.open.get_mut(&lane) else {
            return Vec::new();
        };
        let own = request.and_then(|request| open.swap_remove(&request));
        match own {
            Some(completion) => vec![completion],
            None if routine == Routine::WaitAll => open.drain(..).map(|(_, it)| it).collect(),
            None => Vec::new(),
        }
    }

    /// Returns the number of requests that were not completed.
    pub(crate) fn incomplete(&self) -> u64 {
        self.open.values().map(|open| open.len() as u64).sum()
    }
}

fn moment(
    symbols: &mut SymbolTable,
    kind: EventKind,
    operands: &[u64],
    arguments: &Arguments,
) -> Moment {
    let mut quantities = [UNDEFINED; Quantity::COUNT];
    quantities[Quantity::Bytes as usize] = arguments.bytes;
    quantities[Quantity::BytesReceived as usize] = arguments.received;
    if let Some(request) = arguments.request {
        quantities[Quantity::Request as usize] = request as u64;
    }
    Moment {
        symbol: symbols.intern(Symbol::new(kind, operands)),
        kind,
        quantities,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_have_effects_in_any_spelling() {
        for (name, routine) in [
            ("MPI_Send", Routine::Send),
            ("mpi_issend_", Routine::BeginSend),
            ("MPI_Recv", Routine::Receive),
            ("MPI_Irecv", Routine::BeginReceive),
            ("MPI_Allreduce", Routine::Collective(11)),
            ("MPI_Ibcast", Routine::BeginCollective(1)),
            ("MPI_Waitall", Routine::WaitAll),
            ("MPI_Test", Routine::Wait),
            ("MPI_Sendrecv_replace", Routine::Exchange),
            ("MPI_Init", Routine::Other),
            ("main", Routine::Other),
        ] {
            assert_eq!(Routine::called(name), routine, "{name}");
        }
    }
}
