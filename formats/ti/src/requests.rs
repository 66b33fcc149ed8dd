//! Tracks the open requests of a rank while its actions are read.
//!
//! An action identifies a request by sender, receiver and tag. The trace does not record whether a test found a
//! request complete, or which request a `waitany` completed. Such a request ends when a request with the same key
//! begins, at the next action that completes all requests, or with the program.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// Maximum number of open requests. Beyond it, the oldest request ends.
const MAX_OPEN: usize = 1 << 16;

/// The key that identifies a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The sending rank; `None` for any.
    pub source: Option<u64>,
    /// The receiving rank; `None` for any.
    pub destination: Option<u64>,
    /// The tag; `None` for any.
    pub tag: Option<u64>,
}

impl Key {
    /// Returns the key, and the keys of receives with wildcards that match the same message.
    fn with_wildcards(self) -> [Self; 4] {
        let from_any = Self {
            source: None,
            ..self
        };
        let with_any_tag = |key: Self| Self { tag: None, ..key };
        [self, from_any, with_any_tag(self), with_any_tag(from_any)]
    }
}

/// A message in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenRequest {
    /// The key that identifies the request.
    pub key: Key,
    /// The number of the request among those of the rank.
    pub number: u64,
    /// Number of bytes received; [`UNDEFINED`](foldtrace_trace::UNDEFINED) if unknown.
    pub bytes: u64,
    /// Whether the rank sends the message instead of receiving it.
    pub is_send: bool,
    /// Whether the request was tested, and so may have ended already.
    is_tested: bool,
}

/// Requests in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: BTreeMap<u64, OpenRequest>,
    /// Numbers of open requests, oldest first.
    by_key: HashMap<Key, VecDeque<u64>>,
    next: u64,
    /// All requests with a lower number may have ended.
    possibly_ended: u64,
}

impl Requests {
    /// Begins a request. Returns its number, and a request that must have ended by now, if any.
    pub(crate) fn begin(
        &mut self,
        key: Key,
        bytes: u64,
        is_send: bool,
    ) -> (u64, Option<OpenRequest>) {
        let ended = match self.oldest(key) {
            Some(open) if open.is_tested || open.number < self.possibly_ended => {
                self.remove(open.number)
            }
            _ if self.open.len() >= MAX_OPEN => self.end_oldest(),
            _ => None,
        };
        let number = self.next;
        self.next += 1;
        self.by_key.entry(key).or_default().push_back(number);
        let open = OpenRequest {
            key,
            number,
            bytes,
            is_send,
            is_tested: false,
        };
        self.open.insert(number, open);
        (number, ended)
    }

    /// Returns the oldest request with exactly this key.
    fn oldest(&self, key: Key) -> Option<OpenRequest> {
        let number = self.by_key.get(&key)?.front()?;
        self.open.get(number).copied()
    }

    /// Returns the oldest request that `key` identifies, or the latest of all requests if `key` is `None`.
    fn find(&self, key: Option<Key>) -> Option<OpenRequest> {
        match key {
            Some(key) => key
                .with_wildcards()
                .into_iter()
                .find_map(|key| self.oldest(key)),
            None => self.open.last_key_value().map(|(_, &open)| open),
        }
    }

    fn remove(&mut self, number: u64) -> Option<OpenRequest> {
        let open = self.open.remove(&number)?;
        if let Some(numbers) = self.by_key.get_mut(&open.key) {
            // The request is the first one, unless a wait identifies none.
            if numbers.front() == Some(&number) {
                numbers.pop_front();
            } else {
                numbers.retain(|&other| other != number);
            }
            if numbers.is_empty() {
                self.by_key.remove(&open.key);
            }
        }
        Some(open)
    }

    /// Ends the oldest request that `key` identifies, or the latest of all requests if `key` is `None`.
    pub(crate) fn end(&mut self, key: Option<Key>) -> Option<OpenRequest> {
        let mut open = self.remove(self.find(key)?.number)?;
        if let Some(key) = key {
            open.key.source = open.key.source.or(key.source);
            open.key.tag = open.key.tag.or(key.tag);
        }
        Some(open)
    }

    /// Ends the oldest request.
    pub(crate) fn end_oldest(&mut self) -> Option<OpenRequest> {
        let (&number, _) = self.open.first_key_value()?;
        self.remove(number)
    }

    /// Marks a request as tested. Returns its number.
    pub(crate) fn test(&mut self, key: Option<Key>) -> Option<u64> {
        let number = self.find(key)?.number;
        self.open.get_mut(&number)?.is_tested = true;
        Some(number)
    }

    /// Marks all open requests as possibly ended.
    pub(crate) fn mark_all_as_possibly_ended(&mut self) {
        self.possibly_ended = self.next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: i64, tag: i64) -> Key {
        Key {
            source: u64::try_from(source).ok(),
            destination: Some(0),
            tag: u64::try_from(tag).ok(),
        }
    }

    #[test]
    fn a_wait_ends_the_oldest_of_its_key() {
        let mut requests = Requests::default();
        assert_eq!(requests.begin(key(1, 5), 10, false), (0, None));
        assert_eq!(requests.begin(key(1, 5), 20, false), (1, None));
        assert_eq!(requests.begin(key(2, 5), 30, false), (2, None));
        assert_eq!(requests.end(Some(key(1, 5))).map(|o| o.bytes), Some(10));
        assert_eq!(requests.end(None).map(|o| o.bytes), Some(30));
        assert_eq!(requests.end(Some(key(3, 5))), None);
        assert_eq!(requests.end_oldest().map(|o| o.number), Some(1));
        assert_eq!(requests.end_oldest(), None);
    }

    #[test]
    fn a_wait_completes_the_key_of_a_receive_with_wildcards() {
        let mut requests = Requests::default();
        requests.begin(key(-333, -444), 10, false);
        let ended = requests.end(Some(key(3, 5)));
        assert_eq!(ended.map(|open| open.key), Some(key(3, 5)));
    }

    #[test]
    fn a_tested_request_ends_when_its_key_begins_again() {
        let mut requests = Requests::default();
        requests.begin(key(1, 5), 10, false);
        assert_eq!(requests.test(Some(key(1, 5))), Some(0));
        let (number, ended) = requests.begin(key(1, 5), 10, false);
        assert_eq!((number, ended.map(|o| o.number)), (1, Some(0)));
        assert_eq!(requests.begin(key(1, 5), 10, false).1, None);
        for tag in 0..2 * MAX_OPEN as i64 {
            requests.begin(key(1, tag), 10, false);
        }
        assert_eq!(
            (requests.open.len(), requests.by_key.len()),
            (MAX_OPEN, MAX_OPEN)
        );
    }
}
