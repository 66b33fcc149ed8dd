//! Symbols: the distinct topological identities of a trace, interned into columns.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use crate::{EventKind, MAX_OPERANDS, Operand, SymbolId, UNDEFINED};

/// A topological identity: a kind and its operands, in the order of [`EventKind::operands`]. Slots after the kind's
/// operands are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// The kind of the event.
    pub kind: EventKind,
    /// The operands of the kind.
    pub operands: [u64; MAX_OPERANDS],
}

impl Symbol {
    /// Creates a symbol from a kind and its operands. `operands` may be shorter than [`EventKind::operands`]; missing
    /// operands are set to [`UNDEFINED`].
    #[must_use]
    pub fn new(kind: EventKind, operands: &[u64]) -> Self {
        let mut slots = [0; MAX_OPERANDS];
        for (i, slot) in slots.iter_mut().enumerate().take(kind.operands().len()) {
            *slot = operands.get(i).copied().unwrap_or(UNDEFINED);
        }
        Self {
            kind,
            operands: slots,
        }
    }

    /// Returns this symbol of a row with the tag of `id`, which is in the same row.
    #[must_use]
    #[inline]
    pub fn with_tag_of(mut self, id: SymbolId) -> Self {
        if id.tag() != 0
            && let Some(slot) = self.kind.slot(Operand::Tag)
        {
            self.operands[slot] = id.tag().into();
        }
        self
    }

    /// Returns the value of `operand`; `None` if the kind has no such operand or the source left it undefined.
    #[must_use]
    #[inline]
    pub fn get(&self, operand: Operand) -> Option<u64> {
        let value = self.operands[self.kind.slot(operand)?];
        (value != UNDEFINED).then_some(value)
    }
}

/// The number of tags from which symbols with further tags get no rows of their own in a table.
const MOST_TAGS: usize = 1 << 10;

/// A table of distinct symbols. Rows are in the order of first occurrence.
///
/// Usually, each symbol has a row of its own. A tag can take any value, though: programs count iterations in tags. If
/// there are more than 1,024 tags, symbols with a new tag share the row of all symbols that differ only in their tags,
/// and the tag is part of their [`SymbolId`]. The memory is therefore bounded for any number of tags of 32 bits,
/// as in OTF2. Other operands refer to definitions or to processes, so the trace itself bounds their number.
///
/// ```
/// use foldtrace_trace::{EventKind, Symbol, SymbolTable};
/// let mut symbols = SymbolTable::default();
/// let enter = Symbol::new(EventKind::Enter, &[7]);
/// let id = symbols.intern(enter);
/// assert_eq!(symbols.intern(enter), id);
/// assert_eq!(symbols.symbol(id), enter);
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "SavedSymbols", try_from = "SavedSymbols")]
pub struct SymbolTable {
    kinds: Vec<EventKind>,
    operands: Vec<[u64; MAX_OPERANDS]>,
    /// Whether the symbols of a row differ in their tags. The tag in `operands` is then 0.
    tagged: Vec<bool>,
    rows: HashTable<u32>,
    tags: Tags,
    /// Whether symbols have rows of their own regardless of their number of tags.
    is_unbounded: bool,
}

/// A table in the form in which it is saved.
#[derive(Serialize, Deserialize)]
struct SavedSymbols {
    /// The kinds of the rows, by their numbers.
    kinds: Vec<u8>,
    operands: Vec<[u64; MAX_OPERANDS]>,
    tagged: Vec<bool>,
    has_many_tags: bool,
    is_unbounded: bool,
}

impl From<SymbolTable> for SavedSymbols {
    fn from(table: SymbolTable) -> Self {
        Self {
            kinds: table.kinds.into_iter().map(|kind| kind as u8).collect(),
            operands: table.operands,
            tagged: table.tagged,
            has_many_tags: table.tags.are_many,
            is_unbounded: table.is_unbounded,
        }
    }
}

impl TryFrom<SavedSymbols> for SymbolTable {
    type Error = &'static str;

