//! Traces of programs that communicate as the NAS benchmarks BT and MG do, as texts.

use std::fmt::Write;

/// What a process does next.
#[derive(Clone, Copy)]
enum Step {
    Send { to: usize, tag: usize, bytes: usize },
    Receive { from: usize, tag: usize },
    All(&'static str),
}

fn written(processes: &[Vec<Step>]) -> String {
    let mut trace = String::new();
    for (rank, steps) in processes.iter().enumerate() {
        for step in steps {
            let _ = match step {
                Step::Send { to, tag, bytes } => {
                    writeln!(trace, "{rank} isend {to} {tag} bytes={bytes}")
                }
                Step::Receive { from, tag } => writeln!(trace, "{from} irecv {rank} {tag}"),
                Step::All(name) => writeln!(trace, "{rank} sync {name} 0-{}", processes.len() - 1),
            };
        }
    }
    trace
}

/// A process of BT: which cell of each slice it has, and its neighbours in x, y, and across.
struct Partition {
    cells: Vec<[usize; 3]>,
    before: [usize; 3],
    after: [usize; 3],
}

impl Partition {
    fn new(rank: usize, side: usize) -> Self {
        let (i, j) = (rank % side, rank / side);
        let (next, last) = ((i + 1) % side, (i + side - 1) % side);
        let (up, down) = ((j + 1) % side, (j + side - 1) % side);
        let cells = (0..side).map(|cell| [(i + cell) % side, (j + side - cell) % side, cell]);
        Self {
            cells: cells.collect(),
            before: [last + side * j, i + side * down, next + side * down],
            after: [next + side * j, i + side * up, last + side * up],
        }
    }

    /// What the tag of a message from the cell in a slice depends on.
    fn offset(&self, dimension: usize, slice: usize) -> usize {
        let mut cells = self.cells.iter();
        let cell = cells.find(|cell| cell[dimension] == slice).unwrap();
        let others: Vec<usize> = (0..3)
            .filter(|&it| it != dimension)
            .map(|it| cell[it])
            .collect();
        others[0] + self.cells.len() * others[1]
    }
}

/// BT on `side` x `side` processes: faces are exchanged with six neighbours; then there is a sweep forward and back
/// in each dimension, whose tags are made of the coordinates of cells.
pub fn bt(side: usize, iterations: usize) -> String {
    let all: Vec<Partition> = (0..side * side)
        .map(|rank| Partition::new(rank, side))
        .collect();
    let processes = all.iter().map(|own| {
        let mut steps = vec![Step::All("MPI_Bcast")];
        for _ in 0..iterations {
            faces(own, &mut steps);
            for dimension in 0..3 {
                sweeps(own, &all, dimension, &mut steps);
            }
        }
        steps.push(Step::All("MPI_Allreduce"));
        steps
    });
    written(&processes.collect::<Vec<_>>())
}

fn faces(own: &Partition, steps: &mut Vec<Step>) {
    for dimension in 0..3 {
        let ends = [(own.after, 2000), (own.before, 3000)];
        steps.extend(ends.map(|(to, tag)| Step::Send {
            to: to[dimension],
            tag: tag + 2000 * dimension,
            bytes: 800,
        }));
    }
    for dimension in 0..3 {
        let ends = [(own.after, 3000), (own.before, 2000)];
        steps.extend(ends.map(|(from, tag)| Step::Receive {
            from: from[dimension],
            tag: tag + 2000 * dimension,
        }));
    }
}

fn sweeps(own: &Partition, all: &[Partition], dimension: usize, steps: &mut Vec<Step>) {
    let (before, after) = (own.before[dimension], own.after[dimension]);
    let slices = own.cells.len();
    let tag = |first: usize, from: &Partition, slice| {
        first + 2000 * dimension + from.offset(dimension, slice)
    };
    for slice in 0..slices {
        if slice > 0 {
            let tag = tag(3000, &all[before], slice - 1);
            steps.push(Step::Receive { from: before, tag });
        }
        if slice + 1 < slices {
            let tag = tag(3000, own, slice);
            steps.push(Step::Send {
                to: after,
                tag,
                bytes: 400,
            });
        }
    }
    for slice in (0..slices).rev() {
        if slice + 1 < slices {
            let tag = tag(2000, &all[after], slice + 1);
            steps.push(Step::Receive { from: after, tag });
        }
        if slice > 0 {
            let tag = tag(2000, own, slice);
            steps.push(Step::Send {
                to: before,
                tag,
                bytes: 400,
            });
        }
    }
}

/// A process of MG at one level: its neighbours in each dimension, before and after, and how many points it has in
/// each dimension, with the borders; 2 where it has none of the grid.
#[derive(Clone, Copy, Default)]
struct Level {
    neighbours: [[usize; 2]; 3],
    points: [usize; 3],
    /// Whether it gives the border of a finer level to a neighbour that has none of this one, or is given it.
    gives: [bool; 3],
    takes: [bool; 3],
}

impl Level {
    fn is_idle(&self) -> bool {
        self.points.contains(&2)
    }

