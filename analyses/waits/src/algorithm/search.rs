//! Relates the calls of all locations, and concludes how long each waited.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_clock::Dependence;
use foldtrace_matching::{
    CallAssembly, Census, Collective, CollectiveCall, Communication, Communicators, Message,
    Moment, Side, StagePart,
};
use foldtrace_mpi::Routine;
use foldtrace_stream::timeline::Passing;
use foldtrace_trace::{
    Diagnostics, EventKind, EventRef, LocationId, Position, Quantity, Timestamp, TraceError,
};
use slab::Slab;

use super::blame::{Blame, Work};
use super::blaming::{Blaming, Coming};
use super::call::{Call, CallKey, Candidate};
use super::causes::Sums;
use super::class::Class;
use super::in_step::InStep;
use super::lane::{Lane, Open, Together};
use super::log::Mark;
use super::paths::{PathIndex, Paths};
use super::role::{Callee, Role};
use super::stage::StageSums;
use super::{Options, Sink, Subject, WaitState};

/// The maximum number of segments in all logs together, unless there are very many locations.
const MOST_SEGMENTS: usize = 1 << 18;

/// The least and the greatest number of segments in a log.
const LEAST_IN_LOG: usize = 1 << 6;
const MOST_IN_LOG: usize = 1 << 10;

/// The number of late senders of a location that may still turn out to be in the wrong order.
const LATE_SENDERS: usize = 32;

/// The number of a location, and the position of one of its events.
type Place = (u32, Position);

/// An event that waits for matching.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    call: CallKey,
    /// Whether the event begins a send whose completion is recorded.
    is_begun: bool,
}

/// The call of a location that does its part: it sends, or posts a receive.
#[derive(Clone, Copy, Debug)]
struct Part {
    lane: u32,
    enter: Moment,
    mark: Mark,
}

/// The state of the search.
#[derive(Debug)]
pub(super) struct Search {
    roles: Vec<Role>,
    lanes: Vec<Lane>,
    lane_of: HashMap<LocationId, u32, FixedState>,
    latest: Option<(LocationId, u32)>,
    calls: Slab<Call>,
    awaited: HashMap<Place, Awaited, FixedState>,
    assembly: CallAssembly,
    /// The calls that post non-blocking receives.
    posts: HashMap<Place, Part, FixedState>,
    /// The positions of non-blocking sends, by request.
    requests: HashMap<(u32, u64), Position, FixedState>,
    /// Of non-blocking sends that are not complete, but received: the receivers.
    received: HashMap<Place, Part, FixedState>,
    /// Of non-blocking sends that are complete, but whose receiver is not known yet: the calls that complete them.
    completing: HashMap<Place, CallKey, FixedState>,
    in_step: InStep,
    blaming: Blaming,
    paths: Paths,
    sums: Sums,
    /// Calls that are complete, to be reported.
    concluded: Vec<Call>,
    most_in_log: usize,
    options: Options,
}

impl Search {
    pub fn new(subject: Subject<'_>, census: &Census, options: Options) -> Self {
        let Subject {
            communication: Communication { regions, calls, .. },
            symbols,
            loops,
            ..
        } = subject;
        let lanes = census.locations().map(|(location, counts)| {
            let mut kinds = counts.iter().map(|&(id, _)| symbols.kind(id));
            let records_completion = kinds.any(|kind| kind == EventKind::MpiIsendComplete);
            let iterations = loops.get(&location).cloned().unwrap_or_default();
            Lane::new(location, iterations, records_completion)
        });
        let lanes: Vec<Lane> = lanes.collect();
        let numbers = (0..).zip(&lanes);
        Self {
            roles: Role::of_symbols(regions, calls, symbols),
            lane_of: numbers
                .map(|(number, lane)| (lane.location, number))
                .collect(),
            latest: None,
            calls: Slab::new(),
            awaited: HashMap::default(),
            assembly: CallAssembly::new(calls),
            posts: HashMap::default(),
            requests: HashMap::default(),
            received: HashMap::default(),
            completing: HashMap::default(),
            in_step: InStep::default(),
            blaming: Blaming::default(),
            paths: Paths::default(),
            sums: Sums::default(),
            concluded: Vec::new(),
            most_in_log: if options.has_causes() {
                (MOST_SEGMENTS / lanes.len().max(1)).clamp(LEAST_IN_LOG, MOST_IN_LOG)
            } else {
                0
            },
            options,
            lanes,
        }
    }