    fn try_from(saved: SavedSymbols) -> Result<Self, Self::Error> {
        let rows = saved.kinds.len();
        if (saved.operands.len(), saved.tagged.len()) != (rows, rows) {
            return Err("the columns of a table of symbols differ in their lengths");
        }
        let mut table = Self {
            is_unbounded: saved.is_unbounded,
            ..Self::default()
        };
        for ((kind, operands), is_tagged) in saved
            .kinds
            .into_iter()
            .zip(saved.operands)
            .zip(saved.tagged)
        {
            let kind = EventKind::ALL.get(usize::from(kind));
            let kind = *kind.ok_or("a table of symbols has a kind of event that does not exist")?;
            let symbol = Symbol { kind, operands };
            if !is_tagged && !saved.is_unbounded {
                table.tags.add(&symbol);
            }
            table.push(symbol, is_tagged);
        }
        if saved.has_many_tags {
            table.tags.have_many();
        }
        Ok(table)
    }
}

/// The tags in a table.
#[derive(Clone, Debug, Default)]
struct Tags {
    /// Whether symbols with new tags get no rows of their own.
    are_many: bool,
    /// The tags, as long as they are few.
    few: HashSet<u64>,
}

impl Tags {
    /// Adds the tag of a symbol that gets a row.
    fn add(&mut self, symbol: &Symbol) {
        if let Some(tag) = symbol.get(Operand::Tag)
            && !self.are_many
        {
            self.few.insert(tag);
            if self.few.len() > MOST_TAGS {
                self.have_many();
            }
        }
    }

    fn have_many(&mut self) {
        if !self.are_many {
            self.are_many = true;
            self.few = HashSet::new();
        }
    }
}

const HASHER: FixedState = FixedState::with_seed(0x666f_6c64);

fn hash(symbol: &Symbol, is_tagged: bool) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u8(symbol.kind as u8 | u8::from(is_tagged) << 7);
    for operand in symbol.operands {
        hasher.write_u64(operand);
    }
    hasher.finish()
}

/// Returns the symbol that represents all symbols which differ from `symbol` only in their tags, and the tag of
/// `symbol`; `None` if it has no tag, or none that fits into an id.
fn without_tag(symbol: &Symbol) -> Option<(Symbol, u32)> {
    let slot = symbol.kind.slot(Operand::Tag)?;
    let tag = u32::try_from(symbol.operands[slot]).ok()?;
    let mut row = *symbol;
    row.operands[slot] = 0;
    Some((row, tag))
}

impl SymbolTable {
    /// Creates an empty table in which each interned symbol has a row of its own, regardless of the number of tags. Use it
    /// for tables with one row per row of another table.
    #[must_use]
    pub fn unbounded() -> Self {
        Self {
            is_unbounded: true,
            ..Self::default()
        }
    }

    /// Creates an unbounded table with a number of rows that are unknown: their symbols are [`EventKind::Unknown`] until
    /// they are set. A row takes a byte until then.
    #[must_use]
    pub fn of_unknown(rows: usize) -> Self {
        Self {
            kinds: vec![EventKind::Unknown; rows],
            operands: vec![[0; MAX_OPERANDS]; rows],
            tagged: vec![false; rows],
            ..Self::unbounded()
        }
    }

