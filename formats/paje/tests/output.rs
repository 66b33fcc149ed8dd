//! Checks that other programs can open the output, and that writing it again does not change it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use foldtrace_paje::Paje;
use foldtrace_testing::{Read, fill, read};
use foldtrace_trace::{EventBatch, EventKind, Format, Output, Position, SymbolTable};

use crate::good_case;

/// Writes a trace in order of time. Times that decrease are replaced by the latest time before them.
fn write(trace: &Read, path: &Path) {
    let mut symbols = SymbolTable::default();
    let mut order = Vec::new();
    for (&location, events) in &trace.events {
        let mut latest = 0;
        for (position, event) in (0..).zip(events) {
            latest = latest.max(event.time);
            order.push((latest, location, position, event));
        }
    }
    order.sort_by_key(|&(time, location, position, _)| (time, location, position));
    for (_, _, _, event) in &order {
        symbols.intern(event.symbol);
    }
    let path = path.to_owned();
    let mut writer = Paje
        .create(Output::Path {
            path,
            replace: true,
        })
        .unwrap();
    writer.definitions(&trace.definitions).unwrap();
    let mut batch = EventBatch::default();
    for (_, location, position, event) in order {
        batch.reset(location, Position(position));
        fill(&mut batch, std::slice::from_ref(event), &mut symbols);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
}

/// Counts the entities of each kind that `pj_dump` (package pajeng) reports for a trace.
fn pj_dump(path: &Path) -> HashMap<String, usize> {
    let output = Command::new("pj_dump").arg(path).output();
    let output = output.unwrap_or_else(|error| panic!("pj_dump (package pajeng): {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    let mut counts = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let kind = line.split(',').next().unwrap_or_default();
        *counts.entry(kind.to_owned()).or_default() += 1;
    }
    counts
}

fn count(trace: &Read, is: impl Fn(EventKind) -> bool) -> usize {
    let events = trace.events.values().flatten();
    events.filter(|event| is(event.symbol.kind)).count()
}

#[test]
fn traces_of_foldtrace_are_rewritten_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.paje");
    let input = good_case("foldtrace");
    let trace = read(&Paje, &input, false).unwrap();
    assert!(trace.errors.is_empty() && trace.diagnostics.count("paje.time_backwards") == 2);
    write(&trace, &path);
    let [before, after] = [&input, &path].map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(after, before);
}

#[test]
fn traces_of_other_programs_read_back_unchanged_and_pj_dump_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.paje");
    for case in [
        "simgrid",
        "starpu",
        "eztrace",
        "states",
        "overlapping_states",
        "variables",
    ] {
        let trace = read(&Paje, &good_case(case), false).unwrap();
        write(&trace, &path);
        let back = read(&Paje, &path, false).unwrap();
        assert_eq!(back.events, trace.events, "{case}");
        assert_eq!(back.definitions, trace.definitions, "{case}");
        let counts = pj_dump(&path);
        let seen = |kind: &str| counts.get(kind).copied().unwrap_or(0);
        let states = count(&trace, |kind| kind == EventKind::Enter);
        assert_eq!(seen("State"), states, "{case}");
        // States that end without a beginning are drawn as events.
        let nameless = trace.diagnostics.count("paje.pop_without_push") as usize;
        let events = count(&trace, |kind| kind == EventKind::Local) + nameless;
        assert_eq!(seen("Event"), events, "{case}");
        let ends = [EventKind::is_send, EventKind::is_receive].map(|is| count(&trace, is));
        assert_eq!(seen("Link"), ends[0].max(ends[1]), "{case}");
    }
}

#[test]
fn pj_dump_reads_irregular_events() {
    let counts = pj_dump(&good_case("foldtrace"));
    // A message, and two ends without another end. Two of the calls are left while others are open.
    assert_eq!(
        (counts["Link"], counts["State"], counts["Variable"]),
        (3, 4, 2)
    );
    assert_eq!(counts["Event"], 8);
}

#[test]
fn unfinished_traces_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.paje");
    let writer = Paje
        .create(Output::Path {
            path,
            replace: false,
        })
        .unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_trace_without_events_has_its_containers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.paje");
    let trace = read(&Paje, &good_case("no_events"), false).unwrap();
    write(&trace, &path);
    assert_eq!(
        read(&Paje, &path, false).unwrap().definitions,
        trace.definitions
    );
    // The root of `pj_dump`, the machine, two processes and their threads.
    assert_eq!(pj_dump(&path)["Container"], 6);
}
