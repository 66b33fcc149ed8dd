//! Determines which parts of the runtime a program needs; parts that it does not use are not written.

use foldtrace_logical::model::Guard;

use crate::{Action, Call, Construct, Size, Skeleton};

/// The features that a program uses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub computing: bool,
    pub guards: bool,
    pub sizes: bool,
    pub agreed_sizes: bool,
    pub draws: bool,
    pub messages: bool,
    pub sends: bool,
    pub receives: bool,
    pub takes: bool,
    pub takes_of_some: bool,
    pub takes_of_role: bool,
    pub collectives: bool,
}

impl Uses {
    pub fn from_skeleton(skeleton: &Skeleton) -> Self {
        let mut uses = Self::default();
        each_call(&skeleton.program, &mut |call| uses.add(skeleton, call));
        uses.draws = uses.computing || uses.sizes || uses.agreed_sizes;
        uses
    }

    fn add(&mut self, skeleton: &Skeleton, call: &Call) {
        if let Some(computing) = &call.computing
            && takes_time(&skeleton.phases[computing.phase])
        {
            self.computing = true;
            self.guards |= !computing.doers.is_empty();
        }
        self.guards |= call.guard.is_some() && !matches!(call.action, Action::Take(_));
        let is_drawn = matches!(call.size, Size::Drawn(_));
        match call.action {
            Action::Send(_) => {
                self.sends = true;
                self.sizes |= is_drawn;
            }
            Action::Receive(_) => self.receives = true,
            Action::Take(_) => match call.guard {
                Some(Guard::Neighbours { .. }) => self.takes_of_some = true,
                Some(Guard::Role(_)) => self.takes_of_role = true,
                None => self.takes = true,
            },
            Action::Collective { .. } => {
                self.collectives = true;
                self.agreed_sizes |= is_drawn;
            }
        }
        self.messages |= call.action.message().is_some();
    }
}

/// Returns whether a phase takes any time.
pub(super) fn takes_time(phase: &[f64]) -> bool {
    phase.iter().any(|&seconds| seconds > 0.0)
}

/// Visits all calls in the order in which they are written.
pub(super) fn each_call(body: &[Construct], see: &mut impl FnMut(&Call)) {
    for construct in body {
        match construct {
            Construct::Call(call) => see(call),
            Construct::Loop(inner) => each_call(&inner.body, see),
        }
    }
}
