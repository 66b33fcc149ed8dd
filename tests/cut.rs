//! `convert` with the options that cut: recorded archives, text that mixes locations, stores; what
//! is not read at all; and what the user reads who names what is not there.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;

use foldtrace::store::StoreReader;
use foldtrace_trace::{DefinitionKind, TraceReader};
use insta::assert_snapshot;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{ReadOptionsBuilder, SerializedFileReader};

use crate::common;
use crate::common::{EXAMPLES, Folder};

/// Two processes, one with two threads, line by line in turns; the time of 0.1 goes back once.
const MIXED: &str = "\
0 local enter main time=0
1 local enter main time=1
0.1 local enter work time=2
0 send 1 7 time=10 bytes=8
0 recv 1 7 time=12 bytes=8
0.1 local tick time=25
0.1 local tick time=11
0 local enter step time=20
1 local leave main time=22
0 sync MPI_Barrier 0-1 time=28
0 local leave step time=30
0.1 local leave work time=31
0 local leave main time=40
";

fn with_mixed() -> Folder {
    let folder = Folder::new();
    folder.write("run.trace", MIXED);
    folder
}

impl Folder {
    /// The events of a cut of `input`, as text without definitions.
    #[track_caller]
    fn events_of_cut(&self, input: &str, options: &str) -> String {
        let ran = self.say(&format!("convert {input} - --to text {options}"));
        let lines = ran.exits(0).stdout;
        let events = lines.lines().filter(|line| !line.starts_with('#'));
        events.map(|line| format!("{line}\n")).collect()
    }

    /// The same by way of a store, which must be whole in itself.
    #[track_caller]
    fn cut_by_store(&self, input: &str, options: &str) -> String {
        let convert = format!("convert {input} cut.fold --force {options}");
        self.say(&convert).exits(0);
        self.say("verify cut.fold").exits(0);
        self.events_of_cut("cut.fold", "")
    }

    /// What is said to someone who asks for what is not there; nothing is made.
    #[track_caller]
    fn refuses_cut(&self, options: &str) -> String {
        let before = self.names();
        let mut report = String::new();
        for input in self.names() {
            let ran = self.say(&format!("convert {input} out.fold {options}"));
            report = ran.exits(2).report();
        }
        assert_eq!(self.names(), before);
        report
    }
}

