//! The meaning of tables, which follows from their names and their columns.

use foldtrace_database::{AttributeColumn, Database, Query, Survey, Table, quoted};

use foldtrace_trace::{TraceError, UNDEFINED};

use crate::places::PlaceColumns;

/// A column that does not exist: its cells have no values.
pub(crate) const NONE: usize = usize::MAX;

/// Codes of OTF2 for paradigms.
pub(crate) mod paradigm {
    pub(crate) const USER: u64 = 1;
    pub(crate) const MPI: u64 = 4;
    pub(crate) const CUDA: u64 = 5;
    pub(crate) const MEASUREMENT: u64 = 6;
    pub(crate) const THREADS: u64 = 7;
    pub(crate) const OPENACC: u64 = 18;
}

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Calls with a name.
    Calls,
    /// Calls with the name that follows from a number.
    Labelled(Labels),
    /// Ranges and marks of NVTX.
    Nvtx,
    /// Messages of MPI.
    PointToPoint,
    /// Collective operations of MPI.
    Collective,
    /// Calls of MPI that begin or complete requests.
    Waits,
    /// Samples of a thread: the cycles since the sample before.
    Samples,
    /// A thread begins or ends to run on a CPU.
    Scheduling,
    /// Values of the metrics of a GPU.
    GpuMetrics,
}

/// The names of calls that have numbers instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labels {
    Copy,
    Synchronization,
    Set,
    Graph,
    /// The table itself is the name.
    Table,
}

/// Columns whose content is known from others, or that refer to tables that are left out.
const SILENT: [&str; 6] = [
    "eventClass",
    "callchainId",
    "nestingLevel",
    "shortName",
    "mangledName",
    "deprecatedSrcId",
];
/// Columns that say nothing if they are 0.
const SILENT_ZERO: [&str; 6] = [
    "returnValue",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "localMemoryPerThread",
    "sharedMemoryLimitConfig",
    "priority",
];
/// Columns with numbers of strings.
const STRINGS: [&str; 7] = [
    "jsonTextId",
    "srcFile",
    "funcName",
    "varName",
    "kernelName",
    "endNameId",
    "textId",
];

/// The columns of a query that have a meaning of their own; [`NONE`] for those that the table does not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roles {
    /// The number of the name, or of the label.
    pub name: usize,
    /// The name itself.
    pub text: usize,
    pub event_type: usize,
    pub domain: usize,
    pub category: usize,
    pub communicator: usize,
    pub peer: usize,
    pub tag: usize,
    pub root: usize,
    pub bytes: usize,
    pub received: usize,
    pub request: usize,
    /// The value of a metric, and whether it counts.
    pub value: usize,
    pub is_scheduled: usize,
}

/// A table of events, and the query that reads it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub table: String,
    pub meaning: Meaning,
    pub paradigm: u64,
    pub place: PlaceColumns,
    pub roles: Roles,
    pub attributes: Vec<AttributeColumn>,
    pub survey: Survey,
    columns: Vec<String>,
}

impl Source {
    /// Returns the meaning of a table; `None` if its rows are no events that can be read.
    pub(crate) fn of(table: &Table) -> Option<Self> {
        let (meaning, place) = meaning(table)?;
        let mut source = Self {
            table: table.name.clone(),
            meaning,
            paradigm: paradigm_of(&table.name),
            place,
            roles: Roles {
                name: NONE,
                text: NONE,
                event_type: NONE,
                domain: NONE,
                category: NONE,
                communicator: NONE,
                peer: NONE,
                tag: NONE,
                root: NONE,
                bytes: NONE,
                received: NONE,
                request: NONE,
                value: NONE,
                is_scheduled: NONE,
            },
            attributes: Vec::new(),
            survey: Survey::default(),
            columns: Vec::new(),
        };
        source.columns.extend(source.times(table));
        source.columns.extend(source.place_expressions(table));
        source.assign_roles(table);
        source.add_attributes(table);
        Some(source)
    }

    /// Returns the expressions for the beginning and the end of an event.
    pub(crate) fn times(&self, table: &Table) -> [String; 2] {
        let begin = if table.has("start") {
            "start"
        } else {
            "timestamp"
        };
        [expression(table, begin), expression(table, "end")]
    }

    /// Returns the expressions for the place of an event.
    pub(crate) fn place_expressions(&self, table: &Table) -> Vec<String> {
        let names = self.place.names().iter();
        names.map(|name| expression(table, name)).collect()
    }

    fn assign_roles(&mut self, table: &Table) {
        let mut role = |names: &[&str]| {
            let name = names.iter().find(|name| table.has(name));
            name.map_or(NONE, |name| {
                self.columns.push(quoted(name));
                self.columns.len() - 1
            })
        };
        let roles = &mut self.roles;
        match self.meaning {
            Meaning::Calls => {
                roles.name = role(&["nameId", "textId", "demangledName", "shortName"])
            }
            Meaning::Labelled(Labels::Copy) => roles.name = role(&["copyKind"]),
            Meaning::Labelled(Labels::Synchronization) => roles.name = role(&["syncType"]),
            Meaning::Labelled(_) => {}
            Meaning::Nvtx => {
                roles.name = role(&["textId"]);
                roles.text = role(&["text"]);
                roles.event_type = role(&["eventType"]);
                roles.domain = role(&["domainId"]);
                roles.category = role(&["category"]);
            }
            Meaning::PointToPoint | Meaning::Collective | Meaning::Waits => {
                roles.name = role(&["textId", "nameId"]);
                roles.communicator = role(&["commHandle"]);
                roles.peer = role(&["remoteRank"]);
                roles.tag = role(&["tag"]);
                roles.root = role(&["rootRank"]);
                roles.bytes = role(&["size"]);
                roles.received = role(&["recvSize"]);
                roles.request = role(&["requestHandle"]);
            }
            Meaning::Samples => roles.value = role(&["cpuCycles"]),
            Meaning::Scheduling => {
                roles.value = role(&["cpu"]);
                roles.is_scheduled = role(&["isSchedIn"]);
            }
            Meaning::GpuMetrics => {
                roles.name = role(&["metricId"]);
                roles.value = role(&["value"]);
            }
        }
    }

