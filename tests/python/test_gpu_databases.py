"""What foldtrace reads from databases of Nsight Systems and rocpd, compared with what their tables say by themselves."""

import re
import sqlite3
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from sources import FOLDTRACE, ROOT

DATA = ROOT / "tests/data"
QUOTED = r'"((?:[^"\\]|\\.)*)"'
STRING = re.compile(rf"#: string id=(\d+) {QUOTED}")
ATTRIBUTE = re.compile(r"#: attribute id=(\d+) name=(\d+)")
REGION = re.compile(r"#: region id=(\d+) name=(\d+)")
EVENT = re.compile(rf"\S+ local enter (?:{QUOTED}|region=(\d+)|(\S+))")
CARRIED = re.compile(r" attribute\.(\d+)=int64:(\d+)")


class Text:
    """A trace as text: how often each region is entered, what its attributes add up to, and how many bytes are sent."""

    def __init__(self, path):
        self.entered, self.sums = Counter(), Counter()
        self.sent, self.received, self.metrics = Counter(), Counter(), 0
        strings, attributes, regions = {}, {}, {}
        # Definitions may come after the events that need them.
        lines = path.read_text().splitlines()
        for line in lines:
            if match := STRING.match(line):
                strings[match[1]] = re.sub(r'\\(["\\])', r"\1", match[2])
            elif match := ATTRIBUTE.match(line):
                attributes[match[1]] = match[2]
            elif match := REGION.match(line):
                regions[match[1]] = match[2]
        for line in lines:
            if match := EVENT.match(line):
                name = match[3] or re.sub(r'\\(["\\])', r"\1", match[1] or strings[regions[match[2]]])
                self.entered[name] += 1
                for attribute, value in CARRIED.findall(line):
                    self.sums[name, strings[attributes[attribute]]] += int(value)
            elif match := re.match(r"(\d+)\S* i?send (\d+)\S* .*bytes=(\d+)", line):
                self.sent[match[1], match[2]] += int(match[3])
            elif match := re.match(r"(\d+)\S* i?recv (\d+)\S* .*bytes=(\d+)", line):
                self.received[match[1], match[2]] += int(match[3])
            elif " local metric " in line:
                self.metrics += 1


class Databases(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def read(self, database):
        before = database.read_bytes()
        text = self.scratch / "run.trace"
        done = subprocess.run(
            [FOLDTRACE, "convert", "-q", "--force", database, text], capture_output=True, text=True
        )
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(database.read_bytes(), before, "the database has changed")
        self.assertEqual([path.name for path in database.parent.glob("input.*")], [database.name])
        return Text(text)

    def query(self, database, sql):
        connection = sqlite3.connect(f"file:{database}?immutable=1", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def count(self, database, *queries):
        """Returns how often each name occurs in the results of queries."""
        return Counter(name for sql in queries for (name,) in self.query(database, sql))

    def test_a_program_of_nsight_has_the_calls_and_bytes_of_its_tables(self):
        database = DATA / "nsight/good/program/input.sqlite"
        text = self.read(database)
        named = "SELECT value FROM {} JOIN StringIds ON StringIds.id = {}"
        calls = self.count(
            database,
            *(
                named.format(table, column)
                for table, column in [
                    ("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId"),
                    ("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName"),
                    ("OSRT_API", "nameId"),
                    ("VULKAN_API", "nameId"),
                    ("MPI_P2P_EVENTS", "textId"),
                    ("MPI_COLLECTIVES_EVENTS", "textId"),
                    ("MPI_START_WAIT_EVENTS", "textId"),
                    ("MPI_OTHER_EVENTS", "textId"),
                ]
            ),
            "SELECT coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON StringIds.id = textId"
            " WHERE eventType IN (59, 60)",
            "SELECT '[CUDA memcpy ' || label || ']' FROM CUPTI_ACTIVITY_KIND_MEMCPY"
            " JOIN ENUM_CUDA_MEMCPY_OPER ON copyKind = id",
            "SELECT '[CUDA memset]' FROM CUPTI_ACTIVITY_KIND_MEMSET",
            "SELECT '[CUDA synchronization Context sync]' FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION WHERE syncType = 4",
        )
        self.assertEqual(text.entered, calls)
        for name, table in (("memcpy Host-to-Device", "MEMCPY"), ("memset", "MEMSET")):
            [(total,)] = self.query(database, f"SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_{table}")
            self.assertEqual(text.sums[f"[CUDA {name}]", "bytes"], total)
        [(grid, block)] = self.query(database, "SELECT sum(gridX), sum(blockX) FROM CUPTI_ACTIVITY_KIND_KERNEL")
        kernel = "jacobi(double*, int)"
        self.assertEqual((text.sums[kernel, "gridX"], text.sums[kernel, "blockX"]), (grid, block))
        messages = self.query(
            database,
            "SELECT rank, remoteRank, sum(size) FROM MPI_P2P_EVENTS AS m JOIN MPI_RANKS AS r ON m.globalTid = r.globalTid"
            " JOIN StringIds ON id = textId WHERE value LIKE '%send' GROUP BY 1, 2",
        )
        sent = Counter({(str(rank), str(peer)): size for rank, peer, size in messages})
        self.assertEqual(text.sent, sent)
        self.assertEqual(text.received, sent)
        tables = ("GPU_METRICS", "SCHED_EVENTS", "COMPOSITE_EVENTS")
        samples = [self.query(database, f"SELECT count(*) FROM {table}")[0][0] for table in tables]
        self.assertEqual(text.metrics, sum(samples))

    def test_processes_of_rocpd_have_the_calls_and_bytes_of_their_tables(self):
        for case in ("process", "merged"):
            with self.subTest(case):
                database = DATA / f"rocpd/good/{case}/input.db"
                text = self.read(database)
                tables = [name for (name,) in self.query(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
                suffixes = [name.removeprefix("rocpd_string") for name in tables if name.startswith("rocpd_string")]
                self.assertEqual(len(suffixes), 1 if case == "process" else 2)
                calls, copied, counters = Counter(), 0, 0
                for suffix in suffixes:
                    calls += self.count(
                        database,
                        f"SELECT CASE WHEN c.string LIKE 'MARKER%' THEN json_extract(extdata, '$.message') ELSE n.string END"
                        f' FROM "rocpd_region{suffix}" AS r JOIN "rocpd_string{suffix}" AS n ON n.id = name_id'
                        f' JOIN "rocpd_event{suffix}" AS e ON e.id = event_id'
                        f' JOIN "rocpd_string{suffix}" AS c ON c.id = category_id',
                        f'SELECT display_name FROM "rocpd_kernel_dispatch{suffix}"'
                        f' JOIN "rocpd_info_kernel_symbol{suffix}" AS k ON k.id = kernel_id',
                        f'SELECT string FROM "rocpd_memory_copy{suffix}" JOIN "rocpd_string{suffix}" AS n ON n.id = name_id',
                        f"SELECT '[memory ' || lower(type) || ' ' || lower(level) || ']'"
                        f' FROM "rocpd_memory_allocate{suffix}"',
                    )
                    copied += self.query(database, f'SELECT sum(size) FROM "rocpd_memory_copy{suffix}"')[0][0]
                    counters += self.query(database, f'SELECT count(*) FROM "rocpd_pmc_event{suffix}"')[0][0]
                self.assertEqual(text.entered, calls)
                self.assertEqual(text.sums["MEMORY_COPY_HOST_TO_DEVICE", "size"], copied)
                self.assertEqual(text.metrics, counters)


if __name__ == "__main__":
    unittest.main()
