//! The open slices of a track, as a viewer sees them: an end has no name and ends the innermost slice.

use foldtrace_trace::{Symbol, leave_of};

/// Maximum number of innermost slices searched for a call that is left out of order.
const DEEPEST: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
struct Slice {
    /// The symbol of the event that leaves the call.
    leave: Symbol,
    /// Whether the call was left while slices within it are still open.
    is_left: bool,
}

/// The effect of the end of a call on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The end of the innermost slice, and then of the given number of slices around it that were left before.
    Innermost(usize),
    /// A remark: the slice is not the innermost one, or does not exist.
    Remark,
}

/// The open slices of a track.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slices {
    open: Vec<Slice>,
}

impl Slices {
    /// Begins a call.
    pub(crate) fn begin(&mut self, enter: Symbol) {
        if let Some(leave) = leave_of(enter) {
            self.open.push(Slice {
                leave,
                is_left: false,
            });
        }
    }

    /// Ends a call.
    pub(crate) fn end(&mut self, leave: Symbol) -> End {
        let mut nearest = self.open.iter_mut().rev().take(DEEPEST).enumerate();
        let found = nearest.find(|(_, slice)| !slice.is_left && slice.leave == leave);
        match found {
            Some((0, _)) => {
                self.open.pop();
                let open = self.open.len();
                while self.open.last().is_some_and(|slice| slice.is_left) {
                    self.open.pop();
                }
                End::Innermost(open - self.open.len())
            }
            Some((_, slice)) => {
                slice.is_left = true;
                End::Remark
            }
            None => End::Remark,
        }
    }

    /// Ends the innermost slice. Returns the symbol that leaves its call.
    pub(crate) fn pop(&mut self) -> Option<Symbol> {
        Some(self.open.pop()?.leave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::EventKind;

    #[test]
    fn slices_nest_whatever_calls_do() {
        let enter = |id| Symbol::new(EventKind::Enter, &[id]);
        let leave = |id| Symbol::new(EventKind::Leave, &[id]);
        let mut slices = Slices::default();
        assert_eq!(slices.end(leave(1)), End::Remark);
        for id in [1, 2, 3] {
            slices.begin(enter(id));
        }
        assert_eq!(slices.end(leave(2)), End::Remark);
        assert_eq!(
            slices.end(leave(2)),
            End::Remark,
            "the call was left already"
        );
        assert_eq!(slices.end(leave(3)), End::Innermost(1));
        assert_eq!(slices.end(leave(1)), End::Innermost(0));
        assert_eq!(slices.pop(), None);
    }
}
