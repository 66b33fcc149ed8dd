//! Checks that a trace is written again as it was read, and reads the same again.

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_ti::TimeIndependent;
use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, Format, Input, Output, ReadOptions, Step,
};
use proptest::prelude::*;

/// Writes a trace with one file per rank, and returns the master file.
fn write_files(folder: &Path, ranks: &[Vec<String>]) -> PathBuf {
    let mut master = String::new();
    for (rank, actions) in ranks.iter().enumerate() {
        let lines = actions.iter().map(|action| format!("{rank} {action}\n"));
        fs::write(
            folder.join(format!("{rank}.txt")),
            lines.collect::<String>(),
        )
        .unwrap();
        master += &format!("{rank}.txt\n");
    }
    let path = folder.join("master");
    fs::write(&path, master).unwrap();
    path
}

/// Reads a trace with one file per rank and writes it, like a conversion through a store.
fn convert(from: &Path, to: &Path) -> Diagnostics {
    let input = Input::Path(from.to_owned());
    let reader = TimeIndependent
        .open(input, &ReadOptions::default())
        .unwrap();
    let mut definitions = Definitions::default();
    definitions.append(reader.definitions());
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    let streams = 0..reader.streams().len();
    for stream in streams.clone() {
        let mut stream = reader.open_stream(stream).unwrap();
        loop {
            let step = stream.next_batch(&mut batch, &mut diagnostics).unwrap();
            definitions.append(&batch.definitions);
            if step == Step::End {
                break;
            }
        }
    }
    let output = Output::Path {
        path: to.to_owned(),
        replace: false,
    };
    let mut writer = TimeIndependent.create(output).unwrap();
    writer.definitions(&definitions).unwrap();
    for stream in streams {
        let mut stream = reader.open_stream(stream).unwrap();
        while stream
            .next_batch(&mut batch, &mut Diagnostics::default())
            .unwrap()
            == Step::Batch
        {
            batch.definitions.clear();
            writer.write(&batch, stream.symbols()).unwrap();
        }
    }
    diagnostics.merge(writer.finish().unwrap());
    diagnostics
}

/// Returns the lines of a rank, without the rank.
fn written(master: &Path, rank: usize) -> Vec<String> {
    let master = fs::read_to_string(master).unwrap();
    let file = master.lines().nth(rank).unwrap();
    let text = fs::read_to_string(file).unwrap();
    let own = format!("{rank} ");
    text.lines()
        .map(|line| line.strip_prefix(&own).unwrap().to_owned())
        .collect()
}

fn action() -> impl Strategy<Value = String> {
    let number = -400i64..5000;
    let amount = prop_oneof![
        (0u64..100_000_000).prop_map(|n| n as f64 / 1e5),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(f64::abs),
    ];
    let words = prop::collection::vec(number, 6..12);
    prop_oneof![
        4 => (prop::sample::select(vec!["compute", "sleep"]), amount)
            .prop_map(|(name, amount)| format!("{name} {amount}")),
        8 => (
            prop::sample::select(vec![
                "send", "isend", "recv", "irecv", "wait", "test", "sendRecv", "Ssend", "bcast",
                "gather", "scatter", "allgather", "alltoall", "gatherv", "alltoallv", "scatterv",
                "allgatherv", "iallreduce", "put", "location", "waitany",
            ]),
            words,
        )
            .prop_map(|(name, words)| words.iter().fold(name.to_owned(), |line, word| {
                format!("{line} {word}")
            })),
        2 => prop::sample::select(vec![
            "init", "init 1", "finalize", "barrier", "waitall", "waitall 3", "wait", "comm_size 4",
            "comm_dup", "reduce 13 0 2 1", "allreduce 1e6 2.5 0", "scan 6 0 1", "bcast 7",
            "reducescatter 1 2 3 0 1", "reducescatter 0 0 1",
        ])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn actions_are_rewritten_unchanged(
        ranks in prop::collection::vec(prop::collection::vec(action(), 1..40), 2..4)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let master = write_files(folder.path(), &ranks);
        let copy = folder.path().join("copy.ti");
        let diagnostics = convert(&master, &copy);
        prop_assert!(diagnostics.is_empty(), "{diagnostics:?}");
        for (rank, actions) in ranks.iter().enumerate() {
            prop_assert_eq!(&written(&copy, rank), actions);
        }
    }
}

#[test]
fn lines_are_written_in_canonical_form() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "INIT",
        "Compute 1e3",
        "iSend\t1  5 10 ",
        "allReduce 1 2.50",
        "sendrecv 1 1 1 1",
    ];
    let ranks = [lines.map(str::to_owned).to_vec(), vec!["init".to_owned()]];
    let copy = folder.path().join("copy.ti");
    convert(&write_files(folder.path(), &ranks), &copy);
    assert_eq!(
        written(&copy, 0),
        [
            "init",
            "compute 1000",
            "isend 1 5 10",
            "allreduce 1 2.50",
            "sendRecv 1 1 1 1"
        ]
    );
}

#[test]
fn unfinished_traces_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ti");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let writer = TimeIndependent.create(output.clone()).unwrap();
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(TimeIndependent.create(Output::Stdout).is_err());
    fs::create_dir(folder.path().join("run.ti_files")).unwrap();
    assert!(
        TimeIndependent.create(output).is_err(),
        "a folder that exists was replaced"
    );
}
