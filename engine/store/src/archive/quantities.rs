//! Codes the quantities of a segment with the help of its symbols.
//!
//! The symbols, which are in the topology, select the models that predict [times](super::times) and
//! [values](super::values), and only deviations from the predictions take space.

use foldtrace_trace::{EventKind, Operand, Quantity, SymbolId, SymbolTable, UNDEFINED};

use super::coder::{Decoder, Encoder};
use super::grid::Period;
use super::legacy;
use super::period::find_period;
use super::times::code_times;
use super::values::{Owner, code_values};

/// The number of columns of a segment: its times, and its quantities.
const COLUMNS: usize = 1 + Quantity::COUNT;

/// The number of bytes before the lengths of the columns: the number of columns, whether times ascend, and the period
/// of the clock. Before version 4, the period was a number of ticks.
const HEAD: usize = 2 + 8;
const HEAD_BEFORE_4: usize = 2 + 2;

/// The quantities of consecutive events of one location. The values of each quantity are packed, as in a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventColumns {
    /// One time per event.
    pub times: Vec<u64>,
    /// The values of each quantity, for the events that have it.
    pub quantities: [Vec<u64>; Quantity::COUNT],
}

/// The error for a block of bytes that does not match the events of its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DamagedBlock;

/// The clock of a segment.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// The period of the clock.
    Period(Period),
    /// Before version 4, the number of ticks of which most times are multiples.
    Unit(u16),
}

/// The coded bytes of a segment, by column.
struct ParsedBlock<'a> {
    clock: Clock,
    /// Whether times ascend.
    ascending: bool,
    columns: [&'a [u8]; COLUMNS],
}

impl<'a> ParsedBlock<'a> {
    fn parse(bytes: &'a [u8], version: u32) -> Result<Self, DamagedBlock> {
        let (count, ascending, clock, rest) = if version < 4 {
            let (&[count, ascending, low, high], rest) = bytes
                .split_first_chunk::<HEAD_BEFORE_4>()
                .ok_or(DamagedBlock)?;
            let unit = u16::from_le_bytes([low, high]);
            let clock = (unit > 0).then_some(Clock::Unit(unit));
            (count, ascending, clock, rest)
        } else {
            let (&[count, ascending, ref period @ ..], rest) =
                bytes.split_first_chunk::<HEAD>().ok_or(DamagedBlock)?;
            let clock = Period::from_bits(u64::from_le_bytes(*period)).map(Clock::Period);
            (count, ascending, clock, rest)
        };
        let clock = clock.ok_or(DamagedBlock)?;
        if usize::from(count) != COLUMNS {
            return Err(DamagedBlock);
        }
        let (lengths, mut rest) = rest.split_at_checked(4 * COLUMNS).ok_or(DamagedBlock)?;
        let mut columns = [rest; COLUMNS];
        for (column, length) in columns.iter_mut().zip(lengths.as_chunks::<4>().0) {
            let length = u32::from_le_bytes(*length) as usize;
            (*column, rest) = rest.split_at_checked(length).ok_or(DamagedBlock)?;
        }
        if !rest.is_empty() {
            return Err(DamagedBlock);
        }
        Ok(Self {
            clock,
            ascending: ascending != 0,
            columns,
        })
    }
}

/// An encoder and decoder of quantities, with the properties of symbols on which the models depend. Ids differ between
/// parts and between stores, so contexts use fingerprints of the contents of symbols. From version 3 on, symbols that
/// differ only in their tags are alike, because the tag may be part of the id in the store, but not in the part.
#[derive(Debug)]
pub(crate) struct QuantityCodec {
    /// The version of the archive.
    version: u32,
    /// The different symbols.
    distinct: SymbolTable,
    /// For each row of the table of symbols, the row in `distinct`.
    rows: Vec<u32>,
    fingerprints: Vec<u32>,
    kinds: Vec<EventKind>,
}

impl QuantityCodec {
    /// Creates a codec for archives of a version.
    pub fn new(version: u32) -> Self {
        Self {
            version,
            distinct: SymbolTable::unbounded(),
            rows: Vec::new(),
            fingerprints: Vec::new(),
            kinds: Vec::new(),
        }
    }

    /// Adds the symbols that `table` has gained since the last update.
    pub fn update(&mut self, table: &SymbolTable) {
        let mut bytes = Vec::new();
        for (_, mut symbol) in table.iter_from(self.fingerprints.len()) {
            if self.version >= 3
                && let Some(slot) = symbol.kind.slot(Operand::Tag)
            {
                symbol.operands[slot] = UNDEFINED;
            }
            self.rows.push(self.distinct.intern(symbol).row_number());
            bytes.clear();
            bytes.extend_from_slice(symbol.kind.name().as_bytes());
            let operands = symbol.kind.operands().iter();
            bytes.extend(
                operands
                    .filter_map(|&operand| symbol.get(operand))
                    .flat_map(u64::to_le_bytes),
            );
            let [a, b, c, d, ..] = *blake3::hash(&bytes).as_bytes();
            self.fingerprints.push(u32::from_le_bytes([a, b, c, d]));
            self.kinds.push(symbol.kind);
        }
    }