    /// Begins a location where its part of the stage begins.
    pub fn begin(&mut self, part: &StagePart<'_>) {
        let (Some(number), Some(border)) = (self.number(part.location), part.border) else {
            return;
        };
        let lane = &mut self.lanes[number as usize];
        for &(callee, region) in &border.open {
            let path = self.paths.called(lane.path(), region);
            lane.begin_within(callee, path);
        }
        lane.reported = Some(border.operation.start);
    }

    fn number(&mut self, location: LocationId) -> Option<u32> {
        if let Some((latest, number)) = self.latest
            && latest == location
        {
            return Some(number);
        }
        let number = *self.lane_of.get(&location)?;
        self.latest = Some((location, number));
        Some(number)
    }

    fn role(&self, row: usize) -> Role {
        self.roles.get(row).copied().unwrap_or_default()
    }

    /// Follows the calls of a location. Returns whether the event must be taken in the order of time.
    #[inline]
    pub fn pass(&mut self, event: Passing) -> bool {
        let Some(number) = self.number(event.location) else {
            return false;
        };
        let role = self.role(event.symbol.row());
        let now = Moment {
            position: event.position,
            time: event.time,
        };
        let lane = &mut self.lanes[number as usize];
        lane.note(now.time);
        match role {
            Role::None => false,
            Role::Enter(callee, region, Callee { routine, operation }) => {
                let mut open = Open {
                    path: lane.path(),
                    call: None,
                    operation: None,
                };
                if lane.call.is_none() {
                    open.path = self.paths.called(lane.path(), region);
                    lane.begin(now, open.path, self.most_in_log);
                    if routine != Routine::Other {
                        let call = Call::new(number, open.path, now, lane.log.end(), routine);
                        open.call = Some(CallKey(self.calls.insert(call)));
                        open.operation = operation;
                        lane.call = open.call;
                    }
                }
                lane.open.enter(callee, open);
                false
            }
            Role::Leave(callee) => {
                let Some(left) = lane.open.leave(callee) else {
                    return false;
                };
                let path = lane
                    .open
                    .last()
                    .map_or_else(PathIndex::default, |open| open.path);
                if let Some(key) = left.call.call {
                    lane.call = None;
                    let call = &mut self.calls[key.0];
                    call.leave = Some(now.time);
                    lane.end_call(call.enter.time, now, path, self.most_in_log);
                    lane.left = left.call.operation.map(|operation| CollectiveCall {
                        operation,
                        location: event.location,
                        enter: call.enter,
                        leave: now,
                    });
                    let is_operation = lane.left.is_some();
                    if is_operation {
                        self.await_match((number, now.position), key, false);
                    }
                    self.release(key);
                    return is_operation;
                } else if lane.call.is_none() {
                    lane.begin(now, path, self.most_in_log);
                }
                false
            }
            _ => true,
        }
    }

