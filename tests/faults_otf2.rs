//! Broken archives that are all there, or nearly: what does not fit together, and the files beside the
//! events.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use otf2_sys::samples::{MAPPED, PLAIN, every_record};

use crate::common::damage::STORE;
use crate::common::{Folder, files};

const ANCHOR: &str = "ring-4/eztrace_log.otf2";
const DEFINITIONS: &str = "ring-4/eztrace_log.def";
/// The events of a location of `ring-4`, rank 1.
const EVENTS: &str = "ring-4/eztrace_log/536870911.evt";
/// Its own definitions.
const OWN: &str = "ring-4/eztrace_log/536870911.def";
/// Bytes of the header of a chunk; records begin behind it.
const HEADER: usize = 18;
/// All events of `ring-4`, and those of each of its locations.
const ALL: u64 = 536;
const EACH: u64 = 134;

impl Folder {
    /// Changes the bytes of a file.
    fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(file)).unwrap();
        change(&mut bytes);
        self.write(file, bytes);
    }

    /// Converts what is odd and whole.
    #[track_caller]
    fn accepts(&self, input: &str, events: u64) -> String {
        let ran = self.say(&format!("convert {input} {STORE}")).exits(0);
        self.keeps(ran, events)
    }
}

/// An archive with every record, in the folder `every`.
fn every() -> Folder {
    let folder = Folder::new();
    every_record(&folder.path("every")).unwrap();
    folder
}

/// Where a record begins in a file of `bytes`.
fn find(bytes: &[u8], record: &[u8]) -> usize {
    let found = bytes
        .windows(record.len())
        .position(|window| window == record);
    found.unwrap()
}

#[test]
fn a_missing_anchor() {
    let folder = Folder::with("ring-4");
    fs::remove_file(folder.path(ANCHOR)).unwrap();
    assert_snapshot!(folder.refuses_altogether("ring-4 --from otf2"));
    assert_snapshot!(
        "a_missing_anchor_by_name",
        folder.refuses_altogether(ANCHOR)
    );
}

