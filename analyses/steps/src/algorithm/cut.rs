//! From events to operations: what one call does, location by location.
//!
//! All sends of a call are one operation, and so are all its receives. A call that does both is divided
//! where the second begins, sends first, so that exchanges are no cycles. Immediate sends of consecutive
//! calls are one operation too, so that processes with different numbers of neighbours stay side by side.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::Moment;
use foldtrace_mpi::Routine;
use foldtrace_trace::{
    CallChange, CallStack, EventRef, LocationId, Names, OpenCalls, Position, SymbolId, SymbolTable,
    Timestamp,
};

use super::Kind;
use super::calls::{Assembly, CollectiveCalls};
use super::role::Role;
use super::window::{Key, Operation, Window};

/// Cuts the events of all locations into operations.
#[derive(Debug)]
pub(super) struct Cutter {
    /// By symbol.
    roles: Vec<Role>,
    lanes: Vec<Lane>,
    lane_of: HashMap<LocationId, usize, FixedState>,
    /// The location of the latest event.
    latest: Option<(LocationId, usize)>,
    assembly: Assembly,
}

/// A call that is open.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    enter: Moment,
    symbol: SymbolId,
    routine: Routine,
    /// The collective routine, if the call is its operation.
    collective: Option<usize>,
}

/// The operations of the call that communicates at the moment.
#[derive(Clone, Copy, Debug)]
struct Current {
    call: OpenCall,
    send: Option<Key>,
    receive: Option<Key>,
    /// A collective operation that has begun.
    collective: Option<Key>,
    /// The operation that is cut off last.
    last: Option<Key>,
    /// The first receive, and when the event before it was.
    first_receive: Option<(Position, Timestamp)>,
}

/// A location, as far as it was cut.
#[derive(Debug, Default)]
struct Lane {
    open: OpenCalls<OpenCall>,
    /// The open MPI calls, by the position at which they were entered.
    of_mpi: CallStack<Position, OpenCall>,
    current: Option<Current>,
    /// A collective operation that has begun outside of any call.
    begun: Option<Key>,
    /// The immediate sends that another one would join.
    run: Option<Key>,
    /// All immediate sends since the last receive, collective operation or wait.
    underway: Vec<Key>,
    /// Whether a send was complete in the call that tests.
    has_completed: bool,
    /// The operation that was begun last.
    newest: Option<Key>,
    /// The first position behind all operations so far.
    behind: u64,
    /// When the latest event was.
    latest: Timestamp,
    /// The phase: odd within an instance of the region of phases.
    phase: u64,
    /// Open instances of that region.
    instances: u32,
}

impl Cutter {
    pub fn new(names: &Names, symbols: &SymbolTable, phases: Option<&str>) -> Self {
        let roles = symbols.iter();
        let roles = roles.map(|(_, symbol)| Role::of(symbol, names, phases));
        Self {
            roles: roles.collect(),
            lanes: Vec::new(),
            lane_of: HashMap::default(),
            latest: None,
            assembly: Assembly::default(),
        }
    }

    /// These calls are collective operations.
    pub fn expect(&mut self, calls: CollectiveCalls) {
        self.assembly.calls = calls;
    }

    /// The number of a location that has had an event.
    pub fn lane(&self, location: LocationId) -> Option<usize> {
        self.lane_of.get(&location).copied()
    }

    /// Whether matching has to know of events with a symbol.
    pub fn is_matched(&self, symbol: SymbolId) -> bool {
        !matches!(
            self.role(symbol),
            Role::Other | Role::Enter(..) | Role::Leave(_)
        )
    }

    fn role(&self, symbol: SymbolId) -> Role {
        self.roles.get(symbol.index()).copied().unwrap_or_default()
    }

    /// Takes the next event; gives the number of its location, from 0 in the order of first events.
    pub fn take(
        &mut self,
        location: LocationId,
        event: &EventRef,
        symbols: &SymbolTable,
        window: &mut Window,
    ) -> usize {
        let number = match self.latest {
            Some((latest, number)) if latest == location => number,
            _ => {
                let next = self.lanes.len();
                *self.lane_of.entry(location).or_insert(next)
            }
        };
        self.latest = Some((location, number));
        if number == self.lanes.len() {
            self.lanes.push(Lane::default());
        }
        let role = self.role(event.symbol);
        let lane = &mut self.lanes[number];
        let mut cut = Cut {
            number,
            lane,
            now: Moment::of(event),
            window,
            assembly: &mut self.assembly,
        };
        match role {
            Role::Other | Role::Matched => {}
            Role::Enter(routine, is_phase) => {
                cut.lane.instance(is_phase, true);
                cut.enter(event.symbol, routine, symbols);
            }
            Role::Leave(is_phase) => {
                cut.leave(event.symbol, symbols);
                cut.lane.instance(is_phase, false);
            }
            Role::SendComplete => cut.lane.has_completed = true,
            Role::Send(is_begun) => cut.send(is_begun),
            Role::Receive => cut.receive(),
            Role::CollectiveBegin => cut.collective(false),
            Role::CollectiveEnd => cut.collective(true),
        }
        lane.latest = event.time;
        number
    }

