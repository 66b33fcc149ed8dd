//! Describes patterns by the calls in them, so that people recognise them. Ranks, tags and communicators are left out:
//! patterns that differ only in these have the same content.

use foldtrace_fold::patterns::{Item, PatternId, What};
use foldtrace_trace::{EventKind, Names, Symbol};

use crate::{Alphabet, LocationPatterns};

/// The maximum number of calls in a description.
const MOST_CALLS: usize = 6;

/// The content of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// A key that patterns with the same content have in common.
    pub key: blake3::Hash,
    /// The calls in an occurrence, such as `MPI_Recv, MPI_Send ×249`.
    pub calls: String,
    /// The first of these calls.
    sequence: Vec<Repeated>,
}

/// A call or a sequence of calls, with the number of its repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Repeated {
    text: String,
    count: u64,
}

/// Returns the contents of the patterns of a location, by pattern.
#[must_use]
pub fn contents(found: &LocationPatterns, alphabet: &Alphabet, names: &Names) -> Vec<Content> {
    let mut reading = Reading {
        found,
        alphabet,
        names,
        known: vec![None; found.patterns.len()],
    };
    let contents = found.patterns.ids().map(|pattern| reading.content(pattern));
    contents.collect()
}

struct Reading<'a> {
    found: &'a LocationPatterns,
    alphabet: &'a Alphabet,
    names: &'a Names,
    /// By pattern: its content, once it was needed.
    known: Vec<Option<Content>>,
}

impl Reading<'_> {
    fn content(&mut self, pattern: PatternId) -> Content {
        if let Some(Some(known)) = self.known.get(pattern.index()) {
            return known.clone();
        }
        let (mut key, mut calls) = (blake3::Hasher::new(), Vec::new());
        let found = self.found;
        for item in found.patterns.items(pattern) {
            self.add(item, &mut key, &mut calls);
        }
        let content = Content {
            key: key.finalize(),
            calls: described(&calls),
            sequence: calls,
        };
        if let Some(known) = self.known.get_mut(pattern.index()) {
            *known = Some(content.clone());
        }
        content
    }

    /// Adds an item to the key and the calls of a pattern.
    fn add(&mut self, item: &Item, key: &mut blake3::Hasher, calls: &mut Vec<Repeated>) {
        key.update(&item.count.to_le_bytes());
        match item.what {
            What::Pattern(inner) => {
                let inner = self.content(inner);
                key.update(inner.key.as_bytes());
                if item.count == 1 {
                    let sequence = inner.sequence.into_iter();
                    sequence.for_each(|call| push(calls, call.text, call.count));
                } else {
                    push(calls, inner.calls, item.count);
                }
            }
            What::Event(letter) => {
                let Some((symbol, bytes)) = self.found.letters.event(letter, self.alphabet) else {
                    return;
                };
                let name = self.name(&symbol);
                key.update(symbol.kind.name().as_bytes());
                key.update(name.as_bytes());
                key.update(&bytes.to_le_bytes());
                if matches!(
                    symbol.kind,
                    EventKind::Enter | EventKind::CallingContextEnter
                ) {
                    push(calls, name, item.count);
                }
            }
        }
    }

    /// Returns the name of the call or of the kind of an event.
    fn name(&self, symbol: &Symbol) -> String {
        let called = self.names.called(symbol);
        called.unwrap_or(symbol.kind.name()).to_owned()
    }
}

/// Adds calls to a sequence, unless they have no text or the sequence is long enough. Equal neighbours are counted.
fn push(calls: &mut Vec<Repeated>, text: String, count: u64) {
    if text.is_empty() {
        return;
    }
    let is_long = calls.len() > MOST_CALLS;
    match calls.last_mut() {
        Some(last) if last.text == text => last.count += count,
        _ if is_long => {}
        _ => calls.push(Repeated { text, count }),
    }
}

/// Returns a sequence of calls as text.
fn described(calls: &[Repeated]) -> String {
    let shown =
        calls
            .iter()
            .take(MOST_CALLS)
            .map(|call| match (call.count, call.text.contains(' ')) {
                (1, _) => call.text.clone(),
                (count, false) => format!("{} ×{count}", call.text),
                (count, true) => format!("({}) ×{count}", call.text),
            });
    let mut shown: Vec<String> = shown.collect();
    if calls.len() > MOST_CALLS {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}
