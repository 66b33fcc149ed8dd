//! `print --at`: single events of a store, named one by one or listed on standard input.

use std::fs;

use crate::common::Folder;

/// The lines of all events as `print` gives them, and what names each of them.
fn listed(folder: &Folder, options: &str) -> Vec<(String, String)> {
    let mut events = Vec::new();
    for rank in 0..4 {
        let print = format!("print ring-4.fold {options} --location {rank}");
        for line in folder.say(&print).exits(0).stdout.lines() {
            let (position, _) = line.split_once('\t').unwrap();
            events.push((format!("{rank}.0:{position}"), line.to_owned()));
        }
    }
    events
}

#[test]
fn events_are_printed_as_print_prints_them_in_the_order_of_their_names() {
    let folder = Folder::with_store("ring-4");
    for options in ["", "--topology"] {
        let mut events = listed(&folder, options);
        fastrand::Rng::with_seed(11).shuffle(&mut events);
        let names: String = events
            .iter()
            .map(|(name, _)| format!(" {name} \n\n"))
            .collect();
        let expected: String = events.iter().map(|(_, line)| format!("{line}\n")).collect();
        let command = format!("print ring-4.fold {options} --at -");
        assert_eq!(folder.feed(&command, &names).exits(0).stdout, expected);

        let command = format!(
            "print ring-4.fold {options} --at {} --at {}",
            events[0].0, events[1].0
        );
        let two = format!("{}\n{}\n", events[0].1, events[1].1);
        assert_eq!(folder.say(&command).exits(0).stdout, two);
    }
}

#[test]
fn what_is_no_event_is_told() {
    let folder = Folder::with_store("ring-4");
    let ran = folder.say("print ring-4.fold --at 3.0:99999").exits(2);
    insta::assert_snapshot!("no_event_there", ran.report());
    let ran = folder.say("print ring-4.fold --at 3.0").exits(2);
    insta::assert_snapshot!("no_name_of_an_event", ran.report());
    let ran = folder.say("print ring-4.fold --at 9.0:1").exits(2);
    insta::assert_snapshot!("no_such_location", ran.report());
    folder.say("print ring-4.fold --at 1:1 --begin 3").exits(2);
}

#[test]
fn a_position_is_not_a_format() {
    let folder = Folder::with("ring-4");
    let ran = folder.say("print ring-4 --from 7").exits(2);
    assert!(ran.stderr.contains("--begin 7"), "{ran:?}");
}

/// The events of the intact locations are printed, and the missing one is a loss.
#[test]
fn intact_events_are_printed() {
    let folder = Folder::with("ring-4");
    let whole = folder.say("print ring-4").exits(0);
    assert_eq!(whole.stderr, "");
    fs::remove_file(folder.path("ring-4/eztrace_log/536870911.evt")).unwrap();
    folder.say("print ring-4").exits(4);
    let ran = folder.say("print ring-4 --salvage").exits(3);
    assert!(ran.stderr.contains("salvage.lost"), "{ran:?}");
    assert_eq!(whole.stdout.lines().count(), 536);
    assert_eq!(ran.stdout.lines().count(), 536 - 134);
}

#[test]
fn a_trace_that_is_no_store_is_refused() {
    let folder = Folder::with("ring-4");
    let ran = folder.say("print ring-4 --at 0:0").exits(4);
    insta::assert_snapshot!("no_store", ran.report());
}
