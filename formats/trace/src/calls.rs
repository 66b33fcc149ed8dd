//! Tracks the open calls of a location: regions and calling contexts that were entered and not left.
//!
//! Real traces leave regions out of order, or without having entered them. A call is open if it was entered and not
//! left, and open calls are kept in the order of entering; this is well-defined for any order of leaving.

use crate::call_stack::CallStack;
use crate::{EventKind, Operand, Symbol, SymbolId, SymbolTable};

/// The open calls of one location, each with the symbol of the event that entered it and a value of type
/// `T`.
#[derive(Clone, Debug)]
pub struct OpenCalls<T = ()> {
    stack: CallStack<Callee, (SymbolId, T)>,
}

/// The callee of a call: a region or a calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Callee {
    is_context: bool,
    id: Option<u64>,
}

/// The effect of an event on the open calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallChange<T = ()> {
    /// The event entered or left nothing, or left a call that was not open.
    None,
    /// The event entered a call.
    Entered,
    /// The event left an open call.
    Left {
        /// The symbol of the event that entered the call.
        enter: SymbolId,
        /// The value that was stored with the call.
        call: T,
        /// Whether no call within this one is open.
        is_innermost: bool,
    },
}

impl<T> Default for OpenCalls<T> {
    fn default() -> Self {
        Self {
            stack: CallStack::default(),
        }
    }
}

impl OpenCalls {
    /// Takes the next event of the location. `symbols` must be the same table in every call. An event that leaves a
    /// call leaves the innermost open call of the same region or calling context.
    #[inline]
    pub fn take(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> CallChange {
        self.take_with(symbol, symbols, |_| ())
    }
}

impl<T> OpenCalls<T> {
    /// Takes the next event of the location, as [`take`](OpenCalls::take) does. If the event enters a
    /// call, `enter` gets the value of the enclosing call and returns the value of the new one.
    #[inline]
    pub fn take_with(
        &mut self,
        symbol: SymbolId,
        symbols: &SymbolTable,
        enter: impl FnOnce(Option<&mut T>) -> T,
    ) -> CallChange<T> {
        match symbols.kind(symbol) {
            EventKind::Enter | EventKind::CallingContextEnter => {
                let call = enter(self.last_mut());
                self.enter(symbol, symbols, call);
                CallChange::Entered
            }
            kind if kind.is_leave() => self.leave(symbol, symbols),
            _ => CallChange::None,
        }
    }

    /// Takes an event that enters a call, and stores the value `call` with it.
    #[inline]
    pub fn enter(&mut self, symbol: SymbolId, symbols: &SymbolTable, call: T) {
        let callee = Callee::from_symbol(symbol, symbols);
        self.stack.enter(callee, (symbol, call));
    }

    /// Takes an event that leaves a call.
    #[inline]
    pub fn leave(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> CallChange<T> {
        match self.stack.leave(Callee::from_symbol(symbol, symbols)) {
            Some(left) => CallChange::Left {
                enter: left.call.0,
                call: left.call.1,
                is_innermost: left.is_innermost,
            },
            None => CallChange::None,
        }
    }

    /// Returns the symbols of the events that entered the open calls, outermost first.
    pub fn entered(&self) -> impl DoubleEndedIterator<Item = SymbolId> {
        self.calls().map(|(enter, _)| enter)
    }

    /// Returns the symbols of the entering events and the values of the open calls, outermost first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (SymbolId, &T)> {
        self.stack.iter().map(|(_, (enter, call))| (*enter, call))
    }

    /// Like [`calls`](Self::calls), but with mutable references to the values.
    pub fn calls_mut(&mut self) -> impl DoubleEndedIterator<Item = (SymbolId, &mut T)> {
        let calls = self.stack.iter_mut();
        calls.map(|(_, (enter, call))| (*enter, call))
    }

    /// Returns the value of the innermost open call.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.stack.last().map(|(_, call)| call)
    }

    /// Returns a mutable reference to the value of the innermost open call.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.stack.last_mut().map(|(_, call)| call)
    }

    /// Returns whether no call is open.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

impl Callee {
    #[inline]
    fn from_symbol(symbol: SymbolId, symbols: &SymbolTable) -> Self {
        let is_context = matches!(
            symbols.kind(symbol),
            EventKind::CallingContextEnter | EventKind::CallingContextLeave
        );
        let operand = if is_context {
            Operand::CallingContext
        } else {
            Operand::Region
        };
        Self {
            is_context,
            id: symbols.operand(symbol, operand),
        }
    }
}

/// Returns the symbol of the event that leaves the call entered by an event with the symbol `enter`; `None` if such
/// an event enters no call.
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
            let change = calls.take(symbol, &symbols);
            (change, calls.entered().collect::<Vec<_>>())
        };
        use EventKind::{CallingContextEnter, CallingContextLeave, Enter, Leave, MpiIrecvRequest};
        let left = |enter, is_innermost| CallChange::Left {
            enter,
            call: (),
            is_innermost,
        };
        let (change, open) = take(Enter, 1);
        let one = open[0];
        assert_eq!((change, open.len()), (CallChange::Entered, 1));
        let (_, open) = take(CallingContextEnter, 1);
        let context = open[1];
        assert_eq!(take(MpiIrecvRequest, 1).0, CallChange::None);
        assert_eq!(
            take(Leave, 2).0,
            CallChange::None,
            "the region was never entered"
        );
        assert_eq!(take(Enter, 1).1, [one, context, one]);
        assert_eq!(take(Leave, 1), (left(one, true), vec![one, context]));
        assert_eq!(take(Leave, 1), (left(one, false), vec![context]));
        assert_eq!(
            take(Leave, 1).0,
            CallChange::None,
            "the open call is a context"
        );
        let (change, open) = take(CallingContextLeave, 1);
        assert_eq!((change, open), (left(context, true), vec![]));
    }
}
