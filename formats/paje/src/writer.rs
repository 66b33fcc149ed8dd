//! Writes a trace that other programs can open, and that can be read back unchanged.
//!
//! Calls become states, messages become links, metrics become variables, and everything else becomes events. Data
//! that the format cannot express is in fields that only foldtrace reads, and definitions are in comments.

mod picture;
mod prologue;

use std::io::Write as _;

use foldtrace_input::check_lines;
use foldtrace_notation::{push_definition, push_fields, push_number};
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Arrow, Arrows, Definitions, Diagnostics, EventBatch, EventRef, Order, Output, Quantity, Symbol,
    SymbolId, SymbolTable, Timestamp, TraceError, TraceWriter, UNDEFINED, ValueType, leave_of,
};

use crate::carried::TICKS;
use picture::{Lane, Picture, Role};
use prologue::Code;

/// Size of a block that is written at once, in bytes.
const BLOCK: usize = 1 << 18;

/// The name of all links. Both ends of a link must have the same name.
const MESSAGE: &str = "message";

/// Writes a Pajé trace.
pub(crate) struct PajeWriter {
    file: OutputFile,
    out: Vec<u8>,
    defined: Definitions,
    picture: Picture,
    arrows: Arrows,
}

/// The position in the metric values and attributes of a batch, while its events are written in order.
#[derive(Default)]
struct Extras {
    metric: usize,
    attribute: usize,
}

/// An event that is written as a line.
struct Line<'a> {
    batch: &'a EventBatch,
    event: EventRef,
    symbol: Symbol,
    /// Whether the usual fields of the line contain all data of the event.
    is_plain: bool,
    /// Whether the time of the line identifies its ticks.
    has_exact_time: bool,
}

impl PajeWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let mut out = Vec::with_capacity(BLOCK + BLOCK / 4);
        prologue::push_header(&mut out);
        Ok(Self {
            file: OutputFile::create(output)?,
            out,
            defined: Definitions::default(),
            picture: Picture::default(),
            arrows: Arrows::default(),
        })
    }

    fn define(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        if definitions.is_empty() {
            return Ok(());
        }
        for record in definitions.in_order() {
            let begin = self.out.len();
            push_definition(&mut self.out, &record);
            check_lines(&self.out[begin..])?;
            if self.out.len() >= BLOCK {
                self.flush()?;
            }
        }
        self.defined.append(definitions);
        self.picture.define(&self.defined);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let written = self.file.write_all(&self.out);
        self.out.clear();
        written.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }

    fn event(
        &mut self,
        lane: &mut Lane,
        batch: &EventBatch,
        event: EventRef,
        extras: &mut Extras,
        symbols: &SymbolTable,
    ) {
        let out = &mut self.out;
        let picture = &mut self.picture;
        let symbol = symbols.symbol(event.symbol);
        let has_exact_time = picture.time.show(event.time);
        let quantities = symbol.kind.quantities();
        let has_extras = extras.advance(batch, event.index);
        let line = Line {
            batch,
            event,
            symbol,
            is_plain: has_exact_time
                && !has_extras
                && quantities
                    .iter()
                    .all(|&q| event.quantities[q as usize] == UNDEFINED),
            has_exact_time,
        };
        let role = picture.role(out, event.symbol, symbols);
        match role {
            Role::Enter => {
                line.begin(out, picture, [Code::Push, Code::PushCarried]);
                push_words(out, &[b"S", &lane.alias]);
                push_alias(out, event.symbol);
                line.end(out);
                lane.open.push(event.symbol);
            }
            Role::Leave if let Some(innermost) = lane.open.pop() => {
                let leaves_innermost = leave_of(symbols.symbol(innermost)) == Some(symbol);
                if leaves_innermost && line.is_plain {
                    line.begin(out, picture, [Code::Pop, Code::Pop]);
                    push_words(out, &[b"S", &lane.alias]);
                } else {
                    line.begin(out, picture, [Code::PopOf, Code::PopCarried]);
                    push_words(out, &[b"S", &lane.alias]);
                    push_alias(out, event.symbol);
                }
                line.end(out);
            }
            Role::Metric if line.variables(out, picture, lane) => {}
            Role::Message
                if let Some(arrow) = picture.arrow(&mut self.arrows, batch.location, &symbol) =>
            {
                line.message(out, picture, lane, arrow);
            }
            _ => {
                line.begin(out, picture, [Code::Event, Code::EventCarried]);
                push_words(out, &[b"E", &lane.alias]);
                push_alias(out, event.symbol);
                line.end(out);
            }
        }
    }

    /// Adds another end to each link that has only one, because some programs require both.
    fn complete_links(&mut self) -> Result<(), TraceError> {
        let arrows = std::mem::take(&mut self.arrows);
        let mut container = None;
        for arrow in arrows.unmatched() {
            let out = &mut self.out;
            let container =
                container.get_or_insert_with(|| self.picture.container_of_missing_ends(out));
            let code = if arrow.is_send {
                Code::EndLinkDrawn
            } else {
                Code::StartLinkDrawn
            };
            push_number(out, code as u64);
            push_words(
                out,
                &[
                    self.picture.time.text(),
                    b"L M",
                    MESSAGE.as_bytes(),
                    container,
                ],
            );
            out.push(b' ');
            push_number(out, arrow.id);
            out.push(b'\n');
            if out.len() >= BLOCK {
                self.flush()?;
            }
        }
        Ok(())
    }
}

