use std::collections::BTreeMap;
use std::ops::Range;

use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
use proptest::prelude::*;

use super::*;
use crate::{Folder, Shapes};

/// An action of a process: a message with its peer and tag, an operation of all processes, or a local event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Send(u64, u64),
    Receive(u64, u64),
    Sync(u64),
    Local(u64),
}

/// A program as the actions of each process.
type Program = Vec<Vec<Action>>;

/// The symbols and channels of a program of some processes.
struct Scene {
    symbols: SymbolTable,
    wiring: Wiring,
    channels: BTreeMap<(u64, u64, u64), Channel>,
}

/// The meaning of tags in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tags {
    /// Each tag has a channel of its own.
    Matter,
    /// A pair of processes has one channel for all tags.
    AreFree,
    /// The same, and all tags share a row of the table of symbols.
    AreInIds,
}

impl Scene {
    fn new(actions: &Program) -> Self {
        Self::with_tags(actions, Tags::Matter)
    }

    fn with_tags(actions: &Program, tags: Tags) -> Self {
        let has_all_tags = tags != Tags::Matter;
        let channel_tag = |tag| if has_all_tags { 0 } else { tag };
        let mut symbols = if tags == Tags::AreInIds {
            SymbolTable::with_tags_in_ids()
        } else {
            SymbolTable::default()
        };
        let mut channels = BTreeMap::new();
        for (process, actions) in (0..).zip(actions) {
            for &action in actions {
                symbols.intern(symbol(action));
                let route = match action {
                    Action::Send(to, tag) => (process, to, channel_tag(tag)),
                    Action::Receive(from, tag) => (from, process, channel_tag(tag)),
                    Action::Sync(_) | Action::Local(_) => continue,
                };
                let next = channels.len() as u32;
                channels.entry(route).or_insert(Channel(next));
            }
        }
        let mut wiring = Wiring::new(channels.len() as u32);
        let neighbours: Vec<Channel> = (1..actions.len())
            .map(|_| wiring.add_collective())
            .collect();
        for (process, actions) in (0..).zip(actions) {
            for &action in actions {
                let role = match action {
                    Action::Send(to, tag) => Role {
                        ends: vec![channels[&(process, to, channel_tag(tag))].source()],
                        has_all_tags,
                        ..Role::default()
                    },
                    Action::Receive(from, tag) => Role {
                        ends: vec![channels[&(from, process, channel_tag(tag))].sink()],
                        has_all_tags,
                        ..Role::default()
                    },
                    Action::Sync(_) => {
                        let at = process as usize;
                        let before = at.checked_sub(1).map(|at| neighbours[at].sink());
                        let after = neighbours.get(at).map(|channel| channel.source());
                        Role {
                            ends: before.into_iter().chain(after).collect(),
                            is_collective: true,
                            synchronises: true,
                            has_all_tags: false,
                        }
                    }
                    Action::Local(_) => continue,
                };
                let id = symbols.find(&symbol(action)).unwrap();
                wiring.set(Process(process as u32), id, role);
            }
        }
        Self {
            symbols,
            wiring,
            channels,
        }
    }

    fn id(&self, action: Action) -> SymbolId {
        self.symbols.find(&symbol(action)).unwrap()
    }

    fn action(&self, id: SymbolId) -> Action {
        let symbol = self.symbols.symbol(id);
        let [peer, _, tag] = [0, 1, 2].map(|slot| symbol.operands[slot]);
        match symbol.kind {
            EventKind::MpiSend => Action::Send(peer, tag),
            EventKind::MpiRecv => Action::Receive(peer, tag),
            EventKind::MpiCollectiveEnd => Action::Sync(symbol.operands[0]),
            _ => Action::Local(symbol.operands[0]),
        }
    }

    fn stream(&self, actions: &[Action]) -> Vec<SymbolId> {
        actions.iter().map(|&action| self.id(action)).collect()
    }

    fn fold(&self, actions: &[Action]) -> Model {
        let mut shapes = Shapes::default();
        shapes.update(&self.symbols);
        let mut folder = Folder::new(32);
        folder.push(&self.stream(actions), &self.symbols, &shapes);
        folder.finish(&self.symbols, &shapes)
    }

