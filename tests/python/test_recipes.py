"""Compares the recipes in examples/recipes with counts in the output of otf2-print for the same archive."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict, deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDTRACE = os.environ.get("FOLDTRACE", str(ROOT / "target/debug/foldtrace"))
RECIPES = ROOT / "examples/recipes"

TITLES = ["Time per region and rank", "Message sizes", "Communication matrix", "Late senders"]

EVENT = re.compile(r"([A-Z_]+) +(\d+) +(\d+) *(.*)")
REGION = re.compile(r'Region: "([^"]*)"')
MESSAGE = re.compile(r"(?:Receiver|Sender): (\d+) .*Communicator: (.*), Tag: (\d+), Length: (\d+)")
LOCATION = re.compile(r'LOCATION +(\d+) .*Group: "P#(\d+)"')


def run(*command):
    """Returns the standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command} gave {done.returncode}: {done.stderr}")
    return done.stdout


class Counted:
    """The expected results, counted from the lines of otf2-print."""

    def __init__(self, archive):
        anchor = str(archive / "eztrace_log.otf2")
        self.ranks = {int(l): int(r) for l, r in LOCATION.findall(run("otf2-print", "-G", anchor))}
        self.regions = defaultdict(lambda: [0, 0, 0])
        self.sends, self.sizes = Counter(), Counter()
        self.bytes_sent, self.bytes_of_size = Counter(), Counter()
        self.waits = defaultdict(list)
        stacks, under_way = defaultdict(list), defaultdict(deque)
        lines = run("otf2-print", anchor).splitlines()
        events = [match.groups() for match in map(EVENT.match, lines) if match]
        # Sends first: the clocks of processes differ, so a receive may come before its send.
        for kind, location, time, rest in events:
            if kind in ("MPI_SEND", "MPI_ISEND"):
                self.send(self.ranks[int(location)], int(time), rest, under_way)
        for kind, location, time, rest in events:
            rank, time, stack = self.ranks[int(location)], int(time), stacks[location]
            if kind == "ENTER":
                stack.append({"name": REGION.match(rest)[1], "start": time, "inner": 0, "late": []})
            elif kind == "LEAVE":
                self.leave(rank, time, stack)
            elif kind in ("MPI_RECV", "MPI_IRECV"):
                sender, communicator, tag, _ = MESSAGE.match(rest).groups()
                sent = under_way[int(sender), rank, communicator, tag].popleft()
                stack[-1]["late"].append((int(sender), sent))

    def send(self, rank, time, rest, under_way):
        receiver, communicator, tag, length = MESSAGE.match(rest).groups()
        receiver, length = int(receiver), int(length)
        under_way[rank, receiver, communicator, tag].append(time)
        size = 1 << length.bit_length() >> 1
        self.sends[rank, receiver] += 1
        self.bytes_sent[rank, receiver] += length
        self.sizes[size] += 1
        self.bytes_of_size[size] += length

    def leave(self, rank, time, stack):
        call = stack.pop()
        duration = time - call["start"]
        if stack:
            stack[-1]["inner"] += duration
        region = self.regions[call["name"], rank]
        region[0] += 1
        region[1] += duration
        region[2] += duration - call["inner"]
        if call["name"].lower().startswith("mpi_recv"):
            for sender, sent in call["late"]:
                if sent > call["start"]:
                    self.waits[rank, sender].append(min(sent - call["start"], duration))

    def answers(self):
        milliseconds = 1e6
        return {
            "Time per region and rank": [
                [name, rank, calls, total / milliseconds, own / milliseconds]
                for (name, rank), (calls, total, own) in sorted(self.regions.items())
            ],
            "Message sizes": [
                [size, count, self.bytes_of_size[size]] for size, count in sorted(self.sizes.items())
            ],
            "Communication matrix": [
                [*pair, count, self.bytes_sent[pair]] for pair, count in sorted(self.sends.items())
            ],
            "Late senders": [
                [*pair, len(waits), sum(waits) / milliseconds, max(waits) / milliseconds]
                for pair, waits in sorted(self.waits.items())
            ],
        }


def tables(printed):
    """Returns the tables in the output of a recipe, by title: rows of strings, without the header."""
    found, rows = {}, None
    for line in printed.splitlines():
        if line.strip() in TITLES:
            rows = found.setdefault(line.strip(), [])
        elif rows is not None and line.strip():
            rows.append(line)
    return {title: [row for row in map(cells, rows) if row] for title, rows in found.items()}


def cells(line):
    """Returns the cells of a row, whatever its separators; an empty list for a header or a rule."""
    if re.search("[│|]", line):
        row = [cell.strip() for cell in re.split("[│|]", line.strip(" │|"))]
    else:
        # Only the first cell may contain blanks; numbers follow.
        match = re.match(r"\s*(.*?)((?:\s+-?[\d.]+)+)\s*$", line)
        row = [*filter(None, [match[1].strip()]), *match[2].split()] if match else []
    return row if row and all(re.fullmatch(r"-?[\d.]+", cell) for cell in row[1:]) and len(row) > 2 else []


class Recipes(unittest.TestCase):
    maxDiff = None

    def check(self, example, recipe, ending, titles):
        """Checks that the output of `recipe` for a store or table of `example` matches the counts."""
        archive = ROOT / "examples" / example
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch) / f"run.{ending}"
            run(FOLDTRACE, "convert", "--quiet", str(archive), str(source))
            printed = tables(run(sys.executable, str(RECIPES / recipe), str(source)))
        expected = Counted(archive).answers()
        self.assertEqual(list(printed), titles)
        for title in titles:
            with self.subTest(title):
                self.same(printed[title], expected[title])

    def same(self, seen, expected):
        # Strings are compared exactly, numbers up to the last printed digit.
        self.assertEqual(len(seen), len(expected), seen)
        for row, wanted in zip(seen, expected):
            # Columns that a tool leaves out are at the end.
            for cell, value in zip(row, wanted):
                if isinstance(value, str):
                    self.assertEqual(cell, value)
                else:
                    self.assertAlmostEqual(float(cell), value, delta=0.00051, msg=row)

    def test_duckdb(self):
        for example in ("stencil-9", "farm-5", "tree-4"):
            self.check(example, "duckdb_recipe.py", "fold", TITLES)

    def test_pandas(self):
        for example in ("stencil-9", "farm-5", "tree-4"):
            self.check(example, "pandas_recipe.py", "parquet", [TITLES[0], TITLES[3]])

    def test_polars(self):
        for example in ("stencil-9", "farm-5"):
            self.check(example, "polars_recipe.py", "parquet", [TITLES[2], TITLES[1]])

    def test_pyarrow(self):
        for example in ("stencil-9", "farm-5"):
            self.check(example, "pyarrow_recipe.py", "arrow", [TITLES[2], TITLES[1]])

    def test_spark(self):
        self.check("farm-5", "spark_recipe.py", "parquet", [TITLES[0], TITLES[2]])

    def test_there_is_something_to_see(self):
        """The examples have messages of several sizes, late senders and regions."""
        answers = Counted(ROOT / "examples/farm-5").answers()
        self.assertGreater(len(answers["Message sizes"]), 1)
        for title in TITLES:
            self.assertTrue(answers[title], title)


if __name__ == "__main__":
    unittest.main()
