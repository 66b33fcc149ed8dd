//! Conventions of producers: units of time, the containers that are processes, and the meaning of keys and values of
//! links.

use crate::hierarchy::{ContainerId, Hierarchy};

const NANOSECONDS_OF_SECOND: u64 = 1_000_000_000;
const NANOSECONDS_OF_MILLISECOND: u64 = 1_000_000;

/// The producer of a trace, as far as its conventions differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Producer {
    /// Any other program: times in seconds, as the format specifies.
    #[default]
    Plain,
    /// SimGrid: keys of links contain sender and receiver.
    SimGrid,
    /// StarPU: times in milliseconds; values of links are sizes in bytes.
    StarPu,
    /// EZTrace 1: times in milliseconds.
    EzTrace,
}

impl Producer {
    /// Detects the producer of a trace by its types.
    pub(crate) fn detect(hierarchy: &Hierarchy) -> Self {
        let has = |alias, name| hierarchy.has_type(alias, name);
        if has("Mn", "Memory Node") {
            Self::StarPu
        } else if has("CT_Process", "Process") && has("CT_Thread", "Thread") {
            Self::EzTrace
        } else if hierarchy.has_link_type_named("MPI_LINK") {
            Self::SimGrid
        } else {
            Self::Plain
        }
    }

    /// Returns the number of nanoseconds in the unit of time.
    pub(crate) const fn nanoseconds(self) -> u64 {
        match self {
            Self::Plain | Self::SimGrid => NANOSECONDS_OF_SECOND,
            Self::StarPu | Self::EzTrace => NANOSECONDS_OF_MILLISECOND,
        }
    }
}

/// Returns the container that represents the process of `container`: the nearest container, from itself outwards,
/// whose type has the name of a process; or else the container of a thread; or else itself.
pub(crate) fn process_of(hierarchy: &Hierarchy, container: ContainerId) -> ContainerId {
    let type_name = |id| {
        let container = hierarchy.container(id);
        hierarchy
            .get_type(container.type_id)
            .name
            .to_ascii_lowercase()
    };
    let is_process = |&id: &ContainerId| {
        let name = type_name(id);
        name == "program" || ["process", "rank"].iter().any(|word| name.contains(word))
    };
    if let Some(process) = hierarchy.path(container).find(is_process) {
        return process;
    }
    match hierarchy.container(container).parent {
        Some(parent) if type_name(container).contains("thread") => parent,
        _ => container,
    }
}

/// Parses a key of SimGrid: the numbers of the sending and the receiving process, and the tag. Old versions have no
/// tag; the last part of their keys is a counter.
pub(crate) fn simgrid_key(key: &[u8]) -> Option<(u64, u64, Option<u64>)> {
    let mut parts = key
        .split(|&byte| byte == b'_')
        .map(foldtrace_notation::number);
    let mut next = || parts.next();
    let (sender, receiver, third) = (next()??, next()??, next()??);
    match next() {
        None => Some((sender, receiver, None)),
        Some(count) => {
            count?;
            next().is_none().then_some((sender, receiver, Some(third)))
        }
    }
}

/// Returns whether links of a type with that name are messages. Links of SimGrid also represent the migration of a
/// process to another host.
pub(crate) fn is_message(link: &str) -> bool {
    !link.to_ascii_lowercase().contains("migrate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_all_versions() {
        assert_eq!(simgrid_key(b"3_2_10_156"), Some((3, 2, Some(10))));
        assert_eq!(simgrid_key(b"3_2_156"), Some((3, 2, None)));
        for other in ["", "3", "3_2", "3_2_-1_4", "3_2_1_4_5", "a_b_c_d", "com_3"] {
            assert_eq!(simgrid_key(other.as_bytes()), None, "{other}");
        }
    }
}
