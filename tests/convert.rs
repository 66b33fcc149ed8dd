//! Converting the recorded archives, against their documented counts, against `otf2-print`, and
//! one way of reading them against the other.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use foldtrace::store::StoreReader;
use foldtrace_otf2::Otf2;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, Format, Input, LocationId, Position, ReadOptions, Step,
    TraceReader,
};

use crate::common::{EXAMPLES, Folder, example, files};

/// Events of each kind.
type Kinds = BTreeMap<String, u64>;

/// The table of `examples/README.md` for one trace.
fn documented(name: &str) -> (Kinds, u64) {
    let readme = fs::read_to_string(example("README.md")).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim_matches([' ', '*', '`']).replace(',', ""))
            .collect()
    };
    let mut rows = readme.lines().skip_while(|l| !l.starts_with("| kind "));
    let head = cells(rows.next().unwrap());
    let column = head.iter().position(|cell| cell == name).unwrap();
    let mut kinds: Kinds = rows
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .filter(|cells| cells[column] != "–")
        .map(|cells| (cells[0].clone(), cells[column].parse().unwrap()))
        .collect();
    kinds.remove("bytes on disk").unwrap();
    let all = kinds.remove("all").unwrap();
    (kinds, all)
}

/// What `otf2-print` says of the events of each location: kind and time.
fn by_otf2_print(name: &str) -> BTreeMap<u64, Vec<(String, u64)>> {
    let output = Command::new("otf2-print")
        .arg(example(name).join("eztrace_log.otf2"))
        .output()
        .expect("otf2-print is of the package otf2-tools");
    let mut events: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let mut words = line.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let is_kind = kind.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let (location, time) = (words.next().map(str::parse), words.next().map(str::parse));
        if let (true, Some(Ok(location)), Some(Ok(time))) = (is_kind, location, time) {
            let events = events.entry(location).or_default();
            events.push((kind.to_lowercase(), time));
        }
    }
    events
}

/// The same, of a store.
fn by_the_store(store: &StoreReader) -> BTreeMap<u64, Vec<(String, u64)>> {
    let mut events: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for location in store.locations() {
        let mut stream = store.events(location, Position(0));
        let mut batch = EventBatch::default();
        while stream
            .next_batch(&mut batch, &mut Diagnostics::default())
            .unwrap()
            == Step::Batch
        {
            let events = events.entry(location.0).or_default();
            events.extend(batch.iter(stream.symbols()).map(|event| {
                let kind = stream.symbols().kind(event.symbol);
                (kind.name().to_owned(), event.time.0)
            }));
        }
    }
    events
}

fn store_of(name: &str) -> (Folder, StoreReader) {
    let folder = Folder::with_store(name);
    let store = StoreReader::open(&folder.path(format!("{name}.fold"))).unwrap();
    (folder, store)
}

#[test]
fn counts_are_those_of_the_documentation() {
    for name in EXAMPLES {
        let (kinds, all) = documented(name);
        let (folder, store) = store_of(name);
        assert_eq!(kinds.values().sum::<u64>(), all, "{name}");
        assert_eq!(store.manifest().counts.events, all, "{name}");
        assert_eq!(store.manifest().counts.kinds, kinds, "{name}");
        let archive = folder.run(["info", "--json", example(name).to_str().unwrap()]);
        let info = archive.exits(0).json();
        assert_eq!(info["events"], all, "{name}");
        assert_eq!(info["kinds"], serde_json::to_value(&kinds).unwrap());
    }
}

#[test]
fn otf2_print_sees_the_same_kinds_and_times() {
    for name in EXAMPLES {
        let (_folder, store) = store_of(name);
        let expected = by_otf2_print(name);
        assert_eq!(expected.len() as u64, store.manifest().counts.locations);
        assert!(by_the_store(&store) == expected, "{name} differs");
        let mut kinds = Kinds::new();
        for (kind, _) in expected.values().flatten() {
            *kinds.entry(kind.clone()).or_default() += 1;
        }
        assert_eq!(store.manifest().counts.kinds, kinds, "{name}");
    }
}

