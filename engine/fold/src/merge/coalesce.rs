//! Coalesces loops that communicate, and collective operations, into one construct each (RR-8562, section III.B.3).
//!
//! The candidates are groups of constructs that have all messages of a channel in common. The order of each process
//! and the direction of messages make a graph of these groups. A group on a cycle of this graph would have to come
//! before itself, and is left as it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldtrace_trace::SymbolTable;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;

use super::Channel;
use super::arrange::arranged;
use super::lanes::{Lanes, Meeting};
use super::order::{longest_paths, predecessors};
use super::regularise::regularise;
use super::substitution::Index;
use super::system::{Construct, Kind, Matched, Member, System, total};

/// Loops whose iterations have no common divisor are unrolled if that gives at most this many constructs.
const MAX_UNROLLED: u64 = 256;

/// Merges constructs of different processes, which must be in the order of each process.
/// Returns `None` if the table lacks a symbol that the events need.
pub(super) fn merge(
    constructs: Vec<Construct>,
    matched: Matched,
    symbols: &SymbolTable,
) -> Option<System> {
    let constructs = regularise(constructs, &matched, symbols)?;
    let meetings = Lanes::new(&constructs, &matched).meetings();
    let groups = Groups::find(&constructs, &meetings);
    let unrolled = groups.unrolled(&constructs);
    if !unrolled.is_empty() {
        let constructs = unroll(&constructs, &unrolled, symbols)?;
        return merge(constructs, matched, symbols);
    }
    let constructs = groups.coalesce(constructs, &meetings, symbols)?;
    Some(arranged(constructs, matched))
}

/// Groups of constructs that may become one.
struct Groups {
    /// The first construct of each construct's group.
    group_of: Vec<u32>,
}

impl Groups {
    fn find(constructs: &[Construct], meetings: &[Meeting]) -> Self {
        let mut union = UnionFind::<u32>::new(constructs.len());
        for meeting in meetings.iter().filter(|meeting| meeting.is_exact) {
            let [from, to] = [meeting.from, meeting.to].map(|index| index as usize);
            match (&constructs[from].kind, &constructs[to].kind) {
                (Kind::Loop { .. }, Kind::Loop { .. })
                | (Kind::Collective { .. }, Kind::Collective { .. }) => {
                    union.union(meeting.from, meeting.to);
                }
                _ => (),
            }
        }
        let mut groups = Self {
            group_of: union.into_labeling(),
        };
        groups.name_by_first();
        groups.give_up_impossible(constructs);
        groups.give_up_cycles(constructs, meetings);
        groups
    }

    fn name_by_first(&mut self) {
        let mut first = vec![None; self.group_of.len()];
        for (index, group) in (0..).zip(&mut self.group_of) {
            *group = *first[*group as usize].get_or_insert(index);
        }
    }

    /// Returns the constructs of each group with more than one construct, by the first one.
    fn members(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, &group) in (0..).zip(&self.group_of) {
            // Most constructs are alone, and are not in the map.
            if index != group {
                let members = members.entry(group).or_insert_with(|| vec![group]);
                members.push(index);
            }
        }
        members
    }

    /// Dissolves these groups.
    fn give_up(&mut self, groups: &[u32]) {
        for (index, group) in (0..).zip(&mut self.group_of) {
            if groups.contains(group) {
                *group = index;
            }
        }
    }

    /// Dissolves groups of loops whose iterations have no common divisor and that are too large to unroll.
    fn give_up_impossible(&mut self, constructs: &[Construct]) {
        let members = self.members();
        let is_impossible = |members: &[u32]| {
            let loops = members
                .iter()
                .filter_map(|&c| constructs[c as usize].as_loop());
            let written = loops
                .clone()
                .map(|(n, body)| n * body.constructs.len() as u64);
            common_divisor(loops.map(|(count, _)| count)) == 1
                && written.sum::<u64>() > MAX_UNROLLED
        };
        let impossible = members.iter().filter(|(_, members)| is_impossible(members));
        let impossible: Vec<u32> = impossible.map(|(&group, _)| group).collect();
        self.give_up(&impossible);
    }

    /// Dissolves groups that would come before themselves: first collective operations that do not synchronise, then
    /// loops, then all others.
    fn give_up_cycles(&mut self, constructs: &[Construct], meetings: &[Meeting]) {
        let predecessors = predecessors(constructs);
        loop {
            let conflicts = self.conflicts(constructs, meetings, &predecessors);
            let mut ranks: Vec<(u8, u32)> = conflicts
                .into_iter()
                .map(|group| match constructs[group as usize].kind {
                    Kind::Collective {
                        synchronises: false,
                        ..
                    } => (0, group),
                    Kind::Loop { .. } | Kind::Event { .. } => (1, group),
                    Kind::Collective { .. } => (2, group),
                })
                .collect();
            ranks.sort_unstable();
            let Some(&(rank, _)) = ranks.first() else {
                return;
            };
            let worst = ranks.iter().take_while(|&&(other, _)| other == rank);
            let worst: Vec<u32> = worst.map(|&(_, group)| group).collect();
            self.give_up(&worst);
        }
    }

    /// Returns the groups on a cycle.
    fn conflicts(
        &self,
        constructs: &[Construct],
        meetings: &[Meeting],
        predecessors: &[(u32, u32)],
    ) -> Vec<u32> {
        let members = self.members();
        if members.is_empty() {
            return Vec::new();
        }
        let group = |index: u32| self.group_of[index as usize];
        let order = predecessors.iter().map(|&(a, b)| (group(a), group(b)));
        let messages = meetings
            .iter()
            .filter(|meeting| !constructs[meeting.from as usize].is_collective())
            .map(|meeting| (group(meeting.from), group(meeting.to)))
            .filter(|(from, to)| from != to);
        let mut edges: Vec<(u32, u32)> = order.chain(messages).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut conflicts: Vec<u32> = edges
            .iter()
            .filter(|(from, to)| from == to)
            .map(|&(group, _)| group)
            .collect();
        let mut graph = DiGraph::<(), ()>::from_edges(edges);
        // Constructs without an edge are nodes as well.
        while graph.node_count() < constructs.len() {
            graph.add_node(());
        }
        for component in kosaraju_scc(&graph) {
            if component.len() > 1 {
                conflicts.extend(component.iter().map(|node| NodeIndex::index(*node) as u32));
            }
        }
        conflicts.retain(|group| members.contains_key(group));
        conflicts.sort_unstable();
        conflicts.dedup();
        conflicts
    }

    /// Returns the loops that have to be unrolled before they can be merged.
    fn unrolled(&self, constructs: &[Construct]) -> Vec<u32> {
        let groups = self.members().into_values().filter(|members| {
            let loops = members
                .iter()
                .filter_map(|&c| constructs[c as usize].as_loop());
            common_divisor(loops.map(|(count, _)| count)) == 1
        });
        groups.flatten().collect()
    }

    /// Merges each group into one construct, still in the order of each process.
    fn coalesce(
        &self,
        constructs: Vec<Construct>,
        meetings: &[Meeting],
        symbols: &SymbolTable,
    ) -> Option<Vec<Construct>> {
        let mut inner: BTreeMap<u32, Vec<Channel>> = BTreeMap::new();
        for meeting in meetings.iter().filter(|meeting| meeting.is_exact) {
            let [from, to] = [meeting.from, meeting.to].map(|index| self.group_of[index as usize]);
            if from == to {
                inner.entry(from).or_default().push(meeting.channel);
            }
        }
        let order = predecessors(&constructs).into_iter();
        let order = order.map(|(a, b)| (self.group_of[a as usize], self.group_of[b as usize]));
        let clocks = longest_paths(constructs.len(), order).unwrap_or_default();
        let gathered = constructs.into_iter().zip((0..).zip(&self.group_of));
        let gathered = gathered.map(|(construct, (index, &group))| {
            let clock = clocks.get(group as usize).copied();
            ((clock, group), index, construct)
        });
        let mut gathered: Vec<((Option<u32>, u32), u32, Construct)> = gathered.collect();
        gathered.sort_unstable_by_key(|&(group, index, _)| (group, index));
        let mut groups = Vec::new();
        let mut gathered = gathered.into_iter().peekable();
        while let Some((key, _, first)) = gathered.next() {
            let mut members = vec![first];
            while let Some((_, _, next)) = gathered.next_if(|&(other, ..)| other == key) {
                members.push(next);
            }
            let channels = inner.remove(&key.1).unwrap_or_default();
            groups.push(coalesce_group(members, channels, symbols)?);
        }
        Some(groups)
    }
}

