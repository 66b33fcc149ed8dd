//! Tests of small partitions: the figures of the paper, and impossible traces.

use foldtrace_trace::{LocationId, Position, SymbolId, Timestamp};

use super::lateness::Metrics;
use super::merging::Merging;
use super::operation::{Key, Operation};
use super::window::Window;
use super::*;

#[derive(Default)]
struct Found(Vec<StepEvent>, Vec<StepMessage>);

impl Sink for Found {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.0.push(*event);
        Ok(())
    }

    fn message(&mut self, message: &StepMessage) -> Result<(), TraceError> {
        self.1.push(*message);
        Ok(())
    }
}

impl Found {
    /// Returns the event of a kind that begins at `start` in a location.
    fn at(&self, location: u64, kind: Kind, start: u64) -> &StepEvent {
        let mut events = self.0.iter();
        let found =
            events.find(|it| (it.location.0, it.kind, it.start.0) == (location, kind, start));
        found.unwrap_or_else(|| panic!("no {kind:?} at {start} of {location}: {:#?}", self.0))
    }
}

struct Scene {
    window: Window,
    metrics: Metrics,
    merging: Merging,
    /// The next position of each location.
    positions: Vec<u64>,
}

impl Scene {
    /// Starts all locations at time 0.
    fn new(lanes: usize) -> Self {
        let mut metrics = Metrics::new(10);
        for lane in 0..lanes {
            let event = Passing {
                location: LocationId(lane as u64),
                position: Position(0),
                time: Timestamp(0),
                symbol: SymbolId::new(0),
            };
            metrics.note_first(lane, event);
        }
        Self {
            window: Window::new(0, None),
            metrics,
            merging: Merging::default(),
            positions: vec![0; lanes],
        }
    }

    fn place(&mut self, lane: usize, kind: Kind, start: u64, end: u64) -> Key {
        self.positions[lane] += 3;
        self.window.insert(Operation {
            lane: lane as u32,
            kind,
            call: None,
            position: Position(self.positions[lane] - 3),
            events: 3,
            start: Timestamp(start),
            end: Timestamp(end),
            phase: 0,
            unsettled: 0,
            is_open: false,
            is_held: false,
            collective: None,
            is_in_leap: false,
        })
    }

    /// Adds a message that is sent and received within these times.
    fn message(
        &mut self,
        from: usize,
        to: usize,
        send: (u64, u64),
        receive: (u64, u64),
    ) -> [Key; 2] {
        let send = self.place(from, Kind::Send, send.0, send.1);
        let receive = self.place(to, Kind::Receive, receive.0, receive.1);
        self.window.message(send, receive);
        [send, receive]
    }

    fn find(mut self) -> (Found, Summary) {
        let mut found = Found::default();
        self.window.settle_all();
        let examined = self
            .window
            .examine(self.merging, &mut self.metrics, &mut found);
        examined.unwrap();
        assert!(self.window.is_empty());
        let mut run = RunSteps::new(10);
        run.add(self.metrics.finish(Diagnostics::default()));
        (found, run.finish().0)
    }
}

/// Adds two messages side by side, 0 → 2 and 1 → 3.
fn side_by_side(sends: [(u64, u64); 2], receives: [(u64, u64); 2]) -> (Found, Summary) {
    let mut scene = Scene::new(4);
    let [first, _] = scene.message(0, 2, sends[0], receives[0]);
    let [second, _] = scene.message(1, 3, sends[1], receives[1]);
    scene.window.join(first, second);
    scene.find()
}

#[test]
fn longer_events_create_lateness() {
    // Figure 2 (a): both begin to send at 5; one completes at 10, the other at 30.
    let (found, summary) = side_by_side([(5, 10), (5, 30)], [(5, 40), (5, 40)]);
    let send = found.at(1, Kind::Send, 5);
    assert_eq!((send.lateness, send.differential_lateness), (20, 20));
    assert_eq!(send.class, Some(Class::Created));
    assert_eq!(found.at(0, Kind::Send, 5).class, None);
    assert_eq!(summary.in_operations[0].event, *send);
    assert_eq!(summary.totals.late, [1, 0, 0, 0]);
}

