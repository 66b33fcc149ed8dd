//! Names for the codes of an enumeration.

/// Names of the codes of one enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    names: &'static [(u64, &'static str)],
}

impl Vocabulary {
    /// Creates a vocabulary of codes and their names.
    #[must_use]
    pub const fn new(names: &'static [(u64, &'static str)]) -> Self {
        Self { names }
    }

    /// Returns the name of `code`, or `None` if it has no name.
    #[must_use]
    pub fn name(&self, code: u64) -> Option<&'static str> {
        self.names
            .iter()
            .find(|(c, _)| *c == code)
            .map(|(_, name)| *name)
    }

    /// Returns the code with the name `name`, ignoring case.
    #[must_use]
    pub fn code(&self, name: &str) -> Option<u64> {
        self.names
            .iter()
            .find(|(_, n)| n.eq_ignore_ascii_case(name))
            .map(|(code, _)| *code)
    }
}
