//! Plans a system: the widths of its constructs and their positions relative to the system.
//!
//! Positions follow a Lamport clock, but a construct advances the clock by its width, so that concurrent constructs
//! do not wait for a wide box.

use foldtrace_fold::merge::{Construct, End, Kind, Link, Process, System};

use super::ends::Ends;
use super::phases::{Phases, phases};
use super::{BEND, LOCAL, MARGIN, PITCH, SLOPE, Widths};

/// The position of a construct, relative to the start of its system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// The left edge of everything that is drawn for it.
    pub x: f64,
    /// The width of everything that is drawn for it.
    pub width: f64,
    /// The space to the left of the box of a loop.
    pub lead: f64,
    /// The space to the left of the body, within the box.
    pub pad: f64,
}

/// A system with the positions of its constructs.
pub(super) struct Plan<'a> {
    pub system: &'a System,
    pub processes: Vec<Process>,
    pub phases: Phases,
    /// Where the processes start to move to the rows of each phase.
    pub starts: Vec<f64>,
    pub spots: Vec<Spot>,
    pub bodies: Vec<Option<Plan<'a>>>,
    pub width: f64,
    /// The nesting depth of the loops in it.
    pub height: usize,
}

impl<'a> Plan<'a> {
    pub fn new(
        system: &'a System,
        processes: Vec<Process>,
        widths: &Widths<'_>,
        ends: &Ends,
    ) -> Self {
        let constructs = &system.constructs;
        let bodies: Vec<Option<Plan<'_>>> = constructs
            .iter()
            .map(|construct| {
                let (_, body) = construct.as_loop()?;
                Some(Plan::new(body, construct.processes.to_vec(), widths, ends))
            })
            .collect();
        let before = before(system, processes.last().map_or(0, |p| p.index() + 1));
        let mut order: Vec<usize> = (0..constructs.len()).collect();
        order.sort_by_key(|&index| (constructs[index].clock, index));
        let phases = phases(system, &processes, &order, &before);
        let inner = bodies.iter().flatten().map(|body| body.height + 1).max();
        let mut plan = Plan {
            system,
            processes,
            starts: Vec::new(),
            spots: Vec::new(),
            width: 0.0,
            height: inner.unwrap_or(0),
            phases,
            bodies,
        };
        let spots = (0..constructs.len()).map(|index| plan.spot(index, widths));
        plan.spots = spots.collect();
        plan.place(&order, &before, ends);
        plan
    }

    fn spot(&self, index: usize, widths: &Widths<'_>) -> Spot {
        let construct = &self.system.constructs[index];
        let plain = |width| Spot {
            width,
            ..Spot::default()
        };
        match (&construct.kind, &self.bodies[index]) {
            (Kind::Loop { count, .. }, Some(body)) => {
                let bent = self.phases.phases[self.phases.of[index]].is_bent;
                let lead = MARGIN + if bent { widths.process + 4.0 } else { 0.0 };
                let pad = widths.count(*count) + 8.0;
                Spot {
                    x: 0.0,
                    width: lead + pad + body.width + 2.0 * MARGIN + 2.0,
                    lead,
                    pad,
                }
            }
            (Kind::Collective { .. }, _) => plain(widths.pole(construct, self.rows(index)).width),
            _ if (widths.is_local)(construct) => plain(LOCAL),
            _ => plain(PITCH),
        }
    }

    /// Returns the highest and the lowest row of a construct.
    pub fn rows(&self, index: usize) -> (usize, usize) {
        let construct: &Construct = &self.system.constructs[index];
        let rows = construct.processes.iter().map(|&p| self.row(index, p));
        let ends = rows.clone().min().zip(rows.max());
        ends.unwrap_or_default()
    }

    /// Returns the row of a process in the phase of a construct, counted from the first row of the system.
    pub fn row(&self, index: usize, process: Process) -> usize {
        let place = self.processes.binary_search(&process).unwrap_or(0);
        self.phases.phases[self.phases.of[index]].rows[place]
    }

    fn place(&mut self, order: &[usize], before: &[Vec<usize>], ends: &Ends) {
        let constructs = &self.system.constructs;
        let mut messages = vec![Vec::new(); constructs.len()];
        for link in &self.system.links {
            let (from, to) = (link.from as usize, link.to as usize);
            if constructs[from].clock < constructs[to].clock {
                messages[to].push(link);
            }
        }
        let (mut end, mut is_bent) = (0.0_f64, false);
        for phase in 0..self.phases.phases.len() {
            let bends = self.phases.phases[phase].is_bent;
            self.starts.push(end);
            let start = if bends || is_bent { end + BEND } else { end };
            is_bent = bends;
            for &index in order.iter().filter(|&&i| self.phases.of[i] == phase) {
                let mut x = start;
                let end_of = |spots: &[Spot], other: usize| spots[other].x + spots[other].width;
                for &earlier in &before[index] {
                    x = x.max(end_of(&self.spots, earlier));
                }
                for link in &messages[index] {
                    let from = link.from as usize;
                    x = x.max(end_of(&self.spots, from) + self.slope(link, ends));
                }
                self.spots[index].x = x;
                end = end.max(x + self.spots[index].width);
            }
        }
        self.width = if is_bent { end + BEND } else { end };
    }

    /// Returns the additional length of a message that crosses many rows, so that its arrow is not too steep.
    fn slope(&self, link: &Link, ends: &Ends) -> f64 {
        let row = |construct: u32, end: End| {
            ends.get(&end)
                .map(|&process| self.row(construct as usize, process))
        };
        let sender = row(link.from, link.channel.source());
        let receiver = row(link.to, link.channel.sink());
        let rows = sender.zip(receiver).map_or(0, |(a, b)| a.abs_diff(b));
        let has_loop = [link.from, link.to]
            .iter()
            .any(|&end| self.bodies[end as usize].is_some());
        let from_boxes = if has_loop { PITCH } else { 0.0 };
        from_boxes + (SLOPE * rows.saturating_sub(1) as f64).min(3.0 * PITCH)
    }
}

/// Returns the predecessors of each construct: earlier constructs of its processes, and constructs that send to it.
fn before(system: &System, processes: usize) -> Vec<Vec<usize>> {
    let constructs = &system.constructs;
    let mut before = vec![Vec::new(); constructs.len()];
    let mut last: Vec<Option<usize>> = vec![None; processes];
    for (index, construct) in constructs.iter().enumerate() {
        for process in construct.processes.iter() {
            before[index].extend(last[process.index()]);
            last[process.index()] = Some(index);
        }
    }
    for link in &system.links {
        let (from, to) = (link.from as usize, link.to as usize);
        if constructs[from].clock < constructs[to].clock {
            before[to].push(from);
        }
    }
    for earlier in &mut before {
        earlier.sort_unstable();
        earlier.dedup();
    }
    before
}
