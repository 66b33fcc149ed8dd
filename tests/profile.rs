//! Profiles, as the command shows them of recorded traces and of small texts.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::{EXAMPLES, Folder};

/// A trace in which calls end out of order, a region calls itself, a call is never left, and one was never entered.
const ODD: &str = "\
0 local enter main time=0
0 local enter f time=10
0 local enter f time=20
0 local leave f time=25
0 local leave f time=40
0 local enter g time=50
0 local leave main time=70
0 local enter h time=75
0 local leave g time=80
0 local leave k time=85
0 send 1 0 time=100
";

/// A counter at each enter and leave, a sensor that is defined as a counter, and a metric of memory in KiB.
const COUNTED: &str = "\
#: string id=1 \"cycles\"
#: string id=2 \"power\"
#: string id=3 \"memory\"
#: string id=4 \"B\"
#: metric_member id=1 name=1 mode=0 base=1 exponent=0 value_type=4
#: metric_member id=2 name=2 mode=0 base=1 exponent=0 value_type=4
#: metric_member id=3 name=3 mode=1 base=0 exponent=10 unit=4 value_type=4
#: metric_class id=1 members=1,2
#: metric_class id=2 members=3
0 local metric metric=1 value.0=uint64:1000 value.1=uint64:10 time=0
0 local enter main time=0
0 local metric metric=1 value.0=uint64:1030 value.1=uint64:30 time=10
0 local enter f time=10
0 local metric metric=2 value.0=uint64:40 time=15
0 local metric metric=1 value.0=uint64:1080 value.1=uint64:20 time=20
0 local leave f time=20
0 local metric metric=2 value.0=uint64:80 time=25
0 local metric metric=1 value.0=uint64:1100 value.1=uint64:20 time=30
0 local leave main time=30
";

fn nanoseconds(value: &Value) -> i64 {
    value
        .as_i64()
        .unwrap_or_else(|| panic!("{value} is no time"))
}

#[test]
fn exclusive_times_add_up() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let profile = folder.say(&format!("profile {name}.fold --json")).exits(0);
        let profile = profile.json();
        let regions = profile["regions"].as_array().unwrap();
        let exclusive = regions
            .iter()
            .map(|region| nanoseconds(&region["exclusive"]));
        let times: i64 = exclusive.sum();
        let total = nanoseconds(&profile["total"]);
        assert_eq!(times + nanoseconds(&profile["outside"]), total, "{name}");
        let slowest = regions
            .windows(2)
            .all(|pair| nanoseconds(&pair[0]["exclusive"]) >= nanoseconds(&pair[1]["exclusive"]));
        assert!(slowest, "{name}");
    }
}

#[test]
fn a_solver_with_functions() {
    let folder = Folder::with_store("vcycle-4");
    assert_snapshot!(
        "vcycle",
        folder.say("profile vcycle-4.fold --top 8").exits(0).stdout
    );
    assert_snapshot!(
        "vcycle_tree",
        folder.say("profile vcycle-4.fold --tree").exits(0).stdout
    );
    let rank = "profile vcycle-4.fold --location 3 --top 3";
    assert_snapshot!("vcycle_rank_3", folder.say(rank).exits(0).stdout);
}

#[test]
fn locations_have_shares() {
    let folder = Folder::with_store("vcycle-4");
    let ran = folder.say("profile vcycle-4.fold --by location").exits(0);
    assert_snapshot!("vcycle_locations", ran.stdout);
    let profile = folder.say("profile vcycle-4.fold --json").exits(0).json();
    let locations = profile["by_location"].as_array().unwrap();
    let durations = locations.iter().map(|one| nanoseconds(&one["duration"]));
    assert_eq!(durations.sum::<i64>(), nanoseconds(&profile["total"]));
    for location in locations {
        let paradigms = location["paradigms"].as_array().unwrap();
        let times = paradigms.iter().map(|one| nanoseconds(&one["time"]));
        assert_eq!(times.sum::<i64>(), nanoseconds(&location["duration"]));
    }
}

#[test]
fn call_paths_have_the_sums_of_their_regions() {
    let folder = Folder::with_store("vcycle-4");
    let profile = folder
        .say("profile vcycle-4.fold --tree --json")
        .exits(0)
        .json();
    let mut sums = std::collections::BTreeMap::new();
    let mut waiting: Vec<&Value> = profile["tree"].as_array().unwrap().iter().collect();
    while let Some(path) = waiting.pop() {
        let children = path["children"].as_array().unwrap();
        let inner: i64 = children
            .iter()
            .map(|child| nanoseconds(&child["inclusive"]))
            .sum();
        let own = nanoseconds(&path["exclusive"]);
        // EZTrace leaves `Working` before a call within it.
        if path["name"] != "Working" {
            assert_eq!(own + inner, nanoseconds(&path["inclusive"]), "{path}");
        }
        let sum = sums.entry(path["name"].as_str().unwrap()).or_insert((0, 0));
        *sum = (sum.0 + path["calls"].as_i64().unwrap(), sum.1 + own);
        waiting.extend(children);
    }
    for region in profile["regions"].as_array().unwrap() {
        let expected = (
            region["calls"].as_i64().unwrap(),
            nanoseconds(&region["exclusive"]),
        );
        assert_eq!(sums[region["name"].as_str().unwrap()], expected, "{region}");
    }
}

