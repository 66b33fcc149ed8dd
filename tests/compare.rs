//! Comparisons of runs that are written as text. `tests/python/test_compare.py` compares recorded and simulated runs.

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::Folder;

/// A run of two processes: iterations of computation, a barrier, computation and a reduction.
struct Run {
    /// The time of the computation before the barrier.
    barrier: u64,
    /// The time of the computation before the reduction.
    reduce: u64,
    /// The iterations in which the computation before the reduction takes twice as long.
    slow: std::ops::Range<u64>,
    /// Whether each iteration ends with a broadcast.
    has_broadcast: bool,
}

const FIRST: Run = Run {
    barrier: 4_000,
    reduce: 1_000,
    slow: 0..0,
    has_broadcast: false,
};

impl Run {
    /// Returns the trace. Ids of regions, of which each process has its own, begin with `ids`.
    fn text(&self, ids: u64) -> String {
        let mut lines = Vec::new();
        let routines = ["main", "MPI_Barrier", "MPI_Reduce", "MPI_Bcast"];
        for process in 0..2 {
            for (number, routine) in (1..).zip(routines) {
                let id = ids + 10 * process + number;
                lines.push(format!("#: string id={id} \"{routine}\""));
                lines.push(format!("#: region id={id} name={id}"));
            }
        }
        for process in 0..2 {
            let mut time = 1_000;
            let mut event = |kind: &str, routine: u64, after: u64| {
                time += after;
                let id = ids + 10 * process + routine;
                lines.push(format!("{process} local {kind} region={id} time={time}"));
            };
            event("enter", 1, 0);
            for iteration in 0..40 {
                let factor = if self.slow.contains(&iteration) { 2 } else { 1 };
                event("enter", 2, self.barrier);
                event("leave", 2, 50);
                event("enter", 3, self.reduce * factor);
                event("leave", 3, 100);
                if self.has_broadcast {
                    event("enter", 4, 10);
                    event("leave", 4, 500);
                }
            }
            event("leave", 1, 10);
        }
        lines.join("\n") + "\n"
    }
}

/// Compares another run with the first one.
fn compared(other: &Run) -> Folder {
    let folder = Folder::new();
    folder.write("first.trace", FIRST.text(100));
    folder.write("other.trace", other.text(700));
    folder
}

fn text(other: &Run) -> String {
    let folder = compared(other);
    folder
        .say("compare -q first.trace other.trace")
        .exits(0)
        .stdout
}

#[test]
fn other_ids_are_no_difference() {
    assert_snapshot!(text(&FIRST));
}

#[test]
fn slower_computation() {
    assert_snapshot!(text(&Run {
        barrier: 4_800,
        ..FIRST
    }));
}

#[test]
fn some_iterations() {
    assert_snapshot!(text(&Run {
        slow: 10..25,
        ..FIRST
    }));
}

#[test]
fn a_new_call() {
    assert_snapshot!(text(&Run {
        has_broadcast: true,
        ..FIRST
    }));
}

#[test]
fn several_runs_are_a_list() {
    let folder = compared(&Run {
        reduce: 500,
        ..FIRST
    });
    let json = folder
        .say("compare -q first.trace other.trace first.trace --json")
        .exits(0)
        .json();
    let findings = |index: usize| json[index]["findings"].as_array().unwrap().len();
    assert_eq!([findings(0), findings(1)], [1, 0]);
    let finding: &Value = &json[0]["findings"][0];
    assert_eq!(finding["what"], "computation faster");
    assert_eq!(
        finding["construct"],
        "loop 1 (MPI_Barrier, MPI_Reduce): computation before MPI_Reduce"
    );
    assert_eq!(
        finding["ratio"]
            .as_f64()
            .map(|ratio| (100.0 * ratio).round()),
        Some(50.0)
    );
    let page = folder
        .say("compare -q first.trace other.trace -o page.html")
        .exits(0);
    assert_eq!(page.stdout, "");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("computation faster") && page.contains("<polyline class=\"after\""));
}
