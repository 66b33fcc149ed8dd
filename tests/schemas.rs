//! Holds what the command writes against what `schemas/` publishes.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

#[path = "common/pages.rs"]
mod pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use foldtrace::store::Manifest;
use foldtrace_trace::{COLLECTIVES, DefinitionKind, EventKind, FieldType, Operand, Quantity};
use pages::{check, check_strictly, first, listed, page, root, schema, table};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the command prints.
fn foldtrace<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_foldtrace"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn convert(input: &Path, store: &Path) {
    foldtrace([Path::new("convert"), input, store, Path::new("--quiet")]);
}

fn archive(input: &Path, store: &Path) {
    let [convert, archive, quiet] = ["convert", "--archive", "--quiet"].map(Path::new);
    foldtrace([convert, input, store, archive, quiet]);
}

/// Stores of two examples, one with derived tables, of a trace that has a definition of every kind,
/// metrics and attributes, and an archive.
fn stores() -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let everything = folder.path().join("everything.trace");
    fs::write(&everything, everything_once()).unwrap();
    let inputs = [example("farm-5"), example("ring-4"), everything];
    let stores = inputs.iter().map(|input| {
        let name = Path::new(input.file_name().unwrap()).with_extension("fold");
        let store = folder.path().join(name);
        convert(input, &store);
        store
    });
    let mut stores: Vec<_> = stores.collect();
    let small = folder.path().join("archive.fold");
    archive(&inputs[0], &small);
    stores.push(small);
    let patterns = folder.path().join("any.pattern");
    fs::write(&patterns, "pattern any\n  *\n").unwrap();
    let [derive, quiet, pattern] = ["derive", "--quiet", "--pattern"].map(Path::new);
    foldtrace([derive, &stores[0], quiet, pattern, &patterns]);
    (folder, stores)
}

