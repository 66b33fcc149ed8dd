//! Converts plans, whose coordinates are relative, to positions in the picture.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use foldtrace_fold::merge::{Channel, End, Global, Kind, Member, Process, Wiring};

use super::ends::{Ends, find_ends};
use super::plan::{Plan, Spot};
use super::{
    Arrow, BEND, Fate, Layout, LoopBox, Mark, NESTED, OVERHANG, Point, Pole, ROW, Tip, Widths,
};

impl Layout {
    /// Computes the positions of all elements.
    #[must_use]
    pub fn new(model: &Global, wiring: &Wiring, widths: &Widths<'_>) -> Self {
        let ends = find_ends(&model.system, wiring);
        let plan = Plan::new(&model.system, model.processes().collect(), widths, &ends);
        let mut placer = Placer {
            wiring,
            widths,
            ends: &ends,
            levels: plan.height,
            enclosing: Vec::new(),
            rows: model.processes().map(Process::index).collect(),
            layout: Self::default(),
        };
        let start = 14.0;
        for process in model.processes() {
            placer.layout.lines.push(vec![Point {
                x: 0.0,
                y: row(process.index()),
            }]);
        }
        let here = Origin {
            x: start,
            row: 0,
            depth: 0,
            first: 0,
            parent: None,
        };
        placer.system(&plan, here);
        let Placer { mut layout, .. } = placer;
        layout.width = plan.width + 2.0 * start;
        layout.height = row(model.events.len().saturating_sub(1));
        for line in &mut layout.lines {
            let y = line.last().map_or(0.0, |point| point.y);
            line.push(Point { x: layout.width, y });
        }
        rank(&mut layout.arrows);
        layout
    }
}

fn row(row: usize) -> f64 {
    row as f64 * ROW
}

/// Numbers arrows that would cover each other.
fn rank(arrows: &mut [Arrow]) {
    let mut seen: BTreeMap<[i64; 4], usize> = BTreeMap::new();
    for arrow in arrows {
        let key = [arrow.tail.x, arrow.tail.y, arrow.head.x, arrow.head.y];
        let number = seen.entry(key.map(|value| value as i64)).or_default();
        arrow.rank = *number;
        *number += 1;
    }
}

/// The position at which a system begins.
#[derive(Clone, Copy)]
struct Origin {
    x: f64,
    row: usize,
    depth: usize,
    /// The index of its first construct.
    first: usize,
    parent: Option<usize>,
}

/// A system during placement, with the links of its ends.
struct EnclosingSystem {
    /// Whether an end of a construct is linked to the same construct.
    linked: HashMap<(u32, End), bool, FixedState>,
    /// The construct whose body is being placed.
    index: u32,
}

struct Placer<'a, 'b> {
    wiring: &'a Wiring,
    widths: &'a Widths<'b>,
    ends: &'a Ends,
    levels: usize,
    enclosing: Vec<EnclosingSystem>,
    /// The current row of each process.
    rows: Vec<usize>,
    layout: Layout,
}

impl Placer<'_, '_> {
    fn system(&mut self, plan: &Plan<'_>, here: Origin) {
        let system = plan.system;
        let mut linked = HashMap::default();
        for link in &system.links {
            let is_self = link.from == link.to;
            // If only some messages of an end stay in its loop, the end is drawn as if all of them did.
            *linked
                .entry((link.from, link.channel.source()))
                .or_default() |= is_self;
            *linked.entry((link.to, link.channel.sink())).or_default() |= is_self;
        }
        self.enclosing.push(EnclosingSystem { linked, index: 0 });
        let mut next = here.first;
        let mut numbers = Vec::with_capacity(system.constructs.len());
        for construct in &system.constructs {
            numbers.push(next);
            next += 1 + construct
                .as_loop()
                .map_or(0, |(_, body)| body.terms() as usize);
        }
        for (phase, &start) in plan.starts.iter().enumerate() {
            let rows = &plan.phases.phases[phase].rows;
            self.bend(plan, rows, here, start);
            for (index, &number) in numbers.iter().enumerate() {
                if plan.phases.of[index] == phase {
                    self.construct(plan, index, number, here);
                }
            }
        }
        let natural: Vec<usize> = (0..plan.processes.len()).collect();
        self.bend(plan, &natural, here, plan.width - BEND);
        self.links(plan, here, &numbers);
        self.enclosing.pop();
    }