    /// The end of the trace: whatever is open is as long as it is.
    pub fn finish(&mut self, window: &mut Window) {
        for lane in &mut self.lanes {
            lane.release(None, window);
        }
    }
}

impl Lane {
    /// Immediate sends can be waited for no more, or a receive in the call that waits joins them.
    fn release(&mut self, joined: Option<Key>, window: &mut Window) {
        self.run = None;
        for send in self.underway.drain(..) {
            window.operation(send).is_held = false;
            if let Some(receive) = joined {
                window.join(send, receive);
            }
        }
    }

    /// An instance of the region of phases begins or ends; those within others are no phases.
    fn instance(&mut self, is_phase: bool, begins: bool) {
        if !is_phase {
            return;
        }
        let before = self.instances;
        self.instances = match begins {
            true => before + 1,
            false => before.saturating_sub(1),
        };
        self.phase += u64::from((before == 0) != (self.instances == 0));
    }
}

/// An event on its way into an operation.
struct Cut<'a> {
    number: usize,
    lane: &'a mut Lane,
    now: Moment,
    window: &'a mut Window,
    assembly: &'a mut Assembly,
}

impl Cut<'_> {
    fn enter(&mut self, symbol: SymbolId, routine: Routine, symbols: &SymbolTable) {
        let collective = self.assembly.calls.routine(symbol);
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
        if let Some(routine) = call.collective {
            self.assemble(call, routine);
        }
    }

    /// The call is a collective operation, and nothing in it says so.
    fn assemble(&mut self, call: OpenCall, routine: usize) {
        self.lane.release(None, self.window);
        let key = self.window.insert(Operation {
            lane: self.number,
            kind: Kind::Collective,
            call: Some(call.symbol),
            position: call.enter.position,
            events: 0,
            start: call.enter.time,
            end: self.now.time,
            phase: self.lane.phase,
            unsettled: 0,
            is_open: false,
            is_held: true,
            collective: None,
        });
        self.lane.newest = Some(key);
        self.extend(key);
        self.assembly.add(routine, self.number, key, self.window);
    }

    /// The operation lasts until now, unless another one has begun behind it.
    fn extend(&mut self, key: Key) {
        self.lane.behind = self.now.position.0 + 1;
        if self.lane.newest != Some(key) {
            return;
        }
        let operation = self.window.operation(key);
        operation.end = self.now.time;
        operation.events = (self.now.position.0 + 1).saturating_sub(operation.position.0);
    }

    /// The call has done what it does.
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

    /// The innermost open call of MPI, with its operations.
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

    /// An operation begins: with its call, or with this event if the call has had another one.
    fn begin(&mut self, kind: Kind, current: Option<Current>) -> Key {
        let call = current.map(|current| current.call);
        let is_first = current.is_some_and(|current| current.last.is_none());
        let enter = call.filter(|call| is_first && call.enter.position.0 >= self.lane.behind);
        let (position, start) = match (enter, call) {
            (Some(call), _) => (call.enter.position, call.enter.time),
            (None, Some(_)) => (self.now.position, self.lane.latest),
            (None, None) => (self.now.position, self.now.time),
        };
        if let Some(last) = current.and_then(|current| current.last) {
            let (latest, behind) = (self.lane.latest, self.now.position.0);
            let before = self.window.operation(last);
            before.end = latest;
            before.events = behind.saturating_sub(before.position.0);
        }
        let key = self.window.insert(Operation {
            lane: self.number,
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
        });
        self.lane.newest = Some(key);
        key
    }

    /// The event belongs to the operation, and matching will tell with what it goes together.
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

    /// A call that has received also sends: that it did first.
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

    /// Nothing is known of who waits for an immediate send until it is waited for.
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
                // Of a call that has several, only the one that goes on is open.
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
        match is_complete {
            true => self.add(key),
            false => self.extend(key),
        }
    }
}
