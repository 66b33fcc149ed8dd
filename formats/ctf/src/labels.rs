//! Labels: names of values of integers.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::range::Range;
use crate::segments::Segments;

/// A label with its values.
pub(crate) type Label = (Arc<str>, Vec<Range>);

/// Names of values of integers.
#[derive(Debug)]
pub(crate) struct Labels {
    /// Labels in the order of the metadata. A label may occur several times.
    entries: Vec<Label>,
    /// The indices of the labels by values; of several labels, the first one counts.
    by_value: Segments,
    /// The indices of labels by their names, once they are needed.
    by_name: OnceLock<HashMap<Arc<str>, Vec<usize>>>,
    pub is_signed: bool,
    /// Whether the ranges are those of bits instead of values.
    pub are_flags: bool,
}

impl Labels {
    /// Creates the labels of integers.
    pub(crate) fn new(entries: Vec<Label>, is_signed: bool, are_flags: bool) -> Self {
        let ranges = entries.iter().zip(0..);
        let ranges =
            ranges.flat_map(|((_, ranges), index)| ranges.iter().map(move |it| (*it, index)));
        Self {
            by_value: Segments::new(ranges, is_signed),
            entries,
            by_name: OnceLock::new(),
            is_signed,
            are_flags,
        }
    }

    /// Returns the index of the first label of an integer.
    #[inline]
    pub(crate) fn find(&self, bits: u64) -> Option<u32> {
        self.by_value.find(bits, self.is_signed)
    }

    /// Returns a label.
    pub(crate) fn text(&self, index: u32) -> &str {
        self.entries
            .get(index as usize)
            .map_or("", |(label, _)| label)
    }

    /// Returns whether a label has a single value.
    #[inline]
    pub(crate) fn is_exact(&self, index: u32) -> bool {
        let entry = self.entries.get(index as usize);
        entry.is_some_and(|(_, ranges)| matches!(ranges[..], [range] if range.low == range.high))
    }

    /// Returns the values of all labels with a name.
    pub(crate) fn ranges_of(&self, name: &str) -> impl Iterator<Item = Range> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
            for (index, (label, _)) in self.entries.iter().enumerate() {
                by_name.entry(label.clone()).or_default().push(index);
            }
            by_name
        });
        let indices = by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        indices
            .iter()
            .flat_map(|index| self.entries[*index].1.iter().copied())
    }

    /// Returns the labels of the bits of a number that are set, separated by bars.
    pub(crate) fn flags(&self, bits: u64) -> String {
        let is_set = |range: &Range| {
            let mut indices = range.low.max(0)..=range.high.min(63);
            indices.any(|bit| bits >> bit & 1 == 1)
        };
        let set = self
            .entries
            .iter()
            .filter(|(_, ranges)| ranges.iter().any(is_set));
        Vec::from_iter(set.map(|(label, _)| &**label)).join("|")
    }
}
