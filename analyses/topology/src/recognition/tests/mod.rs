//! Tests of identification: table 7 of the paper, random numberings, and graphs that almost match a topology.

mod nas;

use petgraph::algo::is_isomorphic;
use petgraph::graph::UnGraph;
use proptest::prelude::*;

use super::isomorphism::is_isomorphism;
use super::*;
use nas::{bt, cg, lu, mg};

fn identified(graph: &Graph) -> Identification {
    identify(graph, &Library::default())
}

fn names(matches: &[Match]) -> Vec<&str> {
    matches.iter().map(|found| &*found.topology.name).collect()
}

/// Checks that every match is an isomorphism, edge by edge.
fn check(graph: &Graph, found: &Identification) {
    for Match { topology, nodes } in &found.isomorphic {
        let other = topology.graph();
        assert_eq!(graph.edges(), other.edges());
        for (one, two, flow) in graph.iter() {
            let (one, two) = (nodes[one as usize], nodes[two as usize]);
            assert!(topology.direction(one, two).is_some(), "{}", topology.name);
            let mut edges = other.edges_of(one);
            let same = edges.any(|edge| edge == (two, flow));
            assert!(same || !topology.is_one_way());
        }
        let mut nodes = nodes.clone();
        nodes.sort_unstable();
        assert!((0..graph.nodes() as u32).eq(nodes));
    }
    assert_eq!(found.isomorphic.is_empty(), found.closest.is_some());
}

fn built(nodes: usize, name: &str) -> Topology {
    let candidates = Library::default().candidates(nodes);
    let found = candidates.iter().find(|candidate| candidate.name == name);
    found.unwrap().build()
}

fn permutation(nodes: usize, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..nodes as u32).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
    numbers
}

/// The rows of table 7 (Xu et al.): the candidates left after the last test.
#[test]
fn table_7_comes_out() {
    let six = |side: u32| vec![format!("{side}x{side} 6-p stencil")];
    let list = |names: &str| names.split(", ").map(str::to_owned).collect::<Vec<_>>();
    let both = "4x2 grid, 8 CG stencil";
    let mut rows: Vec<(String, Graph, Vec<String>)> = [3, 4, 6, 8, 11]
        .map(|side| (format!("BT {side}"), bt(side), six(side)))
        .into();
    let grids = [
        (8, both),
        (16, "4x4 grid"),
        (32, "8x4 grid"),
        (64, "8x8 grid"),
        (128, "16x8 grid"),
    ];
    rows.extend(grids.map(|(nodes, names)| (format!("LU {nodes}"), lu(nodes), list(names))));
    for nodes in [8, 16, 32, 64, 128] {
        let names = if nodes == 8 {
            both.to_owned()
        } else {
            format!("{nodes} CG stencil")
        };
        rows.push((format!("CG {nodes}"), cg(nodes), list(&names)));
    }
    let cubes = [
        (8, "2x2x2 grid, 4x2 torus"),
        (16, "2x2x2x2 grid, 4x2x2 torus, 4x4 torus"),
        (32, "2x2x2x2x2 grid, 4x2x2x2 torus, 4x4x2 torus"),
        (
            64,
            "2x2x2x2x2x2 grid, 4x2x2x2x2 torus, 4x4x2x2 torus, 4x4x4 torus",
        ),
        (128, "8x2x2x2x2 torus, 8x4x2x2 torus, 8x4x4 torus"),
    ];
    rows.extend(cubes.map(|(nodes, names)| (format!("MG {nodes}"), mg(nodes), list(names))));
    for (row, graph, expected) in rows {
        for graph in [graph.renumbered(&permutation(graph.nodes(), 7)), graph] {
            let found = identified(&graph);
            check(&graph, &found);
            let mut names = names(&found.isomorphic).into_iter().filter(|name| {
                // These families are not in the paper's library.
                !["hypercube", "butterfly", "all-to-all", "open"]
                    .iter()
                    .any(|word| name.contains(word))
            });
            assert!(
                names.by_ref().eq(expected.iter().map(String::as_str)),
                "{row}: {:?}",
                found
            );
            assert!(found.undecided.is_empty());
        }
    }
}