    /// Moves the processes of a system to new rows.
    fn bend(&mut self, plan: &Plan<'_>, rows: &[usize], here: Origin, x: f64) {
        for (process, &new) in plan.processes.iter().zip(rows) {
            let old = std::mem::replace(&mut self.rows[process.index()], here.row + new);
            if old != here.row + new {
                let x = here.x + x;
                let line = &mut self.layout.lines[process.index()];
                line.push(Point { x, y: row(old) });
                line.push(Point {
                    x: x + BEND,
                    y: row(here.row + new),
                });
            }
        }
    }

    fn construct(&mut self, plan: &Plan<'_>, index: usize, number: usize, here: Origin) {
        let construct = &plan.system.constructs[index];
        let spot = plan.spots[index];
        let x = here.x + spot.x;
        match (&construct.kind, &plan.bodies[index]) {
            (Kind::Loop { count, .. }, Some(body)) => {
                self.open_box(plan, index, *count, number, here);
                let (top, _) = plan.rows(index);
                if let Some(enclosing) = self.enclosing.last_mut() {
                    enclosing.index = index as u32;
                }
                let inside = Origin {
                    x: x + spot.lead + spot.pad,
                    row: here.row + top,
                    depth: here.depth + 1,
                    first: number + 1,
                    parent: Some(number),
                };
                self.system(body, inside);
            }
            (Kind::Event { member, .. }, _) => {
                let mark = Mark {
                    construct: number,
                    parent: here.parent,
                    at: self.exit(plan, index, member.process, here),
                    tips: self.tips(index as u32, member),
                };
                self.layout.marks.push(mark);
            }
            (Kind::Collective { members, .. }, _) => {
                let mut rows: Vec<f64> = construct
                    .processes
                    .iter()
                    .map(|&p| row(here.row + plan.row(index, p)))
                    .collect();
                rows.sort_by(f64::total_cmp);
                let ends = members.iter().flat_map(|member| {
                    let role = self.wiring.role(member.process, member.symbol);
                    role.into_iter().flat_map(|role| &role.ends)
                });
                // A channel with both ends in the construct is complete; a channel with one end leads elsewhere.
                let mut channels: Vec<Channel> = ends.map(|end| end.channel()).collect();
                channels.sort_unstable();
                let lonely = channels.chunk_by(|a, b| a == b).filter(|c| c.len() == 1);
                let is_open = lonely.flatten().any(|channel| {
                    [channel.source(), channel.sink()]
                        .into_iter()
                        .all(|end| self.fate(index as u32, end) == Fate::Dangling)
                });
                let pole = self.widths.pole(construct, plan.rows(index));
                self.layout.poles.push(Pole {
                    construct: number,
                    parent: here.parent,
                    x: pole_x(here, spot, pole.is_upright),
                    members: rows,
                    is_upright: pole.is_upright,
                    is_open,
                });
            }
            (Kind::Loop { .. }, None) => {}
        }
    }

