//! Builds the skeleton of a logical program.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_logical::model::{Construct as LogicalConstruct, Logical};
use foldtrace_topology::recognition::{DirectionId, Rule, Topology};
use foldtrace_trace::{ErrorKind, Remedy, TraceError};

use super::balance::{balanced, rebuilt, unmatched};
use super::complete::{complete, taken_over};
use super::count::{Counts, Key, Profile, visit};
use super::groups::Group;
use super::links::{Link, links};
use super::phases::{Phases, computed};
use super::program::{Action, Call, Construct, LeftOut, Sending, Sent, Size, Skeleton};
use super::rehearse::{Stage, Wait, WaitingNodes, takes};
use super::scale::{Depth, Weights, scaled};
use super::shape::{Shape, is_by_rule, resized};
use super::shorten::shortened;
use super::strata::{only, strata, whole, with_mean};

/// The numbers of processes, besides the recorded one, at which a skeleton is rehearsed.
const OTHERS: std::ops::RangeInclusive<u32> = 2..=18;

/// The maximum number of processes that are named in the message about a deadlock.
const NAMED: usize = 4;

/// Builds the skeleton of a program, which takes `scale` times the time of the program.
///
/// # Errors
/// Returns an error if `scale` is not a positive number, if the processes of the skeleton would wait for each other
/// forever, or if the skeleton would be empty.
pub fn skeleton(logical: &Logical, scale: f64) -> Result<Skeleton, TraceError> {
    if !(scale.is_finite() && scale > 0.0) {
        let message = format!("a skeleton cannot take {scale} times the time of the program");
        let hint = "the scale must be greater than 0";
        return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
    }
    let topology = by_rule_or_edges(&logical.topology);
    let (taken, operations) = taken_over(logical);
    let links = links(&topology, &taken);
    let recorded = Profile::of_program(&taken);
    let taken = complete(taken, &links);
    let all = Profile::of_program(&taken);
    let lost = unmatched(&taken, &links);
    let groups = groups(logical, &topology);
    let mut stuck = Vec::new();
    let mut found = None;
    for program in shorter(logical, &taken, scale, &links) {
        let lost = unmatched(&program, &links);
        let kept = less(&Profile::of_program(&program).sends, &lost.sends);
        let (program, limits) = balanced(program, &links);
        let rehearsal = Rehearsal {
            topology: &topology,
            groups: &groups,
            program: &program,
        };
        match rehearsal.run() {
            Ok(how) => {
                found = Some((program, limits, lost, kept, how));
                break;
            }
            Err(waiting) => stuck = waiting,
        }
    }
    let Some((mut program, limits, lost_by_scaling, kept, (sending, is_fixed))) = found else {
        let waiting = describe(&stuck, &by_node(logical, &logical.ranks));
        let message = format!("the processes of the skeleton would wait forever: {waiting}");
        return Err(TraceError::new(ErrorKind::Malformed, message).remedy(Remedy::SelectTopology));
    };
    if program.is_empty() {
        return Err(empty(logical, &lost));
    }
    let mut phases = Phases::new(logical).place(&mut program);
    let stretch = stretch(logical, &program, &phases, scale);
    let second = logical.ticks_per_second.max(1) as f64;
    for value in phases.iter_mut().flatten() {
        *value *= stretch / second;
    }
    let (sizes, largest) = sized(logical, &mut program);
    let nodes = topology.nodes() as u64;
    let ends = |counts: &Counts| ends(counts, &topology);
    let left_out = LeftOut {
        operations: instances(logical, &operations).saturating_mul(nodes),
        sends: ends(&lost.sends),
        receives: ends(&lost.receives) + taken_ends(&lost.takes, &topology),
        scaled: (ends(&lost_by_scaling.sends) + ends(&lost_by_scaling.receives))
            .saturating_sub(ends(&lost.sends) + ends(&lost.receives)),
        added: ends(&all.receives) - ends(&recorded.receives) + taken_ends(&all.takes, &topology),
    };
    let kept = sent(&kept, &topology);
    let sent = sent(&recorded.sends, &topology).into_iter().zip(kept);
    Ok(Skeleton {
        places: places(logical),
        groups,
        limits,
        phases,
        sizes,
        largest,
        sending,
        is_fixed,
        scale,
        seconds: scale * logical.ticks as f64 / second,
        busy: busy(logical),
        stretch,
        sent: sent
            .map(|(recorded, kept)| Sent { recorded, kept })
            .collect(),
        left_out,
        topology,
        program,
    })
}

