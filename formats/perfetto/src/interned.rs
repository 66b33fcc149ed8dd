//! Names that are written once for each sequence of packets, and referred to by number after that.

use indexmap::IndexSet;

use crate::messages::{InternedData, InternedName};

/// What a name is the name of; each has numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Categories,
    Events,
    Annotations,
    Strings,
}

/// How many tables there are.
const TABLES: usize = 4;

/// The names of a trace, with the same numbers in all sequences.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    tables: [IndexSet<String>; TABLES],
}

impl Interner {
    /// The number of a name, from 1 on.
    pub(crate) fn iid(&mut self, table: Table, name: &str) -> u64 {
        let names = &mut self.tables[table as usize];
        let index = match names.get_index_of(name) {
            Some(index) => index,
            None => names.insert_full(name.to_owned()).0,
        };
        index as u64 + 1
    }

    fn name(&self, table: Table, iid: u64) -> Option<InternedName> {
        let index = usize::try_from(iid.checked_sub(1)?).ok()?;
        Some(InternedName {
            iid: Some(iid),
            name: Some(self.tables[table as usize].get_index(index)?.clone()),
        })
    }
}

/// Which names a sequence has.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// A bit for each number.
    tables: [Vec<u64>; TABLES],
}

impl Sent {
    /// Takes note that the sequence needs a name; whether it had not been sent.
    pub(crate) fn needs(&mut self, table: Table, iid: u64) -> bool {
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

/// The names of these numbers, to be sent.
pub(crate) fn data(interner: &Interner, names: &[(Table, u64)]) -> InternedData {
    let mut data = InternedData::default();
    for &(table, iid) in names {
        let names = match table {
            Table::Categories => &mut data.event_categories,
            Table::Events => &mut data.event_names,
            Table::Annotations => &mut data.debug_annotation_names,
            Table::Strings => &mut data.debug_annotation_string_values,
        };
        names.extend(interner.name(table, iid));
    }
    data
}
