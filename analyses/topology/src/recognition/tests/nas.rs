//! The communication of the NAS benchmarks.

use super::Graph;

/// NAS BT and SP: a periodic square mesh with two of the diagonal neighbours.
pub(super) fn bt(side: u32) -> Graph {
    let sends = (0..side * side).flat_map(|me| {
        let (row, column) = (me / side, me % side);
        let at = move |row: u32, column: u32| row % side * side + column % side;
        let (up, left) = (row + side - 1, column + side - 1);
        let to = [
            at(row, column + 1),
            at(row, left),
            at(row + 1, column),
            at(up, column),
            at(row + 1, left),
            at(up, column + 1),
        ];
        to.map(|to| (me, to))
    });
    Graph::new((side * side) as usize, sends)
}

/// NAS LU: a grid numbered along its rows, which have as many processes as there are rows, or twice as many.
pub(super) fn lu(nodes: u32) -> Graph {
    let power = nodes.ilog2();
    let length = 1 << (power / 2 + power % 2);
    let sends = (0..nodes).flat_map(|me| {
        let east = (me % length + 1 < length).then_some((me, me + 1));
        let south = (me + length < nodes).then_some((me, me + length));
        let ends = east.into_iter().chain(south);
        ends.flat_map(|(one, other)| [(one, other), (other, one)])
    });
    Graph::new(nodes as usize, sends)
}

/// NAS CG, transcribed literally.
pub(super) fn cg(nodes: u32) -> Graph {
    let power = nodes.ilog2();
    let columns = 1 << (power / 2 + power % 2);
    let rows = nodes / columns;
    let sends = (0..nodes).flat_map(|me| {
        let (row, column) = (me / columns, me % columns);
        let transposed = if columns == rows {
            me % rows * rows + me / rows
        } else {
            2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2
        };
        let mut to = vec![transposed];
        let mut factor = columns;
        while factor > 1 {
            to.push(row * columns + (column + factor / 2) % factor + column / factor * factor);
            factor /= 2;
        }
        to.into_iter().map(move |to| (me, to))
    });
    Graph::new(nodes as usize, sends)
}

/// NAS MG: a periodic mesh of three dimensions with sizes as equal as possible, x doubled first.
pub(super) fn mg(nodes: u32) -> Graph {
    let power = nodes.ilog2();
    let [x, y, z] = [0, 1, 2].map(|rank| 1 << ((power + 2 - rank) / 3));
    let sends = (0..nodes).flat_map(|me| {
        let at = [me % x, me / x % y, me / x / y];
        let steps = [0, 1, 2].into_iter().flat_map(move |axis| {
            let sizes = [x, y, z];
            [1, sizes[axis] - 1].map(|by| {
                let mut to = at;
                to[axis] = (to[axis] + by) % sizes[axis];
                (me, (to[2] * y + to[1]) * x + to[0])
            })
        });
        steps.collect::<Vec<_>>()
    });
    Graph::new(nodes as usize, sends)
}
