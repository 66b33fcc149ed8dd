//! Opens a store to read some of its locations.
//!
//! Of a store with a million locations, reading all definitions, symbols and the index takes seconds. An event of one
//! location needs a few rows of these tables: those of the location and its process, the symbols of its events, and
//! what these refer to.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_trace::{
    DefinitionKind, Definitions, FieldType, LocationId, Names, Operand, SymbolTable, TraceError,
};

use super::store_reader::StoreReader;
use crate::definitions;
use crate::events::EventSource;
use crate::folder::StoreFolder;
use crate::index::Index;
use crate::tables::{Keys, PAGE_ROWS};

impl StoreReader {
    /// Reads what the locations with these labels need. Returns `None` if there are no labels, or no location for one.
    pub(super) fn for_labels(
        folder: &StoreFolder,
        labels: &[impl AsRef<str>],
    ) -> Result<Option<Self>, TraceError> {
        let ranks = Ranks::read(folder, labels)?;
        let mut needed = Needed::by_locations(folder, &ranks)?;
        let names = needed.names(&ranks);
        let locations = labels.iter().map(|label| names.parse_label(label.as_ref()));
        let locations: Option<BTreeSet<_>> = locations.collect();
        let Some(locations) = locations.filter(|locations| !locations.is_empty()) else {
            return Ok(None);
        };
        let ids = locations.iter().map(|location| location.0).collect();
        let index = Index::read_of(folder, &ids)?;
        let has_attributes = index.segments().iter().any(|s| s.attributes.1 > 0);
        // Finding the symbols of events takes longer than reading all symbols, unless the events are few.
        let symbols = folder.manifest().counts.symbols;
        let source = if symbols > PAGE_ROWS as u64 && symbols > index.total() {
            EventSource::with_their_symbols(folder.clone(), index)?
        } else {
            EventSource::with_all_symbols(folder.clone(), index)?
        };
        needed.add_others()?;
        if has_attributes {
            needed.add_all_references()?;
        } else {
            needed.add_references(source.symbols())?;
        }
        let names = needed.names(&ranks);
        Ok(Some(
            Self::new(source, needed.definitions, locations).with_names(names),
        ))
    }
}

/// The ranks of locations in the whole program.
struct Ranks(BTreeMap<LocationId, Option<u64>>);

impl Ranks {
    /// Reads the ranks of all locations of the processes that labels may mean, and of the locations whose ids are equal to
    /// these ranks, because the labels of others depend on them.
    fn read(folder: &StoreFolder, labels: &[impl AsRef<str>]) -> Result<Self, TraceError> {
        let numbers = labels.iter().flat_map(|label| {
            let numbers = label.as_ref().split(|c: char| !c.is_ascii_digit());
            numbers.filter_map(|number| number.parse().ok())
        });
        let mut ranks = definitions::ranks(folder, &numbers.collect())?;
        let of_processes = ranks.values().copied().flatten().collect();
        ranks.extend(definitions::ranks(folder, &of_processes)?);
        Ok(Self(ranks))
    }
}

/// The definitions that some locations need.
struct Needed<'a> {
    folder: &'a StoreFolder,
    definitions: Definitions,
}

impl<'a> Needed<'a> {
    /// Reads the definitions that describe locations, or their processes.
    fn by_locations(folder: &'a StoreFolder, ranks: &Ranks) -> Result<Self, TraceError> {
        let locations: Keys = ranks.0.keys().map(|location| location.0).collect();
        let mut needed = Self {
            folder,
            definitions: Definitions::default(),
        };
        needed.add_described(DefinitionKind::Location, &locations)?;
        // The process that uses an accelerator has created the group of its streams.
        let groups = needed.values(DefinitionKind::Location, "location_group");
        let mut described = Self {
            folder,
            definitions: Definitions::default(),
        };
        described.add(DefinitionKind::LocationGroup, &groups)?;
        let creators = described.values(DefinitionKind::LocationGroup, "creator");
        let groups = groups.iter().chain(creators.iter()).collect();
        needed.add_described(DefinitionKind::LocationGroup, &groups)?;
        Ok(needed)
    }

    fn names(&self, ranks: &Ranks) -> Names {
        let rank = |location| ranks.0.get(&location).copied().flatten();
        Names::new(&self.definitions).with_ranks(rank)
    }

    /// Adds the definitions of a kind of which the first field is one of `keys`.
    fn add(&mut self, kind: DefinitionKind, keys: &Keys) -> Result<(), TraceError> {
        definitions::read_some(self.folder, kind, keys, &mut self.definitions)
    }

