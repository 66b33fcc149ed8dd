//! Divides the events of each location into operations, one for the communication of each call.
//!
//! All sends of a call are one operation, and so are all its receives. A call that does both is split where the
//! second kind begins, sends first, so that exchanges do not form cycles. Immediate sends of consecutive calls are
//! also one operation, so that processes with different numbers of neighbours stay side by side.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::{
    CallAssembly, Census, Collective, CollectiveCall, CollectiveCalls, Moment,
};
use foldtrace_mpi::Routine;
use foldtrace_stream::timeline::Passing;
use foldtrace_trace::{
    CallChange, CallStack, EventRef, LocationId, Names, OpenCalls, Position, SymbolId, SymbolTable,
    Timestamp,
};

use super::Kind;
use super::operation::{Key, Operation};
use super::role::Role;
use super::window::Window;

/// Divides the events of all locations into operations.
#[derive(Debug)]
pub(super) struct Cutter {
    /// By symbol: the role of its events.
    roles: Vec<Role>,
    lanes: Vec<Lane>,
    lane_of: HashMap<LocationId, usize, FixedState>,
    /// The location of the latest event, and its number.
    latest: Option<(LocationId, usize)>,
    /// By location without events so far: the number of events that will be part of operations.
    expected: HashMap<LocationId, u64, FixedState>,
    /// The calls that are collective operations.
    calls: CollectiveCalls,
    assembly: CallAssembly,
}

/// What an event that was taken needs.
#[derive(Debug)]
pub(super) enum Need {
    Nothing,
    /// It must be matched.
    Match,
    /// The operations of all members of this collective operation must be related.
    Relate(Collective),
}

/// An open call.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    enter: Moment,
    symbol: SymbolId,
    routine: Routine,
    /// The code of the operation, if the call itself is a collective operation.
    collective: Option<usize>,
}

/// The innermost open MPI call that communicates, with its operations.
#[derive(Clone, Copy, Debug)]
struct Current {
    call: OpenCall,
    send: Option<Key>,
    receive: Option<Key>,
    /// A collective operation that has begun.
    collective: Option<Key>,
    /// The latest operation of the call.
    last: Option<Key>,
    /// The first receive, and the time of the event before it.
    first_receive: Option<(Position, Timestamp)>,
}

/// The state of a location.
#[derive(Debug, Default)]
struct Lane {
    open: OpenCalls<OpenCall>,
    /// The call that the latest event left, with the code of its operation, if the call is a collective operation.
    left: Option<(OpenCall, usize)>,
    /// The open MPI calls, by the position at which they were entered.
    of_mpi: CallStack<Position, OpenCall>,
    current: Option<Current>,
    /// A collective operation that has begun outside of any call.
    begun: Option<Key>,
    /// The operation of immediate sends that another immediate send would join.
    run: Option<Key>,
    /// The operations of all immediate sends since the last receive, collective operation or wait.
    underway: Vec<Key>,
    /// Whether a send has completed in the current test call.
    has_completed: bool,
    /// The latest operation.
    newest: Option<Key>,
    /// The first position after all operations so far.
    after_operations: u64,
    /// The time of the latest event.
    latest: Timestamp,
    /// The number of the phase: odd within an instance of the region of phases.
    phase: u64,
    /// The number of open instances of that region.
    instances: u32,
    /// The number of events and calls to come that will be part of operations.
    expected: u64,
}

impl Cutter {
    pub fn new(
        names: &Names,
        census: &Census,
        symbols: &SymbolTable,
        phases: Option<&str>,
    ) -> Self {
        let roles = symbols.iter();
        let roles = roles.map(|(_, symbol)| Role::of_symbol(symbol, names, phases));
        let roles: Vec<Role> = roles.collect();
        let expected = census.locations().map(|(location, counts)| {
            let counts = counts.iter();
            let counts = counts.filter(|(id, _)| roles[id.row()].is_part_of_operation());
            (location, counts.map(|(_, count)| count).sum())
        });
        Self {
            expected: expected.filter(|&(_, count)| count > 0).collect(),
            roles,
            lanes: Vec::new(),
            lane_of: HashMap::default(),
            latest: None,
            calls: CollectiveCalls::default(),
            assembly: CallAssembly::default(),
        }
    }

    /// Treats these calls as collective operations.
    pub fn expect(&mut self, calls: CollectiveCalls) {
        for location in calls.locations() {
            *self.expected.entry(location).or_default() += calls.per_location();
        }
        self.assembly = CallAssembly::new(&calls);
        self.calls = calls;
    }

