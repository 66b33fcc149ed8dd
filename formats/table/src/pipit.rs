//! The table that Pipit loads, with its columns and event types, and with rows in order of time.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Builder, Int64Array, Int64Builder, RecordBatch, StructArray};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::error::ArrowError;
use foldtrace_trace::{
    Clock, Definitions, Diagnostic, Diagnostics, EventBatch, EventKind, LocationId, Names, Operand,
    Quantity, Severity, Symbol, SymbolTable, UNDEFINED, WideFields,
};
use indexmap::IndexSet;

use crate::account::KeptFields;
use crate::dictionary::{Dictionary, dictionary_type};
use crate::shape::Shape;
use crate::symbols::Symbols;
use crate::writer::TableRows;

const TIME: &str = "Timestamp (ns)";
const TYPE: &str = "Event Type";
const NAME: &str = "Name";
const THREAD: &str = "Thread";
const PROCESS: &str = "Process";
const ATTRIBUTES: &str = "Attributes";

/// The fields of `Attributes`. None of them is null, because Pipit does not check for null.
const FIELDS: [&str; 5] = [
    "sender",
    "receiver",
    "communicator",
    "msg_tag",
    "msg_length",
];

/// The value of fields that an event does not have.
const ABSENT: i64 = -1;

fn attribute_fields() -> Fields {
    Fields::from_iter(FIELDS.map(|name| Field::new(name, DataType::Int64, false)))
}

fn schema() -> Schema {
    let required = |name: &str, data_type| Field::new(name, data_type, false);
    Schema::new(vec![
        required(TIME, DataType::Int64),
        required(TYPE, dictionary_type()),
        required(NAME, dictionary_type()),
        required(THREAD, DataType::Int64),
        required(PROCESS, DataType::Int64),
        required(ATTRIBUTES, DataType::Struct(attribute_fields())),
    ])
}

/// The fields that all rows of a symbol share.
#[derive(Clone, Copy, Debug)]
struct SymbolFields {
    type_key: i32,
    name_key: i32,
    sends: bool,
    receives: bool,
    /// The partner of a message, as a rank in the whole program.
    partner: i64,
    communicator: i64,
    tag: i64,
}

/// Converts events to rows of Pipit's table.
#[derive(Debug, Default)]
pub(crate) struct PipitRows {
    symbols: Symbols<SymbolFields>,
    type_dictionary: Dictionary,
    name_dictionary: Dictionary,
    clock: Clock,
    rows: usize,
    time: Int64Builder,
    types: Int32Builder,
    names: Int32Builder,
    thread: Int64Builder,
    process: Int64Builder,
    attributes: [Vec<i64>; FIELDS.len()],
    /// Locations without a process. Each counts as a process, numbered after all others.
    without_process: IndexSet<LocationId>,
    /// Number of times that do not fit into 64 bits in nanoseconds.
    clamped_times: u64,
}

/// Converts a number for Pipit. Undefined numbers, and those that do not fit into a signed integer, become
/// [`ABSENT`].
fn number(value: Option<u64>) -> i64 {
    value
        .and_then(|value| i64::try_from(value).ok())
        .unwrap_or(ABSENT)
}

