//! Patterns of events and filters, as the command shows them of recorded traces.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::{EXAMPLES, Folder, example};

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
}

/// Iterations of the main pattern of each location.
fn iterations(patterns: &Value) -> Vec<u64> {
    let locations = list(&patterns["locations"]);
    locations
        .iter()
        .map(|one| number(&one["iterations"]))
        .collect()
}

#[test]
fn iterations_are_those_of_the_program() {
    // patterns.c was run with so many; the first or the last one may differ.
    for (name, expected) in [("ring-4", 19..=20), ("wave-4", 9..=10), ("farm-5", 9..=10)] {
        let folder = Folder::with_store(name);
        let command = format!("patterns {name}.fold --json");
        let patterns = folder.say(&command).exits(0).json();
        // The manager of the farm receives in any order.
        let first = usize::from(name == "farm-5");
        for count in &iterations(&patterns)[first..] {
            assert!(expected.contains(count), "{name}: {count}");
        }
    }
}

#[test]
fn the_report_says_what_explains_more() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let patterns = folder
            .say(&format!("patterns {name}.fold --json"))
            .exits(0)
            .json();
        for one in list(&patterns["locations"]) {
            let [occupation, in_loops] =
                ["occupation", "in_loops"].map(|key| one[key].as_f64().unwrap());
            assert!(occupation >= 75.0, "{name}: {one}");
            assert!((0.0..=100.0).contains(&in_loops));
            let more = match occupation.total_cmp(&in_loops) {
                std::cmp::Ordering::Greater => "patterns",
                std::cmp::Ordering::Less => "loops",
                std::cmp::Ordering::Equal => "both",
            };
            assert_eq!(one["explains_more"], more);
        }
    }
}

/// The items of all locations have all of their events.
#[test]
fn items_add_up_to_the_location() {
    let folder = Folder::with_store("stencil-9");
    let text = folder
        .say("patterns stencil-9.fold --items --location 4")
        .exits(0)
        .stdout;
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    let events: u64 = head
        .split(": ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .map(|count| count.replace(',', "").parse().unwrap())
        .unwrap();
    let mut sum = 0;
    for line in lines.take_while(|line| line.starts_with("  ")) {
        let item = line.trim();
        let (times, item) = item.split_once(" x ").unwrap_or(("1", item));
        let times: u64 = times.replace(',', "").parse().unwrap();
        let length = item
            .rsplit_once('(')
            .and_then(|(_, rest)| rest.strip_suffix(" events)"));
        sum += times * length.map_or(1, |length| length.parse().unwrap());
    }
    assert_eq!(sum, events);
}

/// A pattern is called the same in another trace, whatever its ids are.
#[test]
fn names_hold_across_traces() {
    let folder = Folder::with_store("tree-4");
    folder
        .say("convert tree-4.fold repaired.fold --repair")
        .exits(0);
    let names = |store: &str| -> Vec<String> {
        let patterns = folder
            .say(&format!("patterns {store} --json"))
            .exits(0)
            .json();
        let names = list(&patterns["found"]).iter();
        names
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let found = names("tree-4.fold");
    assert!(found.len() > 3);
    assert_eq!(names("repaired.fold"), found);
    // Leaves of the tree do the same: patterns are shared by locations.
    let patterns = folder.say("patterns tree-4.fold --json").exits(0).json();
    assert!(
        list(&patterns["found"])
            .iter()
            .any(|one| list(&one["locations"]).len() > 1)
    );
}

#[test]
fn what_makes_events_equal_can_be_chosen() {
    let folder = Folder::with_store("farm-5");
    let count = |options: &str| {
        let command = format!("patterns farm-5.fold --json {options}");
        number(&folder.say(&command).exits(0).json()["patterns"])
    };
    // The manager sends each worker a message of its own length.
    let found = count("--location 0");
    assert!(count("--location 0 --ignore length,peer") < found);
    let report = folder
        .say("patterns farm-5.fold --ignore colour")
        .exits(2)
        .report();
    insta::assert_snapshot!("an_operand_that_is_none", report);
    let report = folder
        .say("filter farm-5.fold --window 100%")
        .exits(2)
        .report();
    insta::assert_snapshot!("a_window_that_is_too_wide", report);
}

/// The positions that a filter keeps, by location.
fn kept(folder: &Folder, store: &str) -> BTreeMap<String, Vec<u64>> {
    let csv = folder
        .say(&format!("filter {store} --format csv"))
        .exits(0)
        .stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("location,position,events"));
    let mut kept: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in lines {
        let [location, position, events]: [&str; 3] =
            line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let (position, events): (u64, u64) = (position.parse().unwrap(), events.parse().unwrap());
        kept.entry(location.to_owned())
            .or_default()
            .extend(position..position + events);
    }
    kept
}

/// Events of a store as text, by location.
fn events(folder: &Folder, store: &str, location: &str) -> Vec<String> {
    let text = folder
        .say(&format!("print {store} --location @{location}"))
        .exits(0)
        .stdout;
    let event = |line: &str| line.split_once('\t').map(|(_, event)| event.to_owned());
    text.lines().filter_map(event).collect()
}

/// What is written is what is kept, with marks that tell of all the rest.
#[test]
fn a_filtered_trace_has_what_is_kept_and_tells_of_the_rest() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        folder.say(&format!("filter {store} some.fold")).exits(0);
        folder.say("verify some.fold").exits(0);
        let report = folder
            .say(&format!("filter {store} --json"))
            .exits(0)
            .json();
        let kept = kept(&folder, &store);
        let total: usize = kept.values().map(Vec::len).sum();
        assert_eq!(number(&report["kept"]), total as u64, "{name}");
        let mut left_out = 0;
        for (location, positions) in &kept {
            let before = events(&folder, &store, location);
            let mut after = Vec::new();
            for event in events(&folder, "some.fold", location) {
                if !event.contains("measurement_on_off") {
                    after.push(event);
                } else if let Some((_, count)) = event.rsplit_once("=uint64:") {
                    left_out += count.parse::<u64>().unwrap();
                }
            }
            let expected: Vec<_> = positions
                .iter()
                .map(|&position| before[position as usize].clone())
                .collect();
            assert_eq!(after, expected, "{name}, {location}");
        }
        assert_eq!(left_out + total as u64, number(&report["events"]), "{name}");
    }
}