/// Returns the error for a skeleton without calls, with the reason why none is left.
fn empty(logical: &Logical, lost: &Profile) -> TraceError {
    let count = |counts: &Counts| counts.values().sum::<u64>();
    let (sends, receives) = (
        count(&lost.sends),
        count(&lost.receives) + count(&lost.takes),
    );
    let why = if logical.program.is_empty() {
        "the processes neither send messages nor take part in collective operations".to_owned()
    } else if sends + receives == 0 {
        "none of its operations has a counterpart in a skeleton".to_owned()
    } else {
        format!(
            "none of its messages has both ends (sends without a receive: {sends}, receives without a \
             send: {receives})"
        )
    };
    let message = format!("the skeleton would be empty: {why}");
    TraceError::new(ErrorKind::Malformed, message).remedy(Remedy::ShowLogicalProgram)
}

/// Returns the mean number of processes that computed at the same time. The other processes waited, so that the
/// computing processes had the machine to themselves.
fn busy(logical: &Logical) -> u64 {
    let computing = logical.measured.iter();
    let computing: u64 = computing.map(|measured| measured.computing.sum).sum();
    let busy = computing as f64 / logical.ticks.max(1) as f64;
    (busy.round() as u64).clamp(1, logical.ranks.len().max(1) as u64)
}

impl Skeleton {
    /// Returns the number of messages between ranks at the recorded number of processes, by sender and receiver.
    #[must_use]
    pub fn matrix(&self) -> BTreeMap<(u32, u32), u64> {
        let mut rank_of = vec![0; self.places.len()];
        for (rank, &node) in (0..).zip(&self.places) {
            rank_of[node as usize] = rank;
        }
        let mut matrix = BTreeMap::new();
        let mut done = vec![0; self.limits.len()];
        visit(&self.program, &mut |call, indices, times| {
            let Action::Send(message) = &call.action else {
                return;
            };
            let times = match call.limit {
                Some(limit) => {
                    let left = self.limits[limit] - done[limit];
                    let times = times.min(left);
                    done[limit] += times;
                    times
                }
                None => times,
            };
            let Ok(direction) = u32::try_from(message.direction.at(indices)) else {
                return;
            };
            for node in 0..self.topology.nodes() as u32 {
                let is_let = call
                    .guard
                    .is_none_or(|guard| guard.holds(node, &self.topology));
                let to = self.topology.neighbour(node, DirectionId(direction));
                if let Some(to) = to.filter(|_| is_let) {
                    let pair = (rank_of[node as usize], rank_of[to as usize]);
                    *matrix.entry(pair).or_default() += times;
                }
            }
        });
        matrix.retain(|_, messages| *messages > 0);
        matrix
    }
}

/// Returns the topology if its rule yields its neighbours. Otherwise, returns the topology with its neighbours as a
/// list of edges.
fn by_rule_or_edges(topology: &Topology) -> Topology {
    let mut topology = topology.clone();
    if !is_by_rule(&topology) {
        topology.rule = Rule::Edges;
    }
    topology
}

/// Returns programs with scaled loops, the best one first. If the remaining factor in inner loops separates the ends
/// of messages, or changes the order of messages, the program in which only the outermost loops are scaled may work.
fn shorter(
    logical: &Logical,
    program: &[Construct],
    scale: f64,
    links: &BTreeSet<Link>,
) -> Vec<Vec<Construct>> {
    let weights = Weights::new(logical, program);
    let depths = [Depth::All, Depth::Outermost];
    let mut programs = depths
        .map(|depth| scaled(program, scale, &weights, depth))
        .to_vec();
    let nothing = Profile::default();
    programs.sort_by_key(|program| unmatched(program, links) != nothing);
    programs
}

fn groups(logical: &Logical, topology: &Topology) -> Vec<Group> {
    let communicators = logical.communicators.iter();
    let groups =
        communicators.map(|it| Group::from_colors(&by_node(logical, &it.colors), topology));
    groups.collect()
}

