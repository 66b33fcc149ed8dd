//! Names the collective operations and the directions of neighbours in the C program.

use foldtrace_topology::recognition::Direction;

/// The names of collective operations in the runtime, by their codes.
pub(super) const OPERATIONS: [&str; 17] = [
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

/// Returns a descriptive and unique C identifier for each direction: `PLUS_X`, `CHILD_3`.
#[must_use]
pub fn direction_names(directions: &[Direction]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (number, direction) in directions.iter().enumerate() {
        let mut name = identifier(&direction.name());
        if names.contains(&name) || is_taken(&name) {
            name = format!("{name}_{number}");
        }
        names.push(name);
    }
    names
}

fn identifier(name: &str) -> String {
    let signs = name.replace('+', " PLUS ").replace('-', " MINUS ");
    let words = signs.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|it| !it.is_empty())
        .map(str::to_uppercase)
        .collect();
    let name = words.join("_");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return name;
    }
    format!("TO_{name}")
}

/// Returns whether a name has another meaning in the runtime or its headers.
fn is_taken(name: &str) -> bool {
    const TAKEN: [&str; 17] = [
        "STRATA",
        "PHASES",
        "SIZES",
        "TABLES",
        "SKELETON_SEED",
        "LARGEST",
        "DIMENSIONS",
        "DIRECTIONS",
        "ARITY",
        "IS_CLOSED",
        "OFFSETS",
        "NEIGHBOURS",
        "RECORDED_SIZE",
        "RECORDED_BUSY",
        "RECORDED_DIMS",
        "ASKED_SECONDS",
        "EOF",
    ];
    let is_ours = TAKEN.contains(&name) || OPERATIONS.contains(&name);
    is_ours || name == "NULL" || name.starts_with("MPI_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_directions_lead() {
        let direction = |sort: &str, is_numbered| Direction {
            sort: sort.to_owned(),
            index: 3,
            is_numbered,
            reverse: Vec::new(),
        };
        let directions = [
            ("+x", false),
            ("-2x+y", false),
            ("child", true),
            ("7 up", false),
            ("7-up", false),
            ("7:up", false),
            ("scan", false),
        ];
        let directions = directions.map(|(sort, is_numbered)| direction(sort, is_numbered));
        let names = direction_names(&directions);
        let expected = [
            "PLUS_X",
            "MINUS_2X_PLUS_Y",
            "CHILD_3",
            "TO_7_UP",
            "TO_7_MINUS_UP",
            "TO_7_UP_5",
            "SCAN_6",
        ];
        assert_eq!(names, expected);
    }
}
