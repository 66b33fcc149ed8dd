//! Process groups: the members that files list for them.

use std::collections::HashMap;
use std::fmt::Write as _;

use foldhash::fast::FixedState;
use foldtrace_trace::UNDEFINED;

use super::arguments::Arguments;
use super::info::listed;
use super::present::Present;

/// A process group, as calls describe it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The name, usually a number.
    name: String,
    description: String,
    /// The list of its ranks; empty if none is recorded.
    ranks: String,
    size: u64,
    /// The lowest rank, and the distance between ranks.
    first_rank: u64,
    stride: u64,
}

/// The process groups of all files.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    index: HashMap<String, u32, FixedState>,
    key: String,
}

impl Groups {
    /// Returns the index of the group of a call; `None` if the call names none.
    pub(crate) fn group(&mut self, arguments: &Arguments<'_>) -> Option<u32> {
        if arguments.group_name.is_empty() && arguments.group_ranks.is_empty() {
            return None;
        }
        self.key.clear();
        // Writing a text to memory cannot fail.
        let _ = write!(
            self.key,
            "{}\0{}\0{}",
            arguments.group_name, arguments.group_ranks, arguments.group_size
        );
        let index = match self.index.get(&self.key) {
            Some(&index) => index,
            None => {
                let index = self.groups.len() as u32;
                self.groups.push(Group {
                    name: arguments.group_name.clone().into_owned(),
                    description: arguments.group_description.clone().into_owned(),
                    ranks: arguments.group_ranks.clone().into_owned(),
                    size: arguments.group_size,
                    first_rank: UNDEFINED,
                    stride: UNDEFINED,
                });
                self.index.insert(self.key.clone(), index);
                index
            }
        };
        let group = &mut self.groups[index as usize];
        // Only calls on the host have these.
        if arguments.stride != UNDEFINED {
            (group.first_rank, group.stride) = (arguments.first_rank, arguments.stride);
        }
        Some(index)
    }

    /// Returns the group with that index.
    pub(crate) fn get(&self, index: u32) -> Option<&Group> {
        self.groups.get(index as usize)
    }
}

impl Group {
    /// Returns whether this is the group of all ranks that every program has.
    pub(crate) fn is_default(&self) -> bool {
        self.description == "default_pg"
    }

    /// Returns the name for people.
    pub(crate) fn title(&self) -> String {
        match self.description.as_str() {
            "" | "undefined" => format!("process group {}", self.name),
            description => format!("{description} ({})", self.name),
        }
    }

    /// Returns the processes of its members, by rank in the group; `None` if they are unknown. Members that are not in the
    /// trace are left out. `configured` contains the groups that the file lists.
    pub(crate) fn members(
        &self,
        present: &Present,
        configured: &HashMap<&str, (u64, Vec<u64>)>,
    ) -> Option<Vec<u64>> {
        let is_whole = |size: u64| size > 0 && [UNDEFINED, size].contains(&self.size);
        if let Some(ranks) = listed(&self.ranks).filter(|ranks| is_whole(ranks.len() as u64)) {
            return Some(present.processes(&ranks));
        }
        if let Some((size, members)) = configured.get(&*self.name)
            && is_whole(*size)
        {
            return Some(members.clone());
        }
        let is_regular = self.size != UNDEFINED && ![0, UNDEFINED].contains(&self.stride);
        is_regular.then(|| {
            let (first, stride, size) = (self.first_rank, self.stride, self.size);
            present.processes_among(|rank| {
                let distance = rank.checked_sub(first);
                distance.is_some_and(|distance| distance % stride == 0 && distance / stride < size)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_listed_or_follow_from_their_distance() {
        // The process of rank 2 is process 1.
        let present: Present = [0, 2, 4, 81].into_iter().zip(0..).collect();
        let configured = HashMap::from([("5", (2, vec![2, 1]))]);
        let group = |ranks: &str, size, first_rank, stride| Group {
            name: "5".to_owned(),
            description: String::new(),
            ranks: ranks.to_owned(),
            size,
            first_rank,
            stride,
        };
        let none = UNDEFINED;
        for (group, members) in [
            (group("[0, 1, 2]", 3, none, none), Some(vec![0, 1])),
            (group("[4, 0]", none, none, none), Some(vec![2, 0])),
            (group("", 2, none, none), Some(vec![2, 1])),
            (group("[0, 1, ..., 9]", 3, 1, 40), Some(vec![3])),
            (group("[0, 1]", 4, 0, 2), Some(vec![0, 1, 2])),
            (group("", 3, none, none), None),
            (group("", 3, 0, 0), None),
            (group("[]", none, none, none), Some(vec![2, 1])),
        ] {
            assert_eq!(group.members(&present, &configured), members, "{group:?}");
        }
    }
}
