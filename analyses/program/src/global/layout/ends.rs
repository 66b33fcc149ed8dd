//! Finds the process at each end of the channels of a model.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_fold::merge::{Construct, End, Kind, Member, Process, System, Wiring};

/// The process at each end of a channel.
pub(super) type Ends = HashMap<End, Process, FixedState>;

/// Finds the ends of all events of a system, including those in loops.
pub(super) fn find_ends(system: &System, wiring: &Wiring) -> Ends {
    let mut ends = Ends::default();
    add_ends(system, wiring, &mut ends);
    ends
}

fn add_ends(system: &System, wiring: &Wiring, ends: &mut Ends) {
    let mut add = |member: &Member| {
        let role = wiring.role(member.process, member.symbol);
        for &end in role.into_iter().flat_map(|role| &role.ends) {
            ends.insert(end, member.process);
        }
    };
    for construct in &system.constructs {
        match &construct.kind {
            Kind::Event { member, .. } => add(member),
            Kind::Collective { members, .. } => members.iter().for_each(&mut add),
            Kind::Loop { .. } => {}
        }
    }
    for (_, body) in system.constructs.iter().filter_map(Construct::as_loop) {
        add_ends(body, wiring, ends);
    }
}