#[test]
fn events_that_begin_late_are_late() {
    // Figure 2 (b): one process reaches its send 20 ticks later, and takes as long for it.
    let (found, summary) = side_by_side([(5, 10), (25, 30)], [(5, 40), (5, 40)]);
    let send = found.at(1, Kind::Send, 25);
    assert_eq!((send.lateness, send.differential_lateness), (20, 0));
    assert_eq!(send.class, Some(Class::LateToStart));
    let before = found.at(1, Kind::Aggregate, 0);
    assert_eq!((before.lateness, before.differential_lateness), (20, 20));
    assert_eq!(before.class, Some(Class::Created));
    let origin = &summary.origins[0];
    assert_eq!((origin.event, origin.late_events), (*before, 1));
    assert!(summary.in_operations.is_empty());
}

#[test]
fn a_late_sender_makes_its_receiver_late() {
    // Figure 2 (c): the same, and the receiver waits for it.
    let (found, summary) = side_by_side([(5, 10), (25, 30)], [(5, 15), (5, 35)]);
    let receive = found.at(3, Kind::Receive, 5);
    assert_eq!((receive.lateness, receive.differential_lateness), (20, 0));
    assert_eq!(receive.class, Some(Class::LateSender));
    let origin = &summary.origins[0];
    assert_eq!(
        (origin.late_events, origin.late_locations, origin.largest),
        (2, 1, 20)
    );
    let [hop] = origin.path[..] else {
        panic!("{origin:?}");
    };
    assert_eq!(
        (hop.from, hop.to, hop.step),
        (LocationId(1), LocationId(3), 1)
    );
}

#[test]
fn a_message_that_takes_longer_makes_its_receiver_late() {
    // Figure 2 (d): both are sent at the same time, and one arrives later.
    let (found, _) = side_by_side([(5, 10), (5, 10)], [(5, 15), (5, 35)]);
    let receive = found.at(3, Kind::Receive, 5);
    assert_eq!((receive.lateness, receive.differential_lateness), (20, 20));
    assert_eq!(receive.class, Some(Class::Message));
}

#[test]
fn new_lateness_is_at_most_the_duration() {
    // The process was late before, where it had no other process beside it.
    let mut scene = Scene::new(3);
    scene.message(0, 1, (90, 100), (90, 110));
    let a = scene.place(0, Kind::Collective, 105, 120);
    let b = scene.place(2, Kind::Collective, 5, 120);
    for own in [a, b] {
        scene.window.member(own, a);
    }
    let (found, _) = scene.find();
    let before = found.at(0, Kind::Aggregate, 100);
    assert_eq!((before.lateness, before.differential_lateness), (100, 5));
    assert_eq!(before.class, Some(Class::LateToStart));
}

#[test]
fn lateness_has_an_origin_where_a_sixteenth_is_new() {
    // One begins 150 or 151 ticks late, and takes 10 ticks longer.
    for (start, origins) in [(155, 1), (156, 0)] {
        let sends = [(5, 10), (start, start + 15)];
        let (_, summary) = side_by_side(sends, [(5, 500), (5, 500)]);
        assert_eq!(summary.origins[0].event.lateness, start - 5);
        assert_eq!(summary.in_operations.len(), origins, "{start}");
    }
}

#[test]
fn clocks_that_run_backwards_do_no_harm() {
    let (found, summary) = side_by_side([(u64::MAX, 0), (7, u64::MAX)], [(9, 3), (u64::MAX, 1)]);
    assert_eq!(found.0.len(), 8);
    assert_eq!(summary.totals.violations, 0);
}

