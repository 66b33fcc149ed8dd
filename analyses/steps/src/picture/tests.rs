//! Tests of the invariants of pictures of steps.

use std::collections::HashMap;

use foldtrace_testing::attributes;
use foldtrace_trace::{LocationId, Position, Timestamp};
use foldtrace_view::palette::LEVELS;
use proptest::prelude::*;

use super::levels::{Levels, Measure, marked};
use super::place::{Frame, brackets, logical, physical};
use super::*;
use crate::{Class, Sink};

/// A synthetic program: the operations of its processes, with steps and lateness as the paper defines them.
#[derive(Default)]
pub(super) struct Program {
    clocks: Vec<u64>,
    steps: Vec<u64>,
    positions: Vec<u64>,
    events: Vec<StepEvent>,
    messages: Vec<[(LocationId, Position); 2]>,
    partition: u64,
}

impl Program {
    pub fn new(processes: usize) -> Self {
        Self {
            clocks: vec![0; processes],
            steps: vec![0; processes],
            positions: vec![0; processes],
            ..Self::default()
        }
    }

    fn add(&mut self, process: usize, kind: Kind, step: u64, start: u64, end: u64) {
        self.events.push(StepEvent {
            location: LocationId(process as u64),
            position: Position(self.positions[process]),
            events: 3,
            kind,
            partition: self.partition,
            step,
            start: Timestamp(start),
            end: Timestamp(end),
            lateness: 0,
            differential_lateness: 0,
            class: None,
        });
        self.positions[process] += 3;
    }

    fn operation(&mut self, process: usize, kind: Kind, work: u64, step: u64, ready: u64) {
        let start = self.clocks[process] + work;
        self.add(process, Kind::Aggregate, step, self.clocks[process], start);
        let end = start.max(ready) + 2;
        self.add(process, kind, step, start, end);
        self.clocks[process] = end;
        self.steps[process] = step + 1;
    }

    /// Adds work, then a message, which is received as soon as possible.
    pub fn message(&mut self, from: usize, work: u64, to: usize) {
        let step = self.steps[from];
        self.operation(from, Kind::Send, work, step, 0);
        let send = self.positions[from] - 3;
        let (ready, step) = (self.clocks[from] + 5, self.steps[to].max(step + 1));
        self.operation(to, Kind::Receive, 1, step, ready);
        let at = |process: usize, position: u64| (LocationId(process as u64), Position(position));
        // The message is the second of three events.
        let receive = self.positions[to] - 3;
        self.messages
            .push([at(from, send + 1), at(to, receive + 1)]);
    }

    pub fn collective(&mut self, members: &[usize]) {
        self.partition += 1;
        let step = members
            .iter()
            .map(|&process| self.steps[process])
            .max()
            .unwrap();
        let ready = members
            .iter()
            .map(|&process| self.clocks[process])
            .max()
            .unwrap()
            + 6;
        for &process in members {
            self.operation(process, Kind::Collective, 4, step, ready);
        }
        self.partition += 1;
    }

    /// Computes lateness relative to the first event of each step; the new part is what neither predecessors nor
    /// senders had.
    pub fn grid(mut self) -> Grid {
        let key = |event: &StepEvent| (event.partition, event.step, event.kind == Kind::Aggregate);
        let mut first: HashMap<_, u64> = HashMap::new();
        for event in &self.events {
            let least = first.entry(key(event)).or_insert(u64::MAX);
            *least = event.end.0.min(*least);
        }
        for event in &mut self.events {
            event.lateness = event.end.0 - first[&key(event)];
        }
        let mut before: HashMap<LocationId, u64> = HashMap::new();
        self.events.sort_by_key(|event| (event.step, event.kind));
        let lateness: HashMap<_, _> = self
            .events
            .iter()
            .map(|event| ((event.location, event.position.0 + 1), event.lateness))
            .collect();
        for event in &mut self.events {
            let own = before.insert(event.location, event.lateness).unwrap_or(0);
            let here = (event.location, Position(event.position.0 + 1));
            let mut messages = self.messages.iter();
            let sender = messages.find(|message| message[1] == here);
            let sent = sender.map_or(0, |message| lateness[&(message[0].0, message[0].1.0)]);
            event.differential_lateness = event.lateness.saturating_sub(own.max(sent));
            event.class = (event.lateness > 0).then_some(if event.differential_lateness > 0 {
                Class::Created
            } else if sent > own {
                Class::LateSender
            } else {
                Class::LateToStart
            });
        }
        let rows: Vec<_> = (0..self.clocks.len())
            .map(|process| (LocationId(process as u64), process.to_string()))
            .collect();
        let mut grid = Grid::new(&rows, self.events, self.messages, |event| {
            format!("{:?}", event.kind)
        });
        grid.title = "tree".to_owned();
        grid.summary = "16 processes".to_owned();
        grid.clock.ticks_per_second = 1_000_000;
        grid
    }
}

