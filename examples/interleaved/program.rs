//! Generates the events of the locations.

use std::collections::VecDeque;
use std::io;

use fastrand::Rng;

/// The names of regions; MPI routines come first.
pub const REGIONS: [&str; 16] = [
    "MPI_Send",
    "MPI_Recv",
    "MPI_Allreduce",
    "iterate",
    "compute",
    "exchange",
    "stencil",
    "residual",
    "smooth",
    "prolong",
    "restrict",
    "precondition",
    "matvec",
    "dot",
    "axpy",
    "scatter",
];

const SEND: u8 = 0;
const RECEIVE: u8 = 1;
const REDUCE: u8 = 2;
const ITERATE: u8 = 3;
const COMPUTE: u8 = 4;

/// The maximum number of open calls of a location.
const DEPTH: usize = 8;

/// The maximum number of messages that wait for a location.
const WAITING: usize = 16;

/// One out of this many locations is irregular.
const IRREGULAR: u32 = 10;

/// A message with a unique `number`.
#[derive(Clone, Copy)]
pub struct Message {
    pub from: u32,
    pub to: u32,
    pub tag: u32,
    pub bytes: u32,
    pub number: u64,
}

#[derive(Clone, Copy)]
pub enum Action {
    Enter(u8),
    Leave(u8),
    Send(Message),
    Receive(Message),
    /// A collective operation of all locations.
    Reduce,
}

/// An action of a location, with its time in nanoseconds.
#[derive(Clone, Copy)]
pub struct Event {
    pub location: u32,
    pub time: u64,
    pub action: Action,
}

/// A step of the iteration of regular locations.
#[derive(Clone, Copy)]
enum Step {
    Enter(u8),
    Leave,
    Send,
    Receive,
    Reduce,
}

const ITERATION: [Step; 17] = [
    Step::Enter(ITERATE),
    Step::Enter(COMPUTE),
    Step::Leave,
    Step::Enter(COMPUTE),
    Step::Leave,
    Step::Enter(COMPUTE),
    Step::Leave,
    Step::Enter(SEND),
    Step::Send,
    Step::Leave,
    Step::Enter(RECEIVE),
    Step::Receive,
    Step::Leave,
    Step::Enter(REDUCE),
    Step::Reduce,
    Step::Leave,
    Step::Leave,
];

#[derive(Clone, Default)]
struct Location {
    /// The open calls.
    calls: Vec<u8>,
    /// Messages sent to this location and not received yet.
    waiting: VecDeque<Message>,
}

pub struct Program {
    locations: Vec<Location>,
    irregular: bool,
    random: Rng,
    time: u64,
    messages: u64,
    turns: usize,
}

impl Program {
    pub fn new(locations: u32, irregular: bool) -> Self {
        Self {
            locations: vec![Location::default(); locations as usize],
            irregular,
            random: Rng::with_seed(7),
            time: 0,
            messages: 0,
            turns: 0,
        }
    }

    pub fn locations(&self) -> u32 {
        self.locations.len() as u32
    }

    /// Performs one action of each location.
    pub fn turn(&mut self, mut write: impl FnMut(Event) -> io::Result<()>) -> io::Result<()> {
        let step = ITERATION[self.turns % ITERATION.len()];
        self.turns += 1;
        for location in 0..self.locations.len() as u32 {
            let action = match step {
                _ if self.irregular => self.anything(location),
                Step::Reduce => Action::Reduce,
                _ if is_irregular(location) => self.anything(location),
                step => self.regular(location, step),
            };
            write(self.event(location, action))?;
        }
        Ok(())
    }

    /// Leaves all open calls.
    pub fn finish(&mut self, mut write: impl FnMut(Event) -> io::Result<()>) -> io::Result<()> {
        for location in 0..self.locations.len() as u32 {
            while let Some(region) = self.locations[location as usize].calls.pop() {
                write(self.event(location, Action::Leave(region)))?;
            }
        }
        Ok(())
    }

    fn event(&mut self, location: u32, action: Action) -> Event {
        self.time += self.random.u64(1..20);
        let time = self.time;
        Event {
            location,
            time,
            action,
        }
    }

    fn regular(&mut self, location: u32, step: Step) -> Action {
        match step {
            Step::Enter(region) => self.enter(location, region),
            Step::Leave => self.leave(location).unwrap_or(Action::Reduce),
            Step::Send => {
                let to = self.next_regular(location);
                self.send(location, to, 17, 4096)
            }
            Step::Receive => self.receive(location).unwrap_or(Action::Reduce),
            Step::Reduce => Action::Reduce,
        }
    }

    fn next_regular(&self, location: u32) -> u32 {
        let all = self.locations.len() as u32;
        let mut next = (location + 1) % all;
        if is_irregular(next) {
            next = (next + 1) % all;
        }
        next
    }

    fn anything(&mut self, location: u32) -> Action {
        let choice = self.random.u8(0..10);
        let action = match choice {
            0..4 => None,
            4..8 => self.leave(location),
            8 => self.send_anywhere(location),
            _ => self.receive(location),
        };
        let region = self.random.u8(0..REGIONS.len() as u8);
        let is_deep = self.locations[location as usize].calls.len() >= DEPTH;
        match action {
            Some(action) => action,
            None if is_deep => self.leave(location).unwrap_or(Action::Reduce),
            None => self.enter(location, region),
        }
    }

    /// Sends a message to another irregular location, unless too many messages wait for it.
    fn send_anywhere(&mut self, location: u32) -> Option<Action> {
        let all = self.locations.len() as u32;
        let any = self.random.u32(0..all);
        let to = if self.irregular {
            any
        } else {
            any / IRREGULAR * IRREGULAR
        };
        let has_room = self.locations[to as usize].waiting.len() < WAITING;
        let (tag, bytes) = (self.random.u32(0..16), self.random.u32(1..1 << 20));
        (to != location && has_room).then(|| self.send(location, to, tag, bytes))
    }

    fn enter(&mut self, location: u32, region: u8) -> Action {
        self.locations[location as usize].calls.push(region);
        Action::Enter(region)
    }

    fn leave(&mut self, location: u32) -> Option<Action> {
        self.locations[location as usize]
            .calls
            .pop()
            .map(Action::Leave)
    }

    fn send(&mut self, from: u32, to: u32, tag: u32, bytes: u32) -> Action {
        self.messages += 1;
        let message = Message {
            from,
            to,
            tag,
            bytes,
            number: self.messages,
        };
        self.locations[to as usize].waiting.push_back(message);
        Action::Send(message)
    }

    fn receive(&mut self, location: u32) -> Option<Action> {
        let waiting = &mut self.locations[location as usize].waiting;
        waiting.pop_front().map(Action::Receive)
    }
}

fn is_irregular(location: u32) -> bool {
    location.is_multiple_of(IRREGULAR)
}
