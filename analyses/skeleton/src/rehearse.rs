//! Checks whether a program terminates, by executing it for all nodes side by side, without regard to time.
//!
//! No receive accepts messages of arbitrary senders, and collective operations wait for all members, so the order in
//! which nodes continue has no effect: if the program terminates in one order, it terminates in all of them. One
//! order is therefore enough, and a loop whose body leaves as many messages in flight as it found does the same in
//! each iteration. Its iterations depend on earlier ones only as far as messages in flight reach back, so a few
//! iterations represent all of them (see `shorten`).

use std::collections::{HashMap, VecDeque};

use foldtrace_topology::recognition::{DirectionId, Topology};

use super::count::{Key, key};
use super::program::{Action, Call, Construct, Message, Sending};

/// The environment in which a program is rehearsed.
pub(super) struct Stage<'a> {
    pub topology: &'a Topology,
    /// For each communicator, the color of each node; `None` if the communicator does not exist.
    pub colors: &'a [Option<Vec<Option<u32>>>],
    /// The maximum numbers of executions of the calls that are not executed every time.
    pub limits: &'a [u64],
}

/// The condition that a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// This node receives a message.
    Receiver(u32),
    /// This node sends a message.
    Sender(u32),
    /// All members take part in a collective operation.
    Collective,
}

/// The nodes that wait forever, and the condition that each of them waits for.
pub(super) type WaitingNodes = Vec<(u32, Wait)>;

impl Stage<'_> {
    /// Executes a program for all nodes. If it does not terminate, returns the nodes that wait forever as an error.
    pub fn rehearse(&self, program: &[Construct], sending: Sending) -> Result<(), WaitingNodes> {
        let mut play = Play::new(self, program, sending);
        while let Some(node) = play.ready.pop_front() {
            play.run_node(node);
        }
        let stuck: WaitingNodes = (0..)
            .zip(&play.actors)
            .filter_map(|(node, actor)| Some((node, actor.waits?)))
            .collect();
        if stuck.is_empty() { Ok(()) } else { Err(stuck) }
    }
}

/// The sender, the receiver, the tag and the communicator of messages.
type Channel = (u32, u32, i64, u32);

#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    sent: u64,
    received: u64,
}

/// A body that a node is executing.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    body: &'a [Construct],
    next: usize,
    rounds: i64,
    sends: bool,
}

#[derive(Clone, Debug)]
struct Actor<'a> {
    frames: Vec<Frame<'a>>,
    /// The index of each loop that the node is executing.
    indices: Vec<i64>,
    waits: Option<Wait>,
    /// Tasks that the node must complete before it continues.
    pending: VecDeque<Task>,
    /// Channels on which the node has sent since it last waited for its sends.
    open: Vec<Channel>,
    done: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Send(Channel),
    Receive(Channel),
    /// Waits until this number of messages has been received.
    Received(Channel, u64),
    /// Waits until the operation with this number is complete.
    Meet((u32, u32), u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Meeting {
    arrived: u64,
    members: u64,
}

struct Play<'a> {
    stage: &'a Stage<'a>,
    sending: Sending,
    actors: Vec<Actor<'a>>,
    ready: VecDeque<u32>,
    traffic: HashMap<Channel, Traffic>,
    meetings: HashMap<(u32, u32), Meeting>,
    /// The nodes that wait for a collective operation in each communicator, by its number and color.
    waiting: HashMap<(u32, u32), Vec<u32>>,
}

impl<'a> Play<'a> {
    fn new(stage: &'a Stage<'a>, program: &'a [Construct], sending: Sending) -> Self {
        let nodes = stage.topology.nodes() as u32;
        let actor = Actor {
            frames: vec![frame_of(program, 1)],
            indices: Vec::new(),
            waits: None,
            pending: VecDeque::new(),
            open: Vec::new(),
            done: vec![0; stage.limits.len()],
        };
        let mut meetings: HashMap<_, Meeting> = HashMap::new();
        for (communicator, colors) in (0..).zip(stage.colors) {
            for color in colors.iter().flatten().flatten() {
                meetings.entry((communicator, *color)).or_default().members += 1;
            }
        }
        Self {
            stage,
            sending,
            actors: vec![actor; nodes as usize],
            ready: (0..nodes).collect(),
            traffic: HashMap::new(),
            meetings,
            waiting: HashMap::new(),
        }
    }

