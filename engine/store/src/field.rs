//! The columns with one row per event, and values read from them.

use foldtrace_trace::Quantity;

/// A column with one row per event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The time, in ticks of the source's clock.
    Time,
    /// A quantity.
    Quantity(Quantity),
}

/// The values of events in one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// One value per event; 0 if the event has none.
    pub values: Vec<u64>,
    /// Whether each event has a value that the source did not leave undefined.
    pub is_valid: Vec<bool>,
}

impl Gathered {
    /// Appends the value of an event.
    pub fn push(&mut self, value: Option<u64>) {
        self.values.push(value.unwrap_or(0));
        self.is_valid.push(value.is_some());
    }

    /// Appends valid values.
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = u64>) {
        self.values.extend(values);
        self.is_valid.resize(self.values.len(), true);
    }
}