    fn open_box(&mut self, plan: &Plan<'_>, index: usize, count: u64, number: usize, here: Origin) {
        let construct = &plan.system.constructs[index];
        let spot = plan.spots[index];
        let (top, bottom) = plan.rows(index);
        let inner = plan.bodies[index].as_ref().map_or(0, |body| body.height);
        let overhang =
            OVERHANG + NESTED * inner as f64 / self.levels.saturating_sub(1).max(1) as f64;
        let rows: Vec<(Process, usize)> = construct
            .processes
            .iter()
            .map(|&process| (process, plan.row(index, process)))
            .collect();
        let is_unusual =
            |&(process, row): &(Process, usize)| plan.processes.get(row) != Some(&process);
        let moved = rows.iter().any(is_unusual).then_some(rows);
        let moved = moved.into_iter().flatten();
        let moved = moved.map(|(process, at)| (process, row(here.row + at)));
        self.layout.boxes.push(LoopBox {
            construct: number,
            parent: here.parent,
            depth: here.depth,
            count,
            from: Point {
                x: here.x + spot.x + spot.lead,
                y: row(here.row + top) - overhang,
            },
            to: Point {
                x: here.x + spot.x + spot.width - super::MARGIN,
                y: row(here.row + bottom) + overhang,
            },
            moved: moved.collect(),
        });
    }

    fn tips(&self, index: u32, member: &Member) -> Vec<Tip> {
        let role = self.wiring.role(member.process, member.symbol);
        let ends = role.into_iter().flat_map(|role| &role.ends);
        let tips = ends.map(|&end| Tip {
            channel: end.channel(),
            is_send: end.is_source(),
            fate: self.fate(index, end),
        });
        tips.collect()
    }

    /// Returns what the picture shows for an end of a construct in the innermost system.
    fn fate(&self, index: u32, end: End) -> Fate {
        for (level, enclosing) in self.enclosing.iter().rev().enumerate() {
            let index = if level == 0 { index } else { enclosing.index };
            match (enclosing.linked.get(&(index, end)), level) {
                (Some(false), 0) => return Fate::Arrow,
                (Some(true), _) => return Fate::Later,
                (Some(false), _) => return Fate::Outside,
                (None, _) => {}
            }
        }
        Fate::Dangling
    }

    /// Returns the point at which messages of a process leave a construct.
    fn exit(&self, plan: &Plan<'_>, index: usize, process: Process, here: Origin) -> Point {
        self.side(plan, index, process, here, |spot| {
            spot.x + spot.width - super::MARGIN
        })
    }

    /// Returns the point at which messages of a process reach a construct.
    fn entry(&self, plan: &Plan<'_>, index: usize, process: Process, here: Origin) -> Point {
        self.side(plan, index, process, here, |spot| spot.x + spot.lead)
    }

    fn side(
        &self,
        plan: &Plan<'_>,
        index: usize,
        process: Process,
        here: Origin,
        side: impl Fn(Spot) -> f64,
    ) -> Point {
        let construct = &plan.system.constructs[index];
        let spot = plan.spots[index];
        let x = match &construct.kind {
            Kind::Loop { .. } => here.x + side(spot),
            Kind::Event { .. } => here.x + spot.x + spot.width / 2.0,
            Kind::Collective { .. } => {
                let pole = self.widths.pole(construct, plan.rows(index));
                pole_x(here, spot, pole.is_upright)
            }
        };
        let y = row(here.row + plan.row(index, process));
        Point { x, y }
    }

    fn links(&mut self, plan: &Plan<'_>, here: Origin, numbers: &[usize]) {
        for link in &plan.system.links {
            let (from, to) = (link.from as usize, link.to as usize);
            let sender = self.ends.get(&link.channel.source());
            let receiver = self.ends.get(&link.channel.sink());
            let (Some(&sender), Some(&receiver), true) = (sender, receiver, from != to) else {
                continue;
            };
            let arrow = Arrow {
                from: numbers[from],
                to: numbers[to],
                channel: link.channel,
                messages: link.messages,
                tail: self.exit(plan, from, sender, here),
                head: self.entry(plan, to, receiver, here),
                rank: 0,
                is_collective: self.wiring.is_collective(link.channel),
            };
            self.layout.arrows.push(arrow);
        }
    }
}

/// Returns the x coordinate of the line of a collective operation: right of an upright name, in the middle otherwise.
fn pole_x(here: Origin, spot: Spot, is_upright: bool) -> f64 {
    let part = if is_upright { 0.65 } else { 0.5 };
    here.x + spot.x + spot.width * part
}