    /// Adds all definitions of a kind.
    fn add_all(&mut self, kind: DefinitionKind) -> Result<(), TraceError> {
        definitions::read_kind(self.folder, kind, &mut self.definitions)
    }

    /// Adds the definitions of `subjects` with these ids, and all that describe them.
    fn add_described(&mut self, subjects: DefinitionKind, ids: &Keys) -> Result<(), TraceError> {
        for &kind in DefinitionKind::ALL {
            if subject(kind) == Some(subjects) {
                self.add(kind, ids)?;
            }
        }
        Ok(())
    }

    /// Adds all definitions that describe no location or process, except for groups and strings.
    fn add_others(&mut self) -> Result<(), TraceError> {
        for &kind in DefinitionKind::ALL {
            let is_reference = matches!(kind, DefinitionKind::Group | DefinitionKind::String);
            if subject(kind).is_none() && !is_reference {
                self.add_all(kind)?;
            }
        }
        Ok(())
    }

    /// Adds all groups and strings, to which attributes of events may refer.
    fn add_all_references(&mut self) -> Result<(), TraceError> {
        self.add_all(DefinitionKind::Group)?;
        self.add_all(DefinitionKind::String)
    }

    /// Adds the groups and strings to which symbols refer, directly or through definitions. Of communicators, only collective
    /// operations need the members.
    fn add_references(&mut self, symbols: &SymbolTable) -> Result<(), TraceError> {
        let mut ids = Vec::new();
        let mut strings = Vec::new();
        for (_, symbol) in symbols.known() {
            ids.extend(symbol.get(Operand::Group));
            strings.extend(symbol.get(Operand::String));
            if symbol.kind.is_collective() {
                let comm = symbol.get(Operand::Communicator);
                ids.extend(comm.into_iter().flat_map(|comm| self.groups_of(comm)));
            }
        }
        self.add(DefinitionKind::Group, &ids.into_iter().collect())?;
        strings.extend(self.strings());
        self.add(DefinitionKind::String, &strings.into_iter().collect())
    }

    /// Returns the groups of the processes in a communicator.
    fn groups_of(&self, communicator: u64) -> Vec<u64> {
        let fields = [
            (DefinitionKind::Comm, "group"),
            (DefinitionKind::InterComm, "group_a"),
            (DefinitionKind::InterComm, "group_b"),
        ];
        let groups = fields.iter().flat_map(|&(kind, field)| {
            let records = self.definitions.records(kind);
            let records = records.filter(move |record| record.get(0) == communicator);
            records.filter_map(move |record| record.field(field))
        });
        groups.collect()
    }

    /// Returns the strings to which definitions refer.
    fn strings(&self) -> Vec<u64> {
        let mut strings = Vec::new();
        for record in self.definitions.in_order() {
            let fields = 0..record.kind.fields().len();
            let mut fields: Vec<u64> = fields.map(|field| record.get(field)).collect();
            // The members of groups, of which there may be millions, are no strings.
            let mut list = match record.kind {
                DefinitionKind::Group => Vec::new(),
                _ => record.list().to_vec(),
            };
            record
                .kind
                .map_references(&mut fields, &mut list, |kind, id| {
                    if kind == DefinitionKind::String {
                        strings.push(id);
                    }
                    id
                });
        }
        strings
    }

    /// Returns the values of a field of all definitions of a kind.
    fn values(&self, kind: DefinitionKind, field: &str) -> Keys {
        let records = self.definitions.records(kind);
        records.filter_map(|record| record.field(field)).collect()
    }
}

