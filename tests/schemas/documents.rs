//! The JSON documents that commands write, and manifests, against their published schemas.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use serde_json::{Value, json};

use super::{convert, example, files, foldtrace, stores};
use crate::common::pages::{check, check_strictly, first, page, schema, table};

fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn info_is_as_published() {
    let (_, validator) = schema("info.schema.json");
    let (_folder, stores) = stores();
    for input in stores
        .iter()
        .chain(&[example("farm-5"), example("ring-4/eztrace_log.otf2")])
    {
        let info = parse(&foldtrace([Path::new("info"), input, Path::new("--json")]));
        check_strictly(&validator, &info);
    }
}

#[test]
fn steps_are_as_published() {
    let (_, validator) = schema("steps.schema.json");
    let (_folder, stores) = stores();
    for store in &stores {
        let steps = parse(&foldtrace([Path::new("steps"), store, Path::new("--json")]));
        check_strictly(&validator, &steps);
        for origins in ["origins", "in_operations"] {
            let is_named = |origin: &Value| origin["label"].is_string();
            assert!(steps[origins].as_array().unwrap().iter().all(is_named));
        }
    }
}

#[test]
fn topologies_are_as_published() {
    let (_, validator) = schema("topology.schema.json");
    let (_folder, stores) = stores();
    for store in &stores {
        for by in [
            &[][..],
            &["--by", "tag"],
            &["--by", "communicator"],
            &["--by", "construct"],
        ] {
            let arguments = [Path::new("topology"), store, Path::new("--json")].into_iter();
            let json = foldtrace(arguments.chain(by.iter().map(Path::new)));
            check_strictly(&validator, &parse(&json));
        }
    }
}

#[test]
fn logical_programs_are_as_published() {
    let (_, validator) = schema("logical.schema.json");
    let (_folder, stores) = stores();
    for store in &stores {
        for measured in [&[][..], &["--measure"]] {
            let arguments = [Path::new("logical"), store, Path::new("--json")].into_iter();
            let json = foldtrace(arguments.chain(measured.iter().map(Path::new)));
            check_strictly(&validator, &parse(&json));
        }
    }
}

#[test]
fn patterns_filters_and_profiles_are_as_published() {
    let (_folder, stores) = stores();
    for command in ["patterns", "filter", "profile", "waits", "critical"] {
        let (_, validator) = schema(&format!("{command}.schema.json"));
        for store in &stores {
            let json = foldtrace([Path::new(command), store, Path::new("--json")]);
            check_strictly(&validator, &parse(&json));
        }
    }
}

#[test]
fn efficiencies_are_as_published() {
    let (_, validator) = schema("efficiency.schema.json");
    let (_folder, stores) = stores();
    // The third has an event of every kind, but no process that calls MPI.
    for store in [&stores[0], &stores[1], &stores[3], &stores[4]] {
        let arguments = ["efficiency", "--json"].map(Path::new);
        let one = foldtrace([arguments[0], store, arguments[1]]);
        check_strictly(&validator, &parse(&one));
        let two = foldtrace([arguments[0], &stores[0], store, arguments[1]]);
        for run in parse(&two).as_array().unwrap() {
            check_strictly(&validator, run);
        }
    }
}

#[test]
fn comparisons_are_as_published() {
    let (_, validator) = schema("compare.schema.json");
    let (_folder, stores) = stores();
    for store in &stores {
        let json = foldtrace([Path::new("compare"), &stores[0], store, Path::new("--json")]);
        check_strictly(&validator, &parse(&json));
    }
}

#[test]
fn main_loops_are_as_published() {
    let (_, validator) = schema("main-loops.schema.json");
    let (_folder, stores) = stores();
    let mut seen = 0;
    for store in &stores {
        let options = ["--main=3", "--format", "json"].map(Path::new);
        let json = foldtrace([Path::new("loops"), store].into_iter().chain(options));
        let mut loops = parse(&json);
        check(&validator, &loops);
        for main in loops.as_array_mut().unwrap() {
            main["unheard_of"] = json!(1);
        }
        seen += loops.as_array().unwrap().len();
        assert!(loops == json!([]) || !validator.is_valid(&loops));
    }
    assert!(seen > 0);
}