/// Figure 3: a merge tree of 16 processes, in which every fourth process gathers from the next three, and answers
/// before it sends up.
fn merge_tree(merging: Merging) -> (Found, Summary) {
    let mut scene = Scene::new(16);
    scene.merging = merging;
    let mut now = 10;
    let mut gather = |scene: &mut Scene, parent: usize, step: usize| {
        for child in 1..4 {
            let (child, at) = (parent + child * step, (now, now + 1));
            scene.message(child, parent, at, at);
            now += 2;
        }
        for child in 1..4 {
            let (child, at) = (parent + child * step, (now, now + 1));
            scene.message(parent, child, at, at);
            now += 2;
        }
    };
    for parent in [0, 4, 8, 12] {
        gather(&mut scene, parent, 1);
    }
    gather(&mut scene, 0, 4);
    scene.find()
}

#[test]
fn a_merge_tree_answers_its_leaves_before_it_sends_up() {
    for leaps in [false, true] {
        let (found, summary) = merge_tree(Merging {
            leaps,
            phases: false,
        });
        assert_eq!(summary.totals.violations, 0);
        assert_eq!(found.1.len(), 30);
        for parent in [4, 8, 12] {
            let of = |from: u64, to: u64| {
                let mut messages = found.1.iter();
                let found = messages.find(|it| (it.send.0.0, it.receive.0.0) == (from, to));
                found.copied().unwrap()
            };
            let last_answer = of(parent, parent + 3);
            let up = of(parent, 0);
            assert!(last_answer.send_step < up.send_step);
            // Groups of the same level are side by side, whenever they occur.
            assert_eq!(of(parent + 1, parent).send_step, of(1, 0).send_step);
            assert_eq!(last_answer.receive_step, of(0, 3).receive_step);
        }
    }
    // Each message is a partition of its own: 6 of each group in sequence, then 6 of the root.
    let (_, summary) = merge_tree(Merging::default());
    assert_eq!((summary.totals.partitions, summary.totals.steps), (30, 24));
}

#[test]
fn leaps_compare_groups_that_no_message_connects() {
    let (found, _) = merge_tree(Merging {
        leaps: true,
        phases: false,
    });
    let first = found.1.iter().filter(|it| it.send_step == 0);
    let senders: Vec<u64> = first.map(|it| it.send.0.0).collect();
    assert_eq!(senders.len(), 12, "all leaves: {senders:?}");
    let partition = found.0.first().map(|it| it.partition);
    let sends = found
        .0
        .iter()
        .filter(|it| it.kind == Kind::Send && it.step == 0);
    assert!(sends.clone().all(|it| Some(it.partition) == partition));
    assert!(sends.clone().any(|it| it.lateness > 0));
}

/// Adds two collective operations of all three locations, and between them the messages 0 → 1 and 1 → 2. The last
/// operation begins at these times in each location. Returns the numbers of the four partitions.
fn between_collectives(first: u64, second: u64, last: [u64; 3]) -> [u64; 4] {
    let mut scene = Scene::new(3);
    scene.merging.leaps = true;
    let meet = |scene: &mut Scene, starts: [u64; 3], end: u64| {
        let members = [0, 1, 2].map(|lane| scene.place(lane, Kind::Collective, starts[lane], end));
        for own in members {
            scene.window.member(own, members[0]);
        }
    };
    meet(&mut scene, [0; 3], 10);
    scene.message(0, 1, (first, first + 5), (first, first + 5));
    scene.message(1, 2, (second, second + 5), (second, second + 5));
    meet(&mut scene, last, 1000);
    let (found, _) = scene.find();
    let of = |location, kind, start| found.at(location, kind, start).partition;
    [
        of(0, Kind::Collective, 0),
        of(0, Kind::Send, first),
        of(1, Kind::Send, second),
        of(0, Kind::Collective, last[0]),
    ]
}

#[test]
fn a_leap_absorbs_near_partitions() {
    // The leap lacks process 2, which the second message adds.
    assert_eq!(between_collectives(20, 40, [60; 3]), [0, 1, 1, 2]);
    // A hundred ticks, ten times as many as before the first message, are not much farther; one more is.
    assert_eq!(between_collectives(20, 125, [130; 3]), [0, 1, 1, 2]);
    let far = between_collectives(20, 126, [60, 140, 140]);
    assert_eq!(far, [0, 1, 2, 2], "and this one lacks the process 0");
}

