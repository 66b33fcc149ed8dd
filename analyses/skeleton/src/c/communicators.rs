//! Writes the communicators of the program, with their members for any number of processes.

use std::collections::BTreeSet;
use std::fmt::Write;

use foldtrace_logical::model::CommunicatorId;

use super::uses::each_call;
use crate::{Action, Group, Skeleton};

/// The communicators that a program uses.
pub(super) struct Communicators {
    groups: Vec<Group>,
    messages: BTreeSet<u32>,
    operations: BTreeSet<u32>,
}

impl Communicators {
    pub fn from_skeleton(skeleton: &Skeleton) -> Self {
        let (mut messages, mut operations) = (BTreeSet::new(), BTreeSet::new());
        each_call(&skeleton.program, &mut |call| match &call.action {
            Action::Collective { communicator, .. } => {
                operations.insert(communicator.0);
            }
            action => messages.extend(action.message().map(|message| message.communicator.0)),
        });
        Self {
            groups: skeleton.groups.clone(),
            messages,
            operations,
        }
    }

    fn group(&self, number: u32) -> &Group {
        self.groups.get(number as usize).unwrap_or(&Group::World)
    }

    /// Returns whether a communicator is `MPI_COMM_WORLD`: it is the first one, and it contains all processes.
    fn is_world(&self, number: u32) -> bool {
        number == 0 && *self.group(0) == Group::World
    }

    /// Returns whether all messages are sent in `MPI_COMM_WORLD`.
    pub fn only_world(&self) -> bool {
        self.messages.iter().all(|&number| self.is_world(number))
    }

    /// Returns the C name of the communicator in which the messages of a communicator are sent. It contains all
    /// processes, because neighbours are ranks of all processes.
    pub fn of_messages(&self, communicator: CommunicatorId) -> String {
        match communicator.0 {
            number if self.is_world(number) => "MPI_COMM_WORLD".to_owned(),
            number => format!("messages_{number}"),
        }
    }

    /// Returns the C name of the communicator of collective operations.
    pub fn of_operations(&self, communicator: CommunicatorId) -> String {
        match communicator.0 {
            number if self.is_world(number) => "MPI_COMM_WORLD".to_owned(),
            number => format!("group_{number}"),
        }
    }

    pub fn need_coordinates(&self) -> bool {
        let mut groups = self.operations.iter().map(|&number| self.group(number));
        groups.any(|group| matches!(group, Group::Coordinates(_)))
    }

    /// Returns whether any communicator must be created.
    pub fn must_be_created(&self) -> bool {
        let mut all = self.messages.iter().chain(&self.operations);
        all.any(|&number| !self.is_world(number))
    }

    /// Returns the C code that creates the communicators, or `None` if there are none to create.
    pub fn text(&self) -> Option<String> {
        if !self.must_be_created() {
            return None;
        }
        let created = |numbers: &BTreeSet<u32>, prefix: &str| -> Vec<(u32, String)> {
            let numbers = numbers.iter().filter(|&&number| !self.is_world(number));
            numbers
                .map(|&number| (number, format!("{prefix}_{number}")))
                .collect()
        };
        let (messages, groups) = (
            created(&self.messages, "messages"),
            created(&self.operations, "group"),
        );
        let names: Vec<&str> = messages
            .iter()
            .chain(&groups)
            .map(|(_, name)| &**name)
            .collect();
        let mut text = format!(
            "/* ---- communicators ---------------------------------------------------------------------------- */\n\n\
             static MPI_Comm {};\n\n",
            names.join(", ")
        );
        let mut body = String::new();
        for (_, name) in &messages {
            let _ = writeln!(body, "    MPI_Comm_dup(MPI_COMM_WORLD, &{name});");
        }
        for (number, name) in &groups {
            match self.group(*number) {
                Group::World => {
                    let _ = writeln!(body, "    MPI_Comm_dup(MPI_COMM_WORLD, &{name});");
                }
                Group::Coordinates(chosen) => {
                    let color = chosen.iter().fold(String::new(), |color, index| {
                        if color.is_empty() {
                            format!("at[{index}]")
                        } else {
                            format!("({color}) * dims[{index}] + at[{index}]")
                        }
                    });
                    let _ = writeln!(
                        body,
                        "    MPI_Comm_split(MPI_COMM_WORLD, {color}, rank, &{name});"
                    );
                }
                Group::Colors(colors) => {
                    let recorded = colors.len();
                    let _ = writeln!(text, "{}", colors_text(*number, colors));
                    let _ = writeln!(
                        body,
                        "    if (size == RECORDED_SIZE) {{\n        \
                         MPI_Comm_split(MPI_COMM_WORLD, COLORS_{number}[node_of(rank)], rank, &{name});\n    \
                         }} else {{\n        {name} = MPI_COMM_NULL;\n        if (rank == 0)\n            \
                         fputs(\"skeleton: collective operations of {name} are skipped; its members are known only \
                         for {recorded} processes\\n\", stderr);\n    }}",
                    );
                }
            }
        }
        let at = if self.need_coordinates() {
            "    int at[DIMENSIONS];\n    coordinates(node_of(rank), at);\n"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "static void make_communicators(void)\n{{\n{at}{body}}}"
        );
        Some(text)
    }
}

fn colors_text(number: u32, colors: &[Option<u32>]) -> String {
    let colors: Vec<String> = colors
        .iter()
        .map(|color| color.map_or("MPI_UNDEFINED".to_owned(), |color| color.to_string()))
        .collect();
    let rows: Vec<String> = colors.chunks(16).map(|row| row.join(", ")).collect();
    format!(
        "/* The color of each node: nodes of the same color form a communicator. */\nstatic const int COLORS_{number}[RECORDED_SIZE] = {{\n    {}\n}};\n",
        rows.join(",\n    ")
    )
}