/// Merges a group into one construct; `channels` are the channels matched within the group.
fn coalesce_group(
    group: Vec<Construct>,
    channels: Vec<Channel>,
    symbols: &SymbolTable,
) -> Option<Construct> {
    if channels.is_empty() {
        return group.into_iter().next();
    }
    match &group.first()?.kind {
        Kind::Loop { .. } => coalesce_loops(group, channels, symbols),
        _ => Some(coalesce_collectives(group, &channels)),
    }
}

fn coalesce_loops(
    group: Vec<Construct>,
    mut channels: Vec<Channel>,
    symbols: &SymbolTable,
) -> Option<Construct> {
    let count = common_divisor(group.iter().filter_map(Construct::as_loop).map(|l| l.0));
    let mut constructs = Vec::new();
    for construct in group {
        let Kind::Loop { count: own, body } = construct.kind else {
            continue;
        };
        if let Matched::Only(matched) = &body.matched {
            channels.extend(matched.iter());
        }
        if own == count {
            constructs.extend(match Arc::try_unwrap(body) {
                Ok(body) => body.constructs,
                Err(body) => body.constructs.clone(),
            });
        } else {
            let inner = own / count;
            let body = Index::nested(inner).substitute_all(&body, symbols)?;
            constructs.push(Construct::repeat(inner, body));
        }
    }
    channels.sort_unstable();
    channels.dedup();
    let body = merge(constructs, Matched::Only(Arc::from(channels)), symbols)?;
    Some(Construct::repeat(count, Arc::new(body)))
}

fn coalesce_collectives(group: Vec<Construct>, channels: &[Channel]) -> Construct {
    let mut flow = total(&group);
    flow.retain(|(end, _)| !channels.contains(&end.channel()));
    let mut members: Vec<Member> = Vec::new();
    let mut all_synchronise = true;
    for construct in group {
        if let Kind::Collective {
            members: some,
            synchronises,
        } = construct.kind
        {
            members.extend(some.iter());
            all_synchronise &= synchronises;
        }
    }
    members.sort_unstable_by_key(|member| member.process);
    Construct::collective(members, all_synchronise, flow)
}

/// Returns the greatest common divisor.
fn common_divisor(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, |mut a, mut b| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// Replaces loops by their iterations. Returns `None` if the table lacks a symbol.
fn unroll(
    constructs: &[Construct],
    loops: &[u32],
    symbols: &SymbolTable,
) -> Option<Vec<Construct>> {
    let mut result = Vec::new();
    for (index, construct) in (0..).zip(constructs) {
        match construct.as_loop() {
            Some((count, body)) if loops.contains(&index) => {
                for index in (0..count).map(Index::fixed) {
                    for construct in &body.constructs {
                        result.push(index.substitute(construct, symbols)?);
                    }
                }
            }
            _ => result.push(construct.clone()),
        }
    }
    Some(result)
}
