//! The objects of both hierarchies, as the header describes them: applications, tasks and threads, which are processes and
//! locations, and the nodes on which they run.

use foldtrace_trace::{Demultiplexer, LocationId, Minter, UNDEFINED};

use crate::header::Header;
use crate::rows::Rows;

/// The hint for objects that the header does not have.
pub(crate) const OTHER_HEADER: &str =
    "the header lists all tasks and threads; it may be that of another trace";

/// The level of nodes in the file of names.
const NODE: &str = "NODE";
const TASK: &str = "TASK";
const THREAD: &str = "THREAD";

/// The tasks and threads of a trace.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// The rank of the first task of each application, and the number of all tasks.
    first_task: Vec<u64>,
    /// The number of the first thread of each task, and the number of all threads.
    first_thread: Vec<u32>,
    world: u64,
}

/// A thread: a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub location: LocationId,
    /// The slot of its events.
    pub slot: u32,
    /// The rank of its task in the program.
    pub rank: u64,
    /// The number of its application, from 1.
    pub application: u64,
}

impl Objects {
    /// Defines all objects. Returns them, and their threads.
    pub(crate) fn define(
        header: &Header,
        rows: &Rows,
        minter: &mut Minter,
        events: &mut Demultiplexer,
    ) -> (Self, Vec<Thread>) {
        let mut objects = Self::default();
        let (mut threads, mut ranks) = (Vec::new(), Vec::new());
        let mut nodes = Nodes::new(header, rows);
        for (application, tasks) in (1..).zip(&header.applications) {
            objects.first_task.push(ranks.len() as u64);
            for (number, task) in (1..).zip(tasks) {
                let rank = ranks.len();
                let name = rows.name(TASK, rank).map(str::to_owned);
                let name = name.unwrap_or_else(|| format!("TASK {application}.{number}"));
                let node = nodes.machine(task.node, minter);
                let process = minter.process_on(&name, node);
                objects.first_thread.push(threads.len() as u32);
                for thread in 1..=task.threads {
                    let name = rows.name(THREAD, threads.len()).map(str::to_owned);
                    let name =
                        name.unwrap_or_else(|| format!("THREAD {application}.{number}.{thread}"));
                    let location = minter.location(&name, process);
                    if thread == 1 {
                        ranks.push(location);
                    }
                    threads.push(Thread {
                        location,
                        slot: events.slot(location),
                        rank: rank as u64,
                        application,
                    });
                }
            }
        }
        objects.first_task.push(ranks.len() as u64);
        objects.first_thread.push(threads.len() as u32);
        objects.world = minter.world(&ranks);
        (objects, threads)
    }

    /// Returns the id of the communicator of all tasks.
    pub(crate) fn world(&self) -> u64 {
        self.world
    }

    /// Returns the number of tasks of all applications.
    pub(crate) fn tasks(&self) -> u64 {
        self.first_task.last().copied().unwrap_or_default()
    }

    /// Returns the rank in the program of a task of an application. Both are numbered from 1.
    #[inline]
    pub(crate) fn rank(&self, application: u64, task: u64) -> Option<u64> {
        let index = usize::try_from(application.checked_sub(1)?).ok()?;
        let (&first, &end) = (self.first_task.get(index)?, self.first_task.get(index + 1)?);
        let rank = first.checked_add(task.checked_sub(1)?)?;
        (rank < end).then_some(rank)
    }

    /// Returns the number of a thread among all threads. All three are numbered from 1.
    #[inline]
    pub(crate) fn thread(&self, application: u64, task: u64, thread: u64) -> Option<u32> {
        let rank = self.rank(application, task)? as usize;
        let (&first, &end) = (
            self.first_thread.get(rank)?,
            self.first_thread.get(rank + 1)?,
        );
        let number = u64::from(first).checked_add(thread.checked_sub(1)?)?;
        (number < u64::from(end)).then_some(number as u32)
    }
}

/// The nodes of the machine, defined when a task needs them.
struct Nodes<'a> {
    rows: &'a Rows,
    machine: Option<u64>,
    ids: Vec<Option<u64>>,
}

impl<'a> Nodes<'a> {
    fn new(header: &Header, rows: &'a Rows) -> Self {
        let tasks = header.applications.iter().flatten();
        let used = tasks.map(|task| task.node).max().unwrap_or_default();
        let count = used.min(header.nodes) as usize;
        Self {
            rows,
            machine: None,
            ids: vec![None; count],
        }
    }

    /// Returns the definition of a node; [`UNDEFINED`] if it is unknown.
    fn machine(&mut self, node: u64, minter: &mut Minter) -> u64 {
        let index = node.checked_sub(1).map(|index| index as usize);
        let Some((index, known)) = index.and_then(|index| Some((index, self.ids.get_mut(index)?)))
        else {
            return UNDEFINED;
        };
        let machine = *self
            .machine
            .get_or_insert_with(|| minter.machine("machine", "machine", UNDEFINED));
        *known.get_or_insert_with(|| {
            let name = self.rows.name(NODE, index).map(str::to_owned);
            let name = name.unwrap_or_else(|| format!("NODE {node}"));
            minter.machine(&name, "node", machine)
        })
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{Names, Ranks};

    use super::*;

    #[test]
    fn threads_of_all_applications_are_numbered_in_order() {
        let header = Header::parse(b"#Paraver (x):77_ns:2(8,8):2:1(4:1):2(1:2,3:9)").unwrap();
        let rows = Rows::parse("LEVEL NODE SIZE 2\nlogin\ncompute\nLEVEL TASK SIZE 1\nmaster\n");
        let (mut minter, mut events) = (Minter::default(), Demultiplexer::default());
        let (objects, threads) = Objects::define(&header, &rows, &mut minter, &mut events);
        assert_eq!((objects.tasks(), threads.len()), (3, 8));
        assert_eq!(objects.rank(1, 1), Some(0));
        assert_eq!(objects.rank(2, 2), Some(2));
        assert_eq!(objects.thread(1, 1, 4), Some(3));
        assert_eq!(objects.thread(2, 2, 3), Some(7));
        for (application, task, thread) in [
            (0, 1, 1),
            (3, 1, 1),
            (1, 2, 1),
            (1, 0, 1),
            (1, 1, 5),
            (1, 1, 0),
            (u64::MAX, u64::MAX, u64::MAX),
        ] {
            assert_eq!(objects.thread(application, task, thread), None);
        }
        let definitions = minter.take();
        let names = Names::new(&definitions);
        assert_eq!(names.rank(threads[6].location), Some((2, 1)));
        let ranks = Ranks::new(&definitions, &names);
        assert_eq!(ranks.rank(Some(objects.world()), 2, None), 2);
        let strings: Vec<_> = definitions
            .records(foldtrace_trace::DefinitionKind::String)
            .map(|record| record.text().to_owned())
            .collect();
        for name in ["login", "compute", "master", "TASK 2.2", "THREAD 2.2.3"] {
            assert!(strings.iter().any(|string| string == name), "{name}");
        }
    }
}
