//! Encodes the events of a location.

use std::ops::Range;

use foldtrace_notation::SymbolTexts;
use foldtrace_trace::{
    EventBatch, EventKind, EventRef, Operand, Symbol, SymbolId, SymbolTable, TraceError, ValueType,
};

use super::classes::{Classes, Known, Named, Used};
use super::packets::Packets;
use crate::ours::layout::{Layout, Stored, is_narrow};

/// A location that is being written.
#[derive(Debug)]
pub(super) struct Location {
    pub(super) packets: Packets,
    known: Known,
    used: Used,
    /// The operands of the symbols of the current batch, after a byte that says whether they have 64 bits.
    operands: SymbolTexts,
    layout: Layout,
}

impl Location {
    pub(super) fn new(packets: Packets) -> Self {
        Self {
            packets,
            known: Known::default(),
            used: Used::default(),
            operands: SymbolTexts::default(),
            layout: Layout::plain(EventKind::Unknown, false),
        }
    }

    /// Appends the events of a batch.
    pub(super) fn write(
        &mut self,
        batch: &EventBatch,
        symbols: &SymbolTable,
        classes: &Classes,
    ) -> Result<(), TraceError> {
        self.operands.begin_batch();
        for event in batch.iter(symbols) {
            self.event(batch, &event, symbols, classes);
            self.packets.end()?;
        }
        Ok(())
    }

    #[inline]
    fn event(
        &mut self,
        batch: &EventBatch,
        event: &EventRef,
        symbols: &SymbolTable,
        classes: &Classes,
    ) {
        let kind = symbols.kind(event.symbol);
        let operands = self.operands(event.symbol, symbols);
        let has_wide_operands = self.operands.text(operands.clone())[0] != 0;
        let extras = Extras::new(batch, event.index);
        let is_late = event.time.0 < self.packets.last;
        let mut is_wide = has_wide_operands;
        if !is_late && extras.is_empty() {
            let class = self.known.plain(kind, is_wide, classes);
            self.packets.begin(class, event.time.0);
        } else {
            is_wide |= !extras.are_narrow();
            (self.layout.kind, self.layout.is_wide) = (kind, is_wide);
            self.layout.is_late = is_late;
            extras.describe(&mut self.layout, &symbols.symbol(event.symbol));
            let class = self.known.other(&self.layout, classes);
            self.packets
                .begin(class, event.time.0.max(self.packets.last));
            if is_late {
                self.packets.push64(event.time.0);
            }
        }
        let operands = &self.operands.text(operands)[1..];
        if is_wide && !has_wide_operands {
            for operand in operands.chunks_exact(4) {
                let narrow = operand.try_into().map_or(0, i32::from_le_bytes);
                self.packets.push64(i64::from(narrow) as u64);
            }
        } else {
            self.packets.bytes.extend_from_slice(operands);
        }
        for &quantity in kind.quantities() {
            self.packets.push64(event.quantities[quantity as usize]);
        }
        for (value_type, bits) in extras.values() {
            self.value(value_type, bits, is_wide);
        }
    }

    /// Returns where the operands of a symbol are.
    #[inline]
    fn operands(&mut self, id: SymbolId, symbols: &SymbolTable) -> Range<usize> {
        if let Some(known) = self.operands.find(id) {
            return known;
        }
        let symbol = symbols.symbol(id);
        push_operands(self.operands.begin(), &symbol);
        use_operands(&mut self.used, &symbol);
        self.operands.end(id, symbols.len())
    }

    /// Appends a typed value.
    fn value(&mut self, value_type: ValueType, bits: u64, is_wide: bool) {
        let stored = Stored::new(value_type, is_wide);
        if stored == Stored::Id
            && let Some(kind) = value_type.refers_to()
        {
            let named = Named::Definition(kind.numbering());
            self.used.entry(named).or_default().insert(bits);
        }
        match stored {
            Stored::Real(32) => self.packets.push32(bits as u32),
            Stored::Id if !is_wide => self.packets.push32(bits as u32),
            _ => self.packets.push64(bits),
        }
    }