/// Returns Pipit's name for a kind of instantaneous event: `mpi_send` becomes `MpiSend`.
fn instant_name(kind: EventKind) -> String {
    let mut name = String::new();
    for word in kind.name().split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

fn describe(
    symbol: Symbol,
    names: &Names,
    type_dictionary: &mut Dictionary,
    name_dictionary: &mut Dictionary,
) -> SymbolFields {
    let region = || names.called(&symbol).unwrap_or_default();
    let (event_type, name_key) = match symbol.kind {
        EventKind::Enter => ("Enter", name_dictionary.key(region())),
        EventKind::Leave => ("Leave", name_dictionary.key(region())),
        kind => ("Instant", name_dictionary.key(&instant_name(kind))),
    };
    let sends = symbol.kind.is_send();
    let receives = symbol.kind.is_receive();
    let message_operand = |operand| symbol.get(operand).filter(|_| sends || receives);
    let communicator = message_operand(Operand::Communicator);
    let peer = message_operand(Operand::Peer);
    let members = communicator.and_then(|communicator| names.members(communicator));
    let partner = peer.map(|peer| {
        let member = usize::try_from(peer).ok().and_then(|p| members?.get(p));
        member.copied().unwrap_or(peer)
    });
    SymbolFields {
        type_key: type_dictionary.key(event_type),
        name_key,
        sends,
        receives,
        partner: number(partner),
        communicator: number(communicator),
        tag: number(message_operand(Operand::Tag)),
    }
}

impl PipitRows {
    /// Returns the process and the thread that represent a location.
    fn process_and_thread(&mut self, location: LocationId) -> (i64, i64) {
        let names = &self.symbols.names;
        if let Some((rank, thread)) = names.rank(location) {
            return (rank as i64, thread as i64);
        }
        let (index, _) = self.without_process.insert_full(location);
        ((names.processes().len() + index) as i64, 0)
    }

    /// Returns the time of an event in nanoseconds. Pipit requires one for every event, so times out of range are
    /// clamped.
    fn time(&mut self, batch: &EventBatch, index: usize) -> i64 {
        let time = batch.times[index];
        self.clock.nanoseconds(time).unwrap_or_else(|| {
            self.clamped_times += 1;
            if time.0 < self.clock.global_offset {
                i64::MIN
            } else {
                i64::MAX
            }
        })
    }
}

impl TableRows for PipitRows {
    const KEPT: KeptFields = KeptFields {
        operand: |kind, operand| match operand {
            Operand::Region => matches!(kind, EventKind::Enter | EventKind::Leave),
            Operand::Peer | Operand::Communicator | Operand::Tag => {
                kind.is_send() || kind.is_receive()
            }
            _ => false,
        },
        quantity: |kind, quantity| {
            quantity == Quantity::Bytes && (kind.is_send() || kind.is_receive())
        },
        metrics: false,
        attributes: false,
    };

    fn shape(&self, _: WideFields, _: &SymbolTable) -> Shape {
        Shape {
            name: "pipit",
            schema: Arc::new(schema()),
            sorted_by: &[],
            growing: &[TIME],
        }
    }

    fn define(&mut self, definitions: &Definitions) {
        if !definitions.is_empty() {
            self.symbols.define(definitions);
            self.clock = self.symbols.definitions.clock();
        }
    }

    fn clock(&self) -> Clock {
        self.clock
    }

    fn push(&mut self, batch: &EventBatch, table: &SymbolTable) {
        self.symbols.derive(table, |_, symbol, names| {
            describe(
                symbol,
                names,
                &mut self.type_dictionary,
                &mut self.name_dictionary,
            )
        });
        let (process, thread) = self.process_and_thread(batch.location);
        for event in batch.iter(table) {
            let Some(&symbol) = self.symbols.get(event.symbol) else {
                continue;
            };
            let time = self.time(batch, event.index as usize);
            let bytes = event.quantities[Quantity::Bytes as usize];
            let has_bytes = (symbol.sends || symbol.receives) && bytes != UNDEFINED;
            let (sender, receiver) = match (symbol.sends, symbol.receives) {
                (true, _) => (process, symbol.partner),
                (_, true) => (symbol.partner, process),
                _ => (ABSENT, ABSENT),
            };
            let tag = match event.symbol.tag() {
                0 => symbol.tag,
                _ if symbol.tag == ABSENT => ABSENT,
                tag => tag.into(),
            };
            let attributes = [
                sender,
                receiver,
                symbol.communicator,
                tag,
                number(has_bytes.then_some(bytes)),
            ];
            self.time.append_value(time);
            self.types.append_value(symbol.type_key);
            self.names.append_value(symbol.name_key);
            self.thread.append_value(thread);
            self.process.append_value(process);
            for (column, value) in self.attributes.iter_mut().zip(attributes) {
                column.push(value);
            }
            self.rows += 1;
        }
    }

    fn len(&self) -> usize {
        self.rows
    }

    fn take(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        self.rows = 0;
        let fields: [ArrayRef; FIELDS.len()] = (self.attributes.each_mut())
            .map(|values| Arc::new(Int64Array::from(std::mem::take(values))) as _);
        let attributes = StructArray::try_new(attribute_fields(), fields.to_vec(), None)?;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.time.finish()),
            self.type_dictionary.column(self.types.finish())?,
            self.name_dictionary.column(self.names.finish())?,
            Arc::new(self.thread.finish()),
            Arc::new(self.process.finish()),
            Arc::new(attributes),
        ];
        RecordBatch::try_new(Arc::clone(schema), columns)
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if self.clamped_times > 0 {
            let message = format!(
                "times that do not fit into 64 bits as nanoseconds are replaced by the nearest that does: {}",
                self.clamped_times
            );
            diagnostics.report(Diagnostic::new(Severity::Loss, "table.left_out", message));
        }
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instant_events_have_the_names_of_pipit() {
        for (kind, name) in [
            (EventKind::MpiSend, "MpiSend"),
            (EventKind::MpiIsend, "MpiIsend"),
            (EventKind::MpiRecv, "MpiRecv"),
            (EventKind::MpiIrecv, "MpiIrecv"),
            (EventKind::MpiCollectiveEnd, "MpiCollectiveEnd"),
        ] {
            assert_eq!(instant_name(kind), name);
        }
    }
}
