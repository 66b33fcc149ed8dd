//! Random legal programs: what processes do is run one after the other, with clocks of their own, so that
//! no message arrives before it was sent and nobody leaves a collective operation before all have come.
//! Each says itself which operations it has, so that nothing has to be found out from its events.

use foldtrace::matching::{Census, CollectiveCalls, Communicators};
use foldtrace::steps::{Kind, Options, Sink, StepEvent, StepMessage, Steps, Summary};
use foldtrace::timeline::Passing;
use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, LocationId, Names, Position, Quantity,
    Symbol, SymbolTable, Timestamp, TraceError, UNDEFINED,
};
use proptest::prelude::*;

/// All that was found, in the order in which it was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllSteps {
    pub events: Vec<StepEvent>,
    pub messages: Vec<StepMessage>,
}

impl Sink for AllSteps {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.events.push(*event);
        Ok(())
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.messages.push(*message);
        Ok(())
    }
}

pub const RANKS: usize = 5;

/// Who is in each communicator, in the order of ranks in it.
const COMMUNICATORS: [&[usize]; 4] = [&[0, 1, 2, 3, 4], &[4, 3, 2, 1, 0], &[1, 3, 4], &[2, 0]];

const REGIONS: [&str; 11] = [
    "compute",
    "MPI_Send",
    "mpi_recv_",
    "PMPI_Isend",
    "MPI_Irecv",
    "MPI_Waitall",
    "MPI_Sendrecv",
    "MPI_Allreduce",
    "MPI_Wait",
    "MPI_Iprobe",
    "MPI_Testall",
];

/// What some processes do together.
#[derive(Clone, Debug)]
pub enum Action {
    /// A rank computes so long.
    Compute(usize, u64),
    /// A message, in calls or outside of any.
    Message {
        from: usize,
        to: usize,
        reversed: bool,
        bare: bool,
        flight: u64,
    },
    /// Each begins to send along these edges, and waits for what comes.
    Exchange {
        edges: Vec<(usize, usize)>,
        /// Each tests behind its first send.
        tested: bool,
        /// All meet before those who send wait.
        met: bool,
        flight: u64,
    },
    /// Ranks in a ring, each sends to the next one while it receives from the one before; what is received
    /// may be recorded first.
    Ring(Vec<usize>, bool, u64),
    /// All of a communicator.
    Collective(usize, u64),
}

pub fn action() -> impl Strategy<Value = Action> {
    let rank = || 0..RANKS;
    let edge = (rank(), 1..RANKS).prop_map(|(from, by)| (from, (from + by) % RANKS));
    let ring = prop::sample::subsequence((0..RANKS).collect::<Vec<_>>(), 2..=RANKS);
    prop_oneof![
        2 => (rank(), 1..200_u64).prop_map(|(rank, time)| Action::Compute(rank, time)),
        4 => (edge.clone(), any::<bool>(), prop::bool::weighted(0.2), 1..50_u64).prop_map(
            |((from, to), reversed, bare, flight)| Action::Message { from, to, reversed, bare, flight }),
        2 => (prop::collection::vec(edge, 1..8), prop::bool::weighted(0.2), prop::bool::weighted(0.2), 1..50_u64)
            .prop_map(|(edges, tested, met, flight)| Action::Exchange { edges, tested, met, flight }),
        1 => (ring, any::<bool>(), 1..50_u64)
            .prop_map(|(ring, first, flight)| Action::Ring(ring, first, flight)),
        1 => (0..COMMUNICATORS.len(), 1..50_u64)
            .prop_map(|(communicator, time)| Action::Collective(communicator, time)),
    ]
}

/// An operation that a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    pub rank: usize,
    pub kind: Kind,
    pub position: u64,
    pub events: u64,
    pub start: u64,
    pub end: u64,
}

#[derive(Clone, Debug)]
struct Made {
    time: u64,
    kind: EventKind,
    operands: Vec<u64>,
    quantities: Vec<(Quantity, u64)>,
}

