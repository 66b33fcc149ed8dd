//! The quantities of a segment, coded by what happened.
//!
//! How long it takes until an event depends on what it is, on what came before it, and on how long
//! that took; how many bytes it has, on what it is. So the symbols, which topology has, choose what
//! the numbers are expected to be, and only what surprises costs bits.

use foldtrace_trace::{EventKind, Quantity, SymbolId, SymbolTable};

use super::coder::{Coder, Decoder, Encoder};
use super::number::{Context, Numbers, length_of};
use super::unit;

/// Columns of a segment: its times, then its quantities.
const COLUMNS: usize = 1 + Quantity::COUNT;

/// Bytes before the columns: the length of each, the unit of the times, whether they ascend.
const HEAD: usize = 4 * COLUMNS + 4;

const TIME: Context = Context::new(1);
const BACKWARDS: Context = Context::new(2);
const REST: Context = Context::new(3);
const QUANTITY: Context = Context::new(4);

/// The quantities of consecutive events of one location. Those of a kind are packed, as in a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Columns {
    /// A time an event.
    pub times: Vec<u64>,
    /// Values of each quantity, for the events that have it.
    pub quantities: [Vec<u64>; Quantity::COUNT],
}

/// A block of bytes is not what the events of its segment say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Damaged;

/// What the models know of symbols. Ids differ from part to part and from store to store, so
/// contexts are made of what a symbol says.
#[derive(Debug, Default)]
pub(in crate::store) struct Known {
    contexts: Vec<u32>,
    kinds: Vec<EventKind>,
}

impl Known {
    /// Learns the symbols that `table` has got since.
    pub fn update(&mut self, table: &SymbolTable) {
        let mut bytes = Vec::new();
        for index in self.contexts.len()..table.len() {
            let symbol = table.symbol(SymbolId(index as u32));
            bytes.clear();
            bytes.extend_from_slice(symbol.kind.name().as_bytes());
            let operands = symbol.kind.operands().iter();
            bytes.extend(
                operands
                    .filter_map(|&operand| symbol.get(operand))
                    .flat_map(u64::to_le_bytes),
            );
            let [a, b, c, d, ..] = *blake3::hash(&bytes).as_bytes();
            self.contexts.push(u32::from_le_bytes([a, b, c, d]));
            self.kinds.push(symbol.kind);
        }
    }

    /// Codes the quantities of events.
    pub fn encode(&self, symbols: &[SymbolId], columns: &mut Columns) -> Vec<u8> {
        let unit = unit::of(&columns.times);
        let ascending = columns.times.is_sorted();
        let mut block = Vec::with_capacity(HEAD + 2 * symbols.len());
        block.resize(HEAD, 0);
        block[4 * COLUMNS..4 * COLUMNS + 2].copy_from_slice(&unit.to_le_bytes());
        block[4 * COLUMNS + 2] = u8::from(ascending);
        let mut coder = Encoder::new(Vec::new());
        self.times(&mut coder, unit, ascending, symbols, &mut columns.times);
        append(&mut block, 0, &coder.finish());
        for (index, values) in columns.quantities.iter_mut().enumerate() {
            let mut coder = Encoder::new(Vec::new());
            self.quantity(&mut coder, Quantity::ALL[index], symbols, values);
            append(&mut block, index + 1, &coder.finish());
        }
        block
    }

    /// The quantities of events whose symbols are known.
    ///
    /// # Errors
    /// If `block` was not made of such events.
    pub fn decode(&self, symbols: &[SymbolId], block: &[u8]) -> Result<Columns, Damaged> {
        let (head, mut rest) = block.split_first_chunk::<HEAD>().ok_or(Damaged)?;
        let (lengths, flags) = head.split_at(4 * COLUMNS);
        let &[low, high, ascending, 0] = flags else {
            return Err(Damaged);
        };
        let unit = u16::from_le_bytes([low, high]).max(1);
        let mut columns = Columns::default();
        for (index, length) in lengths.as_chunks::<4>().0.iter().enumerate() {
            let length = u32::from_le_bytes(*length) as usize;
            let (bytes, behind) = rest.split_at_checked(length).ok_or(Damaged)?;
            rest = behind;
            let mut coder = Decoder::new(bytes);
            match index.checked_sub(1) {
                None => {
                    columns.times.resize(symbols.len(), 0);
                    let times = &mut columns.times;
                    self.times(&mut coder, unit, ascending != 0, symbols, times);
                }
                Some(index) => {
                    let quantity = Quantity::ALL[index];
                    let values = &mut columns.quantities[index];
                    values.resize(self.having(quantity, symbols).count(), 0);
                    self.quantity(&mut coder, quantity, symbols, values);
                }
            }
            if !coder.is_done() {
                return Err(Damaged);
            }
        }
        if rest.is_empty() {
            Ok(columns)
        } else {
            Err(Damaged)
        }
    }

