//! Tests properties of complete DAGs: the events can be restored, equal subtrees are one node, and the order in which
//! locations are read has no effect.

use std::collections::HashSet;

use foldtrace_trace::{EventKind, LocationId, Symbol, SymbolId, SymbolTable};
use proptest::prelude::*;

use super::*;
use crate::DEFAULT_MAX_BODY;

fn enter(symbols: &mut SymbolTable, region: u64) -> SymbolId {
    symbols.intern(Symbol::new(EventKind::Enter, &[region]))
}

fn leave(symbols: &mut SymbolTable, region: u64) -> SymbolId {
    symbols.intern(Symbol::new(EventKind::Leave, &[region]))
}

fn send(symbols: &mut SymbolTable, peer: u64) -> SymbolId {
    symbols.intern(Symbol::new(EventKind::MpiSend, &[peer, 0, 1]))
}

/// Events in which calls are left in any order, or never.
fn any_events() -> impl Strategy<Value = Vec<(u8, u64)>> {
    prop::collection::vec((0u8..3, 0u64..3), 0..60)
}

/// Events of a program: calls with bodies that repeat and are nested in themselves.
fn program() -> impl Strategy<Value = Vec<(u8, u64)>> {
    let leaf = (0u64..3).prop_map(|peer| vec![(2, peer)]);
    leaf.prop_recursive(6, 400, 5, |inner| {
        prop_oneof![
            (inner.clone(), 0u64..3).prop_map(|(body, region)| call(&body, region)),
            (inner.clone(), 1usize..6).prop_map(|(body, n)| body.repeat(n)),
            (inner.clone(), inner.clone(), 0u64..3, 1usize..5).prop_map(
                |(before, after, region, levels)| {
                    (0..levels).fold(Vec::new(), |nested, _| {
                        let body = [&before[..], &nested, &after].concat();
                        call(&body, region)
                    })
                }
            ),
            prop::collection::vec(inner, 1..4).prop_map(|parts| parts.concat()),
        ]
    })
    .prop_map(|mut events| {
        events.truncate(5_000);
        events
    })
}

fn call(body: &[(u8, u64)], region: u64) -> Vec<(u8, u64)> {
    let mut events = vec![(0, region)];
    events.extend_from_slice(body);
    events.push((1, region));
    events
}

fn streams() -> impl Strategy<Value = Vec<(u8, u64)>> {
    prop_oneof![any_events(), program()]
}

fn rules() -> impl Strategy<Value = Rules> {
    (any::<bool>(), any::<bool>()).prop_map(|(repeats, recursion)| Rules {
        repeats,
        recursion,
        ..Rules::default()
    })
}

/// Returns the symbols of a location that defines everything itself.
fn own(symbols: &mut SymbolTable, stream: &[(u8, u64)], location: u64) -> Vec<SymbolId> {
    let id = |region| region + 10 * location;
    let event = |&(kind, which): &(u8, u64)| match kind {
        0 => enter(symbols, id(which)),
        1 => leave(symbols, id(which)),
        _ => send(symbols, which),
    };
    stream.iter().map(event).collect()
}

/// Returns, for each symbol, the symbol of location 0; regions 1 and 2 of a location are the same.
fn representatives(symbols: &SymbolTable) -> Vec<SymbolId> {
    let mut first = SymbolTable::default();
    let mut ids = Vec::new();
    let canonical = symbols.iter().map(|(id, mut symbol)| {
        if symbol.kind != EventKind::MpiSend {
            symbol.operands[0] = (symbol.operands[0] % 10).min(1);
        }
        let known = first.intern(symbol).row();
        if known == ids.len() {
            ids.push(id);
        }
        ids[known]
    });
    canonical.collect()
}

fn grow(events: &[SymbolId], symbols: &SymbolTable, rules: Rules, chunk: usize) -> (Graph, NodeId) {
    let roles = Roles::of(symbols);
    let mut grower = Grower::new(rules);
    for part in events.chunks(chunk) {
        grower.push(part, &roles, &mut |_, _| {});
    }
    grower.finish(&mut |_, _| {})
}