/// Candidates that pass the simple tests in table 7, although the topology is a different one.
#[test]
fn simple_tests_leave_what_the_paper_says() {
    let has = |graph: &Graph, name: &str| identified(graph).simple.iter().any(|n| n == name);
    assert!(has(&cg(16), "8x2 grid") && has(&cg(32), "8x2x2 grid"));
    assert!(has(&cg(64), "16x2x2 grid") && has(&cg(128), "16x2x2x2 grid"));
    assert!(has(&mg(64), "8x8 6-p stencil") && has(&bt(8), "2x2x2x2x2x2 grid"));
    assert!(has(&bt(6), "4x3x3 torus") && has(&bt(6), "3x3x2x2 torus"));
    let found = identified(&cg(16));
    assert_eq!(cg(16).edges(), 22);
    assert_eq!(found.spectrum, ["16 CG stencil"]);
}

#[test]
fn small_programs_are_identified() {
    let is = |nodes, edges: &[(u32, u32)]| {
        let graph = Graph::new(nodes, edges.iter().copied());
        let found = identified(&graph);
        names(&found.isomorphic).join(", ")
    };
    assert_eq!(is(1, &[]), "1 line");
    assert_eq!(is(2, &[(1, 0)]), "2 line");
    assert_eq!(is(3, &[(0, 1), (0, 2)]), "3 line");
    assert_eq!(is(3, &[(0, 1), (0, 2), (1, 2)]), "3 ring, 3 all-to-all");
    assert_eq!(is(0, &[]), "");
    assert_eq!(is(2, &[]), "");
}

#[test]
fn wavefronts_are_one_way() {
    let sends = |is_up| {
        let edges = lu(16)
            .iter()
            .map(|(one, two, _)| (one, two))
            .collect::<Vec<_>>();
        edges
            .into_iter()
            .map(move |(one, two)| if is_up { (one, two) } else { (two, one) })
    };
    for graph in [Graph::new(16, sends(true)), Graph::new(16, sends(false))] {
        let found = identified(&graph);
        check(&graph, &found);
        assert_eq!(names(&found.isomorphic), ["4x4 wavefront", "4x4 grid"]);
    }
    // With one edge reversed, the graph is a grid, but not a wavefront.
    let twisted = sends(true).map(|(one, two)| {
        if (one, two) == (0, 4) {
            (4, 0)
        } else {
            (one, two)
        }
    });
    assert_eq!(
        names(&identified(&Graph::new(16, twisted)).isomorphic),
        ["4x4 grid"]
    );
}

/// Processes that are numbered by coordinates, in either order, keep their numbers.
#[test]
fn usual_numberings_are_preferred() {
    let grid = built(16, "8x2 grid");
    let found = identified(&grid.graph());
    assert!(found.isomorphic[0].nodes.iter().copied().eq(0..16));
    let columns: Vec<u32> = (0..16).map(|node| node % 2 * 8 + node / 2).collect();
    let found = identified(&grid.graph().renumbered(&columns));
    assert_eq!(found.isomorphic[0].topology, grid);
    let nodes = &found.isomorphic[0].nodes;
    assert!((0..16_u32).all(|node| columns[nodes[node as usize] as usize] == node));
}

#[test]
fn directions_have_their_reverse() {
    for nodes in 1..=36 {
        for candidate in Library::default().candidates(nodes) {
            let topology = candidate.build();
            let name = &topology.name;
            assert_eq!(topology.nodes(), nodes);
            let edges = topology.graph().edges();
            assert_eq!(candidate.edges(), edges as u64, "{name}");
            for node in 0..nodes as u32 {
                for &(direction, to) in topology.neighbours(node) {
                    let back = topology.direction(to, node).unwrap();
                    let reverse = &topology.directions[direction.0 as usize].reverse;
                    assert!(reverse.contains(&back), "{name}: {node} {to}");
                }
            }
            if let Rule::Mesh { offsets, .. } = &topology.rule {
                assert_eq!(offsets.len(), topology.directions.len());
            }
            let names: Vec<String> = topology.directions.iter().map(Direction::name).collect();
            let unique: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{name}: {names:?}");
        }
    }
}

