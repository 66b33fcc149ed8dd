"""Stores as a data scientist meets them: DuckDB and pyarrow read what the command wrote, and what
they see must be what otf2-print, which shares no code with us, sees in the source."""

import contextlib
import json
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import duckdb
import jsonschema
import pyarrow.dataset as dataset
from sources import FOLDTRACE, ROOT, printed, run

MESSAGE = re.compile(r"(?:Receiver|Sender): (\d+).*Tag: (\d+), Length: (\d+)")


def with_views(store):
    """A connection that knows the store's views, and the folder where they work.

    Their paths are relative: to the store itself, or else to the folder that holds it.
    """
    for folder in (store, store.parent):
        connection = duckdb.connect()
        with contextlib.chdir(folder), contextlib.suppress(duckdb.IOException):
            connection.execute((store / "views.sql").read_text())
            return connection, folder
    raise AssertionError(f"{store}/views.sql works neither in the store nor beside it")


class Store:
    """What holds for the store of every example."""

    example = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        archive = ROOT / "examples" / cls.example
        cls.store = Path(scratch.name) / f"{cls.example}.fold"
        run(FOLDTRACE, "convert", str(archive), str(cls.store))
        cls.source = printed(archive)
        cls.views, cls.folder = with_views(cls.store)

    def query(self, sql):
        with contextlib.chdir(self.folder):
            return self.views.execute(sql).fetchall()

    def table(self, name):
        """The files of one table, in order, as one table."""
        return dataset.dataset(sorted((self.store / name).glob("part-*.parquet"))).to_table()

    def test_no_event_is_lost_or_invented(self):
        self.assertGreater(len(self.source), 0)
        self.assertEqual(self.query("SELECT count(*) FROM events"), [(len(self.source),)])

    def test_kinds(self):
        kinds = dict(self.query("SELECT kind, count(*) FROM events GROUP BY kind"))
        self.assertEqual(kinds, Counter(kind for _, kind, _, _ in self.source))

    def test_order_and_times(self):
        seen = self.query("SELECT location, kind, time FROM events ORDER BY location, position")
        self.assertEqual(seen, [event[:3] for event in self.source])

    def test_messages(self):
        seen = self.query(
            "SELECT location, peer, tag, bytes FROM events"
            " WHERE kind IN ('mpi_send', 'mpi_isend', 'mpi_recv', 'mpi_irecv')"
            " ORDER BY location, position"
        )
        expected = [
            (location, *map(int, match.groups()))
            for location, _, _, operands in self.source
            if (match := MESSAGE.match(operands))
        ]
        self.assertGreater(len(expected), 0)
        self.assertEqual(seen, expected)

    def test_positions_count_from_zero_without_gaps(self):
        gaps = self.query(
            "SELECT location FROM events GROUP BY location"
            " HAVING min(position) <> 0 OR max(position) <> count(*) - 1"
            " OR count(DISTINCT position) <> count(*)"
        )
        self.assertEqual(gaps, [])

    def test_topology_and_quantity_have_the_same_rows(self):
        topology, quantity = self.table("topology"), self.table("quantity")
        self.assertEqual(topology.num_rows, len(self.source))
        self.assertEqual(quantity.num_rows, len(self.source))
        keys = ["location", "position"]
        self.assertTrue(topology.select(keys).equals(quantity.select(keys)))

    def test_info_counts_the_same(self):
        info = json.loads(run(FOLDTRACE, "info", str(self.store), "--json"))
        self.assertEqual(info["events"], len(self.source))
        self.assertEqual(info["kinds"], Counter(kind for _, kind, _, _ in self.source))
        self.assertEqual(info["locations"], len({location for location, _, _, _ in self.source}))


