//! Words: what events of a process say, letter by letter.

use super::Letter;

/// What an event means for the word of its process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing.
    #[default]
    Nothing,
    /// A call begins.
    Enter {
        /// Whether it is one of MPI.
        is_mpi: bool,
    },
    /// The innermost open call ends.
    Leave,
    /// A letter.
    Letter(Letter),
    /// A letter that is all that is known of a call, which begins: a collective operation without an event of
    /// its own.
    Call(Letter),
    /// A message that goes to, or comes from, somebody who is no neighbour.
    Outside,
}

/// Makes a word of what events mean. Receives that complete in the same call have no order: they come in that
/// of their directions, so that processes do not differ by who was faster.
#[derive(Clone, Debug)]
pub struct Word<T> {
    /// How many calls are open.
    open: u32,
    /// Letters of the same call.
    together: Vec<(Letter, T)>,
}

impl<T> Default for Word<T> {
    fn default() -> Self {
        Self {
            open: 0,
            together: Vec::new(),
        }
    }
}

impl<T> Word<T> {
    /// The next event means that; `tell` hears of the letters that are sure.
    pub fn take(&mut self, meaning: Meaning, what: T, tell: &mut impl FnMut(Letter, T)) {
        match meaning {
            Meaning::Nothing | Meaning::Outside => (),
            Meaning::Enter { .. } => {
                self.flush(tell);
                self.open += 1;
            }
            Meaning::Leave => {
                self.flush(tell);
                self.open = self.open.saturating_sub(1);
            }
            Meaning::Letter(letter) => {
                // Without calls, receives in a row are taken for those of one.
                if self.open == 0 && !letter.is_receive() {
                    self.flush(tell);
                }
                self.together.push((letter, what));
            }
            Meaning::Call(letter) => {
                self.flush(tell);
                self.open += 1;
                self.together.push((letter, what));
            }
        }
    }

    /// What came with the first letter of the innermost call, as long as it is not sure.
    pub fn first(&mut self) -> Option<&mut T> {
        self.together.first_mut().map(|(_, what)| what)
    }

    /// There are no further events.
    pub fn finish(mut self, tell: &mut impl FnMut(Letter, T)) {
        self.flush(tell);
    }

    fn flush(&mut self, tell: &mut impl FnMut(Letter, T)) {
        if self.together.len() > 1 {
            self.together
                .sort_by_key(|&(letter, _)| (letter.is_receive(), letter));
        }
        for (letter, what) in self.together.drain(..) {
            tell(letter, what);
        }
    }
}
