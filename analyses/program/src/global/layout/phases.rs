//! Divides a system into phases, in which the rows of its processes do not change.
//!
//! A box is tight if its processes are next to each other. If the order of the processes does not allow this, all
//! processes change rows together before the box begins, and a new phase starts.

use foldtrace_fold::merge::{Process, System};

/// The rows of the processes of a system during a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// The row of each process, by its index: a permutation.
    pub rows: Vec<usize>,
    /// Whether any process has left its own row.
    pub is_bent: bool,
}

/// The phases of a system in order, and the phase of each construct.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    pub phases: Vec<Phase>,
    pub of: Vec<usize>,
}

/// A phase under construction.
#[derive(Default)]
struct Draft {
    is_bent: bool,
    /// Disjoint groups of processes that have to be next to each other; empty unless the phase is bent, because
    /// otherwise all groups are contiguous anyway.
    groups: Vec<Vec<usize>>,
}

impl Draft {
    fn takes(&self, group: &[usize]) -> bool {
        if !self.is_bent {
            return is_natural(group);
        }
        let apart = |other: &Vec<usize>| !group.iter().any(|p| other.binary_search(p).is_ok());
        self.groups
            .iter()
            .all(|other| other == group || apart(other))
    }

    /// Returns the row of each process: groups, and processes without a group, sorted by their middles.
    fn rows(&self, processes: usize) -> Vec<usize> {
        let mut units = self.groups.clone();
        let is_grouped = |p: &usize| self.groups.iter().any(|g| g.binary_search(p).is_ok());
        let others: Vec<usize> = (0..processes).filter(|p| !is_grouped(p)).collect();
        units.extend(others.into_iter().map(|p| vec![p]));
        // Compares middles as fractions: a/n < b/m is a·m < b·n.
        units.sort_by(|a, b| {
            let (left, right) = (a.iter().sum::<usize>(), b.iter().sum::<usize>());
            (left * b.len(), a).cmp(&(right * a.len(), b))
        });
        let mut rows = vec![0; processes];
        for (row, process) in units.into_iter().flatten().enumerate() {
            rows[process] = row;
        }
        rows
    }
}

fn is_natural(group: &[usize]) -> bool {
    group.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

/// Divides a system of `processes` into phases. `before` has the predecessors of each construct, and `order` lists
/// all constructs after their predecessors.
pub(super) fn phases(
    system: &System,
    processes: &[Process],
    order: &[usize],
    before: &[Vec<usize>],
) -> Phases {
    let mut drafts = vec![Draft::default()];
    let mut of = vec![0; system.constructs.len()];
    let mut is_kept = vec![false; system.constructs.len()];
    for &index in order {
        let construct = &system.constructs[index];
        let mut phase = before[index].iter().map(|&b| of[b]).max().unwrap_or(0);
        if construct.as_loop().is_some() && construct.processes.len() > 1 {
            let places = construct.processes.iter();
            let group: Vec<usize> = places
                .filter_map(|p| processes.binary_search(p).ok())
                .collect();
            while !drafts[phase].takes(&group) {
                phase += 1;
                if phase == drafts.len() {
                    drafts.push(Draft {
                        is_bent: !is_natural(&group),
                        groups: Vec::new(),
                    });
                }
            }
            if drafts[phase].is_bent {
                is_kept[index] = true;
                if !drafts[phase].groups.contains(&group) {
                    drafts[phase].groups.push(group);
                }
            }
        }
        of[index] = phase;
    }
    // A construct that only follows the boxes of a bent phase waits until all processes are back in their own rows.
    for &index in order.iter().rev() {
        if is_kept[index] {
            for &earlier in &before[index] {
                is_kept[earlier] |= of[earlier] == of[index];
            }
        }
    }
    let halves = |index: usize| {
        let phase = of[index];
        let waits = drafts[phase].is_bent && !is_kept[index];
        let next_is_straight = drafts.get(phase + 1).is_some_and(|next| !next.is_bent);
        match (waits, next_is_straight) {
            (false, _) => 2 * phase,
            (true, false) => 2 * phase + 1,
            (true, true) => 2 * phase + 2,
        }
    };
    let halves: Vec<usize> = (0..of.len()).map(halves).collect();
    let mut used = halves.clone();
    used.sort_unstable();
    used.dedup();
    let phases = used.iter().map(|&half| {
        let draft = &drafts[half / 2];
        if draft.is_bent && half % 2 == 0 {
            let rows = draft.rows(processes.len());
            let is_bent = !is_natural(&rows);
            Phase { rows, is_bent }
        } else {
            Phase {
                rows: (0..processes.len()).collect(),
                is_bent: false,
            }
        }
    });
    Phases {
        phases: phases.collect(),
        of: halves
            .into_iter()
            .map(|half| used.partition_point(|&u| u < half))
            .collect(),
    }
}
