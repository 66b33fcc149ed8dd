//! Replays a program in a legal order: all processes step by step, each message sent before it is received.

use std::collections::{HashMap, VecDeque};
use std::iter::Peekable;

use foldhash::fast::FixedState;
use foldtrace_trace::{SymbolId, SymbolTable};

use super::{Channel, End, Process, Role, Wiring};
use crate::{Expansion, Model};

/// An event of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledEvent {
    /// The process that executes the event.
    pub process: Process,
    /// The position of the event in the process, from 0.
    pub position: u64,
    /// The symbol of the event.
    pub symbol: SymbolId,
}

/// An iterator over the events of a program in a legal order. Processes take turns; a receive waits for its send, and
/// a process at a collective operation waits for all other members. Memory is proportional to the models, plus one
/// number per channel.
///
/// A process that waits for something that never comes continues when no other process can; [`forced`](Self::forced)
/// counts these events. Operations that do not synchronise go first.
pub struct Schedule<'a> {
    wiring: &'a Wiring,
    tracks: Vec<Track<'a>>,
    ready: VecDeque<Process>,
    /// The number of messages in transit on each channel.
    sent: HashMap<Channel, u64, FixedState>,
    /// The processes waiting at an end: locations of one process may wait at the same end.
    waiting: HashMap<End, Vec<Process>, FixedState>,
    forced: u64,
}

/// The progress of a process.
struct Track<'a> {
    events: Peekable<Expansion<'a>>,
    position: u64,
    /// Whether its next event may occur regardless of what it has to wait for.
    is_free: bool,
}

impl<'a> Schedule<'a> {
    /// Creates a schedule of the events of processes; `symbols` is the table of the models' symbols.
    #[must_use]
    pub fn new(models: &[Model], wiring: &'a Wiring, symbols: &'a SymbolTable) -> Self {
        let tracks = models.iter().map(|model| Track {
            events: model.expand(symbols).peekable(),
            position: 0,
            is_free: false,
        });
        Self {
            wiring,
            tracks: tracks.collect(),
            ready: (0..models.len() as u32).map(Process).collect(),
            sent: HashMap::default(),
            waiting: HashMap::default(),
            forced: 0,
        }
    }

    /// Returns the number of events that occurred without what they had to wait for.
    #[must_use]
    pub fn forced(&self) -> u64 {
        self.forced
    }

    /// Returns the symbol and the role of the next event of a process.
    fn role(&mut self, process: Process) -> Option<(SymbolId, Option<&'a Role>)> {
        let &symbol = self.tracks.get_mut(process.index())?.events.peek()?;
        Some((symbol, self.wiring.role(process, symbol)))
    }

    /// Executes an event, and makes the processes that wait for it ready.
    fn execute(
        &mut self,
        process: Process,
        symbol: SymbolId,
        role: Option<&Role>,
    ) -> ScheduledEvent {
        let track = &mut self.tracks[process.index()];
        track.events.next();
        track.is_free = false;
        let position = track.position;
        track.position += 1;
        if let Some(role) = role.filter(|role| !role.is_collective) {
            for &end in &role.ends {
                let in_transit = self.sent.entry(end.channel()).or_default();
                if end.is_source() {
                    *in_transit += 1;
                    let waiting = self.waiting.remove(&end.other());
                    self.ready.extend(waiting.into_iter().flatten());
                } else {
                    *in_transit = in_transit.saturating_sub(1);
                }
            }
        }
        self.ready.push_back(process);
        ScheduledEvent {
            process,
            position,
            symbol,
        }
    }

    /// Returns whether the next event of a process, with this role, may be executed. If not, the process waits.
    fn may_execute(&mut self, process: Process, role: Option<&'a Role>) -> bool {
        let Some(role) = role else {
            return true;
        };
        if self.tracks[process.index()].is_free {
            return true;
        }
        if role.is_collective {
            return self.meets_all(process, role);
        }
        let sinks = role.ends.iter().filter(|end| !end.is_source());
        for &end in sinks {
            if self.sent.get(&end.channel()).is_none_or(|&sent| sent == 0) {
                self.wait(process, end);
                return false;
            }
        }
        true
    }

    /// Returns whether all members of a collective operation have arrived; if so, all of them are freed.
    fn meets_all(&mut self, process: Process, role: &'a Role) -> bool {
        for &end in &role.ends {
            self.wait(process, end);
        }
        let mut members = vec![process];
        let mut ends: Vec<End> = role.ends.clone();
        while let Some(end) = ends.pop() {
            let waiting = self.waiting.get(&end.other());
            let Some(&neighbour) = waiting.and_then(|waiting| waiting.first()) else {
                return false;
            };
            members.push(neighbour);
            if let Some((_, Some(role))) = self.role(neighbour) {
                ends.extend(role.ends.iter().filter(|&&other| other != end.other()));
            }
        }
        for &member in &members {
            self.free(member);
        }
        self.ready.extend(members.into_iter().skip(1));
        true
    }

    fn wait(&mut self, process: Process, end: End) {
        let waiting = self.waiting.entry(end).or_default();
        if !waiting.contains(&process) {
            waiting.push(process);
        }
    }

    /// Lets the next event of a process occur regardless of what it waits for.
    fn free(&mut self, process: Process) {
        if let Some((_, Some(role))) = self.role(process) {
            for end in &role.ends {
                if let Some(waiting) = self.waiting.get_mut(end) {
                    waiting.retain(|&other| other != process);
                }
            }
        }
        self.tracks[process.index()].is_free = true;
    }

    /// Frees a waiting process when no process can continue. Returns whether there was one.
    fn force(&mut self) -> bool {
        let all = (0..self.tracks.len() as u32).map(Process);
        let stuck = all.filter_map(|process| {
            let (_, role) = self.role(process)?;
            let must_wait = role.is_none_or(|role| !role.is_collective || role.synchronises);
            Some((must_wait, process))
        });
        let Some((_, process)) = stuck.min() else {
            return false;
        };
        self.free(process);
        self.ready.push_back(process);
        self.forced += 1;
        true
    }
}

impl Iterator for Schedule<'_> {
    type Item = ScheduledEvent;

    fn next(&mut self) -> Option<ScheduledEvent> {
        loop {
            let Some(process) = self.ready.pop_front() else {
                if self.force() {
                    continue;
                }
                return None;
            };
            let Some((symbol, role)) = self.role(process) else {
                continue;
            };
            if self.may_execute(process, role) {
                return Some(self.execute(process, symbol, role));
            }
        }
    }
}
