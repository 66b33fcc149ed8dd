//! Writes a skeleton as a C program with MPI: a single file that needs no others.
//!
//! The parts that do not depend on the skeleton are C sources in `runtime`; this module writes the parts that do.

mod communicators;
mod names;
mod numbers;
mod program;
mod summary;
mod tables;
mod uses;

pub use names::direction_names;
pub use summary::{SENT_COLUMNS, headline, sent_rows};

use std::fmt::Write;

use foldtrace_topology::recognition::Rule;
use foldtrace_view::units::grouped;

use crate::{LeftOut, Sending, Skeleton};
use communicators::Communicators;
use uses::Uses;

const MAIN: &str = include_str!("runtime/main.c");

/// Returns the C source of a skeleton. `trace` is the name of the trace that the skeleton was made from.
#[must_use]
pub fn skeleton_c(skeleton: &Skeleton, trace: &str) -> String {
    let uses = Uses::from_skeleton(skeleton);
    let communicators = Communicators::from_skeleton(skeleton);
    let mut parts = vec![
        header(skeleton, trace),
        tables::constants(skeleton, &uses),
        placing(skeleton, &uses, &communicators),
    ];
    if uses.draws {
        parts.push(include_str!("runtime/strata.c").to_owned());
    }
    if uses.computing {
        parts.push(include_str!("runtime/compute.c").to_owned());
    }
    if uses.messages {
        parts.push(messages(skeleton, &uses, &communicators));
    }
    if uses.collectives {
        parts.push(include_str!("runtime/collective.c").to_owned());
    }
    if uses.agreed_sizes {
        parts.push(
            include_str!("runtime/agreed_size.c")
                .trim_start()
                .to_owned(),
        );
    }
    parts.extend(communicators.text());
    parts.push(program::program(skeleton, &communicators));
    let main = MAIN.replace("@NEEDED@", &needed(skeleton));
    parts.push(main.replace("@SETUP@", &setup(&uses, &communicators)));
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n\n") + "\n"
}

fn header(skeleton: &Skeleton, trace: &str) -> String {
    let size = skeleton.places.len();
    let name = &skeleton.topology.name;
    let sizes = if skeleton.is_fixed {
        format!("It runs only with {size} processes.")
    } else {
        format!(
            "The trace has {size} processes; the skeleton also runs with other numbers of them."
        )
    };
    let mut text = format!(
        "/* A performance skeleton that foldtrace made from {}. It behaves like the recorded program, in {} of\n \
         * its time. Topology of its processes: {}. Without a neighbour in a direction, a\n \
         * process skips the calls of that direction.\n \
         * {sizes}\n *\n \
         *   mpicc -std=c99 -O2 -o skel skel.c && mpirun -np {size} ./skel\n *\n \
         * Computation is a loop that runs as long as the computation in the trace. The speed of the loop is\n \
         * measured at the start, unless it is given: SKELETON_RATE=<iterations per second>.\n",
        in_comment(trace),
        skeleton.scale,
        in_comment(name),
    );
    for line in left_out(&skeleton.left_out) {
        let _ = writeln!(text, " * {line}");
    }
    text.push_str(
        " */\n#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <string.h>\n",
    );
    text
}

/// Returns a line for each kind of call that a skeleton lacks or has in addition.
#[must_use]
pub fn left_out(left_out: &LeftOut) -> Vec<String> {
    let lines = [
        (
            left_out.operations,
            "collective operations without a counterpart in a skeleton are left out.",
        ),
        (left_out.sends, "sends without a receive are left out."),
        (left_out.receives, "receives without a send are left out."),
        (
            left_out.scaled,
            "ends of messages that lost their other end by scaling are left out.",
        ),
        (
            left_out.added,
            "receives that are missing from the trace were added before scaling.",
        ),
    ];
    let lines = lines.iter().filter(|(count, _)| *count > 0);
    lines
        .map(|(count, text)| format!("{} {text}", grouped(*count)))
        .collect()
}

