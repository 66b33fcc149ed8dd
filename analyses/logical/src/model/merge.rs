//! Merges the programs of all processes into one program that is exact for each of them.
//!
//! Weaving compares words call by call and lets the majority decide, which loses calls where processes make the
//! same calls in different orders. Merging aligns the loop models themselves: a loop is aligned with a loop of the
//! same iteration count, and each call is restricted to the processes that execute it, by a condition on their
//! neighbours if one exists, otherwise by a list of nodes. No call is lost, but the program is longer.

use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model};
use foldtrace_topology::recognition::Topology;
use foldtrace_trace::{EventKind, Operand};
use indexmap::IndexSet;

use super::guarding::by_neighbours;
use super::unite::{Class, classes};
use super::{Alphabet, Guard, Own, RoleId, calls_of};

/// At most this many pairs of constructs are compared, which bounds the time for programs that have little in common.
const MOST_COMPARED: usize = 1 << 26;

/// At most this many cells in one alignment table, which bounds its memory.
const MOST_CELLS: usize = 1 << 22;

/// A construct of the merged program.
enum Part {
    /// An event and the classes of processes that execute it.
    Event(EventConstruct, Vec<usize>),
    /// A loop and its body. It has no effect on a class that executes no event in it.
    Loop(Count, Vec<Part>),
}

/// Merges `own`, the program and node of each process, into one program that is exact for every process.
///
/// Returns the merged program, the topology with the roles that its guards refer to, and the number of different
/// programs it was made of. Returns `None` if aligning the programs would take too much time or memory.
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

/// The alignment table of two sequences: a row per merged part, a column per construct of one class.
struct Table {
    columns: usize,
    /// For each part and construct, the number of terms they share; 0 if they cannot be aligned.
    pairs: Vec<u32>,
    /// For each part and construct, the number of terms that the sequences share from there on, in the best alignment.
    rest: Vec<u32>,
}

impl Table {
    fn pair(&self, row: usize, column: usize) -> u32 {
        self.pairs[row * self.columns + column]
    }

    fn rest(&self, row: usize, column: usize) -> u32 {
        self.rest[row * (self.columns + 1) + column]
    }

    /// Returns the next step of the best alignment from this row and column on.
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

/// A step of an alignment: the sequence from which the next construct is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Both sequences: their next constructs are aligned.
    Both,
    /// The sequence of the rows.
    Row,
    /// The sequence of the columns.
    Column,
}

struct Merging {
    /// The number of comparisons that are still allowed.
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

    /// Returns the number of terms that a part and a construct share: 0 if they cannot be aligned, `None` if a limit
    /// is exceeded.
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

    /// Merges the constructs of one more class into `parts`; `None` if a limit is exceeded.
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

/// The second step of a merge: restricts each event to the processes that execute it.
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

    /// Returns whether the place of a class in the topology allows it to execute an event. If the direction of the
    /// event depends on a loop index, every class is assumed to be able to.
    fn concerns(&self, event: &EventConstruct, class: usize) -> bool {
        let kind = self.alphabet.symbols().kind(event.symbol);
        let slot = kind.slot(Operand::Peer);
        let mut steps = event.steps.iter();
        let is_steered = kind != EventKind::MpiCollectiveEnd
            && steps.any(|step| Some(usize::from(step.slot)) == slot);
        let does = self.classes[class].place.does.get(event.symbol.row());
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