/// Messages that were begun, and are waited for.
struct Exchange<'a> {
    edges: &'a [(usize, usize)],
    /// The operation that sends along each edge.
    sends: Vec<usize>,
    /// What each rank will receive: edges and requests.
    requests: Vec<Vec<(usize, u64)>>,
    flight: u64,
}

/// A program that was run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Which label each rank has.
    labels: Vec<usize>,
    clocks: Vec<u64>,
    events: Vec<Vec<Made>>,
    /// The operations of each rank in its order.
    pub operations: Vec<Expected>,
    /// Messages between operations, by their index.
    pub messages: Vec<(usize, usize)>,
    /// Sends and the receives that are waited for with them.
    pub joined: Vec<(usize, usize)>,
    pub collectives: Vec<Vec<usize>>,
    requests: u64,
}

impl Program {
    /// Runs actions, with ranks called by other labels.
    pub fn run(actions: &[Action], labels: &[usize]) -> Self {
        let mut program = Self {
            labels: labels.to_vec(),
            clocks: (0..RANKS as u64).map(|rank| 10 * rank).collect(),
            events: vec![Vec::new(); RANKS],
            operations: Vec::new(),
            messages: Vec::new(),
            joined: Vec::new(),
            collectives: Vec::new(),
            requests: 0,
        };
        actions.iter().for_each(|action| program.act(action));
        program
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::Compute(rank, time) => {
                self.enter(*rank, "compute");
                self.clocks[*rank] += time;
                self.leave(*rank, "compute");
            }
            Action::Message {
                from,
                to,
                reversed,
                bare,
                flight,
            } => self.message(*from, *to, usize::from(*reversed), *bare, *flight),
            Action::Exchange {
                edges,
                tested,
                met,
                flight,
            } => self.exchange(edges, *tested, *met, *flight),
            Action::Ring(ranks, receives_first, flight) => {
                self.ring(ranks, *receives_first, *flight);
            }
            Action::Collective(communicator, time) => self.collective(*communicator, *time),
        }
    }

    fn push(&mut self, rank: usize, kind: EventKind, operands: &[u64], request: Option<u64>) {
        self.clocks[rank] += 1;
        let request = request.map(|request| (Quantity::Request, request));
        let bytes = (kind.is_send() || kind.is_receive()).then_some((Quantity::Bytes, 8));
        self.events[rank].push(Made {
            time: self.clocks[rank],
            kind,
            operands: operands.to_vec(),
            quantities: bytes.into_iter().chain(request).collect(),
        });
    }

    fn position(&self, rank: usize) -> u64 {
        self.events[rank].len() as u64
    }

    fn region(&self, name: &str) -> u64 {
        REGIONS.iter().position(|region| *region == name).unwrap() as u64
    }

    fn enter(&mut self, rank: usize, region: &str) {
        self.push(rank, EventKind::Enter, &[self.region(region)], None);
    }

    fn leave(&mut self, rank: usize, region: &str) {
        self.push(rank, EventKind::Leave, &[self.region(region)], None);
    }

    /// The peer as a communicator names it.
    fn transfer(
        &mut self,
        rank: usize,
        kind: EventKind,
        peer: usize,
        comm: usize,
        id: Option<u64>,
    ) {
        let members = COMMUNICATORS[comm];
        let peer = members.iter().position(|member| *member == peer).unwrap() as u64;
        self.push(rank, kind, &[peer, comm as u64, 7], id);
    }

    /// An operation from `position` on to the latest event of its rank.
    fn operation(&mut self, rank: usize, kind: Kind, position: u64) -> usize {
        let start = self.events[rank][position as usize].time;
        self.operations.push(Expected {
            rank,
            kind,
            position,
            events: self.position(rank) - position,
            start,
            end: self.clocks[rank],
        });
        self.operations.len() - 1
    }

    fn message(&mut self, from: usize, to: usize, comm: usize, bare: bool, flight: u64) {
        let first = self.position(from);
        if bare {
            self.transfer(from, EventKind::MpiSend, to, comm, None);
        } else {
            self.enter(from, "MPI_Send");
            self.transfer(from, EventKind::MpiSend, to, comm, None);
            self.leave(from, "MPI_Send");
        }
        let arrived = self.clocks[from] + flight;
        let send = self.operation(from, Kind::Send, first);
        let first = self.position(to);
        if bare {
            self.clocks[to] = self.clocks[to].max(arrived);
            self.transfer(to, EventKind::MpiRecv, from, comm, None);
        } else {
            self.enter(to, "mpi_recv_");
            self.clocks[to] = self.clocks[to].max(arrived);
            self.transfer(to, EventKind::MpiRecv, from, comm, None);
            self.leave(to, "mpi_recv_");
        }
        let receive = self.operation(to, Kind::Receive, first);
        self.messages.push((send, receive));
    }

    fn exchange(&mut self, edges: &[(usize, usize)], tested: bool, met: bool, flight: u64) {
        let active = |rank| edges.iter().any(|&(from, to)| rank == from || rank == to);
        let mut requests = vec![Vec::new(); RANKS];
        let mut sends = vec![0; edges.len()];
        for rank in (0..RANKS).filter(|&rank| active(rank)) {
            for (edge, _) in edges.iter().enumerate().filter(|(_, edge)| edge.1 == rank) {
                self.requests += 1;
                self.enter(rank, "MPI_Irecv");
                self.push(rank, EventKind::MpiIrecvRequest, &[], Some(self.requests));
                self.leave(rank, "MPI_Irecv");
                requests[rank].push((edge, self.requests));
            }
            let own = edges.iter().enumerate().filter(|(_, edge)| edge.0 == rank);
            let own: Vec<(usize, usize)> = own.map(|(edge, &(_, to))| (edge, to)).collect();
            let (alone, rest) = own.split_at(usize::from(tested && own.len() > 1));
            for run in [alone, rest] {
                let first = self.position(rank);
                for &(_, to) in run {
                    self.requests += 1;
                    self.enter(rank, "PMPI_Isend");
                    self.transfer(rank, EventKind::MpiIsend, to, 0, Some(self.requests));
                    self.leave(rank, "PMPI_Isend");
                }
                if run.is_empty() {
                    continue;
                }
                let send = self.operation(rank, Kind::Send, first);
                run.iter().for_each(|&(edge, _)| sends[edge] = send);
                if tested {
                    self.enter(rank, "MPI_Testall");
                    self.leave(rank, "MPI_Testall");
                }
            }
        }
        let exchange = Exchange {
            edges,
            sends,
            requests,
            flight,
        };
        let waits = (0..RANKS).filter(|&rank| active(rank));
        let (late, early): (Vec<usize>, Vec<usize>) =
            waits.partition(|rank| edges.iter().any(|(from, _)| from == rank));
        if met {
            self.wait(&exchange, &early, false);
            self.collective(0, flight);
            self.wait(&exchange, &late, false);
        } else {
            self.wait(&exchange, &[late, early].concat(), true);
        }
    }

    /// These ranks wait for what they receive, and `joins` with that for what they send.
    fn wait(&mut self, exchange: &Exchange, ranks: &[usize], joins: bool) {
        let Exchange {
            edges,
            sends,
            requests,
            flight,
        } = exchange;
        let arrived = self.clocks.iter().max().unwrap() + flight;
        for &rank in ranks {
            let first = self.position(rank);
            self.enter(rank, "MPI_Waitall");
            self.clocks[rank] = self.clocks[rank].max(arrived);
            for &(edge, request) in &requests[rank] {
                self.transfer(rank, EventKind::MpiIrecv, edges[edge].0, 0, Some(request));
            }
            self.leave(rank, "MPI_Waitall");
            if requests[rank].is_empty() {
                continue;
            }
            let receive = self.operation(rank, Kind::Receive, first);
            if joins {
                let own = edges.iter().zip(sends).filter(|(edge, _)| edge.0 == rank);
                self.joined.extend(own.map(|(_, &send)| (send, receive)));
            }
            let senders = requests[rank].iter().map(|&(edge, _)| sends[edge]);
            self.messages.extend(senders.map(|send| (send, receive)));
        }
    }

    fn ring(&mut self, ranks: &[usize], receives_first: bool, flight: u64) {
        let arrived = ranks.iter().map(|&rank| self.clocks[rank]).max().unwrap() + 2 + flight;
        let mut halves = Vec::new();
        for (index, &rank) in ranks.iter().enumerate() {
            let to = ranks[(index + 1) % ranks.len()];
            let from = ranks[(index + ranks.len() - 1) % ranks.len()];
            let (first, start) = (self.position(rank), self.clocks[rank] + 1);
            self.enter(rank, "MPI_Sendrecv");
            if !receives_first {
                self.transfer(rank, EventKind::MpiSend, to, 0, None);
            }
            let (events, end) = (self.position(rank) - first, self.clocks[rank]);
            self.clocks[rank] = arrived;
            let second = self.position(rank);
            self.transfer(rank, EventKind::MpiRecv, from, 0, None);
            if receives_first {
                self.transfer(rank, EventKind::MpiSend, to, 0, None);
            }
            self.leave(rank, "MPI_Sendrecv");
            self.operations.push(Expected {
                rank,
                kind: Kind::Send,
                position: first,
                events,
                start,
                end,
            });
            let receive = self.operation(rank, Kind::Receive, second);
            self.operations[receive].start = end;
            halves.push((receive - 1, receive));
        }
        for (index, &(send, _)) in halves.iter().enumerate() {
            let (_, receive) = halves[(index + 1) % halves.len()];
            self.messages.push((send, receive));
        }
    }

    fn collective(&mut self, communicator: usize, time: u64) {
        let members = COMMUNICATORS[communicator];
        let mut firsts = Vec::new();
        for &rank in members {
            firsts.push(self.position(rank));
            self.enter(rank, "MPI_Allreduce");
            self.push(rank, EventKind::MpiCollectiveBegin, &[], None);
        }
        let end = members.iter().map(|&rank| self.clocks[rank]).max().unwrap() + time;
        let mut all = Vec::new();
        for (&rank, first) in members.iter().zip(firsts) {
            self.clocks[rank] = end;
            let operands = [6, communicator as u64, UNDEFINED];
            self.push(rank, EventKind::MpiCollectiveEnd, &operands, None);
            self.leave(rank, "MPI_Allreduce");
            all.push(self.operation(rank, Kind::Collective, first));
        }
        self.collectives.push(all);
    }

    /// The rank that has a label.
    pub fn rank(&self, location: LocationId) -> usize {
        let mut labels = self.labels.iter();
        labels
            .position(|label| *label as u64 == location.0)
            .unwrap()
    }

    fn definitions(&self) -> Definitions {
        const PROCESS: u64 = 1;
        const SUBGROUP: u64 = 5;
        let mut d = Definitions::default();
        for label in 0..RANKS as u64 {
            let group = [label, UNDEFINED, PROCESS, UNDEFINED, UNDEFINED];
            d.push(DefinitionKind::LocationGroup, &group, &[], "");
            let location = [label, UNDEFINED, 1, 0, label];
            d.push(DefinitionKind::Location, &location, &[], "");
        }
        for (id, name) in (0..).zip(REGIONS) {
            d.push(DefinitionKind::String, &[id], &[], name);
            let region = [id, id, 0, 0, 1, 0, 0, 0, 0, 0];
            d.push(DefinitionKind::Region, &region, &[], "");
        }
        for (id, members) in (0..).zip(COMMUNICATORS) {
            let members = members.iter().map(|&rank| self.labels[rank] as u64);
            let group = [id, UNDEFINED, SUBGROUP, 4, 0];
            d.push(
                DefinitionKind::Group,
                &group,
                &members.collect::<Vec<_>>(),
                "",
            );
            let comm = [id, UNDEFINED, id, UNDEFINED, 0];
            d.push(DefinitionKind::Comm, &comm, &[], "");
        }
        d
    }

    /// How often the rank of an operation has computed before it.
    pub fn computed(&self, operation: &Expected) -> u64 {
        let leave = [self.region("compute")];
        let before = &self.events[operation.rank][..operation.position as usize];
        let left = before.iter();
        let left = left.filter(|it| it.kind == EventKind::Leave && it.operands == leave);
        left.count() as u64
    }

    /// When the first event of a rank is.
    pub fn begin(&self, rank: usize) -> u64 {
        self.events[rank][0].time
    }

    /// How many ranks call MPI at all.
    pub fn callers(&self) -> usize {
        let calls = |event: &&Made| {
            let region = usize::try_from(event.operands[0]).ok();
            let region = region.and_then(|region| REGIONS.get(region));
            event.kind == EventKind::Enter && region.is_some_and(|name| name.starts_with("MPI_"))
        };
        let ranks = self.events.iter();
        ranks
            .filter(|events| events.iter().any(|event| calls(&event)))
            .count()
    }

    /// Whether an event says what a collective call does.
    pub fn is_collective(&self, rank: usize, index: usize) -> bool {
        matches!(
            self.events[rank][index].kind,
            EventKind::MpiCollectiveBegin | EventKind::MpiCollectiveEnd
        )
    }

    /// Finds its steps; events that are not `kept` are lost.
    pub fn steps(
        &self,
        options: &Options,
        kept: impl Fn(usize, usize) -> bool,
    ) -> (Summary, AllSteps) {
        let mut found = AllSteps::default();
        let summary = self.steps_into(options, kept, &mut found);
        (summary, found)
    }

    fn steps_into(
        &self,
        options: &Options,
        kept: impl Fn(usize, usize) -> bool,
        sink: &mut impl Sink,
    ) -> Summary {
        let definitions = self.definitions();
        let names = Names::new(&definitions);
        let mut symbols = SymbolTable::default();
        let batches = self.events.iter().enumerate().map(|(rank, events)| {
            let mut batch = EventBatch::default();
            batch.reset(LocationId(self.labels[rank] as u64), Position(0));
            let events = events.iter().enumerate();
            for (_, event) in events.filter(|(index, _)| kept(rank, *index)) {
                let symbol = symbols.intern(Symbol::new(event.kind, &event.operands));
                batch.push(symbol, Timestamp(event.time), &event.quantities);
            }
            batch
        });
        let batches: Vec<EventBatch> = batches.collect();
        let census = batches.iter().map(|batch| {
            let counts = batch.symbols.iter().copied().collect();
            Census::from_counts(batch.location, counts, &symbols)
        });
        let census: Census = census.collect();
        let communicators = Communicators::new(&definitions, &names, &census, &symbols);
        let mut all: Vec<_> = batches
            .iter()
            .flat_map(|batch| batch.iter(&symbols).map(|event| (batch.location, event)))
            .collect();
        all.sort_by_key(|(location, event)| (event.time, *location, event.position));
        let locations = batches.iter();
        let locations = locations.map(|it| (it.location, &it.symbols[..], &it.times[..]));
        let calls = CollectiveCalls::from_events(&names, &census, &symbols, locations);
        let mut steps =
            Steps::new(&names, &communicators, &census, &symbols, options).with_calls(calls);
        for (location, event) in &all {
            let passing = Passing {
                location: *location,
                position: event.position,
                time: event.time,
                symbol: event.symbol,
            };
            if steps.pass(passing, &symbols) {
                steps.take(*location, event, &symbols, sink).unwrap();
            }
        }
        steps.finish(sink).unwrap().0
    }
}
