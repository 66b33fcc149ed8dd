//! Writes and reads the definitions as tables, one per kind, with the same code for all kinds.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Float64Array, Int64Array, ListArray, ListBuilder, RecordBatch, StringArray,
    UInt32Array, UInt64Array, UInt64Builder,
};
use arrow::datatypes::{DataType, Field};
use foldtrace_columns::ColumnType::{Double, Id, List, Number, Signed, Text, UInt32};
use foldtrace_columns::{Column, arrow_schema};
use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, FieldType, LocationId, Names, TraceError,
    UNDEFINED,
};

use crate::error::wrong;
use crate::folder::StoreFolder;
use crate::index::Index;
use crate::paths::{METRIC_NAMES, RANKS};
use crate::tables::{
    Keys, NamedColumn, column, defined, nullable, numbers, read_table, rows_with,
    write_keyed_table, write_table,
};
use crate::unsigned::Unsigned;

/// Returns the path of the table of a kind. Names of tables are plural.
fn file(kind: DefinitionKind) -> String {
    let name = kind.name();
    let plural = match (name.strip_suffix('y'), name.ends_with('s')) {
        (Some(stem), _) => format!("{stem}ies"),
        (None, true) if name == "clock_properties" => name.to_owned(),
        (None, true) => format!("{name}es"),
        (None, false) => format!("{name}s"),
    };
    format!("definitions/{plural}.parquet")
}

/// The columns of `definitions/ranks.parquet`: the locations as users know them.
const RANK_COLUMNS: &[Column] = &[
    Column::required("location", Id, "id of the location"),
    Column::optional("rank", Number, "rank of its process"),
    Column::optional(
        "thread",
        Number,
        "number of the location in its process, from 0",
    ),
    Column::required(
        "label",
        Text,
        "`RANK`; `RANK.THREAD` if the thread is not 0; `@ID` without a process",
    ),
    Column::optional("name", Text, "name of the location"),
    Column::required("events", Number, "number of its events"),
];

/// The columns by which the rows of `definitions/ranks.parquet` are found.
const RANK_KEYS: [&str; 2] = ["location", "rank"];

/// The columns of `definitions/metric_names.parquet`: members of metrics as users know them.
const METRIC_NAME_COLUMNS: &[Column] = &[
    Column::required("metric", Id, "id of the class or instance"),
    Column::required("member", UInt32, "index of the member, as in `metrics`"),
    Column::required("metric_member", Id, "its id"),
    Column::optional("name", Text, "its name"),
    Column::optional("unit", Text, "its unit"),
    Column::optional("base", Number, "2 or 10"),
    Column::optional(
        "exponent",
        Signed,
        "a value is in `unit` after multiplying by `base` to the power of this",
    ),
];

/// The first column of the definitions of each kind.
const ORDER: Column = Column::required(
    "order",
    Number,
    "the number of the definition among those of all kinds, from 0",
);

/// The last column of the definitions of kinds with a text.
const TEXT: Column = Column::required("text", Text, "a text");

/// Returns the column by which definitions of a kind are found: their first field, usually an id.
fn key(kind: DefinitionKind) -> &'static str {
    kind.fields().first().map_or(ORDER.name, |field| field.name)
}

/// Returns the columns of the definitions of a kind.
fn columns_of_kind(kind: DefinitionKind) -> Vec<Column> {
    let fields = kind.fields().iter().map(|field| {
        let (column_type, doc) = match field.field_type {
            FieldType::Id => (Id, "the id that the row defines"),
            FieldType::Ref(_) => (Id, "the id of a definition of that kind"),
            FieldType::Number => (
                Number,
                "a number, or the code of one of OTF2's enumerations",
            ),
            FieldType::Signed => (Signed, "a signed number; never null, undefined is −1"),
            FieldType::Double => (
                Double,
                "an IEEE double; never null, undefined is the NaN with all bits set",
            ),
            FieldType::Type => (
                Id,
                "code of the type of the next field, see [events.md](events.md#types-of-values)",
            ),
            FieldType::Value => (Id, "64 bits of the type of the previous field; never null"),
        };
        Column::optional(field.name, column_type, doc)
    });
    let list = kind.list().map(|name| {
        let doc = "numbers, none of them null; undefined is 2^64 − 1";
        Column::required(name, List(&Id), doc)
    });
    let text = kind.has_text().then_some(TEXT);
    [ORDER]
        .into_iter()
        .chain(fields)
        .chain(list)
        .chain(text)
        .collect()
}

