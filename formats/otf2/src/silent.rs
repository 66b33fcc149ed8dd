//! Finds calls that must have sent or received a message but have no message events.
//!
//! EZTrace records some MPI calls, for example `MPI_Sendrecv`, without their messages. No reader can recover these
//! messages, but users who count or match messages need to know that they are missing.

use std::collections::{BTreeMap, HashMap};

use foldtrace_mpi::has_message;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, Place, Position, Severity, Symbol, SymbolId, SymbolTable,
};

/// The meaning of an event for this check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Nothing,
    /// A message is sent or received, or the operation is started.
    Message,
    /// A call that has a message begins.
    Begin,
    /// A call that has a message ends.
    End,
}

/// The calls without messages of one region.
#[derive(Clone, Copy, Debug)]
struct RegionCalls {
    /// The position of the event that ends the first call.
    first: Position,
    count: u64,
}

/// A check of the events of one location for calls without messages.
#[derive(Debug)]
pub(crate) struct SilentCalls<'a> {
    regions: &'a HashMap<u64, String>,
    /// The meaning of each symbol.
    meanings: Vec<Meaning>,
    /// Whether any symbol begins or ends a call that has a message.
    has_calls: bool,
    /// Whether there was a message since the last such call began.
    has_message: bool,
    /// Calls without messages, by region.
    calls: BTreeMap<u64, RegionCalls>,
}

impl<'a> SilentCalls<'a> {
    /// Creates a check for a location whose regions have the names `regions`.
    pub(crate) fn new(regions: &'a HashMap<u64, String>) -> Self {
        Self {
            regions,
            meanings: Vec::new(),
            has_calls: false,
            // A call that began before the first event may have had a message.
            has_message: true,
            calls: BTreeMap::new(),
        }
    }

    fn meaning(&self, symbol: Symbol) -> Meaning {
        let of_call = |meaning| {
            let name = self.regions.get(&symbol.operands[0]);
            if name.is_some_and(|name| has_message(name)) {
                meaning
            } else {
                Meaning::Nothing
            }
        };
        match symbol.kind {
            EventKind::MpiSend
            | EventKind::MpiIsend
            | EventKind::MpiRecv
            | EventKind::MpiIrecv
            | EventKind::MpiIrecvRequest => Meaning::Message,
            EventKind::Enter => of_call(Meaning::Begin),
            EventKind::Leave => of_call(Meaning::End),
            _ => Meaning::Nothing,
        }
    }

    /// Checks the events from position `first` on, which follow those checked before.
    pub(crate) fn check(&mut self, first: Position, events: &[SymbolId], symbols: &SymbolTable) {
        for (_, symbol) in symbols.iter_from(self.meanings.len()) {
            let meaning = self.meaning(symbol);
            self.has_calls |= matches!(meaning, Meaning::Begin | Meaning::End);
            self.meanings.push(meaning);
        }
        if !self.has_calls {
            return;
        }
        for (position, &symbol) in (first.0..).zip(events) {
            match self.meanings[symbol.row()] {
                Meaning::Nothing => {}
                Meaning::Message => self.has_message = true,
                Meaning::Begin => self.has_message = false,
                Meaning::End if self.has_message => {}
                Meaning::End => {
                    let region = symbols.symbol(symbol).operands[0];
                    let calls = self.calls.entry(region).or_insert(RegionCalls {
                        first: Position(position),
                        count: 0,
                    });
                    calls.count += 1;
                }
            }
        }
    }

    /// Reports the calls without messages, once per region. `place` is the location's file.
    pub(crate) fn report(&mut self, place: &Place, diagnostics: &mut Diagnostics) {
        for (region, calls) in std::mem::take(&mut self.calls) {
            let name = self.regions.get(&region).map_or("", String::as_str);
            let message = match calls.count {
                1 => format!("a call of '{name}' was recorded without its messages"),
                count => format!("{count} calls of '{name}' were recorded without their messages"),
            };
            let mut place = place.clone();
            place.position = Some(calls.first);
            let case = Diagnostic::new(Severity::Note, "otf2.call_without_message", message);
            diagnostics.report_many(case.at(place), calls.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the check on calls of `MPI_Send` (1), `main` (2) and `mpi_recv_` (3), in batches of `size` events.
    fn silent(events: &[(EventKind, u64)], size: usize) -> Vec<(String, u64, Option<Position>)> {
        let names = [(1, "MPI_Send"), (2, "main"), (3, "mpi_recv_")];
        let regions = names.map(|(id, name)| (id, name.to_owned())).into();
        let mut silent = SilentCalls::new(&regions);
        let mut symbols = SymbolTable::default();
        for (first, events) in (0..).step_by(size).zip(events.chunks(size)) {
            let events = events
                .iter()
                .map(|&(kind, operand)| symbols.intern(Symbol::new(kind, &[operand, 0, 0])));
            let events: Vec<_> = events.collect();
            silent.check(Position(first), &events, &symbols);
        }
        let mut diagnostics = Diagnostics::default();
        for _ in 0..2 {
            silent.report(&Place::file("5.evt"), &mut diagnostics);
        }
        let cases = diagnostics.groups().flat_map(|(_, group)| {
            let case = |case: &Diagnostic| (case.message.clone(), group.count, case.place.position);
            Vec::from_iter(group.cases.iter().map(case))
        });
        cases.collect()
    }

    #[test]
    fn calls_without_messages_are_reported_once_per_region() {
        use EventKind::{Enter, Leave, MpiIrecvRequest, MpiSend};
        let events = [
            (Leave, 3),
            (Enter, 2),
            (Enter, 1),
            (MpiSend, 0),
            (Leave, 1),
            (Enter, 1),
            (Leave, 1),
            (Enter, 3),
            (Enter, 2),
            (MpiIrecvRequest, 0),
            (Leave, 2),
            (Leave, 3),
            (Enter, 1),
            (Leave, 1),
            (Enter, 3),
            (Leave, 3),
            (Leave, 2),
        ];
        for size in 1..=events.len() {
            let send = "2 calls of 'MPI_Send' were recorded without their messages";
            let recv = "a call of 'mpi_recv_' was recorded without its messages";
            assert_eq!(
                silent(&events, size),
                [
                    (send.to_owned(), 3, Some(Position(6))),
                    (recv.to_owned(), 3, Some(Position(15))),
                ]
            );
        }
        assert_eq!(silent(&[(Enter, 2), (Leave, 2)], 1), []);
    }
}