    /// Returns the size of the memory for packets, in bytes.
    pub(super) fn held(&self) -> usize {
        self.packets.bytes.capacity()
    }

    /// Writes the packet that is open, and frees its memory.
    pub(super) fn send(&mut self) -> Result<(), TraceError> {
        self.packets.send()?;
        self.packets.bytes = Vec::new();
        Ok(())
    }

    /// Completes the location.
    pub(super) fn finish(mut self, classes: &Classes) -> Result<(), TraceError> {
        self.send()?;
        classes.add_used(self.used);
        Ok(())
    }
}

/// The values of an event besides its operands and quantities: rows of the columns of its batch.
struct Extras<'a> {
    batch: &'a EventBatch,
    metrics: Range<usize>,
    attributes: Range<usize>,
}

impl<'a> Extras<'a> {
    #[inline]
    fn new(batch: &'a EventBatch, event: u32) -> Self {
        Self {
            batch,
            metrics: batch.metrics.rows(event),
            attributes: batch.attributes.rows(event),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.attributes.is_empty()
    }

    /// Returns types and bits of all values.
    fn values(&self) -> impl Iterator<Item = (ValueType, u64)> + use<'a> {
        let (metrics, attributes) = (&self.batch.metrics, &self.batch.attributes);
        let of_metric = self.metrics.clone();
        let of_metric = of_metric.map(|row| (metrics.value_type[row], metrics.value[row]));
        let rows = self.attributes.clone();
        let others = rows.map(|row| (attributes.value_type[row], attributes.value[row]));
        of_metric.chain(others)
    }

    /// Returns whether 32 bits are enough for the ids among the values.
    fn are_narrow(&self) -> bool {
        self.values()
            .all(|(value_type, bits)| Stored::is_narrow(value_type, bits))
    }

    /// Sets the values that events of the class of this event, which has this symbol, have.
    fn describe(&self, layout: &mut Layout, symbol: &Symbol) {
        let (metrics, attributes) = (&self.batch.metrics, &self.batch.attributes);
        let metric = symbol.get(Operand::Metric);
        layout.metric = metric.filter(|_| !self.metrics.is_empty());
        let members = self.metrics.clone();
        let members = members.map(|row| (metrics.member[row], metrics.value_type[row]));
        layout.members.clear();
        layout.members.extend(members);
        let rows = self.attributes.clone();
        let rows = rows.map(|row| (attributes.attribute[row], attributes.value_type[row]));
        layout.attributes.clear();
        layout.attributes.extend(rows);
    }
}

/// Appends the operands of a symbol, after a byte that says whether they have 64 bits.
fn push_operands(out: &mut Vec<u8>, symbol: &Symbol) {
    let operands = &symbol.operands[..symbol.kind.operands().len()];
    let is_wide = !operands.iter().copied().all(is_narrow);
    out.push(u8::from(is_wide));
    for &operand in operands {
        if is_wide {
            out.extend_from_slice(&operand.to_le_bytes());
        } else {
            out.extend_from_slice(&(operand as u32).to_le_bytes());
        }
    }
}

/// Adds the operands that are ids.
fn use_operands(used: &mut Used, symbol: &Symbol) {
    for (&operand, &id) in symbol.kind.operands().iter().zip(&symbol.operands) {
        if let Some(named) = named_by(operand) {
            used.entry(named).or_default().insert(id);
        }
    }
}

/// Returns what an operand names; `None` if it is only a number.
pub(super) fn named_by(operand: Operand) -> Option<Named> {
    match operand {
        Operand::Operation => Some(Named::Operation),
        _ => {
            let kind = operand.refers_to()?;
            Some(Named::Definition(kind.numbering()))
        }
    }
}