/// Calls are kept whole: what is entered is left, as before.
#[test]
fn a_filtered_trace_leaves_what_it_enters() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = format!("{name}.fold");
        let open = |events: &[String]| {
            let (mut open, mut strays): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
            for event in events {
                let said: Vec<&str> = event.split(" time=").next().unwrap().split(' ').collect();
                match said.as_slice() {
                    [.., "enter", region] => open.push((*region).to_owned()),
                    [.., "leave", region] => match open.iter().rposition(|one| one == region) {
                        Some(index) => drop(open.remove(index)),
                        None => strays.push((*region).to_owned()),
                    },
                    _ => {}
                }
            }
            (open, strays)
        };
        folder.say(&format!("filter {store} some.fold")).exits(0);
        for location in kept(&folder, &store).keys() {
            let before = open(&events(&folder, &store, location));
            let after = open(&events(&folder, "some.fold", location));
            assert_eq!(after, before, "{name}, {location}");
        }
    }
}

/// Every format that is written takes a filtered trace, and those that are read give it back.
#[test]
fn a_filtered_trace_is_one_in_any_format() {
    let folder = Folder::with_store("wave-4");
    let formats = folder.say("formats --json").exits(0).json();
    let mut written = 0;
    for format in list(&formats) {
        if format["writes"] != true || format["name"] == "fold" {
            continue;
        }
        let name = format["name"].as_str().unwrap();
        let output = if name == "otf2" {
            "out/traces.otf2".to_owned()
        } else {
            format!("some.{name}")
        };
        let ran = folder.say(&format!("filter wave-4.fold {output} --to {name} --force"));
        assert!(matches!(ran.code, Some(0 | 3)), "{name}: {ran:?}");
        assert!(folder.path(&output).exists(), "{name}");
        written += 1;
        if format["reads"] == true {
            folder
                .say(&format!("convert {output} {name}.fold --from {name}"))
                .exits(0);
            folder.say(&format!("verify {name}.fold")).exits(0);
        }
    }
    assert!(written >= 8, "{formats}");
    // The library that made the original reads it, too.
    let ran = folder
        .command("otf2-print")
        .arg("out/traces.otf2")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(
        text.contains("MEASUREMENT_ON_OFF") && text.contains("foldtrace::left_out"),
        "{text}"
    );
}

#[test]
fn a_wider_window_keeps_less() {
    let folder = Folder::with_store("stencil-9");
    let kept = |options: &str| {
        let command = format!("filter stencil-9.fold --json {options}");
        number(&folder.say(&command).exits(0).json()["kept"])
    };
    let usual = kept("");
    assert_eq!(kept("--window 010.0%"), usual);
    assert!(kept("--window 40%") < usual);
    assert!(kept("--window 1%") > usual);
}