    fn merge(&self, actions: &Program) -> Global {
        let models: Vec<Model> = actions.iter().map(|actions| self.fold(actions)).collect();
        Global::merge(&models, &self.wiring, &self.symbols, u64::MAX).unwrap()
    }

    /// Formats a system as text: `3x[…]` is a loop, `0>1:t` a send from 0 to 1, `0<1:t` the receive by 0 from 1.
    /// A tag `t+2i` grows by 2 in each iteration of the innermost loop, `t+2j` in each of the one around it.
    fn text(&self, system: &System) -> String {
        let words = system
            .constructs
            .iter()
            .map(|construct| match &construct.kind {
                Kind::Event { member, steps } => {
                    let own = member.process.0;
                    let growth = |step: &LoopStep| {
                        let index = ["i", "j", "k"][usize::from(step.distance)];
                        format!("+{}{index}", step.coefficient)
                    };
                    let growth: String = steps.iter().map(growth).collect();
                    match self.action(member.symbol) {
                        Action::Send(to, tag) => format!("{own}>{to}:{tag}{growth}"),
                        Action::Receive(from, tag) => format!("{own}<{from}:{tag}{growth}"),
                        Action::Sync(_) => format!("{own}!"),
                        Action::Local(region) => format!("{own}={region}"),
                    }
                }
                Kind::Collective { members, .. } => {
                    let processes = members.iter().map(|member| member.process.0.to_string());
                    format!("{}!", processes.collect::<Vec<_>>().join("&"))
                }
                Kind::Loop { count, body } => format!("{count}x[{}]", self.text(body)),
            });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn symbol(action: Action) -> Symbol {
    match action {
        Action::Send(to, tag) => Symbol::new(EventKind::MpiSend, &[to, 0, tag]),
        Action::Receive(from, tag) => Symbol::new(EventKind::MpiRecv, &[from, 0, tag]),
        Action::Sync(operation) => Symbol::new(EventKind::MpiCollectiveEnd, &[operation, 0, 0]),
        Action::Local(region) => Symbol::new(EventKind::Enter, &[region]),
    }
}

/// Reads a process in the format that `text` writes, but without the process numbers: `10x[>1:5 <2:7] !`.
fn parse(text: &str) -> Vec<Action> {
    let spaced = text.replace('[', "[ ").replace(']', " ]");
    let mut open: Vec<(usize, Vec<Action>)> = vec![(1, Vec::new())];
    for word in spaced.split_whitespace() {
        let pair = |word: &str| {
            let (peer, tag) = word.split_once(':').unwrap();
            (peer.parse().unwrap(), tag.parse().unwrap())
        };
        let action = match word.split_at(1) {
            ("]", _) => {
                let (count, body) = open.pop().unwrap();
                open.last_mut().unwrap().1.extend(body.repeat(count));
                continue;
            }
            (">", rest) => {
                let (to, tag) = pair(rest);
                Action::Send(to, tag)
            }
            ("<", rest) => {
                let (from, tag) = pair(rest);
                Action::Receive(from, tag)
            }
            ("!", _) => Action::Sync(0),
            ("=", rest) => Action::Local(rest.parse().unwrap()),
            _ => {
                let count = word.strip_suffix("x[").unwrap().parse().unwrap();
                open.push((count, Vec::new()));
                continue;
            }
        };
        open.last_mut().unwrap().1.push(action);
    }
    open.pop().unwrap().1
}

/// Merges processes given as text, checks that nothing is lost, and returns the model as text.
fn merged(processes: &[&str]) -> String {
    let actions: Program = processes.iter().map(|text| parse(text)).collect();
    let scene = Scene::new(&actions);
    let global = scene.merge(&actions);
    check(&scene, &actions, &global);
    scene.text(&global.system)
}

/// Checks everything that has to hold for the model of any program.
fn check(scene: &Scene, actions: &Program, global: &Global) {
    for (process, actions) in global.processes().zip(actions) {
        let model = global.project(process);
        let events: Vec<SymbolId> = model.expand(&scene.symbols).collect();
        assert_eq!(events, scene.stream(actions), "process {process:?}");
    }
    let ranks: Vec<u64> = (0..actions.len() as u64).collect();
    let spmd = Spmd::new(&global.system, &ranks, &scene.symbols, &[]);
    assert!(spmd.terms() <= global.system.terms());
    let expanded = spmd.expand(&ranks, &scene.wiring, &scene.symbols);
    assert_eq!(expanded.as_ref(), Some(&global.system));
    let mut open: BTreeMap<End, u64> = BTreeMap::new();
    let mut ends: BTreeMap<End, u64> = BTreeMap::new();
    for (process, actions) in global.processes().zip(actions) {
        for &action in actions {
            if let Some(role) = scene.wiring.role(process, scene.id(action)) {
                for &end in &role.ends {
                    *ends.entry(end).or_default() += 1;
                }
            }
        }
    }
    for (&end, &count) in &ends {
        let other = ends.get(&end.other()).copied().unwrap_or(0);
        if count > other {
            open.insert(end, count - other);
        }
    }
    assert_eq!(global.system.open().collect::<BTreeMap<_, _>>(), open);
    let mut linked = BTreeMap::new();
    add_links(&global.system, 1, &mut linked);
    for channel in scene.channels.values() {
        let [sent, received] = [channel.source(), channel.sink()].map(|end| ends.get(&end));
        let both = sent.min(received).copied().unwrap_or(0);
        assert_eq!(
            linked.get(channel).copied().unwrap_or(0),
            both,
            "{channel:?}"
        );
    }
}

/// Replays a program, and checks that each process executes its actions in order and that no message is received
/// before it is sent.
/// Returns the number of forced events.
fn check_schedule(scene: &Scene, actions: &Program, global: &Global) -> u64 {
    let models: Vec<Model> = global.processes().map(|p| global.project(p)).collect();
    let mut schedule = Schedule::new(&models, &scene.wiring, &scene.symbols);
    let mut replayed = vec![Vec::new(); actions.len()];
    let mut on_the_way: BTreeMap<Channel, i64> = BTreeMap::new();
    let mut received_early = 0;
    for happening in schedule.by_ref() {
        let action = scene.action(happening.symbol);
        let process = happening.process;
        assert_eq!(happening.position, replayed[process.index()].len() as u64);
        replayed[process.index()].push(action);
        let role = scene.wiring.role(process, happening.symbol);
        match (action, role) {
            (Action::Send(..), Some(role)) => {
                *on_the_way.entry(role.ends[0].channel()).or_default() += 1;
            }
            (Action::Receive(..), Some(role)) => {
                let messages = on_the_way.entry(role.ends[0].channel()).or_default();
                *messages -= 1;
                received_early += u64::from(*messages < 0);
            }
            (Action::Sync(_), _) => {
                // No process is more than one operation ahead of another.
                let syncs = replayed.iter().map(|actions: &Vec<Action>| {
                    actions
                        .iter()
                        .filter(|action| matches!(action, Action::Sync(_)))
                        .count()
                });
                let (least, most) = (syncs.clone().min().unwrap(), syncs.max().unwrap());
                assert!(most - least <= 1 || schedule_is_damaged(actions));
            }
            _ => (),
        }
    }
    assert_eq!(&replayed, actions);
    assert!(received_early <= schedule.forced());
    schedule.forced()
}

/// Returns whether processes take part in different numbers of operations.
fn schedule_is_damaged(actions: &Program) -> bool {
    let syncs = actions.iter().map(|actions| {
        actions
            .iter()
            .filter(|action| matches!(action, Action::Sync(_)))
            .count()
    });
    syncs.clone().min() != syncs.max()
}

/// Adds the number of messages of all links, by channel.
fn add_links(system: &System, times: u64, linked: &mut BTreeMap<Channel, u64>) {
    for link in &system.links {
        *linked.entry(link.channel).or_default() += times * link.messages;
    }
    for (count, body) in system.constructs.iter().filter_map(Construct::as_loop) {
        add_links(body, times * count, linked);
    }
}

#[test]
fn loops_that_communicate_become_one() {
    assert_eq!(merged(&["10x[>1:0]", "10x[<0:0]"]), "10x[0>1:0 1<0:0]");
}

/// Merges processes whose tags are free, given as actions.
fn merged_actions(actions: &Program) -> String {
    let texts = [Tags::AreFree, Tags::AreInIds].map(|tags| {
        let scene = Scene::with_tags(actions, tags);
        let global = scene.merge(actions);
        check(&scene, actions, &global);
        scene.text(&global.system)
    });
    assert_eq!(texts[0], texts[1]);
    texts[0].clone()
}

#[test]
fn loops_whose_tags_grow_alike_become_one() {
    let message = |index: u64| {
        [
            Action::Send(1, 5 + 2 * index),
            Action::Receive(0, 5 + 2 * index),
        ]
    };
    let [sends, receives] = [0, 1].map(|end| (0..10).map(|i| message(i)[end]).collect());
    assert_eq!(
        merged_actions(&vec![sends, receives]),
        "10x[0>1:5+2i 1<0:5+2i]"
    );
}

#[test]
fn growing_tags_stay_right_when_loops_are_cut() {
    let sends = (0..20).map(|i| Action::Send(1, i)).collect();
    let mut receives: Vec<Action> = (0..20).map(|i| Action::Receive(0, i)).collect();
    receives.insert(12, Action::Local(9));
    let expected = "12x[0>1:0+1i 1<0:0+1i] 1=9 8x[0>1:12+1i 1<0:12+1i]";
    assert_eq!(merged_actions(&vec![sends, receives]), expected);
}

#[test]
fn growing_tags_stay_right_when_loops_are_nested() {
    let sends = (0..30).map(|i| Action::Send(1, i)).collect();
    let receives = (0..30).flat_map(|i| {
        let pause = (i % 3 == 2).then_some(Action::Local(9));
        [Action::Receive(0, i)].into_iter().chain(pause)
    });
    let merged = merged_actions(&vec![sends, receives.collect()]);
    assert_eq!(merged, "10x[3x[0>1:0+1i+3j 1<0:0+1i+3j] 1=9]");
}

#[test]
fn growing_tags_stay_right_when_loops_are_shifted() {
    // The first process sends a message before its loop, so it is ahead by one message.
    let ahead = (0..20).flat_map(|i| [Action::Send(1, i + 1), Action::Receive(1, i)]);
    let ahead = [Action::Send(1, 0)].into_iter().chain(ahead);
    let ahead = ahead.chain([Action::Receive(1, 20)]);
    let behind = (0..21).flat_map(|i| [Action::Receive(0, i), Action::Send(0, i)]);
    let merged = merged_actions(&vec![ahead.collect(), behind.collect()]);
    let expected = "0>1:0 1<0:0 20x[0>1:1+1i 1>0:0+1i 0<1:0+1i 1<0:1+1i] 1>0:20 0<1:20";
    assert_eq!(merged, expected);
}

#[test]
fn loops_that_do_not_communicate_stay_apart() {
    let processes = ["10x[>1:0]", "10x[<0:0]", "10x[>3:0]", "10x[<2:0]"];
    assert_eq!(merged(&processes), "10x[0>1:0 1<0:0] 10x[2>3:0 3<2:0]");
}

#[test]
fn a_loop_that_is_longer_than_its_correspondent_is_split() {
    let processes = ["20x[>1:0]", "10x[<0:0] !", "!"];
    let merged = merged(&processes);
    assert_eq!(merged, "10x[0>1:0 1<0:0] 10x[0>1:0] 1&2!");
    let processes = ["20x[>1:0]", "10x[<0:0] =1 10x[<0:0]"];
    let expected = "10x[0>1:0 1<0:0] 1=1 10x[0>1:0 1<0:0]";
    assert_eq!(self::merged(&processes), expected);
}

#[test]
fn a_single_iteration_after_a_cut_is_no_loop() {
    let processes = ["5x[>1:0]", "4x[<0:0] =1 <0:0"];
    assert_eq!(merged(&processes), "4x[0>1:0 1<0:0] 0>1:0 1=1 1<0:0");
}

#[test]
fn a_loop_with_two_correspondents_in_two_channels_is_regular() {
    // Figure in section III.B.2, whose loops cannot become one (III.B.3): they stay as they are.
    let processes = ["10x[>1:1 >1:2]", "10x[<0:1] 10x[<0:2]"];
    assert_eq!(merged(&processes), "10x[0>1:1 0>1:2] 10x[1<0:1] 10x[1<0:2]");
}

#[test]
fn loops_that_would_come_before_themselves_stay_as_they_are() {
    // The first pathological example of section III.B.3.
    let processes = ["10x[>1:0] 10x[<1:0]", "10x[>0:0] 10x[<0:0]"];
    assert_eq!(
        merged(&processes),
        "10x[0>1:0] 10x[1>0:0] 10x[0<1:0] 10x[1<0:0]"
    );
}

#[test]
fn less_than_an_iteration_is_shifted_out_of_a_loop() {
    let processes = ["10x[>1:0 =1 >1:0 =2]", "<0:0 =3 9x[<0:0 <0:0] <0:0"];
    let expected = "0>1:0 1<0:0 1=3 9x[0=1 0>1:0 0=2 1<0:0 0>1:0 1<0:0] 0=1 0>1:0 0=2 1<0:0";
    assert_eq!(merged(&processes), expected);
}

#[test]
fn iterations_are_blocked_by_their_common_divisor() {
    let processes = ["10x[>1:0 =1 >1:0]", "20x[<0:0]"];
    assert_eq!(merged(&processes), "10x[0>1:0 0=1 1<0:0 0>1:0 1<0:0]");
    let processes = ["4x[=1 6x[>1:0]]", "24x[<0:0]"];
    assert_eq!(merged(&processes), "4x[0=1 6x[0>1:0 1<0:0]]");
}

#[test]
fn loops_without_a_common_divisor_are_unrolled() {
    let processes = [
        "3x[=1 >1:0 =2 >1:0 =3 >1:0 =4 >1:0]",
        "4x[=1 <0:0 =2 <0:0 =3 <0:0]",
    ];
    let merged = merged(&processes);
    assert!(!merged.contains('['), "{merged}");
}

#[test]
fn collective_operations_join_all_members() {
    let process = "3x[=1 !] =2 !";
    let expected = "3x[0=1 1=1 2=1 0&1&2!] 0=2 1=2 2=2 0&1&2!";
    assert_eq!(merged(&[process; 3]), expected);
}

#[test]
fn a_send_to_oneself_is_matched_in_its_iteration() {
    assert_eq!(merged(&["10x[>0:0 <0:0]"]), "10x[0>0:0 0<0:0]");
    // Each message is received one iteration later: the loop is shifted.
    let shifted = merged(&[">0:0 =2 10x[<0:0 =1 >0:0] <0:0"]);
    assert_eq!(shifted, "0>0:0 0=2 0<0:0 10x[0=1 0>0:0 0<0:0]");
}

#[test]
fn a_message_that_arrives_an_iteration_later_does_not_tear_loops_apart() {
    let processes = [">1:2 100x[>1:1 =1 >1:2]", "100x[<0:1 =1 <0:2] <0:2"];
    let merged = merged(&processes);
    assert_eq!(merged.matches("100x[").count(), 1, "{merged}");
}

#[test]
fn a_loop_that_begins_in_the_middle_is_shifted_to_its_correspondent() {
    // The second process has 10 iterations of receive and send, but its loop begins with the sends.
    let processes = ["=9 10x[>1:0 <1:0 =1]", "=8 <0:0 =7 9x[>0:0 <0:0] >0:0"];
    let merged = merged(&processes);
    assert_eq!(merged.matches("x[").count(), 1, "{merged}");
    let processes = [
        "=9 >1:0 =7 12x[<1:1 >1:0] =1 <1:1",
        "=8 12x[<0:0 >0:1] =2 <0:0 >0:1",
    ];
    let merged = self::merged(&processes);
    assert_eq!(merged.matches("x[").count(), 1, "{merged}");
}

#[test]
fn messages_without_another_end_dangle() {
    let actions: Program = ["12x[>1:0] >1:1", "10x[<0:0]"].map(parse).to_vec();
    let scene = Scene::new(&actions);
    let global = scene.merge(&actions);
    check(&scene, &actions, &global);
    assert_eq!(global.dangling(), 3);
}

#[test]
fn processes_share_what_they_do_alike() {
    let ring = |own: u64| format!("9x[>{}:0 <{}:0] =1", (own + 1) % 8, (own + 7) % 8);
    let actions: Program = (0..8).map(|own| parse(&ring(own))).collect();
    let scene = Scene::new(&actions);
    let global = scene.merge(&actions);
    check(&scene, &actions, &global);
    let ranks: Vec<u64> = (0..8).collect();
    let spmd = Spmd::new(&global.system, &ranks, &scene.symbols, &[]);
    assert_eq!((global.system.terms(), spmd.terms()), (25, 4));
    let Item::Loop { body, .. } = &spmd.system.items[0] else {
        panic!("{spmd:?}");
    };
    let Item::Shared { processes, body } = &body.items[0] else {
        panic!("{body:?}");
    };
    assert_eq!(processes.len(), 8);
    let Shared::Event { peer, .. } = &body[0] else {
        panic!("{body:?}");
    };
    assert_eq!(peer[..], [Relation::Ring { offset: 1, size: 8 }]);
}

#[test]
fn symbols_with_the_same_canonical_symbol_are_shared() {
    let actions: Program = (0..4)
        .map(|own| parse(&format!("={own} ={own} =4")))
        .collect();
    let scene = Scene::new(&actions);
    let global = scene.merge(&actions);
    let ranks: Vec<u64> = (0..4).collect();
    let terms = |canonical: &[Symbol]| {
        let spmd = Spmd::new(&global.system, &ranks, &scene.symbols, canonical);
        let expanded = spmd.expand(&ranks, &scene.wiring, &scene.symbols);
        assert_eq!(expanded.as_ref(), Some(&global.system));
        spmd.terms()
    };
    assert_eq!((global.system.terms(), terms(&[])), (12, 12));
    let first = scene.symbols.symbol(scene.id(Action::Local(0)));
    let alike = |same: u64| {
        let all = scene.symbols.iter();
        let all = all.map(|(_, symbol)| {
            if symbol.operands[0] < same {
                first
            } else {
                symbol
            }
        });
        all.collect::<Vec<Symbol>>()
    };
    assert_eq!(terms(&alike(4)), 3);
    // Now each process has two symbols with the same canonical symbol.
    assert_eq!(terms(&alike(5)), 12);
}

/// Reads a model from text as written, without folding it.
fn model(scene: &Scene, text: &str) -> Model {
    use crate::{Construct, Count, EventConstruct, LoopConstruct};
    let spaced = text.replace('[', "[ ").replace(']', " ]");
    let mut open: Vec<(i64, Vec<Construct>)> = vec![(1, Vec::new())];
    let mut events = vec![0];
    for word in spaced.split_whitespace() {
        if let Some(count) = word.strip_suffix("x[") {
            open.push((count.parse().unwrap(), Vec::new()));
            events.push(0);
        } else if word == "]" {
            let (base, body) = open.pop().unwrap();
            let steps = Vec::new();
            let count = Count { base, steps };
            let body = body.into();
            open.last_mut()
                .unwrap()
                .1
                .push(Construct::Loop(LoopConstruct { count, body }));
            let inner = events.pop().unwrap();
            *events.last_mut().unwrap() += inner * base as u64;
        } else {
            let symbol = scene.id(parse(word)[0]);
            let steps = Vec::new();
            open.last_mut()
                .unwrap()
                .1
                .push(Construct::Event(EventConstruct { symbol, steps }));
            *events.last_mut().unwrap() += 1;
        }
    }
    Model {
        constructs: open.pop().unwrap().1.into(),
        events: events[0],
    }
}

/// LU of class C on 4 x 4 processes has the positions and lengths of figure 8.
#[test]
fn figure_8() {
    let side = 4;
    let processes = (0..side * side).map(|own: u64| {
        let (x, y) = (own % side, own / side);
        let west = (x > 0).then(|| own - 1);
        let east = (x + 1 < side).then_some(own + 1);
        let north = (y > 0).then(|| own - side);
        let south = (y + 1 < side).then_some(own + side);
        let word = |sign: &str, peer: Option<u64>, tag: u64| {
            peer.map_or(String::new(), |peer| format!("{sign}{peer}:{tag} "))
        };
        let down = [
            word("<", west, 2),
            word("<", north, 4),
            word(">", east, 2),
            word(">", south, 4),
        ];
        let up = [
            word("<", east, 1),
            word("<", south, 3),
            word(">", west, 1),
            word(">", north, 3),
        ];
        let exchange = [
            word(">", east, 2) + &word("<", west, 2),
            word(">", west, 1) + &word("<", east, 1),
            word(">", south, 4) + &word("<", north, 4),
            word(">", north, 3) + &word("<", south, 3),
        ];
        let (down, up, exchange) = (down.concat(), up.concat(), exchange.concat());
        format!("249x[160x[{down}] 160x[{up}] {exchange}]")
    });
    let processes: Vec<String> = processes.collect();
    let once = processes
        .iter()
        .map(|text| parse(&text.replace("249x", "1x").replace("160x", "1x")));
    let scene = Scene::new(&once.collect());
    let models: Vec<Model> = processes.iter().map(|text| model(&scene, text)).collect();
    let global = Global::merge(&models, &scene.wiring, &scene.symbols, u64::MAX).unwrap();
    assert_eq!(global.dangling(), 0);
    for (process, model) in global.processes().zip(&models) {
        assert_eq!(&global.project(process), model);
    }
    let [outer] = &global.system.constructs[..] else {
        panic!("{}", scene.text(&global.system));
    };
    let (count, body) = outer.as_loop().unwrap();
    assert_eq!((count, outer.processes.len(), body.loops()), (249, 16, 2));
    let [placed] = &global.system.places()[..] else {
        panic!("one construct");
    };
    let all = [0, 1, 5];
    assert_eq!(all.map(|p| placed.places[p].iteration), [644, 966, 1288]);
    for (inner, positions) in [(0, [0, 0, 0]), (1, [320, 480, 640])] {
        assert_eq!(body.constructs[inner].as_loop().map(|l| l.0), Some(160));
        let places = &placed.body[inner].places;
        assert_eq!(all.map(|p| places[p].position), positions);
        assert_eq!(all.map(|p| places[p].iteration), [2, 3, 4]);
    }
    let position = |process: u32, action: Action| {
        let event = Kind::Event {
            member: Member {
                process: Process(process),
                symbol: scene.id(action),
            },
            steps: Box::default(),
        };
        let index = body
            .constructs
            .iter()
            .position(|construct| construct.kind == event);
        placed.body[index.unwrap()].places[0].position
    };
    assert_eq!(position(0, Action::Send(1, 2)), 640);
    assert_eq!(position(1, Action::Send(2, 2)), 960);
    assert_eq!(position(1, Action::Receive(0, 2)), 961);
}

/// A part of a random program.
#[derive(Clone, Debug)]
enum Part {
    Message {
        from: u64,
        to: u64,
        tag: u64,
    },
    /// Every process sends to a neighbour, then receives.
    Ring(u64),
    Sync,
    Local(u64),
    /// A loop; the growth of all tags with its iterations.
    Loop(u64, u64, Vec<Part>),
}

const PROCESSES: u64 = 5;

/// Parts of programs whose tags grow by one of `growths` with the iterations of a loop.
fn parts(growths: Range<u64>) -> impl Strategy<Value = Vec<Part>> {
    let process = 0..PROCESSES;
    let leaf = prop_oneof![
        4 => (process.clone(), process.clone(), 0..2_u64)
            .prop_map(|(from, to, tag)| Part::Message { from, to, tag }),
        1 => (0..2_u64).prop_map(Part::Ring),
        1 => Just(Part::Sync),
        1 => process.prop_map(Part::Local),
    ];
    let part = leaf.prop_recursive(3, 24, 5, move |inner| {
        let growths = growths.clone();
        let body = prop::collection::vec(inner, 1..5);
        (2..7_u64, growths, body).prop_map(|(n, growth, body)| Part::Loop(n, growth, body))
    });
    prop::collection::vec(part, 1..6)
}

/// Adds the actions of parts whose tags are all greater by `more`.
fn run(parts: &[Part], more: u64, actions: &mut Program) {
    for part in parts {
        match part {
            &Part::Message { from, to, tag } => {
                actions[from as usize].push(Action::Send(to, tag + more));
                actions[to as usize].push(Action::Receive(from, tag + more));
            }
            &Part::Ring(tag) => {
                for own in 0..PROCESSES {
                    actions[own as usize].push(Action::Send((own + 1) % PROCESSES, tag + more));
                }
                for own in 0..PROCESSES {
                    let from = (own + PROCESSES - 1) % PROCESSES;
                    actions[own as usize].push(Action::Receive(from, tag + more));
                }
            }
            Part::Sync => actions
                .iter_mut()
                .for_each(|actions| actions.push(Action::Sync(0))),
            &Part::Local(process) => actions[process as usize].push(Action::Local(process)),
            Part::Loop(count, growth, body) => {
                (0..*count).for_each(|index| run(body, more + index * growth, actions));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn nothing_is_lost_and_nothing_invented(parts in parts(0..1)) {
        let mut actions = vec![Vec::new(); PROCESSES as usize];
        run(&parts, 0, &mut actions);
        let scene = Scene::new(&actions);
        let global = scene.merge(&actions);
        check(&scene, &actions, &global);
        prop_assert_eq!(global.dangling(), 0);
        prop_assert_eq!(check_schedule(&scene, &actions, &global), 0);
    }

    #[test]
    fn messages_cut_off_dangle(parts in parts(0..1), cuts in prop::collection::vec(0.0..1.2, 5)) {
        let mut actions = vec![Vec::new(); PROCESSES as usize];
        run(&parts, 0, &mut actions);
        for (actions, cut) in actions.iter_mut().zip(cuts) {
            let keep = (actions.len() as f64 * cut) as usize;
            actions.truncate(keep);
        }
        let scene = Scene::new(&actions);
        let global = scene.merge(&actions);
        check(&scene, &actions, &global);
        check_schedule(&scene, &actions, &global);
    }

    #[test]
    fn tags_grow_without_loss(parts in parts(0..4)) {
        let mut actions = vec![Vec::new(); PROCESSES as usize];
        run(&parts, 0, &mut actions);
        let mut terms = Vec::new();
        for tags in [Tags::Matter, Tags::AreFree, Tags::AreInIds] {
            let scene = Scene::with_tags(&actions, tags);
            let global = scene.merge(&actions);
            check(&scene, &actions, &global);
            prop_assert_eq!(global.dangling(), 0);
            prop_assert_eq!(check_schedule(&scene, &actions, &global), 0);
            terms.push(global.system.terms());
        }
        prop_assert_eq!(terms[1], terms[2]);
    }

    /// Any actions of processes, even ones that no program could have.
    #[test]
    fn any_streams_merge(actions in prop::collection::vec(prop::collection::vec(prop_oneof![
        (0..4_u64, 0..2_u64).prop_map(|(to, tag)| Action::Send(to, tag)),
        (0..4_u64, 0..2_u64).prop_map(|(from, tag)| Action::Receive(from, tag)),
        Just(Action::Sync(0)),
    ], 0..30), 4)) {
        let scene = Scene::new(&actions);
        check(&scene, &actions, &scene.merge(&actions));
    }
}