#[test]
fn directions_have_the_usual_names() {
    let directions = |nodes, name| {
        let directions = built(nodes, name).directions;
        let names: Vec<String> = directions.iter().map(Direction::name).collect();
        names.join(" ")
    };
    assert_eq!(directions(16, "4x4 grid"), "+x -x +y -y");
    assert_eq!(directions(16, "4x2x2 torus"), "x y +z -z");
    assert_eq!(directions(16, "4x4 6-p stencil"), "+x -x +y -y +x-y -x+y");
    assert_eq!(directions(16, "8x2 6-p stencil"), "x +y -y x-y x+y");
    assert_eq!(
        directions(27, "3x3x3 8-p stencil"),
        "+x -x +y -y +z -z +x+y+z -x-y-z"
    );
    assert_eq!(directions(27, "3x3x3 26-p stencil").split(' ').count(), 26);
    assert_eq!(directions(4, "4 all-to-all"), "+x 0 +x 1 +x 2");
    assert_eq!(directions(6, "3x2 butterfly"), "x +y 0 +y 1");
    assert_eq!(directions(7, "7 binary tree"), "parent child 0 child 1");
    assert_eq!(
        directions(8, "8 2-ary merge tree"),
        "parent child 0 child 1 child 2"
    );
    assert_eq!(directions(4, "4 star"), "centre worker 0 worker 1 worker 2");
    assert_eq!(
        directions(16, "16 CG stencil"),
        "partner 0 partner 1 transposed"
    );
    assert_eq!(directions(64, "2x2x2x2x2x2 butterfly"), "x y z w d5 d6");
}

#[test]
fn a_pattern_of_your_own_comes_first() {
    let text = "name = 'own'\nsizes = [4, 4]\nperiodic = true\noffsets = [[0, 1], [1, 0]]";
    let library = Library::default().with(vec![CustomPattern::parse(text).unwrap()]);
    let found = identify(&mg(16).renumbered(&permutation(16, 3)), &library);
    assert_eq!(names(&found.isomorphic)[..2], ["4x4 own", "2x2x2x2 grid"]);
}

#[test]
fn meshes_of_more_nodes_than_have_eigenvalues() {
    for name in [
        "26x20 torus",
        "26x20 grid",
        "26x20 6-p stencil",
        "520 binary tree",
    ] {
        let topology = built(520, name);
        let graph = topology.graph().renumbered(&permutation(520, 1));
        let found = identified(&graph);
        check(&graph, &found);
        assert_eq!(names(&found.isomorphic), [name]);
        assert_eq!(found.spectrum, [name]);
    }
}

/// Strongly regular graphs with the same spectrum, which refinement alone cannot distinguish.
#[test]
fn the_hardest_small_graphs_are_distinguished() {
    // The Shrikhande graph, and the 4x4 rook's graph, which is a butterfly.
    let text =
        "name = 'Shrikhande'\nsizes = [4, 4]\nperiodic = true\noffsets = [[0, 1], [1, 0], [1, 1]]";
    let shrikhande = CustomPattern::parse(text).unwrap();
    let rook = built(16, "4x4 butterfly").graph();
    let library = Library::default().with(vec![shrikhande]);
    let found = identify(&rook.renumbered(&permutation(16, 5)), &library);
    assert_eq!(found.spectrum[0], "4x4 Shrikhande");
    assert_eq!(names(&found.isomorphic), ["4x4 butterfly"]);
    assert!(found.undecided.is_empty());
}

fn oracle(one: &Graph, other: &Graph) -> bool {
    let [one, other] = [one, other].map(|graph| {
        let mut result = UnGraph::<(), ()>::default();
        let nodes: Vec<_> = (0..graph.nodes()).map(|_| result.add_node(())).collect();
        for (from, to, _) in graph.iter() {
            result.add_edge(nodes[from as usize], nodes[to as usize], ());
        }
        result
    });
    is_isomorphic(&one, &other)
}

fn graph(nodes: usize, bits: u64) -> Graph {
    let pairs = (0..nodes as u32).flat_map(|to| (0..to).map(move |from| (from, to)));
    let edges = pairs.enumerate().filter(|(n, _)| bits >> n & 1 == 1);
    Graph::new(nodes, edges.map(|(_, edge)| edge).collect::<Vec<_>>())
}

