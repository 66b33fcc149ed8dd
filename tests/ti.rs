//! Time-independent traces, judged by SimGrid: what is written replays to its end.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{EXAMPLES, Folder, example};

/// Replays a trace and gives the simulated seconds.
fn replay(folder: &Folder, trace: &str, ranks: usize) -> f64 {
    folder.machine(ranks);
    let mut command = folder.command("smpirun");
    let command = command
        .args(["-replay", trace, "-np", &ranks.to_string()])
        .args(["-platform", "machine.xml", "-hostfile", "hosts"])
        .arg("--cfg=smpi/host-speed:1Gf");
    // smpirun is of the package libsimgrid-dev.
    let output = crate::common::mpi::isolated(command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{trace}: {said}");
    let (_, time) = said
        .split_once("Simulation time ")
        .unwrap_or_else(|| panic!("{trace} does not end: {said}"));
    time.split_whitespace().next().unwrap().parse().unwrap()
}

/// Actions of each rank by their names.
fn actions(folder: &Folder, trace: &str) -> Vec<BTreeMap<String, u64>> {
    let master = fs::read_to_string(folder.path(trace)).unwrap();
    let count = |file| {
        let mut counts = BTreeMap::new();
        for line in fs::read_to_string(folder.path(file)).unwrap().lines() {
            let name = line.split(' ').nth(1).unwrap().to_owned();
            *counts.entry(name).or_default() += 1;
        }
        counts
    };
    master.lines().map(count).collect()
}

fn sum(counts: &BTreeMap<String, u64>, names: &[&str]) -> u64 {
    names.iter().filter_map(|&name| counts.get(name)).sum()
}

/// Events of a rank by their kinds.
fn events(folder: &Folder, trace: &str, rank: usize) -> BTreeMap<String, u64> {
    let rank = rank.to_string();
    let printed = folder.run(["print", trace, "--location", &rank]).exits(0);
    let mut counts = BTreeMap::new();
    for line in printed.stdout.lines() {
        let (_, event) = line.split_once('\t').unwrap();
        let kind = event.split(' ').nth(1).unwrap();
        let kind = match kind {
            "local" => event.split(' ').nth(2).unwrap(),
            kind => kind,
        };
        *counts.entry(kind.to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn recorded_archives_replay_to_their_end() {
    for name in EXAMPLES {
        let folder = Folder::with(name);
        let trace = format!("{name}.ti");
        let said = folder.run(["convert", name, &trace]).exits(3);
        assert!(!said.stderr.contains("ti.unmatched"), "{}", said.stderr);
        let actions = actions(&folder, &trace);
        for (rank, actions) in actions.iter().enumerate() {
            let events = events(&folder, name, rank);
            let sent = sum(&events, &["send", "isend"]);
            assert_eq!(
                sum(actions, &["send", "isend"]),
                sent,
                "{name}, rank {rank}"
            );
            let received = sum(&events, &["recv", "irecv", "mpi_irecv_request"]);
            assert_eq!(
                sum(actions, &["recv", "irecv"]),
                received,
                "{name}, rank {rank}"
            );
            assert_eq!(sum(actions, &["init", "finalize"]), 2);
        }
        replay(&folder, &trace, actions.len());
    }
}

#[test]
fn a_trace_that_was_read_is_written_as_it_was_and_replays_alike() {
    let folder = Folder::with("stencil-9");
    folder.say("convert stencil-9 first.ti").exits(3);
    folder.say("convert first.ti run.fold").exits(0);
    folder.say("convert run.fold second.ti").exits(0);
    for rank in 0..9 {
        let file = |trace| {
            let path = folder.path(format!("{trace}_files/rank-{rank}.txt"));
            fs::read_to_string(path).unwrap()
        };
        assert_eq!(file("first.ti"), file("second.ti"));
    }
    let times = ["first.ti", "second.ti"].map(|trace| replay(&folder, trace, 9));
    assert_eq!(times[0], times[1]);
}

#[test]
fn parts_of_a_trace_replay_without_what_has_no_other_end() {
    let archive = example("wave-4");
    for filter in ["--time=40ms..", "--time=..41ms", "--process=0,2-3"] {
        let folder = Folder::new();
        let path = archive.to_str().unwrap();
        folder.run(["convert", path, "part.ti", filter]);
        let actions = actions(&folder, "part.ti");
        let all = |names: &[&str]| actions.iter().map(|rank| sum(rank, names)).sum::<u64>();
        assert_eq!(all(&["send"]), all(&["recv"]), "{filter}");
        replay(&folder, "part.ti", actions.len());
    }
}

#[test]
fn what_a_program_may_do_replays() {
    let mut text = String::from("#: clock_properties ticks_per_second=1000\n");
    for rank in 0..3 {
        let (next, before) = ((rank + 1) % 3, (rank + 2) % 3);
        // To itself; two at once with one tag; both in one call; all operations.
        text += &format!(
            "{rank} isend {rank} 1 time=1000 bytes=10 request=1\n\
             {rank} recv {rank} 1 time=1100 bytes=10\n\
             {rank} local mpi_isend_complete time=1200 request=1\n\
             {rank} local mpi_irecv_request time=1300 request=2\n\
             {rank} local mpi_irecv_request time=1300 request=3\n\
             {rank} isend {next} 7 time=1400 bytes=100000 request=4\n\
             {rank} isend {next} 7 time=1400 bytes=20 request=5\n\
             {before} irecv {rank} 7 time=1500 bytes=100000 request=2\n\
             {before} irecv {rank} 7 time=1500 bytes=20 request=3\n\
             {rank} local mpi_isend_complete time=1600 request=4\n\
             {rank} local mpi_isend_complete time=1600 request=5\n\
             {rank} local enter MPI_Sendrecv time=1700\n\
             {rank} send {next} 8 time=1700 bytes=1000000\n\
             {before} recv {rank} 8 time=1800 bytes=1000000\n\
             {rank} local leave MPI_Sendrecv time=1800\n\
             {rank} send {next} 9 time=1900 bytes=1\n"
        );
        for operation in [
            "Barrier",
            "Bcast",
            "Gather",
            "Gatherv",
            "Scatter",
            "Scatterv",
            "Allgather",
            "Allgatherv",
            "Alltoall",
            "Alltoallv",
            "Alltoallw",
            "Allreduce",
            "Reduce",
            "Reduce_scatter",
            "Scan",
            "Exscan",
            "Reduce_scatter_block",
        ] {
            text += &format!(
                "{rank} sync MPI_{operation} 0-2 root=1 time=2000 bytes=12 bytes_received=24\n"
            );
        }
    }
    let folder = Folder::new();
    folder.write("run.trace", text);
    let said = folder.say("convert run.trace run.ti").exits(3);
    assert!(
        said.stderr.contains("3 sends, 0 receives"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("ti.not_waited_for"), "{}", said.stderr);
    assert!(said.stderr.contains("ti.evened"), "{}", said.stderr);
    let actions = actions(&folder, "run.ti");
    assert_eq!(sum(&actions[0], &["isend", "send"]), 4);
    assert_eq!(sum(&actions[0], &["irecv", "recv"]), 4);
    let seconds = replay(&folder, "run.ti", 3);
    assert!((0.9..1.1).contains(&seconds), "{seconds} s were computed");
}

#[test]
fn an_output_appears_when_it_is_whole_and_takes_no_place_of_others() {
    let folder = Folder::with("ring-4");
    folder.say("convert ring-4 run.ti").exits(3);
    assert_eq!(folder.names(), ["ring-4", "run.ti", "run.ti_files"]);
    folder.say("convert ring-4 run.ti").exits(5);
    folder.say("convert ring-4 run.ti --force").exits(3);
    folder.write("run.ti_files/mine.txt", "of the user");
    folder.say("convert ring-4 run.ti --force").exits(5);
    folder.say("convert ring-4 - --to ti").exits(2);
    assert_eq!(folder.names(), ["ring-4", "run.ti", "run.ti_files"]);
}
