//! Events that are known before their time comes: a record describes both ends of a message, and both ends of a state.

use std::collections::BTreeMap;

use foldtrace_trace::SymbolId;

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageEnd {
    pub symbol: SymbolId,
    pub bytes: u64,
    /// The time of the end that no event has: the physical one of a send, the logical one of a receive.
    pub other_time: u64,
}

/// An event to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coming {
    Message(MessageEnd),
    /// The state of the thread ends, unless another one, with another number, has begun by then.
    StateEnd(u64),
}

/// The time and the thread of an event to come. At the same time, messages come before ends of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    is_state: bool,
    thread: u32,
    number: u64,
}

/// The events to come, in the order of their times.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    events: BTreeMap<Key, Coming>,
    next: u64,
}

impl Pending {
    /// Adds an event of a thread.
    pub(crate) fn push(&mut self, thread: u32, time: u64, coming: Coming) {
        let number = self.next;
        self.next += 1;
        let key = Key {
            time,
            is_state: matches!(coming, Coming::StateEnd(_)),
            thread,
            number,
        };
        self.events.insert(key, coming);
    }

    /// Removes and returns the first event before a time, with its thread and its time.
    #[inline]
    pub(crate) fn before(&mut self, time: u64) -> Option<(u32, u64, Coming)> {
        let first = self.events.first_entry()?;
        if first.key().time >= time {
            return None;
        }
        let (key, coming) = first.remove_entry();
        Some((key.thread, key.time, coming))
    }

    /// Removes and returns an end of a message of a thread at a time: a call that ends at this time ends after it.
    #[inline]
    pub(crate) fn message_at(&mut self, thread: u32, time: u64) -> Option<Coming> {
        let key = |number| Key {
            time,
            is_state: false,
            thread,
            number,
        };
        let (&found, _) = self.events.range(key(0)..=key(u64::MAX)).next()?;
        self.events.remove(&found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_at_a_time_are_those_of_the_thread() {
        let mut pending = Pending::default();
        let message = |bytes| {
            Coming::Message(MessageEnd {
                symbol: SymbolId::new(0),
                bytes,
                other_time: 3,
            })
        };
        pending.push(0, 7, Coming::StateEnd(1));
        pending.push(0, 7, message(1));
        pending.push(1, 7, message(2));
        pending.push(0, 7, message(3));
        pending.push(0, 9, Coming::StateEnd(2));
        assert_eq!(pending.before(7), None);
        assert_eq!(pending.message_at(0, 7), Some(message(1)));
        assert_eq!(pending.message_at(0, 7), Some(message(3)));
        assert_eq!(pending.message_at(0, 7), None);
        assert_eq!(pending.before(8), Some((1, 7, message(2))));
        assert_eq!(pending.before(8), Some((0, 7, Coming::StateEnd(1))));
        assert_eq!(pending.before(8), None);
        assert_eq!(pending.before(u64::MAX), Some((0, 9, Coming::StateEnd(2))));
        assert_eq!(pending.before(u64::MAX), None);
    }
}
