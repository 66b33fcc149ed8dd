//! Checks how complete and damaged traces are read.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use foldtrace_ti::TimeIndependent;
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventBatch, EventKind, Format, Input, LocationId, Names,
    PathKind, Probe, ReadOptions, Step, SymbolTable, SymbolText, TraceError,
};

/// The result of reading a trace: the contents of its calls as text, one location after another.
#[derive(Debug, Default)]
struct Read {
    text: Vec<String>,
    /// The last time of each location.
    ends: Vec<(LocationId, u64)>,
    diagnostics: Diagnostics,
    error: Option<TraceError>,
}

fn open(path: &Path, salvage: bool) -> Result<Read, TraceError> {
    let reader =
        TimeIndependent.open(Input::Path(path.to_owned()), &ReadOptions::whole(salvage))?;
    let mut read = Read {
        diagnostics: reader.diagnostics().clone(),
        ..Read::default()
    };
    let mut batches: Vec<(EventBatch, SymbolTable)> = Vec::new();
    let mut definitions = Definitions::default();
    definitions.append(reader.definitions());
    for stream in 0..reader.streams().len() {
        let mut stream = reader.open_stream(stream)?;
        loop {
            let mut batch = EventBatch::default();
            let step = stream.next_batch(&mut batch, &mut read.diagnostics);
            definitions.append(&batch.definitions);
            batches.push((batch, stream.symbols().clone()));
            match step {
                Ok(Step::Batch) => {}
                Ok(Step::End) => break,
                Err(error) => {
                    read.error = Some(error);
                    break;
                }
            }
        }
    }
    let names = Names::new(&definitions);
    batches.sort_by_key(|(batch, _)| (batch.location, batch.first));
    for (batch, symbols) in &batches {
        for event in batch.iter(symbols) {
            let kind = symbols.kind(event.symbol);
            if matches!(kind, EventKind::Enter | EventKind::Leave) {
                continue;
            }
            let symbol = symbols.symbol(event.symbol);
            let mut line = SymbolText::new(&names, batch.location, symbol).to_string();
            for &quantity in kind.quantities() {
                if let Some(value) = event.get(quantity) {
                    write!(line, " {}={value}", quantity.name()).unwrap();
                }
            }
            read.text.push(line);
        }
    }
    read.ends = batches
        .iter()
        .filter_map(|(batch, _)| Some((batch.location, batch.times.last()?.0)))
        .collect();
    Ok(read)
}

fn read(lines: &str, salvage: bool) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.txt");
    fs::write(&path, lines).unwrap();
    open(&path, salvage).unwrap()
}

const TWO_RANKS: &str = "0 init\n0 compute 1.5\n0 isend 1 5 3 0\n0 waitall 1\n0 finalize\n\
                         1 init\n1 irecv 0 5 3 0\n1 wait 0 1 5\n1 finalize\n";

#[test]
fn requests_end_where_they_are_waited_for() {
    let read = read(TWO_RANKS, false);
    assert_eq!(
        read.text,
        [
            "0 isend 1 5 bytes=24 request=0",
            "0 local mpi_isend_complete request=0",
            "1 local mpi_irecv_request request=0",
            "0 irecv 1 5 bytes=24 request=0",
        ]
    );
    assert_eq!(read.ends, [(LocationId(0), 1500), (LocationId(1), 0)]);
}

#[test]
fn one_file_for_all_ranks_reads_as_one_file_per_rank() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = TWO_RANKS.split_once("1 init").unwrap();
    let files = folder.path().join("run_files");
    fs::create_dir(&files).unwrap();
    fs::write(files.join("rank-1.txt"), first).unwrap();
    fs::write(
        files.join("rank-2.txt"),
        format!("# rank 1\n\n1 init{second}"),
    )
    .unwrap();
    let master = folder.path().join("run");
    // SimGrid writes such paths, relative to a folder that does not exist here.
    fs::write(
        &master,
        "out/run_files/rank-1.txt\nout/run_files/rank-2.txt\n",
    )
    .unwrap();
    let whole = read(TWO_RANKS, false);
    for path in [&master, &files] {
        let split = open(path, false).unwrap();
        assert_eq!((&split.text, &split.ends), (&whole.text, &whole.ends));
        assert!(split.diagnostics.is_empty());
    }
}

#[test]
fn old_traces_have_no_tags_and_no_request_keys() {
    let old = "p0 init\np0 comm_size 2\np0 Irecv p1 1e6\np0 send p1 10\np0 wait\np0 recv p1\n";
    assert_eq!(
        read(old, false).text,
        [
            "0 local mpi_irecv_request request=0",
            "0 send 1 0 bytes=10",
            "1 irecv 0 0 bytes=1000000 request=0",
            "1 recv 0 0",
        ]
    );
}

