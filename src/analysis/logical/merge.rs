//! One program of the models of all processes, exact for each of them.
//!
//! Weaving compares words call by call and lets the majority decide. Where processes do the same calls in
//! different orders, that loses calls. Here the models themselves are aligned, loops with loops that run as often,
//! and each call is restricted to the processes that execute it: by a condition on neighbours if there is one, else
//! by a list of nodes. Nothing is lost, at the price of a longer program.

use foldtrace_trace::{EventKind, Operand};
use indexmap::IndexSet;

use super::guarding::by_neighbours;
use super::unite::{Class, classes};
use super::{Alphabet, Guard, Own, RoleId, calls_of};
use crate::analysis::topology::Topology;
use crate::fold::{Construct, Count, EventConstruct, LoopConstruct, Model};

/// Pairs of constructs that are compared at most, so that processes without anything in common cost little.
const MOST_COMPARED: usize = 1 << 26;

/// Cells of one alignment at most, which bounds memory.
const MOST_CELLS: usize = 1 << 22;

/// A construct of the program.
enum Part {
    /// An event, and the classes of processes that execute it.
    Event(EventConstruct, Vec<usize>),
    /// A loop. A class that executes nothing in it does not notice it.
    Loop(Count, Vec<Part>),
}

/// One exact program of all of `own`, each with the node where it is; the topology gets the roles that its guards
/// name. Second, of how many different programs it was made. `None` if aligning them would take too long.
#[must_use]
pub fn merge(own: Vec<(Own, u32)>, topology: Topology) -> Option<(Own, Topology, usize)> {
    let (alphabet, classes) = classes(own, &topology);
    let mut order: Vec<usize> = (0..classes.len()).collect();
    let done = |class: &Class| class.place.does.iter().filter(|&&does| does).count();
    order.sort_by_key(|&class| {
        std::cmp::Reverse((done(&classes[class]), classes[class].nodes.len()))
    });
    let mut merging = Merging {
        left: MOST_COMPARED,
    };
    let mut parts = Vec::new();
    for class in order {
        parts = merging.merged(parts, &classes[class].model.constructs, class)?;
    }
    let mut guarding = Guarding {
        alphabet,
        classes: &classes,
        nodes: topology.nodes(),
        roles: IndexSet::new(),
    };
    let constructs = guarding.constructs(parts);
    let Guarding {
        alphabet, roles, ..
    } = guarding;
    let mut model = Model {
        constructs: constructs.into(),
        events: 0,
    };
    model.events = calls_of(&alphabet.program(&model)).count() as u64;
    let model = model.tidied();
    let topology = topology.with_roles(roles.into_iter().collect());
    Some((Own { alphabet, model }, topology, classes.len()))
}

/// How much two sequences have in common.
struct Table {
    columns: usize,
    /// For each pair of constructs, how much they have in common; 0 if they are not the same.
    pairs: Vec<u32>,
    /// What the rest of both sequences from a pair on has in common.
    rest: Vec<u32>,
}

impl Table {
    fn pair(&self, row: usize, column: usize) -> u32 {
        self.pairs[row * self.columns + column]
    }

    fn rest(&self, row: usize, column: usize) -> u32 {
        self.rest[row * (self.columns + 1) + column]
    }

    /// What comes next in the best alignment of the rest of both sequences.
    fn step(&self, row: usize, column: usize) -> Step {
        if column == self.columns {
            return Step::Row;
        }
        let (best, pair) = (self.rest(row, column), self.pair(row, column));
        if pair > 0 && best == pair + self.rest(row + 1, column + 1) {
            Step::Both
        } else if best == self.rest(row + 1, column) {
            Step::Row
        } else {
            Step::Column
        }
    }
}

/// Whose construct is next in an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// That of both.
    Both,
    /// That of the rows.
    Row,
    /// That of the columns.
    Column,
}

struct Merging {
    /// Comparisons that are left.
    left: usize,
}

