//! Divides the time of a process among the iterations of its phases.

use crate::phases::{Iteration, PhaseCursor};

/// Reads a clock of a process when an iteration begins and when it ends.
///
/// An iteration begins with the call of MPI that contains its first event of the model, or with that event if it is outside
/// of MPI. It ends where the next one begins; the last one ends with the call that contains its last event. The values of a
/// clock, `C`, are ordered by time.
#[derive(Debug)]
pub struct PhaseClock<'a, C> {
    cursor: PhaseCursor<'a>,
    /// The position of the next event of the model, and its iteration.
    position: u64,
    next: Option<Iteration>,
    /// The current iteration, and the clock at its beginning.
    current: Option<(Iteration, C)>,
    /// Whether the phase ends with the open call of MPI.
    is_ending: bool,
}

impl<'a, C: Copy + PartialOrd> PhaseClock<'a, C> {
    /// Creates the clock of a process before its first event.
    #[must_use]
    pub fn new(mut cursor: PhaseCursor<'a>) -> Self {
        Self {
            next: cursor.at(0),
            cursor,
            position: 0,
            current: None,
            is_ending: false,
        }
    }

    /// Takes an event of the model, at which the clock shows `now`. `entered` is what it showed when the open call of MPI was
    /// entered; `None` outside of MPI. Passes an iteration that ends to `ended`, with the clock at its beginning and its end.
    pub fn advance(&mut self, now: C, entered: Option<C>, mut ended: impl FnMut(Iteration, C, C)) {
        let iteration = self.next;
        self.position += 1;
        self.next = self.cursor.at(self.position);
        if iteration != self.current.map(|(current, _)| current) {
            // The iteration before may have begun in the same call.
            let entered = entered.filter(|entered| {
                self.current
                    .as_ref()
                    .is_none_or(|(_, begin)| entered > begin)
            });
            let begin = entered.unwrap_or(now);
            self.end(begin, &mut ended);
            self.current = iteration.map(|iteration| (iteration, begin));
        }
        if let Some(iteration) = iteration
            && self.next.is_none_or(|next| next.phase != iteration.phase)
        {
            if entered.is_some() {
                self.is_ending = true;
            } else {
                self.end(now, ended);
            }
        }
    }

    /// Leaves MPI.
    pub fn leave(&mut self, now: C, ended: impl FnMut(Iteration, C, C)) {
        if self.is_ending {
            self.end(now, ended);
        }
    }

    /// Ends the current iteration, such as that in which the process ends.
    pub fn end(&mut self, now: C, mut ended: impl FnMut(Iteration, C, C)) {
        self.is_ending = false;
        if let Some((iteration, begin)) = self.current.take() {
            ended(iteration, begin, now);
        }
    }
}
