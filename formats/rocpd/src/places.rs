//! Where events happen: threads, and queues and streams of agents.

use foldtrace_database::{Row, SurveyedRow};

/// A process: the set of tables that has it, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProcessId {
    pub tables: usize,
    pub id: i64,
}

/// The place of events. It becomes a location. All numbers are those of rows in tables of the same set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A thread; `None` if it is unknown.
    Thread(ProcessId, Option<i64>),
    /// A queue of an agent, and the stream of the program whose work it does.
    Queue {
        process: ProcessId,
        agent: Option<i64>,
        queue: Option<i64>,
        stream: Option<i64>,
        /// Whether the events are copies, which engines of their own do.
        is_copy: bool,
    },
}

impl Place {
    /// Returns the process.
    pub(crate) fn process(self) -> ProcessId {
        match self {
            Self::Thread(process, _) | Self::Queue { process, .. } => process,
        }
    }
}

/// The columns that tell the place of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceColumns {
    /// Process and thread.
    Thread,
    /// Process, agent, queue and stream of a kernel.
    Kernel,
    /// The same of a copy, whose agent is the destination, or the source if it copies to a host.
    Copy,
}

impl PlaceColumns {
    /// Returns the names of the columns, in the order in which they are read.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Thread => &["pid", "tid"],
            Self::Kernel => &["pid", "agent_id", "queue_id", "stream_id"],
            Self::Copy => &[
                "pid",
                "dst_agent_id",
                "queue_id",
                "stream_id",
                "src_agent_id",
            ],
        }
    }

    /// Returns the place that follows from the values of these columns. `is_gpu` returns whether an agent is a GPU.
    #[inline]
    pub(crate) fn place(
        self,
        tables: usize,
        value: impl Fn(usize) -> Option<i64>,
        is_gpu: impl Fn(i64) -> bool,
    ) -> Place {
        let process = ProcessId {
            tables,
            id: value(0).unwrap_or_default(),
        };
        let agent = match self {
            Self::Thread => return Place::Thread(process, value(1)),
            Self::Kernel => value(1),
            Self::Copy => value(1).filter(|&agent| is_gpu(agent)).or_else(|| value(4)),
        };
        Place::Queue {
            process,
            agent,
            queue: value(2),
            stream: value(3),
            is_copy: self == Self::Copy,
        }
    }

    /// Returns the place of a row of a survey.
    pub(crate) fn surveyed(
        self,
        tables: usize,
        row: &SurveyedRow,
        is_gpu: impl Fn(i64) -> bool,
    ) -> Place {
        self.place(tables, |column| row.get(column).copied().flatten(), is_gpu)
    }

    /// Returns the place of a row, whose columns begin at `first`.
    #[inline]
    pub(crate) fn of_row(
        self,
        tables: usize,
        row: &Row<'_>,
        first: usize,
        is_gpu: impl Fn(i64) -> bool,
    ) -> Place {
        self.place(tables, |column| row.integer(first + column), is_gpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_belongs_to_the_gpu() {
        let agent = |values: [i64; 5]| {
            let place = PlaceColumns::Copy.place(0, |at| values.get(at).copied(), |id| id > 1);
            match place {
                Place::Queue { agent, .. } => agent,
                Place::Thread(..) => None,
            }
        };
        assert_eq!(agent([1, 2, 0, 0, 1]), Some(2), "from host to device");
        assert_eq!(agent([1, 1, 0, 0, 2]), Some(2), "from device to host");
        assert_eq!(agent([1, 3, 0, 0, 2]), Some(3), "between devices");
    }
}
