//! Tests of the properties that every picture has, whatever the program.

use foldtrace_fold::merge::{Channel, End, Global, Process, Role, Wiring};
use foldtrace_fold::{Folder, Shapes};
use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
use proptest::prelude::*;

use super::{Fate, Layout, Point, ROW, Widths};
use crate::outline::outline;

const PROCESSES: usize = 6;
/// The channels for messages: one from each process to each other and to itself.
const CHANNELS: u32 = (PROCESSES * PROCESSES) as u32;

/// A step of a program.
#[derive(Clone, Debug)]
enum Step {
    /// Repeated messages in both directions.
    PingPong(usize, usize, usize),
    Message(usize, usize),
    /// A message without a receive in the trace.
    Lost(usize, usize),
    Alone(usize),
    Barrier,
    Repeat(usize, Vec<Step>),
}

#[derive(Default)]
struct Recorder {
    symbols: SymbolTable,
    wiring: Wiring,
    events: Vec<Vec<SymbolId>>,
}

impl Recorder {
    fn new() -> Self {
        let mut wiring = Wiring::new(CHANNELS);
        for _ in 1..PROCESSES {
            wiring.add_collective();
        }
        Self {
            wiring,
            events: vec![Vec::new(); PROCESSES],
            ..Self::default()
        }
    }

    fn add(&mut self, process: usize, kind: EventKind, operand: u64, ends: Vec<End>) {
        let id = self.symbols.intern(Symbol::new(kind, &[operand]));
        let is_collective = kind == EventKind::MpiCollectiveEnd;
        let role = Role {
            ends,
            is_collective,
            synchronises: is_collective,
            ..Role::default()
        };
        if !role.ends.is_empty() {
            self.wiring.set(Process(process as u32), id, role);
        }
        self.events[process].push(id);
    }

    fn send(&mut self, from: usize, to: usize) {
        let channel = Channel((from * PROCESSES + to) as u32);
        self.add(from, EventKind::MpiSend, to as u64, vec![channel.source()]);
    }

    fn message(&mut self, from: usize, to: usize) {
        self.send(from, to);
        let channel = Channel((from * PROCESSES + to) as u32);
        self.add(to, EventKind::MpiRecv, from as u64, vec![channel.sink()]);
    }

    fn record(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::PingPong(a, b, times) => {
                    for _ in 0..*times {
                        self.message(*a, *b);
                        self.message(*b, *a);
                    }
                }
                Step::Message(a, b) => self.message(*a, *b),
                Step::Lost(a, b) => self.send(*a, *b),
                Step::Alone(a) => self.add(*a, EventKind::Enter, 1, Vec::new()),
                Step::Barrier => {
                    for process in 0..PROCESSES {
                        let neighbour = |lower: usize| Channel(CHANNELS + lower as u32);
                        let mut ends = Vec::new();
                        ends.extend((process > 0).then(|| neighbour(process - 1).sink()));
                        ends.extend((process + 1 < PROCESSES).then(|| neighbour(process).source()));
                        self.add(process, EventKind::MpiCollectiveEnd, 0, ends);
                    }
                }
                Step::Repeat(times, steps) => (0..*times).for_each(|_| self.record(steps)),
            }
        }
    }

    fn merge(&self) -> Global {
        let mut shapes = Shapes::default();
        shapes.update(&self.symbols);
        let models = self.events.iter().map(|events| {
            let mut folder = Folder::new(30);
            folder.push(events, &self.symbols, &shapes);
            folder.finish(&self.symbols, &shapes)
        });
        let models: Vec<_> = models.collect();
        Global::merge(&models, &self.wiring, &self.symbols, u64::MAX).unwrap()
    }
}

fn layout(steps: &[Step]) -> (Global, Layout) {
    let mut recorder = Recorder::new();
    recorder.record(steps);
    let model = recorder.merge();
    let widths = Widths {
        process: 6.0,
        operation: &|_| 40.0,
        is_local: &|_| false,
    };
    let layout = Layout::new(&model, &recorder.wiring, &widths);
    (model, layout)
}

/// Returns the y coordinate of the line of a process, unless it bends there.
fn y_at(line: &[Point], x: f64) -> Option<f64> {
    let next = line.iter().position(|point| point.x >= x)?;
    let before = line[next.saturating_sub(1)];
    (before.y == line[next].y).then_some(before.y)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let process = 0..PROCESSES;
    let pair = (process.clone(), process.clone()).prop_filter("two", |(a, b)| a != b);
    let step = prop_oneof![
        4 => (pair.clone(), 3usize..7).prop_map(|((a, b), n)| Step::PingPong(a, b, n)),
        2 => pair.clone().prop_map(|(a, b)| Step::Message(a, b)),
        1 => pair.prop_map(|(a, b)| Step::Lost(a, b)),
        1 => process.prop_map(Step::Alone),
        1 => Just(Step::Barrier),
    ];
    step.prop_recursive(2, 24, 8, |step| {
        (1usize..6, prop::collection::vec(step, 1..8)).prop_map(|(n, steps)| Step::Repeat(n, steps))
    })
    .prop_map(|step| vec![step])
    .prop_flat_map(|first| {
        prop::collection::vec(Just(first), 1..3).prop_map(|parts| parts.concat())
    })
}