/// Returns the values of processes in the order of their nodes.
fn by_node<T: Clone>(logical: &Logical, values: &[T]) -> Vec<T> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&process| logical.nodes.get(process));
    order
        .into_iter()
        .map(|process| values[process].clone())
        .collect()
}

/// Returns the node of each rank. If ranks are not numbered from 0 without gaps, processes are numbered in the order
/// of their ranks.
fn places(logical: &Logical) -> Vec<u32> {
    let mut processes: Vec<usize> = (0..logical.nodes.len()).collect();
    processes.sort_by_key(|&process| logical.ranks.get(process));
    processes
        .into_iter()
        .map(|process| logical.nodes[process])
        .collect()
}

struct Rehearsal<'a> {
    topology: &'a Topology,
    groups: &'a [Group],
    program: &'a [Construct],
}

impl Rehearsal<'_> {
    /// Returns how messages must be sent, and whether this is valid for the recorded number of processes only.
    fn run(&self) -> Result<(Sending, bool), WaitingNodes> {
        let own = self.least(self.topology)?;
        if !self.topology.roles().is_empty() {
            return Ok((own, true));
        }
        let mut sending = own;
        for nodes in OTHERS.filter(|&nodes| nodes as usize != self.topology.nodes()) {
            let Ok(other) = resized(self.topology, nodes) else {
                continue;
            };
            let profile = unmatched(self.program, &links(&other, self.program));
            match self.least(&other) {
                Ok(least) if profile == Profile::default() => {
                    sending = sending.max(least);
                }
                _ => return Ok((own, true)),
            }
        }
        let is_list = self.topology.rule == Rule::Edges;
        Ok((sending, is_list && !self.topology.directions.is_empty()))
    }

    /// Returns the strictest way to send with which the program terminates, or the processes that wait forever.
    fn least(&self, topology: &Topology) -> Result<Sending, WaitingNodes> {
        let links = links(topology, self.program);
        let is_recorded = topology.nodes() == self.topology.nodes();
        let shape = Shape::new(self.topology, topology.nodes() as u32);
        let colors = self.groups.iter().map(|group| {
            let shape = shape.as_ref().ok()?;
            group.colors(shape, is_recorded)
        });
        let colors: Vec<_> = colors.collect();
        // The limits of calls that are not executed every time are computed again, for this topology.
        let (program, limits) = balanced(without_limits(self.program), &links);
        let program = if limits.is_empty() {
            shortened(&program, &links)
        } else {
            program
        };
        let stage = Stage {
            topology,
            colors: &colors,
            limits: &limits,
        };
        let ends = |sending| stage.rehearse(&program, sending);
        if ends(Sending::Blocking).is_ok() {
            return Ok(Sending::Blocking);
        }
        if ends(Sending::Waiting).is_ok() {
            return Ok(Sending::Waiting);
        }
        ends(Sending::Free).map(|()| Sending::Free)
    }
}

fn without_limits(program: &[Construct]) -> Vec<Construct> {
    rebuilt(program, &mut |call| {
        Some(Call {
            limit: None,
            ..call.clone()
        })
    })
}

/// Describes which processes wait for which others.
fn describe(stuck: &WaitingNodes, ranks: &[u64]) -> String {
    let rank = |node: u32| ranks.get(node as usize).copied().unwrap_or_default();
    let sentence = |&(node, wait): &(u32, Wait)| match wait {
        Wait::Receiver(other) => format!("rank {} sends to {}", rank(node), rank(other)),
        Wait::Sender(other) => format!("rank {} receives from {}", rank(node), rank(other)),
        Wait::Collective => format!("rank {} waits in a collective operation", rank(node)),
    };
    let sentences: Vec<String> = stuck.iter().take(NAMED).map(sentence).collect();
    match stuck.len().saturating_sub(NAMED) {
        0 => sentences.join(", "),
        more => format!("{} and {more} more", sentences.join(", ")),
    }
}

/// Returns the factor by which computing must be multiplied so that all of it takes the requested fraction of its
/// time.
fn stretch(logical: &Logical, program: &[Construct], phases: &[Vec<f64>], scale: f64) -> f64 {
    let all: u64 = logical.measured.iter().map(|it| it.computing.sum).sum();
    let kept = computed(program, phases, &logical.topology);
    if kept > 0.0 {
        scale * all as f64 / kept
    } else {
        1.0
    }
}

