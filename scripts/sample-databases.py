#!/usr/bin/env python3
"""Writes the databases in tests/data/nsight and tests/data/rocpd, with the tables of the tools' documentation.

    scripts/sample-databases.py [FOLDER]     writes below FOLDER, by default tests/data
"""

import sqlite3
import sys
from pathlib import Path

MACHINE = 1 << 48
GUID = "_0000a1b2_c3d4_7e5f_8899_aabbccddeeff"
OTHER_GUID = "_0000ffee_ddcc_7bbb_9988_77665544ffee"


def thread(process, number=None):
    """Returns the serialized id of a thread; that of the process, if there is no number."""
    return MACHINE | process << 24 | (number or 0)


class Database:
    """A database that is being written."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA page_size = 512")

    def table(self, name, columns, rows, types=None):
        """Creates a table; the rows have values for the first columns. `types` are the types of columns that are no integers."""
        columns = columns.split()
        types = types or {}
        declared = ", ".join(f'"{column}" {types.get(column, "INTEGER")}' for column in columns)
        self.connection.execute(f'CREATE TABLE "{name}" ({declared})')
        self.rows(name, rows)

    def rows(self, name, rows):
        """Appends rows to a table."""
        for row in rows:
            values = dict(row) if isinstance(row, dict) else None
            if values is None:
                count = len(self.connection.execute(f'SELECT * FROM "{name}"').description)
                row = tuple(row) + (None,) * (count - len(row))
                self.connection.execute(f'INSERT INTO "{name}" VALUES ({",".join("?" * count)})', row)
            else:
                columns = ", ".join(f'"{column}"' for column in values)
                marks = ", ".join("?" * len(values))
                self.connection.execute(f'INSERT INTO "{name}" ({columns}) VALUES ({marks})', tuple(values.values()))

    def close(self):
        """Makes the file as small as possible."""
        self.connection.commit()
        self.connection.execute("VACUUM")
        self.connection.close()


KEY = "INTEGER NOT NULL PRIMARY KEY"
NVTX = (
    "start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value "
    "doubleValue uint32Value int32Value floatValue jsonTextId jsonText"
)
KERNEL = (
    "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName "
    "launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory "
    "dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId"
)
MEMCPY = (
    "start end deviceId contextId streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind dstKind "
    "srcDeviceId dstDeviceId graphNodeId virtualAddress"
)
CALLS = "start end eventClass globalTid correlationId nameId returnValue callchainId"
NAMES = [
    "[Unknown]", "solver", "halo exchange", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "jacobi(double*, int)",
    "jacobi", "_Z6jacobiPdi", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce",
    "MPI_Comm_split", "MPI_Barrier", "poll", "pthread_mutex_lock", "main", "worker", "vkQueueSubmit", "MPI_Bcast",
]
STRINGS = {name: number for number, name in enumerate(NAMES)}


def strings(database):
    database.table("StringIds", "id value", list(enumerate(NAMES)), {"id": KEY, "value": "TEXT NOT NULL"})


def target(database, ranks):
    """Writes what is known of machines, processes and threads."""
    text = {"name": "TEXT", "value": "TEXT", "members": "TEXT", "utcTime": "TEXT", "localTime": "TEXT"}
    database.table("META_DATA_EXPORT", "name value", [("EXPORT_PRODUCT_VERSION", "2024.5.1.113")], text)
    database.table(
        "TARGET_INFO_SESSION_START_TIME", "utcEpochNs utcTime localTime", [(1_700_000_000_000_000_000,)], text
    )
    database.table(
        "TARGET_INFO_SYSTEM_ENV", "globalVid devStateName name nameEnum value", [(MACHINE, None, "Hostname", 1, "node17")],
        text,
    )
    database.table("TARGET_INFO_GPU", "vmId id name cuDevice", [(MACHINE, 1, "H100", 0), (MACHINE, 0, "A100", 1)], text)
    database.table("PROCESSES", "globalPid pid name", [(thread(process), process, "./solver") for process in ranks], text)
    database.table(
        "ThreadNames", "nameId priority globalTid",
        [(STRINGS["main"], 20, thread(process, process)) for process in ranks],
    )
    database.table(
        "MPI_RANKS", "globalTid rank", [(thread(process, process), rank) for process, rank in ranks.items()]
    )


def nsight_program(path):
    """A program with MPI and CUDA on two processes, of which the one with the higher id has rank 0."""
    database = Database(path)
    ranks = {2001: 0, 2000: 1}
    strings(database)
    target(database, ranks)
    string = STRINGS.get
    world, half = {2001: 5, 2000: 0x44000000}, 7
    rows = {name: [] for name in ("nvtx", "call", "kernel", "copy", "set", "wait", "p2p", "coll", "start", "other", "osrt")}
    for process, rank in ranks.items():
        main, peer = thread(process, process), 1 - rank
        nvtx = rows["nvtx"]
        nvtx.append((50, None, 75, None, None, None, "physics", main, None, None, 1))
        nvtx.append((51, None, 33, None, 3, None, "iteration", main, None, None, 1))
        nvtx.append((1000, 9000, 59, None, 3, 0x7F00FF00, None, main, None, string("solver"), 1))
        nvtx.append((1100, 4000, 59, None, None, None, "step 1", main, None, None, 0, None, 42))
        nvtx.append((2000, 9500, 60, 17, None, None, None, main, thread(process, process + 1), string("halo exchange"), 0))
        nvtx.append((2500, None, 34, None, None, None, "converged", main, None, None, 0))
        correlation = 100 * (rank + 1)
        rows["call"].append((1200, 1400, 0, main, correlation, string("cudaLaunchKernel_v7000"), 0))
        rows["call"].append((1500, 1600, 0, main, correlation + 1, string("cudaMemcpyAsync_v3020"), 1))
        rows["kernel"].append(
            (1450, 3000, 0, 1, None, 7, correlation, thread(process), string("jacobi(double*, int)"), string("jacobi"),
             string("_Z6jacobiPdi"), 1, 1, 32, 64, 2, 1, 256, 1, 1, 0, 1024, 0, 4096, 1, 32768)
        )
        rows["copy"].append((3000, 3500, 0, 1, 7, correlation + 1, thread(process), 65536, 1, None, 0, 2))
        rows["set"].append((1300, 1440, 0, 1, 8, correlation + 2, thread(process), 0, 512))
        rows["wait"].append((1700, 3500, 0, 1, 0xFFFFFFFF, correlation + 3, thread(process), 4, 0xFFFFFFFF))
        if rank == 0:
            rows["p2p"].append((4100, 4200, main, string("MPI_Send"), world[process], 17, peer, 800))
            rows["p2p"].append((4300, 4310, main, string("MPI_Isend"), world[process], 18, peer, 1600, 77))
        else:
            rows["p2p"].append((4050, 4250, main, string("MPI_Recv"), world[process], 17, peer, 800))
            rows["p2p"].append((4300, 4310, main, string("MPI_Irecv"), world[process], 18, peer, 1600, 78))
        rows["start"].append((4400, 4500, main, string("MPI_Waitall"), None))
        rows["other"].append((4600, 4700, main, string("MPI_Comm_split")))
        rows["coll"].append((4800, 4900, main, string("MPI_Allreduce"), world[process], None, 8, 8))
        rows["coll"].append((5000, 5100, main, string("MPI_Bcast"), half, 1, 64, 64))
        rows["coll"].append((5200, 5300, main, string("MPI_Barrier"), world[process], None, 0, 0))
        rows["osrt"].append((6000, 6400, 27, thread(process, process + 1), string("poll"), 0, 0, 0))
        rows["osrt"].append((6100, 6200, 27, thread(process, process + 1), string("pthread_mutex_lock"), 0, 1, 0))
    for table in rows.values():
        table.sort(key=lambda row: (row[0], -(row[1] or 0)))
    database.table("NVTX_EVENTS", NVTX, rows["nvtx"], {"text": "TEXT", "jsonText": "TEXT", "doubleValue": "REAL", "floatValue": "REAL"})
    database.table("CUPTI_ACTIVITY_KIND_RUNTIME", CALLS, rows["call"])
    database.table("CUPTI_ACTIVITY_KIND_KERNEL", KERNEL, rows["kernel"])
    database.table("CUPTI_ACTIVITY_KIND_MEMCPY", MEMCPY, rows["copy"])
    database.table(
        "CUPTI_ACTIVITY_KIND_MEMSET", "start end deviceId contextId streamId correlationId globalPid value bytes", rows["set"]
    )
    database.table(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        "start end deviceId contextId streamId correlationId globalPid syncType eventId", rows["wait"],
    )
    database.table("ENUM_CUDA_MEMCPY_OPER", "id name label", [(1, "HTOD", "Host-to-Device")], {"id": KEY, "name": "TEXT", "label": "TEXT"})
    database.table("MPI_P2P_EVENTS", "start end globalTid textId commHandle tag remoteRank size requestHandle", rows["p2p"])
    database.table(
        "MPI_COLLECTIVES_EVENTS", "start end globalTid textId commHandle rootRank size recvSize requestHandle", rows["coll"]
    )
    database.table("MPI_START_WAIT_EVENTS", "start end globalTid textId requestHandle", rows["start"])
    database.table("MPI_OTHER_EVENTS", "start end globalTid textId", rows["other"])
    members = [
        (rank, time, handle, None, local, 2, root, number)
        for time, root, number, order in ((100, 0, 0, (0, 1)), (4650, 1, 3, (1, 0)))
        for local, rank in enumerate(order)
        for handle in [half if number else world[{0: 2001, 1: 2000}[rank]]]
    ]
    database.table(
        "MPI_COMMUNICATORS", "rank timestamp commHandle parentHandle localRank size groupRoot groupRootUid members", members,
        {"members": "TEXT"},
    )
    database.table("OSRT_API", "start end eventClass globalTid nameId returnValue nestingLevel callchainId", rows["osrt"])
    # A table that the reader does not know by its name.
    database.table(
        "VULKAN_API", "start end eventClass globalTid correlationId nameId",
        [(7000, 7100, 53, thread(2000, 2000), 9, STRINGS["vkQueueSubmit"])],
    )
    database.table(
        "SCHED_EVENTS", "start cpu isSchedIn globalTid",
        [(900, 4, 1, thread(2000, 2000)), (8000, 4, 0, thread(2000, 2000))],
    )
    database.table(
        "COMPOSITE_EVENTS", "id start cpu threadState globalTid cpuCycles",
        [(1, 1250, 4, 1, thread(2000, 2000), 300_000), (2, 2250, 4, 1, thread(2000, 2000), 310_000)], {"id": KEY},
    )
    database.table(
        "TARGET_INFO_GPU_METRICS", "typeId sourceId typeName metricId metricName",
        [(0x100, 1, "GPU Metrics", 0, "SMs Active [Throughput %]"), (0x100, 1, "GPU Metrics", 1, "GR Active [Throughput %]")],
        {"typeName": "TEXT", "metricName": "TEXT"},
    )
    database.table(
        "GPU_METRICS", "timestamp typeId metricId value",
        [(time, 0x100, metric, time // 100 + metric) for time in (1000, 2000, 3000) for metric in (0, 1)],
    )
    database.table("CUDA_CALLCHAINS", "id symbol module stackDepth", [(1, 1, 2, 0), (1, 2, 2, 1)])
    database.table("DIAGNOSTIC_EVENT", "timestamp text", [(5, "a remark")], {"text": "TEXT"})
    database.close()


def nsight_reports(program, folder):
    """Writes the reports that the processes of a program would have, each in the time of its own session."""
    for process, later in ((2001, 0), (2000, 700)):
        path = folder / f"rank-{9 if process == 2001 else 10}.sqlite"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(program.read_bytes())
        connection = sqlite3.connect(path)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
            for place in {"globalTid", "globalPid"}.intersection(columns):
                connection.execute(f"DELETE FROM {table} WHERE {place} >> 24 <> ?", (thread(process) >> 24,))
            for time in {"start", "end", "timestamp"}.intersection(columns):
                connection.execute(f"UPDATE {table} SET {time} = {time} - {later}")
        connection.execute("DELETE FROM MPI_COMMUNICATORS WHERE rank NOT IN (SELECT rank FROM MPI_RANKS)")
        connection.execute(f"UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + {later}")
        connection.commit()
        connection.execute("VACUUM")
        connection.close()


def nsight_old(path):
    """What old versions write: no names of enumerations, no processes of streams; rows in any order, and early times."""
    database = Database(path)
    # The strings have no key.
    database.table("StringIds", "id value", list(enumerate(NAMES)), {"value": "TEXT"})
    database.table("EXPORT_META_DATA", "name value", [("EXPORT_PRODUCT_VERSION", "2021.2")], {"name": "TEXT", "value": "TEXT"})
    main = thread(31, 31)
    database.table(
        "NVTX_EVENTS", "start end eventType text globalTid textId",
        [(700, 800, 59, "late", main), (-300, -100, 59, "early", main), (-250, -200, 59, None, main, STRINGS["MPI_Send"])],
        {"text": "TEXT"},
    )
    database.table(
        "CUPTI_ACTIVITY_KIND_RUNTIME", "start end eventClass globalTid correlationId nameId returnValue",
        [(750, 760, 0, main, 2, 4, 0), (10, 20, 0, main, 1, 3, 0), (10, 500, 0, main, 3, 3, 0)],
    )
    database.table(
        "CUPTI_ACTIVITY_KIND_KERNEL", "start end deviceId contextId streamId correlationId shortName",
        [(900, 950, 0, 1, 7, 2, STRINGS["jacobi"]), (15, 40, 0, 1, 7, 1, STRINGS["jacobi"])],
    )
    database.table(
        "CUPTI_ACTIVITY_KIND_MEMCPY", "start end deviceId contextId streamId correlationId bytes copyKind",
        [(50, 60, 0, 1, 7, 5, 128, 2), (70, 80, 0, 1, 7, 6, 256, 99)],
    )
    database.close()


def nsight_irregular(path):
    """Rows without times, names and threads; calls without ends; communicators and requests that nobody knows."""
    database = Database(path)
    strings(database)
    main = thread(31, 31)
    database.table(
        "OSRT_API", "start end eventClass globalTid nameId returnValue",
        [(100, 50, 27, main, 16, 0), (None, 60, 27, main, 16, 0), (200, None, 27, main, 16, 0), (300, 310, 27, None, 16, 0),
         (400, 410, 27, main, 9999, 0), (500, 510, 27, main, None, 0)],
    )
    database.table(
        "NVTX_EVENTS", "start end eventType text globalTid textId domainId",
        [(600, 700, 59, b"caf\xe9", main), (610, 800, 59, "overlaps", main, None, 5), (620, None, 35, "push", main)],
        {"text": "TEXT"},
    )
    send, receive = STRINGS["MPI_Isend"], STRINGS["MPI_Irecv"]
    database.table(
        "MPI_P2P_EVENTS", "start end globalTid textId commHandle tag remoteRank size requestHandle",
        [(1000, 1010, main, send, 5, 1, 0, 8, 1), (1020, 1030, main, send, 5, 1, -2, 8, 2),
         (1040, 1050, main, receive, 6, 1, 0, 8, 1), (1060, 1070, main, receive, 5, -1, -1, 8)],
    )
    database.table(
        "MPI_COMMUNICATORS", "rank timestamp commHandle localRank size groupRoot groupRootUid", [(0, 0, 5, 0, 4, 0, 1)]
    )
    database.close()


ROCPD = {
    "metadata": ("id tag value", {"id": KEY, "tag": "TEXT", "value": "TEXT"}),
    "string": ("id guid string", {"id": KEY, "guid": "TEXT", "string": "TEXT UNIQUE"}),
    "info_node": ("id guid hash machine_id system_name hostname", {"id": KEY, "guid": "TEXT", "machine_id": "TEXT", "system_name": "TEXT", "hostname": "TEXT"}),
    "info_process": ("id guid nid ppid pid start end command extdata", {"id": KEY, "guid": "TEXT", "command": "TEXT", "extdata": "TEXT"}),
    "info_thread": ("id guid nid ppid pid tid name", {"id": KEY, "guid": "TEXT", "name": "TEXT"}),
    "info_agent": ("id guid nid pid type absolute_index logical_index type_index uuid name product_name", {"id": KEY, "guid": "TEXT", "type": "TEXT", "name": "TEXT", "product_name": "TEXT"}),
    "info_queue": ("id guid nid pid name", {"id": KEY, "guid": "TEXT", "name": "TEXT"}),
    "info_stream": ("id guid nid pid name", {"id": KEY, "guid": "TEXT", "name": "TEXT"}),
    "info_pmc": ("id guid nid pid agent_id name symbol units", {"id": KEY, "guid": "TEXT", "name": "TEXT", "symbol": "TEXT", "units": "TEXT"}),
    "info_kernel_symbol": ("id guid nid pid code_object_id kernel_name display_name", {"id": KEY, "guid": "TEXT", "kernel_name": "TEXT", "display_name": "TEXT"}),
    "track": ("id guid nid pid tid name_id", {"id": KEY, "guid": "TEXT"}),
    "event": ("id guid category_id stack_id parent_stack_id correlation_id extdata", {"id": KEY, "guid": "TEXT", "extdata": "TEXT"}),
    "arg": ("id guid event_id position type name value", {"id": KEY, "guid": "TEXT", "type": "TEXT", "name": "TEXT", "value": "TEXT"}),
    "pmc_event": ("id guid event_id pmc_id value", {"id": KEY, "guid": "TEXT", "value": "REAL"}),
    "region": ("id guid nid pid tid start end name_id event_id", {"id": KEY, "guid": "TEXT"}),
    "sample": ("id guid track_id timestamp event_id", {"id": KEY, "guid": "TEXT"}),
    "kernel_dispatch": (
        "id guid nid pid tid agent_id kernel_id dispatch_id queue_id stream_id start end private_segment_size "
        "group_segment_size workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x grid_size_y grid_size_z "
        "region_name_id event_id",
        {"id": KEY, "guid": "TEXT"},
    ),
    "memory_copy": (
        "id guid nid pid tid start end name_id dst_agent_id dst_address src_agent_id src_address size queue_id stream_id "
        "event_id",
        {"id": KEY, "guid": "TEXT"},
    ),
    "memory_allocate": (
        "id guid nid pid tid agent_id type level start end address size event_id",
        {"id": KEY, "guid": "TEXT", "type": "TEXT", "level": "TEXT"},
    ),
}
#: In an earlier version, times and places of events are rows of their own.
TRACKS = {
    "track": ("id guid nid pid tid agent_id queue_id stream_id name_id", {"id": KEY, "guid": "TEXT"}),
    "timestamp": ("id guid value phase track_id", {"id": KEY, "guid": "TEXT"}),
    "region": ("id guid track_id name_id start_id end_id event_id", {"id": KEY, "guid": "TEXT"}),
    "kernel_dispatch": ("id guid track_id kernel_id dispatch_id start_id end_id event_id", {"id": KEY, "guid": "TEXT"}),
}


def rocpd_tables(database, suffix, changes=None):
    """Creates the tables of a process, with a view of each as the tool does."""
    for name, (columns, types) in {**ROCPD, **(changes or {})}.items():
        database.table(f"rocpd_{name}{suffix}", columns, [], types)
        if suffix:
            view = f'CREATE VIEW IF NOT EXISTS "rocpd_{name}" AS SELECT * FROM "rocpd_{name}{suffix}"'
            database.connection.execute(view)


def rocpd_process(database, suffix, number, offset=0, changes=None):
    """Writes what a process did."""
    rocpd_tables(database, suffix, changes)

    def rows(name, *dicts):
        database.rows(f"rocpd_{name}{suffix}", dicts)

    names = [
        "HIP_RUNTIME_API_EXT", "MARKER_CORE_RANGE_API", "KERNEL_DISPATCH", "MEMORY_COPY", "hipLaunchKernel",
        "hipMemcpy", "roctxRangePushA", "MEMORY_COPY_HOST_TO_DEVICE", "roctxMarkA", "memory usage", "MPI", "MPI_Init",
    ]
    rows("string", *({"id": 10 + at, "string": name} for at, name in enumerate(names)))
    string = {name: 10 + at for at, name in enumerate(names)}
    rows("info_node", {"id": 1, "hash": 1, "machine_id": "a", "hostname": "node17"})
    rows("info_process", {"id": number, "nid": 1, "pid": number, "command": f"./solver {offset}"})
    rows("info_thread", {"id": 1, "nid": 1, "pid": number, "tid": number + 1}, {"id": 2, "nid": 1, "pid": number, "tid": number, "name": "main"})
    rows(
        "info_agent",
        {"id": 1, "nid": 1, "pid": number, "type": "CPU", "absolute_index": 0, "name": "EPYC"},
        {"id": 2, "nid": 1, "pid": number, "type": "GPU", "absolute_index": 4, "name": "gfx942", "product_name": "MI300A"},
    )
    rows("info_queue", {"id": 3, "nid": 1, "pid": number, "name": "Queue 1"})
    rows("info_stream", {"id": 1, "nid": 1, "pid": number, "name": "Default Stream"})
    rows("info_pmc", {"id": 1, "nid": 1, "pid": number, "agent_id": 2, "name": "SQ_WAVES", "symbol": "SQ_WAVES"})
    rows("info_kernel_symbol", {"id": 5, "nid": 1, "pid": number, "code_object_id": 1, "kernel_name": "_Z1kv.kd", "display_name": "k()"})
    events = [("HIP_RUNTIME_API_EXT", 7), ("MARKER_CORE_RANGE_API", 0), ("KERNEL_DISPATCH", 7), ("HIP_RUNTIME_API_EXT", 8), ("MEMORY_COPY", 8), ("MARKER_CORE_RANGE_API", 0), ("MPI", 0)]
    rows("event", *(
        {"id": at, "category_id": string[category], "correlation_id": correlation,
         "extdata": '{"message":"time step"}' if category.startswith("MARKER") else "{}"}
        for at, (category, correlation) in enumerate(events, 1)
    ))
    base = 1_000_000 + offset
    if changes:
        rows("track", {"id": 1, "nid": 1, "pid": number, "tid": 2}, {"id": 2, "nid": 1, "pid": number, "agent_id": 2, "queue_id": 3, "stream_id": 1})
        rows("timestamp", *({"id": at, "value": base + value} for at, value in enumerate((100, 900, 200, 400, 350, 800), 1)))
        rows("region", {"id": 1, "track_id": 1, "name_id": string["roctxRangePushA"], "start_id": 1, "end_id": 2, "event_id": 2},
             {"id": 2, "track_id": 1, "name_id": string["hipLaunchKernel"], "start_id": 3, "end_id": 4, "event_id": 1})
        rows("kernel_dispatch", {"id": 1, "track_id": 2, "kernel_id": 5, "dispatch_id": 1, "start_id": 5, "end_id": 6, "event_id": 3})
        rows("pmc_event", {"id": 1, "event_id": 3, "pmc_id": 1, "value": 512.0})
        return
    place = {"nid": 1, "pid": number, "tid": 2}
    # A range is written when it ends.
    rows(
        "region",
        {"id": 1, **place, "start": base + 50, "end": base + 60, "name_id": string["MPI_Init"], "event_id": 7},
        {"id": 2, **place, "start": base + 200, "end": base + 400, "name_id": string["hipLaunchKernel"], "event_id": 1},
        {"id": 3, **place, "start": base + 450, "end": base + 600, "name_id": string["hipMemcpy"], "event_id": 4},
        {"id": 4, **place, "start": base + 100, "end": base + 900, "name_id": string["roctxRangePushA"], "event_id": 2},
    )
    work = {"agent_id": 2, "queue_id": 3, "stream_id": 1}
    size = {f"{what}_size_{axis}": (256 if what == "workgroup" else 1024) if axis == "x" else 1 for what in ("workgroup", "grid") for axis in "xyz"}
    rows("kernel_dispatch", {"id": 1, **place, **work, "kernel_id": 5, "dispatch_id": 1, "start": base + 350, "end": base + 800, **size, "private_segment_size": 0, "group_segment_size": 2048, "event_id": 3})
    rows("memory_copy", {"id": 1, **place, "start": base + 500, "end": base + 590, "name_id": string["MEMORY_COPY_HOST_TO_DEVICE"], "dst_agent_id": 2, "src_agent_id": 1, "size": 65536, "stream_id": 1, "event_id": 5})
    rows("memory_allocate", {"id": 1, **place, "agent_id": 2, "type": "ALLOC", "level": "REAL", "start": base + 70, "end": base + 90, "address": 4096, "size": 1 << 20})
    rows("track", {"id": 1, **place, "name_id": string["memory usage"]})
    rows("sample", {"id": 1, "track_id": 1, "timestamp": base + 150, "event_id": 6}, {"id": 2, "track_id": 1, "timestamp": base + 160})
    rows("pmc_event", {"id": 1, "event_id": 3, "pmc_id": 1, "value": 512.0}, {"id": 2, "event_id": 6, "pmc_id": 1, "value": 0.5})
    rows("arg", {"id": 1, "event_id": 1, "position": 0, "type": "int", "name": "n", "value": "3"})


def rocpd(path, processes, changes=None):
    database = Database(path)
    for at, (suffix, number) in enumerate(processes):
        rocpd_process(database, suffix, number, 10 * at, changes)
    database.close()


def cut_off(path):
    """Removes the last quarter of a database, but leaves the beginning of its last page."""
    bytes_ = path.read_bytes()
    path.write_bytes(bytes_[: len(bytes_) * 3 // 4 // 512 * 512 + 100])


def nsight_cut_off(path):
    database = Database(path)
    strings(database)
    calls = [(100 * at, 100 * at + 50, 27, thread(31, 31), 16, 0) for at in range(200)]
    database.table("OSRT_API", "start end eventClass globalTid nameId returnValue", calls)
    database.close()
    cut_off(path)


def rocpd_cut_off(path):
    database = Database(path)
    for name in ("string", "region"):
        columns, types = ROCPD[name]
        database.table(f"rocpd_{name}", columns, [], types)
    database.rows("rocpd_string", [{"id": 1, "string": "hipMalloc"}])
    calls = [{"nid": 1, "pid": 1, "tid": 1, "start": 100 * at, "end": 100 * at + 50, "name_id": 1} for at in range(200)]
    database.rows("rocpd_region", calls)
    database.close()
    cut_off(path)


def damaged(good, path, table):
    """Overwrites the first page of a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(f"file:{good}?immutable=1", uri=True)
    (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    connection.close()
    bytes_ = bytearray(good.read_bytes())
    bytes_[(page - 1) * 512 : page * 512] = b"\xaa" * 512
    path.write_bytes(bytes_)


def main(folder):
    nsight, rocm = folder / "nsight", folder / "rocpd"
    program = nsight / "good/program/input.sqlite"
    nsight_program(program)
    nsight_reports(program, nsight / "good/reports/input")
    nsight_old(nsight / "good/old/input.sqlite")
    nsight_irregular(nsight / "good/irregular/input.sqlite")
    empty = Database(nsight / "good/no_events/input.sqlite")
    strings(empty)
    empty.close()
    nsight_cut_off(nsight / "bad/cut_off/input.sqlite")
    damaged(program, nsight / "bad/damaged/input.sqlite", "MPI_COLLECTIVES_EVENTS")
    process = rocm / "good/process/input.db"
    rocpd(process, [(GUID, 4242)])
    rocpd(rocm / "good/merged/input.db", [(GUID, 4242), (OTHER_GUID, 77)])
    rocpd(rocm / "good/tracks/input.db", [("", 4242)], TRACKS)
    for number, guid in ((4242, GUID), (77, OTHER_GUID)):
        rocpd(rocm / f"good/machines/input/node{number}/{number}_results.db", [(guid, number)])
    rocpd_cut_off(rocm / "bad/cut_off/input.db")
    damaged(process, rocm / "bad/damaged/input.db", f"rocpd_kernel_dispatch{GUID}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "tests/data")