/// Checks that no two nodes are equal, and that every node occurs.
fn assert_no_two_are_equal(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) {
    let counts = graph.occurrences(roots);
    assert!(counts.iter().all(|&count| count > 0));
    let mut seen = HashSet::new();
    for node in graph.nodes() {
        let content = (graph.kind(node), graph.label(node), graph.edges(node));
        assert!(seen.insert(content), "{content:?} occurs twice");
        for edge in graph.edges(node) {
            assert!(edge.node < node, "children come first");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn events_come_back(streams in prop::collection::vec(streams(), 1..4), rules in rules(),
        chunk in 1usize..50)
    {
        let mut symbols = SymbolTable::default();
        let events: Vec<_> = streams.iter().zip(0..)
            .map(|(stream, location)| own(&mut symbols, stream, location)).collect();
        let roles = Roles::of(&symbols);
        let grown: Vec<_> = events.iter().zip(0..).map(|(events, location)| {
            let (graph, root) = grow(events, &symbols, rules, chunk);
            assert_no_two_are_equal(&graph, [root]);
            (LocationId(location), graph, root)
        }).collect();
        let dag = Dag::merge(grown, &representatives(&symbols));
        let all = dag.roots.iter().map(|root| root.node);
        assert_no_two_are_equal(&dag.graph, all);
        let tree = dag.unshared();
        let sizes = dag.graph.tree_sizes();
        for ((root, events), in_tree) in dag.roots.iter().zip(&events).zip(&tree.roots) {
            prop_assert_eq!(dag.graph.length(root.node), events.len() as u64);
            prop_assert!(dag.events(*root, &roles).eq(events.iter().copied()));
            prop_assert!(tree.events(*in_tree, &roles).eq(events.iter().copied()));
            let visits = Visits::new(&dag.graph, root.node);
            let nodes = visits.filter(|visit| !matches!(visit, Visit::End(_))).count() as u64;
            prop_assert_eq!(sizes[root.node.index()], nodes + 1);
        }
        // In the tree, all nodes but roots are children of one edge.
        prop_assert_eq!(tree.graph.len(), tree.graph.all_edges().len() + tree.roots.len());
        let (before, after) = (dag.unshared().graph.tree_sizes(), &tree.graph);
        prop_assert_eq!(before, after.tree_sizes());
    }

    #[test]
    fn numbers_do_not_depend_on_the_order_of_reading(
        streams in prop::collection::vec(streams(), 1..5), first in 0usize..5)
    {
        let mut symbols = SymbolTable::default();
        let mut grown: Vec<_> = streams.iter().zip(0..).map(|(stream, location)| {
            let events = own(&mut symbols, stream, location);
            let (graph, root) = grow(&events, &symbols, Rules::default(), 100);
            (LocationId(location), graph, root)
        }).collect();
        let representatives = representatives(&symbols);
        let dag = Dag::merge(grown.clone(), &representatives);
        let first = first % grown.len();
        grown.rotate_left(first);
        let other = Dag::merge(grown.clone(), &representatives);
        grown.reverse();
        let third = Dag::merge(grown, &representatives);
        for other in [&other, &third] {
            prop_assert_eq!(&dag.roots, &other.roots);
            prop_assert_eq!(&dag.labels, &other.labels);
            prop_assert_eq!(dag.graph.len(), other.graph.len());
            for node in dag.graph.nodes() {
                prop_assert_eq!(dag.graph.edges(node), other.graph.edges(node));
                prop_assert_eq!(dag.graph.label(node), other.graph.label(node));
            }
        }
    }

    #[test]
    fn any_occurrence_is_found(stream in streams(), rules in rules()) {
        let mut symbols = SymbolTable::default();
        let events = own(&mut symbols, &stream, 0);
        let (graph, root) = grow(&events, &symbols, rules, 100);
        let counts = graph.occurrences([root]);
        let mut below = graph.below(root);
        below.sort();
        prop_assert!(below.into_iter().eq(graph.nodes().zip(counts.iter().copied())));
        for node in graph.nodes() {
            // A walk that knows all nodes on the path finds where the node begins.
            let expected = places(&graph, root, node);
            let found = Occurrences::new(&graph, |other| other == node);
            prop_assert_eq!(found.count(root), expected.len() as u64);
            prop_assert_eq!(counts[node.index()], expected.len() as u64);
            let positions = found.positions(root).map(|found| found.position);
            let positions: Vec<_> = positions.collect();
            prop_assert_eq!(&positions, &expected);
            for (number, &position) in expected.iter().enumerate() {
                let one = found.get(root, number as u64);
                prop_assert_eq!(one.map(|found| found.position), Some(position));
            }
            prop_assert_eq!(found.get(root, expected.len() as u64), None);
        }
    }

    #[test]
    fn folded_children_are_the_children(stream in streams(), max_body in 1usize..20) {
        let mut symbols = SymbolTable::default();
        let events = own(&mut symbols, &stream, 0);
        let (graph, _) = grow(&events, &symbols, Rules::default(), 100);
        let children = Children::folded(&graph, max_body);
        for node in graph.nodes() {
            if let Some(model) = children.model(node) {
                let all = graph.edges(node).iter().flat_map(|edge| {
                    std::iter::repeat_n(edge.node, edge.times() as usize)
                });
                let expanded = model.expand(children.table());
                prop_assert!(expanded.map(|symbol| children.node(symbol)).eq(all));
            }
        }
        prop_assert!(children.terms(&graph) <= graph.all_edges().len() as u64);
    }

    #[test]
    fn keys_are_equal_for_equal_nodes_only(a in program(), b in program()) {
        let mut symbols = SymbolTable::default();
        let [a, b] = [a, b].map(|stream| own(&mut symbols, &stream, 0));
        let label_keys: Vec<Key> = (0..symbols.len()).map(|label| {
            *blake3::hash(&label.to_le_bytes()).as_bytes()
        }).collect();
        let [a, b] = [a, b].map(|events| {
            let (graph, root) = grow(&events, &symbols, Rules::default(), 100);
            let keys = Keys::new(&graph, &label_keys);
            let distinct: HashSet<_> = keys.content.iter().collect();
            assert_eq!(distinct.len(), graph.len());
            (graph, keys, events, root)
        });
        prop_assert_eq!(a.1.content[a.3.index()] == b.1.content[b.3.index()], a.2 == b.2);
        let found = compare((&a.0, &a.1), (&b.0, &b.1));
        let both = found.common.len() + found.changed.len();
        prop_assert_eq!(both + found.only_before.len(), a.0.len());
        prop_assert_eq!(both + found.only_after.len(), b.0.len());
        for change in &found.changed {
            prop_assert_eq!(a.0.edges(change.before).len(), b.0.edges(change.after).len());
        }
    }
}

/// Returns the positions of a node, found by walking over everything above it.
fn places(graph: &Graph, root: NodeId, target: NodeId) -> Vec<u64> {
    fn walk(graph: &Graph, node: NodeId, target: NodeId, at: &mut u64, found: &mut Vec<u64>) {
        if node == target {
            found.push(*at);
            *at += graph.length(node);
            return;
        }
        for stretch in graph.stretches(node) {
            for _ in 0..stretch.times {
                *at += u64::from(stretch.begins);
                for edge in stretch.edges {
                    for _ in 0..edge.times() {
                        walk(graph, edge.node, target, at, found);
                    }
                }
                *at += u64::from(stretch.has_last);
            }
        }
    }
    let mut found = Vec::new();
    walk(graph, root, target, &mut 0, &mut found);
    found
}

/// The tree of figure 2 a of the paper is not given as text. This tree has the same ingredients: contiguous repeats,
/// equal subtrees that are apart, and a recursion.
#[test]
fn rules_compact_as_in_the_paper() {
    let mut symbols = SymbolTable::default();
    let leaf = [(2, 0)];
    let g = call(&leaf, 1);
    // f is nested in itself three times around g; the innermost f contains only a leaf.
    let mut f = call(&leaf, 0);
    for _ in 0..3 {
        let body = [&g[..], &f].concat();
        f = call(&body, 0);
    }
    let stream = [g.repeat(4), f.clone(), leaf.to_vec(), f].concat();
    let events = own(&mut symbols, &stream, 0);
    let counts = |rules: Rules| {
        let (graph, root) = grow(&events, &symbols, rules, 100);
        assert_eq!(graph.tree_sizes()[root.index()], 1 + 8 + 11 + 1 + 11);
        (graph.len(), graph.all_edges().len())
    };
    let all = Rules::default();
    // root → g ×4, f, leaf, f; f → g, f ×3 (recursive); f → leaf; g → leaf.
    assert_eq!(counts(all), (5, 8));
    let no_repeats = Rules {
        repeats: false,
        ..all
    };
    assert_eq!(counts(no_repeats), (5, 11));
    // Each level of f is a node of its own with two edges.
    let no_recursion = Rules {
        recursion: false,
        ..all
    };
    assert_eq!(counts(no_recursion), (7, 12));

    let (graph, root) = grow(&events, &symbols, all, 100);
    let kinds: Vec<_> = graph.edges(root).iter().map(|edge| edge.kind).collect();
    use EdgeKind::{Regular, Sequence};
    assert_eq!(kinds, [Sequence, Regular, Regular, Regular]);
    let f = graph.edges(root)[1].node;
    assert_eq!(graph.recursion(f).map(|edge| edge.repetitions), Some(3));
    assert_eq!(graph.length(f), 3 * (2 + 3) + 3);
}

#[test]
fn calls_left_out_of_order_end_with_the_calls_nested_in_them() {
    let mut symbols = SymbolTable::default();
    // Region 0 is left within region 1, region 2 is never left, and one call of region 2 is left that was never
    // entered.
    let stream = [
        (1, 2),
        (0, 0),
        (0, 1),
        (2, 0),
        (1, 0),
        (2, 1),
        (1, 1),
        (2, 2),
        (0, 2),
    ];
    let events = own(&mut symbols, &stream, 0);
    let (roles, mut oddities) = (Roles::of(&symbols), Vec::new());
    let mut grower = Grower::new(Rules::default());
    grower.push(&events, &roles, &mut |oddity, position| {
        oddities.push((oddity, position.0))
    });
    let (graph, root) = grower.finish(&mut |oddity, position| oddities.push((oddity, position.0)));
    assert_eq!(
        oddities,
        [
            (Oddity::NeverEntered, 0),
            (Oddity::Misnested, 4),
            (Oddity::NeverLeft, 8)
        ]
    );
    let kinds = graph.edges(root).iter().map(|edge| graph.kind(edge.node));
    use NodeKind::{Leaf, OpenCall};
    assert_eq!(kinds.collect::<Vec<_>>(), [Leaf, OpenCall, Leaf, OpenCall]);
}

#[test]
fn ten_thousand_calls_deep_and_back() {
    let mut symbols = SymbolTable::default();
    const DEPTH: u64 = 10_000;
    // All calls are of one region, or each call is of its own region.
    for regions in [1, DEPTH] {
        let down = (0..DEPTH).map(|i| (0, i % regions));
        let up = (0..DEPTH).rev().map(|i| (1, i % regions));
        let stream: Vec<_> = down.chain(up).collect();
        let event = |&(kind, region): &(u8, u64)| match kind {
            0 => enter(&mut symbols, region),
            _ => leave(&mut symbols, region),
        };
        let events: Vec<_> = stream.iter().map(event).collect();
        let roles = Roles::of(&symbols);
        let (graph, root) = grow(&events, &symbols, Rules::default(), 1000);
        let nodes = if regions == 1 { 3 } else { DEPTH + 1 };
        assert_eq!(graph.len() as u64, nodes);
        assert_eq!(graph.tree_sizes()[root.index()], DEPTH + 1);
        let representatives: Vec<_> = symbols.iter().map(|(id, _)| id).collect();
        let dag = Dag::merge(vec![(LocationId(0), graph, root)], &representatives);
        assert!(dag.events(dag.roots[0], &roles).eq(events));
        let deepest = Occurrences::new(&dag.graph, |node| node == NodeId(0));
        let found = deepest.get(dag.roots[0].node, 0);
        assert_eq!(found.map(|found| found.position), Some(DEPTH - 1));
        let terms = Children::folded(&dag.graph, DEFAULT_MAX_BODY).terms(&dag.graph);
        assert_eq!(terms, nodes - 1);
    }
}