    /// Assigns an event to the open MPI call of its location, before the event is matched. Returns the collective operation
    /// that is complete with the call that the event leaves.
    pub fn take(&mut self, location: LocationId, event: &EventRef) -> Option<Collective> {
        let number = self.number(location)?;
        let role = self.role(event.symbol.row());
        let lane = &mut self.lanes[number as usize];
        if let Some(left) = lane.left.take() {
            return self.assembly.take(left);
        }
        let call = lane.call?;
        let place = (number, event.position);
        let request = event.get(Quantity::Request);
        match role {
            Role::Send { is_begun } => {
                let request = request.filter(|_| is_begun && lane.records_completion);
                if let Some(request) = request {
                    self.requests.insert((number, request), event.position);
                }
                self.await_match(place, call, request.is_some());
            }
            Role::Receive | Role::CollectiveEnd => self.await_match(place, call, false),
            Role::Post => {
                let part = self.part(call);
                self.posts.insert(place, part);
            }
            Role::SendComplete => {
                let sent = request.and_then(|request| self.requests.remove(&(number, request)));
                if let Some(sent) = sent {
                    self.complete((number, sent), call);
                }
            }
            _ => {}
        }
        None
    }

    fn await_match(&mut self, place: Place, call: CallKey, is_begun: bool) {
        self.calls[call.0].users += 1;
        self.awaited.insert(place, Awaited { call, is_begun });
    }

    /// Returns a call as the part of its location.
    fn part(&self, call: CallKey) -> Part {
        let call = &self.calls[call.0];
        Part {
            lane: call.lane,
            enter: call.enter,
            mark: call.mark,
        }
    }

    /// Relates a call that completes a non-blocking send to the receiver.
    fn complete(&mut self, sent: Place, call: CallKey) {
        if let Some(receiver) = self.received.remove(&sent) {
            self.wait_for_receiver(call, receiver);
        } else if self.awaited.contains_key(&sent) {
            self.calls[call.0].users += 1;
            self.completing.insert(sent, call);
        }
    }

    /// Removes and returns an event that waits for matching.
    fn awaited(&mut self, side: Option<Side>) -> Option<(Place, Awaited)> {
        let side = side?;
        let place = (*self.lane_of.get(&side.location)?, side.moment.position);
        Some((place, self.awaited.remove(&place)?))
    }

    /// Relates the calls at both ends of a message.
    pub fn relate_message(&mut self, message: &Message) {
        let posted = message
            .posted
            .zip(message.receive)
            .and_then(|(posted, side)| {
                let lane = *self.lane_of.get(&side.location)?;
                self.posts.remove(&(lane, posted.position))
            });
        let send = self.awaited(message.send);
        let receive = self.awaited(message.receive);
        if let (Some((sent, send)), Some((_, receive))) = (send, receive) {
            let (sender, receiver) = (self.part(send.call), self.part(receive.call));
            self.wait_for_sender(receive.call, sender);
            let post = posted.unwrap_or(receiver);
            if !send.is_begun {
                self.wait_for_receiver(send.call, post);
            } else if let Some(call) = self.completing.remove(&sent) {
                self.wait_for_receiver(call, post);
                self.release(call);
            } else {
                self.received.insert(sent, post);
            }
            if self.options.has_causes() {
                let [sender, receiver] =
                    [sender, receiver].map(|part| (part.lane, part.enter.time));
                self.in_step.note(sender, receiver);
            }
        } else if let Some((sent, _)) = send
            && let Some(call) = self.completing.remove(&sent)
        {
            self.release(call);
        }
        for (_, awaited) in send.into_iter().chain(receive) {
            self.release(awaited.call);
        }
    }

    /// Lets a call that receives a message wait for its sender.
    fn wait_for_sender(&mut self, receive: CallKey, sender: Part) {
        let call = &self.calls[receive.0];
        let (is_later, completes) = (
            call.is_later(sender.enter.time, call.needs.as_ref()),
            call.completes,
        );
        let receiver = self.part(receive);
        let lane = &mut self.lanes[receiver.lane as usize];
        // Late senders that were waited for although this message had been sent before.
        lane.late_senders.retain(|&key| {
            let other = &mut self.calls[key.0];
            let sent = other.needs.map(|needs| needs.release);
            other.is_wrong_order |=
                key != receive && sent.is_some_and(|sent| sender.enter.time < sent);
            true
        });
        if !is_later {
            return;
        }
        let class = if completes {
            Class::WaitAtCompletion
        } else {
            Class::LateSender
        };
        if class == Class::LateSender && !lane.late_senders.contains(&receive) {
            lane.late_senders.push_back(receive);
            self.calls[receive.0].users += 1;
        }
        self.calls[receive.0].needs = Some(self.candidate(class, receiver, sender));
        let lane = &mut self.lanes[receiver.lane as usize];
        if lane.late_senders.len() > LATE_SENDERS
            && let Some(oldest) = lane.late_senders.pop_front()
        {
            self.release(oldest);
        }
    }

