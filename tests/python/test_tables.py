"""Loads flat tables with DuckDB, pandas, Polars and pyarrow, and compares them with the events of the store."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.ipc as ipc
import pyarrow.parquet as parquet

ROOT = Path(__file__).resolve().parents[2]
FOLDTRACE = os.environ.get("FOLDTRACE", str(ROOT / "target/debug/foldtrace"))

# A trace with ids, ranks, late definitions, metrics and attributes, and a clock that does not tick in nanoseconds.
TRACE = """\
#: clock_properties ticks_per_second=3000000000 global_offset=100 trace_length=60 realtime_timestamp=0
#: string id=1 "caches, \\"missed\\""
#: metric_member id=5 name=1 description=1 type=0 mode=0 value_type=4 base=0 exponent=0 unit=1
#: metric_class id=7 occurrence=0 recorder_kind=0 members=5
1 local enter late time=110
0 send 1 17 bytes=18446744073709551614 time=99
0 local metric metric=7 value.0=uint64:9007199254740993 time=101
1 local leave late time=121
0 recv 1 17 bytes=8 time=131
1 local parameter_int parameter=3 value=-1 time=132
"""


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        (cls.folder / "small.trace").write_text(TRACE)
        cls.sources = [ROOT / "examples" / name for name in ("stencil-9", "ring-4", "wave-4")]
        cls.sources.append(cls.folder / "small.trace")

    def convert(self, source, name, *options, code=0):
        target = self.folder / name
        command = [FOLDTRACE, "convert", "--quiet", "--force", str(source), str(target), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        # Data without a column is reported.
        self.assertEqual("table.left_out" in done.stderr, code == 3, done.stderr)
        return target

    def events(self, source):
        """Returns a connection with the view `events` of a store of the source."""
        store = self.convert(source, "run.fold")
        connection = duckdb.connect()
        connection.execute(f"SET VARIABLE foldtrace_store = '{store}'")
        connection.execute((store / "views.sql").read_text())
        return connection

    def test_the_flat_table_is_the_view_events(self):
        for source in self.sources:
            with self.subTest(source.name):
                connection = self.events(source)
                path = self.convert(source, "run.parquet")
                flat = connection.sql(f"SELECT * EXCLUDE (metrics, attributes) FROM '{path}'")
                events = connection.sql("SELECT * FROM events")
                self.assertEqual(flat.columns, events.columns)
                self.assertEqual(flat.types, events.types)
                ordered = events.order("location, position").fetchall()
                self.assertGreater(len(ordered), 0)
                self.assertEqual(flat.fetchall(), ordered)

    def test_csv_is_the_same(self):
        for source in self.sources:
            with self.subTest(source.name):
                connection = self.events(source)
                path = self.convert(source, "run.csv")
                events = connection.sql("SELECT * FROM events")
                types = {c: str(t) for c, t in zip(events.columns, events.types)}
                types |= {"metrics": "JSON", "attributes": "JSON"}
                text = connection.sql(f"FROM read_csv('{path}', header = true, columns = {types}, new_line = '\\r\\n')")
                rows = [row[:-2] for row in text.fetchall()]
                self.assertEqual(rows, events.order("location, position").fetchall())

    def test_every_tool_sees_the_same(self):
        for source in self.sources:
            with self.subTest(source.name):
                table = parquet.read_table(self.convert(source, "run.parquet"))
                path = self.convert(source, "run.arrow")
                arrow = ipc.open_file(str(path)).read_all()
                self.assertEqual(arrow.schema, table.schema)
                self.assertEqual(arrow.to_pylist(), table.to_pylist())
                self.assertEqual(polars.read_ipc(path).to_dicts(), table.to_pylist())
                self.assertEqual(polars.read_parquet(self.folder / "run.parquet").to_dicts(), table.to_pylist())
                stream = subprocess.run(
                    [FOLDTRACE, "convert", "--quiet", str(source), "-", "--to", "arrow"], check=True, capture_output=True)
                self.assertEqual(ipc.open_stream(stream.stdout).read_all().to_pylist(), table.to_pylist())

    def test_numbers_are_signed_and_pandas_makes_no_floats_of_them(self):
        signed = ["rank", "thread", "position", "ticks", "peer", "tag", "root", "bytes", "bytes_received", "offset"]
        path = self.convert(self.sources[0], "run.parquet")
        feather = self.convert(self.sources[0], "run.arrow")
        schema = parquet.read_schema(path)
        self.assertEqual({str(schema.field(name).type) for name in signed}, {"int64"})
        for frame in (pandas.read_parquet(path), pandas.read_feather(feather)):
            self.assertEqual({str(frame[name].dtype) for name in signed}, {"int64", "Int64"})
            self.assertEqual(str(frame["bytes"].dtype), "Int64")
            self.assertEqual(str(frame["region"].dtype), "UInt64")
            self.assertEqual((frame["peer"] - frame["rank"]).min() < 0, True)
        polar = polars.read_parquet(path)
        self.assertLess((polar["peer"] - polar["rank"]).min(), 0)
        [(low,)] = duckdb.sql(f"SELECT min(peer - rank) FROM '{path}'").fetchall()
        self.assertLess(low, 0)

    def test_tables_of_a_store_are_signed_in_every_tool(self):
        store = self.convert(ROOT / "examples/farm-5", "signs.fold")
        subprocess.run([FOLDTRACE, "derive", "--quiet", str(store)], check=True, capture_output=True)
        self.assertEqual(json.loads((store / "manifest.json").read_text())["unsigned"], {})
        messages = store / "derived/messages.parquet"
        expected = parquet.read_table(messages).to_pydict()
        sent, received = expected["sent"], expected["received"]
        both = [r - s for s, r in zip(sent, received) if s is not None and r is not None]
        frame = pandas.read_parquet(messages)
        self.assertEqual({str(frame[name].dtype) for name in ("sender", "tag", "bytes", "sent")}, {"Int64"})
        self.assertEqual(((frame["received"] - frame["sent"]).min(), (frame["received"] - frame["sent"]).max()),
                         (min(both), max(both)))
        polar = polars.read_parquet(messages)
        self.assertEqual((polar["received"] - polar["sent"]).max(), max(both))
        lowest = min(s - r for s, r in zip(expected["sender"], expected["receiver"]))
        self.assertEqual((polar["sender"] - polar["receiver"]).min(), lowest)
        quantity = pandas.read_parquet(store / "quantity")
        self.assertEqual({str(quantity[name].dtype) for name in ("position", "time")}, {"int64"})
        self.assertEqual(str(quantity["bytes"].dtype), "Int64")
        symbols = pandas.read_parquet(store / "symbols.parquet")
        self.assertEqual({str(symbols[name].dtype) for name in ("peer", "tag", "root")}, {"Int64"})

    def test_a_column_that_needs_the_last_bit_is_unsigned_in_all_parts(self):
        """Rank 0 has 64-bit values, rank 1 only small ones. Rank 0 has so many events that each has a part of its own."""
        archive = self.folder / "wide.otf2"
        trace = self.folder / "wide.trace"
        trace.write_text("0 send 1 6 bytes=8 time=9\n" * 200_000 +
                         "0 send 1 4294967294 bytes=18446744073709551614 time=9\n1 send 0 5 bytes=8 time=10\n"
                         "0 send 1 3 bytes=* time=9223372036854775808\n1 send 0 4 bytes=3 time=11\n")
        self.convert(trace, archive.name, "--to", "otf2")
        store = self.convert(archive, "wide.fold")
        manifest = json.loads((store / "manifest.json").read_text())
        self.assertEqual(manifest["unsigned"].get("quantity"), ["bytes", "time"])
        self.assertNotIn("symbols", manifest["unsigned"])
        parts = sorted((store / "quantity").iterdir())
        self.assertGreater(len(parts), 1)
        for part in parts:
            schema = parquet.read_schema(part)
            self.assertEqual([str(schema.field(n).type) for n in ("position", "time", "bytes")],
                             ["int64", "uint64", "uint64"])
        found = duckdb.sql(f"SELECT min(bytes), max(bytes), max(time) FROM '{store}/quantity/*.parquet'").fetchall()
        self.assertEqual(found, [(3, 2**64 - 2, 2**63)])
        where = f"SELECT count(*) FROM '{store}/quantity/*.parquet' WHERE bytes > 100 OR time > 100"
        self.assertEqual(duckdb.sql(where).fetchall(), [(2,)])
        subprocess.run([FOLDTRACE, "verify", str(store)], check=True, capture_output=True)
        for name in ("wide.parquet", "wide.arrow"):
            table = self.convert(store, name)
            schema = parquet.read_schema(table) if name.endswith("parquet") else ipc.open_file(str(table)).schema
            types = [str(schema.field(n).type) for n in ("ticks", "bytes", "tag", "peer")]
            self.assertEqual(types, ["uint64", "uint64", "int64", "int64"])
        # A store of one part, with a tag that does not fit into OTF2's field.
        trace.write_text("0 send 1 18446744073709551613 bytes=8 time=9\n")
        tagged = self.convert(trace, "tagged.fold")
        manifest = json.loads((tagged / "manifest.json").read_text())
        self.assertEqual(manifest["unsigned"], {"symbols": ["tag"]})
        self.assertEqual(str(parquet.read_schema(tagged / "symbols.parquet").field("tag").type), "uint64")
        self.assertEqual(str(parquet.read_schema(self.convert(tagged, "tagged.parquet")).field("tag").type), "uint64")
        archived = self.convert(store, "wide-archive.fold", "--archive")
        manifest = json.loads((archived / "manifest.json").read_text())
        self.assertEqual(manifest["unsigned"].get("quantity"), ["bytes", "time"])

    def test_all_spellings_of_a_routine_have_one_name(self):
        trace = self.folder / "spelt.trace"
        names = ["MPI_Recv", "mpi_recv_", "PMPI_Recv", "work"]
        trace.write_text("".join(f"0 local enter {name} time={n}\n0 local leave {name} time={n}\n" for n, name in enumerate(names)))
        expected = ["MPI_Recv"] * 3 + [None]
        table = parquet.read_table(self.convert(trace, "spelt.parquet")).to_pydict()
        self.assertEqual(table["mpi_name"][::2], expected)
        connection = self.events(trace)
        calls = "SELECT mpi_name FROM calls ORDER BY begin_position"
        self.assertEqual([name for name, in connection.execute(calls).fetchall()], expected)

    def test_what_is_nested_is_named_and_exact(self):
        table = parquet.read_table(self.convert(self.folder / "small.trace", "run.parquet"))
        [metrics] = [row["metrics"] for row in table.to_pylist() if row["metrics"]]
        value = {"member": 0, "name": 'caches, "missed"', "type": "uint64", "uint64": 2**53 + 1}
        self.assertEqual(metrics, [value | {"int64": None, "double": None, "text": None}])
        # A tick is a third of a nanosecond; fractions of nanoseconds are rounded down.
        self.assertEqual(sorted(table["time"].to_pylist()), [0, 0, 3, 7, 10, 10])

    def test_pipit(self):
        for source in self.sources[:3]:
            with self.subTest(source.name):
                frame = pandas.read_parquet(self.convert(source, "pipit.parquet", "--to", "pipit", code=3))
                self.check_pipit(frame, self.events(source))

    def check_pipit(self, frame, connection):
        columns = ["Timestamp (ns)", "Event Type", "Name", "Thread", "Process", "Attributes"]
        self.assertEqual(list(frame.columns), columns)
        self.assertEqual(frame["Timestamp (ns)"].dtype, "int64")
        self.assertEqual(frame["Event Type"].dtype, "category")
        self.assertEqual(frame["Name"].dtype, "category")
        self.assertLessEqual(set(frame["Event Type"]), {"Enter", "Leave", "Instant"})
        self.assertEqual(list(frame.index), list(range(len(frame))))
        self.assertTrue(frame["Timestamp (ns)"].is_monotonic_increasing)
        self.assertEqual(sorted(set(frame["Process"])), list(range(frame["Process"].max() + 1)))

        # The frame has the same events, sorted by time, then location, then position.
        events = connection.sql(
            "SELECT time, rank, thread, kind, name FROM events ORDER BY time, location, position").fetchall()
        names = {"mpi_send": "MpiSend", "mpi_isend": "MpiIsend", "mpi_recv": "MpiRecv", "mpi_irecv": "MpiIrecv"}
        rows = zip(*(frame[c] for c in ["Timestamp (ns)", "Process", "Thread", "Event Type", "Name"]))
        self.assertEqual(len(frame), len(events))
        for (time, process, thread, event_type, name), event in zip(rows, events):
            self.assertEqual((time, process, thread), event[:3])
            kind, region = event[3:]
            if event_type == "Instant":
                self.assertNotIn(kind, ("enter", "leave"))
                self.assertEqual(name, names.get(kind, name))
            else:
                self.assertEqual((event_type.lower(), name), (kind, region))

        # Pipit's communication matrix uses the attributes of sends, indexed by process.
        sends = frame[frame["Name"].isin(["MpiSend", "MpiIsend"])]
        matrix = {}
        for process, attributes in zip(sends["Process"], sends["Attributes"]):
            self.assertEqual(attributes["sender"], process)
            pair = (process, attributes["receiver"])
            matrix[pair] = matrix.get(pair, 0) + attributes["msg_length"]
        messages = connection.sql("SELECT sender, receiver, sum(bytes) FROM messages GROUP BY ALL").fetchall()
        self.assertEqual(matrix, {(s, r): b for s, r, b in messages})
        others = frame[~frame["Name"].isin(names.values())]
        self.assertEqual({v for a in others["Attributes"] for v in a.values()}, {-1})


if __name__ == "__main__":
    unittest.main()