/// Returns the merge tree of figure 3: leaves send to the first of four, which sends back to them before it sends up.
pub(super) fn tree() -> Grid {
    let mut program = Program::new(16);
    let work =
        |process: usize| 20 + 7 * (process as u64 * 5 % 8) + if process == 9 { 160 } else { 0 };
    for level in [1, 4] {
        for parent in (0..16).step_by(4 * level) {
            for child in 1..4 {
                let child = parent + child * level;
                program.message(child, if level == 1 { work(child) } else { 3 }, parent);
            }
            for child in 1..4 {
                program.message(parent, 3, parent + child * level);
            }
        }
    }
    program.collective(&(0..16).collect::<Vec<_>>());
    program.grid()
}

fn svg(grid: &Grid) -> String {
    let mut out = Vec::new();
    steps_svg(&mut out, grid).unwrap();
    String::from_utf8(out).unwrap()
}

fn html(grid: &Grid) -> String {
    let mut out = Vec::new();
    steps_html(&mut out, grid).unwrap();
    String::from_utf8(out).unwrap()
}

/// Generates arbitrary programs of messages and collective operations.
fn programs() -> impl Strategy<Value = Grid> {
    let process = 0..6_usize;
    let message = (process.clone(), 0..50_u64, process).prop_map(|(from, work, to)| {
        let to = if from == to { (to + 1) % 6 } else { to };
        (vec![from, to], Some(work))
    });
    let members = proptest::sample::subsequence((0..6).collect::<Vec<_>>(), 2..=6);
    let collective = members.prop_map(|members| (members, None));
    proptest::collection::vec(prop_oneof![4 => message, 1 => collective], 1..60).prop_map(
        |actions| {
            let mut program = Program::new(6);
            for (members, work) in actions {
                match work {
                    Some(work) => program.message(members[0], work, members[1]),
                    None => program.collective(&members),
                }
            }
            program.grid()
        },
    )
}