    /// Lets a call that sends a message, or completes a send, wait for the receiver.
    fn wait_for_receiver(&mut self, send: CallKey, receiver: Part) {
        let call = &self.calls[send.0];
        let ends_before = call.leave.is_some_and(|leave| leave < receiver.enter.time);
        if ends_before || !call.is_later(receiver.enter.time, call.receiver.as_ref()) {
            return;
        }
        let class = if call.completes {
            Class::WaitAtCompletion
        } else {
            Class::LateReceiver
        };
        let sender = self.part(send);
        self.calls[send.0].receiver = Some(self.candidate(class, sender, receiver));
    }

    /// Relates the calls of the members of a collective operation.
    pub fn relate_collective(&mut self, mut collective: Collective, communicators: &Communicators) {
        let dependence = Dependence::new(&mut collective, communicators);
        let members = collective.members.iter().map(|member| {
            let place = (*self.lane_of.get(&member.location)?, member.end.position);
            Some(self.awaited.remove(&place)?.call)
        });
        let members: Vec<Option<CallKey>> = members.collect();
        if let Some(dependence) = dependence {
            let class = match (dependence, collective.operation) {
                (Dependence::All, Some(0)) => Class::WaitAtBarrier,
                (Dependence::All, _) => Class::WaitAtNxn,
                (Dependence::FromRoot(_), _) => Class::LateBroadcast,
                (Dependence::ToRoot(_), _) => Class::EarlyReduce,
                (Dependence::FromEarlier, _) => Class::EarlyScan,
            };
            self.wait_for_members(class, dependence, &members);
            if self.options.has_causes() {
                self.note_together(dependence, &collective, &members);
            }
        }
        for call in members.into_iter().flatten() {
            self.release(call);
        }
    }

    /// Lets each member wait for the last one that it depends on.
    fn wait_for_members(
        &mut self,
        class: Class,
        dependence: Dependence,
        members: &[Option<CallKey>],
    ) {
        let begins = members.iter().enumerate().map(|(index, &member)| {
            let call = &self.calls[member?.0];
            Some((call.enter.time, index))
        });
        let begins: Vec<Option<(Timestamp, usize)>> = begins.collect();
        let last = dependence.latest_begins(&begins);
        for (&member, last) in members.iter().zip(last) {
            let late = last.and_then(|(_, index)| members[index]);
            let (Some(member), Some(late)) = (member, late) else {
                continue;
            };
            let late = self.part(late);
            let call = &self.calls[member.0];
            if call.is_later(late.enter.time, call.needs.as_ref()) {
                let waiting = self.part(member);
                self.calls[member.0].needs = Some(self.candidate(class, waiting, late));
            }
        }
    }

