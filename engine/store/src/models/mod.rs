//! Loop models on disk: one row per construct, outer before inner, with its depth.
//!
//! The model of a location without repetition is as long as its event stream, so no model is ever held in memory
//! while a store is written: [`ModelSpill`] takes constructs as they settle, and [`write`] sorts them by location.
//! [`Models`] reads the models one location at a time. The ordered DAG has tables of its own.

mod dag;
mod dag_table;
mod read;
mod rows;
mod spill;
mod write;

pub(super) use dag::read as read_dag;
pub use dag_table::DagTable;
pub use read::{Models, StoredModel};
pub(super) use spill::ModelSpill;
pub use spill::PartModels;
pub(super) use write::write;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::rows::columns;
    use super::*;
    use crate::folder::StoreFolder;
    use crate::index::{Block, Index, Segment};
    use crate::paths::LOOPS;
    use crate::schema::tests::check_meanings;
    use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model, Step};
    use foldtrace_trace::{LocationId, Position, SymbolId, SymbolTable};
    use proptest::prelude::*;

    const SYMBOLS: u32 = 100;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings(LOOPS, columns(true));
        for table in DagTable::ALL {
            let declared = table.columns();
            check_meanings(table.path(), declared.columns);
            assert_eq!(declared.sorting().count(), declared.sorted_by.len());
        }
    }

    fn constructs() -> impl Strategy<Value = Vec<Construct>> {
        let step = (0u8..4, 0u16..5, any::<i64>()).prop_map(|(slot, depth, coefficient)| Step {
            slot,
            depth,
            coefficient,
        });
        let steps = prop::collection::vec(step, 0..3);
        let event = (0..SYMBOLS, steps.clone()).prop_map(|(symbol, steps)| {
            Construct::Event(EventConstruct {
                symbol: SymbolId::new(symbol),
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

    /// The constructs of a location, and the number of its events.
    type LocationModels = Vec<(Vec<Construct>, u64)>;

    /// Writes the models of locations 0, 3, 6, … in pieces, taking turns, and returns them as the store contains
    /// them.
    fn write_in_turns(store: &Path, models: &LocationModels, piece: usize) -> Vec<StoredModel> {
        let mut spill = ModelSpill::new(store, 0);
        let longest = models.iter().map(|(constructs, _)| constructs.len()).max();
        let locations = || (0..).step_by(3).map(LocationId).zip(models);
        for turn in 0..longest.unwrap_or(0).div_ceil(piece) {
            for (location, (constructs, _)) in locations() {
                let piece = constructs.chunks(piece).nth(turn).unwrap_or_default();
                spill.append(location, piece).unwrap();
            }
        }
        let map: Vec<SymbolId> = (0..SYMBOLS).rev().map(SymbolId::new).collect();
        let parts = vec![(spill.finish().unwrap(), &map[..])];
        write(
            store,
            parts,
            &SymbolTable::default(),
            &mut Default::default(),
        )
        .unwrap();
        locations()
            .map(|(location, (constructs, events))| StoredModel {
                location,
                model: Model {
                    constructs: mapped(constructs, &map),
                    events: *events,
                },
            })
            .collect()
    }

    fn mapped(constructs: &[Construct], map: &[SymbolId]) -> Arc<[Construct]> {
        let mapped = constructs.iter().map(|construct| match construct {
            Construct::Event(event) => Construct::Event(EventConstruct {
                symbol: map[event.symbol.row()],
                ..event.clone()
            }),
            Construct::Loop(l) => Construct::Loop(LoopConstruct {
                body: mapped(&l.body, map),
                ..l.clone()
            }),
        });
        mapped.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn models_come_back(
            models in prop::collection::vec((constructs(), 1u64..9), 0..5),
            piece in 1usize..4,
            which in any::<u8>(),
        ) {
            let store = tempfile::tempdir().unwrap();
            let expected = write_in_turns(store.path(), &models, piece);
            let segment = |stored: &StoredModel| Segment {
                location: stored.location, first: Position(0), events: stored.model.events, part: 0,
                row_group: 0, row: 0, metrics: (0, 0), attributes: (0, 0),
                block: Block::default(),
            };
            let index = Index::new(expected.iter().map(segment).collect());
            let files = std::fs::read_dir(store.path()).unwrap();
            prop_assert_eq!(files.count(), 1, "the file of the part is removed");
            let folder = StoreFolder::sealed(store.path());
            let symbols = SymbolTable::default();
            let read = |of: &[StoredModel]| {
                let locations: Vec<_> = of.iter().map(|stored| stored.location).collect();
                let mut models = Models::open(&folder, locations.clone(), &symbols, &index).unwrap();
                let models = locations.into_iter().map(|location| models.model(location));
                models.collect::<Result<Vec<_>, _>>().unwrap()
            };
            prop_assert_eq!(&read(&expected), &expected);
            let mut some = expected;
            some.retain(|stored| which >> (stored.location.0 / 3) & 1 == 1);
            prop_assert_eq!(read(&some), some);
        }
    }
}