fn overlap(a: &Frame, b: &Frame) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.y + b.height && b.y < a.y + a.height
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_event_has_a_place_of_its_own_and_messages_go_forward(grid in programs()) {
        let placed = logical(&grid);
        prop_assert_eq!(placed.frames.len(), grid.cells.len());
        for (number, frame) in placed.frames.iter().enumerate() {
            prop_assert!(frame.x >= 0.0 && frame.right() <= placed.width);
            prop_assert!(frame.y >= 0.0 && frame.y + frame.height <= placed.height());
            let others = &placed.frames[number + 1..];
            prop_assert!(!others.iter().any(|other| overlap(frame, other)));
        }
        for &message in &grid.messages {
            let (x, _, to, _) = placed.message(message);
            prop_assert!(x < to);
        }
        let time = physical(&grid, 500.0);
        prop_assert!(time.frames.iter().all(|f| f.x >= 0.0 && f.right() <= 500.1 && f.width >= 0.0));
        for pair in grid.cells.windows(2).zip(time.frames.windows(2)) {
            let (cells, frames) = pair;
            prop_assert!(cells[0].row != cells[1].row || frames[0].x <= frames[1].x);
        }
    }

    #[test]
    fn every_event_is_drawn_once_in_each_picture(grid in programs()) {
        let picture = svg(&grid);
        let cells = attributes(&picture, "rect", "class");
        let cells = cells.iter().filter(|class| class.starts_with("o l") || class.starts_with("a l"));
        // Two of them are in the legend.
        prop_assert_eq!(cells.count(), 2 * grid.cells.len() + 2);
        let lines = attributes(&picture, "path", "d").concat();
        prop_assert!(!lines.contains("NaN") && !lines.contains("inf"));
        let drawn = attributes(&picture, "path", "class").into_iter().zip(attributes(&picture, "path", "d"));
        let messages = drawn.filter(|(class, _)| class == "m" || class == "w");
        let messages: usize = messages.map(|(_, path)| path.matches('M').count()).sum();
        let signs = messages - 2 * grid.messages.len();
        prop_assert!(signs <= 2, "{}", signs);
    }

    /// In whatever order partitions come, the first steps are kept, each of them completely.
    #[test]
    fn only_the_first_steps_of_long_programs_are_drawn(grid in programs(), room in 1..80_usize, seed: u64) {
        let rows: Vec<_> = (0..6).map(|n| (LocationId(n), n.to_string())).collect();
        let view = View { steps: 0..u64::MAX, rows, locations: 6, cells: room, columns: u64::MAX };
        let mut events: Vec<StepEvent> = grid.cells.iter().map(|cell| cell.event).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut events);
        let mut gatherer = Gatherer::new(view);
        for event in &events {
            gatherer.event(event).unwrap();
        }
        let kept = gatherer.events().len();
        let shown = gatherer.finish(|_| String::new());
        let first = shown.steps().1;
        let expected = events.iter().filter(|event| event.step <= first).count();
        prop_assert_eq!(shown.cells.len(), expected);
        prop_assert_eq!(kept, expected);
        prop_assert!(shown.cells.len() <= room || first == 0);
        let last = events.iter().map(|event| event.step).max().unwrap();
        prop_assert_eq!(shown.left_out.is_empty(), first == last);
    }
}

/// The subject of figure 3: the leaves have their answers before their parent sends up.
#[test]
fn a_merge_tree_is_drawn_correctly() {
    let grid = tree();
    let placed = logical(&grid);
    let sends = |from: usize| -> Vec<(usize, (f64, f64, f64, f64))> {
        let messages = grid.messages.iter();
        let sent = messages.filter(|message| grid.cells[message.0].row == from);
        sent.map(|&message| (grid.cells[message.1].row, placed.message(message)))
            .collect()
    };
    for parent in [4, 8, 12] {
        let (up, down): (Vec<_>, Vec<_>) = sends(parent).into_iter().partition(|(to, _)| *to == 0);
        assert_eq!((up.len(), down.len()), (1, 3));
        assert!(down.iter().all(|(_, line)| line.0 < up[0].1.0));
        let answers = down.iter().map(|(_, line)| line.2).fold(0.0, f64::max);
        assert!(answers < up[0].1.2, "{answers} {up:?}");
    }
    // All leaves send first, in one column.
    let leaves = [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15];
    let columns = leaves.map(|leaf| sends(leaf)[0].1.0);
    assert!(columns.windows(2).all(|pair| pair[0] == pair[1]));
    // The barrier is one band through all processes.
    let bands = attributes(&svg(&grid), "rect", "class");
    assert_eq!(bands.iter().filter(|class| *class == "v").count(), 2);
    assert_eq!(brackets(&grid).len(), 2);
}

/// The leaf that computes longer is marked, and its lateness reaches the root.
#[test]
fn the_latest_event_has_the_last_colour() {
    let grid = tree();
    let late = |row: usize, kind: Kind| {
        let found = grid
            .cells
            .iter()
            .find(|cell| cell.row == row && cell.event.kind == kind);
        found.unwrap()
    };
    let levels = Levels::new(&grid, Measure::Lateness);
    let culprit = late(9, Kind::Aggregate);
    assert!(culprit.event.differential_lateness >= marked(&grid));
    assert!(levels.colour_of(culprit) + 1 >= LEVELS);
    assert_eq!(levels.colour_of(late(5, Kind::Send)), 0);
    assert_eq!(late(8, Kind::Receive).event.class, Some(Class::LateSender));
}

