//! Writes the times and quantities of each location in blocks of lists. Their size grows with the trace, so they are
//! written directly, without an XML library.

use std::io::{self, Read, Write};
use std::mem;

use foldtrace_notation::push_number;
use foldtrace_trace::{
    AttributeColumns, EventBatch, LocationId, MetricColumns, Quantity, SymbolTable, UNDEFINED,
    ValueType,
};

use super::spool::Spool;
use crate::schema::{
    ATTRIBUTES, BLOCK, BLOCK_EVENTS, EVENTS, METRICS, NO_VALUE, TIMESTAMPS, VALUES,
};

/// Collects the events of a block, and writes the block when it is full.
pub(super) struct Blocks {
    spool: Spool,
    text: Vec<u8>,
    times: Vec<u64>,
    quantities: [Vec<u64>; Quantity::COUNT],
    metrics: MetricColumns,
    attributes: AttributeColumns,
}

impl Blocks {
    pub fn new(spool: Spool) -> Self {
        Self {
            spool,
            text: Vec::new(),
            times: Vec::new(),
            quantities: Default::default(),
            metrics: MetricColumns::default(),
            attributes: AttributeColumns::default(),
        }
    }

    pub fn begin_location(&mut self, location: LocationId) -> io::Result<()> {
        write!(self.spool, "\n  <{EVENTS} location=\"{location}\">")
    }

    pub fn end_location(&mut self) -> io::Result<()> {
        self.write_block()?;
        write!(self.spool, "\n  </{EVENTS}>")
    }

    /// Returns a reader of everything that was written.
    pub fn finish(self) -> io::Result<impl Read> {
        self.spool.read()
    }

    /// Adds the events of a batch.
    pub fn push(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> io::Result<()> {
        for event in batch.iter(symbols) {
            let index = self.times.len() as u32;
            self.times.push(event.time.0);
            for &quantity in symbols.kind(event.symbol).quantities() {
                let column = quantity as usize;
                self.quantities[column].push(event.quantities[column]);
            }
            if !batch.metrics.event.is_empty() {
                let from = &batch.metrics;
                for row in from.rows(event.index) {
                    let (value_type, value) = (from.value_type[row], from.value[row]);
                    self.metrics
                        .push(index, from.member[row], value_type, value);
                }
            }
            if !batch.attributes.event.is_empty() {
                let from = &batch.attributes;
                for row in from.rows(event.index) {
                    let (value_type, value) = (from.value_type[row], from.value[row]);
                    self.attributes
                        .push(index, from.attribute[row], value_type, value);
                }
            }
            if self.times.len() == BLOCK_EVENTS {
                self.write_block()?;
            }
        }
        Ok(())
    }

    fn write_block(&mut self) -> io::Result<()> {
        if self.times.is_empty() {
            return Ok(());
        }
        let mut text = mem::take(&mut self.text);
        text.clear();
        open(&mut text, 3, BLOCK, None);
        self.push_times(&mut text);
        for &quantity in Quantity::ALL {
            let values = &self.quantities[quantity as usize];
            if !values.is_empty() {
                list(
                    &mut text,
                    VALUES,
                    Some(quantity.name()),
                    values,
                    |out, &value| {
                        push_value(out, value);
                    },
                );
            }
        }
        let (m, a) = (&self.metrics, &self.attributes);
        if !m.event.is_empty() {
            list(&mut text, METRICS, None, 0..m.event.len(), |out, row| {
                let (member, value) = (m.member[row], (m.value_type[row], m.value[row]));
                push_typed(out, m.event[row], u64::from(member), value);
            });
        }
        if !a.event.is_empty() {
            list(&mut text, ATTRIBUTES, None, 0..a.event.len(), |out, row| {
                let value = (a.value_type[row], a.value[row]);
                push_typed(out, a.event[row], a.attribute[row], value);
            });
        }
        indent(&mut text, 3);
        close(&mut text, BLOCK);
        self.times.clear();
        self.quantities.iter_mut().for_each(Vec::clear);
        self.metrics.clear();
        self.attributes.clear();
        self.spool.write_all(&text)?;
        self.text = text;
        Ok(())
    }

    /// Writes the first time, followed by the differences between consecutive times.
    fn push_times(&self, text: &mut Vec<u8>) {
        let mut before = None;
        list(text, TIMESTAMPS, None, &self.times, |out, &time| {
            match before {
                None => push_number(out, time),
                Some(before) => {
                    let difference = time.wrapping_sub(before) as i64;
                    if difference < 0 {
                        out.push(b'-');
                    }
                    push_number(out, difference.unsigned_abs());
                }
            }
            before = Some(time);
        });
    }
}

fn indent(text: &mut Vec<u8>, depth: usize) {
    text.push(b'\n');
    text.resize(text.len() + depth, b' ');
}

fn open(text: &mut Vec<u8>, depth: usize, name: &str, quantity: Option<&str>) {
    indent(text, depth);
    text.push(b'<');
    text.extend_from_slice(name.as_bytes());
    if let Some(quantity) = quantity {
        text.extend_from_slice(b" quantity=\"");
        text.extend_from_slice(quantity.as_bytes());
        text.push(b'"');
    }
    text.push(b'>');
}

fn close(text: &mut Vec<u8>, name: &str) {
    text.extend_from_slice(b"</");
    text.extend_from_slice(name.as_bytes());
    text.push(b'>');
}

/// Writes an element that contains a list.
fn list<T>(
    text: &mut Vec<u8>,
    name: &str,
    quantity: Option<&str>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut Vec<u8>, T),
) {
    open(text, 4, name, quantity);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(b' ');
        }
        push(text, item);
    }
    close(text, name);
}

fn push_value(text: &mut Vec<u8>, value: u64) {
    if value == UNDEFINED {
        text.extend_from_slice(NO_VALUE);
    } else {
        push_number(text, value);
    }
}

/// Appends a typed value, `EVENT.ID=TYPE:BITS`.
fn push_typed(text: &mut Vec<u8>, event: u32, id: u64, (value_type, bits): (ValueType, u64)) {
    push_number(text, u64::from(event));
    text.push(b'.');
    push_number(text, id);
    text.push(b'=');
    text.extend_from_slice(value_type.name().as_bytes());
    text.push(b':');
    push_number(text, bits);
}