/// Returns a text that cannot end a C comment.
fn in_comment(text: &str) -> String {
    let text = text.replace("*/", "* /").replace("/*", "/ *");
    text.replace(|c: char| c.is_control(), " ")
}

/// Returns the C code that finds the nodes of processes and the neighbours of nodes.
fn placing(skeleton: &Skeleton, uses: &Uses, communicators: &Communicators) -> String {
    let mut text = "/* ---- processes and neighbours -------------------------------------------------------------- */\n\nstatic int rank, size;\n\n".to_owned();
    if !uses.messages {
        text.push_str(include_str!("runtime/alone.c"));
        return text;
    }
    let is_mesh = matches!(skeleton.topology.rule, Rule::Mesh { .. });
    let rule = match skeleton.topology.rule {
        Rule::Mesh { .. } => include_str!("runtime/mesh.c"),
        Rule::Cliques => include_str!("runtime/cliques.c"),
        Rule::Tree { .. } => include_str!("runtime/tree.c"),
        Rule::MergeTree { .. } => include_str!("runtime/merge_tree.c"),
        Rule::Star => include_str!("runtime/star.c"),
        Rule::Cg => include_str!("runtime/cg.c"),
        Rule::Edges => include_str!("runtime/edges.c"),
    };
    if is_mesh || matches!(skeleton.topology.rule, Rule::Cliques) {
        text.push_str(include_str!("runtime/share_out.c"));
        text.push_str("static int dims[DIMENSIONS];\n\n");
    }
    if is_mesh || communicators.need_coordinates() {
        text.push_str(include_str!("runtime/coordinates.c"));
    }
    text.push_str(rule);
    text.push_str(tables::nodes_of_ranks(skeleton));
    text
}

fn messages(skeleton: &Skeleton, uses: &Uses, communicators: &Communicators) -> String {
    let mut text = include_str!("runtime/messages.c").to_owned();
    let parts = [
        (uses.guards, include_str!("runtime/has.c")),
        (uses.sizes, include_str!("runtime/size.c")),
        (uses.sends, sending(skeleton.sending)),
        (uses.receives, include_str!("runtime/receive.c")),
        (uses.takes, include_str!("runtime/take.c")),
        (uses.takes_of_some, include_str!("runtime/take_of_some.c")),
        (uses.takes_of_role, include_str!("runtime/take_of_role.c")),
    ];
    for (_, part) in parts.iter().filter(|(is_used, _)| *is_used) {
        text.push_str(part);
    }
    if communicators.only_world() {
        text.replace(",\n                         MPI_Comm communicator", "")
            .replace(", MPI_Comm communicator", "")
            .replace("communicator", "MPI_COMM_WORLD")
    } else {
        text
    }
}

const fn sending(sending: Sending) -> &'static str {
    match sending {
        Sending::Blocking => include_str!("runtime/send_blocking.c"),
        Sending::Waiting => concat!(
            include_str!("runtime/requests.c"),
            include_str!("runtime/send_waiting.c")
        ),
        Sending::Free => concat!(
            include_str!("runtime/requests.c"),
            include_str!("runtime/send_free.c")
        ),
    }
}

/// Returns the C statements that run before the program begins.
fn setup(uses: &Uses, communicators: &Communicators) -> String {
    let calls = [
        (uses.messages, "prepare_messages();"),
        (uses.collectives, "prepare_collectives();"),
        (communicators.must_be_created(), "make_communicators();"),
        (uses.computing, "calibrate();"),
    ];
    let calls = calls.iter().filter(|(is_used, _)| *is_used);
    calls.map(|(_, call)| format!("    {call}\n")).collect()
}

/// Returns the C expression for the required number of processes, which is `NULL` if the actual number is suitable.
fn needed(skeleton: &Skeleton) -> String {
    if skeleton.is_fixed {
        format!(
            "size == RECORDED_SIZE ? place_nodes() : \"{}\"",
            skeleton.places.len()
        )
    } else {
        "place_nodes()".to_owned()
    }
}
