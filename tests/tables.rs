//! Flat tables have the events of the trace: read back with Arrow's own readers, for any trace; and
//! their columns are those that `schemas/table.md` publishes.

use std::fs::{self, File};
use std::path::Path;

use arrow::array::{
    Array, AsArray, ListArray, PrimitiveArray, RecordBatch, StringArray, StructArray,
};
use arrow::compute::{cast, concat_batches};
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Float64Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow::ipc::reader::FileReader;
use foldtrace::convert::{ConvertOptions, Progress, to_writer};
use foldtrace::formats::REGISTRY;
use foldtrace::store::StoreReader;
use foldtrace_testing::Event;
use foldtrace_trace::{Operand, Output, Quantity, Timestamp, TraceReader, UNDEFINED, ValueType};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use proptest::prelude::*;

use crate::common::random::{Trace, trace};
use crate::common::{Folder, example};

const OPERANDS: [Operand; 6] = [
    Operand::Region,
    Operand::Peer,
    Operand::Tag,
    Operand::Communicator,
    Operand::Operation,
    Operand::Root,
];

/// Writes a store as a table of `format`.
fn write(store: &StoreReader, format: &str, path: &Path) {
    let output = Output::Path {
        path: path.to_owned(),
        replace: false,
    };
    let writer = REGISTRY.by_name(format).unwrap().create(output).unwrap();
    to_writer(
        store,
        writer,
        &ConvertOptions::default(),
        &Progress::default(),
    )
    .unwrap();
}

fn read_parquet(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = builder.schema().clone();
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn read_arrow(path: &Path) -> RecordBatch {
    let reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = reader.schema();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn numbers<'a, T: ArrowPrimitiveType>(table: &'a RecordBatch, name: &str) -> &'a PrimitiveArray<T> {
    table.column_by_name(name).unwrap().as_primitive::<T>()
}

fn wide(table: &RecordBatch, name: &str, row: usize) -> Option<u64> {
    let column = foldtrace_columns::numbers(table.column_by_name(name).unwrap()).unwrap();
    column.is_valid(row).then(|| column.value(row))
}

fn signed(table: &RecordBatch, name: &str, row: usize) -> Option<i64> {
    let column = numbers::<Int64Type>(table, name);
    column.is_valid(row).then(|| column.value(row))
}

fn words(table: &RecordBatch, name: &str) -> StringArray {
    let plain = cast(table.column_by_name(name).unwrap(), &DataType::Utf8).unwrap();
    plain.as_string::<i32>().clone()
}

/// The values in a row of a column of lists: what of, type, bits.
fn values<T: ArrowPrimitiveType>(
    lists: &ListArray,
    row: usize,
) -> Vec<(T::Native, ValueType, u64)> {
    if lists.is_null(row) {
        return Vec::new();
    }
    let items = lists.value(row);
    let items: &StructArray = items.as_struct();
    let ids = items.column(0).as_primitive::<T>();
    let types = items.column(2).as_string::<i32>();
    let unsigned = items.column(3).as_primitive::<UInt64Type>();
    let signed = items.column(4).as_primitive::<Int64Type>();
    let double = items.column(5).as_primitive::<Float64Type>();
    let value = |item: usize| {
        let value_type = ValueType::from_name(types.value(item)).unwrap();
        let valid = [
            unsigned.is_valid(item),
            signed.is_valid(item),
            double.is_valid(item),
        ];
        let bits = match valid {
            [true, false, false] => unsigned.value(item),
            [false, true, false] => signed.value(item) as u64,
            [false, false, true] => value_type.from_double(double.value(item)),
            _ => panic!("{valid:?}"),
        };
        (ids.value(item), value_type, bits)
    };
    (0..items.len()).map(value).collect()
}

/// The time of an event by the definition of it, not by how it is worked out.
fn nanoseconds(store: &StoreReader, ticks: u64) -> Option<i64> {
    let clock = store.definitions().clock();
    let difference = i128::from(ticks) - i128::from(clock.global_offset);
    i64::try_from(difference * 1_000_000_000 / i128::from(clock.ticks_per_second)).ok()
}

