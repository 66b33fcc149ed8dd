//! What the definition of steps and lateness says of a program, as plainly as it can be said.

use foldtrace::steps::{Class, Kind, StepEvent};

use crate::common::parallel::Program;

/// The operation before each in its rank.
fn previous(program: &Program) -> Vec<Option<usize>> {
    let operations = &program.operations;
    let previous = |own: usize| {
        let before = (0..operations.len()).filter(|&other| {
            operations[other].rank == operations[own].rank
                && operations[other].position < operations[own].position
        });
        before.max_by_key(|&other| operations[other].position)
    };
    (0..operations.len()).map(previous).collect()
}

/// Operations that are in one partition whatever else is.
fn related(program: &Program) -> Vec<(usize, usize)> {
    let mut related: Vec<(usize, usize)> = program.messages.clone();
    related.extend(&program.joined);
    for members in &program.collectives {
        related.extend(members.iter().map(|&member| (members[0], member)));
    }
    related
}

/// The sends whose messages an operation receives.
fn senders(program: &Program, receive: usize) -> impl Iterator<Item = usize> {
    let messages = program.messages.iter();
    let messages = messages.filter(move |message| message.1 == receive);
    messages.map(|message| message.0)
}

/// All members of the collective operation; else the operation alone.
fn team(program: &Program, own: usize) -> Vec<usize> {
    let mut teams = program.collectives.iter();
    let team = teams.find(|team| team.contains(&own));
    team.cloned().unwrap_or(vec![own])
}

