//! The program itself: loops and calls.

use std::fmt::Write;

use super::communicators::Communicators;
use super::names::direction_names;
use super::numbers::{int, long};
use super::uses::takes_time;
use crate::analysis::logical::Number;
use crate::analysis::skeleton::{Action, Call, Construct, Message, Sending, Size, Skeleton, sends};

/// Names of collective operations in the runtime, by their numbers.
const OPERATIONS: [&str; 17] = [
    "BARRIER",
    "BCAST",
    "GATHER",
    "GATHERV",
    "SCATTER",
    "SCATTERV",
    "ALLGATHER",
    "ALLGATHERV",
    "ALLTOALL",
    "ALLTOALLV",
    "ALLTOALLW",
    "ALLREDUCE",
    "REDUCE",
    "REDUCE_SCATTER",
    "SCAN",
    "EXSCAN",
    "REDUCE_SCATTER_BLOCK",
];

/// The function that is the program.
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
            let directions = computing.directions.iter();
            let has: Vec<String> = directions
                .map(|direction| format!("has({})", self.direction(direction)))
                .collect();
            if !has.is_empty() {
                self.line(depth, &format!("if ({})", has.join(" || ")));
            }
            let depth = depth + usize::from(!has.is_empty());
            self.line(depth, &format!("compute({});", computing.phase));
        }
        let mut depth = depth;
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
            Action::Take(message) => format!("take({});", self.message(message)),
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
        match self.communicators.only_world() {
            true => format!("{direction}, {tag}"),
            false => {
                let communicator = self.communicators.of_messages(message.communicator);
                format!("{direction}, {tag}, {communicator}")
            }
        }
    }

    fn size(&self, size: Size) -> String {
        match size {
            Size::Exact(bytes) => bytes.to_string(),
            Size::Drawn(table) => format!("next_size({table})"),
        }
    }
}