impl Extras {
    /// Skips the metric values and attributes of an event. Returns whether there are any.
    fn advance(&mut self, batch: &EventBatch, index: u32) -> bool {
        let before = (self.metric, self.attribute);
        while batch.metrics.event.get(self.metric) == Some(&index) {
            self.metric += 1;
        }
        while batch.attributes.event.get(self.attribute) == Some(&index) {
            self.attribute += 1;
        }
        before != (self.metric, self.attribute)
    }
}

impl Line<'_> {
    /// Begins a line: writes the first code if the line is plain, or else the second, and the time.
    fn begin(&self, out: &mut Vec<u8>, picture: &Picture, [plain, carried]: [Code; 2]) {
        let code = if self.is_plain { plain } else { carried };
        push_number(out, code as u64);
        push_words(out, &[picture.time.text()]);
    }

    /// Ends the line, with the carried values if the line is not plain.
    fn end(&self, out: &mut Vec<u8>) {
        if !self.is_plain {
            self.carry(out);
        }
        out.push(b'\n');
    }

    fn carry(&self, out: &mut Vec<u8>) {
        out.push(b' ');
        let start = out.len();
        if !self.has_exact_time {
            out.push(b' ');
            out.extend_from_slice(TICKS);
            push_number(out, self.event.time.0);
        }
        let kind = Symbol::new(self.symbol.kind, &[]);
        let (metrics, attributes) = (&self.batch.metrics, &self.batch.attributes);
        push_fields(out, &kind, &self.event, metrics, attributes);
        // The first field has a blank before it, which is replaced.
        match out.get_mut(start) {
            Some(blank) => *blank = b'"',
            None => out.push(b'"'),
        }
        out.push(b'"');
    }

    /// Writes an end of a message.
    fn message(mut self, out: &mut Vec<u8>, picture: &Picture, lane: &Lane, arrow: Arrow) {
        let quantities = self.event.quantities;
        let bytes = quantities[Quantity::Bytes as usize];
        let has_more = self.symbol.kind.quantities() != [Quantity::Bytes] || bytes == UNDEFINED;
        let has_extras = !self.batch.metrics.rows(self.event.index).is_empty()
            || !self.batch.attributes.rows(self.event.index).is_empty();
        self.is_plain = self.has_exact_time && !has_more && !has_extras;
        let codes = if arrow.is_send {
            [Code::StartLink, Code::StartLinkCarried]
        } else {
            [Code::EndLink, Code::EndLinkCarried]
        };
        self.begin(out, picture, codes);
        push_words(out, &[b"L M", MESSAGE.as_bytes(), &lane.alias]);
        push_alias(out, self.event.symbol);
        out.push(b' ');
        push_number(out, arrow.id);
        out.push(b' ');
        push_number(out, if bytes == UNDEFINED { 0 } else { bytes });
        self.end(out);
    }

    /// Writes a metric as variables, the first of which carries the event. Returns `false` if no value can be the
    /// value of a variable.
    fn variables(&self, out: &mut Vec<u8>, picture: &mut Picture, lane: &Lane) -> bool {
        let metrics = &self.batch.metrics;
        let mut is_first = true;
        for row in metrics.rows(self.event.index) {
            let (member, value_type) = (metrics.member[row], metrics.value_type[row]);
            let bits = metrics.value[row];
            if !is_number(value_type, bits) {
                continue;
            }
            picture.declare_variable(out, &self.symbol, member);
            let code = if is_first {
                Code::Variable
            } else {
                Code::VariableDrawn
            };
            push_number(out, code as u64);
            let variable = picture.variable(&self.symbol, member);
            push_words(out, &[picture.time.text(), variable, &lane.alias]);
            if is_first {
                push_alias(out, self.event.symbol);
            }
            out.push(b' ');
            push_value(out, value_type, bits);
            if is_first {
                self.carry(out);
            }
            out.push(b'\n');
            is_first = false;
        }
        !is_first
    }
}

