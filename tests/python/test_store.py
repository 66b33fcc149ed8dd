"""Reads stores with DuckDB and pyarrow, and compares them with the output of otf2-print for the source.

otf2-print shares no code with foldtrace.
"""

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
    """Returns a connection with the store's views, and the folder in which they work.

    The views have paths relative to that folder: the store itself, or the folder that contains it.
    """
    for folder in (store, store.parent):
        connection = duckdb.connect()
        with contextlib.chdir(folder), contextlib.suppress(duckdb.IOException):
            connection.execute((store / "views.sql").read_text())
            return connection, folder
    raise AssertionError(f"{store}/views.sql works neither in the store nor beside it")


class Store:
    """Tests for the store of each example."""

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
        """Reads the files of a table, in order, as one table."""
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
    """The same tests with derived tables, which are compared with the source and with the views that compute them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.computed = cls.views
        run(FOLDTRACE, "derive", str(cls.store))
        cls.views, _ = with_views(cls.store)

    def of_kinds(self, *kinds):
        return [event for event in self.source if event[1] in kinds]

    def compute(self, sql):
        """Queries the views that do not use derived tables."""
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


    def test_iterations_are_those_of_the_models(self):
        """Iterations of inner loops are within one of the enclosing loop, and times are those of the events."""
        iterations = self.query("SELECT count(*) FROM iterations")
        loops = self.query(
            f"SELECT count(*) FROM '{self.store}/models/loops.parquet' WHERE count IS NOT NULL AND depth = 0"
        )
        self.assertEqual(iterations == [(0,)], loops == [(0,)])
        self.assertEqual(
            self.query(
                "SELECT location, count(*), min(first_position) FROM iterations WHERE depth = 0 AND iteration = 0"
                " GROUP BY ALL ORDER BY ALL"
            ),
            self.query(
                f"WITH rows AS (SELECT *, row_number() OVER () AS row FROM '{self.store}/models/loops.parquet'),"
                " tops AS (SELECT *, row_number() OVER (PARTITION BY location ORDER BY row) - 1 AS before FROM rows"
                " WHERE depth = 0)"
                " SELECT location, count(*), min(i) FROM (SELECT location, before AS i FROM tops WHERE count IS NOT NULL)"
                " GROUP BY ALL ORDER BY ALL"
            ),
        )
        wrong = self.query(
            "SELECT count(*) FROM iterations AS i JOIN events AS b ON i.location = b.location"
            " AND i.first_position = b.position JOIN events AS e ON i.location = e.location"
            " AND i.last_position = e.position WHERE i.start <> b.time OR i.\"end\" <> e.time"
        )
        self.assertEqual(wrong, [(0,)])
        outside = self.query(
            "SELECT count(*) FROM iterations AS i WHERE depth > 0 AND NOT EXISTS (FROM iterations AS o"
            " WHERE o.location = i.location AND o.depth = i.depth - 1 AND i.loop LIKE o.loop || '.%'"
            " AND o.first_position <= i.first_position AND i.last_position <= o.last_position)"
        )
        self.assertEqual(outside, [(0,)])

    def test_differences_are_signed(self):
        self.query("SELECT receiver - sender, received - sent, receive_position - send_position FROM messages")
        self.query("SELECT depth - 9, begin_position - end_position, rank - 9 FROM calls")
        self.query("SELECT members - size, root - 9, number - instance FROM collectives")


class SeveralStores(unittest.TestCase):
    """Views of several stores in one database that is saved and reopened, and of moved stores."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = Path(scratch.name)
        for name in ("ring-4", "stencil-9"):
            run(FOLDTRACE, "convert", "-q", str(ROOT / "examples" / name), str(cls.root / f"{name}.fold"))

    def messages(self, name):
        connection, folder = with_views(self.root / f"{name}.fold")
        with contextlib.chdir(folder):
            return connection.execute("SELECT count(*) FROM messages").fetchone()

    def test_they_coexist_and_are_found_again(self):
        expected = {name: self.messages(name) for name in ("ring-4", "stencil-9")}
        self.assertEqual(len(set(expected.values())), 2)
        schemas = {"a": "ring-4", "b": "stencil-9", "c": "ring-4"}

        def seen(connection):
            sql = "SELECT count(*) FROM {}.messages"
            return {schema: connection.execute(sql.format(schema)).fetchone() for schema in schemas}

        with contextlib.chdir(self.root):
            with duckdb.connect("saved.duckdb") as connection:
                for schema, name in schemas.items():
                    connection.execute(f"CREATE SCHEMA {schema}; USE {schema}")
                    if schema == "c":
                        connection.execute(f"SET VARIABLE foldtrace_store = '{self.root}/{name}.fold'")
                    connection.execute(Path(f"{name}.fold/views.sql").read_text())
                self.assertEqual(seen(connection), {s: expected[n] for s, n in schemas.items()})
            with duckdb.connect("saved.duckdb") as connection:
                self.assertEqual(seen(connection), {s: expected[n] for s, n in schemas.items()})
        # A store with an absolute path is found from any folder.
        with contextlib.chdir("/"), duckdb.connect(str(self.root / "saved.duckdb")) as connection:
            self.assertEqual(connection.execute("SELECT count(*) FROM c.messages").fetchone(), expected["ring-4"])

    def test_a_store_that_is_not_there_or_another_one_is_named(self):
        sql = (self.root / "ring-4.fold" / "views.sql").read_text()
        with tempfile.TemporaryDirectory() as elsewhere, contextlib.chdir(elsewhere):
            with self.assertRaisesRegex(duckdb.Error, "ring-4.fold is not here.*foldtrace_store"):
                duckdb.connect().execute(sql)
            with self.assertRaisesRegex(duckdb.Error, "ring-4.fold is not here"):
                duckdb.connect().execute("SET VARIABLE foldtrace_store = '/nowhere'; " + sql)
        with contextlib.chdir(self.root / "stencil-9.fold"):
            with self.assertRaisesRegex(duckdb.Error, "another store"):
                duckdb.connect().execute(sql)

    def test_names_may_have_any_characters(self):
        ring = self.root / "ring-4.fold"
        names = ["it's.fold", "a*b[c]?.fold", "two\nlines; DROP TABLE t.fold", "ranks=4.fold", "é – x.fold"]
        for name in names:
            with self.subTest(name):
                store = self.root / name
                run(FOLDTRACE, "convert", "-q", str(ring), str(store))
                moved = self.root / "moved" / name
                moved.parent.mkdir(exist_ok=True)
                for move in (False, True):
                    path = store.rename(moved) if move else store
                    connection = duckdb.connect()
                    with contextlib.chdir(path.parent):
                        connection.execute((path / "views.sql").read_text())
                        count = connection.execute("SELECT count(*) FROM messages").fetchone()
                    self.assertEqual(count, self.messages("ring-4"))
                    connection = duckdb.connect()
                    connection.execute("SET VARIABLE foldtrace_store = '%s'" % str(path).replace("'", "''"))
                    connection.execute((path / "views.sql").read_text())
                    self.assertEqual(connection.execute("SELECT count(*) FROM messages").fetchone(), count)