    /// Notes that the members of a collective operation are in step.
    fn note_together(
        &mut self,
        dependence: Dependence,
        collective: &Collective,
        members: &[Option<CallKey>],
    ) {
        let parts = members.iter().map(|member| {
            let part = self.part((*member)?);
            Some((part.lane, part.enter.time))
        });
        let parts: Vec<Option<(u32, Timestamp)>> = parts.collect();
        let all = parts.iter().flatten().copied();
        match dependence {
            Dependence::All => {
                let time = all
                    .clone()
                    .map(|(_, enter)| enter)
                    .max()
                    .unwrap_or_default();
                for (lane, _) in all {
                    self.lanes[lane as usize].note_together(Together {
                        communicator: collective.communicator,
                        number: collective.number,
                        time,
                    });
                }
            }
            Dependence::FromRoot(root) | Dependence::ToRoot(root) => {
                let Some(of_root) = parts[root] else { return };
                let others = all.filter(|part| part.0 != of_root.0);
                others.for_each(|part| self.in_step.note(of_root, part));
            }
            Dependence::FromEarlier => {
                let pairs = parts.windows(2);
                let pairs = pairs.filter_map(|pair| pair[0].zip(pair[1]));
                pairs.for_each(|(earlier, later)| self.in_step.note(earlier, later));
            }
        }
    }

    /// Returns a location that a call waits for, with the causes.
    fn candidate(&mut self, class: Class, waiting: Part, late: Part) -> Candidate {
        Candidate {
            class,
            release: late.enter.time,
            late: (late.lane, late.enter.position),
            blame: if self.options.has_causes() {
                self.blame(waiting, late)
            } else {
                Blame::default()
            },
        }
    }

    /// Returns the causes for which a call waits for another location.
    fn blame(&mut self, waiting: Part, late: Part) -> Blame {
        let lane = |part: Part| (part.lane, &self.lanes[part.lane as usize]);
        let until = waiting.enter.time;
        let since = self.in_step.before(until, lane(late), lane(waiting));
        let coming = |part: Part| Coming {
            lane: part.lane,
            log: &lane(part).1.log,
            enter: part.mark,
        };
        self.blaming
            .blame(coming(late), coming(waiting), since, &self.paths)
    }

    /// Ends a use of a call. After the last one, its wait is known.
    fn release(&mut self, key: CallKey) {
        let call = &mut self.calls[key.0];
        call.users = call.users.saturating_sub(1);
        // What is known so far counts for calls that come after this one.
        if let Some((ticks, candidate)) = call.wait() {
            let log = &mut self.lanes[call.lane as usize].log;
            log.set_wait(call.mark, ticks, candidate.blame);
        }
        if call.users == 0 {
            let call = self.calls.remove(key.0);
            self.concluded.push(call);
        }
    }

    /// Reports the calls that have been concluded.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn report(&mut self, sink: &mut impl Sink) -> Result<(), TraceError> {
        for call in self.concluded.drain(..) {
            let is_reported = self.lanes[call.lane as usize].reported == Some(call.enter.position);
            let Some((ticks, waited)) = call.wait().filter(|_| !is_reported) else {
                continue;
            };
            let Candidate {
                class, late, blame, ..
            } = waited;
            self.sums.add((call.lane, call.path, class), ticks, &blame);
            let location = |lane: u32| self.lanes[lane as usize].location;
            let work = blame.causes().next().map_or(
                Work {
                    lane: late.0,
                    path: PathIndex::default(),
                    iteration: None,
                },
                |(work, _)| work,
            );
            sink.wait(&WaitState {
                class,
                location: location(call.lane),
                position: call.enter.position,
                path: call.path,
                start: call.enter.time,
                ticks,
                late: location(late.0),
                late_position: late.1,
                cause: location(work.lane),
                cause_path: work.path,
                cause_iteration: work.iteration.map(|it| (it.construct, it.index)),
            })?;
        }
        Ok(())
    }

    /// Ends the stage: reports all calls that have been left. Returns the sums.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn finish(
        mut self,
        diagnostics: Diagnostics,
        sink: &mut impl Sink,
    ) -> Result<StageSums, TraceError> {
        self.concluded.extend(self.calls.drain());
        self.concluded
            .sort_by_key(|call| (call.lane, call.enter.position));
        self.report(sink)?;
        Ok(StageSums {
            sums: self.sums,
            paths: self.paths.into_all(),
            ends: self.lanes.iter().map(Lane::ends).collect(),
            diagnostics,
        })
    }
}