/// Appends words, each preceded by a blank.
fn push_words(out: &mut Vec<u8>, words: &[&[u8]]) {
    for word in words {
        out.push(b' ');
        out.extend_from_slice(word);
    }
}

/// Appends the alias of the value of a symbol.
fn push_alias(out: &mut Vec<u8>, symbol: SymbolId) {
    out.extend_from_slice(b" :");
    push_number(out, symbol.into());
}

/// Returns a value as a floating-point number, if it has such a type.
fn as_f64(value_type: ValueType, bits: u64) -> Option<f64> {
    match value_type {
        ValueType::Double => Some(f64::from_bits(bits)),
        ValueType::Float => Some(f64::from(f32::from_bits(bits as u32))),
        _ => None,
    }
}

/// Returns whether a value is a number that other programs can read.
fn is_number(value_type: ValueType, bits: u64) -> bool {
    use ValueType::{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64};
    match as_f64(value_type, bits) {
        Some(number) => number.is_finite(),
        None => matches!(
            value_type,
            Uint8 | Uint16 | Uint32 | Uint64 | Int8 | Int16 | Int32 | Int64
        ),
    }
}

/// Appends a numeric value.
fn push_value(out: &mut Vec<u8>, value_type: ValueType, bits: u64) {
    use ValueType::{Int8, Int16, Int32, Int64};
    if let Some(number) = as_f64(value_type, bits) {
        // Writing to memory cannot fail.
        let _ = write!(out, "{number:?}");
    } else if matches!(value_type, Int8 | Int16 | Int32 | Int64) && (bits as i64) < 0 {
        out.push(b'-');
        push_number(out, bits.wrapping_neg());
    } else {
        push_number(out, bits);
    }
}

impl TraceWriter for PajeWriter {
    fn order(&self) -> Order {
        Order::Time
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions)
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions)?;
        let Some(&first) = batch.times.first() else {
            return Ok(());
        };
        self.picture.begin(&mut self.out, first);
        let mut lane = self.picture.take_lane(&mut self.out, batch.location);
        let mut extras = Extras::default();
        for event in batch.iter(symbols) {
            let begin = self.out.len();
            self.event(&mut lane, batch, event, &mut extras, symbols);
            check_lines(&self.out[begin..])?;
            if self.out.len() >= BLOCK {
                self.flush()?;
            }
        }
        self.picture.put_lane(batch.location, lane);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.picture.begin(&mut self.out, Timestamp(0));
        self.complete_links()?;
        self.flush()?;
        self.file.complete()?;
        Ok(Diagnostics::default())
    }
}