/// Lines in an order of their own: traces that mix locations and those that do not agree in them.
fn sorted(lines: &str) -> Vec<&str> {
    let mut lines: Vec<_> = lines.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_range_of_time_begins_and_ends_what_is_open() {
    assert_snapshot!(with_mixed().events_of_cut("run.trace", "--time 11..28"));
}

#[test]
fn without_an_end_nothing_is_made_up() {
    assert_snapshot!(with_mixed().events_of_cut("run.trace", "--time 21.."));
}

#[test]
fn without_a_beginning_there_is_only_an_end() {
    assert_snapshot!(with_mixed().events_of_cut("run.trace", "--time ..11"));
}

#[test]
fn calls_of_a_region_come_with_what_is_in_them() {
    let folder = with_mixed();
    assert_eq!(
        folder.events_of_cut("run.trace", "--region st*,w?rk --location 0"),
        "0 local enter step time=20\n\
         0 sync MPI_Barrier 0-1 time=28\n\
         0 local leave step time=30\n"
    );
}

#[test]
fn filters_have_to_agree() {
    let folder = with_mixed();
    assert_eq!(
        folder.events_of_cut("run.trace", "--process 0 --kind comm,leave --time ..29"),
        "0 send 1 7 time=10 bytes=8\n\
         0 sync MPI_Barrier 0-1 time=28\n\
         0 local leave step time=29\n\
         0 local leave main time=29\n\
         0.1 local leave work time=29\n"
    );
}

#[test]
fn text_and_store_give_the_same_events_of_every_example() {
    let cuts = [
        "--time 1.5ms..20ms",
        "--time 20ms..50000000",
        "--time 20ms.. --kind enter,leave,comm",
        "--location 0.0,2.0 --region MPI_*",
        "--process 1-2 --time ..22ms",
    ];
    for name in EXAMPLES {
        let folder = Folder::with(name);
        folder.say(&format!("convert {name} all.fold")).exits(0);
        for options in cuts {
            let text = folder.events_of_cut(name, options);
            assert!(!text.is_empty(), "{name} {options}");
            assert_eq!(folder.cut_by_store(name, options), text, "{name} {options}");
            assert_eq!(
                folder.events_of_cut("all.fold", options),
                text,
                "{name} {options}"
            );
            folder
                .say(&format!("convert {name} all.trace --force"))
                .exits(0);
            let mixed = folder.events_of_cut("all.trace", options);
            assert_eq!(sorted(&mixed), sorted(&text), "{name} {options}");
        }
    }
}

#[test]
fn a_cut_of_a_cut_is_the_cut() {
    let folder = Folder::with("stencil-9");
    folder
        .say("convert stencil-9 wide.fold --time 41ms..50ms --process 3-5")
        .exits(0);
    let narrow = "--time 43000000..45000000 --location 4.0";
    let expected = folder.events_of_cut("stencil-9", narrow);
    assert!(expected.lines().count() > 20, "{expected}");
    assert_eq!(folder.events_of_cut("wide.fold", narrow), expected);
    assert_eq!(folder.cut_by_store("wide.fold", narrow), expected);
}

#[test]
fn what_comes_through_a_pipe_is_cut_too() {
    let folder = Folder::new();
    let ran = folder
        .feed("convert - - --to text --location 1 --time 5..", MIXED)
        .exits(0);
    let events = ran.stdout.lines().filter(|line| !line.starts_with('#'));
    let expected = [
        "1 local enter main time=5",
        "0 recv 1 7 time=12 bytes=8",
        "1 local leave main time=22",
    ];
    assert_eq!(events.collect::<Vec<_>>(), expected);
}

#[test]
fn locations_that_are_left_out_are_not_opened() {
    let folder = Folder::with("ring-4");
    let expected = folder.events_of_cut("ring-4", "--process 0,2-3");
    fs::remove_file(folder.path("ring-4/eztrace_log/536870911.evt")).unwrap();
    folder.say("convert ring-4 all.fold").exits(4);
    assert_eq!(folder.events_of_cut("ring-4", "--process 0,2-3"), expected);
    assert_eq!(
        folder.cut_by_store("ring-4", "--location 0.0,2.0,3.0"),
        expected
    );
}

#[test]
fn damage_behind_the_range_is_not_met() {
    let folder = Folder::with("ring-4");
    let options = "--location 0.0 --time ..1000000";
    let expected = folder.events_of_cut("ring-4", options);
    let events = folder.path("ring-4/eztrace_log/0.evt");
    OpenOptions::new()
        .write(true)
        .open(events)
        .unwrap()
        .set_len(900)
        .unwrap();
    folder
        .say("convert ring-4 all.fold --location 0.0")
        .exits(4);
    assert_eq!(folder.events_of_cut("ring-4", options), expected);
    // Behind the damage there is nothing to end at.
    folder
        .say("convert ring-4 all.fold --location 0.0 --time 18ms..1min")
        .exits(4);
    folder
        .say("convert ring-4 all.fold --location 0.0 --time ..1min --salvage")
        .exits(3);
    folder.say("verify all.fold").exits(0);
}

#[test]
fn damage_before_the_range_is_what_it_is_without_a_range() {
    let folder = Folder::with("ring-4");
    let events = folder.path("ring-4/eztrace_log/0.evt");
    let file = OpenOptions::new().write(true).open(events).unwrap();
    file.set_len(900).unwrap();
    let all = folder.say("convert ring-4 all.fold --location 0.0");
    let cut = folder.say("convert ring-4 all.fold --location 0.0 --time 1min..");
    assert_eq!(cut.exits(4).report(), all.exits(4).report());
    // What is open where the location breaks off is open in the range.
    let options = "--location 0.0 --time 1min..2min --salvage";
    let ran = folder.say(&format!("convert ring-4 - --to text {options}"));
    let text = ran.exits(3).stdout;
    let events = text.lines().filter(|line| !line.starts_with('#'));
    let kinds = events.map(|line| line.split(' ').nth(2).unwrap().to_owned());
    let kinds: Vec<_> = kinds.collect();
    assert!(kinds.len() >= 2 && kinds.len() % 2 == 0, "{text}");
    let (enters, leaves) = kinds.split_at(kinds.len() / 2);
    assert!(enters.iter().all(|kind| kind == "enter"), "{text}");
    assert!(leaves.iter().all(|kind| kind == "leave"), "{text}");
}

/// Bytes of a large file that are verified together.
const GROUP: u64 = 1 << 16;

/// Overwrites every group of the store's only part of quantities, except those with a page of the rows
/// `whole` of the first row group or a dictionary of it, and those with the footer and the index of pages.
fn spoil(folder: &Folder, whole: Range<i64>) -> usize {
    let path = folder.path("long.fold/quantity/part-00000.parquet");
    let options = ReadOptionsBuilder::new().with_page_index().build();
    let table = SerializedFileReader::new_with_options(File::open(&path).unwrap(), options);
    let metadata = table.unwrap().metadata().clone();
    let mut kept = BTreeSet::new();
    let mut end_of_pages = 0;
    for (number, row_group) in metadata.row_groups().iter().enumerate() {
        for (column, chunk) in row_group.columns().iter().enumerate() {
            let (start, bytes) = chunk.byte_range();
            end_of_pages = end_of_pages.max(start + bytes);
            let index = metadata.page_index_for_row_group(number);
            let pages = index.offset_index(column).unwrap().page_locations().clone();
            if let (0, Some(dictionary)) = (number, chunk.dictionary_page_offset()) {
                let last = chunk.data_page_offset() as u64 - 1;
                kept.extend(dictionary as u64 / GROUP..=last / GROUP);
            }
            for (i, page) in pages.iter().enumerate() {
                let next = pages
                    .get(i + 1)
                    .map_or(i64::MAX, |next| next.first_row_index);
                if number == 0 && next > whole.start && page.first_row_index < whole.end {
                    let first = page.offset as u64;
                    let last = first + page.compressed_page_size as u64 - 1;
                    kept.extend(first / GROUP..=last / GROUP);
                }
            }
        }
    }
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    let mut spoilt = 0;
    for group in (0..end_of_pages / GROUP).filter(|group| !kept.contains(group)) {
        file.seek(SeekFrom::Start(group * GROUP)).unwrap();
        file.write_all(&[0xa5; GROUP as usize]).unwrap();
        spoilt += 1;
    }
    spoilt
}

#[test]
fn a_store_is_read_within_the_range_only() {
    const EACH: usize = 200_000;
    const EACH_TIME: usize = 1 << 28;
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(1);
    let lines: String = (0..EACH)
        .flat_map(|n| [0, 1].map(|rank| (n, rank)))
        .map(|(n, rank)| {
            // Times that do not compress, so that the file has many groups.
            let time = n * EACH_TIME + random.usize(..EACH_TIME);
            match n % 2 {
                0 => format!("{rank} local enter step time={time}\n"),
                _ => format!("{rank} send {} 1 time={time} bytes={n}\n", 1 - rank),
            }
        })
        .collect();
    folder.write("long.trace", lines);
    folder.say("convert long.trace long.fold -q").exits(0);
    let middle = EACH / 2;
    let (from, to) = (middle * EACH_TIME, (middle + 5) * EACH_TIME);
    let options = &format!("--location 0 --time {from}..{to}");
    let expected = folder.events_of_cut("long.fold", options);
    assert_eq!(expected.lines().count(), middle / 2 + 5 + middle / 2 + 3);

    let row = middle as i64;
    assert!(spoil(&folder, row..row + 6) > 8);
    folder.say("convert long.fold - --to text").exits(4);
    assert_eq!(folder.events_of_cut("long.fold", options), expected);
}

#[test]
fn an_empty_cut_is_a_loss_and_a_trace() {
    let folder = Folder::with("ring-4");
    let ran = folder
        .say("convert -q ring-4 quiet.fold --kind mpi_isend")
        .exits(3);
    assert_snapshot!(ran.report());
    folder
        .say("convert ring-4 cut.fold --kind mpi_isend")
        .exits(3);
    folder.say("verify cut.fold").exits(0);
    let info = folder.say("info --json cut.fold").json();
    assert_eq!(info["events"], 0);
    assert_eq!(info["symbols"], 0);
    assert_eq!(info["diagnostics"]["cut.empty"], 1);
    // Ranks and groups need all definitions.
    assert_eq!(info["locations"], 4);
}

#[test]
fn the_definitions_tell_the_range() {
    let folder = Folder::with("ring-4");
    let options = "--time 1ms..3000000 --location 1.0";
    folder
        .say(&format!("convert ring-4 cut.fold {options}"))
        .exits(0);
    let cut = StoreReader::open(&folder.path("cut.fold")).unwrap();
    let clock = cut.manifest().clock();
    assert_eq!(
        (clock.global_offset, clock.trace_length),
        (1_000_000, 2_000_000)
    );
    assert_eq!(cut.manifest().source.name, "ring-4");
    let locations = cut.definitions().records(DefinitionKind::Location);
    let claims: BTreeSet<_> = locations.map(|l| l.field("number_of_events")).collect();
    assert_eq!(claims, BTreeSet::from([None]));

    folder.say("convert ring-4 all.fold").exits(0);
    let all = StoreReader::open(&folder.path("all.fold")).unwrap();
    let others = DefinitionKind::ALL.iter().filter(|&&kind| {
        kind != DefinitionKind::Location && kind != DefinitionKind::ClockProperties
    });
    for &kind in others {
        assert_eq!(
            cut.definitions().table(kind),
            all.definitions().table(kind),
            "{kind:?}"
        );
    }
    // Times with a unit count from the first tick, which is now that of the cut.
    let again = folder.events_of_cut("cut.fold", "--time 0s..0.5ms");
    assert_eq!(
        again,
        folder.events_of_cut("cut.fold", "--time 1000000..1500000")
    );
}

#[test]
fn unknown_names() {
    let folder = Folder::new();
    common::copy(&common::example("ring-4"), &folder.path("ring-4"));
    assert_snapshot!("unknown_location", folder.refuses_cut("--location 0.0,7"));
    assert_snapshot!("unknown_process", folder.refuses_cut("--process 1-9"));
    assert_snapshot!(
        "unknown_region",
        folder.refuses_cut("--region MPI_Send,MPI_Recieve")
    );
    assert_snapshot!("unknown_kind", folder.refuses_cut("--kind enter,mpi_isned"));
    assert_snapshot!("unknown_pattern", folder.refuses_cut("--region PMPI_*"));
}

#[test]
fn unknown_names_of_a_text_are_known_at_its_end() {
    let folder = with_mixed();
    assert_snapshot!(
        "unknown_location_of_a_text",
        folder.refuses_cut("--location 1.4")
    );
    assert_snapshot!(
        "unknown_region_of_a_text",
        folder.refuses_cut("--region stop")
    );
}

#[test]
fn arguments_that_make_no_sense() {
    let folder = with_mixed();
    assert_snapshot!("no_range", folder.refuses_cut("--time 5ms"));
    assert_snapshot!("no_time", folder.refuses_cut("--time 1.5..2"));
    assert_snapshot!("an_empty_range", folder.refuses_cut("--time 2us..1us"));
    assert_snapshot!("no_ranks", folder.refuses_cut("--process 3-1"));
}