    fn bytes(&self, dimension: usize) -> usize {
        let others = (0..3).filter(|&it| it != dimension);
        8 * others.map(|it| self.points[it]).product::<usize>()
    }
}

/// The levels of a process of MG, from 1 on: coarser ones have neighbours twice as far where a process has no point.
fn levels(rank: usize, dims: [usize; 3], finest: usize) -> Vec<Level> {
    let at = [
        rank % dims[0],
        rank / dims[0] % dims[1],
        rank / dims[0] / dims[1],
    ];
    let mut levels = vec![Level::default(); finest + 1];
    let mut step = [1; 3];
    for number in (1..=finest).rev() {
        let points = |dimension: usize, at: usize| {
            let of = |at: usize| (at << number) / dims[dimension];
            2 + of(at + 1) - of(at)
        };
        for dimension in 0..3 {
            let own = points(dimension, at[dimension]);
            let next = points(dimension, at[dimension] + step[dimension]);
            levels[number].points[dimension] = own;
            if own == 2 || next == 2 {
                step[dimension] *= 2;
            }
            if number < finest {
                levels[number + 1].gives[dimension] = next == 2 && own == 3;
                levels[number + 1].takes[dimension] = next == 3 && own == 2;
            }
            levels[number].neighbours[dimension] = [false, true].map(|is_after| {
                let (size, step) = (dims[dimension], step[dimension] % dims[dimension]);
                let mut to = at;
                to[dimension] = (at[dimension] + if is_after { step } else { size - step }) % size;
                to[0] + dims[0] * (to[1] + dims[1] * to[2])
            });
        }
    }
    levels
}

/// MG on a power of two of processes, with a grid of 2^`finest` points in each dimension.
pub fn mg(processes: usize, finest: usize, iterations: usize) -> String {
    let power = processes.ilog2();
    let (x, y) = (power / 3, (power - power / 3) / 2);
    let dims = [1 << x, 1 << y, 1 << (power - x - y)];
    let steps = (0..processes).map(|rank| {
        let levels = levels(rank, dims, finest);
        let mut steps = vec![Step::All("MPI_Barrier")];
        let borders = |number: usize, steps: &mut Vec<Step>| {
            let level = &levels[number];
            for dimension in (0..3).filter(|&it| dims[it] > 1 && !level.is_idle()) {
                send(level, dimension, steps);
                receive(level, dimension, steps);
            }
        };
        for _ in 0..iterations {
            (1..finest)
                .rev()
                .for_each(|number| borders(number, &mut steps));
            borders(1, &mut steps);
            for (number, level) in levels.iter().enumerate().take(finest).skip(2) {
                for dimension in (0..3).filter(|&it| dims[it] > 1) {
                    if level.takes[dimension] {
                        receive(level, dimension, &mut steps);
                    }
                    if level.gives[dimension] {
                        send(level, dimension, &mut steps);
                    }
                }
                borders(number, &mut steps);
                borders(number, &mut steps);
            }
            borders(finest, &mut steps);
            borders(finest, &mut steps);
        }
        steps
    });
    written(&steps.collect::<Vec<_>>())
}

fn send(level: &Level, dimension: usize, steps: &mut Vec<Step>) {
    let bytes = level.bytes(dimension);
    let ends = level.neighbours[dimension].into_iter().zip([10, 11]);
    steps.extend(ends.map(|(to, tag)| Step::Send {
        to,
        tag: tag + 2 * dimension,
        bytes,
    }));
}

fn receive(level: &Level, dimension: usize, steps: &mut Vec<Step>) {
    let ends = level.neighbours[dimension].into_iter().zip([11, 10]);
    steps.extend(ends.map(|(from, tag)| Step::Receive {
        from,
        tag: tag + 2 * dimension,
    }));
}