    /// Encodes the quantities of events, for an archive of today's version.
    pub fn encode(&self, symbols: &[SymbolId], columns: &mut EventColumns) -> Vec<u8> {
        let period = find_period(&columns.times);
        let ascending = columns.times.is_sorted();
        let mut block = Vec::with_capacity(HEAD + 4 * COLUMNS + 2 * symbols.len());
        block.extend([COLUMNS as u8, u8::from(ascending)]);
        block.extend(period.bits().to_le_bytes());
        block.resize(HEAD + 4 * COLUMNS, 0);
        let mut coder = Encoder::new(Vec::new());
        let prints = self.prints(symbols);
        code_times(&mut coder, period, ascending, prints, &mut columns.times);
        append(&mut block, 0, &coder.finish());
        for (&quantity, values) in Quantity::ALL.iter().zip(&mut columns.quantities) {
            let mut coder = Encoder::new(Vec::new());
            let owners = self.owners(quantity, symbols);
            code_values(&mut coder, quantity, owners, self.distinct.len(), values);
            append(&mut block, 1 + quantity as usize, &coder.finish());
        }
        block
    }

    /// Decodes the quantities of events with these symbols.
    ///
    /// # Errors
    /// Returns an error if `block` was not encoded from such events.
    pub fn decode(&self, symbols: &[SymbolId], block: &[u8]) -> Result<EventColumns, DamagedBlock> {
        let block = ParsedBlock::parse(block, self.version)?;
        let mut columns = EventColumns::default();
        columns.times.resize(symbols.len(), 0);
        let mut coder = Decoder::new(block.columns[0]);
        let prints = self.prints(symbols);
        let (ascending, times) = (block.ascending, &mut columns.times);
        match block.clock {
            Clock::Period(period) => code_times(&mut coder, period, ascending, prints, times),
            Clock::Unit(unit) => legacy::decode_times(&mut coder, unit, ascending, prints, times),
        }
        if !coder.is_done() {
            return Err(DamagedBlock);
        }
        for (values, &quantity) in columns.quantities.iter_mut().zip(Quantity::ALL) {
            *values = self.values(quantity, symbols, &block)?;
        }
        Ok(columns)
    }

    /// Decodes one quantity of events with these symbols. Returns the values of the events that have it.
    ///
    /// # Errors
    /// Returns an error if `block` was not encoded from such events.
    pub fn decode_one(
        &self,
        quantity: Quantity,
        symbols: &[SymbolId],
        block: &[u8],
    ) -> Result<Vec<(SymbolId, u64)>, DamagedBlock> {
        let values = self.values(quantity, symbols, &ParsedBlock::parse(block, self.version)?)?;
        Ok(self.having(quantity, symbols).zip(values).collect())
    }

    /// Returns the quantities that each event has, one bit per quantity.
    pub fn masks(&self, symbols: &[SymbolId]) -> Vec<u8> {
        let mask = |symbol: &SymbolId| self.kinds[symbol.row()].quantity_bits();
        symbols.iter().map(mask).collect()
    }

    fn values(
        &self,
        quantity: Quantity,
        symbols: &[SymbolId],
        block: &ParsedBlock<'_>,
    ) -> Result<Vec<u64>, DamagedBlock> {
        let mut coder = Decoder::new(block.columns[1 + quantity as usize]);
        let mut values = vec![0; self.having(quantity, symbols).count()];
        let owners = self.owners(quantity, symbols);
        let rows = self.distinct.len();
        match block.clock {
            Clock::Period(_) => code_values(&mut coder, quantity, owners, rows, &mut values),
            Clock::Unit(_) => {
                legacy::decode_values(&mut coder, quantity, owners, rows, &mut values);
            }
        }
        if coder.is_done() {
            Ok(values)
        } else {
            Err(DamagedBlock)
        }
    }

    /// Returns the fingerprints of symbols.
    fn prints(&self, symbols: &[SymbolId]) -> impl Iterator<Item = u32> {
        symbols.iter().map(|symbol| self.fingerprints[symbol.row()])
    }

    /// Returns the symbols of the values of a quantity.
    fn owners(&self, quantity: Quantity, symbols: &[SymbolId]) -> impl Iterator<Item = Owner> {
        self.having(quantity, symbols).map(|symbol| Owner {
            print: self.fingerprints[symbol.row()],
            row: self.rows[symbol.row()],
        })
    }