impl Merging {
    fn table(&mut self, parts: &[Part], constructs: &[Construct]) -> Option<Table> {
        let (rows, columns) = (parts.len(), constructs.len());
        let cells = rows.checked_mul(columns).filter(|&it| it <= MOST_CELLS)?;
        self.left = self.left.checked_sub(cells)?;
        let mut table = Table {
            columns,
            pairs: vec![0; cells],
            rest: vec![0; (rows + 1) * (columns + 1)],
        };
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                let pair = self.common(&parts[row], &constructs[column])?;
                let skipped = table.rest(row + 1, column).max(table.rest(row, column + 1));
                let both = match pair {
                    0 => 0,
                    pair => pair + table.rest(row + 1, column + 1),
                };
                table.pairs[row * columns + column] = pair;
                table.rest[row * (columns + 1) + column] = skipped.max(both);
            }
        }
        Some(table)
    }

    /// How many terms a part and a construct share; 0 if they cannot be one.
    fn common(&mut self, part: &Part, construct: &Construct) -> Option<u32> {
        Some(match (part, construct) {
            (Part::Event(one, _), Construct::Event(other)) => u32::from(one == other),
            (Part::Loop(count, body), Construct::Loop(other)) if *count == other.count => {
                match self.table(body, &other.body)?.rest(0, 0) {
                    0 => 0,
                    inside => inside + 1,
                }
            }
            _ => 0,
        })
    }

    /// `parts` with the constructs of one more class.
    fn merged(
        &mut self,
        parts: Vec<Part>,
        constructs: &[Construct],
        class: usize,
    ) -> Option<Vec<Part>> {
        let table = self.table(&parts, constructs)?;
        let mut all = Vec::with_capacity(parts.len());
        let mut column = 0;
        for (row, part) in parts.into_iter().enumerate() {
            while table.step(row, column) == Step::Column {
                all.push(alone(&constructs[column], class));
                column += 1;
            }
            if table.step(row, column) == Step::Both {
                all.push(self.joined(part, &constructs[column], class)?);
                column += 1;
            } else {
                all.push(part);
            }
        }
        all.extend(constructs[column..].iter().map(|it| alone(it, class)));
        Some(all)
    }

    fn joined(&mut self, part: Part, construct: &Construct, class: usize) -> Option<Part> {
        Some(match (part, construct) {
            (Part::Event(event, mut classes), _) => {
                classes.push(class);
                Part::Event(event, classes)
            }
            (Part::Loop(count, body), Construct::Loop(inner)) => {
                Part::Loop(count, self.merged(body, &inner.body, class)?)
            }
            (part @ Part::Loop(..), Construct::Event(_)) => part,
        })
    }
}

fn alone(construct: &Construct, class: usize) -> Part {
    match construct {
        Construct::Event(event) => Part::Event(event.clone(), vec![class]),
        Construct::Loop(inner) => {
            let body = inner.body.iter().map(|construct| alone(construct, class));
            Part::Loop(inner.count.clone(), body.collect())
        }
    }
}

/// Says for each event who executes it.
struct Guarding<'a> {
    alphabet: Alphabet,
    classes: &'a [Class],
    nodes: usize,
    roles: IndexSet<Vec<bool>>,
}

impl Guarding<'_> {
    fn constructs(&mut self, parts: Vec<Part>) -> Vec<Construct> {
        let constructs = parts.into_iter().map(|part| match part {
            Part::Event(event, classes) => Construct::Event(self.guarded(event, &classes)),
            Part::Loop(count, body) => Construct::Loop(LoopConstruct {
                count,
                body: self.constructs(body).into(),
            }),
        });
        constructs.collect()
    }

    fn guarded(&mut self, event: EventConstruct, classes: &[usize]) -> EventConstruct {
        let concerned: Vec<usize> = (0..self.classes.len())
            .filter(|&class| self.concerns(&event, class))
            .collect();
        if concerned.len() == classes.len() {
            return event;
        }
        let neighbours = |class: usize| &*self.classes[class].place.neighbours;
        let by_neighbours = by_neighbours(&concerned, |it| classes.contains(&it), neighbours);
        let guard = by_neighbours.unwrap_or_else(|| self.role(classes));
        EventConstruct {
            symbol: self.alphabet.guarded(event.symbol, guard),
            steps: event.steps,
        }
    }

    /// Whether a class may execute an event by its place alone. Where the direction grows with a loop, all may.
    fn concerns(&self, event: &EventConstruct, class: usize) -> bool {
        let kind = self.alphabet.symbols().kind(event.symbol);
        let slot = kind.slot(Operand::Peer);
        let mut steps = event.steps.iter();
        let is_steered = kind != EventKind::MpiCollectiveEnd
            && steps.any(|step| Some(usize::from(step.slot)) == slot);
        let does = self.classes[class].place.does.get(event.symbol.index());
        is_steered || does == Some(&true)
    }

    fn role(&mut self, classes: &[usize]) -> Guard {
        let mut nodes = vec![false; self.nodes];
        for &class in classes {
            for &node in &self.classes[class].nodes {
                nodes[node as usize] = true;
            }
        }
        Guard::Role(RoleId(self.roles.insert_full(nodes).0 as u32))
    }
}