#[test]
fn stores_verify() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let ran = folder.say(&format!("verify {name}.fold")).exits(0);
        assert!(ran.stdout.contains("all as it was written"), "{ran:?}");
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn models_replay_to_the_topology_of_each_location() {
    for name in EXAMPLES {
        let (folder, store) = store_of(name);
        for location in store.locations() {
            let events = store.index().events(location);
            let ask = |command: &str| folder.say(&format!("{command} --location @{location}"));
            let replayed = ask(&format!("replay {name}.fold")).exits(0).stdout;
            let printed = ask(&format!("print --topology {name}.fold")).exits(0);
            assert!(replayed == printed.stdout, "{name} location {location}");
            assert_eq!(replayed.lines().count() as u64, events);
        }
    }
}

#[test]
fn a_model_in_a_file_of_its_own_replays_the_same() {
    for name in EXAMPLES {
        let (folder, store) = store_of(name);
        let model = folder.say(&format!("loops {name}.fold --format json"));
        folder.write("model.json", model.exits(0).stdout);
        for location in store.locations() {
            let ask = |command: &str| folder.say(&format!("{command} --location @{location}"));
            let replayed = ask("replay model.json").exits(0).stdout;
            let printed = ask(&format!("print --topology {name}.fold")).exits(0);
            assert!(replayed == printed.stdout, "{name} location {location}");
        }
        let all = folder.say("replay model.json").exits(0).stdout;
        let printed = folder.say(&format!("print --topology {name}.fold"));
        assert!(all == printed.exits(0).stdout, "{name}");
    }
}

#[test]
fn a_store_prints_as_the_archive_does() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        let store = folder.say(&format!("print {name}.fold")).exits(0).stdout;
        let archive = folder.run(["print", example(name).to_str().unwrap()]);
        assert!(store == archive.exits(0).stdout, "{name}");
        assert_eq!(store.lines().count() as u64, documented(name).1);
    }
}