/// The partition of each operation.
pub fn partitions(program: &Program) -> Vec<usize> {
    let len = program.operations.len();
    let mut partitions: Vec<usize> = (0..len).collect();
    let previous = previous(program);
    let mut related = related(program);
    // The closure: related ones are together, and so are partitions that reach each other.
    loop {
        let before = partitions.clone();
        for &(a, b) in &related {
            let (a, b) = (partitions[a], partitions[b]);
            let together = a.min(b);
            for partition in &mut partitions {
                if *partition == a || *partition == b {
                    *partition = together;
                }
            }
        }
        let mut reaches = vec![vec![false; len]; len];
        for own in 0..len {
            if let Some(previous) = previous[own] {
                reaches[partitions[previous]][partitions[own]] = true;
            }
        }
        for via in 0..len {
            for from in 0..len {
                for to in 0..len {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        for own in 0..len {
            for other in 0..len {
                let (a, b) = (partitions[own], partitions[other]);
                if a != b && reaches[a][b] && reaches[b][a] {
                    related.push((own, other));
                }
            }
        }
        if partitions == before {
            break;
        }
    }
    partitions
}

/// The partition of each operation by phases: the number of the phase, where calls of `compute` are every other one.
pub fn phases(program: &Program) -> Vec<u64> {
    let (previous, related) = (previous(program), related(program));
    let operations = program.operations.iter();
    let mut phases: Vec<u64> = operations.map(|it| 2 * program.computed(it)).collect();
    loop {
        let before = phases.clone();
        for &(a, b) in &related {
            let later = phases[a].max(phases[b]);
            (phases[a], phases[b]) = (later, later);
        }
        for own in 0..phases.len() {
            let least = previous[own].map_or(0, |it| phases[it]);
            phases[own] = phases[own].max(least);
        }
        if phases == before {
            return phases;
        }
    }
}

/// The steps of operations in these partitions.
pub fn steps(program: &Program, partitions: &[usize]) -> Vec<u64> {
    let operations = &program.operations;
    let len = operations.len();
    let previous = previous(program);
    let inside = |own: usize| previous[own].filter(|&it| partitions[it] == partitions[own]);
    let senders = |own: usize| {
        let messages = program.messages.iter();
        messages
            .filter(move |(_, receive)| *receive == own)
            .map(|(send, _)| *send)
    };
    let team = |own: usize| {
        let mut teams = program.collectives.iter();
        teams
            .find(|team| team.contains(&own))
            .cloned()
            .unwrap_or(vec![own])
    };
    // Strides: the longest way, where receiving takes nothing.
    let mut ends = vec![0_u64; len];
    loop {
        let before = ends.clone();
        for own in 0..len {
            let is_receive = operations[own].kind == Kind::Receive;
            let own_team = team(own);
            let befores = own_team.iter().filter_map(|&member| inside(member));
            let befores = befores.chain(senders(own));
            let stride = befores.map(|it| ends[it]).max().unwrap_or(0);
            ends[own] = stride + u64::from(!is_receive);
        }
        if ends == before {
            break;
        }
    }
    // The least steps: all of a stride of a partition share one.
    let mut local = vec![0_u64; len];
    loop {
        let before = local.clone();
        for own in 0..len {
            let is_receive = operations[own].kind == Kind::Receive;
            let mates = (0..len).filter(|&other| {
                if is_receive {
                    return other == own;
                }
                operations[other].kind != Kind::Receive
                    && partitions[other] == partitions[own]
                    && ends[other] == ends[own]
            });
            let befores = mates.filter_map(inside);
            let befores = befores.chain(senders(own).filter(|_| is_receive));
            local[own] = befores.map(|it| before[it] + 1).max().unwrap_or(0);
        }
        if local == before {
            break;
        }
    }
    // Partitions begin when all before them are over.
    let length = |partition: usize| {
        let members = (0..len).filter(|&it| partitions[it] == partition);
        members.map(|it| local[it] + 1).max().unwrap_or(0)
    };
    let lengths: Vec<u64> = (0..len).map(length).collect();
    let mut offsets = vec![0; len];
    loop {
        let before = offsets.clone();
        for own in 0..len {
            let Some(previous) = previous[own].filter(|_| inside(own).is_none()) else {
                continue;
            };
            let end = offsets[partitions[previous]] + lengths[partitions[previous]];
            offsets[partitions[own]] = end.max(offsets[partitions[own]]);
        }
        if offsets == before {
            break;
        }
    }
    (0..len)
        .map(|own| offsets[partitions[own]] + local[own])
        .collect()
}

/// What is new of the lateness of something, and its class.
type New = (u64, Option<Class>);

fn class(lateness: u64, new: u64, own: Class, older: Class) -> Option<Class> {
    let class = if 2 * new >= lateness { own } else { older };
    (lateness > 0).then_some(class)
}

/// What is new of the lateness of each operation and of the aggregate before it, by their partitions and steps.
pub fn lateness(program: &Program, found: &[StepEvent]) -> Vec<(New, New)> {
    let operations = &program.operations;
    let previous = previous(program);
    let first = |own: usize, time: fn(&StepEvent) -> u64| {
        let place = (found[own].partition, found[own].step);
        let mates = found.iter().filter(|it| (it.partition, it.step) == place);
        mates.map(time).min().unwrap()
    };
    let late = |own: usize| operations[own].end - first(own, |it| it.end.0);
    let late_before = |own: usize| operations[own].start - first(own, |it| it.start.0);
    let new = |own: usize| {
        let operation = operations[own];
        let others = team(program, own).into_iter().filter(|&it| it != own);
        let others: Vec<u64> = others.map(late_before).collect();
        let sent: Vec<u64> = senders(program, own).map(late).collect();
        let waits = !others.is_empty() || !sent.is_empty();
        let sender = others.into_iter().chain(sent).max().unwrap_or(0);
        let (lateness, before) = (late(own), late_before(own));
        let new = lateness.saturating_sub(sender.max(before));
        let new = new.min(operation.end - operation.start);
        let older = if sender > before {
            Class::LateSender
        } else {
            Class::LateToStart
        };
        let own_class = if waits {
            Class::Message
        } else {
            Class::Created
        };

        let passed_on = previous[own].map_or(0, late);
        let start = match previous[own] {
            Some(previous) => operations[previous].end,
            None => program.begin(operation.rank),
        };
        let new_before = before
            .saturating_sub(passed_on)
            .min(operation.start - start);
        (
            (new, class(lateness, new, own_class, older)),
            (
                new_before,
                class(before, new_before, Class::Created, Class::LateToStart),
            ),
        )
    };
    (0..operations.len()).map(new).collect()
}
