//! The names of objects: a `.row` file.
//!
//! A line `LEVEL THREAD SIZE 4` begins the names of the objects of a level, one on each line.

use std::collections::HashMap;

/// The names of the objects of both hierarchies, by level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows(HashMap<String, Vec<String>>);

impl Rows {
    /// Parses a `.row` file. Lines that are not understood are left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut rows = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let ["LEVEL", level, "SIZE", size] = words[..] else {
                continue;
            };
            let size = size.parse().unwrap_or(0);
            let names = lines.by_ref().take(size).map(|name| name.trim().to_owned());
            rows.0.insert(level.to_owned(), names.collect());
        }
        rows
    }

    /// Returns the name of an object of a level, by its number from 0; `None` if it has no name.
    pub(crate) fn name(&self, level: &str, number: usize) -> Option<&str> {
        let name = self.0.get(level)?.get(number)?;
        (!name.is_empty()).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_level_and_number() {
        let rows = Rows::parse("LEVEL NODE SIZE 2\nlogin 1\n\n\nLEVEL TASK SIZE 1\r\nTASK 1.1\r\n");
        assert_eq!(rows.name("NODE", 0), Some("login 1"));
        assert_eq!(rows.name("NODE", 1), None);
        assert_eq!(rows.name("TASK", 0), Some("TASK 1.1"));
        assert_eq!(rows.name("TASK", 1), None);
        assert_eq!(rows.name("THREAD", 0), None);
    }
}