#[test]
fn tested_requests_end_at_the_latest_with_the_program() {
    let lines = "0 init 1\n0 irecv -333 5 2\n0 test 1 0 5\n0 irecv 2 6 2\n0 wait 1 0 5\n\
                 0 irecv 2 6 3\n0 waitany 2\n0 irecv 2 6 4\n0 finalize\n";
    assert_eq!(
        read(lines, false).text,
        [
            "0 local mpi_irecv_request request=0",
            "0 local mpi_request_test request=0",
            "0 local mpi_irecv_request request=1",
            "1 irecv 0 5 bytes=16 request=0",
            "0 local mpi_irecv_request request=2",
            "2 irecv 0 6 bytes=16 request=1",
            "0 local mpi_irecv_request request=3",
            "2 irecv 0 6 bytes=24 request=2",
            "2 irecv 0 6 bytes=32 request=3",
        ]
    );
}

#[test]
fn collective_operations_have_the_bytes_of_a_rank() {
    let lines = "0 comm_size 2\n0 bcast 12 1 4\n0 reduce 13 2 0 1\n0 alltoall 3 4 1 1\n\
                 0 gatherv 1 1 2 0 1 1\n0 scatterv 1 2 1 1 1 1\n0 reducescatter 1 2 0 1\n\
                 0 alltoallv 9 1 2 9 3 4 6 6\n0 barrier\n";
    let read = read(lines, false);
    let ends = read.text.iter().filter(|line| line.contains("sync"));
    let ends: Vec<_> = ends.map(String::as_str).collect();
    assert_eq!(
        ends,
        [
            "0 sync MPI_Bcast 0 root=1 bytes=96 bytes_received=96",
            "0 sync MPI_Reduce 0 root=0 bytes=52 bytes_received=52",
            "0 sync MPI_Alltoall 0 bytes=12 bytes_received=16",
            "0 sync MPI_Gatherv 0 root=0 bytes=4 bytes_received=12",
            "0 sync MPI_Scatterv 0 root=1 bytes=12 bytes_received=4",
            "0 sync MPI_Reduce_scatter 0 bytes=12",
            "0 sync MPI_Alltoallv 0 bytes=3 bytes_received=7",
            "0 sync MPI_Barrier 0",
        ]
    );
    assert_eq!(read.ends, [(LocationId(0), 2000)]);
}

#[test]
fn a_fault_has_its_line_and_salvage_continues_after_it() {
    let lines = "0 init\n0 isend 1 x 3\n0 compute 10\n";
    let error = read(lines, false).error.unwrap();
    assert_eq!(error.message, "expected a tag, found 'x'");
    assert_eq!((error.place.line, error.place.byte), (Some(2), Some(17)));
    assert_eq!(error.kind, ErrorKind::Malformed);
    let salvaged = read(lines, true);
    assert!(salvaged.error.is_none());
    assert_eq!(salvaged.diagnostics.count("ti.bad_line"), 1);
    assert_eq!(salvaged.ends, [(LocationId(0), 10_000)]);
}

#[test]
fn actions_of_another_rank_are_skipped_as_in_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    for (name, lines) in [
        ("a", "0 init\n1 barrier\n0 barrier\n"),
        ("b", "1 barrier\n"),
    ] {
        fs::write(folder.path().join(name), lines).unwrap();
    }
    let master = folder.path().join("master");
    fs::write(&master, "a\nb\n").unwrap();
    let read = open(&master, false).unwrap();
    assert_eq!(read.diagnostics.count("ti.other_rank"), 1);
    let barriers = read.text.iter().filter(|line| line.contains("sync"));
    assert_eq!(barriers.count(), 2);
    fs::write(&master, "a\nc\n").unwrap();
    let error = open(&master, false).unwrap_err();
    assert_eq!(error.message, "there is no file 'c'");
    assert_eq!(error.place.line, Some(2));
}

#[test]
fn traces_are_recognised_by_their_contents() {
    let folder = tempfile::tempdir().unwrap();
    let sniff = |name: &str, head: &str| {
        let path = folder.path().join(name);
        let kind = PathKind::File;
        let head = head.as_bytes();
        TimeIndependent.sniff(&Probe {
            path: &path,
            kind,
            head,
        })
    };
    assert!(sniff("x", "# a comment\n0 init\n"));
    assert!(sniff("x", "p3 Compute 1e9\n"));
    for foreign in [
        "",
        "hello world\n",
        "0 1 2\n",
        "rank.txt\n",
        "/etc/passwd\n",
    ] {
        assert!(!sniff("x", foreign), "{foreign:?}");
    }
    fs::write(folder.path().join("rank.txt"), "0 init\n").unwrap();
    assert!(sniff("x", "rank.txt\n"));
    let probe = Probe {
        path: folder.path(),
        kind: PathKind::Folder,
        head: &[],
    };
    assert!(TimeIndependent.sniff(&probe));
}

#[test]
fn a_line_with_more_events_than_a_batch_loses_none() {
    let posts: String = (0..20_000)
        .map(|tag| format!("0 irecv 1 {tag} 1\n"))
        .collect();
    let read = read(&format!("0 init\n{posts}0 waitall\n1 barrier\n"), false);
    assert_eq!(read.text.len(), 2 * 20_000 + 2);
}
