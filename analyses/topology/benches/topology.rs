//! Measures identifying the topology of a graph with any numbering of nodes (Xu et al., section 5.3), compared
//! with petgraph's VF2; the paper used VFlib.
//!
//! Inputs are grids, tori and 6-point stencils with sides of 4 to 64 nodes, renumbered at random. The paper's
//! test took 4,000 s for the stencil with a side of 23. `identify` is the whole identification, `exact` only the
//! last test for the right candidate, and VF2 the same, for graphs that it can process.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use foldtrace_topology::recognition::{Colored, Graph, Library, identify, isomorphism};
use petgraph::algo::is_isomorphic;
use petgraph::graph::UnGraph;

const RUNS: u64 = 3;
const FAMILIES: [&str; 3] = ["grid", "torus", "6-p stencil"];
/// The largest side of each family that VF2 can process within a few seconds.
const VF2: [usize; 3] = [16, 16, 8];

fn main() {
    println!(
        "Time of identifying topologies, renumbered at random; the worst of {RUNS} numberings\n"
    );
    println!(
        "{:<20} {:>6} {:>7} {:>12} {:>12} {:>12} {:>9}",
        "topology", "nodes", "edges", "identify", "exact", "VF2", "ratio"
    );
    for side in [4, 8, 16, 23, 32, 64] {
        for (family, most) in FAMILIES.iter().zip(VF2) {
            row(family, side, side <= most);
        }
    }
    println!();
    all(16);
    all(64);
    random(4096);
}

fn row(family: &str, side: usize, with_vf2: bool) {
    let library = Library::default();
    let name = format!("{side}x{side} {family}");
    let candidates = library.candidates(side * side);
    let candidate = candidates.iter().find(|candidate| candidate.name == name);
    let topology = candidate.expect("a topology of the library").build();
    let graph = topology.graph();
    let mut times = [Duration::ZERO; 3];
    for seed in 0..RUNS {
        let other = graph.renumbered(&permutation(graph.nodes(), seed));
        let whole = wall(|| {
            let found = identify(black_box(&other), &library);
            assert!(
                found
                    .isomorphic
                    .iter()
                    .any(|found| found.topology.name == name)
            );
        });
        let exact = wall(|| {
            let (one, other) = (Colored::plain(&other), Colored::plain(&graph));
            assert!(isomorphism(black_box(&one), &other).is_some());
        });
        let vf2 = if with_vf2 {
            vf2(&other, &graph)
        } else {
            Duration::ZERO
        };
        for (time, new) in times.iter_mut().zip([whole, exact, vf2]) {
            *time = (*time).max(new);
        }
    }
    let [whole, exact, vf2] = times.map(|time| 1e3 * time.as_secs_f64());
    let (vf2, ratio) = if with_vf2 {
        (format!("{vf2:.3} ms"), format!("{:.1}x", vf2 / exact))
    } else {
        ("-".to_owned(), "-".to_owned())
    };
    println!(
        "{name:<20} {:>6} {:>7} {whole:>9.3} ms {exact:>9.3} ms {vf2:>12} {ratio:>9}",
        graph.nodes(),
        graph.edges(),
    );
}

/// Measures every pattern of the library with this number of nodes.
fn all(nodes: usize) {
    let library = Library::default();
    let candidates = library.candidates(nodes);
    let graphs: Vec<Graph> = (0..)
        .zip(&candidates)
        .map(|(seed, candidate)| {
            let graph = candidate.build().graph();
            graph.renumbered(&permutation(nodes, seed))
        })
        .collect();
    let time = wall(|| {
        for graph in &graphs {
            black_box(identify(graph, &library));
        }
    });
    println!(
        "all {} patterns of {nodes} nodes: {:.1} ms",
        graphs.len(),
        1e3 * time.as_secs_f64()
    );
    random(nodes);
}

/// Measures a graph without a known topology.
fn random(nodes: usize) {
    let library = Library::default();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut node = || rng.u32(..nodes as u32);
    let random = Graph::new(
        nodes,
        (0..3 * nodes).map(|_| (node(), node())).collect::<Vec<_>>(),
    );
    let time = wall(|| assert!(identify(&random, &library).closest.is_some()));
    println!(
        "what comes closest to a random graph of {nodes} nodes: {:.1} ms",
        1e3 * time.as_secs_f64()
    );
}

fn vf2(one: &Graph, other: &Graph) -> Duration {
    let [one, other] = [one, other].map(|graph| {
        let mut result = UnGraph::<(), ()>::default();
        let nodes: Vec<_> = (0..graph.nodes()).map(|_| result.add_node(())).collect();
        for (from, to, _) in graph.iter() {
            result.add_edge(nodes[from as usize], nodes[to as usize], ());
        }
        result
    });
    wall(|| assert!(is_isomorphic(black_box(&one), &other)))
}

fn permutation(nodes: usize, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..nodes as u32).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
    numbers
}

fn wall(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
