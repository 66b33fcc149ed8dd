//! Repairs traces for strict readers: makes definitions unique, sorted and shared.
//!
//! Real traces define an id twice, refer to later definitions, and define the same region anew for every process.
//! Readers that rely on the rules for definitions reject them. A repaired trace has the same events and the same
//! meaning:
//!
//! - a repeated definition is left out; a definition whose id was redefined gets an id of its own;
//! - strings with the same text become one string, and regions with the same names, kind and place in the source
//!   become one region;
//! - a definition comes before the definitions that refer to it, and a reference to an undefined id is removed;
//! - ids are renumbered consecutively in the order of the definitions. Only locations keep their ids.

mod definitions;
mod ranks;
mod translation;

use foldtrace_trace::{
    DefinitionKind, Diagnostics, ErrorKind, EventBatch, EventStream, Place, Remedy, Step, SymbolId,
    SymbolTable, TraceError, TraceHead, TraceReader,
};

use definitions::Repair;
use ranks::with_ranks;
use translation::Translation;

/// A trace that satisfies strict readers.
///
/// All definitions must be known before the first event, because ids are assigned to all of them together. Streams
/// with further definitions are rejected.
pub struct Repaired {
    reader: Box<dyn TraceReader>,
    head: TraceHead,
    ids: Translation,
}

impl Repaired {
    /// Repairs the trace that `reader` reads.
    #[must_use]
    pub fn new(reader: Box<dyn TraceReader>) -> Self {
        let completed = with_ranks(reader.definitions());
        let repair = Repair::new(&completed);
        let mut diagnostics = reader.diagnostics().clone();
        let (definitions, ids, counts) = repair.run();
        counts.report(&mut diagnostics);
        Self {
            head: TraceHead {
                definitions,
                diagnostics,
                streams: reader.streams().to_vec(),
                ..TraceHead::default()
            },
            reader,
            ids,
        }
    }
}

impl TraceReader for Repaired {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(RepairedStream {
            stream: self.reader.open_stream(index)?,
            ids: &self.ids,
            symbols: SymbolTable::default(),
            rows: Vec::new(),
        }))
    }
}

/// A stream with translated ids.
struct RepairedStream<'a> {
    stream: Box<dyn EventStream + 'a>,
    ids: &'a Translation,
    symbols: SymbolTable,
    /// For each row of the source stream's symbols, the row of the translated ones.
    rows: Vec<SymbolId>,
}

impl EventStream for RepairedStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let step = self.stream.next_batch(batch, diagnostics);
        if !batch.definitions.is_empty() {
            let message = "definitions among the events cannot be repaired";
            let place = Place::default().location(batch.location);
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(error.at(place).remedy(Remedy::StoreThenRepair));
        }
        // Even if the step is an error, the batch contains the complete events before it.
        let known = self.stream.symbols();
        for (row, symbol) in known.iter_from(self.rows.len()) {
            let symbol = self.ids.symbol(symbol);
            let row = self.symbols.intern_row(symbol, known.is_tagged(row));
            self.rows.push(row);
        }
        for symbol in &mut batch.symbols {
            if let Some(&row) = self.rows.get(symbol.row()) {
                *symbol = symbol.in_row(row);
            }
        }
        let attributes = &mut batch.attributes;
        for attribute in &mut attributes.attribute {
            *attribute = self.ids.apply(DefinitionKind::Attribute, *attribute);
        }
        let values = attributes.value_type.iter().zip(&mut attributes.value);
        for (&value_type, value) in values {
            *value = self.ids.value(value_type, *value);
        }
        step
    }

    fn batch_at_most(&mut self, events: usize) {
        self.stream.batch_at_most(events);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}