#[test]
fn the_number_of_threads_does_not_show_in_the_store() {
    for name in EXAMPLES {
        let folder = Folder::with(name);
        for threads in ["1", "2"] {
            fs::create_dir(folder.path(threads)).unwrap();
            let store = format!("{threads}/same.fold");
            let mut command = folder.foldtrace(["convert", name, &store]);
            let output = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        let (one, two) = (folder.path("1/same.fold"), folder.path("2/same.fold"));
        let manifest = |path| StoreReader::open(path).unwrap().manifest().clone();
        assert_eq!(manifest(&one).files, manifest(&two).files);
        assert_eq!(files(&one), files(&two));
        for file in files(&one) {
            let (a, b) = (fs::read(one.join(&file)), fs::read(two.join(&file)));
            assert!(a.unwrap() == b.unwrap(), "{name}: {}", file.display());
        }
    }
}

#[test]
fn text_leads_back_to_the_same_store() {
    for name in EXAMPLES {
        let folder = Folder::with_store(name);
        folder
            .say(&format!("convert {name}.fold {name}.trace"))
            .exits(0);
        folder
            .say(&format!("convert {name}.trace back.fold"))
            .exits(0);
        let print = |store: &str| folder.say(&format!("print {store}")).exits(0).stdout;
        let first = print(&format!("{name}.fold"));
        assert!(first == print("back.fold"), "{name}");
        folder.say("verify back.fold").exits(0);

        let [a, b] = [format!("{name}.fold"), "back.fold".to_owned()]
            .map(|store| StoreReader::open(&folder.path(store)).unwrap());
        assert_eq!(a.definitions(), b.definitions(), "{name}");
        assert_eq!(a.manifest().counts.kinds, b.manifest().counts.kinds);
        assert_eq!(a.manifest().clock(), b.manifest().clock());
    }
}

/// Readers return at most 8,192 events at once, so that the definitions after them may come alone, with no location.
#[test]
fn definitions_may_follow_a_full_batch() {
    for (location, events) in [(0, 8191), (0, 8192), (0, 16384), (7, 8192)] {
        let folder = Folder::new();
        let head = format!("#: string id=0 \"a\"\n#: location id={location} name=0 type=1\n");
        let lines = (0..events).map(|time| format!("@{location} local x time={time}\n"));
        let end = "#: clock_properties ticks_per_second=10 global_offset=3 trace_length=9\n";
        let text = head + &lines.collect::<String>() + end;
        folder.write("run.trace", &text);
        folder.say("convert run.trace run.fold").exits(0);
        let store = StoreReader::open(&folder.path("run.fold")).unwrap();
        assert_eq!(store.manifest().counts.events, events);
        assert_eq!(
            store.locations().collect::<Vec<_>>(),
            [LocationId(location)]
        );
        assert_eq!(store.manifest().clock().global_offset, 3);
        folder.say("verify run.fold").exits(0);
    }
}

#[test]
fn text_on_standard_output_is_the_text_in_a_file() {
    let folder = Folder::with("ring-4");
    folder.say("convert ring-4 ring.trace").exits(0);
    let piped = folder.say("convert ring-4 - --to text").exits(0).stdout;
    assert!(piped == fs::read_to_string(folder.path("ring.trace")).unwrap());
    folder.feed("convert - ring.fold", piped).exits(0);
    let print = |input: &str| folder.say(&format!("print {input}")).exits(0).stdout;
    assert!(print("ring.fold") == print("ring-4"));
}

#[test]
fn a_folder_of_texts_leads_back_too() {
    let folder = Folder::with("ring-4");
    folder.say("convert ring-4 texts/ --to text").exits(0);
    let names = files(&folder.path("texts"));
    let expected = ["0.trace", "1.trace", "2.trace", "3.trace"];
    assert_eq!(names, expected.map(std::path::PathBuf::from));
    folder.say("convert texts back.fold").exits(0);
    let print = |input: &str| folder.say(&format!("print {input}")).exits(0).stdout;
    assert!(print("back.fold") == print("ring-4"));
}

#[test]
fn an_archive_is_its_anchor_or_its_folder() {
    let folder = Folder::with("ring-4");
    let print = |input: &str| folder.say(&format!("print {input}")).exits(0).stdout;
    assert!(print("ring-4") == print("ring-4/eztrace_log.otf2"));
}

#[test]
fn a_location_has_several_names() {
    for name in EXAMPLES {
        let (folder, store) = store_of(name);
        for process in store.names().processes() {
            let ask = |command: &str, l: String| {
                folder
                    .say(&format!("{command} --location {l}"))
                    .exits(0)
                    .stdout
            };
            let (rank, id) = (process.rank, process.locations[0]);
            for command in ["print", "replay", "loops"] {
                let command = format!("{command} {name}.fold");
                let by_id = ask(&command, format!("@{id}"));
                assert!(!by_id.is_empty());
                assert!(by_id == ask(&command, rank.to_string()), "{command} {rank}");
                assert!(
                    by_id == ask(&command, format!("{rank}.0")),
                    "{command} {rank}"
                );
            }
        }
    }
}

#[test]
fn threads_have_names_of_their_own() {
    let folder = Folder::new();
    let text = "0 local enter a\n0.1 local enter b\n1 local enter c\n1.1 local enter d\n";
    folder.feed("convert - threads.fold", text).exits(0);
    let ask = |l: &str| {
        let ran = folder.say(&format!("print threads.fold --topology -l {l}"));
        ran.exits(0).stdout
    };
    assert_eq!(ask("0.1"), "0\t0.1 local enter b\n");
    assert_eq!(ask("@4294967296"), ask("0.1"));
    assert_eq!(ask("1"), "0\t1 local enter c\n");
    assert_eq!(ask("1.1"), "0\t1.1 local enter d\n");
}

/// Where ids and ranks are both small numbers, a bare number is an id, and `RANK.THREAD` is not.
#[test]
fn an_id_counts_more_than_a_rank() {
    let folder = Folder::new();
    let text = "\
#: location_group id=0 type=1
#: location_group id=1 type=1
#: location id=0 type=1 location_group=0
#: location id=1 type=1 location_group=0
#: location id=2 type=1 location_group=1
@0 local enter a
@1 local enter b
@2 local enter c
";
    folder.feed("convert - threads.fold", text).exits(0);
    let model = folder.say("loops threads.fold --format json").exits(0);
    folder.write("model.json", model.stdout);
    for command in [
        "print --topology threads.fold",
        "replay threads.fold",
        "replay model.json",
    ] {
        let ask = |l: &str| folder.say(&format!("{command} {l}")).exits(0).stdout;
        let (a, b, c) = (
            "0\t0 local enter a\n",
            "0\t0.1 local enter b\n",
            "0\t1.0 local enter c\n",
        );
        assert_eq!(ask(""), [a, b, c].concat(), "{command}");
        for (names, event) in [
            (["0", "@0", "0.0"], a),
            (["1", "@1", "0.1"], b),
            (["2", "@2", "1.0"], c),
        ] {
            for name in names {
                assert_eq!(ask(&format!("-l {name}")), event, "{command} -l {name}");
            }
        }
    }
}

#[test]
fn several_locations_can_be_asked_for() {
    let folder = Folder::with_store("farm-5");
    let ask = |locations: &str| {
        folder
            .say(&format!("print farm-5.fold {locations}"))
            .exits(0)
    };
    let both = ask("-l 1 -l 3").stdout;
    assert_eq!(both, ask("-l 1").stdout + &ask("-l 3").stdout);
}

#[test]
fn a_slice_is_a_slice_of_the_whole() {
    let folder = Folder::with_store("wave-4");
    let archive = example("wave-4");
    for input in ["wave-4.fold", archive.to_str().unwrap()] {
        let whole = folder.say(&format!("print {input} -l 2")).exits(0).stdout;
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(lines.len(), 974);
        for (from, count) in [(0, 1), (0, 974), (1, 7), (500, 100), (973, 1), (970, 99)] {
            let slice = folder.say(&format!(
                "print {input} -l 2 --begin {from} --count {count}"
            ));
            let end = (from + count).min(lines.len());
            let expected: String = lines[from..end].iter().map(|l| format!("{l}\n")).collect();
            assert_eq!(slice.exits(0).stdout, expected, "{from} {count}");
        }
        for nothing in [
            "--begin 974",
            "--begin 18446744073709551615",
            "--count 0",
            "--end 0",
        ] {
            let slice = folder
                .say(&format!("print {input} -l 2 {nothing}"))
                .exits(0);
            assert_eq!(slice.stdout, "", "{nothing}");
        }
    }
}

#[test]
fn a_slice_of_all_locations_has_a_slice_of_each() {
    let folder = Folder::with_store("ring-4");
    let slice = folder.say("print ring-4.fold --begin 7 --count 2").exits(0);
    let each: String = (0..4)
        .map(|rank| {
            let one = format!("print ring-4.fold --begin 7 --count 2 -l {rank}");
            folder.say(&one).exits(0).stdout
        })
        .collect();
    assert_eq!(slice.stdout, each);
    assert_eq!(each.lines().count(), 8);
}

#[test]
fn the_communication_of_the_wavefronts_is_loops() {
    let (folder, store) = store_of("wave-4");
    let json = folder.say("loops wave-4.fold --events comm --format json");
    for model in json.exits(0).json().as_array().unwrap() {
        assert!(model["loops"].as_u64().unwrap() > 0, "{model}");
        assert_eq!(model["selection"], "comm");
    }
    assert_eq!(store.locations().len(), 4);
    let text = folder.say("loops wave-4.fold --events comm").exits(0);
    insta::assert_snapshot!(text.stdout);
}

#[test]
fn the_tasks_of_the_farm_go_to_one_rank_after_the_other() {
    let folder = Folder::with_store("farm-5");
    let text = folder.say("loops farm-5.fold --events comm -l 0").exits(0);
    let round = "for i0 = 0 to 3\n  0 send 1+i0 20\ndone\n";
    assert!(text.stdout.contains(round), "{}", text.stdout);
    insta::assert_snapshot!(text.stdout);
}

#[test]
fn loops_of_all_events_with_positions() {
    let folder = Folder::with_store("ring-4");
    let text = folder.say("loops ring-4.fold -l 1 --positions").exits(0);
    insta::assert_snapshot!(text.stdout);
}

/// The reader of an archive and the store agree on what is defined.
#[test]
fn definitions_are_kept_in_their_order() {
    for name in EXAMPLES {
        let (_folder, store) = store_of(name);
        let archive = Otf2
            .open(Input::Path(example(name)), &ReadOptions::default())
            .unwrap();
        assert_eq!(store.definitions(), archive.definitions(), "{name}");
        let ids: Vec<LocationId> = archive
            .streams()
            .iter()
            .filter_map(|stream| stream.location)
            .collect();
        assert_eq!(store.locations().collect::<Vec<_>>(), ids);
    }
}
