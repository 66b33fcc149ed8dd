//! Ends of messages that are known before their time comes: a record describes both ends.

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

/// The time and the thread of an end of a message, and its number among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    thread: u32,
    number: u64,
}

/// The ends of messages to come, in the order of their times.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    ends: BTreeMap<Key, MessageEnd>,
    next: u64,
}

impl Pending {
    /// Adds an end of a message of a thread.
    pub(crate) fn push(&mut self, thread: u32, time: u64, end: MessageEnd) {
        let number = self.next;
        self.next += 1;
        let key = Key {
            time,
            thread,
            number,
        };
        self.ends.insert(key, end);
    }

    /// Removes and returns the first end before a time, with its thread and its time.
    #[inline]
    pub(crate) fn before(&mut self, time: u64) -> Option<(u32, u64, MessageEnd)> {
        let first = self.ends.first_entry()?;
        if first.key().time >= time {
            return None;
        }
        let (key, end) = first.remove_entry();
        Some((key.thread, key.time, end))
    }

    /// Removes and returns an end of a thread at a time: a call that ends at this time ends after it.
    #[inline]
    pub(crate) fn at(&mut self, thread: u32, time: u64) -> Option<MessageEnd> {
        let key = |number| Key {
            time,
            thread,
            number,
        };
        let (&found, _) = self.ends.range(key(0)..=key(u64::MAX)).next()?;
        self.ends.remove(&found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_at_a_time_are_those_of_the_thread() {
        let mut pending = Pending::default();
        let message = |bytes| MessageEnd {
            symbol: SymbolId::new(0),
            bytes,
            other_time: 3,
        };
        pending.push(0, 9, message(4));
        pending.push(0, 7, message(1));
        pending.push(1, 7, message(2));
        pending.push(0, 7, message(3));
        assert_eq!(pending.before(7), None);
        assert_eq!(pending.at(0, 7), Some(message(1)));
        assert_eq!(pending.at(0, 7), Some(message(3)));
        assert_eq!(pending.at(0, 7), None);
        assert_eq!(pending.before(8), Some((1, 7, message(2))));
        assert_eq!(pending.before(8), None);
        assert_eq!(pending.before(u64::MAX), Some((0, 9, message(4))));
        assert_eq!(pending.before(u64::MAX), None);
    }
}