    /// Executes a node until it must wait or reaches its end.
    fn run_node(&mut self, node: u32) {
        self.actors[node as usize].waits = None;
        loop {
            while let Some(task) = self.actors[node as usize].pending.pop_front() {
                if let Some(wait) = self.try_to(node, task) {
                    self.actors[node as usize].waits = Some(wait);
                    return;
                }
            }
            if !self.advance(node) {
                return;
            }
        }
    }

    /// Completes a task. If that is not possible yet, puts the task back and returns the condition to wait for.
    fn try_to(&mut self, node: u32, task: Task) -> Option<Wait> {
        let actor = &mut self.actors[node as usize];
        match task {
            Task::Send(channel) => {
                let traffic = self.traffic.entry(channel).or_default();
                traffic.sent += 1;
                let number = traffic.sent;
                match self.sending {
                    Sending::Blocking => actor.pending.push_front(Task::Received(channel, number)),
                    Sending::Waiting => actor.open.push(channel),
                    Sending::Free => {}
                }
                self.wake(channel.1, Wait::Sender(node));
                None
            }
            Task::Receive(channel) => {
                let traffic = self.traffic.entry(channel).or_default();
                if traffic.sent == traffic.received {
                    actor.pending.push_front(task);
                    return Some(Wait::Sender(channel.0));
                }
                traffic.received += 1;
                self.wake(channel.0, Wait::Receiver(node));
                None
            }
            Task::Received(channel, number) => {
                let received = self.traffic.get(&channel).map_or(0, |it| it.received);
                if received < number {
                    actor.pending.push_front(task);
                    return Some(Wait::Receiver(channel.1));
                }
                None
            }
            Task::Meet(group, number) => {
                let meeting = self.meetings.get(&group).copied().unwrap_or_default();
                if meeting.arrived < meeting.members * number {
                    actor.pending.push_front(task);
                    self.waiting.entry(group).or_default().push(node);
                    return Some(Wait::Collective);
                }
                None
            }
        }
    }

    fn wake(&mut self, node: u32, waits: Wait) {
        let actor = &mut self.actors[node as usize];
        if actor.waits == Some(waits) {
            actor.waits = None;
            self.ready.push_back(node);
        }
    }

    /// Advances a node to its next construct. Returns `false` if the node has reached its end.
    fn advance(&mut self, node: u32) -> bool {
        let actor = &mut self.actors[node as usize];
        let Some(frame) = actor.frames.last_mut() else {
            return false;
        };
        let Some(construct) = frame.body.get(frame.next) else {
            self.end_of_body(node);
            return true;
        };
        frame.next += 1;
        match construct {
            Construct::Call(call) => self.call(node, call),
            Construct::Loop(inner) => {
                let count = inner.count.at(&actor.indices);
                if count > 0 {
                    actor.frames.push(frame_of(&inner.body, count));
                    actor.indices.push(0);
                }
            }
        }
        true
    }

    fn end_of_body(&mut self, node: u32) {
        let actor = &mut self.actors[node as usize];
        let Some(frame) = actor.frames.last_mut() else {
            return;
        };
        let waits = frame.sends && self.sending == Sending::Waiting;
        (frame.next, frame.rounds) = (0, frame.rounds - 1);
        if frame.rounds == 0 {
            actor.frames.pop();
            actor.indices.pop();
        } else if let Some(index) = actor.indices.last_mut() {
            *index += 1;
        }
        if waits {
            for channel in std::mem::take(&mut actor.open) {
                let sent = self.traffic.get(&channel).map_or(0, |it| it.sent);
                actor.pending.push_back(Task::Received(channel, sent));
            }
        }
    }

