//! A legal order: all processes step by step, each message sent before it is received.

use std::collections::{HashMap, VecDeque};
use std::iter::Peekable;

use foldhash::fast::FixedState;
use foldtrace_trace::{SymbolId, SymbolTable};

use super::{Channel, End, Process, Role, Wiring};
use crate::{Expansion, Model};

/// An event of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Whose event.
    pub process: Process,
    /// Which one of the process's, from 0.
    pub position: u64,
    /// What happens.
    pub symbol: SymbolId,
}

/// The events of a program in a legal order: processes take turns, a receive waits for its send, and who
/// comes to a collective operation for all others. Memory is the models and a number a channel.
///
/// What waits for something that never comes goes on when nobody else can; [`forced`](Self::forced)
/// counts these events. Operations that nobody has to wait in go first.
pub struct Schedule<'a> {
    wiring: &'a Wiring,
    tracks: Vec<Track<'a>>,
    ready: VecDeque<Process>,
    /// Messages on their way.
    sent: HashMap<Channel, u64, FixedState>,
    /// Who waits at an end: locations of one process may wait at the same one.
    waiting: HashMap<End, Vec<Process>, FixedState>,
    forced: u64,
}

/// A process on its way.
struct Track<'a> {
    events: Peekable<Expansion<'a>>,
    position: u64,
    /// Whether its next event may happen whatever it has to wait for.
    is_free: bool,
}

impl<'a> Schedule<'a> {
    /// The events of processes; `symbols` is the table of their models.
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

    /// Events that could not wait any longer for what has to come before.
    #[must_use]
    pub fn forced(&self) -> u64 {
        self.forced
    }

    /// What the next event of a process is to others.
    fn role(&mut self, process: Process) -> Option<(SymbolId, Option<&'a Role>)> {
        let &symbol = self.tracks.get_mut(process.index())?.events.peek()?;
        Some((symbol, self.wiring.role(process, symbol)))
    }

    /// Lets an event happen, and those go on that wait for it.
    fn happen(&mut self, process: Process, symbol: SymbolId, role: Option<&Role>) -> Happening {
        let track = &mut self.tracks[process.index()];
        track.events.next();
        track.is_free = false;
        let position = track.position;
        track.position += 1;
        if let Some(role) = role.filter(|role| !role.is_collective) {
            for &end in &role.ends {
                let on_its_way = self.sent.entry(end.channel()).or_default();
                if end.is_source() {
                    *on_its_way += 1;
                    let waiting = self.waiting.remove(&end.other());
                    self.ready.extend(waiting.into_iter().flatten());
                } else {
                    *on_its_way = on_its_way.saturating_sub(1);
                }
            }
        }
        self.ready.push_back(process);
        Happening {
            process,
            position,
            symbol,
        }
    }

    /// Whether the next event of a process, which is `role`, may happen; if not, it waits.
    fn may_happen(&mut self, process: Process, role: Option<&'a Role>) -> bool {
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

    /// Whether all members of a collective operation are here; then all of them are free.
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

    /// Lets the next event of a process happen whatever it waits for.
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

    /// Frees somebody who waits although nobody can go on.
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
    type Item = Happening;

    fn next(&mut self) -> Option<Happening> {
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
            if self.may_happen(process, role) {
                return Some(self.happen(process, symbol, role));
            }
        }
    }
}