#[test]
fn garbage_in_place_of_global_definitions() {
    let folder = Folder::with("ring-4");
    folder.change(DEFINITIONS, |bytes| bytes.fill(0xa5));
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "garbage_in_place_of_global_definitions_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

/// One byte makes the type of a definition the mark that ends a file.
#[test]
fn an_end_among_the_global_definitions() {
    let folder = Folder::with("ring-4");
    folder.change(DEFINITIONS, |bytes| {
        let location = find(&bytes[HEADER..], &[14, 12, 4]) + HEADER;
        bytes[location] = 2;
    });
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "an_end_among_the_global_definitions_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

/// The definitions of all locations come after the cut; the files of their events exist.
#[test]
fn global_definitions_cut_before_all_locations() {
    let folder = Folder::with("ring-4");
    folder.truncate(DEFINITIONS, 61);
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "global_definitions_cut_before_all_locations_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

#[test]
fn garbage_among_the_global_definitions() {
    let folder = Folder::with("ring-4");
    folder.change(DEFINITIONS, |bytes| bytes[1200..1300].fill(0xa5));
    assert_snapshot!(folder.refuses("ring-4"));
    let ran = folder
        .say(&format!("convert ring-4 {STORE} --salvage"))
        .exits(3);
    assert_snapshot!(
        "garbage_among_the_global_definitions_salvaged",
        ran.report()
    );
}

#[test]
fn garbage_in_place_of_local_definitions() {
    let folder = Folder::with("ring-4");
    folder.write(OWN, [0xa5; 40]);
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "garbage_in_place_of_local_definitions_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

#[test]
fn cut_local_definitions() {
    let folder = Folder::with("ring-4");
    folder.truncate(OWN, HEADER as u64);
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "cut_local_definitions_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

/// Just as long as a file without any definition.
#[test]
fn local_definitions_cut_to_nearly_nothing() {
    let folder = every();
    folder.truncate(&format!("every/traces/{MAPPED}.def"), 20);
    assert_snapshot!(folder.refuses("every"));
}

/// Nothing in a file of events says whose they are.
#[test]
fn events_of_another_location() {
    let folder = Folder::with("stencil-9");
    let of = |location: &str| folder.path(format!("stencil-9/eztrace_log/{location}.evt"));
    fs::copy(of("238609294"), of("0")).unwrap();
    let ran = folder.say(&format!("convert stencil-9 {STORE}")).exits(0);
    assert_snapshot!(ran.report());
}

#[test]
fn a_record_of_an_unknown_kind() {
    let folder = Folder::with("ring-4");
    // A message that was sent, of the newest type that there can be.
    folder.change(EVENTS, |bytes| {
        let send = find(&bytes[HEADER..], &[14, 8]) + HEADER;
        bytes[send] = 0xf0;
    });
    let ran = folder.say(&format!("convert ring-4 {STORE}")).exits(3);
    assert_snapshot!(folder.keeps(ran, ALL));
}

/// The count in the header of a chunk, which libotf2 does not need.
#[test]
fn a_chunk_with_a_wrong_count() {
    let folder = Folder::with("ring-4");
    folder.change(EVENTS, |bytes| bytes[10] += 1);
    assert_snapshot!(
        "a_chunk_with_a_count_too_high",
        folder.accepts("ring-4", ALL)
    );
    fs::remove_dir_all(folder.path(STORE)).unwrap();

    folder.change(EVENTS, |bytes| bytes[10] -= 31);
    assert_snapshot!(
        "a_chunk_with_a_count_too_low",
        folder.accepts("ring-4", ALL)
    );
}

/// The type of an event becomes the mark that ends a file.
#[test]
fn an_end_before_the_end() {
    let folder = Folder::with("ring-4");
    folder.change(EVENTS, |bytes| {
        let send = find(&bytes[HEADER..], &[14, 8]) + HEADER;
        bytes[send] = 2;
    });
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "an_end_before_the_end_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

/// A length that leaves no room for the last field.
#[test]
fn a_record_that_is_too_short() {
    let folder = Folder::with("ring-4");
    folder.change(EVENTS, |bytes| {
        let send = find(&bytes[HEADER..], &[14, 8]) + HEADER;
        bytes[send + 4] = 9;
    });
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "a_record_that_is_too_short_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

/// As some editors and hooks of version control leave files.
#[test]
fn a_newline_after_every_file() {
    let folder = Folder::with("ring-4");
    append(&folder, "ring-4", b"\n");
    assert_snapshot!(folder.accepts("ring-4", ALL));
}

/// The same for markers, snapshots and thumbnails.
#[test]
fn bytes_after_every_kind_of_file() {
    let folder = every();
    let diagnostics = |folder: &Folder| {
        let ran = folder.say("info --json every");
        let report = ran.json();
        (ran.code, report["diagnostics"].as_object().unwrap().clone())
    };
    let whole = diagnostics(&folder);
    let count = append(&folder, "every", b"\x02\x01more\n");
    let kinds = ["otf2", "def", "evt", "marker", "snap", "thumb"];
    for kind in kinds {
        let is_of_kind = |file: &PathBuf| file.extension().is_some_and(|e| e == kind);
        assert!(
            files(&folder.path("every")).iter().any(is_of_kind),
            "{kind}"
        );
    }
    let mut with_bytes = diagnostics(&folder);
    let trailing = with_bytes.1.remove("otf2.trailing_bytes").unwrap();
    assert_eq!(trailing, count);
    assert_eq!(with_bytes, whole);
}

/// Appends `bytes` to every file of an archive; gives how many there are.
fn append(folder: &Folder, archive: &str, bytes: &[u8]) -> usize {
    let files = files(&folder.path(archive));
    for file in &files {
        folder.change(&format!("{archive}/{}", file.display()), |content| {
            content.extend_from_slice(bytes);
        });
    }
    files.len()
}

/// The count of definitions in the anchor.
#[test]
fn an_anchor_with_a_wrong_count_of_definitions() {
    let folder = Folder::with("ring-4");
    // Behind two sizes of chunks, substrate, compression and the count of locations.
    const COUNT: usize = 2 + 5 + 5 + 16 + 2 + 8;
    folder.change(ANCHOR, |bytes| bytes[COUNT] += 1);
    assert_snapshot!(folder.refuses("ring-4"));
    assert_snapshot!(
        "an_anchor_with_a_wrong_count_of_definitions_salvaged",
        folder.salvages("ring-4", ALL)
    );
}

#[test]
fn an_anchor_with_a_wrong_count_of_locations() {
    let folder = Folder::with("ring-4");
    const COUNT: usize = 2 + 5 + 5 + 16 + 2;
    folder.change(ANCHOR, |bytes| bytes[COUNT] += 1);
    assert_snapshot!(folder.accepts("ring-4", ALL));
}

#[test]
fn ids_that_nothing_defines() {
    let folder = Folder::with("ring-4");
    // Regions are numbered from 2^29 on here.
    folder.change(EVENTS, |bytes| {
        let enter = find(&bytes[HEADER..], &[12, 4, 0]) + HEADER;
        bytes[enter + 2] = 200;
    });
    assert_snapshot!(folder.accepts("ring-4", ALL));
}

#[test]
fn time_that_goes_backwards() {
    let folder = Folder::with("ring-4");
    // The highest byte but one of the first time: later than all that follow.
    folder.change(EVENTS, |bytes| {
        assert_eq!(bytes[HEADER], 5);
        bytes[HEADER + 7] = 0x10;
    });
    assert_snapshot!(folder.accepts("ring-4", ALL));
}

#[test]
fn regions_left_in_another_order() {
    let folder = Folder::with("ring-4");
    // The first leave, of another region than the one that was entered last.
    folder.change(EVENTS, |bytes| {
        let leave = find(&bytes[HEADER..], &[13, 4, 1]) + HEADER;
        bytes[leave + 2] = 0;
    });
    assert_snapshot!(folder.accepts("ring-4", ALL));
}

/// What was sent and never received is no fault of the archive: it is kept as it is.
#[test]
fn a_send_without_its_receive() {
    let folder = Folder::with("ring-4");
    let whole = folder.accepts("ring-4", ALL);
    fs::remove_dir_all(folder.path(STORE)).unwrap();
    // A receive becomes another send.
    folder.change(EVENTS, |bytes| {
        let receive = find(&bytes[HEADER..], &[18, 7, 0]) + HEADER;
        bytes[receive] = 14;
    });
    assert_eq!(folder.accepts("ring-4", ALL), whole);
}

/// Cuts one of the files beside the events, and fills it with garbage.
fn side(file: &str, garbled: &str) {
    let folder = every();
    let whole = fs::read(folder.path(file)).unwrap();
    folder.truncate(file, whole.len() as u64 / 2);
    let refused = folder.refuses("every --to fold");
    let ran = folder.say("info every --salvage").exits(3);
    let lost: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("damaged_definitions"))
        .collect();
    let name = format!("{garbled}_cut");
    assert_snapshot!(name, format!("{refused}\n{}\n", lost.join("\n")));
    folder.change(file, |bytes| bytes[HEADER..].fill(0xa5));
    assert_snapshot!(format!("{garbled}_garbled"), folder.refuses("every"));
}

#[test]
fn damaged_markers() {
    side("every/traces.marker", "markers");
}

#[test]
fn damaged_snapshots() {
    side(&format!("every/traces/{PLAIN}.snap"), "snapshots");
}

#[test]
fn damaged_thumbnails() {
    side("every/traces.2.thumb", "thumbnails");
}

#[test]
fn a_missing_thumbnail() {
    let folder = every();
    fs::remove_file(folder.path("every/traces.1.thumb")).unwrap();
    let ran = folder.say("info every").exits(3);
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("missing_thumbnail"));
    assert_snapshot!(line.unwrap());
}

#[test]
fn the_files_are_where_these_tests_expect_them() {
    let folder = Folder::with("ring-4");
    for file in [ANCHOR, DEFINITIONS, EVENTS, OWN] {
        assert!(folder.path(PathBuf::from(file)).is_file(), "{file}");
    }
    assert_eq!(ALL, 4 * EACH);
}
