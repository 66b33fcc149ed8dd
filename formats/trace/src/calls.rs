//! Which calls a location is in: regions and calling contexts that were entered and not left.
//!
//! Real traces leave regions out of order, or without having entered them. What counts as open is
//! what was entered and not left, in the order in which it was entered; no order of leaving can
//! make that wrong.

use crate::{EventKind, Operand, Symbol, SymbolId, SymbolTable};

/// The open calls of one location, as the symbols of the events that entered them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenCalls {
    entered: Vec<SymbolId>,
}

/// What an event did to the open calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallChange {
    /// It entered or left nothing, or left what was not entered.
    None,
    /// It entered something.
    Entered,
    /// It left an open call.
    Left {
        /// The symbol of the event that had entered it.
        enter: SymbolId,
        /// How many calls were open around it.
        depth: usize,
    },
}

impl OpenCalls {
    /// Takes the next event of the location; `symbols` is the same table at every call. An event
    /// that leaves something leaves the innermost open call of the same region or calling context.
    #[inline]
    pub fn take(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> CallChange {
        match symbols.kind(symbol) {
            EventKind::Enter | EventKind::CallingContextEnter => {
                self.entered.push(symbol);
                CallChange::Entered
            }
            kind if kind.is_leave() => self.leave(symbol, symbols),
            _ => CallChange::None,
        }
    }

    fn leave(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> CallChange {
        let left = symbols.symbol(symbol);
        let is_its_enter = |enter: &SymbolId| leave_of(symbols.symbol(*enter)) == Some(left);
        match self.entered.iter().rposition(is_its_enter) {
            Some(depth) => CallChange::Left {
                enter: self.entered.remove(depth),
                depth,
            },
            None => CallChange::None,
        }
    }

    /// The symbols of the events that entered what is open, outermost first.
    #[must_use]
    pub fn entered(&self) -> &[SymbolId] {
        &self.entered
    }
}

impl From<Vec<SymbolId>> for OpenCalls {
    fn from(entered: Vec<SymbolId>) -> Self {
        Self { entered }
    }
}

/// The symbol of the event that leaves what an event with the symbol `enter` has entered; `None`
/// if that enters nothing.
///
/// ```
/// use foldtrace_trace::{EventKind, Symbol, leave_of};
/// let leave = Symbol::new(EventKind::Leave, &[7]);
/// assert_eq!(leave_of(Symbol::new(EventKind::Enter, &[7])), Some(leave));
/// assert_eq!(leave_of(leave), None);
/// ```
#[must_use]
pub fn leave_of(enter: Symbol) -> Option<Symbol> {
    let (kind, operand) = match enter.kind {
        EventKind::Enter => (EventKind::Leave, Operand::Region),
        EventKind::CallingContextEnter => (EventKind::CallingContextLeave, Operand::CallingContext),
        _ => return None,
    };
    Some(match enter.get(operand) {
        Some(id) => Symbol::new(kind, &[id]),
        None => Symbol::new(kind, &[]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_was_entered_and_not_left() {
        let mut symbols = SymbolTable::default();
        let mut calls = OpenCalls::default();
        let mut take = |kind, id: u64| {
            let symbol = symbols.intern(Symbol::new(kind, &[id]));
            (calls.take(symbol, &symbols), calls.entered().to_vec())
        };
        use EventKind::{CallingContextEnter, CallingContextLeave, Enter, Leave, MpiIrecvRequest};
        let left = |enter, depth| CallChange::Left { enter, depth };
        let (change, open) = take(Enter, 1);
        let one = open[0];
        assert_eq!((change, open.len()), (CallChange::Entered, 1));
        let (_, open) = take(CallingContextEnter, 1);
        let context = open[1];
        assert_eq!(take(MpiIrecvRequest, 1).0, CallChange::None);
        assert_eq!(take(Leave, 2).0, CallChange::None, "was never entered");
        assert_eq!(take(Enter, 1).1, [one, context, one]);
        assert_eq!(take(Leave, 1), (left(one, 2), vec![one, context]));
        assert_eq!(take(Leave, 1), (left(one, 0), vec![context]));
        assert_eq!(take(Leave, 1).0, CallChange::None, "is a context");
        let (change, open) = take(CallingContextLeave, 1);
        assert_eq!((change, open), (left(context, 0), vec![]));
    }
}