    /// Returns the number of locations that will have operations, before the first event.
    pub fn locations(&self) -> usize {
        let counts = self.expected.values();
        counts.filter(|&&count| count > 0).count()
    }

    /// Returns the number of a location, or `None` if it has had no event.
    pub fn lane(&self, location: LocationId) -> Option<usize> {
        self.lane_of.get(&location).copied()
    }

    fn role(&self, symbol: SymbolId) -> Role {
        self.roles.get(symbol.row()).copied().unwrap_or_default()
    }

    /// Returns the number of a location. A new location gets the next number.
    fn number(&mut self, location: LocationId) -> usize {
        let number = match self.latest {
            Some((latest, number)) if latest == location => number,
            _ => {
                let next = self.lanes.len();
                *self.lane_of.entry(location).or_insert(next)
            }
        };
        self.latest = Some((location, number));
        if number == self.lanes.len() {
            let expected = self.expected.remove(&location).unwrap_or_default();
            self.lanes.push(Lane {
                expected,
                ..Lane::default()
            });
        }
        number
    }

    /// Takes an event out of the order of time, if its location is sufficient to process it. Returns whether it must
    /// be taken again in the order of time, before the next event of its location; and the number of its location.
    #[inline]
    pub fn pass(
        &mut self,
        event: Passing,
        symbols: &SymbolTable,
        window: &mut Window,
    ) -> (bool, usize) {
        let number = self.number(event.location);
        let role = self.role(event.symbol);
        let lane = &mut self.lanes[number];
        let mut cut = Cut {
            number,
            lane,
            now: Moment {
                position: event.position,
                time: event.time,
            },
            window,
        };
        match role {
            Role::Other => {}
            Role::Enter(routine, is_phase) => {
                cut.lane.instance(is_phase, true);
                let collective = self.calls.operation(event.symbol);
                cut.enter(event.symbol, routine, collective, symbols);
            }
            Role::Leave(is_phase) => {
                cut.leave(event.symbol, symbols);
                if cut.lane.left.is_some() {
                    return (true, number);
                }
                cut.lane.instance(is_phase, false);
            }
            _ => return (true, number),
        }
        lane.latest = event.time;
        (false, number)
    }

    /// Takes the next event for which [`pass`](Self::pass) has returned true, in the order of time. Returns what it needs.
    pub fn take(&mut self, location: LocationId, event: &EventRef, window: &mut Window) -> Need {
        let number = self.number(location);
        let role = self.role(event.symbol);
        let lane = &mut self.lanes[number];
        let mut cut = Cut {
            number,
            lane,
            now: Moment::of(event),
            window,
        };
        let mut call = None;
        match role {
            Role::Other | Role::Matched | Role::Enter(..) => {}
            Role::Leave(is_phase) => {
                call = cut.collective_call(location);
                cut.lane.instance(is_phase, false);
            }
            Role::SendComplete => cut.lane.has_completed = true,
            Role::Send(is_begun) => cut.send(is_begun),
            Role::Receive => cut.receive(),
            Role::CollectiveBegin => cut.collective(false),
            Role::CollectiveEnd => cut.collective(true),
        }
        if role.is_part_of_operation() {
            cut.count();
        }
        lane.latest = event.time;
        if let Some(call) = call {
            let complete = self.assembly.take(call);
            return complete.map_or(Need::Nothing, Need::Relate);
        }
        if role.is_matched() {
            Need::Match
        } else {
            Need::Nothing
        }
    }

    /// Ends the trace: releases all immediate sends.
    pub fn finish(&mut self, window: &mut Window) {
        for lane in &mut self.lanes {
            lane.release(None, window);
        }
    }
}

impl Lane {
    /// Releases the immediate sends under way: they can no longer be waited for. If a receive happens in the call
    /// that waits for them, they join its partition.
    fn release(&mut self, joined: Option<Key>, window: &mut Window) {
        self.run = None;
        for send in self.underway.drain(..) {
            window.operation(send).is_held = false;
            if let Some(receive) = joined {
                window.join(send, receive);
            }
        }
    }

    /// Opens or closes an instance of the region of phases. Instances within others are not phases.
    fn instance(&mut self, is_phase: bool, begins: bool) {
        if !is_phase {
            return;
        }
        let before = self.instances;
        self.instances = if begins {
            before + 1
        } else {
            before.saturating_sub(1)
        };
        self.phase += u64::from((before == 0) != (self.instances == 0));
    }
}

