//! Builds the topology of NAS CG.

use super::super::{DirectionId, Rule, Topology};
use super::{named, numbered};

/// The rows and columns of processes: as many columns as rows, or twice as many.
#[derive(Clone, Copy)]
struct Layout {
    rows: u32,
    columns: u32,
}

impl Layout {
    /// Returns the layout of a power of two, from 4.
    fn new(nodes: u32) -> Option<Self> {
        let is_some = nodes >= 4 && nodes.is_power_of_two();
        let rows = 1 << (nodes.checked_ilog2()? / 2);
        let columns = nodes / rows;
        is_some.then_some(Self { rows, columns })
    }

    const fn partners(self) -> u32 {
        self.columns.trailing_zeros()
    }

    /// Returns the number of columns per row: 1 or 2.
    const fn width(self) -> u32 {
        self.columns / self.rows
    }

    /// Returns the process that has the transposed part of the matrix.
    const fn transposed(self, node: u32) -> u32 {
        let (block, rest) = (node / self.width(), node % self.width());
        self.width() * (block % self.rows * self.rows + block / self.rows) + rest
    }
}

/// Returns the number of edges, if the pattern exists for this number of nodes.
pub(in super::super) fn edges(nodes: u32) -> Option<u64> {
    let layout = Layout::new(nodes)?;
    let ends = u64::from(nodes) * u64::from(layout.partners() + 1);
    Some((ends - u64::from(layout.columns)) / 2)
}

pub(super) fn build(names: (String, String), nodes: u32) -> Topology {
    let (mut neighbours, mut directions) = (Vec::new(), Vec::new());
    if let Some(layout) = Layout::new(nodes) {
        let own = |index| vec![DirectionId(index)];
        let partners = layout.partners();
        directions.extend((0..partners).map(|index| numbered("partner", index, own(index))));
        directions.push(named("transposed", own(partners)));
        for node in 0..nodes {
            let partner = |index| (node, DirectionId(index), node ^ 1 << index);
            neighbours.extend((0..partners).map(partner));
            neighbours.push((node, DirectionId(partners), layout.transposed(node)));
        }
    }
    Topology::new(names, vec![nodes], Rule::Cg, directions, neighbours)
}
