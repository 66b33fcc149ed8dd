//! Describes the members of communicators for any number of processes.

use std::collections::HashMap;

use foldtrace_topology::recognition::{Rule, Topology};

use super::shape::Shape;

/// The members of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// All processes.
    World,
    /// The processes that agree in these coordinates, as the nodes of a row do.
    Coordinates(Vec<usize>),
    /// The processes with the same color, by node. The communicator exists only at the recorded number of processes.
    Colors(Vec<Option<u32>>),
}

impl Group {
    /// Returns the group of a communicator in which the nodes have these colors.
    #[must_use]
    pub fn from_colors(colors: &[Option<u32>], topology: &Topology) -> Self {
        let first = colors.first().copied().flatten();
        if first.is_some() && colors.iter().all(|color| *color == first) {
            return Self::World;
        }
        let has_coordinates = matches!(topology.rule, Rule::Mesh { .. } | Rule::Cliques);
        let dimensions = topology.dims.len();
        if has_coordinates && dimensions <= 8 && colors.iter().all(Option::is_some) {
            let subsets = (1..1_u32 << dimensions).map(|bits| {
                let chosen = (0..dimensions).filter(|dimension| bits >> dimension & 1 == 1);
                chosen.collect::<Vec<_>>()
            });
            let mut fitting = subsets.filter(|chosen| is_by_coordinates(colors, topology, chosen));
            if let Some(chosen) = fitting.next() {
                return Self::Coordinates(chosen);
            }
        }
        Self::Colors(colors.to_vec())
    }

    /// Returns the color of each node of a shape, or `None` if the communicator does not exist there.
    #[must_use]
    pub fn colors(&self, shape: &Shape, is_recorded: bool) -> Option<Vec<Option<u32>>> {
        let nodes = 0..shape.nodes();
        match self {
            Self::World => Some(nodes.map(|_| Some(0)).collect()),
            Self::Colors(colors) => is_recorded.then(|| colors.clone()),
            Self::Coordinates(chosen) => {
                let color = |node| {
                    let at = shape.coordinates(node);
                    let chosen = chosen.iter();
                    chosen.fold(0, |color, &index| color * shape.dims[index] + at[index])
                };
                Some(nodes.map(|node| Some(color(node))).collect())
            }
        }
    }
}

/// Returns whether nodes have the same color if and only if they agree in these coordinates.
fn is_by_coordinates(colors: &[Option<u32>], topology: &Topology, chosen: &[usize]) -> bool {
    let mut color_of: HashMap<Vec<u32>, Option<u32>> = HashMap::new();
    let mut place_of: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
    (0..).zip(colors).all(|(node, &color)| {
        let at = topology.coordinates(node);
        let place: Vec<u32> = chosen.iter().map(|&index| at[index]).collect();
        let same_color = *color_of.entry(place.clone()).or_insert(color) == color;
        same_color && *place_of.entry(color).or_insert_with(|| place.clone()) == place
    })
}
