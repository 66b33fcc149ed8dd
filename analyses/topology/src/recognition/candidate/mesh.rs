//! Builds meshes with different stencils: grids, tori, and meshes with diagonal neighbours.

use super::super::{Direction, DirectionId, Rule, Topology};
use super::named;

/// The neighbours of a node of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Stencil {
    /// The nodes one step away in one dimension.
    Axes,
    /// In two dimensions: the nodes one step away in one dimension, and two diagonal ones, as in NAS BT and SP.
    Six,
    /// In two dimensions: all surrounding nodes. In three: the nodes one step away in one dimension or in all three.
    Eight,
    /// In three dimensions: all surrounding nodes.
    TwentySix,
}

impl Stencil {
    /// Returns the offsets to all neighbours in a mesh with the given number of dimensions. Opposite offsets are next
    /// to each other.
    pub(super) fn offsets(self, dimensions: usize) -> Vec<Vec<i32>> {
        let axes = (0..dimensions).rev().flat_map(|axis| {
            let step = |by| {
                let mut offset = vec![0; dimensions];
                offset[axis] = by;
                offset
            };
            [step(1), step(-1)]
        });
        axes.chain(self.corners(dimensions)).collect()
    }

    fn corners(self, dimensions: usize) -> Vec<Vec<i32>> {
        let ahead: Vec<Vec<i32>> = match (self, dimensions) {
            (Self::Six, 2) => vec![vec![-1, 1]],
            (Self::Eight, 2) => vec![vec![1, 1], vec![-1, 1]],
            (Self::Eight, 3) => vec![vec![1, 1, 1]],
            (Self::TwentySix, 3) => all_corners(),
            _ => Vec::new(),
        };
        let both = ahead.into_iter().flat_map(|offset| {
            let back = opposite(&offset);
            [offset, back]
        });
        both.collect()
    }
}

/// Returns one of each pair of opposite corners and edges of a cube, edges first.
fn all_corners() -> Vec<Vec<i32>> {
    let steps = [1, 0, -1];
    let all = steps.into_iter().flat_map(|x| {
        steps
            .into_iter()
            .flat_map(move |y| steps.into_iter().map(move |z| vec![z, y, x]))
    });
    let is_ahead = |offset: &Vec<i32>| offset.iter().rev().find(|&&step| step != 0) == Some(&1);
    let zeros = |offset: &Vec<i32>| offset.iter().filter(|&&step| step == 0).count();
    let mut ahead: Vec<Vec<i32>> = all
        .filter(|offset| is_ahead(offset) && zeros(offset) < 2)
        .collect();
    ahead.sort_by_key(|offset| std::cmp::Reverse(zeros(offset)));
    ahead
}

/// Returns the offset in the opposite direction.
pub(in super::super) fn opposite(offset: &[i32]) -> Vec<i32> {
    offset.iter().map(|&step| step.wrapping_neg()).collect()
}

/// A mesh with the offsets to the neighbours of its nodes; each neighbour has one offset.
pub(super) struct Mesh<'a> {
    sizes: &'a [u32],
    is_periodic: bool,
    offsets: Vec<Vec<i32>>,
}

impl<'a> Mesh<'a> {
    /// Creates a mesh in which nodes have neighbours at `offsets`. Offsets that lead to no other node are left out.
    /// If several offsets lead to the same node around a periodic mesh, only the first is kept.
    pub(super) fn new(
        sizes: &'a [u32],
        is_periodic: bool,
        offsets: impl IntoIterator<Item = Vec<i32>>,
    ) -> Self {
        let mut mesh = Self {
            sizes,
            is_periodic,
            offsets: Vec::new(),
        };
        for offset in offsets {
            let Some(offset) = mesh.shortest(&offset) else {
                continue;
            };
            if !mesh.offsets.contains(&offset) {
                mesh.offsets.push(offset);
            }
        }
        mesh
    }