    fn call(&mut self, node: u32, call: &Call) {
        let tasks = self.tasks(node, call);
        let actor = &mut self.actors[node as usize];
        if let Some(limit) = call.limit
            && !tasks.is_empty()
        {
            actor.done[limit] += 1;
            if actor.done[limit] > self.stage.limits[limit] {
                return;
            }
        }
        for task in tasks {
            match task {
                Task::Meet(group, _) => self.arrive(node, group),
                _ => self.actors[node as usize].pending.push_back(task),
            }
        }
    }

    /// Returns the tasks of a node for a call.
    fn tasks(&self, node: u32, call: &Call) -> Vec<Task> {
        let indices = &self.actors[node as usize].indices;
        let topology = self.stage.topology;
        let is_taken = matches!(call.action, Action::Take(_));
        if !is_taken && call.guard.is_some_and(|guard| !guard.holds(node, topology)) {
            return Vec::new();
        }
        let towards = |message: &Message| {
            let Key {
                direction,
                tag,
                within,
                ..
            } = key(call, message, indices);
            let direction = u32::try_from(direction).ok().map(DirectionId);
            let other = direction.and_then(|direction| topology.neighbour(node, direction));
            other.map(|other| (other, tag, within))
        };
        match &call.action {
            Action::Send(message) => {
                let found = towards(message).into_iter();
                found
                    .map(|(to, tag, within)| Task::Send((node, to, tag, within)))
                    .collect()
            }
            Action::Receive(message) => {
                let found = towards(message).into_iter();
                found
                    .map(|(from, tag, within)| Task::Receive((from, node, tag, within)))
                    .collect()
            }
            Action::Take(message) => {
                let key = key(call, message, indices);
                let (tag, within) = (key.tag, key.within);
                takes(topology, node, &key)
                    .map(|from| Task::Receive((from, node, tag, within)))
                    .collect()
            }
            Action::Collective { communicator, .. } => {
                let colors = self.stage.colors.get(communicator.0 as usize);
                let color = colors.and_then(Option::as_ref);
                let color = color.and_then(|colors| colors[node as usize]);
                let meet = color.map(|color| Task::Meet((communicator.0, color), 0));
                meet.into_iter().collect()
            }
        }
    }

    fn arrive(&mut self, node: u32, group: (u32, u32)) {
        let Some(meeting) = self.meetings.get_mut(&group) else {
            return;
        };
        let number = meeting.arrived / meeting.members + 1;
        meeting.arrived += 1;
        if meeting.arrived == meeting.members * number {
            for other in self.waiting.remove(&group).unwrap_or_default() {
                self.wake(other, Wait::Collective);
            }
        }
        let actor = &mut self.actors[node as usize];
        actor.pending.push_back(Task::Meet(group, number));
    }
}

/// Returns the nodes that send messages with this key to a node, in ascending order.
pub(super) fn takes(topology: &Topology, node: u32, key: &Key) -> impl Iterator<Item = u32> {
    let direction = u32::try_from(key.direction).ok().map(DirectionId);
    let guard = key.guard;
    (0..topology.nodes() as u32).filter(move |&other| {
        direction.is_some_and(|direction| topology.neighbour(other, direction) == Some(node))
            && guard.is_none_or(|guard| guard.holds(other, topology))
    })
}

/// Returns whether a body sends, not counting the loops in it.
pub(crate) fn sends(body: &[Construct]) -> bool {
    body.iter().any(|construct| match construct {
        Construct::Call(call) => matches!(call.action, Action::Send(_)),
        Construct::Loop(_) => false,
    })
}

fn frame_of(body: &[Construct], rounds: i64) -> Frame<'_> {
    Frame {
        body,
        next: 0,
        rounds,
        sends: sends(body),
    }
}