    /// Returns whether the table has unknown rows.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.rows.len() < self.kinds.len()
    }

    /// Sets the symbol of an unknown row. Returns whether that was possible: `false` if the table has no such row, or if a
    /// row already has the same symbols.
    pub fn set(&mut self, row: usize, symbol: Symbol, is_tagged: bool) -> bool {
        let is_unknown = self.kinds.get(row) == Some(&EventKind::Unknown);
        if !is_unknown || self.row_of(&symbol, is_tagged).is_some() {
            return false;
        }
        if is_tagged {
            self.tags.have_many();
        }
        self.kinds[row] = symbol.kind;
        self.operands[row] = symbol.operands;
        self.tagged[row] = is_tagged;
        self.add_row(row as u32);
        true
    }

    /// Creates an empty table in which all tags are part of ids.
    #[must_use]
    pub fn with_tags_in_ids() -> Self {
        let mut table = Self::default();
        table.tags.have_many();
        table
    }

    /// Returns whether new tags are part of ids, because there are more than 1,024, or from the beginning.
    #[must_use]
    pub fn has_many_tags(&self) -> bool {
        self.tags.are_many
    }

    /// Returns the id of `symbol`, after adding a row if the table needs one for it.
    ///
    /// Rows are numbered with 32 bits. A trace would need 160 GB of rows to exhaust them; the last row then stands for
    /// all further symbols.
    pub fn intern(&mut self, symbol: Symbol) -> SymbolId {
        if let Some(row) = self.row_of(&symbol, false) {
            return SymbolId::new(row);
        }
        if !self.is_unbounded {
            if self.tags.are_many
                && let Some((shared, tag)) = without_tag(&symbol)
            {
                return self.intern_tagged(shared).with_tag(tag);
            }
            self.tags.add(&symbol);
        }
        SymbolId::new(self.push(symbol, false))
    }

    /// Returns the id of the row that `symbol` shares with all symbols that differ from it only in their tags, after
    /// adding the row if it is new. The tag of `symbol` must be 0. From now on, new tags are part of ids.
    pub fn intern_tagged(&mut self, symbol: Symbol) -> SymbolId {
        self.tags.have_many();
        let row = self.row_of(&symbol, true);
        SymbolId::new(row.unwrap_or_else(|| self.push(symbol, true)))
    }

    /// Returns the id of `symbol` in the row for all of its tags, after adding the row if it is new; that of a row of its
    /// own if it has no tag of at most 32 bits. From now on, new tags are part of ids.
    pub fn intern_with_tag(&mut self, symbol: Symbol) -> SymbolId {
        match without_tag(&symbol) {
            Some((row, tag)) => self.intern_tagged(row).with_tag(tag),
            None => self.intern(symbol),
        }
    }

    /// Returns the id for a row of another table, which has `symbol` and may be tagged, after adding a row if this table
    /// needs one. The ids for all symbols of that row follow from it, see [`SymbolId::in_row`].
    pub fn intern_row(&mut self, symbol: Symbol, is_tagged: bool) -> SymbolId {
        if is_tagged {
            self.intern_tagged(symbol)
        } else {
            self.intern(symbol)
        }
    }

    /// Adds a row; `None` if the table has one for the same symbols. The number of tags is not limited.
    pub fn append(&mut self, symbol: Symbol, is_tagged: bool) -> Option<SymbolId> {
        if self.row_of(&symbol, is_tagged).is_some() {
            return None;
        }
        if is_tagged {
            self.tags.have_many();
        }
        Some(SymbolId::new(self.push(symbol, is_tagged)))
    }

    /// Reserves memory for more rows.
    pub fn reserve(&mut self, rows: usize) {
        self.kinds.reserve(rows);
        self.operands.reserve(rows);
        self.tagged.reserve(rows);
        self.with_hasher(|table, hasher| table.reserve(rows, hasher));
    }

    /// Adds the rows of another table. Returns the id of each of its rows, see [`SymbolTable::intern_row`].
    pub fn ids_of_rows(&mut self, table: &Self) -> Vec<SymbolId> {
        let rows = table.iter();
        rows.map(|(row, symbol)| self.intern_row(symbol, table.is_tagged(row)))
            .collect()
    }

    /// Joins tables to one, in which either all tags are part of ids, or none. Also returns the ids of the
    /// rows of each table in the joined one.
    #[must_use]
    pub fn joined<'a>(
        tables: impl Iterator<Item = &'a Self> + Clone,
    ) -> (Self, Vec<Vec<SymbolId>>) {
        let join = |mut all: Self| {
            let ids = tables.clone().map(|table| all.ids_of_rows(table)).collect();
            (all, ids)
        };
        let (all, ids) = join(Self::default());
        if all.has_many_tags() {
            join(Self::with_tags_in_ids())
        } else {
            (all, ids)
        }
    }

    /// Returns the row of a symbol, or the row that it shares.
    fn row_of(&self, symbol: &Symbol, is_tagged: bool) -> Option<u32> {
        let is_equal = |&row: &u32| {
            let row = row as usize;
            self.kinds[row] == symbol.kind
                && self.operands[row] == symbol.operands
                && self.tagged[row] == is_tagged
        };
        let found = self.rows.find(hash(symbol, is_tagged), is_equal);
        found.copied()
    }

    fn push(&mut self, symbol: Symbol, is_tagged: bool) -> u32 {
        let row = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        self.kinds.push(symbol.kind);
        self.operands.push(symbol.operands);
        self.tagged.push(is_tagged);
        self.add_row(row);
        row
    }

    /// Adds a row to those that are searched.
    fn add_row(&mut self, row: u32) {
        self.with_hasher(|rows, hasher| {
            rows.insert_unique(hasher(&row), row, hasher);
        });
    }

    /// Calls a function with the table of rows, and with the hasher of a row, which the table needs when it grows.
    fn with_hasher(&mut self, change: impl FnOnce(&mut HashTable<u32>, &dyn Fn(&u32) -> u64)) {
        let Self {
            kinds,
            operands,
            tagged,
            rows,
            ..
        } = self;
        change(rows, &|&row| {
            let row = row as usize;
            let symbol = Symbol {
                kind: kinds[row],
                operands: operands[row],
            };
            hash(&symbol, tagged[row])
        });
    }

    /// Returns the id of `symbol` if the table has a row for it.
    #[must_use]
    pub fn find(&self, symbol: &Symbol) -> Option<SymbolId> {
        if let Some(row) = self.row_of(symbol, false) {
            return Some(SymbolId::new(row));
        }
        if !self.tags.are_many {
            return None;
        }
        let (shared, tag) = without_tag(symbol)?;
        let row = self.row_of(&shared, true)?;
        Some(SymbolId::new(row).with_tag(tag))
    }

    /// Returns the symbol with an id of this table.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn symbol(&self, id: SymbolId) -> Symbol {
        let row = Symbol {
            kind: self.kinds[id.row()],
            operands: self.operands[id.row()],
        };
        row.with_tag_of(id)
    }

    /// Returns the value of an operand of a symbol, as [`Symbol::get`] does, without its other operands.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn operand(&self, id: SymbolId, operand: Operand) -> Option<u64> {
        let slot = self.kind(id).slot(operand)?;
        let value = match (operand, id.tag()) {
            (Operand::Tag, tag @ 1..) => u64::from(tag),
            _ => self.operands[id.row()][slot],
        };
        (value != UNDEFINED).then_some(value)
    }

    /// Returns the kind of a symbol, without its operands.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn kind(&self, id: SymbolId) -> EventKind {
        self.kinds[id.row()]
    }

    /// Returns whether the table has the row of an id, and whether symbols of that row may have the id's tag.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: SymbolId) -> bool {
        (self.tagged.get(id.row())).is_some_and(|&is_tagged| is_tagged || id.tag() == 0)
    }

    /// Returns whether a value of an operand needs all 64 bits.
    #[must_use]
    pub fn is_wide(&self, operand: Operand) -> bool {
        let mut values = self.iter().filter_map(|(_, symbol)| symbol.get(operand));
        values.any(|value| i64::try_from(value).is_err())
    }

    /// Returns whether the symbols of the row of `id` differ in their tags.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn is_tagged(&self, id: SymbolId) -> bool {
        self.tagged[id.row()]
    }

    /// Returns what the symbols of the row of an id have in common: its symbol, without a tag if they differ in their tags.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    pub fn common(&self, id: SymbolId) -> Symbol {
        let mut symbol = self.symbol(id.without_tag());
        if self.is_tagged(id)
            && let Some(slot) = symbol.kind.slot(Operand::Tag)
        {
            symbol.operands[slot] = UNDEFINED;
        }
        symbol
    }

    /// Returns whether the table has rows whose symbols differ in their tags.
    #[must_use]
    pub fn has_tagged_rows(&self) -> bool {
        self.tagged.contains(&true)
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns an iterator over the rows, in order: an id, and its symbol. If the symbols of a row differ in their tags,
    /// it yields the one with tag 0, whether it occurs or not.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (SymbolId, Symbol)> + '_ {
        self.iter_from(0)
    }

    /// Returns an iterator as [`iter`](Self::iter) does, over the rows that are not [unknown](Self::of_unknown), in any order.
    pub fn known(&self) -> impl Iterator<Item = (SymbolId, Symbol)> + '_ {
        self.rows.iter().map(|&row| {
            let id = SymbolId::new(row);
            (id, self.symbol(id))
        })
    }

    /// Returns an iterator as [`iter`](Self::iter) does, over the rows from `first`. Whoever follows a growing table needs
    /// it: it takes no time for the rows before.
    pub fn iter_from(
        &self,
        first: usize,
    ) -> impl ExactSizeIterator<Item = (SymbolId, Symbol)> + '_ {
        (first.min(self.len())..self.len()).map(|row| {
            let id = SymbolId::new(row as u32);
            (id, self.symbol(id))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unknown_rows_can_be_set_once() {
        let [enter, leave] =
            [EventKind::Enter, EventKind::Leave].map(|kind| Symbol::new(kind, &[7]));
        let mut table = SymbolTable::of_unknown(9);
        assert_eq!((table.len(), table.known().count()), (9, 0));
        assert!(table.has_unknown());
        assert!(table.set(8, enter, false));
        assert!(!table.set(8, leave, false), "the row has a symbol");
        assert!(!table.set(3, enter, false), "the symbol has a row");
        assert!(!table.set(9, leave, false), "there is no such row");
        assert!(table.set(3, leave, false));
        assert_eq!(table.find(&enter), Some(SymbolId::new(8)));
        assert_eq!(table.kind(SymbolId::new(4)), EventKind::Unknown);
        let mut known: Vec<_> = table.known().collect();
        known.sort_by_key(|&(row, _)| row);
        assert_eq!(
            known,
            [(SymbolId::new(3), leave), (SymbolId::new(8), enter)]
        );
    }

    proptest! {
        #[test]
        fn interning_keeps_symbols_apart_and_equal_ones_together(
            ops in prop::collection::vec((0usize..EventKind::COUNT, 0u64..4, 0u64..4), 1..200)
        ) {
            let mut table = SymbolTable::default();
            let mut seen = Vec::new();
            for (kind, a, b) in ops {
                let symbol = Symbol::new(EventKind::ALL[kind], &[a, b]);
                let id = table.intern(symbol);
                prop_assert_eq!(table.symbol(id), symbol);
                prop_assert_eq!(table.find(&symbol), Some(id));
                if !seen.contains(&symbol) { seen.push(symbol); }
                prop_assert_eq!(table.len(), seen.len());
            }
            for (id, symbol) in table.iter() {
                prop_assert_eq!(symbol, seen[id.row()]);
            }
            for first in 0..=table.len() + 1 {
                prop_assert!(table.iter_from(first).eq(table.iter().skip(first)));
            }
        }

        #[test]
        fn a_saved_table_goes_on_like_the_original(
            tags in prop::collection::vec((0u64..3, prop_oneof![0u64..9000, any::<u64>()]), 0..3000),
            more in prop::collection::vec((0u64..3, 0u64..9000), 0..100),
            start in 0usize..3,
        ) {
            let start = [SymbolTable::default(), SymbolTable::unbounded(), SymbolTable::with_tags_in_ids()][start].clone();
            let send = |(peer, tag)| Symbol::new(EventKind::MpiSend, &[peer, 0, tag]);
            let mut table = start;
            for &one in &tags {
                table.intern(send(one));
            }
            let saved = postcard::to_stdvec(&table).unwrap();
            let mut again: SymbolTable = postcard::from_bytes(&saved).unwrap();
            prop_assert_eq!(again.has_many_tags(), table.has_many_tags());
            for one in more {
                prop_assert_eq!(again.intern(send(one)), table.intern(send(one)));
            }
            prop_assert!(again.iter().eq(table.iter()));
            prop_assert!(table.iter().all(|(id, _)| again.is_tagged(id) == table.is_tagged(id)));
        }

        #[test]
        fn any_number_of_tags_is_kept_in_bounded_memory(
            tags in prop::collection::vec(prop_oneof![0u64..9000, any::<u64>()], 3000..6000)
        ) {
            let mut table = SymbolTable::default();
            let mut ids = std::collections::HashMap::new();
            for tag in tags {
                let symbol = Symbol::new(EventKind::MpiSend, &[tag % 2, 0, tag]);
                let id = table.intern(symbol);
                prop_assert_eq!(table.symbol(id), symbol);
                prop_assert_eq!(table.find(&symbol), Some(id));
                prop_assert!(table.contains(id));
                for operand in [Operand::Peer, Operand::Tag, Operand::Region] {
                    prop_assert_eq!(table.operand(id, operand), symbol.get(operand));
                }
                prop_assert_eq!(*ids.entry(symbol).or_insert(id), id);
            }
            let wide = ids.keys().filter(|symbol| symbol.operands[2] > u64::from(u32::MAX)).count();
            prop_assert!(table.len() <= MOST_TAGS + 1 + 2 + wide);
        }
    }
}