fn check(steps: &[Step]) {
    let (model, layout) = layout(steps);
    let entries = outline(&model.system);
    assert_eq!(
        entries.len(),
        layout.boxes.len() + layout.marks.len() + layout.poles.len()
    );
    let find = |loop_: usize| layout.boxes.iter().find(|b| b.construct == loop_).unwrap();

    // Lines are continuous and return to their rows.
    for (process, line) in layout.lines.iter().enumerate() {
        assert_eq!(line.first().unwrap().x, 0.0);
        assert_eq!(line.last().unwrap().x, layout.width);
        for end in [line.first(), line.last()] {
            assert_eq!(end.unwrap().y, process as f64 * ROW);
        }
        for (number, pair) in line.windows(2).enumerate() {
            assert!(pair[0].x <= pair[1].x, "{line:?}");
            assert!(number % 2 == 1 || pair[0].y == pair[1].y, "{line:?}");
        }
    }
    // No two processes are at the same position.
    for line in &layout.lines {
        for point in line {
            let mut ys: Vec<i64> = layout
                .lines
                .iter()
                .filter_map(|line| y_at(line, point.x + 0.5))
                .map(|y| y as i64)
                .collect();
            ys.sort_unstable();
            let all = ys.len();
            ys.dedup();
            assert_eq!(all, ys.len());
        }
    }
    for one in &layout.boxes {
        let construct = entries[one.construct].construct;
        if let Some(parent) = one.parent {
            let around = find(parent);
            assert!(around.from.x < one.from.x && one.to.x < around.to.x);
            assert!(around.from.y < one.from.y && one.to.y < around.to.y);
        }
        for other in &layout.boxes {
            let is_inside = |inner: usize, outer: usize| {
                std::iter::successors(entries[inner].parent, |&p| entries[p].parent)
                    .any(|p| p == outer)
            };
            let related = one.construct == other.construct
                || is_inside(one.construct, other.construct)
                || is_inside(other.construct, one.construct);
            let apart = one.to.x < other.from.x
                || other.to.x < one.from.x
                || one.to.y < other.from.y
                || other.to.y < one.from.y;
            assert!(related || apart, "{one:?} {other:?}");
        }
        // The box is tight: only the lines of its processes run through it.
        assert!(one.to.y - one.from.y < (construct.processes.len() as f64) * ROW);
        for process in model.processes() {
            let line = &layout.lines[process.index()];
            let inner = line.iter().filter(|p| one.from.x < p.x && p.x < one.to.x);
            let ys = inner.map(|point| point.y);
            // Other processes may change rows within the width of the box.
            let edges = [one.from.x, one.to.x].map(|x| y_at(line, x));
            assert!(edges[0].is_some() || !construct.covers(process));
            for y in ys.chain(edges.into_iter().flatten()) {
                let is_through = one.from.y < y && y < one.to.y;
                assert_eq!(is_through, construct.covers(process), "{process:?} {one:?}");
            }
        }
    }
    for mark in &layout.marks {
        let process = entries[mark.construct].construct.processes[0];
        let line = &layout.lines[process.index()];
        assert_eq!(y_at(line, mark.at.x), Some(mark.at.y));
        if let Some(parent) = mark.parent {
            let around = find(parent);
            assert!(around.from.x < mark.at.x && mark.at.x < around.to.x);
        }
    }
    for pole in &layout.poles {
        let members = &entries[pole.construct].construct.processes;
        for process in members.iter() {
            let y = y_at(&layout.lines[process.index()], pole.x).unwrap();
            assert!(pole.members.contains(&y));
        }
        assert_eq!(members.len(), pole.members.len());
        assert!(!pole.is_open);
    }
    for arrow in &layout.arrows {
        let clock = |index: usize| entries[index].construct.clock;
        assert!(
            arrow.tail.x < arrow.head.x || clock(arrow.from) >= clock(arrow.to),
            "{arrow:?}"
        );
    }
    let dangles = layout.marks.iter().flat_map(|mark| &mark.tips);
    let dangles = dangles.filter(|tip| tip.fate == Fate::Dangling).count();
    assert!(dangles == 0 || model.dangling() > 0);
}

proptest! {
    #[test]
    fn layouts_are_consistent(steps in steps()) {
        check(&steps);
    }
}

#[test]
fn concurrent_loops_of_processes_that_are_not_neighbours_are_tight() {
    let body = vec![
        Step::PingPong(0, 3, 5),
        Step::PingPong(1, 4, 6),
        Step::PingPong(2, 5, 7),
        Step::Barrier,
    ];
    let steps = [Step::Repeat(5, body), Step::Message(0, 1)];
    check(&steps);
    let (_, layout) = layout(&steps);
    let moved: Vec<usize> = layout.boxes.iter().map(|b| b.moved.len()).collect();
    assert_eq!(moved, [0, 2, 2, 2]);
    let bends = layout.lines.iter().map(|line| (line.len() - 2) / 2);
    assert_eq!(bends.collect::<Vec<_>>(), [0, 2, 2, 2, 2, 0]);
}

#[test]
fn adjacent_processes_keep_their_rows() {
    let steps = [
        Step::PingPong(0, 1, 5),
        Step::PingPong(1, 2, 5),
        Step::PingPong(3, 4, 5),
        Step::Barrier,
    ];
    check(&steps);
    let (_, layout) = layout(&steps);
    assert!(layout.lines.iter().all(|line| line.len() == 2));
    assert!(layout.boxes.iter().all(|one| one.moved.is_empty()));
}