class Metrics(unittest.TestCase):
    """Values of metrics with their names and units, scaled according to their definitions."""

    TRACE = """\
#: string id=1 "PAPI_TOT_INS"
#: string id=2 "bytes read"
#: string id=3 "B"
#: string id=4 "#"
#: metric_member id=5 name=1 description=1 type=0 mode=0 value_type=4 base=0 exponent=0 unit=4
#: metric_member id=6 name=2 description=2 type=0 mode=0 value_type=4 base=0 exponent=3 unit=3
#: metric_class id=7 occurrence=0 recorder_kind=0 members=5,6
#: metric_instance id=8 metric_class=7 recorder=0 scope_type=0 scope=0
0 local metric metric=7 value.0=uint64:9007199254740993 value.1=uint64:3 time=5
0 local metric metric=8 value.1=uint64:4 time=6
"""

    def test_names_units_and_values(self):
        with tempfile.TemporaryDirectory() as scratch:
            trace, store = Path(scratch) / "metrics.trace", Path(scratch) / "metrics.fold"
            trace.write_text(self.TRACE)
            run(FOLDTRACE, "convert", "-q", str(trace), str(store))
            views, folder = with_views(store)
            with contextlib.chdir(folder):
                rows = views.execute(
                    "SELECT time, rank, name, unit, value, uint64 FROM metrics ORDER BY position, member"
                ).fetchall()
                names = views.execute("SELECT name FROM events ORDER BY position").fetchall()
        self.assertEqual([row[:2] for row in rows], [(5, 0), (5, 0), (6, 0)])
        # A base of 0 in OTF2 is binary.
        self.assertEqual(
            [row[2:] for row in rows],
            [
                ("PAPI_TOT_INS", "#", float(2**53), 2**53 + 1),
                ("bytes read", "B", 3 * 2.0**3, 3),
                ("bytes read", "B", 4 * 2.0**3, 4),
            ],
        )
        self.assertEqual(names, [("PAPI_TOT_INS, bytes read",)] * 2)


class MatchedProbes(unittest.TestCase):
    """Rank 1 receives the first message by a matched probe, and probes the second one before receiving it."""

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
