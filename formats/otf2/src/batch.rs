//! Events from the library's callbacks into the columns of a batch.

use std::collections::HashMap;
use std::path::PathBuf;

use foldtrace_trace::{
    Diagnostic, Diagnostics, EventBatch, EventKind, LocationId, Place, Position, Severity,
    SymbolTable, Timestamp, UNDEFINED, ValueType,
};
use otf2_sys::safe::{Attributes, EventCode, EventVisitor};

use crate::cache::SymbolCache;
use crate::kinds::event_kind;
use crate::nesting::{Left, Nesting};

/// What a stream keeps from batch to batch.
#[derive(Debug)]
pub(crate) struct StreamState<'a> {
    pub(crate) location: LocationId,
    pub(crate) file: PathBuf,
    pub(crate) regions: &'a HashMap<u64, String>,
    pub(crate) symbols: SymbolTable,
    pub(crate) cache: SymbolCache,
    pub(crate) nesting: Nesting,
    pub(crate) last_time: u64,
}

impl StreamState<'_> {
    /// A region as messages name it.
    pub(crate) fn region(&self, id: u64) -> String {
        match self.regions.get(&id) {
            Some(name) => format!("'{name}'"),
            None => format!("{id}"),
        }
    }

    /// The place of an event.
    pub(crate) fn place(&self, position: u64) -> Place {
        Place::file(&self.file).event(self.location, Position(position))
    }
}

/// Fills one batch. The library calls it: nothing in here panics.
pub(crate) struct Filler<'a, 'b> {
    pub(crate) state: &'a mut StreamState<'b>,
    pub(crate) batch: &'a mut EventBatch,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

impl Filler<'_, '_> {
    #[inline(always)]
    fn push<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        kind: EventKind,
        time: u64,
        operands: [u64; OPERANDS],
        quantities: [u64; QUANTITIES],
        attributes: Attributes<'_>,
    ) {
        if time < self.state.last_time {
            self.time_backwards(time);
        }
        self.state.last_time = time;
        if !attributes.is_empty() {
            self.attributes(attributes);
        }
        let symbol = self
            .state
            .cache
            .intern(&mut self.state.symbols, kind, operands);
        self.batch.symbols.push(symbol);
        self.batch.times.push(Timestamp(time));
        for (&quantity, value) in kind.quantities().iter().zip(quantities) {
            self.batch.quantities[quantity as usize].push(value);
        }
    }

    /// Index of the event that is being visited.
    fn index(&self) -> u32 {
        self.batch.symbols.len() as u32
    }

    fn place(&self) -> Place {
        self.state
            .place(self.batch.first.0 + u64::from(self.index()))
    }

    #[cold]
    fn attributes(&mut self, attributes: Attributes<'_>) {
        let index = self.index();
        let mut untyped = 0;
        let columns = &mut self.batch.attributes;
        attributes.for_each(|attribute, code, bits| {
            let value_type = ValueType::from_code(code).unwrap_or_else(|| {
                untyped += 1;
                ValueType::None
            });
            columns.push(index, attribute, value_type, bits);
        });
        for _ in 0..untyped {
            self.unknown_type();
        }
    }

    #[cold]
    fn unknown_type(&mut self) {
        let message = "a value has a type that is not known; its bits are kept";
        self.diagnostics.report(
            Diagnostic::new(Severity::Warning, "otf2.unknown_type", message).at(self.place()),
        );
    }

    #[cold]
    fn time_backwards(&mut self, time: u64) {
        let message = format!(
            "the time goes back by {} ticks, from {} to {time}",
            self.state.last_time - time,
            self.state.last_time,
        );
        self.diagnostics.report(
            Diagnostic::new(Severity::Warning, "otf2.time_backwards", message).at(self.place()),
        );
    }

    #[cold]
    fn misnested(&mut self, region: u64, left: Left) {
        let region = self.state.region(region);
        let message = match left {
            Left::InOrder => return,
            Left::Outer(inner) => {
                format!(
                    "region {region} is left within region {}",
                    self.state.region(inner)
                )
            }
            Left::NeverEntered => format!("region {region} is left but was not entered"),
        };
        self.diagnostics.report(
            Diagnostic::new(Severity::Warning, "otf2.misnested_region", message).at(self.place()),
        );
    }

    #[cold]
    fn unknown(&mut self) {
        let message = "a record of a type that the library does not know; its operands are lost";
        self.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.unknown_record", message)
                .at(self.place())
                .hint("a newer libotf2 may know it"),
        );
    }
}

impl EventVisitor for Filler<'_, '_> {
    #[inline(always)]
    fn event<const OPERANDS: usize, const QUANTITIES: usize>(
        &mut self,
        code: EventCode,
        time: u64,
        operands: [u64; OPERANDS],
        quantities: [u64; QUANTITIES],
        attributes: Attributes<'_>,
    ) {
        let region = operands.first().copied().unwrap_or(UNDEFINED);
        match code {
            EventCode::Enter => self.state.nesting.enter(region),
            EventCode::Leave => {
                let left = self.state.nesting.leave(region);
                if left != Left::InOrder {
                    self.misnested(region, left);
                }
            }
            EventCode::Unknown => self.unknown(),
            _ => {}
        }
        self.push(event_kind(code), time, operands, quantities, attributes);
    }

    fn metric(
        &mut self,
        time: u64,
        metric: u64,
        types: &[u8],
        values: &[u64],
        attributes: Attributes<'_>,
    ) {
        let index = self.index();
        for (member, (&code, &value)) in (0..).zip(types.iter().zip(values)) {
            let value_type = ValueType::from_code(code).unwrap_or_default();
            if value_type == ValueType::None {
                self.unknown_type();
            }
            self.batch.metrics.push(index, member, value_type, value);
        }
        self.push(EventKind::Metric, time, [metric], [], attributes);
    }

    fn program_begin(
        &mut self,
        time: u64,
        name: u64,
        arguments: &[u32],
        attributes: Attributes<'_>,
    ) {
        let index = self.index();
        for (number, &argument) in (0..).zip(arguments) {
            let value = if argument == u32::MAX {
                UNDEFINED
            } else {
                u64::from(argument)
            };
            self.batch
                .attributes
                .push(index, number, ValueType::Argument, value);
        }
        self.push(EventKind::ProgramBegin, time, [name], [], attributes);
    }
}
