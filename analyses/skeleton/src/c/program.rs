//! Writes the program itself: loops and calls.

use std::fmt::Write;

use foldtrace_logical::model::{Guard, Number};
use foldtrace_topology::recognition::DirectionId;

use super::communicators::Communicators;
use super::names::{OPERATIONS, direction_names};
use super::numbers::{int, long};
use super::uses::takes_time;
use crate::{Action, Call, Construct, Doer, Message, Sending, Size, Skeleton, sends};

/// Returns the C function that contains the program.
pub(super) fn program(skeleton: &Skeleton, communicators: &Communicators) -> String {
    let mut writer = Writer {
        skeleton,
        communicators,
        directions: direction_names(&skeleton.topology.directions),
        text: String::new(),
    };
    writer.body(&skeleton.program, 0);
    let has_sends = writer.text.contains("send(");
    if skeleton.sending == Sending::Free && has_sends {
        writer.text.push_str("    complete();\n");
    }
    let limits = match skeleton.limits.len() {
        0 => String::new(),
        limits => format!("    long done[{limits}] = {{0}};\n"),
    };
    format!(
        "/* ---- the program ----------------------------------------------------------------------------- */\n\n\
         static void program(void)\n{{\n{limits}{}}}\n",
        writer.text
    )
}

struct Writer<'a> {
    skeleton: &'a Skeleton,
    communicators: &'a Communicators,
    directions: Vec<String>,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let indent = 4 * (depth + 1);
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn body(&mut self, body: &[Construct], depth: usize) {
        for construct in body {
            match construct {
                Construct::Call(call) => self.call(call, depth),
                Construct::Loop(inner) => {
                    let count = long(&inner.count);
                    let head =
                        format!("for (long i{depth} = 0; i{depth} < {count}; i{depth}++) {{");
                    self.line(depth, &head);
                    self.body(&inner.body, depth + 1);
                    self.line(depth, "}");
                }
            }
        }
        if self.skeleton.sending == Sending::Waiting && sends(body) {
            self.line(depth, "complete();");
        }
    }

    fn call(&mut self, call: &Call, depth: usize) {
        if let Some(computing) = &call.computing
            && takes_time(&self.skeleton.phases[computing.phase])
        {
            let doers = computing.doers.iter();
            let conditions: Vec<String> = doers.map(|doer| self.doer(doer)).collect();
            let depth = self.under(conditions.join(" || "), depth);
            self.line(depth, &format!("compute({});", computing.phase));
        }
        let is_taken = matches!(call.action, Action::Take(_));
        let guard = call.guard.filter(|_| !is_taken);
        let mut depth = self.under(
            guard.map_or(String::new(), |guard| self.guard(guard)),
            depth,
        );
        if let Some(limit) = call.limit {
            let most = self.skeleton.limits[limit];
            self.line(depth, &format!("if (done[{limit}]++ < {most})"));
            depth += 1;
        }
        let text = match &call.action {
            Action::Send(message) => {
                format!("send({}, {});", self.message(message), self.size(call.size))
            }
            Action::Receive(message) => format!("receive({});", self.message(message)),
            Action::Take(message) => match call.guard {
                Some(guard) => self.take_of_some(message, guard),
                None => format!("take({});", self.message(message)),
            },
            Action::Collective {
                operation,
                root,
                communicator,
            } => {
                let operation = usize::try_from(*operation).ok();
                let operation = operation.and_then(|it| OPERATIONS.get(it)).copied();
                format!(
                    "collective({}, {}, {}, {});",
                    operation.unwrap_or("BARRIER"),
                    self.size(call.size).replace("next_size", "agreed_size"),
                    int(root, &root.base.to_string()),
                    self.communicators.of_operations(*communicator),
                )
            }
        };
        self.line(depth, &text);
    }

    /// Writes an `if` with this condition unless the condition is empty. Returns the depth of the statement under it.
    fn under(&mut self, condition: String, depth: usize) -> usize {
        if condition.is_empty() {
            return depth;
        }
        self.line(depth, &format!("if ({condition})"));
        depth + 1
    }

    fn doer(&self, doer: &Doer) -> String {
        let direction = doer.direction.as_ref();
        let has = direction.map(|direction| format!("has({})", self.direction(direction)));
        let guard = doer.guard.map(|guard| self.guard(guard));
        match (has, guard) {
            (Some(has), Some(guard)) => format!("({has} && {guard})"),
            (has, guard) => has.or(guard).unwrap_or_else(|| "1".to_owned()),
        }
    }

    fn guard(&self, guard: Guard) -> String {
        let (directions, is_there) = match guard {
            Guard::Role(role) => return format!("ROLES[{}][rank]", role.0),
            Guard::Neighbours {
                directions,
                is_there,
            } => (directions, is_there),
        };
        let [one, other] = directions.map(|it| format!("has({})", self.name(it)));
        match (one == other, is_there) {
            (true, true) => one,
            (true, false) => format!("!{one}"),
            (false, true) => format!("{one} && {other}"),
            (false, false) => format!("!({one} && {other})"),
        }
    }

    fn name(&self, direction: DirectionId) -> String {
        let name = self.directions.get(direction.0 as usize).cloned();
        name.unwrap_or_else(|| direction.0.to_string())
    }

    /// Returns the C statement that receives a message which only some processes send.
    fn take_of_some(&self, message: &Message, guard: Guard) -> String {
        let text = self.message(message);
        let (direction, rest) = text.split_once(", ").unwrap_or((&text, ""));
        match guard {
            Guard::Role(role) => format!("take_of_role({direction}, {}, {rest});", role.0),
            Guard::Neighbours {
                directions,
                is_there,
            } => {
                let [one, other] = directions.map(|it| self.name(it));
                let is_there = u8::from(is_there);
                format!("take_of_some({direction}, {one}, {other}, {is_there}, {rest});")
            }
        }
    }

    fn direction(&self, direction: &Number) -> String {
        let name = usize::try_from(direction.base).ok();
        let name = name.and_then(|number| self.directions.get(number)).cloned();
        int(
            direction,
            &name.unwrap_or_else(|| direction.base.to_string()),
        )
    }

    fn message(&self, message: &Message) -> String {
        let (direction, tag) = (
            self.direction(&message.direction),
            int(&message.tag, &message.tag.base.to_string()),
        );
        if self.communicators.only_world() {
            format!("{direction}, {tag}")
        } else {
            let communicator = self.communicators.of_messages(message.communicator);
            format!("{direction}, {tag}, {communicator}")
        }
    }

    fn size(&self, size: Size) -> String {
        match size {
            Size::Exact(bytes) => bytes.to_string(),
            Size::Drawn(table) => format!("next_size({table})"),
        }
    }
}
