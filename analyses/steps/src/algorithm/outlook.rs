//! Records which locations still have operations to come.

/// What is known of the operations to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    /// The number of locations that have operations.
    pub locations: usize,
    /// By number of location: whether all its operations have begun.
    ended: Vec<bool>,
    /// Whether the trace has ended.
    is_last: bool,
}

impl Outlook {
    /// Notes that a location has no further operations.
    pub fn end(&mut self, lane: usize) {
        if self.ended.len() <= lane {
            self.ended.resize(lane + 1, false);
        }
        self.ended[lane] = true;
    }

    /// Notes that no location has further operations.
    pub fn end_all(&mut self) {
        self.is_last = true;
    }

    /// Returns whether a location has no further operations.
    pub fn has_ended(&self, lane: usize) -> bool {
        self.is_last || self.ended.get(lane).is_some_and(|&it| it)
    }

    /// Returns whether all locations with operations are among `locations` of them.
    pub fn has_all(&self, locations: usize) -> bool {
        self.is_last || self.locations == locations
    }
}
