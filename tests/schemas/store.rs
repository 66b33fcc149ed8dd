//! The files of a store against `store.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use foldtrace::store::Manifest;
use foldtrace_trace::{DefinitionKind, FieldType};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

use super::{convert, files, foldtrace, stores};
use crate::common::pages::{first, page, table};

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
        let Manifest {
            unsigned, has_tags, ..
        } = Manifest::read(store).unwrap();
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
            // Only stores with tagged symbols have these columns.
            let is_of_tags = |column: &str| match &*path {
                "symbols.parquet" => column == "tagged",
                "derived/messages.parquet" => false,
                _ => column == "tag",
            };
            let mut expected = expected.clone();
            expected.retain(|(name, ..)| has_tags || !is_of_tags(name));
            assert_eq!(columns, expected, "{path}");
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
        assert_eq!(value("foldtrace.version"), Some("4"), "{path}");
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
        let has_pages = is_part || is_in(&["derived/", "models/dag_"]);
        assert!(
            metadata.num_row_groups() == 0 || metadata.page_index().is_some() == has_pages,
            "{path}: page index"
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
                "derived/timeline.parquet" => vec![(0, false), (3, false), (4, false)],
                "derived/collectives.parquet"
                | "derived/collective_members.parquet"
                | "derived/clocks.parquet" => vec![(0, false)],
                "models/dag_edges.parquet"
                | "models/dag_symbols.parquet"
                | "derived/clock_knots.parquet" => vec![(0, false), (1, false)],
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