/// Writes a table for each kind that has definitions, and the ranks of the locations.
pub(crate) fn write(
    store: &Path,
    definitions: &Definitions,
    names: &Names,
    index: &Index,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    for &kind in DefinitionKind::ALL {
        let records: Vec<_> = definitions.records(kind).collect();
        if !records.is_empty() {
            write_keyed_table(
                &store.join(file(kind)),
                arrow_schema(&columns_of_kind(kind)),
                &[key(kind)],
                columns(kind, &records),
                unsigned,
            )?;
        }
    }
    write_metric_names(store, definitions, names, unsigned)?;
    write_ranks(store, definitions, names, index, unsigned)
}

/// Writes the names and units of the members of each metric class and instance, if there are any.
fn write_metric_names(
    store: &Path,
    definitions: &Definitions,
    names: &Names,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let metrics: BTreeMap<u64, Vec<u64>> = definitions.metric_members().into_iter().collect();
    if metrics.is_empty() {
        return Ok(());
    }
    let records = definitions.records(DefinitionKind::MetricMember);
    let defined: HashMap<u64, _> = records.map(|record| (record.get(0), record)).collect();
    let rows = metrics.iter().flat_map(|(&metric, members)| {
        (0u32..)
            .zip(members)
            .map(move |(number, &member)| (metric, number, member))
    });
    let rows: Vec<(u64, u32, u64)> = rows.collect();
    let field = |name| {
        let slot = DefinitionKind::MetricMember.slot(name);
        rows.iter()
            .map(|row| slot.and_then(|slot| Some(defined.get(&row.2)?.get(slot))))
            .collect::<Vec<_>>()
    };
    let text = |name| {
        let strings = field(name).into_iter();
        let text = strings.map(|id| id.filter(|&id| id != UNDEFINED).map(|id| names.string(id)));
        Arc::new(text.collect::<StringArray>()) as ArrayRef
    };
    let exponents = field("exponent").into_iter();
    let exponents = exponents.map(|e| e.map(u64::cast_signed));
    let bases = field("base").into_iter();
    let bases = bases.map(|code| base(code).unwrap_or(UNDEFINED));
    let metric = UInt64Array::from_iter_values(rows.iter().map(|row| row.0));
    let member = UInt32Array::from_iter_values(rows.iter().map(|row| row.1));
    let metric_member = UInt64Array::from_iter_values(rows.iter().map(|row| row.2));
    let columns: Vec<NamedColumn> = vec![
        ("metric", Arc::new(metric)),
        ("member", Arc::new(member)),
        ("metric_member", Arc::new(metric_member)),
        ("name", text("name")),
        ("unit", text("unit")),
        ("base", nullable(bases)),
        ("exponent", Arc::new(exponents.collect::<Int64Array>())),
    ];
    let path = store.join(METRIC_NAMES);
    let schema = arrow_schema(METRIC_NAME_COLUMNS);
    write_table(&path, schema, columns, unsigned)
}

