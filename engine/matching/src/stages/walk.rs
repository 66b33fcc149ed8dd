//! Follows the events of a location, and finds the collective operations that it passes.

use std::ops::Range;

use foldtrace_trace::{CallStack, Position, SymbolId};

use super::OpenCall;
use super::effects::{Called, Effect, Effects, Part, Parts, Request};
use crate::{CalleeIndex, RegionIndex};

/// A collective operation that all locations leave only after all have entered it, passed by one of them with no request open.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// The number of its sequence, among those in which all locations take part.
    pub sequence: usize,
    /// The number of the operation in its sequence.
    pub number: u64,
    /// The positions from entering the operation to leaving it.
    pub positions: Range<Position>,
    /// The part of the location in what is under way when it enters.
    pub balance: u64,
}

/// An MPI call that is open, and not within another one.
#[derive(Clone, Copy, Debug)]
struct MpiCall {
    enter: Position,
    called: Called,
    /// The part of the location in what was under way when it entered, and whether it had open requests.
    balance: u64,
    has_requests: bool,
    /// The number of events within the call that communicate, and the last operation.
    events: u64,
    operation: Option<(Part, u64)>,
}

/// The state of a location.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    effects: &'a Effects,
    parts: &'a Parts,
    next: Position,
    /// The open calls, each with its region, and whether it is the one below.
    open: CallStack<CalleeIndex, (RegionIndex, bool)>,
    call: Option<MpiCall>,
    balance: u64,
    /// The number of open requests of each kind.
    requests: [u64; 4],
    /// The number of operations of each sequence.
    passed: Vec<u64>,
}

impl<'a> Walk<'a> {
    /// Begins at the first event of a location, given by its number.
    pub fn new(effects: &'a Effects, location: usize) -> Self {
        Self {
            effects,
            parts: effects.parts(location),
            next: Position(0),
            open: CallStack::default(),
            call: None,
            balance: 0,
            requests: [0; 4],
            passed: vec![0; effects.operations().count()],
        }
    }

    /// Takes the next events. Passes each operation to `found` right after it was left.
    pub fn take(&mut self, symbols: &[SymbolId], mut found: impl FnMut(Passage, &Self)) {
        for &symbol in symbols {
            let position = self.next;
            self.next.0 += 1;
            match self.effects.of(symbol) {
                Effect::None => {}
                Effect::Enter(callee, region, called) => {
                    let is_call = self.call.is_none() && called != Called::Other;
                    if is_call {
                        self.call = Some(self.entered(position, called));
                    }
                    self.open.enter(callee, (region, is_call));
                }
                Effect::Leave(callee) => {
                    let left = self.open.leave(callee);
                    if left.is_some_and(|left| left.call.1)
                        && let Some(passage) = self.left()
                    {
                        found(passage, self);
                    }
                }
                effect => self.communicate(effect, symbol),
            }
        }
    }

    /// Returns the calls that are open, the outermost first.
    pub fn open_calls(&self) -> Vec<OpenCall> {
        let open = self.open.iter();
        open.map(|(callee, &(region, _))| (callee, region))
            .collect()
    }

    fn entered(&self, enter: Position, called: Called) -> MpiCall {
        MpiCall {
            enter,
            called,
            balance: self.balance,
            has_requests: self.requests.iter().any(|&open| open > 0),
            events: 0,
            operation: None,
        }
    }

    /// Ends the MPI call. Returns the operation that the location has passed with it.
    fn left(&mut self) -> Option<Passage> {
        let ended = self.call.take()?;
        let of_call = match ended.called {
            Called::Operation(code) => self.parts.of_call(code),
            Called::Mpi | Called::Other => None,
        };
        let operation = match of_call {
            Some(&part) => Some((part, self.pass(part))),
            None => ended.operation.filter(|_| ended.events == 1),
        };
        let (part, number) = operation?;
        let sequence = part
            .sequence
            .filter(|_| part.synchronises && !ended.has_requests)?;
        Some(Passage {
            sequence,
            number,
            positions: ended.enter..self.next,
            balance: ended.balance,
        })
    }

    fn communicate(&mut self, effect: Effect, symbol: SymbolId) {
        let part = match effect {
            Effect::Communicate => self.parts.of_symbol(symbol).copied(),
            _ => None,
        };
        let operation = part.map(|part| (part, self.pass(part)));
        match part.map_or(effect, |part| part.effect) {
            Effect::Open(request) => self.requests[request as usize] += 1,
            Effect::Close(request) => self.close(request),
            Effect::Cancel if self.requests[Request::Receive as usize] > 0 => {
                self.close(Request::Receive);
            }
            Effect::Cancel => self.close(Request::Send),
            _ => {}
        }
        let only_begins = effect == Effect::Open(Request::Call);
        if let Some(call) = &mut self.call
            && !only_begins
        {
            call.events += 1;
            call.operation = operation;
        }
    }

    fn close(&mut self, request: Request) {
        let open = &mut self.requests[request as usize];
        *open = open.saturating_sub(1);
    }

    /// Adds a part to what is under way. Returns its number in the sequence.
    fn pass(&mut self, part: Part) -> u64 {
        self.balance = self.balance.wrapping_add(part.balance);
        let Some(passed) = part
            .sequence
            .and_then(|sequence| self.passed.get_mut(sequence))
        else {
            return 0;
        };
        *passed += 1;
        *passed - 1
    }
}
