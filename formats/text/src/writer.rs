//! Writes a text trace, with the same lines as [`EventText`](foldtrace_trace::EventText) but faster.
//!
//! The text of a symbol is built once per batch; each event only adds its numbers.

use std::collections::HashMap;
use std::io::Write as _;
use std::ops::Range;

use foldtrace_input::check_lines;
use foldtrace_notation::{SymbolTexts, push_definition, push_number, string_ids};
use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, EventKind, LocationId, Names, Operand, Output, Quantity,
    Symbol, SymbolId, SymbolTable, SymbolText, TraceError, TraceWriter, UNDEFINED,
};

use crate::event::is_free_text;
use crate::sink::{self, Sink};

/// First line of a written trace.
pub(crate) const HEADER: &str = "# foldtrace text, see schemas/text.md\n";

/// Writes a text trace.
pub(crate) struct TextWriter {
    sink: Box<dyn Sink>,
    defined: Definitions,
    names: Names,
    /// Ids of strings by text, computed when a description first needs them.
    strings: Option<HashMap<String, u64>>,
    texts: SymbolTexts,
}

impl TextWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let mut sink = sink::create(output)?;
        sink.definitions(HEADER.as_bytes())?;
        Ok(Self {
            sink,
            defined: Definitions::default(),
            names: Names::default(),
            strings: None,
            texts: SymbolTexts::default(),
        })
    }

    fn define(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        if definitions.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for record in definitions.in_order() {
            let begin = lines.len();
            push_definition(&mut lines, &record);
            check_lines(&lines[begin..])?;
        }
        self.defined.append(definitions);
        self.names = Names::new(&self.defined);
        self.strings = None;
        self.sink.definitions(&lines)
    }

    /// Returns the text of a symbol of the current batch.
    fn text(&mut self, location: LocationId, id: SymbolId, symbols: &SymbolTable) -> Range<usize> {
        if let Some(text) = self.texts.find(id) {
            return text;
        }
        let symbol = symbols.symbol(id);
        if !self.push_description(location, symbol) {
            let text = SymbolText {
                exact: true,
                ..SymbolText::new(&self.names, location, symbol)
            };
            // Writing to memory cannot fail.
            let _ = write!(self.texts.begin(), "{text}");
        }
        self.texts.end(id, symbols.len())
    }

    /// Writes a local event with its description instead of the id of its string, if the description leads back to
    /// that id. Returns whether it did.
    fn push_description(&mut self, location: LocationId, symbol: Symbol) -> bool {
        if symbol.kind != EventKind::Local {
            return false;
        }
        let Some(id) = symbol.get(Operand::String) else {
            return false;
        };
        let text = self.names.string(id);
        let strings = self
            .strings
            .get_or_insert_with(|| string_ids(&self.defined, &self.names));
        if strings.get(text) != Some(&id) || !is_free_text(text) {
            return false;
        }
        let _ = write!(
            self.texts.begin(),
            "{} local {text}",
            self.names.label(location)
        );
        true
    }
}

impl TraceWriter for TextWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions)
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions)?;
        if batch.is_empty() {
            return Ok(());
        }
        self.texts.begin_batch();
        let mut extras = Extras {
            batch,
            metric: 0,
            attribute: 0,
        };
        for event in batch.iter(symbols) {
            let text = self.text(batch.location, event.symbol, symbols);
            let out = self.sink.buffer(batch.location, &self.names)?;
            let begin = out.len();
            out.extend_from_slice(self.texts.text(text));
            out.extend_from_slice(b" time=");
            push_number(out, event.time.0);
            let kind = symbols.kind(event.symbol);
            for &quantity in kind.quantities() {
                let value = event.quantities[quantity as usize];
                if quantity == Quantity::Value && kind.has_signed_value() {
                    out.extend_from_slice(key(quantity));
                    if (value as i64) < 0 {
                        out.push(b'-');
                    }
                    push_number(out, (value as i64).unsigned_abs());
                } else if value != UNDEFINED || quantity == Quantity::Value {
                    out.extend_from_slice(key(quantity));
                    push_number(out, value);
                }
            }
            extras.push(out, event.index);
            out.push(b'\n');
            check_lines(&out[begin..])?;
            self.sink.settle()?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.sink.finish()?;
        Ok(Diagnostics::default())
    }
}

const fn key(quantity: Quantity) -> &'static [u8] {
    match quantity {
        Quantity::Bytes => b" bytes=",
        Quantity::BytesReceived => b" bytes_received=",
        Quantity::Request => b" request=",
        Quantity::Value => b" value=",
        Quantity::Offset => b" offset=",
    }
}

/// Iterates over the metric values and attributes of a batch along with its events.
struct Extras<'a> {
    batch: &'a EventBatch,
    metric: usize,
    attribute: usize,
}

impl Extras<'_> {
    #[inline]
    fn push(&mut self, out: &mut Vec<u8>, event: u32) {
        let metrics = &self.batch.metrics;
        while metrics.event.get(self.metric) == Some(&event) {
            let row = self.metric;
            out.extend_from_slice(b" value.");
            push_number(out, u64::from(metrics.member[row]));
            push_typed(out, metrics.value_type[row].name(), metrics.value[row]);
            self.metric += 1;
        }
        let attributes = &self.batch.attributes;
        while attributes.event.get(self.attribute) == Some(&event) {
            let row = self.attribute;
            out.extend_from_slice(b" attribute.");
            push_number(out, attributes.attribute[row]);
            push_typed(
                out,
                attributes.value_type[row].name(),
                attributes.value[row],
            );
            self.attribute += 1;
        }
    }
}

fn push_typed(out: &mut Vec<u8>, value_type: &str, value: u64) {
    out.push(b'=');
    out.extend_from_slice(value_type.as_bytes());
    out.push(b':');
    push_number(out, value);
}