fn everything_once() -> String {
    let mut text = String::new();
    for kind in DefinitionKind::ALL {
        text.push_str(&format!("#: {kind}", kind = kind.name()));
        for field in kind.fields() {
            text.push_str(&format!(" {}=0", field.name));
        }
        if let Some(list) = kind.list() {
            text.push_str(&format!(" {list}=0-1"));
        }
        if kind.has_text() {
            text.push_str(" \"a text\"");
        }
        text.push('\n');
    }
    text.push_str("0 local metric metric=0 value.0=uint64:5 value.1=int8:5 value.2=double:5\n");
    text.push_str("0 local enter region=0 attribute.0=string:0\n");
    text
}

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
fn patterns_and_filters_are_as_published() {
    let (_folder, stores) = stores();
    for command in ["patterns", "filter"] {
        let (_, validator) = schema(&format!("{command}.schema.json"));
        for store in &stores {
            let json = foldtrace([Path::new(command), store, Path::new("--json")]);
            check_strictly(&validator, &parse(&json));
        }
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
    let page = page("steps.md");
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
        check_strictly(&counts, &parse(&show(&["--json"])));
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
        newer["version"] = json!(3);
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

#[test]
fn json_schemas_know_all_kinds_and_operands() {
    let kinds: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    for name in [
        "info.schema.json",
        "loops.schema.json",
        "manifest.schema.json",
        "program.schema.json",
    ] {
        let (schema, _) = schema(name);
        assert_eq!(schema["$defs"]["kind"]["enum"], json!(kinds), "{name}");
    }
    let (loops, _) = schema("loops.schema.json");
    let event = loops["$defs"]["event"]["properties"].as_object().unwrap();
    let mut properties: BTreeSet<_> = event.keys().map(String::as_str).collect();
    for other in ["symbol", "kind", "name", "text"] {
        assert!(properties.remove(other));
    }
    let operands: BTreeSet<_> = Operand::ALL.iter().map(|o| o.name()).collect();
    assert_eq!(properties, operands);
    for operand in Operand::ALL {
        let affine = event[operand.name()]["$ref"] == "#/$defs/affine";
        assert_eq!(affine, operand.is_number(), "{operand}");
    }
    let (program, _) = schema("program.schema.json");
    let merged = program["$defs"]["event"]["properties"].as_object().unwrap();
    for operand in Operand::ALL {
        let plain = &merged[operand.name()]["$ref"];
        assert_eq!(plain, "#/$defs/operand", "{operand}");
    }
}

#[test]
fn events_md_lists_all_kinds_operands_and_quantities() {
    let text = page("events.md");
    let kinds: Vec<[String; 3]> = first(table(&text, &["kind", "operands", "quantities"]));
    let expected: Vec<_> = EventKind::ALL
        .iter()
        .map(|kind| {
            [
                kind.name().to_owned(),
                listed(kind.operands()),
                listed(kind.quantities()),
            ]
        })
        .collect();
    assert_eq!(kinds, expected);

    let operands: Vec<[String; 2]> = first(table(&text, &["operand", "number"]));
    let yes = |is| if is { "yes" } else { "no" };
    let expected: Vec<_> = Operand::ALL
        .iter()
        .map(|o| [o.name().to_owned(), yes(o.is_number()).to_owned()])
        .collect();
    assert_eq!(operands, expected);

    let quantities: Vec<[String; 1]> = first(table(&text, &["quantity"]));
    let expected: Vec<_> = Quantity::ALL
        .iter()
        .map(|q| [q.name().to_owned()])
        .collect();
    assert_eq!(quantities, expected);
}

#[test]
fn events_md_says_which_kinds_communicate() {
    let text = page("events.md");
    let begin = text.find("The events that `--events comm` keeps").unwrap();
    let paragraph = text[begin..].split("\n\n").next().unwrap();
    let named: BTreeSet<_> = paragraph
        .split('`')
        .filter_map(EventKind::from_name)
        .collect();
    let communicate = |kind: &&EventKind| kind.is_communication();
    let expected: BTreeSet<_> = EventKind::ALL.iter().filter(communicate).copied().collect();
    assert_eq!(named, expected);
}

#[test]
fn events_md_lists_all_collective_operations() {
    let rows = table(&page("events.md"), &["code", "operation"]);
    for (code, row) in (0..).zip(&rows) {
        assert_eq!(row[0], code.to_string());
        assert_eq!(Some(&*row[1]), COLLECTIVES.name(code));
    }
    assert_eq!(COLLECTIVES.name(rows.len() as u64), None);
}

/// A column as `store.md` has it: name, type, whether it can be null.
type Column = (String, String, bool);

/// The columns of the tables that `store.md` gives a heading of their own.
fn published_columns(text: &str) -> BTreeMap<String, Vec<Column>> {
    let sections = text.split("\n### `").skip(1);
    sections
        .map(|section| {
            let (path, section) = section.split_once('`').unwrap();
            let section = section.split("\n## ").next().unwrap();
            let rows: Vec<[String; 3]> = first(table(section, &["column", "type", "null"]));
            let columns = rows.into_iter().map(|[name, data_type, null]| {
                assert!(null == "yes" || null == "no", "{path}: {name}");
                (name, data_type, null == "yes")
            });
            (path.to_owned(), columns.collect())
        })
        .collect()
}

/// The columns of the tables of definitions, from the fields that `store.md` lists.
fn published_definitions(text: &str) -> BTreeMap<String, Vec<Column>> {
    let types: BTreeMap<String, (String, bool)> =
        first::<3>(table(text, &["type of a field", "Arrow type", "null"]))
            .into_iter()
            .map(|[field_type, arrow, null]| (field_type, (arrow, null == "yes")))
            .collect();
    let rows: Vec<[String; 3]> = first(table(text, &["kind", "file in definitions/", "fields"]));
    let kinds: BTreeSet<_> = rows.iter().map(|row| row[0].clone()).collect();
    rows.into_iter()
        .map(|[_, file, fields]| {
            let order = ("order".to_owned(), "Int64".to_owned(), false);
            let fields = fields.split(", ").map(|field| {
                let (name, field_type) = field.split_once(": ").unwrap();
                let field_type = if kinds.contains(field_type) {
                    "a kind"
                } else {
                    field_type
                };
                let (arrow, null) = types[field_type].clone();
                (name.to_owned(), arrow, null)
            });
            let columns = std::iter::once(order).chain(fields).collect();
            (format!("definitions/{file}.parquet"), columns)
        })
        .collect()
}

/// Paths of all files of a store.
fn files(store: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(store).unwrap();
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// The path with NNNNN for the number of a part.
fn general(path: &str) -> String {
    match path.split_once("/part-") {
        Some((folder, part)) => {
            let (number, ending) = part.split_once('.').unwrap();
            assert!(number.len() >= 5 && number.parse::<u32>().is_ok(), "{path}");
            format!("{folder}/part-NNNNN.{ending}")
        }
        None => path.to_owned(),
    }
}

fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Dictionary(key, value) => {
            format!("Dictionary({}, {})", type_name(key), type_name(value))
        }
        DataType::List(item) if item.is_nullable() => {
            format!("List({} or null)", type_name(item.data_type()))
        }
        DataType::List(item) => format!("List({})", type_name(item.data_type())),
        plain => format!("{plain:?}"),
    }
}

fn open(path: &Path) -> ParquetRecordBatchReaderBuilder<File> {
    ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap()
}

#[test]
fn store_md_has_the_columns_of_all_files() {
    let text = page("store.md");
    let mut published = published_columns(&text);
    published.extend(published_definitions(&text));
    let (_folder, stores) = stores();
    let mut seen = BTreeSet::new();
    for store in &stores {
        let unsigned = Manifest::read(store).unwrap().unsigned;
        for path in files(store)
            .iter()
            .filter(|path| path.ends_with(".parquet"))
        {
            let table = open(&store.join(path));
            let of_file = table.metadata().file_metadata().key_value_metadata();
            let mut entries = of_file.unwrap().iter();
            let name = entries
                .find(|entry| entry.key == "foldtrace.table")
                .unwrap();
            let name = name.value.as_deref().unwrap();
            let columns: Vec<Column> = table
                .schema()
                .fields()
                .iter()
                .map(|field| {
                    let mut data_type = type_name(field.data_type());
                    // The manifest names the columns of numbers that have no sign.
                    if unsigned.has(name, field.name()) {
                        assert_eq!(data_type, "UInt64", "{path}");
                        data_type = "Int64".to_owned();
                    }
                    (field.name().clone(), data_type, field.is_nullable())
                })
                .collect();
            let path = general(path);
            let expected = published
                .get(&path)
                .unwrap_or_else(|| panic!("{path} is not in store.md"));
            assert_eq!(&columns, expected, "{path}");
            seen.insert(path);
        }
    }
    let published: BTreeSet<_> = published.into_keys().collect();
    assert_eq!(seen, published, "files of all stores, files of store.md");
}

#[test]
fn store_md_lists_all_kinds_of_definitions_with_their_fields() {
    let text = page("store.md");
    let rows: Vec<[String; 3]> = first(table(&text, &["kind", "file in definitions/", "fields"]));
    let rows: Vec<_> = rows
        .into_iter()
        .map(|[kind, _, fields]| (kind, fields))
        .collect();
    let expected: Vec<_> = DefinitionKind::ALL
        .iter()
        .map(|kind| {
            let mut fields: Vec<_> = kind
                .fields()
                .iter()
                .map(|field| {
                    let field_type = match field.field_type {
                        FieldType::Id => "id",
                        FieldType::Ref(kind) => kind.name(),
                        FieldType::Number => "number",
                        FieldType::Signed => "signed",
                        FieldType::Double => "double",
                        FieldType::Type => "type",
                        FieldType::Value => "value",
                    };
                    format!("{}: {field_type}", field.name)
                })
                .collect();
            fields.extend(kind.list().map(|list| format!("{list}: list")));
            fields.extend(kind.has_text().then(|| "text: text".to_owned()));
            (kind.name().to_owned(), fields.join(", "))
        })
        .collect();
    assert_eq!(rows, expected);
}

/// A store with a file that is hashed in groups: times that do not compress.
fn long_store(folder: &Path) -> PathBuf {
    let trace = folder.join("long.trace");
    let mut random = fastrand::Rng::with_seed(1);
    let times = (0..30_000).map(|n| (n << 24) + random.u64(..1 << 24));
    let lines = times.map(|time| format!("0 local tick time={time}\n"));
    fs::write(&trace, lines.collect::<String>()).unwrap();
    let store = folder.join("long.fold");
    convert(&trace, &store);
    store
}

#[test]
fn store_md_lists_all_files() {
    let text = page("store.md");
    let rows: Vec<[String; 2]> = first(table(&text, &["path", "what", "there"]));
    let always: BTreeSet<_> = table(&text, &["path", "what", "there"])
        .into_iter()
        .filter(|row| row[2] == "always")
        .map(|row| row[0].clone())
        .collect();
    let known: BTreeSet<_> = rows.into_iter().map(|[path, _]| path).collect();
    let (folder, mut stores) = stores();
    stores.push(long_store(folder.path()));
    let mut seen = BTreeSet::new();
    for store in &stores {
        let there: BTreeSet<_> = files(store)
            .iter()
            .map(|path| match path.strip_prefix("definitions/") {
                Some(file) if !["ranks.parquet", "metric_names.parquet"].contains(&file) => {
                    "definitions/KINDS.parquet".to_owned()
                }
                _ => general(path),
            })
            .collect();
        assert!(there.is_superset(&always), "{there:?}");
        seen.extend(there);
    }
    assert_eq!(seen, known);
}

fn metadata(path: &Path) -> ParquetMetaData {
    ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .parse_and_finish(&File::open(path).unwrap())
        .unwrap()
}

#[test]
fn parquet_files_are_written_as_store_md_says() {
    let (_folder, stores) = stores();
    for (store, path) in stores
        .iter()
        .flat_map(|store| files(store).into_iter().map(move |path| (store, path)))
        .filter(|(_, path)| path.ends_with(".parquet"))
    {
        let metadata = metadata(&store.join(&path));
        let pairs = metadata.file_metadata().key_value_metadata().unwrap();
        let value = |key| pairs.iter().find(|pair| pair.key == key)?.value.as_deref();
        assert_eq!(value("foldtrace.version"), Some("2"), "{path}");
        let is_part = path.contains("/part-");
        let name = Path::new(&path);
        let name = if is_part {
            name.parent().and_then(Path::file_name)
        } else {
            name.file_stem()
        };
        assert_eq!(value("foldtrace.table"), name.unwrap().to_str(), "{path}");
        // Types of topology and quantity are Parquet's own; derived tables have dictionaries.
        let has_arrow = value("ARROW:schema").is_some();
        let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        assert!(!(has_arrow && is_in(&["topology/", "quantity/"])), "{path}");
        assert!(
            has_arrow || !is_in(&["derived/", "metrics/", "attributes/"]),
            "{path}"
        );
        for key in ["foldtrace.ticks_per_second", "foldtrace.global_offset"] {
            assert_eq!(
                value(key).is_some(),
                path.starts_with("quantity/") || path.starts_with("derived/"),
                "{path}: {key}"
            );
        }
        assert!(
            metadata.num_row_groups() == 0 || metadata.page_index().is_some(),
            "{path} has no page index"
        );
        for row_group in metadata.row_groups() {
            let sorting: Vec<_> = row_group
                .sorting_columns()
                .into_iter()
                .flatten()
                .map(|column| (column.column_idx, column.descending))
                .collect();
            let expected = match general(&path).as_str() {
                "derived/calls/part-NNNNN.parquet" => vec![(0, false), (7, false)],
                "derived/iterations/part-NNNNN.parquet" => vec![(0, false), (8, false)],
                "derived/collectives.parquet" | "derived/collective_members.parquet" => {
                    vec![(0, false)]
                }
                "models/dag_edges.parquet" | "models/dag_symbols.parquet" => {
                    vec![(0, false), (1, false)]
                }
                path if path.starts_with("models/dag_") => vec![(0, false)],
                _ if is_part => vec![(0, false), (1, false)],
                _ => Vec::new(),
            };
            assert_eq!(sorting, expected, "{path}");
            for column in row_group.columns() {
                assert!(
                    matches!(column.compression(), Compression::ZSTD(_)),
                    "{path}"
                );
                let name = column.column_path().string();
                if is_part && ["location", "position", "time"].contains(&&*name) {
                    let encodings: Vec<_> = column.encodings().collect();
                    assert!(encodings.contains(&Encoding::DELTA_BINARY_PACKED), "{path}");
                    assert!(column.dictionary_page_offset().is_none(), "{path}");
                }
            }
        }
    }
}

#[test]
fn topology_and_quantity_have_the_same_rows_in_the_same_row_groups() {
    let (_folder, stores) = stores();
    let is_plain = |store: &&PathBuf| !store.join("archive").exists();
    for store in stores.iter().filter(is_plain) {
        for path in files(store)
            .iter()
            .filter(|path| path.starts_with("topology/"))
        {
            let rows = |path: &str| -> Vec<i64> {
                let metadata = metadata(&store.join(path));
                metadata
                    .row_groups()
                    .iter()
                    .map(|group| group.num_rows())
                    .collect()
            };
            let quantity = path.replace("topology/", "quantity/");
            assert_eq!(rows(path), rows(&quantity), "{path}");
            let places = |path: &str| -> Vec<RecordBatch> {
                let batches = open(&store.join(path)).build().unwrap();
                batches
                    .map(|batch| batch.unwrap().project(&[0, 1]).unwrap())
                    .collect()
            };
            assert_eq!(places(path), places(&quantity), "{path}");
        }
    }
}

#[test]
fn the_example_model_of_store_md_is_what_folding_gives() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("rounds.trace");
    let mut lines = String::new();
    for round in 0..4 {
        for peer in 1..=2 + round {
            lines.push_str(&format!("0 send {peer} {}\n", 10 + round));
        }
        lines.push_str("0 sync MPI_Barrier 0-7\n");
    }
    fs::write(&trace, lines).unwrap();
    let store = folder.path().join("rounds.fold");
    convert(&trace, &store);

    let text = page("store.md");
    let model = text.split("```text\n").nth(1).unwrap();
    let model = model.split("```").next().unwrap();
    let arguments = [
        "loops".as_ref(),
        store.as_os_str(),
        "-l".as_ref(),
        "0".as_ref(),
    ];
    let printed = foldtrace(arguments);
    assert_eq!(printed.split_once('\n').unwrap().1, model);

    let heads = [
        "depth",
        "symbol",
        "count",
        "step_slot",
        "step_depth",
        "step_coefficient",
    ];
    let published: Vec<[String; 6]> = first(table(&text, &heads));
    let mut rows: Vec<[String; 6]> = Vec::new();
    for batch in open(&store.join("models/loops.parquet")).build().unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.num_rows() {
            rows.push(heads.map(|head| {
                let column = batch.column_by_name(head).unwrap();
                if column.is_null(row) {
                    return String::new();
                }
                let value = array_value_to_string(column, row).unwrap();
                value.trim_matches(['[', ']']).to_owned()
            }));
        }
    }
    assert_eq!(rows, published);
}
