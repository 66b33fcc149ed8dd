//! Messages and collective operations of MPI: what the call of a routine sends, receives, begins and completes.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_database::{Lane, Moment};
use foldtrace_mpi::{COLLECTIVES, mpi_name, mpi_routine};
use foldtrace_trace::{EventKind, Quantity, Symbol, SymbolTable, UNDEFINED};

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

/// The requests that wait for their completion.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The requests of each location by handle: their numbers, and what completes them.
    open: HashMap<Lane, HashMap<i64, (u64, Moment), RandomState>, RandomState>,
    /// The number of requests so far.
    begun: u64,
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
        self.begun += 1;
        let open = self.open.entry(lane).or_default();
        let before = open.insert(request, (self.begun, completion));
        u64::from(before.is_some())
    }

    fn complete(&mut self, lane: Lane, routine: Routine, request: Option<i64>) -> Vec<Moment> {
        let Some(open) = self.open.get_mut(&lane) else {
            return Vec::new();
        };
        let own = request.and_then(|request| open.remove(&request));
        match own {
            Some((_, completion)) => vec![completion],
            None if routine == Routine::WaitAll => {
                let mut all: Vec<_> = open.drain().map(|(_, it)| it).collect();
                // Messages arrive in the order in which the requests began.
                all.sort_unstable_by_key(|&(number, _)| number);
                all.into_iter().map(|(_, completion)| completion).collect()
            }
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
    use foldtrace_database::Timeline;
    use foldtrace_trace::LocationId;

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

    #[test]
    fn requests_complete_in_the_order_in_which_they_began() {
        let lane = Timeline::new(0).lane(LocationId(0));
        let (mut requests, mut symbols) = (Requests::default(), SymbolTable::default());
        let mut effects = |routine, bytes, request| {
            let arguments = Arguments {
                communicator: 0,
                peer: Some(1),
                tag: 0,
                root: None,
                bytes,
                received: 0,
                request,
            };
            let effects = requests.effects(lane, routine, &arguments, &mut symbols);
            let at_end = effects.at_end.iter();
            let sizes = at_end.map(|it| it.quantities[Quantity::Bytes as usize]);
            (effects.incomplete, sizes.collect::<Vec<_>>())
        };
        for (bytes, request, incomplete) in [(1, 7, 0), (2, 5, 0), (3, 6, 0), (4, 5, 1)] {
            let begun = effects(Routine::BeginReceive, bytes, Some(request));
            assert_eq!(begun, (incomplete, vec![]));
        }
        assert_eq!(effects(Routine::Wait, 0, Some(7)), (0, vec![1]));
        assert_eq!(effects(Routine::Wait, 0, Some(7)), (0, vec![]));
        assert_eq!(effects(Routine::WaitAll, 0, None), (0, vec![3, 4]));
    }
}
