//! Names of machines, processes, threads, agents, queues, streams, kernels and counters: small tables that are read as a whole.

use std::collections::BTreeMap;

use foldtrace_database::SmallTables;
use foldtrace_trace::TraceError;

/// A process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Process {
    pub node: i64,
    /// The number that the operating system gave to the process.
    pub number: i64,
    pub command: Option<String>,
}

/// An agent: a CPU or a GPU.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agent {
    pub is_gpu: bool,
    pub index: i64,
    pub name: Option<String>,
}

/// A counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    pub name: String,
    pub unit: String,
}

/// The names of a set of tables, by the numbers of their rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub hosts: BTreeMap<i64, String>,
    pub processes: BTreeMap<i64, Process>,
    /// The numbers that the operating system gave to threads, and their names.
    pub threads: BTreeMap<i64, (i64, Option<String>)>,
    pub agents: BTreeMap<i64, Agent>,
    pub queues: BTreeMap<i64, String>,
    pub streams: BTreeMap<i64, String>,
    pub kernels: BTreeMap<i64, String>,
    pub counters: BTreeMap<i64, Counter>,
}

impl Names {
    pub(crate) fn read(tables: &mut SmallTables<'_>, suffix: &str) -> Result<Self, TraceError> {
        let mut names = Self::default();
        let table = |base: &str| format!("rocpd_{base}{suffix}");
        tables.look_up(&table("info_node"), &["id", "hostname"], |row| {
            names.hosts.extend(row.integer(0).zip(row.text(1)));
        })?;
        let columns = ["id", "nid", "pid", "command"];
        tables.look_up(&table("info_process"), &columns, |row| {
            let process = Process {
                node: row.integer(1).unwrap_or_default(),
                number: row.integer(2).unwrap_or_default(),
                command: row.text(3).filter(|command| !command.is_empty()),
            };
            names
                .processes
                .extend(row.integer(0).map(|id| (id, process)));
        })?;
        tables.look_up(&table("info_thread"), &["id", "tid", "name"], |row| {
            let number = row.integer(1).unwrap_or_default();
            let name = row.text(2).filter(|name| !name.is_empty());
            names
                .threads
                .extend(row.integer(0).map(|id| (id, (number, name))));
        })?;
        let columns = ["id", "type", "absolute_index", "product_name", "name"];
        tables.look_up(&table("info_agent"), &columns, |row| {
            let name = row.text(3).filter(|name| !name.is_empty());
            let agent = Agent {
                is_gpu: row.text(1).is_some_and(|kind| kind == "GPU"),
                index: row.integer(2).unwrap_or_default(),
                name: name.or_else(|| row.text(4)),
            };
            names.agents.extend(row.integer(0).map(|id| (id, agent)));
        })?;
        tables.look_up(&table("info_queue"), &["id", "name"], |row| {
            names.queues.extend(row.integer(0).zip(row.text(1)));
        })?;
        tables.look_up(&table("info_stream"), &["id", "name"], |row| {
            names.streams.extend(row.integer(0).zip(row.text(1)));
        })?;
        let columns = ["id", "display_name", "kernel_name"];
        tables.look_up(&table("info_kernel_symbol"), &columns, |row| {
            let name = row.text(1).filter(|name| !name.is_empty());
            let name = name.or_else(|| row.text(2));
            names.kernels.extend(row.integer(0).zip(name));
        })?;
        tables.look_up(&table("info_pmc"), &["id", "symbol", "units"], |row| {
            let counter = Counter {
                name: row.text(1).unwrap_or_default(),
                unit: row.text(2).unwrap_or_default(),
            };
            names
                .counters
                .extend(row.integer(0).map(|id| (id, counter)));
        })?;
        Ok(names)
    }

    /// Returns whether an agent is a GPU.
    pub(crate) fn is_gpu(&self, agent: i64) -> bool {
        self.agents.get(&agent).is_some_and(|agent| agent.is_gpu)
    }
}