    /// Returns the events that have a quantity.
    fn having(&self, quantity: Quantity, symbols: &[SymbolId]) -> impl Iterator<Item = SymbolId> {
        let has =
            move |symbol: &SymbolId| self.kinds[symbol.row()].quantities().contains(&quantity);
        symbols.iter().copied().filter(has)
    }
}

/// Appends a column, and writes its length to the head.
fn append(block: &mut Vec<u8>, column: usize, bytes: &[u8]) {
    let offset = HEAD + 4 * column;
    block[offset..offset + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    block.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::Symbol;
    use proptest::prelude::*;

    use super::*;

    /// Symbols with and without quantities.
    fn table() -> SymbolTable {
        let mut table = SymbolTable::default();
        for (kind, operands) in [
            (EventKind::Enter, vec![1]),
            (EventKind::Leave, vec![1]),
            (EventKind::MpiSend, vec![0, 1, 2]),
            (EventKind::MpiSend, vec![3, 1, 2]),
            (EventKind::MpiCollectiveEnd, vec![1, 2, 0]),
            (EventKind::MpiIsendComplete, vec![]),
        ] {
            table.intern(Symbol::new(kind, &operands));
        }
        table
    }

    fn codec() -> QuantityCodec {
        let mut codec = QuantityCodec::new(crate::folder::VERSION);
        codec.update(&table());
        codec
    }

    /// Steps of a clock: short, long, negative, multiples of ten, or arbitrary.
    fn step() -> impl Strategy<Value = i64> {
        prop_oneof![
            4 => 0..200_i64,
            4 => (0..500_i64).prop_map(|n| 10 * n),
            2 => 0..1_000_000_i64,
            1 => -1000..0_i64,
            1 => any::<i64>(),
        ]
    }

    fn event() -> impl Strategy<Value = (SymbolId, i64, u64)> {
        let symbols = table().len() as u32;
        let value = prop_oneof![3 => 0..64_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)];
        ((0..symbols).prop_map(SymbolId::new), step(), value)
    }

    fn columns(events: &[(SymbolId, i64, u64)]) -> (Vec<SymbolId>, EventColumns) {
        let (mut symbols, mut columns) = (Vec::new(), EventColumns::default());
        let mut time = 0_u64;
        for &(symbol, step, value) in events {
            time = time.wrapping_add(step as u64);
            symbols.push(symbol);
            columns.times.push(time);
            for &quantity in table().kind(symbol).quantities() {
                columns.quantities[quantity as usize].push(value);
            }
        }
        (symbols, columns)
    }

    proptest! {
        #[test]
        fn decoding_reverses_encoding(events in prop::collection::vec(event(), 0..600)) {
            let (symbols, columns) = columns(&events);
            let block = codec().encode(&symbols, &mut columns.clone());
            prop_assert_eq!(codec().decode(&symbols, &block), Ok(columns));
        }

        #[test]
        fn damage_is_detected_or_changes_values(
            events in prop::collection::vec(event(), 1..60),
            at in any::<prop::sample::Index>(),
            bits in 1..=255_u8,
        ) {
            let (symbols, columns) = columns(&events);
            let mut block = codec().encode(&symbols, &mut columns.clone());
            let at = at.index(block.len());
            block[at] ^= bits;
            // Decoding must end, and must not produce more events than there are symbols.
            if let Ok(decoded) = codec().decode(&symbols, &block) {
                prop_assert_eq!(decoded.times.len(), symbols.len());
            }
            block.truncate(at);
            prop_assert_eq!(codec().decode(&symbols, &block).is_ok() && at < 34, false);
        }

        #[test]
        fn noise_grows_by_less_than_2_percent(
            times in prop::collection::vec(any::<u64>(), 2000..3000),
        ) {
            let symbols = vec![SymbolId::new(0); times.len()];
            let mut columns = EventColumns { times, ..EventColumns::default() };
            let block = codec().encode(&symbols, &mut columns);
            let plain = 8 * symbols.len();
            prop_assert!(100 * block.len() < 102 * plain, "{} of {plain}", block.len());
        }
    }

    #[test]
    fn symbols_predict_times() {
        let events: Vec<_> = (0..10_000)
            .map(|n| match n % 3 {
                0 => (SymbolId::new(0), 50, 0),
                1 => (SymbolId::new(2), 1230, 8),
                _ => (SymbolId::new(1), 70_000, 0),
            })
            .collect();
        let (symbols, mut columns) = columns(&events);
        let bytes = codec().encode(&symbols, &mut columns).len();
        assert!(bytes < 250, "{bytes} bytes");
    }
}