/// Sets the sizes of the calls of a program. Returns the tables of sizes that vary, and the largest size.
fn sized(logical: &Logical, program: &mut Vec<Construct>) -> (Vec<Vec<u64>>, u64) {
    let mut sizes = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut largest = 0;
    *program = rebuilt(program, &mut |call| {
        let measured = call.origin.and_then(|it| logical.measured.get(it as usize));
        let bytes = measured.map(|measured| &measured.bytes);
        let is_barrier = matches!(call.action, Action::Collective { operation: 0, .. });
        let bytes = bytes.filter(|_| !is_barrier);
        let size = bytes.map_or(Size::Exact(0), |bytes| match only(bytes) {
            Some(size) => Size::Exact(size),
            None => Size::Drawn(*numbers.entry(call.origin).or_insert_with(|| {
                let mean = bytes.sum as f64 / bytes.count.max(1) as f64;
                let values = with_mean(strata(&bytes.quantiles, (0.0, 1.0)), mean);
                sizes.push(whole(&values, mean));
                sizes.len() - 1
            })),
        });
        largest = largest.max(match size {
            Size::Exact(size) => size,
            Size::Drawn(number) => sizes[number].iter().copied().max().unwrap_or_default(),
        });
        Some(Call {
            size,
            ..call.clone()
        })
    });
    (sizes, largest)
}

/// Returns `counts` minus `others`.
fn less(counts: &Counts, others: &Counts) -> Counts {
    let less = counts.iter().map(|(&key, &count)| {
        let other = others.get(&key).copied().unwrap_or_default();
        (key, count - other)
    });
    less.collect()
}

/// Returns the number of nodes that execute the calls with this key.
fn doers(topology: &Topology, key: &Key) -> u64 {
    let direction = u32::try_from(key.direction).ok().map(DirectionId);
    let nodes = 0..topology.nodes() as u32;
    let does = |&node: &u32| {
        direction.is_some_and(|it| topology.neighbour(node, it).is_some())
            && key.guard.is_none_or(|guard| guard.holds(node, topology))
    };
    nodes.filter(does).count() as u64
}

/// Returns the sum of `counts` over all processes.
fn ends(counts: &Counts, topology: &Topology) -> u64 {
    counts
        .iter()
        .map(|(key, count)| count * doers(topology, key))
        .sum()
}

fn taken_ends(counts: &Counts, topology: &Topology) -> u64 {
    let nodes = 0..topology.nodes() as u32;
    let of = |key: &Key| -> u64 {
        nodes
            .clone()
            .map(|node| takes(topology, node, key).count() as u64)
            .sum()
    };
    counts.iter().map(|(key, count)| count * of(key)).sum()
}

/// Returns the number of messages in each direction, over all processes.
fn sent(counts: &Counts, topology: &Topology) -> Vec<u64> {
    let mut sent = vec![0; topology.directions.len()];
    for (key, count) in counts {
        let direction = usize::try_from(key.direction).ok();
        if let Some(sent) = direction.and_then(|it| sent.get_mut(it)) {
            *sent += count * doers(topology, key);
        }
    }
    sent
}

/// Returns how often a process executes these calls of a logical program. Iteration counts that grow with the index
/// of an outer loop are taken from its middle iteration.
fn instances(logical: &Logical, calls: &[u32]) -> u64 {
    fn count(body: &[LogicalConstruct], indices: &mut Vec<i64>, calls: &[u32]) -> u64 {
        let each = body.iter().map(|construct| match construct {
            LogicalConstruct::Call(call) => u64::from(calls.contains(&call.number)),
            LogicalConstruct::Loop(inner) => {
                let times = inner.count.at(indices).max(0);
                indices.push(times / 2);
                let inside = count(&inner.body, indices, calls);
                indices.pop();
                times.unsigned_abs().saturating_mul(inside)
            }
        });
        each.sum()
    }
    if calls.is_empty() {
        0
    } else {
        count(&logical.program, &mut Vec::new(), calls)
    }
}