fn check_row(
    table: &RecordBatch,
    row: usize,
    event: &Event,
    store: &StoreReader,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(wide(table, "ticks", row), Some(event.time));
    prop_assert_eq!(
        signed(table, "time", row),
        nanoseconds(store, event.time),
        "{:?}",
        store.definitions().clock()
    );
    for operand in OPERANDS {
        let value = wide(table, operand.name(), row);
        prop_assert_eq!(value, event.symbol.get(operand), "{}", operand);
    }
    for &quantity in Quantity::ALL {
        let value = event.quantities[quantity as usize];
        if quantity == Quantity::Value {
            let expected = event.symbol.kind.quantities().contains(&quantity);
            let found = signed(table, "value", row);
            prop_assert_eq!(found, expected.then_some(value as i64));
        } else {
            let found = wide(table, quantity.name(), row);
            prop_assert_eq!(found, (value != UNDEFINED).then_some(value));
        }
    }
    let symbol = numbers::<UInt32Type>(table, "symbol").value(row);
    let (_, known) = store.symbols().iter().nth(symbol as usize).unwrap();
    prop_assert_eq!(known, event.symbol);
    let canonical = numbers::<UInt32Type>(table, "canonical").value(row);
    let (_, first) = store.symbols().iter().nth(canonical as usize).unwrap();
    let names = store.names();
    prop_assert!(canonical <= symbol);
    prop_assert_eq!(names.canonical(first), names.canonical(known));
    let metrics = table.column_by_name("metrics").unwrap().as_list();
    prop_assert_eq!(&values::<UInt32Type>(metrics, row), &event.metrics);
    let attributes = table.column_by_name("attributes").unwrap().as_list();
    prop_assert_eq!(&values::<UInt64Type>(attributes, row), &event.attributes);
    Ok(())
}

/// The table has all events of the trace, a location after the other, and nothing else.
fn check(table: &RecordBatch, trace: &Trace, store: &StoreReader) -> Result<(), TestCaseError> {
    let (kinds, names) = (words(table, "kind"), words(table, "name"));
    let mut row = 0;
    for (location, events) in trace.events() {
        let label = store.names().rank(location);
        for (position, event) in events.into_iter().enumerate() {
            prop_assert_eq!(wide(table, "location", row), Some(location.0));
            prop_assert_eq!(wide(table, "rank", row), label.map(|(rank, _)| rank));
            prop_assert_eq!(wide(table, "thread", row), label.map(|(_, thread)| thread));
            prop_assert_eq!(wide(table, "position", row), Some(position as u64));
            prop_assert_eq!(kinds.value(row), event.symbol.kind.name());
            let name = names.is_valid(row).then(|| names.value(row));
            prop_assert_eq!(name, store.names().called(&event.symbol));
            check_row(table, row, event, store)?;
            row += 1;
        }
    }
    prop_assert_eq!(table.num_rows(), row);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn parquet_and_arrow_have_the_events_of_the_trace(trace in trace()) {
        let (folder, path) = trace.write();
        let store = StoreReader::open(&path).unwrap();
        let (parquet, arrow) = (folder.path().join("run.parquet"), folder.path().join("run.arrow"));
        write(&store, "parquet", &parquet);
        check(&read_parquet(&parquet), &trace, &store)?;
        write(&store, "arrow", &arrow);
        check(&read_arrow(&arrow), &trace, &store)?;
    }

    /// Texts, numbers and emptiness survive commas, quotes and line ends.
    #[test]
    fn csv_has_the_columns_of_parquet(trace in trace()) {
        let (folder, path) = trace.write();
        let store = StoreReader::open(&path).unwrap();
        let (parquet, csv) = (folder.path().join("run.parquet"), folder.path().join("run.csv"));
        write(&store, "parquet", &parquet);
        write(&store, "csv", &csv);
        let expected = read_parquet(&parquet);
        let schema = expected.schema();
        let plain = schema.fields().iter().map(|field| match field.data_type() {
            DataType::Dictionary(..) | DataType::List(_) => {
                arrow::datatypes::Field::new(field.name(), DataType::Utf8, true)
            }
            _ => field.as_ref().clone(),
        });
        let plain = arrow::datatypes::Schema::new(plain.collect::<Vec<_>>());
        let reader = ReaderBuilder::new(plain.into()).with_header(true).build(File::open(&csv).unwrap());
        let batches: Vec<_> = reader.unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), expected.num_rows());
        let Some(first) = batches.first() else { return Ok(()) };
        let table = concat_batches(&first.schema(), &batches).unwrap();
        for (index, field) in schema.fields().iter().enumerate() {
            let column = expected.column(index);
            match field.data_type() {
                DataType::List(_) => {
                    for row in 0..table.num_rows() {
                        let text = table.column(index).as_string::<i32>();
                        prop_assert_eq!(text.is_null(row), column.is_null(row));
                        if text.is_valid(row) {
                            let json: serde_json::Value = serde_json::from_str(text.value(row)).unwrap();
                            let count = column.as_list::<i32>().value_length(row);
                            prop_assert_eq!(json.as_array().unwrap().len() as i32, count);
                        }
                    }
                }
                DataType::Dictionary(..) => {
                    let words = cast(column, &DataType::Utf8).unwrap();
                    prop_assert_eq!(table.column(index), &words, "{}", field.name());
                }
                _ => prop_assert_eq!(table.column(index), column, "{}", field.name()),
            }
        }
    }

    /// Each location keeps its order, and time never goes back further than it does in one location.
    #[test]
    fn pipit_has_all_events_in_the_order_of_time(trace in trace()) {
        let (folder, path) = trace.write();
        let store = StoreReader::open(&path).unwrap();
        let pipit = folder.path().join("run.parquet");
        write(&store, "pipit", &pipit);
        let table = read_parquet(&pipit);
        // The merge, done again: an event is as late as the latest one of its location so far.
        let mut expected = Vec::new();
        for (location, events) in trace.events() {
            let mut latest = 0;
            for (position, event) in events.into_iter().enumerate() {
                latest = latest.max(event.time);
                expected.push((latest, location, position, event));
            }
        }
        expected.sort_by_key(|&(latest, location, position, _)| (latest, location, position));
        prop_assert_eq!(table.num_rows(), expected.len());
        let clock = store.definitions().clock();
        let times = numbers::<Int64Type>(&table, "Timestamp (ns)");
        let processes = numbers::<Int64Type>(&table, "Process");
        for (row, (_, location, _, event)) in expected.into_iter().enumerate() {
            let ends = if event.time < clock.global_offset { i64::MIN } else { i64::MAX };
            let time = clock.nanoseconds(Timestamp(event.time)).unwrap_or(ends);
            prop_assert_eq!(times.value(row), time);
            if let Some((rank, _)) = store.names().rank(location) {
                prop_assert_eq!(processes.value(row), rank as i64);
            }
        }
    }
}

