//! Names of machines, processes, threads and devices, and ranks: small tables that are read as a whole.

use std::collections::BTreeMap;

use foldtrace_database::{SmallTables, Strings};
use foldtrace_trace::TraceError;

use crate::places::ProcessId;

/// A row of the table of communicators: one process of one communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    pub rank: i64,
    pub time: i64,
    pub handle: i64,
    pub local_rank: i64,
    pub size: i64,
    /// The global rank of the first member, and the number that it gave to the communicator.
    pub group: (i64, i64),
}

/// Names and ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub processes: BTreeMap<ProcessId, String>,
    /// Names of threads, by serialized ids.
    pub threads: BTreeMap<i64, String>,
    pub hosts: BTreeMap<i64, String>,
    pub devices: BTreeMap<i64, String>,
    /// Names of streams by process, context and stream.
    pub streams: BTreeMap<(u64, i64, i64), String>,
    /// Ranks by serialized ids of threads.
    pub ranks: BTreeMap<i64, i64>,
    pub memberships: Vec<Membership>,
    /// Names of metrics, by the numbers of their type and of the metric.
    pub metrics: BTreeMap<(i64, i64), String>,
    pub copies: BTreeMap<i64, String>,
    pub synchronizations: BTreeMap<i64, String>,
    /// The date of time 0, in nanoseconds since 1970.
    pub date: Option<i64>,
    /// The version of Nsight Systems.
    pub version: Option<String>,
    /// The messages of Nsight Systems about the recording.
    pub messages: Vec<String>,
}

/// The labels of copies in versions that have no table of them.
const COPIES: [&str; 14] = [
    "Unknown",
    "Host-to-Device",
    "Device-to-Host",
    "Host-to-Array",
    "Array-to-Host",
    "Array-to-Array",
    "Array-to-Device",
    "Device-to-Array",
    "Device-to-Device",
    "Host-to-Host",
    "Peer-to-Peer",
    "Unified Host-to-Device",
    "Unified Device-to-Host",
    "Unified Device-to-Device",
];
/// The labels of synchronizations in versions that have no table of them.
const SYNCHRONIZATIONS: [&str; 5] = [
    "Unknown",
    "Event sync",
    "Stream wait sync",
    "Stream sync",
    "Context sync",
];

impl Names {
    /// Reads everything. Damage of `strings` stays a failure of theirs.
    pub(crate) fn read(
        tables: &mut SmallTables<'_>,
        strings: &mut Strings,
    ) -> Result<Self, TraceError> {
        let mut names = Self {
            copies: numbered(&COPIES),
            synchronizations: numbered(&SYNCHRONIZATIONS),
            ..Self::default()
        };
        names.read_processes(tables, strings)?;
        names.read_devices(tables)?;
        names.read_ranks(tables)?;
        tables.look_up("ENUM_CUDA_MEMCPY_OPER", &["id", "label"], |row| {
            put(&mut names.copies, row.integer(0), row.text(1));
        })?;
        tables.look_up("ENUM_CUPTI_SYNC_TYPE", &["id", "label"], |row| {
            put(&mut names.synchronizations, row.integer(0), row.text(1));
        })?;
        let columns = ["typeId", "metricId", "metricName"];
        tables.look_up("TARGET_INFO_GPU_METRICS", &columns, |row| {
            let key = row.integer(0).zip(row.integer(1));
            put(&mut names.metrics, key, row.text(2));
        })?;
        for table in ["META_DATA_EXPORT", "EXPORT_META_DATA"] {
            tables.look_up(table, &["name", "value"], |row| {
                if row
                    .text(0)
                    .is_some_and(|name| name == "EXPORT_PRODUCT_VERSION")
                {
                    names.version = row.text(1);
                }
            })?;
        }
        tables.look_up("TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |row| {
            names.date = row.integer(0);
        })?;
        tables.look_up("DIAGNOSTIC_EVENT", &["text"], |row| {
            names.messages.extend(row.text(0));
        })?;
        Ok(names)
    }

    fn read_processes(
        &mut self,
        tables: &mut SmallTables<'_>,
        strings: &mut Strings,
    ) -> Result<(), TraceError> {
        tables.look_up("PROCESSES", &["globalPid", "name"], |row| {
            put(
                &mut self.processes,
                row.integer(0).map(ProcessId::of),
                row.text(1),
            );
        })?;
        tables.look_up("ThreadNames", &["globalTid", "nameId"], |row| {
            let name = row.integer(1).and_then(|number| strings.get(number));
            put(&mut self.threads, row.integer(0), name);
        })?;
        let columns = ["globalVid", "name", "value"];
        tables.look_up("TARGET_INFO_SYSTEM_ENV", &columns, |row| {
            if row.text(1).is_some_and(|name| name == "Hostname") {
                put(&mut self.hosts, row.integer(0), row.text(2));
            }
        })
    }

    fn read_devices(&mut self, tables: &mut SmallTables<'_>) -> Result<(), TraceError> {
        tables.look_up("TARGET_INFO_GPU", &["id", "name"], |row| {
            put(&mut self.devices, row.integer(0), row.text(1));
        })?;
        tables.look_up("TARGET_INFO_GPU", &["cuDevice", "name"], |row| {
            put(&mut self.devices, row.integer(0), row.text(1));
        })?;
        let columns = ["processId", "contextId", "streamId", "name"];
        tables.look_up("TARGET_INFO_NVTX_CUDA_STREAM", &columns, |row| {
            let process = row.integer(0).and_then(|it| u64::try_from(it).ok());
            let key = process.zip(row.integer(1)).zip(row.integer(2));
            let key = key.map(|((process, context), stream)| (process, context, stream));
            put(&mut self.streams, key, row.text(3));
        })
    }

    fn read_ranks(&mut self, tables: &mut SmallTables<'_>) -> Result<(), TraceError> {
        tables.look_up("MPI_RANKS", &["globalTid", "rank"], |row| {
            put(&mut self.ranks, row.integer(0), row.integer(1));
        })?;
        let columns = [
            "rank",
            "timestamp",
            "commHandle",
            "localRank",
            "size",
            "groupRoot",
            "groupRootUid",
        ];
        tables.look_up("MPI_COMMUNICATORS", &columns, |row| {
            let column = |column| row.integer(column);
            let membership = || {
                Some(Membership {
                    rank: column(0)?,
                    time: column(1).unwrap_or(i64::MIN),
                    handle: column(2)?,
                    local_rank: column(3)?,
                    size: column(4)?,
                    group: (column(5)?, column(6)?),
                })
            };
            self.memberships.extend(membership());
        })
    }
}

fn numbered(labels: &[&str]) -> BTreeMap<i64, String> {
    (0..)
        .zip(labels.iter().map(|&label| label.to_owned()))
        .collect()
}

fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: Option<K>, value: Option<V>) {
    if let (Some(key), Some(value)) = (key, value) {
        map.insert(key, value);
    }
}
