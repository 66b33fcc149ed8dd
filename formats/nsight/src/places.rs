//! Where events happen: threads, streams of GPUs, and GPUs whose metrics are sampled.

use foldtrace_database::{Row, SurveyedRow};

/// The bits of a serialized id of a thread that are not those of its process.
const THREAD: i64 = 0xff_ffff;
/// Number of bits of the thread in a serialized id.
const THREAD_BITS: u32 = 24;
/// Number of bits of the process and the thread in a serialized id.
const PROCESS_BITS: u32 = 48;

/// The serialized id of a process: its machine, its number, and zero instead of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProcessId(pub i64);

impl ProcessId {
    /// Returns the process of a thread, or of a serialized id of a process.
    pub(crate) fn of(id: i64) -> Self {
        Self(id & !THREAD)
    }

    /// Returns the number that the operating system gave to the process.
    pub(crate) fn number(self) -> u64 {
        (self.0 >> THREAD_BITS & THREAD) as u64
    }

    /// Returns the id of the machine.
    pub(crate) fn machine(self) -> i64 {
        self.0 >> PROCESS_BITS << PROCESS_BITS
    }
}

/// Returns the number that the operating system gave to a thread.
pub(crate) fn thread_number(thread: i64) -> u64 {
    (thread & THREAD) as u64
}

/// A stream of a GPU, as a process sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Stream {
    pub device: i64,
    pub context: Option<i64>,
    pub stream: Option<i64>,
    /// Whether the events are not the work of the stream, but waits for it.
    pub is_wait: bool,
}

/// The place of events. It becomes a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A thread by its serialized id; `None` if it is unknown.
    Thread(Option<i64>),
    /// A stream that a process uses.
    Stream(Option<ProcessId>, Stream),
    /// A GPU whose metrics are sampled, by the number of its type of events.
    Metrics(i64),
}

impl Place {
    /// Returns the process, unless it is unknown.
    pub(crate) fn process(self) -> Option<ProcessId> {
        match self {
            Self::Thread(thread) => thread.map(ProcessId::of),
            Self::Stream(process, _) => process,
            Self::Metrics(_) => None,
        }
    }
}

/// The columns that tell the place of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceColumns {
    /// The serialized id of the thread.
    Thread,
    /// The serialized id of the process, and the numbers of device, context and stream.
    Stream {
        /// Whether the events are waits.
        is_wait: bool,
    },
    /// The number of the type of events.
    Metrics,
}

impl PlaceColumns {
    /// Returns the names of the columns, in the order in which they are read.
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Thread => &["globalTid"],
            Self::Stream { .. } => &["globalPid", "deviceId", "contextId", "streamId"],
            Self::Metrics => &["typeId"],
        }
    }

    /// Returns the place that follows from the values of these columns.
    pub(crate) fn place(self, value: impl Fn(usize) -> Option<i64>) -> Place {
        /// The number of a stream that does not exist.
        const NO_STREAM: i64 = u32::MAX as i64;
        match self {
            Self::Thread => Place::Thread(value(0)),
            Self::Metrics => Place::Metrics(value(0).unwrap_or_default()),
            Self::Stream { is_wait } => {
                let stream = Stream {
                    device: value(1).unwrap_or_default(),
                    context: value(2),
                    stream: value(3).filter(|&stream| stream != NO_STREAM),
                    is_wait,
                };
                Place::Stream(value(0).map(ProcessId::of), stream)
            }
        }
    }

    /// Returns the place of a row of a survey.
    pub(crate) fn surveyed(self, row: &SurveyedRow) -> Place {
        self.place(|column| row.get(column).copied().flatten())
    }

    /// Returns the place of a row, whose columns begin at `first`.
    #[inline]
    pub(crate) fn of_row(self, row: &Row<'_>, first: usize) -> Place {
        self.place(|column| row.integer(first + column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialized_ids_have_machine_process_and_thread() {
        let thread = 310_028_055_214_088;
        let process = ProcessId::of(thread);
        assert_eq!(process, ProcessId(310_028_053_512_192));
        assert_eq!(process.number(), 1_701_896);
        assert_eq!(thread_number(thread), 1_701_896);
        assert_eq!(process.machine(), 281_474_976_710_656);
    }
}