/// An event that is being assigned to an operation.
struct Cut<'a> {
    number: usize,
    lane: &'a mut Lane,
    now: Moment,
    window: &'a mut Window,
}

impl Cut<'_> {
    fn enter(
        &mut self,
        symbol: SymbolId,
        routine: Routine,
        collective: Option<usize>,
        symbols: &SymbolTable,
    ) {
        let call = OpenCall {
            enter: self.now,
            symbol,
            routine,
            collective: collective.filter(|_| self.lane.of_mpi.is_empty()),
        };
        self.lane.open.enter(symbol, symbols, call);
        if routine != Routine::Other {
            self.lane.of_mpi.enter(call.enter.position, call);
        }
        if routine.completes() {
            self.lane.run = None;
            self.lane.has_completed = false;
        }
    }

    fn leave(&mut self, symbol: SymbolId, symbols: &SymbolTable) {
        let CallChange::Left { call, .. } = self.lane.open.leave(symbol, symbols) else {
            return;
        };
        if call.routine != Routine::Other {
            self.lane.of_mpi.leave(call.enter.position);
        }
        if let Some(current) = self.lane.current
            && current.call.enter.position == call.enter.position
        {
            if let Some(last) = current.last {
                self.extend(last);
            }
            self.close();
        }
        if call.routine == Routine::Waits
            || call.routine == Routine::Tests && self.lane.has_completed
        {
            self.lane.release(None, self.window);
        }
        self.lane.left = call.collective.map(|operation| (call, operation));
    }

    /// Adds the operation of the call that was left, if it is a collective operation without events of its own. Returns
    /// that call.
    fn collective_call(&mut self, location: LocationId) -> Option<CollectiveCall> {
        let (call, operation) = self.lane.left.take()?;
        self.lane.release(None, self.window);
        let key = self.window.insert(Operation {
            lane: self.number as u32,
            kind: Kind::Collective,
            call: Some(call.symbol),
            position: call.enter.position,
            events: 0,
            start: call.enter.time,
            end: self.now.time,
            phase: self.lane.phase,
            unsettled: 0,
            is_open: false,
            is_held: false,
            collective: None,
            is_in_leap: false,
        });
        self.lane.newest = Some(key);
        self.add(key);
        self.count();
        Some(CollectiveCall {
            operation,
            location,
            enter: call.enter,
            leave: self.now,
        })
    }

    /// Counts an event or a call that is part of an operation.
    fn count(&mut self) {
        self.lane.expected = self.lane.expected.saturating_sub(1);
        if self.lane.expected == 0 {
            self.window.outlook.end(self.number);
        }
    }

    /// Extends the operation to the current event, unless another operation has begun after it.
    fn extend(&mut self, key: Key) {
        self.lane.after_operations = self.now.position.0 + 1;
        if self.lane.newest != Some(key) {
            return;
        }
        let operation = self.window.operation(key);
        operation.end = self.now.time;
        operation.events = (self.now.position.0 + 1).saturating_sub(operation.position.0);
    }

    /// Closes the operations of the current call.
    fn close(&mut self) {
        if let Some(current) = self.lane.current.take() {
            let Current {
                send,
                receive,
                collective,
                last,
                ..
            } = current;
            let all = [send, receive, collective, last];
            for key in all.into_iter().flatten() {
                self.window.operation(key).is_open = false;
            }
        }
    }

    /// Returns the innermost open MPI call, with its operations.
    fn current(&mut self) -> Option<Current> {
        let innermost = self.lane.of_mpi.last().copied();
        let position = innermost.map(|call| call.enter.position);
        let current = self.lane.current;
        if current.is_some_and(|current| Some(current.call.enter.position) != position) {
            self.close();
        }
        let call = innermost?;
        Some(*self.lane.current.get_or_insert(Current {
            call,
            send: None,
            receive: None,
            collective: None,
            last: None,
            first_receive: None,
        }))
    }

    /// Begins an operation: at the start of its call, or at this event if the call already has an operation.
    fn begin(&mut self, kind: Kind, current: Option<Current>) -> Key {
        let call = current.map(|current| current.call);
        let is_first = current.is_some_and(|current| current.last.is_none());
        let enter =
            call.filter(|call| is_first && call.enter.position.0 >= self.lane.after_operations);
        let (position, start) = match (enter, call) {
            (Some(call), _) => (call.enter.position, call.enter.time),
            (None, Some(_)) => (self.now.position, self.lane.latest),
            (None, None) => (self.now.position, self.now.time),
        };
        if let Some(last) = current.and_then(|current| current.last) {
            let (latest, end) = (self.lane.latest, self.now.position.0);
            let before = self.window.operation(last);
            before.end = latest;
            before.events = end.saturating_sub(before.position.0);
        }
        let key = self.window.insert(Operation {
            lane: self.number as u32,
            kind,
            call: call.map(|call| call.symbol),
            position,
            events: 0,
            start,
            end: self.now.time,
            phase: self.lane.phase,
            unsettled: 0,
            is_open: call.is_some(),
            is_held: false,
            collective: None,
            is_in_leap: false,
        });
        self.lane.newest = Some(key);
        key
    }

    /// Adds the event to the operation, which then waits for the event to be matched.
    fn add(&mut self, key: Key) {
        self.extend(key);
        self.window.await_match(self.number, self.now.position, key);
    }

    fn send(&mut self, is_begun: bool) {
        let current = self.current();
        let is_begun = is_begun || current.is_some_and(|it| it.call.routine == Routine::Begins);
        let Some(current) = current else {
            self.lane.run = None;
            let key = self.begin(Kind::Send, None);
            self.hold(key, is_begun);
            return self.add(key);
        };
        let (mut send, mut last) = (current.send, current.last);
        if send.is_none() && last.is_none() && is_begun {
            send = self.lane.run;
            last = send;
        }
        let key = match (send, current.receive, current.first_receive) {
            (Some(send), ..) => send,
            (None, Some(receive), Some(first)) if last == Some(receive) => {
                self.begin_before(receive, first)
            }
            _ => {
                let key = self.begin(Kind::Send, Some(current));
                last = Some(key);
                key
            }
        };
        self.window.operation(key).is_open = true;
        if send.is_none() {
            self.hold(key, is_begun);
        }
        self.lane.run = is_begun.then_some(key);
        self.lane.current = Some(Current {
            send: Some(key),
            last,
            ..current
        });
        self.add(key);
    }

    /// Splits off the sends of a call that has already received: the sends come first.
    fn begin_before(&mut self, receive: Key, (first, before): (Position, Timestamp)) -> Key {
        let operation = self.window.operation(receive);
        let send = Operation {
            kind: Kind::Send,
            events: first.0.saturating_sub(operation.position.0),
            end: before,
            unsettled: 0,
            ..*operation
        };
        operation.position = first;
        operation.start = before;
        self.window.insert_before(receive, send)
    }

    /// Holds an immediate send until a call waits for it; before that, its partition is unknown.
    fn hold(&mut self, key: Key, is_begun: bool) {
        if is_begun {
            self.window.operation(key).is_held = true;
            self.lane.underway.push(key);
        }
    }

    fn receive(&mut self) {
        let Some(current) = self.current() else {
            self.lane.release(None, self.window);
            let key = self.begin(Kind::Receive, None);
            return self.add(key);
        };
        let key = match current.receive {
            Some(receive) => receive,
            None => {
                let before = self.lane.latest;
                let key = self.begin(Kind::Receive, Some(current));
                let joins = current.call.routine.completes();
                self.lane.release(joins.then_some(key), self.window);
                self.lane.current = Some(Current {
                    receive: Some(key),
                    last: Some(key),
                    first_receive: Some((self.now.position, before)),
                    ..current
                });
                key
            }
        };
        self.add(key);
    }

    fn collective(&mut self, is_complete: bool) {
        let current = self.current();
        self.lane.release(None, self.window);
        let begun = match current {
            Some(current) => current.collective,
            None => self.lane.begun,
        };
        let key = match begun {
            Some(begun) if is_complete => begun,
            _ => self.begin(Kind::Collective, current),
        };
        let begun = (!is_complete).then_some(key);
        match current {
            Some(current) => {
                // Of the operations of a call with several, only the latest stays open.
                if let Some(last) = current.last
                    && last != key
                    && ![current.send, current.receive].contains(&Some(last))
                {
                    self.window.operation(last).is_open = false;
                }
                self.lane.current = Some(Current {
                    collective: begun,
                    last: Some(key),
                    ..current
                });
            }
            None => {
                self.window.operation(key).is_open = !is_complete;
                self.lane.begun = begun;
            }
        }
        if is_complete {
            self.add(key)
        } else {
            self.extend(key)
        }
    }
}
