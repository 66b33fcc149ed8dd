//! Names that are written once per packet sequence and then referenced by number.

use indexmap::IndexSet;

use crate::messages::{InternedData, InternedName};

/// The kind of a name; each kind has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameTable {
    Categories,
    Events,
    Annotations,
    Strings,
}

/// Number of tables.
const TABLES: usize = 4;

/// The names of a trace, with the same numbers in all sequences.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    tables: [IndexSet<String>; TABLES],
}

impl Interner {
    /// Returns the number of a name; numbers start at 1.
    pub(crate) fn iid(&mut self, table: NameTable, name: &str) -> u64 {
        let names = &mut self.tables[table as usize];
        let index = match names.get_index_of(name) {
            Some(index) => index,
            None => names.insert_full(name.to_owned()).0,
        };
        index as u64 + 1
    }

    fn name(&self, table: NameTable, iid: u64) -> Option<InternedName> {
        let index = usize::try_from(iid.checked_sub(1)?).ok()?;
        Some(InternedName {
            iid: Some(iid),
            name: Some(self.tables[table as usize].get_index(index)?.clone()),
        })
    }
}

/// The names that a sequence has already sent.
#[derive(Debug, Default)]
pub(crate) struct SentNames {
    /// One bit per number.
    tables: [Vec<u64>; TABLES],
}

impl SentNames {
    /// Marks a name as sent. Returns whether it was not sent before.
    pub(crate) fn insert(&mut self, table: NameTable, iid: u64) -> bool {
        let bits = &mut self.tables[table as usize];
        let (word, bit) = ((iid / 64) as usize, 1 << (iid % 64));
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        let is_new = bits[word] & bit == 0;
        bits[word] |= bit;
        is_new
    }
}

/// Returns the message that sends the names of these numbers.
pub(crate) fn interned_data(interner: &Interner, names: &[(NameTable, u64)]) -> InternedData {
    let mut data = InternedData::default();
    for &(table, iid) in names {
        let names = match table {
            NameTable::Categories => &mut data.event_categories,
            NameTable::Events => &mut data.event_names,
            NameTable::Annotations => &mut data.debug_annotation_names,
            NameTable::Strings => &mut data.debug_annotation_string_values,
        };
        names.extend(interner.name(table, iid));
    }
    data
}
