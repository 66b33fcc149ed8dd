//! The communicators of a trace: lines such as `c:1:91:4:1:2:3:4`, which follow the header.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_input::Fault;
use foldtrace_trace::{Minter, UNDEFINED};

use crate::fields::Fields;
use crate::objects::Objects;

/// The communicators, by application and number.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    known: HashMap<(u64, u64), Communicator, FixedState>,
    /// Whether one of them is that of all tasks.
    has_world: bool,
}

/// A communicator of the trace.
#[derive(Clone, Debug)]
pub(crate) struct Communicator {
    /// The id of its definition.
    pub id: u64,
    /// The ranks of its members in the program; `None` if they are all tasks in their order.
    members: Option<Vec<u64>>,
}

impl Communicator {
    /// Returns the rank of a task in the communicator; [`UNDEFINED`] if it is no member.
    pub(crate) fn rank(&self, task: u64) -> u64 {
        let Some(members) = &self.members else {
            return task;
        };
        let place = members.iter().position(|&member| member == task);
        place.map_or(UNDEFINED, |place| place as u64)
    }
}

impl Communicators {
    /// Takes the line of a communicator: application, number, number of members, and tasks. Returns the number of members that the
    /// header does not list, and that are left out: Extrae counts the tasks of another application among those of the first one.
    pub(crate) fn define(
        &mut self,
        line: &[u8],
        objects: &Objects,
        minter: &mut Minter,
    ) -> Result<u64, Fault> {
        let mut fields = Fields::new(line, 2);
        let application = fields.number("an application")?;
        let number = fields.number("the number of a communicator")?;
        let size = fields.number("the number of members of a communicator")?;
        let (mut members, mut unknown) = (Vec::new(), 0);
        while !fields.is_empty() {
            let task = fields.signed("a task")?;
            // Extrae writes -1 for tasks that it does not know.
            if task == UNDEFINED {
                continue;
            }
            match objects.rank(application, task) {
                Some(rank) => members.push(rank),
                None => unknown += 1,
            }
        }
        if members.len() as u64 > size {
            let message = format!("expected {size} members, found {}", members.len());
            return Err(Fault::new(0, message));
        }
        let is_all = members.iter().copied().eq(0..objects.tasks());
        let communicator = if is_all && !self.has_world {
            self.has_world = true;
            Communicator {
                id: objects.world(),
                members: None,
            }
        } else {
            let name = format!("communicator {number}");
            let id = minter.communicator(&name, objects.world(), &members);
            Communicator {
                id,
                members: Some(members),
            }
        };
        self.known.insert((application, number), communicator);
        Ok(unknown)
    }

    /// Returns the communicator with a number.
    pub(crate) fn find(&self, application: u64, number: u64) -> Option<&Communicator> {
        self.known.get(&(application, number))
    }
}
