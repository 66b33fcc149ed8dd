//! Loop models on disk: one row a construct, outer before inner, with its depth.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Int64Array, Int64Builder, ListArray, ListBuilder, PrimitiveBuilder,
    UInt8Array, UInt8Builder, UInt16Array, UInt16Builder, UInt32Array, UInt64Array,
};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Field};
use foldtrace_trace::{LocationId, SymbolId, TraceError};

use super::error::wrong;
use super::index::Index;
use super::parquet_io::{TableWriter, column, read_table, symbol_at};
use super::schema;
use crate::fold::{Construct, Count, EventConstruct, LoopConstruct, Model, Step};

pub(super) const FILE: &str = "models/loops.parquet";

/// The model of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredModel {
    /// Whose model.
    pub location: LocationId,
    /// The model of all its events, over the symbols of the store.
    pub model: Model,
}

/// A construct without its body.
struct Row {
    location: u64,
    depth: u16,
    symbol: Option<u32>,
    count: Option<i64>,
    steps: Vec<Step>,
}

/// Rows written at once.
const CHUNK: usize = 1 << 16;

/// Rows on their way to the table.
struct Rows<'a> {
    table: TableWriter<'a>,
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn flatten(
        &mut self,
        location: u64,
        constructs: &[Construct],
        depth: u16,
    ) -> Result<(), TraceError> {
        for construct in constructs {
            if self.rows.len() >= CHUNK {
                self.flush()?;
            }
            let (symbol, count, steps) = match construct {
                Construct::Event(event) => (Some(event.symbol.0), None, event.steps.clone()),
                Construct::Loop(l) => (None, Some(l.count.base), l.count.steps.clone()),
            };
            self.rows.push(Row {
                location,
                depth,
                symbol,
                count,
                steps,
            });
            if let Construct::Loop(l) = construct {
                self.flatten(location, &l.body, depth + 1)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        self.table.write(vec![
            Arc::new(
                rows.iter()
                    .map(|r| Some(r.location))
                    .collect::<UInt64Array>(),
            ),
            Arc::new(rows.iter().map(|r| Some(r.depth)).collect::<UInt16Array>()),
            Arc::new(rows.iter().map(|r| r.symbol).collect::<UInt32Array>()),
            Arc::new(rows.iter().map(|r| r.count).collect::<Int64Array>()),
            step_column(UInt8Builder::new(), DataType::UInt8, rows, |step| step.slot),
            step_column(UInt16Builder::new(), DataType::UInt16, rows, |step| {
                step.depth
            }),
            step_column(Int64Builder::new(), DataType::Int64, rows, |step| {
                step.coefficient
            }),
        ])?;
        self.rows.clear();
        Ok(())
    }
}

pub(super) fn write(store: &Path, models: &[StoredModel]) -> Result<(), TraceError> {
    let path = store.join(FILE);
    let table = TableWriter::create(&path, schema::loops())?;
    let mut rows = Rows {
        table,
        rows: Vec::new(),
    };
    for StoredModel { location, model } in models {
        rows.flatten(location.0, &model.constructs, 0)?;
    }
    rows.flush()?;
    rows.table.finish()
}

fn step_column<T: ArrowPrimitiveType>(
    values: PrimitiveBuilder<T>,
    data_type: DataType,
    rows: &[Row],
    part: impl Fn(&Step) -> T::Native,
) -> ArrayRef {
    let mut builder = ListBuilder::new(values).with_field(Field::new_list_field(data_type, false));
    for row in rows {
        for step in &row.steps {
            builder.values().append_value(part(step));
        }
        builder.append(true);
    }
    Arc::new(builder.finish())
}

/// Reads all models; locations without events have an empty one.
pub(super) fn read(
    store: &Path,
    locations: &[LocationId],
    index: &Index,
) -> Result<Vec<StoredModel>, TraceError> {
    let path = store.join(FILE);
    let mut rows = Vec::new();
    for batch in read_table(&path, &schema::loops())? {
        let location = column::<UInt64Array>(&batch, 0, &path)?;
        let depth = column::<UInt16Array>(&batch, 1, &path)?;
        let symbol = column::<UInt32Array>(&batch, 2, &path)?;
        let count = column::<Int64Array>(&batch, 3, &path)?;
        let lists = [4, 5, 6].map(|i| column::<ListArray>(&batch, i, &path));
        let [slots, depths, coefficients] = lists;
        let (slots, depths, coefficients) = (slots?, depths?, coefficients?);
        for row in 0..batch.num_rows() {
            let (slots, depths, coefficients) =
                (slots.value(row), depths.value(row), coefficients.value(row));
            let slots = slots.as_any().downcast_ref::<UInt8Array>();
            let depths = depths.as_any().downcast_ref::<UInt16Array>();
            let coefficients = coefficients.as_any().downcast_ref::<Int64Array>();
            let (Some(slots), Some(depths), Some(coefficients)) = (slots, depths, coefficients)
            else {
                return Err(wrong(&path, "a list has another type"));
            };
            let steps = slots
                .values()
                .iter()
                .zip(depths.values())
                .zip(coefficients.values());
            rows.push(Row {
                location: location.value(row),
                depth: depth.value(row),
                symbol: symbol_at(symbol, row),
                count: (!count.is_null(row)).then(|| count.value(row)),
                steps: steps
                    .map(|((&slot, &depth), &coefficient)| Step {
                        slot,
                        depth,
                        coefficient,
                    })
                    .collect(),
            });
        }
    }
    locations
        .iter()
        .map(|&location| {
            let start = rows.partition_point(|row| row.location < location.0);
            let len = rows[start..].partition_point(|row| row.location == location.0);
            let mut mine = &rows[start..start + len];
            let constructs = gather(&mut mine, 0, &path)?;
            if !mine.is_empty() {
                return Err(wrong(
                    &path,
                    "a construct is deeper than any loop around it",
                ));
            }
            let model = Model {
                constructs,
                events: index.events(location),
            };
            Ok(StoredModel { location, model })
        })
        .collect()
}

fn gather(rows: &mut &[Row], depth: u16, path: &Path) -> Result<Arc<[Construct]>, TraceError> {
    let mut constructs = Vec::new();
    while let Some((row, rest)) = rows.split_first() {
        if row.depth != depth {
            break;
        }
        *rows = rest;
        constructs.push(match (row.symbol, row.count) {
            (Some(symbol), None) => Construct::Event(EventConstruct {
                symbol: SymbolId(symbol),
                steps: row.steps.clone(),
            }),
            (None, Some(base)) => Construct::Loop(LoopConstruct {
                count: Count {
                    base,
                    steps: row.steps.clone(),
                },
                body: gather(rows, depth.saturating_add(1), path)?,
            }),
            _ => return Err(wrong(path, "a construct is neither an event nor a loop")),
        });
    }
    Ok(constructs.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Segment;
    use foldtrace_trace::Position;
    use proptest::prelude::*;

    fn constructs() -> impl Strategy<Value = Vec<Construct>> {
        let step = (0u8..4, 0u16..5, any::<i64>()).prop_map(|(slot, depth, coefficient)| Step {
            slot,
            depth,
            coefficient,
        });
        let steps = prop::collection::vec(step, 0..3);
        let event = (any::<u32>(), steps.clone()).prop_map(|(symbol, steps)| {
            Construct::Event(EventConstruct {
                symbol: SymbolId(symbol),
                steps,
            })
        });
        let nested = event.prop_recursive(4, 40, 4, move |inner| {
            (
                any::<i64>(),
                steps.clone(),
                prop::collection::vec(inner, 1..4),
            )
                .prop_map(|(base, steps, body)| {
                    Construct::Loop(LoopConstruct {
                        count: Count { base, steps },
                        body: body.into(),
                    })
                })
        });
        prop::collection::vec(nested, 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn models_come_back(models in prop::collection::vec((constructs(), 1u64..9), 0..5)) {
            let store = tempfile::tempdir().unwrap();
            let segment = |i: usize, events: u64| Segment {
                location: LocationId(i as u64 * 3), first: Position(0), events, part: 0, row_group: 0,
                row: 0, metrics: (0, 0), attributes: (0, 0),
                block: crate::store::Block::default(),
            };
            let index = Index::new(models.iter().enumerate().map(|(i, m)| segment(i, m.1)).collect());
            let stored: Vec<_> = models.into_iter().enumerate().map(|(i, (constructs, events))| StoredModel {
                location: LocationId(i as u64 * 3),
                model: Model { constructs: constructs.into(), events },
            }).collect();
            write(store.path(), &stored).unwrap();
            let locations: Vec<_> = stored.iter().map(|m| m.location).collect();
            prop_assert_eq!(read(store.path(), &locations, &index).unwrap(), stored);
        }
    }
}