#[test]
fn odd_calls_count_as_the_page_says() {
    let folder = Folder::new();
    fs::write(folder.path("odd.trace"), ODD).unwrap();
    let ran = folder
        .say("profile odd.trace --format csv --quiet")
        .exits(0);
    assert_snapshot!("odd", ran.stdout);
    let ran = folder
        .say("profile odd.trace --tree --threshold 0% --quiet")
        .exits(0);
    assert_snapshot!("odd_tree", ran.stdout);
}

#[test]
fn tables_and_pictures() {
    let folder = Folder::with_store("ring-4");
    folder.say("profile ring-4.fold -o p.csv").exits(0);
    folder.say("profile ring-4.fold -o p.parquet").exits(0);
    let csv = fs::read_to_string(folder.path("p.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 4 * 6, "{csv}");
    assert!(
        fs::read(folder.path("p.parquet"))
            .unwrap()
            .starts_with(b"PAR1")
    );
    let stacks = folder
        .say("profile ring-4.fold --format folded")
        .exits(0)
        .stdout;
    assert!(
        stacks
            .lines()
            .any(|line| line.starts_with("Working;MPI_Recv ")),
        "{stacks}"
    );
    let picture = folder
        .say("profile ring-4.fold --format svg")
        .exits(0)
        .stdout;
    assert!(
        picture.contains("MPI_Recv: ") && picture.ends_with("</svg>\n"),
        "{picture}"
    );
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::with_store("ring-4");
    let report = |command: &str, code| folder.say(command).exits(code).report();
    assert_snapshot!(
        "tree_as_csv",
        report("profile ring-4.fold --tree --format csv", 2)
    );
    let as_json = report("profile ring-4.fold --by location --json", 2);
    assert_snapshot!("locations_as_json", as_json);
    assert!(report("profile ring-4.fold --depth 3", 2).contains("--tree"));
    folder.write("there.csv", "old");
    let refused = report("profile ring-4.fold -o there.csv", 5);
    assert!(refused.contains("there.csv"), "{refused}");
    assert_eq!(fs::read_to_string(folder.path("there.csv")).unwrap(), "old");
    assert_snapshot!("no_location", report("profile ring-4.fold --location 9", 2));
    fs::write(
        folder.path("messages.trace"),
        "0 send 1 0 time=1\n0 recv 1 0 time=5\n",
    )
    .unwrap();
    let ran = folder.say("profile messages.trace --quiet").exits(0);
    assert_eq!(ran.stdout, "messages.trace: no calls\n");
}

#[test]
fn counters_belong_to_the_innermost_call() {
    let folder = Folder::new();
    fs::write(folder.path("counted.trace"), COUNTED).unwrap();
    let ran = folder.say("profile counted.trace --quiet").exits(0);
    assert_snapshot!("counted", ran.stdout);
    let profile = folder
        .say("profile counted.trace --json --quiet")
        .exits(0)
        .json();
    let metrics = profile["metrics"].as_array().unwrap();
    let seen = metrics
        .iter()
        .map(|metric| (&metric["mode"], &metric["sum"], &metric["mean"]));
    let expected = [
        (json!("accumulated"), json!(100.0), json!(null)),
        (json!("absolute"), json!(null), json!(20.0)),
        (json!("absolute"), json!(null), json!(60.0)),
    ];
    assert!(
        seen.eq(expected.iter().map(|(mode, sum, mean)| (mode, sum, mean))),
        "{metrics:?}"
    );
}

/// Extrae's types for parts of collective operations would be metrics if there were no operation.
#[test]
fn metrics_without_values_are_left_out() {
    let folder = Folder::new();
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/paraver/good/extrae/input.prv"
    );
    let profile = folder.say(&format!("profile {trace} --json --quiet"));
    let profile = profile.exits(0).json();
    let metrics = profile["metrics"].as_array().unwrap();
    let mut names: Vec<&str> = metrics
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    let expected = [
        "CPU",
        "PAPI_TOT_CYC [Total cycles]",
        "PAPI_TOT_INS [Instr completed]",
    ];
    assert_eq!(names, expected);
}

#[test]
fn info_of_damaged_events_says_what_it_leaves_out() {
    let folder = Folder::new();
    // Files are checked in pieces of 64 KiB; the footer, which has the bounds of the times, must be in another one.
    let lines = (0..200_000_u64).map(|event| {
        let side = ["enter", "leave"][event as usize % 2];
        // Noise keeps the file long.
        let noise = event
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(event)
            >> 54;
        let time = 2_000 * event + noise;
        format!("0 local {side} main time={time}\n")
    });
    folder.write("long.trace", lines.collect::<String>());
    folder.say("convert -q long.trace long.fold").exits(0);
    let whole = folder.say("info long.fold").exits(0);
    assert!(whole.stdout.contains("exclusive"), "{}", whole.stdout);
    let part = folder.path("long.fold/quantity/part-00000.parquet");
    let mut bytes = fs::read(&part).unwrap();
    assert!(bytes.len() > 1 << 17, "{}", bytes.len());
    bytes[100] ^= 0xff;
    fs::write(&part, bytes).unwrap();
    let ran = folder.say("info long.fold").exits(0);
    assert!(ran.stdout.contains(" events     "), "{}", ran.stdout);
    let note = "note: shares and main loops are left out: ";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
}