#[test]
fn the_table_of_steps_is_as_published() {
    let (folder, stores) = stores();
    let path = folder.path().join("steps.parquet");
    let [steps, table_option] = ["steps", "--table"].map(Path::new);
    foldtrace([steps, &stores[0], table_option, &path]);
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let columns = reader.schema().fields().iter();
    let columns: Vec<String> = columns.map(|field| field.name().clone()).collect();
    let page = page("../analyses/steps/README.md");
    let published = first::<1>(table(&page, &["column", "type", "meaning"]));
    let published: Vec<String> = published.into_iter().flatten().collect();
    assert_eq!(columns, published);
    let group = reader.metadata().row_group(0);
    assert!(
        group
            .columns()
            .iter()
            .all(|column| matches!(column.compression(), Compression::ZSTD(_)))
    );
    assert!(
        group
            .columns()
            .iter()
            .all(|column| column.column_index_offset().is_some())
    );
}

#[test]
fn loops_are_as_published() {
    let (_, validator) = schema("loops.schema.json");
    let (_folder, stores) = stores();
    let mut seen = String::new();
    for store in &stores {
        for events in ["all", "comm"] {
            let text = foldtrace([
                "loops".as_ref(),
                store.as_os_str(),
                "--format".as_ref(),
                "json".as_ref(),
                "--events".as_ref(),
                events.as_ref(),
            ]);
            let loops = parse(&text);
            check(&validator, &loops);
            for location in loops.as_array().unwrap() {
                assert_eq!(location["selection"], events);
                for key in location.as_object().unwrap().keys() {
                    let mut less = location.clone();
                    less.as_object_mut().unwrap().remove(key);
                    assert!(!validator.is_valid(&json!([less])), "valid without '{key}'");
                }
            }
            seen.push_str(&text);
        }
    }
    for part in [
        "\"loop\"",
        "\"iteration\"",
        "{peer}",
        "\"1+i0\"",
        "\"MPI_Send\"",
    ] {
        assert!(seen.contains(part), "no example has {part}");
    }
}

#[test]
fn dags_are_as_published() {
    let (_, whole) = schema("dag.schema.json");
    let (_, counts) = schema("dag-table.schema.json");
    let (_folder, mut stores) = stores();
    let nested = stores[0].with_file_name("vcycle-4.fold");
    convert(&example("vcycle-4"), &nested);
    stores.push(nested);
    let mut seen = String::new();
    for store in &stores {
        let show = |options: &[&str]| {
            let command = ["dag", "--quiet"].iter().chain(options).map(Path::new);
            foldtrace(command.chain([&**store]))
        };
        let text = show(&["--format", "json"]);
        check_strictly(&whole, &parse(&text));
        seen.push_str(&text);
        check_strictly(&counts, &parse(&show(&["--compaction", "--json"])));
    }
    for part in ["open_call", "sequence", "recursive", "runs"] {
        assert!(
            seen.contains(&format!("\"{part}\"")),
            "no example has {part}"
        );
    }
}

#[test]
fn functions_of_the_indices_are_as_published() {
    let (_, validator) = schema("loops.schema.json");
    let event = |peer: &str, position: &str| {
        json!([{
            "location": 0, "label": "0.1", "selection": "comm", "events": 1, "terms": 1, "loops": 0,
            "model": [{
                "event": { "symbol": 0, "kind": "mpi_send", "peer": peer, "text": "0 send {peer} *" },
                "position": position, "length": 1,
            }],
        }])
    };
    for (peer, position) in [
        ("i0", "i0"),
        ("3-i2+644*i0", "3+644*i0"),
        ("-2*i1", "(4+7*i0+i0*i0)/2"),
    ] {
        check(&validator, &event(peer, position));
    }
    for (peer, position) in [
        ("", "i0"),
        ("i0*i0", "i0"),
        ("i0", "(i0)"),
        ("j0", "i0"),
        ("i0", "i0+"),
    ] {
        assert!(
            !validator.is_valid(&event(peer, position)),
            "{peer} {position}"
        );
    }
}

#[test]
fn manifests_are_as_published() {
    let (_, validator) = schema("manifest.schema.json");
    let (_folder, stores) = stores();
    for store in &stores {
        let manifest = parse(&fs::read_to_string(store.join("manifest.json")).unwrap());
        check_strictly(&validator, &manifest);
        for part in ["source", "clock", "counts"] {
            let mut other = manifest.clone();
            other[part]["unheard_of"] = json!(1);
            assert!(
                !validator.is_valid(&other),
                "valid with any field in {part}"
            );
        }
        let mut newer = manifest.clone();
        newer["version"] = json!(5);
        assert!(!validator.is_valid(&newer));
        let listed: BTreeSet<_> = manifest["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["path"].as_str().unwrap().to_owned())
            .collect();
        let mut there: BTreeSet<_> = files(store).into_iter().collect();
        assert!(there.remove("manifest.json"));
        assert_eq!(listed, there);
    }
}
