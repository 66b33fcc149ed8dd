//! Hashes files in groups of 64 KiB, so that a part of a file can be verified without the rest.
//!
//! BLAKE3 is a tree: the hash of a file follows from the chaining values of its groups, 32 bytes each. Once these are
//! known to merge to the hash in the manifest, each group can be verified by itself.

use std::io::{self, Read};

use blake3::Hash;
use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root,
};

/// The size of a group in bytes: a power of two, so that a group is a subtree.
pub(crate) const GROUP: u64 = 1 << 16;

/// The length of a chaining value in bytes.
pub(crate) const VALUE: u64 = 32;

/// The hash of a file, and the chaining values of its groups if there are at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeHash {
    pub root: Hash,
    pub bytes: u64,
    pub groups: Vec<ChainingValue>,
}

impl TreeHash {
    /// Hashes all bytes of `file`.
    pub fn from_reader(file: impl Read) -> io::Result<Self> {
        let mut groups = Groups::default();
        let mut file = file;
        let mut group = Vec::with_capacity(GROUP as usize);
        loop {
            group.clear();
            (&mut file).take(GROUP).read_to_end(&mut group)?;
            if group.is_empty() && groups.bytes > 0 {
                return Ok(groups.finish());
            }
            groups.push(&group);
            if (group.len() as u64) < GROUP {
                return Ok(groups.finish());
            }
        }
    }
}

/// The groups of a file that is hashed from its beginning to its end.
#[derive(Default)]
struct Groups {
    bytes: u64,
    /// The hash of the file if there is no second group.
    only: Option<Hash>,
    values: Vec<ChainingValue>,
}

impl Groups {
    fn push(&mut self, group: &[u8]) {
        self.only = self.only.is_none().then(|| blake3::hash(group));
        if !group.is_empty() {
            self.values.push(value(self.values.len() as u64, group));
        }
        self.bytes += group.len() as u64;
    }

    fn finish(mut self) -> TreeHash {
        if self.values.len() < 2 {
            self.values.clear();
        }
        let root = root(&self.values, self.bytes).or(self.only);
        TreeHash {
            root: root.unwrap_or_else(|| blake3::hash(&[])),
            bytes: self.bytes,
            groups: self.values,
        }
    }
}

/// Returns the number of chaining values of a file of this length.
pub(crate) fn values_of(bytes: u64) -> u64 {
    if bytes > GROUP {
        bytes.div_ceil(GROUP)
    } else {
        0
    }
}

/// Returns the chaining value of a group in a file that has more than one.
pub(super) fn value(number: u64, group: &[u8]) -> ChainingValue {
    let mut hasher = blake3::Hasher::new();
    hasher.set_input_offset(number * GROUP).update(group);
    hasher.finalize_non_root()
}

/// Merges the chaining values of a file of `bytes` bytes into its hash. Returns `None` if there are fewer
/// than two values, or more or fewer than the file has groups.
pub(super) fn root(values: &[ChainingValue], bytes: u64) -> Option<Hash> {
    if values.len() < 2 || values.len() as u64 != bytes.div_ceil(GROUP) {
        return None;
    }
    let [left, right] = halves(values, bytes);
    Some(merge_subtrees_root(&left, &right, Mode::Hash))
}

fn halves(values: &[ChainingValue], bytes: u64) -> [ChainingValue; 2] {
    let left = left_subtree_len(bytes);
    let (first, second) = values.split_at((left / GROUP) as usize);
    [subtree(first, left), subtree(second, bytes - left)]
}

/// Merges the chaining values of a subtree of `bytes` bytes into one.
fn subtree(values: &[ChainingValue], bytes: u64) -> ChainingValue {
    if let [value] = values {
        return *value;
    }
    let [left, right] = halves(values, bytes);
    merge_subtrees_non_root(&left, &right, Mode::Hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_merge_to_the_hash_of_the_file() {
        let group = GROUP as usize;
        let bytes: Vec<u8> = (0..7 * group + 5)
            .map(|at| ((at * at) >> 7) as u8)
            .collect();
        for groups in 0..8 {
            for length in [groups * group, groups * group + 1, groups * group + 1025]
                .map(|length| length.min(bytes.len()))
            {
                let bytes = &bytes[..length];
                let tree = TreeHash::from_reader(bytes).unwrap();
                assert_eq!(tree.root, blake3::hash(bytes), "{length}");
                assert_eq!(tree.bytes, length as u64);
                assert_eq!(tree.groups.len() as u64, values_of(tree.bytes));
            }
        }
    }
}