#[test]
fn levels_are_round_and_in_order() {
    let mut grid = tree();
    grid.cells.truncate(12);
    let values = [0, 1, 2, 3, 7, 10, 11, 90, 150, 151, 180, 999];
    for (cell, lateness) in grid.cells.iter_mut().zip(values) {
        cell.event.lateness = lateness;
    }
    let levels = Levels::new(&grid, Measure::Lateness);
    let bounds: Vec<f64> = levels
        .bounds
        .iter()
        .map(|bound| (bound * 1e6).round())
        .collect();
    assert_eq!(bounds, [5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
    let colours: Vec<usize> = grid
        .cells
        .iter()
        .map(|cell| levels.colour_of(cell))
        .collect();
    assert_eq!(colours, [0, 1, 1, 1, 2, 2, 3, 5, 6, 6, 6, 8]);
    // Levels without values are not shown.
    for (cell, lateness) in grid.cells.iter_mut().zip([0, 100]) {
        cell.event.lateness = lateness;
    }
    for cell in &mut grid.cells[2..] {
        cell.event.lateness = 1;
    }
    let levels = Levels::new(&grid, Measure::Lateness);
    assert_eq!(levels.bounds.len(), 7);
    assert_eq!(levels.colour_of(&grid.cells[1]), LEVELS);
    assert_eq!(levels.colour_of(&grid.cells[2]), 1);
    // Similar values have evenly spaced levels.
    for (cell, lateness) in grid.cells.iter_mut().zip(150..) {
        cell.event.lateness = lateness * 2;
    }
    let levels = Levels::new(&grid, Measure::Lateness);
    let bounds: Vec<f64> = levels
        .bounds
        .iter()
        .map(|bound| (bound * 1e6).round())
        .collect();
    assert_eq!(bounds, [50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0]);
    assert_eq!(levels.colour_of(&grid.cells[0]), 7);
    assert_eq!(levels.colour_of(&grid.cells[1]), LEVELS);
    for lateness in [0, 77] {
        for cell in &mut grid.cells {
            cell.event.lateness = lateness;
        }
        let levels = Levels::new(&grid, Measure::Lateness);
        assert_eq!(
            levels.colour_of(&grid.cells[0]),
            if lateness > 0 { LEVELS } else { 0 }
        );
    }
}

#[test]
fn names_are_escaped() {
    let mut grid = tree();
    let evil = "<img src=x onerror=alert(1)>\"&'</script><b>";
    grid.title = evil.to_owned();
    grid.summary = evil.to_owned();
    grid.left_out = evil.to_owned();
    grid.rows[3] = evil.to_owned();
    grid.cells[0].name = evil.to_owned();
    let beginning = Beginning {
        cell: Some(0),
        at: None,
        place: evil.to_owned(),
        text: evil.to_owned(),
        path: vec![(0, 1)],
    };
    grid.origins.push((evil.to_owned(), vec![beginning]));
    let picture = svg(&grid);
    assert!(attributes(&picture, "img", "src").is_empty());
    assert!(attributes(&picture, "b", "x").is_empty());
    let page = html(&grid);
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</script>").count(), 2);
    let (_, data) = page.split_once("application/json\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["rows"][3], evil);
    assert_eq!(data["names"][0], evil);
    assert_eq!(data["cells"].as_array().unwrap().len(), grid.cells.len());
}

#[test]
fn an_empty_grid_is_drawn() {
    for grid in [
        Grid::default(),
        Grid {
            rows: vec!["0".to_owned()],
            ..Grid::default()
        },
    ] {
        assert!(!svg(&grid).contains("NaN"));
        assert!(html(&grid).contains("No event is late"));
    }
}