/// Definitions that come late name events that were there before.
#[test]
fn a_text_is_put_in_order_first() {
    let folder = Folder::new();
    folder.write(
        "run.trace",
        "1 local enter late time=5\n0 send 1 17 bytes=8 time=3\n1 local leave late time=9\n0 recv 1 17 time=12\n",
    );
    folder.say("convert run.trace run.parquet").exits(0);
    let table = read_parquet(&folder.path("run.parquet"));
    let ranks: Vec<_> = (0..4).map(|row| wide(&table, "rank", row)).collect();
    assert_eq!(ranks, [Some(0), Some(1), Some(1), Some(1)]);
    assert_eq!(words(&table, "name").value(1), "late");
    folder
        .say("convert run.trace pipit.parquet --to pipit")
        .exits(0);
    let pipit = read_parquet(&folder.path("pipit.parquet"));
    let times = numbers::<Int64Type>(&pipit, "Timestamp (ns)");
    assert_eq!(times.values(), &[3, 5, 9, 12]);
    assert_eq!(
        folder.names(),
        ["pipit.parquet", "run.parquet", "run.trace"]
    );
}

#[test]
fn an_archive_and_its_store_give_the_same_table() {
    for name in ["stencil-9", "tree-4"] {
        let folder = Folder::with_store(name);
        let archive = example(name);
        let run = |input: &Path, output: &str| {
            let output = folder.path(output);
            let arguments = ["convert".as_ref(), input.as_os_str(), output.as_os_str()];
            folder.run(arguments).exits(0);
            fs::read(output).unwrap()
        };
        let store = folder.path(format!("{name}.fold"));
        assert!(run(&archive, "a.parquet") == run(&store, "b.parquet"));
        assert!(run(&archive, "a.csv") == run(&store, "b.csv"));
        assert!(run(&archive, "a.arrow") == run(&store, "b.arrow"));
    }
}

#[test]
fn a_trace_without_events_is_a_table_without_rows() {
    let folder = Folder::new();
    folder.write("run.trace", "#: string id=0 \"nothing\"\n");
    for ending in ["parquet", "arrow", "csv"] {
        folder
            .say(&format!("convert run.trace run.{ending}"))
            .exits(0);
    }
    assert_eq!(read_parquet(&folder.path("run.parquet")).num_rows(), 0);
    assert_eq!(read_arrow(&folder.path("run.arrow")).num_rows(), 0);
    let csv = fs::read_to_string(folder.path("run.csv")).unwrap();
    assert!(csv.starts_with("location,rank,thread,"), "{csv}");
    assert!(csv.ends_with(",attributes\r\n"), "{csv}");
    assert_eq!(csv.lines().count(), 1);
}

