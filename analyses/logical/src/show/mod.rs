//! Formats logical programs: as text for people, as JSON for programs.

mod json;
mod text;

pub use json::{LogicalJson, logical_json};
pub use text::LogicalText;

use foldtrace_fold::Polynomial;
use foldtrace_trace::COLLECTIVES;

use crate::model::{Action, Communicator, CommunicatorId, Guard, Logical, Number, RoleId};

/// Returns a number as a function of the loop indices.
fn function(number: &Number) -> Polynomial {
    let growth = number.growth.iter();
    let growth = growth.map(|&(depth, by)| (usize::from(depth), by));
    Polynomial::affine(number.base, growth)
}

/// Formats a direction: `+x`, `child 1+i0`.
fn direction(logical: &Logical, number: &Number) -> String {
    let base = usize::try_from(number.base).ok();
    let first = base.and_then(|base| logical.topology.directions.get(base));
    match first {
        Some(first) if !number.growth.is_empty() => {
            let index = Number {
                base: i64::from(first.index),
                ..number.clone()
            };
            format!("{} {}", first.sort, function(&index))
        }
        Some(first) => first.name(),
        None => "?".to_owned(),
    }
}

/// Describes the processes that execute a guarded call: `where there is no +x or no -x`, `on ranks 0-3, 8`.
fn only(logical: &Logical, guard: Guard) -> String {
    let (directions, is_there) = match guard {
        Guard::Role(role) => return on_ranks(&ranks_of(logical, role)),
        Guard::Neighbours {
            directions,
            is_there,
        } => (directions, is_there),
    };
    let directions = directions.map(|id| Number::constant(i64::from(id.0)));
    let [one, other] = directions.map(|number| direction(logical, &number));
    match (is_there, one == other) {
        (true, true) => format!("where there is {one}"),
        (true, false) => format!("where there are {one} and {other}"),
        (false, true) => format!("where there is no {one}"),
        (false, false) => format!("where there is no {one} or no {other}"),
    }
}

/// Returns the ranks of the processes at the nodes of a role, in ascending order.
fn ranks_of(logical: &Logical, role: RoleId) -> Vec<u64> {
    let processes = logical.nodes.iter().zip(&logical.ranks);
    let ranks = processes.filter(|&(&node, _)| logical.topology.has_role(node, role.0));
    let mut ranks: Vec<u64> = ranks.map(|(_, &rank)| rank).collect();
    ranks.sort_unstable();
    ranks
}

/// Formats ranks in ascending order; consecutive ranks become a range.
fn on_ranks(ranks: &[u64]) -> String {
    let runs = ranks.chunk_by(|one, next| next - one == 1);
    let runs: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            [one, .., last] => format!("{one}-{last}"),
            [] => String::new(),
        })
        .collect();
    let word = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("on {word} {}", runs.join(", "))
}

/// Returns the name of a collective operation.
fn operation(code: Option<u64>) -> String {
    match code.map(|code| (code, COLLECTIVES.name(code))) {
        Some((_, Some(name))) => name.to_owned(),
        Some((code, None)) => format!("collective operation {code}"),
        None => "collective operation".to_owned(),
    }
}

/// Returns the name of a communicator, or `None` for the communicator of all processes.
fn communicator(logical: &Logical, id: CommunicatorId) -> Option<String> {
    let found: Option<&Communicator> = logical.communicators.get(id.0 as usize);
    let name = found.and_then(|found| found.name.clone());
    (id.0 > 0).then(|| name.unwrap_or_else(|| format!("communicator {}", id.0)))
}

/// Returns the name of the communicator of an action, or `None` for the communicator of all processes.
fn of_action(logical: &Logical, action: &Action) -> Option<String> {
    match action {
        Action::Send {
            communicator: id, ..
        }
        | Action::Receive {
            communicator: id, ..
        }
        | Action::Collective {
            communicator: id, ..
        } => communicator(logical, *id),
    }
}
