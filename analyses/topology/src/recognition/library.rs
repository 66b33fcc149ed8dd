//! Lists the candidates for the topology of a number of processes: the built-in patterns and user-defined ones.

use super::CustomPattern;
use super::candidate::{CLOSED, Candidate, OPEN, Shape, Stencil, cg_edges};
use super::factors::factorisations;

/// The arities of trees.
const ARITIES: [u32; 17] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 64];

/// The known patterns: the built-in patterns and user-defined ones.
#[derive(Clone, Debug, Default)]
pub struct Library {
    own: Vec<CustomPattern>,
}

impl Library {
    /// Adds user-defined patterns, which come before all others.
    #[must_use]
    pub fn with(mut self, patterns: Vec<CustomPattern>) -> Self {
        self.own.extend(patterns);
        self
    }

    /// Returns the possible topologies of a program with `nodes` processes, the simplest first. In a family with
    /// several sizes, those whose largest dimension is smallest come first.
    ///
    /// The candidates include wavefronts, which match only programs in which one of each two neighbours sends
    /// ([`Candidate::is_one_way`]).
    #[must_use]
    pub fn candidates(&self, nodes: usize) -> Vec<Candidate> {
        let Some(nodes) = u32::try_from(nodes).ok().filter(|&nodes| nodes > 0) else {
            return Vec::new();
        };
        let mut list = List {
            nodes,
            sizes: factorisations(nodes),
            found: Vec::new(),
        };
        list.found.extend(
            self.own
                .iter()
                .flat_map(|pattern| pattern.candidates(nodes)),
        );
        list.meshes();
        list.trees();
        list.stencils();
        list.cubes();
        list.found
    }
}

/// The candidates so far.
struct List {
    nodes: u32,
    sizes: Vec<Vec<u32>>,
    found: Vec<Candidate>,
}

impl List {
    /// Adds a candidate without dimensions.
    fn single(&mut self, family: &str, shape: Shape) {
        let candidate = Candidate::new(family, vec![self.nodes], shape);
        self.found.push(candidate);
    }

    /// Adds a candidate for each product of sizes that fits.
    fn each(&mut self, family: &str, shape: &Shape, is_fit: impl Fn(&[u32]) -> bool) {
        let sizes = self.sizes.iter().filter(|sizes| is_fit(sizes));
        let candidates = sizes.map(|sizes| Candidate::new(family, sizes.clone(), shape.clone()));
        self.found.extend(candidates);
    }

    fn meshes(&mut self) {
        let axes = |is_periodic| Shape::Mesh(is_periodic, Stencil::Axes);
        self.single("line", axes(OPEN));
        if self.nodes > 2 {
            self.single("ring", axes(CLOSED));
        }
        self.each("wavefront", &Shape::Wavefront, |sizes| sizes.len() <= 3);
        self.each("grid", &axes(OPEN), |_| true);
        // A dimension of two nodes has one edge, whether it is periodic or not.
        self.each("torus", &axes(CLOSED), |sizes| sizes[0] > 2);
    }

    fn trees(&mut self) {
        if self.nodes > 3 {
            self.single("star", Shape::Star);
        }
        // With a larger arity, all other nodes are children of the first one, which is a star.
        let nodes = self.nodes;
        let arities = || ARITIES.into_iter().filter(move |&arity| arity + 1 < nodes);
        for arity in arities() {
            let family = match arity {
                2 => "binary tree".to_owned(),
                _ => format!("{arity}-ary tree"),
            };
            self.single(&family, Shape::Tree(arity));
        }
        for arity in arities() {
            self.single(&format!("{arity}-ary merge tree"), Shape::MergeTree(arity));
        }
    }

    fn stencils(&mut self) {
        if self.nodes > 2 {
            self.single("all-to-all", Shape::Cliques);
        }
        if cg_edges(self.nodes).is_some() {
            self.single("CG stencil", Shape::Cg);
        }
        for (is_periodic, word) in [(CLOSED, ""), (OPEN, "open ")] {
            for (stencil, name, dimensions) in [
                (Stencil::Six, "6-p stencil", 2..=2),
                (Stencil::Eight, "8-p stencil", 2..=3),
                (Stencil::TwentySix, "26-p stencil", 3..=3),
            ] {
                let shape = Shape::Mesh(is_periodic, stencil);
                let is_fit = |sizes: &[u32]| dimensions.contains(&sizes.len());
                self.each(&format!("{word}{name}"), &shape, is_fit);
            }
        }
    }

    fn cubes(&mut self) {
        if self.nodes > 2 && self.nodes.is_power_of_two() {
            let sizes = vec![2; self.nodes.ilog2() as usize];
            self.found.push(Candidate {
                name: format!("{} hypercube", self.nodes),
                family: "hypercube".to_owned(),
                dims: sizes,
                shape: Shape::Mesh(CLOSED, Stencil::Axes),
            });
        }
        self.each("butterfly", &Shape::Cliques, |_| true);
    }
}
