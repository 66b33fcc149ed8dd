//! The numbers and the names of shards.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use foldtrace_output::has_writer;
use serde::{Deserialize, Serialize};

/// The greatest number of shards.
const MOST_SHARDS: u32 = 1 << 20;

/// The number of a shard, from 0, and the number of all shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShardId {
    number: u32,
    of: u32,
}

impl ShardId {
    /// Returns the id of a shard; `None` if there is no such shard.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (number < of && of <= MOST_SHARDS).then_some(Self { number, of })
    }

    /// Returns the number of the shard.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of all shards.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }

    /// Returns the ids of all shards.
    pub(super) fn all(of: u32) -> impl Iterator<Item = Self> {
        (0..of).map(move |number| Self { number, of })
    }

    /// Returns whether a task is writing the shard of a store.
    #[must_use]
    pub fn has_writer(self, store: &Path) -> bool {
        has_writer(&self.path(store))
    }

    /// Returns the name of the folder of the shard.
    pub(super) fn name(self) -> String {
        let width = (self.of - 1).to_string().len();
        format!("{:0width$}-of-{}", self.number, self.of)
    }

    /// Returns the folder of the shard of a store.
    #[must_use]
    pub fn path(self, store: &Path) -> PathBuf {
        shards_of(store).join(self.name())
    }

    /// Returns the shard whose folder has a name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let (number, of) = name.split_once("-of-")?;
        Self::new(number.parse().ok()?, of.parse().ok()?)
    }
}

impl Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for ShardId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.trim().parse().ok()?, of.trim().parse().ok()?);
            Self::new(number, of)
        });
        parsed.ok_or_else(|| {
            format!("write K/N with K from 0 to N-1, such as 0/4, and N at most {MOST_SHARDS}")
        })
    }
}

/// Returns the folder with the shards of a store.
#[must_use]
pub fn shards_of(store: &Path) -> PathBuf {
    let named = match store.file_name() {
        Some(_) => Cow::Borrowed(store),
        // A store such as '.' has a name all the same.
        None => store
            .canonicalize()
            .map_or(Cow::Borrowed(store), Cow::Owned),
    };
    let mut name = named.file_name().unwrap_or_default().to_owned();
    name.push(".shards");
    named.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_come_back_from_texts_and_names(number in 0_u32..2000, more in 1_u32..2000) {
            let shard = ShardId::new(number, number + more).unwrap_or(ShardId { number: 0, of: 1 });
            prop_assert_eq!(shard.to_string().parse(), Ok(shard));
            let path = shard.path("a/run.fold".as_ref());
            prop_assert!(path.starts_with("a/run.fold.shards"));
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            prop_assert_eq!(ShardId::from_name(name), Some(shard));
        }
    }

    #[test]
    fn shards_are_beside_their_store() {
        for store in ["a/run.fold", "a/run.fold/", "a/./run.fold//"] {
            let folder = shards_of(store.as_ref());
            assert_eq!(folder, Path::new("a/run.fold.shards"), "{store}");
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(shards_of(".".as_ref()), shards_of(&here));
    }

    #[test]
    fn wrong_ids_are_refused() {
        for text in ["", "3", "4/4", "-1/4", "1/0", "a/b", "0/9999999"] {
            assert!(text.parse::<ShardId>().is_err(), "{text}");
        }
    }
}
