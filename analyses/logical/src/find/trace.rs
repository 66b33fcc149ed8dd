//! Presents a logical program as a trace with one location, which can be converted like any other trace.
//!
//! The peers of messages are numbers of directions, and the calls around them are named after the directions. Each
//! call takes its mean duration, and begins after the mean computing time that precedes it.

use foldtrace_topology::recognition::DirectionId;
use foldtrace_trace::{
    COLLECTIVES, Clock, Diagnostics, EventBatch, EventKind, EventStream, LocationId, Minter,
    Position, Quantity, Step, StreamInfo, Symbol, SymbolId, SymbolTable, Timestamp, TraceError,
    TraceHead, TraceReader, UNDEFINED,
};

use crate::model::{Calls, Distribution, Letter, Logical, Measured, calls_of};

/// The number of calls per batch, unless the caller asks for fewer.
const BATCH: usize = 1 << 12;

/// A logical program as a trace.
#[derive(Debug)]
pub struct LogicalTrace<'a> {
    logical: &'a Logical,
    head: TraceHead,
    location: LocationId,
    regions: Regions,
}

/// The regions of calls.
#[derive(Debug)]
struct Regions {
    /// The regions of sends, by direction.
    send: Vec<u64>,
    /// The regions of receives, by direction.
    receive: Vec<u64>,
    /// The regions of collective operations, by operation.
    collective: Vec<u64>,
    other: u64,
}

impl Regions {
    fn new(logical: &Logical, minter: &mut Minter) -> Self {
        let directions = &logical.topology.directions;
        let names: Vec<String> = directions
            .iter()
            .map(|direction| direction.name())
            .collect();
        let mut regions = |verb: &str| -> Vec<u64> {
            let names = names.iter().map(|name| format!("{verb} {name}"));
            names.map(|name| minter.region(&name)).collect()
        };
        let (send, receive) = (regions("send"), regions("receive"));
        let operations = (0..).map_while(|code| COLLECTIVES.name(code));
        Self {
            send,
            receive,
            collective: operations.map(|name| minter.region(name)).collect(),
            other: minter.region("collective operation"),
        }
    }

    fn region(&self, letter: Letter) -> u64 {
        let (regions, number) = match letter {
            Letter::Send { direction, .. } => (&self.send, u64::from(direction.0)),
            Letter::Receive { direction, .. } => (&self.receive, u64::from(direction.0)),
            Letter::Collective { operation, .. } => {
                (&self.collective, operation.unwrap_or(UNDEFINED))
            }
        };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        regions.get(number).copied().unwrap_or(self.other)
    }
}

impl<'a> LogicalTrace<'a> {
    /// Creates a trace of a program, with the measured times and bytes.
    #[must_use]
    pub fn new(logical: &'a Logical) -> Self {
        let mut minter = Minter::default();
        minter.clock(Clock {
            ticks_per_second: logical.ticks_per_second,
            ..Clock::default()
        });
        let process = minter.process(&logical.topology.name);
        let location = minter.location("logical program", process);
        let regions = Regions::new(logical, &mut minter);
        Self {
            logical,
            head: TraceHead {
                definitions: minter.take(),
                streams: vec![StreamInfo {
                    location: Some(location),
                    ..StreamInfo::default()
                }],
                ..TraceHead::default()
            },
            location,
            regions,
        }
    }
}

impl TraceReader for LogicalTrace<'_> {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, _: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(LogicalStream {
            trace: self,
            calls: calls_of(&self.logical.program),
            symbols: SymbolTable::default(),
            ticks: 0.0,
            next: Position(0),
            batch: BATCH,
        }))
    }
}

/// The events of a program, call by call.
struct LogicalStream<'a> {
    trace: &'a LogicalTrace<'a>,
    calls: Calls<'a>,
    symbols: SymbolTable,
    ticks: f64,
    next: Position,
    batch: usize,
}

impl LogicalStream<'_> {
    fn push(&mut self, call: u32, letter: Letter, out: &mut EventBatch) {
        let measured = self.trace.logical.measured.get(call as usize);
        let mean = |of: fn(&Measured) -> &Distribution| measured.map_or(0.0, |m| of(m).mean());
        let region = self.trace.regions.region(letter);
        let [enter, leave] = [EventKind::Enter, EventKind::Leave]
            .map(|kind| self.symbols.intern(Symbol::new(kind, &[region])));
        self.ticks += mean(|measured| &measured.computing);
        out.push(enter, self.time(), &[]);
        let bytes = measured.filter(|measured| measured.bytes.count > 0);
        let bytes = bytes.map_or(UNDEFINED, |measured| measured.bytes.mean().round() as u64);
        let symbol = self.symbol(letter);
        match letter {
            Letter::Collective { .. } => {
                self.ticks += mean(|measured| &measured.communicating);
                let both = [(Quantity::Bytes, bytes), (Quantity::BytesReceived, bytes)];
                out.push(symbol, self.time(), &both);
            }
            Letter::Send { .. } | Letter::Receive { .. } => {
                out.push(symbol, self.time(), &[(Quantity::Bytes, bytes)]);
                self.ticks += mean(|measured| &measured.communicating);
            }
        }
        out.push(leave, self.time(), &[]);
    }

    fn time(&self) -> Timestamp {
        Timestamp(self.ticks.round() as u64)
    }

    fn symbol(&mut self, letter: Letter) -> SymbolId {
        let or_undefined = |number: Option<u64>| number.unwrap_or(UNDEFINED);
        let message = |kind, direction: DirectionId, tag| {
            let operands = [u64::from(direction.0), UNDEFINED, or_undefined(tag)];
            Symbol::new(kind, &operands)
        };
        self.symbols.intern(match letter {
            Letter::Send { direction, tag } => message(EventKind::MpiSend, direction, tag),
            Letter::Receive { direction, tag } => message(EventKind::MpiRecv, direction, tag),
            Letter::Collective {
                operation, root, ..
            } => {
                let operands = [or_undefined(operation), UNDEFINED, or_undefined(root)];
                Symbol::new(EventKind::MpiCollectiveEnd, &operands)
            }
        })
    }
}

impl EventStream for LogicalStream<'_> {
    fn next_batch(
        &mut self,
        out: &mut EventBatch,
        _: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        out.reset(self.trace.location, self.next);
        for _ in 0..self.batch {
            let Some((call, letter)) = self.calls.next() else {
                break;
            };
            self.push(call.number, letter, out);
        }
        self.next.0 += out.len() as u64;
        Ok(if out.is_empty() {
            Step::End
        } else {
            Step::Batch
        })
    }

    fn batch_at_most(&mut self, events: usize) {
        self.batch = (events / 3).clamp(1, BATCH);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        0
    }
}