/// Returns whether definitions of a kind are locations or location groups, or describe these.
fn subject(kind: DefinitionKind) -> Option<DefinitionKind> {
    let first = kind.fields().first().map(|field| field.field_type);
    let subject = match first {
        Some(FieldType::Ref(described)) => described,
        _ => kind,
    };
    let is_subject = [DefinitionKind::Location, DefinitionKind::LocationGroup].contains(&subject);
    is_subject.then_some(subject)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::{Path, PathBuf};

    use foldtrace_trace::{
        Diagnostics, EventBatch, EventStream, EventText, Position, Step, SymbolId, TraceReader,
    };

    use super::*;

    /// Returns the stores of the tests.
    fn stores() -> Vec<PathBuf> {
        let folder = Path::new("../../tests/data/stores");
        let versions = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let stores = versions.filter(|path| path.is_dir()).flat_map(|version| {
            let stores = version.read_dir().unwrap();
            stores.map(|entry| entry.unwrap().path())
        });
        let is_store = |path: &PathBuf| path.join("manifest.json").exists();
        let stores: Vec<_> = stores.filter(is_store).collect();
        assert!(stores.len() > 3, "{stores:?}");
        stores
    }

    /// Returns the events of a location as text.
    fn events(store: &StoreReader, location: LocationId) -> Vec<String> {
        let mut stream = store.events(location, Position(0));
        let mut batch = EventBatch::default();
        let (mut lines, mut problems) = (Vec::new(), Diagnostics::default());
        while stream.next_batch(&mut batch, &mut problems).unwrap() == Step::Batch {
            let (names, symbols) = (store.names(), store.symbols());
            let events = batch.iter(symbols);
            lines.extend(events.map(|e| EventText::new(names, &batch, e, symbols).to_string()));
        }
        lines
    }

    #[test]
    fn a_reader_of_one_location_reads_the_same_as_a_reader_of_all() {
        for path in stores() {
            let all = StoreReader::open(&path).unwrap();
            let folder = StoreFolder::open(&path).unwrap();
            for location in all.locations() {
                let label = all.names().label(location);
                let Some(one) = StoreReader::for_labels(&folder, &[&label]).unwrap() else {
                    assert_eq!(all.names().parse_label(&label), None, "{path:?} {label}");
                    continue;
                };
                assert_eq!(one.locations().collect::<Vec<_>>(), [location]);
                assert_eq!(one.streams()[0].part, all.index().part(location));
                assert_eq!(one.index().segments(), all.index().of(location));
                assert_eq!(one.names().label(location), label);
                assert_eq!(one.names().rank(location), all.names().rank(location));
                assert_eq!(
                    one.names().name(DefinitionKind::Location, location.0),
                    all.names().name(DefinitionKind::Location, location.0)
                );
                assert_eq!(
                    events(&one, location),
                    events(&all, location),
                    "{path:?} {label}"
                );
                let [of_one, of_all] = [&one, &all].map(|store| {
                    let mut models = store.models_of(vec![location]).unwrap();
                    models.next().unwrap().unwrap()
                });
                assert_eq!(of_one, of_all);
            }
        }
    }

    #[test]
    fn the_symbols_of_one_location_are_those_of_its_events() {
        for path in stores() {
            let all = StoreReader::open(&path).unwrap();
            for location in all.locations() {
                let folder = StoreFolder::open(&path).unwrap();
                let index = Index::read_of(&folder, &[location.0].into_iter().collect()).unwrap();
                let source = EventSource::with_their_symbols(folder, index).unwrap();
                let mut rows = BTreeSet::new();
                let mut stream = all.events(location, Position(0));
                let mut symbols = Vec::new();
                loop {
                    stream.next_symbols(&mut symbols).unwrap();
                    if symbols.is_empty() {
                        break;
                    }
                    rows.extend(symbols.iter().map(|symbol| symbol.without_tag()));
                }
                let table = source.symbols();
                assert_eq!(table.len(), all.symbols().len());
                assert_eq!(
                    table.known().map(|(row, _)| row).collect::<BTreeSet<_>>(),
                    rows
                );
                let first_equal = |row: SymbolId| {
                    let canonical = |(row, symbol)| {
                        (all.names().canonical(symbol), all.symbols().is_tagged(row))
                    };
                    let wanted = canonical((row, all.symbols().symbol(row)));
                    let mut symbols = all.symbols().iter();
                    symbols.find(|&it| canonical(it) == wanted).unwrap().0
                };
                for row in rows {
                    let canonical = source.canonical().get(&row.row_number());
                    assert_eq!(canonical, Some(&first_equal(row).row_number()));
                    assert_eq!(table.symbol(row), all.symbols().symbol(row));
                    assert_eq!(table.is_tagged(row), all.symbols().is_tagged(row));
                }
            }
        }
    }

    #[test]
    fn a_label_of_no_location_needs_all_locations() {
        let path = stores().remove(0);
        let folder = StoreFolder::open(&path).unwrap();
        for labels in [&[][..], &["0", "12345"], &["x"], &["0.9"], &["@77777"]] {
            assert!(
                StoreReader::for_labels(&folder, labels).unwrap().is_none(),
                "{labels:?}"
            );
        }
        let all = StoreReader::open_for(&path, &["12345"]).unwrap();
        assert_eq!(
            all.locations().len(),
            StoreReader::open(&path).unwrap().locations().len()
        );
    }
}