/// What a report says of a point is what stands there.
#[test]
fn points_are_where_they_are_said_to_be() {
    let folder = Folder::with_store("wave-4");
    let report = folder
        .say("filter wave-4.fold --json --top 5")
        .exits(0)
        .json();
    let mut waits = 0;
    for point in list(&report["computing"])
        .iter()
        .chain(list(&report["communicating"]))
    {
        let location = point["location"].to_string();
        let cause = &point["cause"];
        let position = number(&cause["position"]);
        let command = format!(
            "print wave-4.fold --location @{location} --begin {} --count 2",
            position - 1
        );
        let text = folder.say(&command).exits(0).stdout;
        let times: Vec<u64> = text
            .lines()
            .map(|line| {
                let (_, time) = line.split_once("time=").unwrap();
                time.split(' ').next().unwrap().parse().unwrap()
            })
            .collect();
        assert_eq!(times[1] - times[0], number(&cause["ticks"]), "{point}");
        let event = cause["event"].as_str().unwrap();
        assert!(
            text.lines().nth(1).unwrap().contains(event),
            "{text} {event}"
        );
        assert!(number(&point["ticks"]) > number(&point["usual"]));
        waits += u64::from(cause["waits_for"].is_u64());
    }
    assert!(waits > 0 || list(&report["communicating"]).is_empty());
    for sort in ["computing", "communicating"] {
        let points = list(&report[sort]);
        assert!(points.is_sorted_by_key(|point| std::cmp::Reverse(number(&point["excess"]))));
    }
}

#[test]
fn a_page_has_the_main_pattern() {
    let folder = Folder::with_store("ring-4");
    let patterns = folder.say("patterns ring-4.fold --json").exits(0).json();
    let main = patterns["locations"][0]["main"]
        .as_str()
        .unwrap()
        .to_owned();
    let page = folder
        .say("patterns ring-4.fold --format html")
        .exits(0)
        .stdout;
    let found = list(&patterns["found"]).iter();
    let mut named = found.filter(|pattern| pattern["name"] == *main);
    let calls = named.next().unwrap()["calls"].as_str().unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(&format!(": {calls}</code>")));
    assert!(!page.contains(&main), "a hash is no name for people");
}

#[test]
fn patterns_that_are_equal_across_ranks_are_one() {
    let folder = Folder::with_store("stencil-9");
    let text = folder.say("patterns stencil-9.fold").exits(0).stdout;
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with(" pattern"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split_whitespace().collect()).collect();
    // The corners of the grid have two neighbours, its sides have three, and its centre has four.
    assert_eq!(rows[1][..5], ["P1", "ranks", "0,2,6,8", "144", "20"]);
    assert_eq!(rows[2][..5], ["P2", "ranks", "1,3,5,7", "204", "20"]);
    assert_eq!(rows[5][..5], ["P5", "rank", "4", "264", "5"]);
    assert!(text.contains("(MPI_Irecv ×3, MPI_Isend ×3, MPI_Waitall) ×10, MPI_Allreduce"));
}

#[test]
fn outputs_that_exist_are_not_replaced() {
    let folder = Folder::with_store("ring-4");
    folder.say("filter ring-4.fold some.txt --to text").exits(0);
    let report = folder
        .say("filter ring-4.fold some.txt --to text")
        .exits(5)
        .report();
    insta::assert_snapshot!("a_filtered_output_that_exists", report);
    folder
        .say("filter ring-4.fold some.txt --to text --force")
        .exits(0);
    let quiet = folder.say("filter -q ring-4.fold other.txt --to text");
    assert_eq!(quiet.exits(0).stdout, "");
    folder.say("filter ring-4.fold some.unknown").exits(2);
    assert!(Path::new(&example("ring-4")).exists());
}

/// The same store gives the same, on any number of cores.
#[test]
fn the_number_of_cores_does_not_matter() {
    let folder = Folder::with_store("stencil-9");
    for command in [
        "patterns stencil-9.fold --json",
        "filter stencil-9.fold --json",
    ] {
        let one = folder
            .foldtrace(command.split(' '))
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(one.stdout).unwrap(),
            folder.say(command).stdout
        );
    }
}

/// The report of `filter` must not be mistaken for the trace.
#[test]
fn a_report_has_no_name_of_a_trace() {
    let folder = Folder::with_store("stencil-9");
    for subcommand in ["filter", "logical"] {
        let command = format!("{subcommand} stencil-9.fold --output kept.otf2");
        let ran = folder.say(&command).exits(2);
        assert!(ran.stderr.contains("without --output"), "{ran:?}");
    }
    assert_eq!(folder.names(), ["stencil-9.fold"]);
}

#[test]
fn items_are_text() {
    let folder = Folder::with_store("stencil-9");
    let ran = folder
        .say("patterns stencil-9.fold --items -o items.json")
        .exits(2);
    assert!(ran.stderr.contains("--items"), "{ran:?}");
    assert_eq!(folder.names(), ["stencil-9.fold"]);
}