    /// Makes every other column an attribute.
    fn add_attributes(&mut self, table: &Table) {
        let times = ["start", "end", "timestamp", "id"];
        for name in &table.columns {
            let name = &**name;
            let is_known = times.contains(&name)
                || self.place.names().contains(&name)
                || SILENT.contains(&name)
                || self.columns.contains(&quoted(name));
            if is_known {
                continue;
            }
            self.columns.push(quoted(name));
            let title = if name == "correlationId" {
                "correlation"
            } else {
                name
            };
            let mut attribute = AttributeColumn::new(title, self.columns.len() - 1);
            if STRINGS.contains(&name) {
                attribute = attribute.of_strings();
            }
            if SILENT_ZERO.contains(&name) {
                attribute = attribute.without(0);
            }
            self.attributes.push(attribute);
        }
    }

    fn from(&self) -> String {
        format!("{} AS R NOT INDEXED", quoted(&self.table))
    }

    /// Checks that rows that must be sorted fit into the file.
    pub(crate) fn check(&self, database: &Database) -> Result<(), TraceError> {
        if self.survey.is_sorted {
            return Ok(());
        }
        database.check_sortable(&self.table, &self.columns, &self.from())
    }

    /// Returns the query for the rows in the order of time.
    pub(crate) fn query(&self) -> Query {
        Query::new(&self.columns, &self.from(), self.survey.order())
    }
}

/// Returns the paradigm of a region from that of its table and its name.
pub(crate) fn paradigm_of_region(of_table: u64, name: &str) -> u64 {
    if foldtrace_mpi::mpi_routine(name).is_some() {
        paradigm::MPI
    } else if of_table == UNDEFINED && (name.starts_with("pthread_") || name.starts_with("sem_")) {
        paradigm::THREADS
    } else {
        of_table
    }
}

/// Returns the expression for a column, which has no value if the table does not have it.
fn expression(table: &Table, column: &str) -> String {
    if table.has(column) {
        quoted(column)
    } else {
        "NULL".to_owned()
    }
}

fn meaning(table: &Table) -> Option<(Meaning, PlaceColumns)> {
    let has = |columns: &[&str]| columns.iter().all(|column| table.has(column));
    let thread = PlaceColumns::Thread;
    let stream = PlaceColumns::Stream { is_wait: false };
    let known = match &*table.name {
        "GPU_METRICS" if has(&["timestamp", "typeId", "metricId", "value"]) => {
            (Meaning::GpuMetrics, PlaceColumns::Metrics)
        }
        // Everything else has a beginning.
        _ if !table.has("start") => return None,
        "NVTX_EVENTS" => (Meaning::Nvtx, thread),
        "MPI_P2P_EVENTS" => (Meaning::PointToPoint, thread),
        "MPI_COLLECTIVES_EVENTS" => (Meaning::Collective, thread),
        "MPI_START_WAIT_EVENTS" => (Meaning::Waits, thread),
        "COMPOSITE_EVENTS" if table.has("cpuCycles") => (Meaning::Samples, thread),
        "SCHED_EVENTS" if has(&["cpu", "isSchedIn"]) => (Meaning::Scheduling, thread),
        "CUPTI_ACTIVITY_KIND_MEMCPY" => (Meaning::Labelled(Labels::Copy), stream),
        "CUPTI_ACTIVITY_KIND_MEMSET" => (Meaning::Labelled(Labels::Set), stream),
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" => (Meaning::Labelled(Labels::Graph), stream),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION" => {
            let waits = PlaceColumns::Stream { is_wait: true };
            (Meaning::Labelled(Labels::Synchronization), waits)
        }
        _ if !table.has("end") => return None,
        _ if has(&["deviceId", "streamId"]) && !table.has("globalTid") => {
            let names = ["nameId", "textId", "demangledName", "shortName"];
            let is_named = names.iter().any(|name| table.has(name));
            let table = Meaning::Labelled(Labels::Table);
            (if is_named { Meaning::Calls } else { table }, stream)
        }
        _ if table.has("globalTid") && (table.has("nameId") || table.has("textId")) => {
            (Meaning::Calls, thread)
        }
        _ => return None,
    };
    Some(known)
}

fn paradigm_of(table: &str) -> u64 {
    match table {
        "PROFILER_OVERHEAD" => paradigm::MEASUREMENT,
        "NVTX_EVENTS" => paradigm::USER,
        _ if table.starts_with("MPI_") => paradigm::MPI,
        _ if table.contains("OPENACC") => paradigm::OPENACC,
        _ if table.starts_with("CUPTI_") || table.starts_with("CU") => paradigm::CUDA,
        _ => UNDEFINED,
    }
}