class DerivedTables(Store):
    """The same, and what follows from the events: as tables, compared with the source and with the views
    that compute it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.computed = cls.views
        run(FOLDTRACE, "derive", str(cls.store))
        cls.views, _ = with_views(cls.store)

    def of_kinds(self, *kinds):
        return [event for event in self.source if event[1] in kinds]

    def compute(self, sql):
        """What the views of the store before it had the tables say."""
        with contextlib.chdir(self.folder):
            return self.computed.execute(sql).fetchall()

    def test_every_enter_is_a_call_and_every_leave_its_end(self):
        enters = self.query("SELECT location, start FROM calls ORDER BY location, begin_position")
        self.assertEqual(enters, [(location, time) for location, _, time, _ in self.of_kinds("enter")])
        leaves = self.query("SELECT location, start + duration FROM calls ORDER BY location, end_position")
        self.assertEqual(leaves, [(location, time) for location, _, time, _ in self.of_kinds("leave")])

    def test_calls_end_in_the_region_where_they_began(self):
        sql = (
            "SELECT count(*) FROM calls AS c JOIN events AS b ON c.location = b.location"
            " AND c.begin_position = b.position JOIN events AS e ON c.location = e.location"
            " AND c.end_position = e.position"
            " WHERE c.region = b.region AND c.region = e.region AND c.name = b.name"
        )
        self.assertEqual(self.query(sql), [(len(self.of_kinds("enter")),)])

    def test_nested_calls_are_those_of_the_computed_view(self):
        columns = "location, rank, thread, name, region, depth, start, duration, begin_position, end_position"
        misnested = self.query("SELECT DISTINCT location FROM calls WHERE misnested")
        others = f"WHERE location NOT IN {tuple(location for location, in misnested) + (-1, -2)}"
        sql = f"SELECT {columns} FROM calls {others} ORDER BY location, begin_position"
        self.assertEqual(self.query(sql), self.compute(sql))

    def test_every_send_and_every_receive_is_of_one_message(self):
        for side, bytes_, kinds in (
            ("send", "bytes", ("mpi_send", "mpi_isend")),
            ("receive", "bytes_received", ("mpi_recv", "mpi_irecv")),
        ):
            seen = self.query(
                f"SELECT {side}_location, tag, {bytes_} FROM messages"
                f" WHERE {side}_position IS NOT NULL ORDER BY {side}_location, {side}_position"
            )
            expected = [
                (location, *map(int, MESSAGE.match(operands).groups()[1:]))
                for location, _, _, operands in self.of_kinds(*kinds)
            ]
            self.assertEqual(seen, expected)

    def test_messages_are_those_of_the_computed_view(self):
        columns = (
            "sender, receiver, communicator, tag, bytes, sent, received,"
            " send_location, send_position, receive_location, receive_position"
        )
        sql = f"SELECT {columns} FROM messages WHERE sent IS NOT NULL ORDER BY send_location, send_position"
        self.assertEqual(self.query(sql), self.compute(sql))

    def test_every_end_of_a_collective_is_of_one_operation(self):
        seen = self.query("SELECT location, ended FROM collective_members ORDER BY location, end_position")
        ends = self.of_kinds("mpi_collective_end")
        self.assertEqual(seen, [(location, time) for location, _, time, _ in ends])
        processes = len({location for location, _, _, _ in self.source})
        operations = self.query("SELECT DISTINCT members, size FROM collectives")
        self.assertEqual(operations, [(processes, processes)] if ends else [])
        begun = self.query("SELECT location, begun FROM collective_members ORDER BY location, begin_position")
        begins = self.of_kinds("mpi_collective_begin")
        self.assertEqual(begun, [(location, time) for location, _, time, _ in begins])


class Stencil(DerivedTables, unittest.TestCase):
    example = "stencil-9"


class Ring(DerivedTables, unittest.TestCase):
    example = "ring-4"


class Farm(DerivedTables, unittest.TestCase):
    example = "farm-5"


class MatchedProbes(unittest.TestCase):
    """Rank 1 takes the first message by a matched probe, and looks at the second one before it receives it."""

    TRACE = """\
0 send 1 5 bytes=10 time=0
0 send 1 5 bytes=20 time=1
0 send 1 5 bytes=30 time=2
1 local mpi_probe peer=0 communicator=0 tag=5 value=9 time=10
1 local mpi_probe peer=0 communicator=0 tag=5 time=11
0 recv 1 5 bytes=20 time=12
1 local mpi_mrecv bytes=10 value=9 time=13
0 recv 1 5 bytes=30 time=14
"""

    def test_later_messages_keep_their_receives(self):
        with tempfile.TemporaryDirectory() as scratch:
            trace, store = Path(scratch) / "probes.trace", Path(scratch) / "probes.fold"
            trace.write_text(self.TRACE)
            run(FOLDTRACE, "convert", str(trace), str(store))
            views, folder = with_views(store)
            with contextlib.chdir(folder):
                seen = views.execute("SELECT bytes, sent, received FROM messages ORDER BY sent").fetchall()
        self.assertEqual(seen, [(10, 0, 10), (20, 1, 12), (30, 2, 14)])


class Schemas(unittest.TestCase):
    def test_published_schemas_are_schemas(self):
        for path in sorted((ROOT / "schemas").rglob("*.schema.json")):
            with self.subTest(path.name):
                schema = json.loads(path.read_text())
                jsonschema.validators.validator_for(schema).check_schema(schema)


if __name__ == "__main__":
    unittest.main()