/// On standard output, Arrow is a stream.
#[test]
fn tables_go_to_standard_output() {
    let folder = Folder::with_store("ring-4");
    let send = |format: &str| {
        let mut command = folder.foldtrace(["convert", "ring-4.fold", "-", "--to", format]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let parquet = send("parquet");
    folder.write("copy.parquet", &parquet);
    assert_eq!(read_parquet(&folder.path("copy.parquet")).num_rows(), 536);
    let stream = send("arrow");
    let reader = arrow::ipc::reader::StreamReader::try_new(&stream[..], None).unwrap();
    let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 536);
    assert_eq!(String::from_utf8(send("csv")).unwrap().lines().count(), 537);
}

#[test]
fn tables_are_not_read() {
    let folder = Folder::with_store("ring-4");
    let mut reports = String::new();
    for ending in ["parquet", "arrow", "csv"] {
        folder
            .say(&format!("convert ring-4.fold ring.{ending}"))
            .exits(0);
        let named = folder.say(&format!("convert ring.{ending} out.fold --from {ending}"));
        reports.push_str(&named.exits(2).report());
        let found = folder.say(&format!("convert ring.{ending} out.fold"));
        reports.push_str(&found.report());
    }
    insta::assert_snapshot!(reports);
}

/// Values of metrics and attributes have no place in Pipit's table, which is told.
#[test]
fn what_pipit_does_not_have_is_told() {
    let folder = Folder::new();
    folder.write(
        "run.trace",
        "0 local metric metric=0 value.0=uint64:5 value.1=int8:5\n0 local enter region=0 attribute.0=uint64:0\n",
    );
    let ran = folder
        .say("convert run.trace run.parquet --to pipit")
        .exits(3);
    insta::assert_snapshot!(ran.report());
    folder.say("convert run.trace flat.parquet").exits(0);
}

/// Name, type and null of the columns that a page has under a heading.
fn published(heading: &str) -> Vec<[String; 3]> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/table.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once(&format!("## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|line| {
            let cells: Vec<_> = line
                .split('|')
                .map(|cell| cell.trim().trim_matches('`'))
                .collect();
            [
                cells[0].to_owned(),
                cells[1].to_owned(),
                cells[2].to_owned(),
            ]
        })
        .collect()
}

fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Dictionary(key, value) => format!("Dictionary({key}, {value})"),
        DataType::List(item) => format!("List({})", type_name(item.data_type())),
        DataType::Struct(_) => "Struct".to_owned(),
        plain => plain.to_string(),
    }
}

fn columns(table: &RecordBatch) -> Vec<[String; 3]> {
    let schema = table.schema();
    let mut columns = Vec::new();
    let mut push = |name: String, field: &arrow::datatypes::Field| {
        let null = if field.is_nullable() { "yes" } else { "no" };
        columns.push([name, type_name(field.data_type()), null.to_owned()]);
    };
    for field in schema.fields() {
        push(field.name().clone(), field);
        let (of, inner) = match field.data_type() {
            DataType::List(item) => ("[]", item.data_type()),
            plain => ("", plain),
        };
        if let DataType::Struct(fields) = inner {
            for inner in fields {
                push(format!("{}{of}.{}", field.name(), inner.name()), inner);
            }
        }
    }
    columns
}

#[test]
fn table_md_has_the_columns_of_both_tables() {
    let folder = Folder::with_store("ring-4");
    for (heading, format, code) in [
        ("The flat table", "parquet", 0),
        ("The table for Pipit", "pipit", 3),
    ] {
        folder
            .say(&format!("convert ring-4.fold {format}.out --to {format}"))
            .exits(code);
        let table = read_parquet(&folder.path(format!("{format}.out")));
        assert_eq!(published(heading), columns(&table), "{heading}");
    }
}

#[test]
fn parquet_is_written_as_table_md_says() {
    let folder = Folder::with_store("stencil-9");
    folder.say("convert stencil-9.fold run.parquet").exits(0);
    let file = File::open(folder.path("run.parquet")).unwrap();
    let metadata = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .parse_and_finish(&file)
        .unwrap();
    let keys: Vec<_> = metadata
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .iter()
        .filter_map(|pair| Some((pair.key.as_str(), pair.value.as_deref()?)))
        .filter(|(key, _)| *key != "ARROW:schema")
        .collect();
    assert_eq!(
        keys,
        [
            ("foldtrace.version", "2"),
            ("foldtrace.table", "events"),
            ("foldtrace.ticks_per_second", "1000000000"),
            ("foldtrace.global_offset", "0"),
        ]
    );
    let row_group = metadata.row_group(0);
    let sorting: Vec<_> = row_group
        .sorting_columns()
        .unwrap()
        .iter()
        .map(|column| {
            row_group
                .column(column.column_idx as usize)
                .column_path()
                .string()
        })
        .collect();
    assert_eq!(sorting, ["location", "position"]);
    for column in row_group.columns() {
        assert!(column.statistics().is_some(), "{}", column.column_path());
        assert!(
            column.column_index_offset().is_some(),
            "{}",
            column.column_path()
        );
        assert!(matches!(
            column.compression(),
            parquet::basic::Compression::ZSTD(_)
        ));
    }
    for name in ["location", "position", "time", "ticks"] {
        let column = row_group
            .columns()
            .iter()
            .find(|c| c.column_path().string() == name)
            .unwrap();
        assert!(
            column
                .encodings()
                .any(|e| e == Encoding::DELTA_BINARY_PACKED),
            "{name}"
        );
    }
}
