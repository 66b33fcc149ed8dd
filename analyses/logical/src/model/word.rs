//! Words: the sequences of letters that represent the events of a process.

use super::Letter;

/// The properties of recorded calls that a [`Word`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wording {
    /// Whether letters contain the tags of messages. Multi-partition codes compute tags from the coordinates of a
    /// process, so the same call has a different tag in each process.
    pub has_tags: bool,
    /// Whether consecutive non-blocking operations keep their order. If not, they are sorted by direction: the
    /// order in which a process posts sends to its neighbours has no effect on the neighbours.
    pub is_ordered: bool,
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            has_tags: true,
            is_ordered: true,
        }
    }
}

/// The effect of an event on the word of its process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// No effect.
    #[default]
    Nothing,
    /// The beginning of a call.
    Enter {
        /// Whether the call is an MPI call.
        is_mpi: bool,
    },
    /// The end of the innermost open call.
    Leave,
    /// A letter.
    Letter(Letter),
    /// A letter of a non-blocking operation.
    Posted(Letter),
    /// The beginning of a call that is a letter itself: a collective operation without an event of its own.
    Call(Letter),
    /// A message to or from a process that is not a neighbour.
    Outside,
}

impl Meaning {
    /// Returns this meaning for a message with another tag.
    #[must_use]
    pub fn with_tag(self, tag: u64) -> Self {
        match self {
            Self::Letter(letter) => Self::Letter(letter.with_tag(tag)),
            Self::Posted(letter) => Self::Posted(letter.with_tag(tag)),
            other => other,
        }
    }
}

/// The longest run of non-blocking operations that is sorted as a whole; longer runs are split.
const LONGEST_RUN: usize = 1 << 16;

/// A builder that turns the meanings of events into a word.
///
/// Receives that complete in the same call have no meaningful order. They are sorted by direction, so that the words
/// of processes do not differ only because their messages arrived in different orders.
#[derive(Clone, Debug)]
pub struct Word<T> {
    is_ordered: bool,
    /// The number of open calls.
    open: u32,
    /// Pending letters of the same call.
    together: Vec<Spelled<T>>,
    /// Consecutive non-blocking operations, either all sends or all receives.
    run: Vec<(Letter, T)>,
}

#[derive(Clone, Debug)]
struct Spelled<T> {
    letter: Letter,
    is_posted: bool,
    payload: T,
}

impl<T> Word<T> {
    /// Creates an empty word.
    #[must_use]
    pub const fn new(wording: Wording) -> Self {
        Self {
            is_ordered: wording.is_ordered,
            open: 0,
            together: Vec::new(),
            run: Vec::new(),
        }
    }

    /// Adds the meaning of the next event. Passes each letter whose position in the word is final to `report`, with the
    /// payload of its event.
    pub fn take(&mut self, meaning: Meaning, payload: T, report: &mut impl FnMut(Letter, T)) {
        match meaning {
            Meaning::Nothing | Meaning::Outside => (),
            Meaning::Enter { .. } => {
                self.end_call(report);
                self.open += 1;
            }
            Meaning::Leave => {
                self.end_call(report);
                self.open = self.open.saturating_sub(1);
            }
            Meaning::Letter(letter) => self.spell(letter, false, payload, report),
            Meaning::Posted(letter) => self.spell(letter, true, payload, report),
            Meaning::Call(letter) => {
                self.end_call(report);
                self.open += 1;
                self.together.push(Spelled {
                    letter,
                    is_posted: false,
                    payload,
                });
            }
        }
    }

    fn spell(
        &mut self,
        letter: Letter,
        is_posted: bool,
        payload: T,
        report: &mut impl FnMut(Letter, T),
    ) {
        // In traces without enter and leave events, consecutive receives are treated as those of one call.
        if self.open == 0 && !letter.is_receive() {
            self.end_call(report);
        }
        self.together.push(Spelled {
            letter,
            is_posted,
            payload,
        });
    }

    /// Returns the payload of the first letter of the innermost call, as long as that letter is pending.
    pub fn first(&mut self) -> Option<&mut T> {
        self.together.first_mut().map(|first| &mut first.payload)
    }

    /// Ends the word after the last event, and passes all pending letters to `report`.
    pub fn finish(mut self, report: &mut impl FnMut(Letter, T)) {
        self.end_call(report);
        self.end_run(report);
    }

    fn end_call(&mut self, report: &mut impl FnMut(Letter, T)) {
        if self.together.len() > 1 {
            let order = |spelled: &Spelled<T>| (spelled.letter.is_receive(), spelled.letter);
            self.together.sort_by_key(order);
        }
        let mut together = std::mem::take(&mut self.together);
        for Spelled {
            letter,
            is_posted,
            payload,
        } in together.drain(..)
        {
            let is_in_run = is_posted && !self.is_ordered;
            let goes_on = self
                .run
                .first()
                .is_none_or(|(first, _)| is_in_run && first.is_receive() == letter.is_receive());
            if !goes_on || self.run.len() == LONGEST_RUN {
                self.end_run(report);
            }
            if is_in_run {
                self.run.push((letter, payload));
            } else {
                report(letter, payload);
            }
        }
        self.together = together;
    }

    fn end_run(&mut self, report: &mut impl FnMut(Letter, T)) {
        self.run.sort_by_key(|&(letter, _)| letter);
        for (letter, payload) in self.run.drain(..) {
            report(letter, payload);
        }
    }
}