#[test]
fn partitions_near_the_previous_leap_move_back() {
    assert_eq!(between_collectives(12, 200, [230; 3]), [0, 0, 1, 1]);
    // The partition stays if it is as near to its successor.
    assert_eq!(between_collectives(12, 19, [26; 3]), [0, 1, 1, 2]);
}

#[test]
fn leaps_leave_the_window_before_the_trace_ends() {
    let mut scene = Scene::new(2);
    scene.window.outlook.locations = 2;
    for time in 0..10 {
        let members = [0, 1].map(|lane| scene.place(lane, Kind::Collective, time, time));
        for own in members {
            scene.window.member(own, members[0]);
        }
    }
    let merging = Merging {
        leaps: true,
        phases: false,
    };
    let mut found = Found::default();
    let mut examine = |scene: &mut Scene| {
        let examined = scene
            .window
            .examine(merging, &mut scene.metrics, &mut found);
        examined.unwrap();
        let operations = found.0.iter().filter(|it| it.kind == Kind::Collective);
        operations.count()
    };
    // Whether a location is active after the tenth leap is unknown, so the ninth may still grow, and the eighth is not final.
    assert_eq!(examine(&mut scene), 2 * 7);
    scene.window.outlook.end(0);
    assert_eq!(examine(&mut scene), 2 * 7);
    scene.window.outlook.end(1);
    assert_eq!(examine(&mut scene), 2 * 10);
    assert!(scene.window.is_empty());
}

#[test]
fn contradictions_are_counted() {
    // Each process receives a message that the other one sends after its own receive.
    let mut scene = Scene::new(2);
    let receives = [0, 1].map(|lane| scene.place(lane, Kind::Receive, 1, 2));
    let sends = [0, 1].map(|lane| scene.place(lane, Kind::Send, 3, 4));
    scene.window.message(sends[0], receives[1]);
    scene.window.message(sends[1], receives[0]);
    let (found, summary) = scene.find();
    assert_eq!(found.0.len(), 8);
    assert!(summary.totals.violations > 0);
}

#[test]
fn a_partition_is_cut_where_too_many_operations_are_under_way() {
    let mut scene = Scene::new(2);
    scene.window = Window::new(0, Some(8));
    let mut found = Found::default();
    let mut largest = 0;
    // Each process sends the next message before it receives the previous one, so all messages precede each other.
    let mut sent: Option<[Key; 2]> = None;
    for round in 0..100 {
        let now = 10 * round;
        let send = [0, 1].map(|lane| scene.place(lane, Kind::Send, now, now + 2 + lane as u64));
        for key in send {
            scene.window.operation(key).unsettled = 1;
        }
        if let Some(before) = sent.replace(send) {
            for lane in [0, 1] {
                let end = now + 7 - lane as u64;
                let receive = scene.place(lane, Kind::Receive, now + 4, end);
                scene.window.operation(before[1 - lane]).unsettled = 0;
                scene.window.message(before[1 - lane], receive);
            }
        }
        if scene.window.is_due() {
            let Scene {
                window,
                metrics,
                merging,
                ..
            } = &mut scene;
            window.examine(*merging, metrics, &mut found).unwrap();
        }
        largest = largest.max(scene.window.len());
    }
    assert!(largest <= 8 + 4, "{largest}");
    let (rest, summary) = scene.find();
    let totals = summary.totals;
    let all = totals.operations + totals.aggregates;
    assert_eq!((found.0.len() + rest.0.len()) as u64, all);
    assert_eq!(totals.operations, 2 * (100 + 99));
    assert_eq!((totals.violations, totals.messages), (0, 198));
    assert!(totals.cut_messages > 0);
    // The sends of 1 are late, and so are the receives of 0, whether their messages were cut or not.
    let all = found.0.iter().chain(&rest.0);
    let receives = all.filter(|it| it.kind == Kind::Receive && it.location == LocationId(0));
    let late = receives.filter(|it| it.class == Some(Class::LateSender));
    assert_eq!(late.count(), 99);
}