fn columns(kind: DefinitionKind, records: &[DefinitionRecord<'_>]) -> Vec<NamedColumn> {
    let order = UInt64Array::from_iter_values(records.iter().map(|r| r.order));
    let mut columns: Vec<NamedColumn> = vec![(ORDER.name, Arc::new(order))];
    for (i, field) in kind.fields().iter().enumerate() {
        let values = records.iter().map(|r| r.get(i));
        let values: ArrayRef = match field.field_type {
            // −1 is a valid value here, although it has the same bits as `UNDEFINED`.
            FieldType::Signed => Arc::new(Int64Array::from_iter_values(values.map(|v| v as i64))),
            FieldType::Double => {
                Arc::new(Float64Array::from_iter_values(values.map(f64::from_bits)))
            }
            FieldType::Value => Arc::new(UInt64Array::from_iter_values(values)),
            _ => nullable(values),
        };
        columns.push((field.name, values));
    }
    if let Some(list) = kind.list() {
        let item = Field::new_list_field(DataType::UInt64, false);
        let mut builder = ListBuilder::new(UInt64Builder::new()).with_field(item);
        for record in records {
            builder.values().append_slice(record.list());
            builder.append(true);
        }
        columns.push((list, Arc::new(builder.finish())));
    }
    if kind.has_text() {
        let texts = StringArray::from_iter_values(records.iter().map(|r| r.text()));
        columns.push((TEXT.name, Arc::new(texts)));
    }
    columns
}

/// Returns the base of a metric's scale that a code of OTF2 denotes; `None` for an unknown code.
const fn base(code: Option<u64>) -> Option<u64> {
    match code {
        Some(0) => Some(2),
        Some(1) => Some(10),
        _ => None,
    }
}

fn write_ranks(
    store: &Path,
    definitions: &Definitions,
    names: &Names,
    index: &Index,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let locations = locations(definitions, index);
    let wide = |f: &dyn Fn(LocationId) -> Option<u64>| -> ArrayRef {
        Arc::new(locations.iter().map(|&l| f(l)).collect::<UInt64Array>())
    };
    let name = |l: &LocationId| names.name(DefinitionKind::Location, l.0).map(str::to_owned);
    let labels = locations.iter().map(|&l| Some(names.label(l)));
    let location_names = locations.iter().map(name);
    let columns: Vec<NamedColumn> = vec![
        ("location", wide(&|l| Some(l.0))),
        ("rank", wide(&|l| names.rank(l).map(|(rank, _)| rank))),
        ("thread", wide(&|l| names.rank(l).map(|(_, thread)| thread))),
        ("label", Arc::new(labels.collect::<StringArray>())),
        ("name", Arc::new(location_names.collect::<StringArray>())),
        ("events", wide(&|l| Some(index.events(l)))),
    ];
    let schema = arrow_schema(RANK_COLUMNS);
    write_keyed_table(&store.join(RANKS), schema, &RANK_KEYS, columns, unsigned)
}

/// Returns all locations that are defined or have events, sorted by id.
pub(crate) fn locations(definitions: &Definitions, index: &Index) -> Vec<LocationId> {
    let defined = definitions
        .records(DefinitionKind::Location)
        .map(|r| LocationId(r.get(0)));
    let mut all: Vec<_> = defined
        .chain(index.segments().iter().map(|s| s.location))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Reads all tables of definitions.
pub(crate) fn read(folder: &StoreFolder) -> Result<Definitions, TraceError> {
    let mut definitions = Definitions::default();
    for &kind in DefinitionKind::ALL {
        read_kind(folder, kind, &mut definitions)?;
    }
    Ok(definitions)
}

/// Reads the definitions of a kind.
pub(crate) fn read_kind(
    folder: &StoreFolder,
    kind: DefinitionKind,
    definitions: &mut Definitions,
) -> Result<(), TraceError> {
    let file = file(kind);
    if folder.has(&file) {
        for batch in read_table(folder, &file, &columns_of_kind(kind))? {
            add_records(kind, &batch?, &folder.path_of(&file), definitions)?;
        }
    }
    Ok(())
}

/// Reads the definitions of a kind of which the first field, usually an id, is one of `keys`.
pub(crate) fn read_some(
    folder: &StoreFolder,
    kind: DefinitionKind,
    keys: &Keys,
    definitions: &mut Definitions,
) -> Result<(), TraceError> {
    let file = file(kind);
    if folder.has(&file) {
        for batch in rows_with(folder, &file, &columns_of_kind(kind), key(kind), keys)? {
            add_records(kind, &batch, &folder.path_of(&file), definitions)?;
        }
    }
    Ok(())
}

/// Returns the locations, and their ranks if they have any, of the rows of `definitions/ranks.parquet` in which a column is
/// one of `keys`.
fn ranks_with(
    folder: &StoreFolder,
    column: &str,
    keys: &Keys,
) -> Result<Vec<(LocationId, Option<u64>)>, TraceError> {
    let path = folder.path_of(RANKS);
    let mut ranks = Vec::new();
    for batch in rows_with(folder, RANKS, RANK_COLUMNS, column, keys)? {
        let location = numbers(&batch, "location", &path)?;
        let rank = numbers(&batch, "rank", &path)?;
        let locations = location
            .iter()
            .map(|id| LocationId(id.unwrap_or(UNDEFINED)));
        ranks.extend(locations.zip(rank.iter()));
    }
    Ok(ranks)
}

/// Returns the ranks of the locations that have one of these ids, or whose process has one of these ranks.
pub(crate) fn ranks(
    folder: &StoreFolder,
    ids_or_ranks: &Keys,
) -> Result<BTreeMap<LocationId, Option<u64>>, TraceError> {
    let mut ranks = BTreeMap::new();
    for key in RANK_KEYS {
        ranks.extend(ranks_with(folder, key, ids_or_ranks)?);
    }
    Ok(ranks)
}

/// Adds the definitions of a kind in a batch of the table at `path`.
fn add_records(
    kind: DefinitionKind,
    batch: &RecordBatch,
    path: &Path,
    definitions: &mut Definitions,
) -> Result<(), TraceError> {
    let order = numbers(batch, ORDER.name, path)?;
    let mut fields: Vec<Vec<u64>> = Vec::new();
    for field in kind.fields() {
        fields.push(match field.field_type {
            FieldType::Signed => {
                let values = column::<Int64Array>(batch, field.name, path)?;
                values
                    .iter()
                    .map(|v| v.map_or(UNDEFINED, |v| v as u64))
                    .collect()
            }
            FieldType::Double => {
                let values = column::<Float64Array>(batch, field.name, path)?;
                values
                    .iter()
                    .map(|v| v.map_or(UNDEFINED, f64::to_bits))
                    .collect()
            }
            _ => {
                let values = numbers(batch, field.name, path)?;
                (0..values.len()).map(|row| defined(&values, row)).collect()
            }
        });
    }
    let lists = kind
        .list()
        .map(|name| column::<ListArray>(batch, name, path))
        .transpose()?;
    let texts = kind
        .has_text()
        .then(|| column::<StringArray>(batch, TEXT.name, path))
        .transpose()?;
    for row in 0..batch.num_rows() {
        let values: Vec<u64> = fields.iter().map(|column| column[row]).collect();
        let list = match lists {
            Some(lists) => {
                let items = lists.value(row);
                let items = items.as_any().downcast_ref::<UInt64Array>();
                items
                    .ok_or_else(|| wrong(path, "a list has an unexpected type"))?
                    .values()
                    .to_vec()
            }
            None => Vec::new(),
        };
        let text = texts.map_or("", |texts| texts.value(row));
        definitions.insert(order.value(row), kind, &values, &list, text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::check_meanings;
    use proptest::prelude::*;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings(RANKS, RANK_COLUMNS);
        check_meanings(METRIC_NAMES, METRIC_NAME_COLUMNS);
    }

    #[test]
    fn the_columns_of_a_kind_have_different_names() {
        for &kind in DefinitionKind::ALL {
            let columns = columns_of_kind(kind);
            let names = columns.iter().map(|column| column.name);
            let names: std::collections::HashSet<_> = names.collect();
            assert_eq!(names.len(), columns.len(), "{kind:?}");
        }
    }

    #[test]
    fn every_kind_has_a_file_of_its_own() {
        let taken = [RANKS, METRIC_NAMES].map(str::to_owned);
        let files: std::collections::HashSet<_> = DefinitionKind::ALL
            .iter()
            .map(|&kind| file(kind))
            .chain(taken)
            .collect();
        assert_eq!(files.len(), DefinitionKind::ALL.len() + 2, "{files:?}");
    }

    #[test]
    fn tables_have_plural_names() {
        assert_eq!(
            file(DefinitionKind::Location),
            "definitions/locations.parquet"
        );
        assert_eq!(
            file(DefinitionKind::TraceProperty),
            "definitions/trace_properties.parquet"
        );
        assert_eq!(
            file(DefinitionKind::MetricClass),
            "definitions/metric_classes.parquet"
        );
        assert_eq!(
            file(DefinitionKind::ClockProperties),
            "definitions/clock_properties.parquet"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn reading_reverses_writing(
            records in prop::collection::vec(
                (0..DefinitionKind::ALL.len(), prop::collection::vec(prop_oneof![Just(UNDEFINED), Just(0), Just(7), any::<u64>()], 10),
                 prop::collection::vec(any::<u64>(), 0..4), ".{0,9}"),
                0..60)
        ) {
            let store = tempfile::tempdir().unwrap();
            let mut definitions = Definitions::default();
            for (kind, fields, list, text) in &records {
                definitions.push(DefinitionKind::ALL[*kind], fields, list, text);
            }
            write(store.path(), &definitions, &Names::new(&definitions), &Index::default(), &mut Unsigned::default()).unwrap();
            let back = read(&StoreFolder::sealed(store.path())).unwrap();
            prop_assert_eq!(back.in_order().len(), records.len());
            for (a, b) in back.in_order().iter().zip(definitions.in_order()) {
                prop_assert_eq!(a.kind, b.kind);
                for field in 0..a.kind.fields().len() {
                    prop_assert_eq!(a.get(field), b.get(field));
                }
                prop_assert_eq!((a.order, a.list(), a.text()), (b.order, b.list(), b.text()));
            }
        }
    }
}
