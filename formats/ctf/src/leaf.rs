//! Fields that become attributes of events.

use std::sync::Arc;

use crate::labels::Labels;
use crate::program::LeafId;

/// A field outside of arrays, with the name and the type of its attribute.
#[derive(Debug)]
pub(crate) struct Leaf {
    /// The names of the field and of the structures around it, separated by dots, after the prefix of its scope.
    pub name: String,
    pub kind: LeafKind,
}

/// What an attribute has.
#[derive(Clone, Debug)]
pub(crate) enum LeafKind {
    Unsigned,
    Signed,
    Boolean,
    Double,
    Text,
    /// A label if there is one, otherwise the number.
    Labelled(Arc<Labels>),
}

/// The value of a leaf in an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub leaf: LeafId,
    /// The bits of a number, or where the text is in [`Fields`].
    pub bits: u64,
}

/// The values of the leaves of events, one event after another.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub values: Vec<Field>,
    /// All texts, one after another.
    texts: String,
    /// The number of texts that are not valid in their encoding.
    pub damaged_texts: u64,
}

impl Fields {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.texts.clear();
        self.damaged_texts = 0;
    }

    /// Returns a mark of the current content.
    pub(crate) fn mark(&self) -> (usize, usize, u64) {
        (self.values.len(), self.texts.len(), self.damaged_texts)
    }

    /// Removes what was added since a mark.
    pub(crate) fn truncate(&mut self, (values, texts, damaged): (usize, usize, u64)) {
        self.values.truncate(values);
        self.texts.truncate(texts);
        self.damaged_texts = damaged;
    }

    /// Returns the numbers of values and of bytes of texts.
    #[inline]
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.values.len(), self.texts.len())
    }

    /// Removes what was added since the size was this one. Damaged texts still count.
    pub(crate) fn shorten(&mut self, (values, texts): (usize, usize)) {
        self.values.truncate(values);
        self.texts.truncate(texts);
    }

    /// Returns whether the texts are too long to be referred to.
    pub(crate) fn are_too_long(&self) -> bool {
        u32::try_from(self.texts.len()).is_err()
    }

    /// Returns the number of values.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.values.len() as u32
    }

    /// Returns the size of everything, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + self.texts.len()
    }

    /// Returns the texts, to which one may be added.
    pub(crate) fn texts(&mut self) -> &mut String {
        &mut self.texts
    }

    /// Adds a number.
    #[inline]
    pub(crate) fn number(&mut self, leaf: LeafId, bits: u64) {
        self.values.push(Field { leaf, bits });
    }

    /// Adds the text that was added to the texts from `start` on.
    #[inline]
    pub(crate) fn text_from(&mut self, leaf: LeafId, start: usize) {
        let length = self.texts.len() - start;
        let bits = (start as u64) << 32 | length as u64;
        self.values.push(Field { leaf, bits });
    }

    /// Returns the fields of an event: from `first` to `own` those of its packet and header, from there to `end` those of its own.
    #[inline]
    pub(crate) fn of_event(&self, [first, own, end]: [u32; 3]) -> EventFields<'_> {
        let range = |from: u32, to: u32| self.values.get(from as usize..to as usize);
        EventFields {
            shared: range(first, own).unwrap_or_default(),
            own: range(own, end).unwrap_or_default(),
            texts: &self.texts,
        }
    }
}

/// The values of the leaves of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventFields<'a> {
    /// Those of the header, after those of the packet if the event is its first one.
    pub shared: &'a [Field],
    /// Those of the contexts and of the payload.
    pub own: &'a [Field],
    texts: &'a str,
}

impl<'a> EventFields<'a> {
    /// Returns a text.
    #[inline]
    pub(crate) fn text(&self, field: Field) -> &'a str {
        let (start, length) = ((field.bits >> 32) as usize, field.bits as u32 as usize);
        self.texts.get(start..start + length).unwrap_or_default()
    }

    /// Returns the value of a leaf of its own.
    pub(crate) fn find(&self, leaf: LeafId) -> Option<Field> {
        self.own.iter().find(|field| field.leaf == leaf).copied()
    }
}
