"""Checks that programs written by 'foldtrace extract' run on their own and produce the same rows as the command."""

import contextlib
import csv
import io
import re
import runpy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sources import FOLDTRACE, ROOT, run

EXAMPLES = ["stencil-9", "ring-4", "wave-4", "farm-5", "tree-4", "vcycle-4"]
NUMBER = re.compile(r"// \[([0-9.]+)\]")


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def few(numbers):
    """Returns at most twenty of the numbers, evenly spaced."""
    return numbers[:: 1 + len(numbers) // 20]


class Emitted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        for name in EXAMPLES:
            run(FOLDTRACE, "convert", "-q", str(ROOT / "examples" / name), str(cls.root / f"{name}.fold"))

    def python_here(self, program):
        """Runs a program in this process, which saves a second for starting Python and loading pyarrow."""
        path = self.root / "here.py"
        path.write_text(program)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with mock.patch.object(sys, "argv", [str(path)]), contextlib.redirect_stdout(out):
            runpy.run_path(str(path))
        out.flush()
        return out.buffer.getvalue().decode()

    def python(self, program, *arguments):
        path = self.root / "scan.py"
        path.write_text(program)
        return subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True)

    def sql(self, program):
        with duckdb.connect() as connection:
            result = connection.execute(program)
            head = [column[0] for column in result.description]
            rows = [["" if value is None else str(value) for value in row] for row in result.fetchall()]
        return [head, *rows]

    def check(self, *arguments):
        """Checks that the command, the Python program and the SQL produce the same rows, and returns their number."""
        command = [FOLDTRACE, "extract", *arguments]
        expected = rows_of(run(*command))
        self.assertEqual(rows_of(self.python_here(run(*command, "--format", "python"))), expected, arguments)
        self.assertEqual(self.sql(run(*command, "--format", "sql")), expected, arguments)
        return len(expected) - 1

    def constructs(self, store, *arguments):
        """Returns the numbers of all constructs, and the numbers of those that are loops."""
        lines = run(FOLDTRACE, "loops", store, "--global", "--positions", *arguments).splitlines()
        found = [(NUMBER.search(line), line) for line in lines]
        numbers = [(match[1], line.lstrip().startswith("for ")) for match, line in found if match]
        return [n for n, _ in numbers], [n for n, is_loop in numbers if is_loop]

    def options(self, numbers):
        return [option for number in numbers for option in ("--construct", number)]

    def test_constructs_of_every_example(self):
        for name in EXAMPLES:
            store = str(self.root / f"{name}.fold")
            for events in ("comm", "all"):
                with self.subTest(name, events=events):
                    numbers, loops = self.constructs(store, "--events", events)
                    # Other tests run the command with all constructs; this one samples long models.
                    some = few(loops) + few(numbers)
                    options = [*self.options(some), "--events", events]
                    self.assertGreater(self.check(store, *options, "--attributes", "time,bytes"), 0)
                    every = "time,bytes,bytes_received,request,value,offset"
                    for at in ("first", "last", "after"):
                        self.check(store, *options, "--part", at, "--attributes", every)

    def test_iterations(self):
        for name in EXAMPLES:
            store = str(self.root / f"{name}.fold")
            for events in ("comm", "all"):
                _, loops = self.constructs(store, "--events", events)
                if loops:
                    options = [*self.options(few(loops)), "--events", events, "--iterations"]
                    with self.subTest(name, events=events):
                        self.assertGreater(self.check(store, *options, "--attributes", "time,bytes"), 0)
                        self.check(store, *options, "--part", "last", "--attributes", "position")

    def test_records_of_two_annotations(self):
        store = str(self.root / "stencil-9.fold")
        lines = run(FOLDTRACE, "loops", store, "--global").splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("for "))
        last = next(i for i, line in enumerate(lines) if i > first and line == "done")
        lines.insert(last + 1, 'get "after" {*}.time,bytes <-\nprint start,end')
        lines.insert(first, 'get "before" {*}.time ->')
        model = self.root / "model"
        model.write_text("\n".join(lines))
        self.assertGreater(self.check(store, "--annotations", str(model)), 0)
        command = [FOLDTRACE, "extract", store, "--annotations", str(model)]
        done = self.python(run(*command, "--format", "python"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(rows_of(done.stdout), rows_of(run(*command)))

    def test_a_table_in_a_file(self):
        store = str(self.root / "ring-4.fold")
        numbers, _ = self.constructs(store)
        options = self.options(numbers)
        program = run(FOLDTRACE, "extract", store, *options, "--format", "python")
        ours, theirs = self.root / "ours.parquet", self.root / "theirs.parquet"
        run(FOLDTRACE, "extract", store, *options, "-o", str(ours))
        done = self.python(program, store, str(theirs))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        expected = pq.read_table(ours)
        self.assertEqual(expected.to_pylist(), pq.read_table(theirs).to_pylist())
        self.assertEqual(expected.schema.metadata[b"foldtrace.ticks_per_second"], b"1000000000")
        arrow = self.root / "ours.arrow"
        run(FOLDTRACE, "extract", store, *options, "-o", str(arrow))
        with pa.memory_map(str(arrow)) as file:
            self.assertEqual(pa.ipc.open_file(file).read_all().to_pylist(), expected.to_pylist())

    def test_another_store_is_refused(self):
        store, other = (str(self.root / f"{name}.fold") for name in ("ring-4", "tree-4"))
        numbers, _ = self.constructs(store)
        program = run(FOLDTRACE, "extract", store, "--construct", numbers[0], "--format", "python")
        done = self.python(program, other)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("this is another store", done.stderr)

    def test_an_archive_is_refused(self):
        store, archive = str(self.root / "ring-4.fold"), str(self.root / "archive.fold")
        run(FOLDTRACE, "convert", "-q", "--archive", str(ROOT / "examples/ring-4"), archive)
        numbers, _ = self.constructs(store)
        program = run(FOLDTRACE, "extract", store, "--construct", numbers[0], "--format", "python")
        done = self.python(program, archive)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("convert it to a plain store first", done.stderr)
        # Positions are in the topology, which is Parquet in archives as well.
        self.assertGreater(self.check(archive, "--construct", numbers[0], "--attributes", "position"), 0)


if __name__ == "__main__":
    unittest.main()