/// Compares pairs of graphs of 5 nodes.
#[test]
fn small_graphs_are_what_the_oracle_says() {
    let graphs: Vec<Graph> = (0..1024).step_by(3).map(|bits| graph(5, bits)).collect();
    for one in graphs.iter().step_by(7) {
        for other in &graphs {
            let found = isomorphism(&Colored::plain(one), &Colored::plain(other));
            assert_eq!(found.is_some(), oracle(one, other), "{one:?} {other:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbering_of_a_topology_is_identified(nodes in 1..40_usize, index: prop::sample::Index, seed: u64) {
        let candidates = Library::default().candidates(nodes);
        let topology = index.get(&candidates).build();
        let graph = topology.graph().renumbered(&permutation(nodes, seed));
        let found = identified(&graph);
        check(&graph, &found);
        prop_assert!(names(&found.isomorphic).contains(&&*topology.name), "{}", topology.name);
    }

    #[test]
    fn random_graphs_are_what_the_oracle_says(nodes in 1..8_usize, one: u64, two: u64, seed: u64) {
        let [first, second] = [one, two].map(|bits| graph(nodes, bits));
        let found = isomorphism(&Colored::plain(&first), &Colored::plain(&second));
        prop_assert_eq!(found.is_some(), oracle(&first, &second));
        let again = first.renumbered(&permutation(nodes, seed));
        let (first, again) = (Colored::plain(&first), Colored::plain(&again));
        let nodes = isomorphism(&first, &again).unwrap();
        prop_assert!(is_isomorphism(&first, &again, &nodes));
    }

    #[test]
    fn graphs_with_a_moved_edge_match_only_if_isomorphic(nodes in 4..25_usize, index: prop::sample::Index, seed: u64) {
        let candidates = Library::default().candidates(nodes);
        let topology = index.get(&candidates).build();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut edges: Vec<(u32, u32)> = topology.graph().iter().map(|(one, two, _)| (one, two)).collect();
        let moved = rng.usize(..edges.len());
        edges[moved] = (rng.u32(..nodes as u32), rng.u32(..nodes as u32));
        let graph = Graph::new(nodes, edges).renumbered(&permutation(nodes, seed));
        let found = identified(&graph);
        check(&graph, &found);
        let is_same = names(&found.isomorphic).contains(&&*topology.name);
        if topology.is_one_way() || nodes > 12 {
            return Ok(());
        }
        prop_assert_eq!(is_same, oracle(&graph, &topology.graph()));
    }

    #[test]
    fn colours_have_to_fit(nodes in 2..8_usize, bits: u64, colors: u64, seed: u64) {
        let graph = graph(nodes, bits);
        let color = |from: u32, to: u32| (colors >> ((from * 8 + to) % 60) & 1) as u32;
        let numbers = permutation(nodes, seed);
        let again = graph.renumbered(&numbers);
        let mut back = vec![0; nodes];
        for (node, &number) in (0..).zip(&numbers) {
            back[number as usize] = node;
        }
        let one = Colored::by(&graph, color);
        let other = Colored::by(&again, |from, to| color(back[from as usize], back[to as usize]));
        let found = isomorphism(&one, &other).unwrap();
        prop_assert!(is_isomorphism(&one, &other, &found));
        let fixed = [(0, numbers[0])];
        prop_assert_eq!(isomorphism_from(&one, &other, &fixed).unwrap()[0], numbers[0]);
        // With other colours, an isomorphism exists exactly if a permutation preserves the colours.
        let other = Colored::by(&again, |from, to| color(to, from));
        let found = isomorphism(&one, &other);
        prop_assert_eq!(found.is_some(), any(nodes, |nodes| is_isomorphism(&one, &other, nodes)));
    }
}

/// Returns whether any permutation is right.
fn any(nodes: usize, is_right: impl Fn(&[u32]) -> bool) -> bool {
    fn extend(nodes: usize, order: &mut Vec<u32>, is_right: &impl Fn(&[u32]) -> bool) -> bool {
        if order.len() == nodes {
            return is_right(order);
        }
        (0..nodes as u32).any(|node| {
            if order.contains(&node) {
                return false;
            }
            order.push(node);
            let found = extend(nodes, order, is_right);
            order.pop();
            found
        })
    }
    extend(nodes, &mut Vec::new(), &is_right)
}