    /// Returns the shortest offset to the same node, if that is another node.
    fn shortest(&self, offset: &[i32]) -> Option<Vec<i32>> {
        let steps = offset.iter().zip(self.sizes).map(|(&step, &size)| {
            let (step, size) = (i64::from(step), i64::from(size));
            if !self.is_periodic {
                return (step.abs() < size).then_some(step as i32);
            }
            let ahead = step.rem_euclid(size);
            let is_short = 2 * ahead <= size;
            Some(if is_short { ahead } else { ahead - size } as i32)
        });
        let steps = steps.collect::<Option<Vec<i32>>>();
        steps.filter(|steps| steps.iter().any(|&step| step != 0))
    }

    /// Returns the number of edges.
    pub(super) fn edges(&self) -> u64 {
        let ends = self.offsets.iter().map(|offset| {
            let starts = offset.iter().zip(self.sizes).map(|(&step, &size)| {
                let outside = if self.is_periodic {
                    0
                } else {
                    step.unsigned_abs()
                };
                u64::from(size - outside)
            });
            starts.product::<u64>()
        });
        ends.sum::<u64>() / 2
    }

    pub(super) fn build(self, name: String, family: String) -> Topology {
        let mut neighbours = Vec::new();
        let nodes: u32 = self.sizes.iter().product();
        let mut at = vec![0; self.sizes.len()];
        for node in 0..nodes {
            for (direction, offset) in (0..).zip(&self.offsets) {
                if let Some(to) = self.to(&at, offset) {
                    neighbours.push((node, DirectionId(direction), to));
                }
            }
            self.advance(&mut at);
        }
        let directions = self.offsets.iter().map(|offset| self.direction(offset));
        let directions = directions.collect();
        let rule = Rule::Mesh {
            is_periodic: self.is_periodic,
            offsets: self.offsets,
        };
        let dims = self.sizes.to_vec();
        Topology::new((name, family), dims, rule, directions, neighbours)
    }

    /// Returns the node at an offset from the coordinates `at`.
    fn to(&self, at: &[u32], offset: &[i32]) -> Option<u32> {
        let mut steps = at.iter().zip(offset).zip(self.sizes);
        steps.try_fold(0, |node, ((&at, &step), &size)| {
            let (to, size) = (i64::from(at) + i64::from(step), i64::from(size));
            let is_inside = self.is_periodic || (0..size).contains(&to);
            is_inside.then(|| node * size as u32 + to.rem_euclid(size) as u32)
        })
    }

    /// Advances to the coordinates of the next node.
    fn advance(&self, at: &mut [u32]) {
        for (at, &size) in at.iter_mut().zip(self.sizes).rev() {
            *at += 1;
            if *at < size {
                return;
            }
            *at = 0;
        }
    }

    fn direction(&self, offset: &[i32]) -> Direction {
        let reverse = self.shortest(&opposite(offset));
        let reverse = self
            .offsets
            .iter()
            .position(|o| Some(o) == reverse.as_ref());
        let reverse = reverse.map(|index| DirectionId(index as u32));
        named(&self.sort(offset), reverse.into_iter().collect())
    }

    /// Returns the name of an offset: `+x`, `-y`, `+x-y`, `+2x`; without a sign if both ways lead to the same node.
    fn sort(&self, offset: &[i32]) -> String {
        let axes = offset.iter().zip(self.sizes).rev().enumerate();
        let words = axes
            .filter(|&(_, (&step, _))| step != 0)
            .map(|(axis, (&step, &size))| {
                let is_half =
                    self.is_periodic && 2 * u64::from(step.unsigned_abs()) == u64::from(size);
                let sign = if is_half {
                    ""
                } else if step > 0 {
                    "+"
                } else {
                    "-"
                };
                let steps = match step.unsigned_abs() {
                    1 => String::new(),
                    steps => steps.to_string(),
                };
                format!("{sign}{steps}{}", axis_name(axis))
            });
        words.collect()
    }
}

/// Returns the name of an axis; axis 0 varies fastest.
pub(super) fn axis_name(axis: usize) -> String {
    match ["x", "y", "z", "w"].get(axis) {
        Some(&name) => name.to_owned(),
        None => format!("d{}", axis + 1),
    }
}
