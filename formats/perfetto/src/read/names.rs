//! Names, each with the ids of the definitions that it became: those of a packet sequence, and those that are not
//! interned.

use foldhash::fast::RandomState;
use foldtrace_trace::{Minter, ValueType};
use hashbrown::HashMap;

use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// A text with the ids of its definitions, as far as they are needed.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub text: Box<str>,
    string: Option<u64>,
    region: Option<u64>,
    /// By type: string, integer, unsigned, double.
    attributes: [Option<u64>; 4],
}

impl Name {
    pub(crate) fn new(text: &[u8]) -> Self {
        Self {
            text: String::from_utf8_lossy(text).into(),
            ..Self::default()
        }
    }

    pub(crate) fn string(&mut self, minter: &mut Minter) -> u64 {
        *(self.string).get_or_insert_with(|| minter.string(&self.text))
    }

    pub(crate) fn region(&mut self, minter: &mut Minter) -> u64 {
        *(self.region).get_or_insert_with(|| minter.region(&self.text))
    }

    pub(crate) fn attribute(&mut self, minter: &mut Minter, value_type: ValueType) -> u64 {
        let slot = match value_type {
            ValueType::Int64 => 1,
            ValueType::Uint64 => 2,
            ValueType::Double => 3,
            _ => 0,
        };
        *(self.attributes[slot]).get_or_insert_with(|| minter.attribute(&self.text, value_type))
    }
}

/// Names that are not interned.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    names: HashMap<String, Name, RandomState>,
}

impl Texts {
    /// Returns the name with this text.
    pub(crate) fn name(&mut self, text: &str) -> &mut Name {
        let entry = self.names.entry_ref(text);
        entry.or_insert_with(|| Name::new(text.as_bytes()))
    }
}

/// Names by their numbers.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    /// The names with the first numbers, which recorders assign in ascending order.
    dense: Vec<Option<Name>>,
    others: HashMap<u64, Name, RandomState>,
}

impl NameTable {
    /// Maximum number of numbers that are skipped at once among the dense ones.
    const MOST_SKIPPED: usize = 16;

    fn insert(&mut self, iid: u64, name: Name) {
        let index = usize::try_from(iid).unwrap_or(usize::MAX);
        if index >= self.dense.len() + Self::MOST_SKIPPED {
            self.others.insert(iid, name);
            return;
        }
        if index >= self.dense.len() {
            self.dense.resize_with(index + 1, || None);
        }
        self.others.remove(&iid);
        self.dense[index] = Some(name);
    }

    #[inline]
    pub(crate) fn get(&self, iid: u64) -> Option<&Name> {
        let index = usize::try_from(iid).ok()?;
        match self.dense.get(index) {
            Some(Some(name)) => Some(name),
            _ => self.others.get(&iid),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, iid: u64) -> Option<&mut Name> {
        let index = usize::try_from(iid).ok()?;
        match self.dense.get_mut(index) {
            Some(Some(name)) => Some(name),
            _ => self.others.get_mut(&iid),
        }
    }
}

/// The names that a sequence has sent since its state was cleared.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub categories: NameTable,
    pub events: NameTable,
    pub annotations: NameTable,
    /// Strings that are values of annotations.
    pub values: NameTable,
}

impl Names {
    /// Takes a message `InternedData`.
    pub(crate) fn take(&mut self, message: &[u8]) -> Result<(), Fault> {
        for field in Fields::new(message) {
            let (number, Value::Bytes(entry)) = field? else {
                continue;
            };
            let table = match number {
                1 => &mut self.categories,
                2 => &mut self.events,
                3 => &mut self.annotations,
                29 => &mut self.values,
                _ => continue,
            };
            let (mut iid, mut text) = (0, &[][..]);
            for field in Fields::new(entry) {
                match field? {
                    (1, Value::Number(number)) => iid = number,
                    (2, Value::Bytes(bytes)) => text = bytes,
                    _ => {}
                }
            }
            // Recorders may repeat a name.
            if table
                .get(iid)
                .is_none_or(|name| name.text.as_bytes() != text)
            {
                table.insert(iid, Name::new(text));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_any_numbers() {
        let mut table = NameTable::default();
        for (iid, text) in [
            (40, "a"),
            (1, "b"),
            (u64::MAX, "c"),
            (17, "d"),
            (33, "e"),
            (40, "f"),
        ] {
            table.insert(iid, Name::new(text.as_bytes()));
            assert_eq!(&*table.get(iid).unwrap().text, text);
        }
        let texts = [1, 17, 33, 40, u64::MAX].map(|iid| &*table.get(iid).unwrap().text);
        assert_eq!(texts, ["b", "d", "e", "f", "c"]);
        assert!(table.get(2).is_none() && table.get_mut(99).is_none());
    }
}