    /// Codes the time of each event, as ticks since the one before.
    fn times<C: Coder>(
        &self,
        coder: &mut C,
        unit: u16,
        ascending: bool,
        symbols: &[SymbolId],
        times: &mut [u64],
    ) {
        let mut numbers = Numbers::new(16 * times.len());
        let rest_bits = length_of(u64::from(unit) - 1);
        let unit = u64::from(unit);
        let (mut time_before, mut symbol_before, mut length_before) = (0, 0, 0);
        for (symbol, time) in symbols.iter().zip(times) {
            let symbol = self.contexts[symbol.index()];
            let pair = TIME.and(symbol_before).and(symbol);
            let ticks = time.wrapping_sub(time_before);
            let backwards = !ascending && {
                let context = BACKWARDS.and(symbol);
                numbers.small(coder, context, 1, u32::from(*time < time_before)) == 1
            };
            let ticks = if backwards {
                ticks.wrapping_neg()
            } else {
                ticks
            };
            let units = numbers.number(coder, pair.and(length_before), pair, ticks / unit);
            let length = length_of(units);
            let rest = if unit > 1 {
                // A short time tells much of the rest, a long one little.
                let known = if length < 7 {
                    units as u32
                } else {
                    64 + length
                };
                let rest = (ticks % unit) as u32;
                numbers.small(coder, REST.and(known), rest_bits, rest)
            } else {
                0
            };
            let ticks = units.wrapping_mul(unit).wrapping_add(u64::from(rest));
            *time = if backwards {
                time_before.wrapping_sub(ticks)
            } else {
                time_before.wrapping_add(ticks)
            };
            (time_before, symbol_before, length_before) = (*time, symbol, length);
        }
    }

    /// Codes the values of a quantity, as differences to the last one of the same symbol.
    fn quantity<C: Coder>(
        &self,
        coder: &mut C,
        quantity: Quantity,
        symbols: &[SymbolId],
        values: &mut [u64],
    ) {
        if values.is_empty() {
            return;
        }
        let mut numbers = Numbers::new(16 * values.len());
        let mut last = vec![0_u64; self.contexts.len()];
        let reason = QUANTITY.and(quantity as u32);
        for (symbol, value) in self.having(quantity, symbols).zip(values) {
            let context = reason.and(self.contexts[symbol.index()]);
            let last = &mut last[symbol.index()];
            let step = value.wrapping_sub(*last) as i64;
            let zigzag = (step << 1 ^ step >> 63) as u64;
            let coded = numbers.number(coder, context, context, zigzag);
            let step = (coded >> 1) as i64 ^ -((coded & 1) as i64);
            *last = last.wrapping_add(step as u64);
            *value = *last;
        }
    }

    /// The events that have a quantity.
    fn having(&self, quantity: Quantity, symbols: &[SymbolId]) -> impl Iterator<Item = SymbolId> {
        let has =
            move |symbol: &SymbolId| self.kinds[symbol.index()].quantities().contains(&quantity);
        symbols.iter().copied().filter(has)
    }
}

/// Appends a column, and says in the head how long it is.
fn append(block: &mut Vec<u8>, column: usize, bytes: &[u8]) {
    block[4 * column..4 * column + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    block.extend_from_slice(bytes);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    #[test]
    fn measure() {
        let Ok(name) = std::env::var("ARCH") else {
            return;
        };
        let rd = |e: &str| std::fs::read(format!("/tmp/{name}.{e}")).unwrap();
        let t: Vec<u64> = rd("T")
            .as_chunks::<8>()
            .0
            .iter()
            .map(|c| u64::from_le_bytes(*c))
            .collect();
        let l: Vec<u64> = rd("L")
            .as_chunks::<8>()
            .0
            .iter()
            .map(|c| u64::from_le_bytes(*c))
            .collect();
        let s: Vec<SymbolId> = rd("S")
            .as_chunks::<4>()
            .0
            .iter()
            .map(|c| SymbolId(u32::from_le_bytes(*c)))
            .collect();
        let n = s.iter().map(|s| s.index()).max().unwrap() + 1;
        let known = Known {
            contexts: (0..n as u32).map(|i| i * 77777).collect(),
            kinds: vec![EventKind::Enter; n],
        };
        let mut total = 0;
        let mut i = 0;
        let (mut te, mut td) = (0.0, 0.0);
        while i < t.len() {
            let mut j = i;
            while j < t.len() && l[j] == l[i] && j - i < 1 << 18 {
                j += 1;
            }
            let mut c = Columns {
                times: t[i..j].to_vec(),
                ..Default::default()
            };
            let a = std::time::Instant::now();
            let b = known.encode(&s[i..j], &mut c);
            te += a.elapsed().as_secs_f64();
            total += b.len();
            let a = std::time::Instant::now();
            let back = known.decode(&s[i..j], &b).unwrap();
            td += a.elapsed().as_secs_f64();
            assert_eq!(back.times, &t[i..j]);
            i = j;
        }
        println!(
            "{name}: {} bytes, {:.2} bits; enc {:.1} ns dec {:.1} ns, unit {}",
            total,
            total as f64 * 8.0 / t.len() as f64,
            te * 1e9 / t.len() as f64,
            td * 1e9 / t.len() as f64,
            unit::of(&t[..10000.min(t.len())])
        );
    }
}
