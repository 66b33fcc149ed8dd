//! Writes measured and recorded values as constants of the program.

use std::fmt::Write;

use foldtrace_topology::recognition::{DirectionId, Rule};

use super::names::direction_names;
use super::uses::Uses;
use crate::Skeleton;

/// The seed with which values are drawn from all tables.
const SEED: u64 = 1;

/// Returns the C code of all constants.
pub(super) fn constants(skeleton: &Skeleton, uses: &Uses) -> String {
    let mut text =
        "/* ---- recorded values -------------------------------------------------------------------------- */\n\n"
            .to_owned();
    let _ = writeln!(text, "#define ASKED_SECONDS {:?}", skeleton.seconds);
    let _ = writeln!(text, "#define RECORDED_SIZE {}", skeleton.places.len());
    if uses.messages || uses.collectives {
        let _ = writeln!(text, "#define LARGEST {}", skeleton.largest);
    }
    if uses.messages {
        text.push_str(&topology(skeleton));
    }
    if !skeleton.topology.roles().is_empty() {
        text.push_str(&roles(skeleton));
    }
    if uses.draws {
        text.push_str(&measured(skeleton, uses));
    }
    text
}

fn topology(skeleton: &Skeleton) -> String {
    let topology = &skeleton.topology;
    let names = direction_names(&topology.directions);
    let lines: Vec<String> = names.chunks(8).map(|row| row.join(", ")).collect();
    let mut text = format!(
        "\nenum direction {{\n    {},\n    DIRECTIONS\n}};\n\n",
        lines.join(",\n    ")
    );
    if let Rule::Mesh { .. } | Rule::Cliques = topology.rule {
        let dims: Vec<String> = topology.dims.iter().map(u32::to_string).collect();
        let _ = writeln!(
            text,
            "#define DIMENSIONS {}\nstatic const int RECORDED_DIMS[DIMENSIONS] = {{{}}};",
            dims.len(),
            dims.join(", ")
        );
    }
    match &topology.rule {
        Rule::Mesh {
            is_periodic,
            offsets,
        } => {
            let _ = writeln!(text, "#define IS_CLOSED {}", u8::from(*is_periodic));
            text.push_str("static const int OFFSETS[DIRECTIONS][DIMENSIONS] = {\n");
            for (name, offset) in names.iter().zip(offsets) {
                let offset: Vec<String> = offset.iter().map(i32::to_string).collect();
                let _ = writeln!(text, "    [{name}] = {{{}}},", offset.join(", "));
            }
            text.push_str("};\n");
        }
        Rule::Tree { arity } | Rule::MergeTree { arity } => {
            let _ = writeln!(text, "#define ARITY {arity}");
        }
        Rule::Edges => {
            text.push_str("static const int NEIGHBOURS[RECORDED_SIZE][DIRECTIONS] = {\n");
            for node in 0..topology.nodes() as u32 {
                let directions = 0..names.len() as u32;
                let neighbours = directions.map(|direction| {
                    let found = topology.neighbour(node, DirectionId(direction));
                    found.map_or("-1".to_owned(), |other| other.to_string())
                });
                let neighbours: Vec<String> = neighbours.collect();
                let _ = writeln!(text, "    {{{}}},", neighbours.join(", "));
            }
            text.push_str("};\n");
        }
        Rule::Cliques | Rule::Star | Rule::Cg => {}
    }
    if !is_identity(skeleton) {
        let mut ranks = vec![0; skeleton.places.len()];
        for (rank, &node) in skeleton.places.iter().enumerate() {
            ranks[node as usize] = rank as u32;
        }
        text.push_str("\n/* The node of each rank, and the rank at each node. */\n");
        text.push_str(&integers("NODES", &skeleton.places));
        text.push_str(&integers("RANKS", &ranks));
    }
    text
}

/// Returns the C table of roles: for each role, which ranks execute the calls restricted to it.
fn roles(skeleton: &Skeleton) -> String {
    let roles = skeleton.topology.roles();
    let rows = roles.iter().map(|nodes| {
        let ranks = skeleton.places.iter().map(|&node| nodes[node as usize]);
        let ranks: Vec<&str> = ranks.map(|it| if it { "1" } else { "0" }).collect();
        format!("    {{{}}}", ranks.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "\n/* The ranks that have each role; only they execute the calls of the role. */\n\
         static const unsigned char ROLES[{}][RECORDED_SIZE] = {{\n{}\n}};\n",
        roles.len(),
        rows.join(",\n")
    )
}

fn integers(name: &str, values: &[u32]) -> String {
    let rows = values.chunks(16).map(|row| {
        let row: Vec<String> = row.iter().map(u32::to_string).collect();
        row.join(", ")
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "static const int {name}[RECORDED_SIZE] = {{\n    {}\n}};\n",
        rows.join(",\n    ")
    )
}

fn is_identity(skeleton: &Skeleton) -> bool {
    (0..)
        .zip(&skeleton.places)
        .all(|(rank, &node)| rank == node)
}

/// Returns the C code that maps ranks to nodes.
pub(super) fn nodes_of_ranks(skeleton: &Skeleton) -> &'static str {
    if is_identity(skeleton) {
        include_str!("runtime/places_identical.c")
    } else {
        include_str!("runtime/places.c")
    }
}

/// Returns the C tables of measured values, in strata.
fn measured(skeleton: &Skeleton, uses: &Uses) -> String {
    let has_sizes = uses.sizes || uses.agreed_sizes;
    let phases = if uses.computing {
        skeleton.phases.len()
    } else {
        0
    };
    let sizes = if has_sizes { skeleton.sizes.len() } else { 0 };
    let first = skeleton.phases.first().map(Vec::len);
    let strata = first.or_else(|| skeleton.sizes.first().map(Vec::len));
    let mut text = format!(
        "\n/* Measured values, in equally frequent strata. */\n\
         #define SKELETON_SEED UINT64_C({SEED})\n#define STRATA {}\n#define PHASES {phases}\n#define TABLES {}\n",
        strata.unwrap_or(1),
        phases + sizes,
    );
    if uses.computing {
        let _ = writeln!(text, "#define RECORDED_BUSY {}", skeleton.busy);
        let rows = skeleton
            .phases
            .iter()
            .map(|phase| phase.iter().map(|it| format!("{it:.3e}")).collect());
        text.push_str(&table("double PHASE_SECONDS[PHASES]", rows));
    }
    if has_sizes {
        let rows = skeleton
            .sizes
            .iter()
            .map(|sizes| sizes.iter().map(u64::to_string).collect());
        text.push_str(&table(&format!("int SIZE_BYTES[{sizes}]"), rows));
    }
    text
}

fn table(name: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("static const {name}[STRATA] = {{\n");
    for (number, row) in rows.enumerate() {
        let lines: Vec<String> = row.chunks(8).map(|line| line.join(", ")).collect();
        let _ = writeln!(
            text,
            "    [{number}] = {{{}}},",
            lines.join(",\n           ")
        );
    }
    text.push_str("};\n");
    text
}
