//! Writes and reads the definitions as tables, one per kind, with the same code for all kinds.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Float64Array, Int64Array, ListArray, ListBuilder, StringArray, UInt32Array,
    UInt64Array, UInt64Builder,
};
use arrow::datatypes::{DataType, Field};
use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, FieldType, LocationId, Names, TraceError,
    UNDEFINED,
};

use crate::error::wrong;
use crate::folder::StoreFolder;
use crate::index::Index;
use crate::paths::{METRIC_NAMES, RANKS};
use crate::schema;
use crate::tables::{column, defined, nullable, numbers, read_table, write_table};
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
            write_table(
                &store.join(file(kind)),
                schema::definitions(kind),
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
    let columns = vec![
        Arc::new(rows.iter().map(|row| Some(row.0)).collect::<UInt64Array>()) as ArrayRef,
        Arc::new(rows.iter().map(|row| Some(row.1)).collect::<UInt32Array>()),
        Arc::new(rows.iter().map(|row| Some(row.2)).collect::<UInt64Array>()),
        text("name"),
        text("unit"),
        nullable(
            field("base")
                .into_iter()
                .map(|code| base(code).unwrap_or(UNDEFINED)),
        ),
        Arc::new(
            exponents
                .map(|e| e.map(u64::cast_signed))
                .collect::<Int64Array>(),
        ),
    ];
    let path = store.join(METRIC_NAMES);
    write_table(&path, schema::metric_names(), columns, unsigned)
}

fn columns(kind: DefinitionKind, records: &[DefinitionRecord<'_>]) -> Vec<ArrayRef> {
    let mut columns: Vec<ArrayRef> = vec![Arc::new(
        records
            .iter()
            .map(|r| Some(r.order))
            .collect::<UInt64Array>(),
    )];
    for (i, field) in kind.fields().iter().enumerate() {
        let values = records.iter().map(|r| r.get(i));
        columns.push(match field.field_type {
            // −1 is a valid value here, although it has the same bits as `UNDEFINED`.
            FieldType::Signed => Arc::new(Int64Array::from_iter_values(values.map(|v| v as i64))),
            FieldType::Double => {
                Arc::new(Float64Array::from_iter_values(values.map(f64::from_bits)))
            }
            FieldType::Value => Arc::new(UInt64Array::from_iter_values(values)),
            _ => nullable(values),
        });
    }
    if kind.list().is_some() {
        let item = Field::new_list_field(DataType::UInt64, false);
        let mut builder = ListBuilder::new(UInt64Builder::new()).with_field(item);
        for record in records {
            builder.values().append_slice(record.list());
            builder.append(true);
        }
        columns.push(Arc::new(builder.finish()));
    }
    if kind.has_text() {
        columns.push(Arc::new(
            records
                .iter()
                .map(|r| Some(r.text()))
                .collect::<StringArray>(),
        ));
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
    let columns = vec![
        wide(&|l| Some(l.0)),
        wide(&|l| names.rank(l).map(|(rank, _)| rank)),
        wide(&|l| names.rank(l).map(|(_, thread)| thread)),
        Arc::new(
            locations
                .iter()
                .map(|&l| Some(names.label(l)))
                .collect::<StringArray>(),
        ),
        Arc::new(locations.iter().map(name).collect::<StringArray>()),
        wide(&|l| Some(index.events(l))),
    ];
    write_table(&store.join(RANKS), schema::ranks(), columns, unsigned)
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
        let file = file(kind);
        if !folder.has(&file) {
            continue;
        }
        let path = folder.path_of(&file);
        for batch in read_table(folder, &file, &schema::definitions(kind))? {
            let order = numbers(&batch, 0, &path)?;
            let mut fields: Vec<Vec<u64>> = Vec::new();
            for (i, field) in kind.fields().iter().enumerate() {
                fields.push(match field.field_type {
                    FieldType::Signed => {
                        let values = column::<Int64Array>(&batch, i + 1, &path)?;
                        values
                            .iter()
                            .map(|v| v.map_or(UNDEFINED, |v| v as u64))
                            .collect()
                    }
                    FieldType::Double => {
                        let values = column::<Float64Array>(&batch, i + 1, &path)?;
                        values
                            .iter()
                            .map(|v| v.map_or(UNDEFINED, f64::to_bits))
                            .collect()
                    }
                    _ => {
                        let values = numbers(&batch, i + 1, &path)?;
                        (0..values.len()).map(|row| defined(&values, row)).collect()
                    }
                });
            }
            let mut next = fields.len() + 1;
            let lists = match kind.list() {
                Some(_) => {
                    next += 1;
                    Some(column::<ListArray>(&batch, next - 1, &path)?)
                }
                None => None,
            };
            let texts = if kind.has_text() {
                Some(column::<StringArray>(&batch, next, &path)?)
            } else {
                None
            };
            for row in 0..batch.num_rows() {
                let values: Vec<u64> = fields.iter().map(|column| column[row]).collect();
                let list = match lists {
                    Some(lists) => {
                        let items = lists.value(row);
                        let items = items.as_any().downcast_ref::<UInt64Array>();
                        items
                            .ok_or_else(|| wrong(&path, "a list has an unexpected type"))?
                            .values()
                            .to_vec()
                    }
                    None => Vec::new(),
                };
                let text = texts.map_or("", |texts| texts.value(row));
                definitions.insert(order.value(row), kind, &values, &list, text);
            }
        }
    }
    Ok(definitions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
