"""Distorts the clocks of traces with known times, corrects them, and compares the result with the truth.

The traces are read and written as text; messages and collective operations are matched here, without foldtrace.
FOLDTRACE_TRACES=FOLDER adds all Pajé traces of SMPI below a folder. The measured errors are printed with --verbose.
"""

import json
import os
import random
import re
import statistics
import sys
import tempfile
import unittest
from collections import defaultdict, deque
from pathlib import Path

from sources import FOLDTRACE, run

TIME = re.compile(r" time=(\d+)")
OFFSET = 1_000_000_000
DRIFT = 100e-6

FROM_ROOT = {"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"}
TO_ROOT = {"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"}


def simulated(processes=12, steps=400):
    """Returns the text of a program with known times: a ring of messages, and a collective operation now and then."""
    generator = random.Random(7)
    now = [1_000] * processes
    lines = []

    def event(rank, text, time):
        now[rank] = time
        lines.append((time, f"{text} time={time}"))

    for step in range(steps):
        sent = []
        for rank in range(processes):
            start = now[rank] + generator.randint(20_000, 60_000)
            event(rank, f"{rank} send {(rank + 1) % processes} 1", start)
            sent.append(start)
        for rank in range(processes):
            arrival = sent[rank - 1] + 5_000 + int(generator.expovariate(1 / 2_000))
            sender = (rank - 1) % processes
            event(rank, f"{sender} recv {rank} 1", max(arrival, now[rank] + 500))
        if step % 50 == 20:
            for rank in range(processes):
                event(rank, f"{rank} local mpi_collective_begin", now[rank] + 300)
            name, root = generator.choice([("MPI_Allreduce", None), ("MPI_Bcast", 3), ("MPI_Reduce", 2)])
            begun = list(now)
            for rank in range(processes):
                needed = [begun[rank] + 200]
                if root is None or rank == root and name in TO_ROOT:
                    needed.append(max(begun) + 8_000)
                elif name in FROM_ROOT and rank != root:
                    needed.append(begun[root] + 8_000)
                suffix = "" if root is None else f" root={root}"
                event(rank, f"{rank} sync {name} 0-{processes - 1}{suffix}", max(needed))
    return [line for _, line in sorted(lines, key=lambda line: line[0])]


def location_of(line):
    """Returns the name of the location that has an event: `RANK` or `RANK.THREAD`."""
    words = line.split()
    return words[2] if words[1] in ("recv", "irecv") else words[0]


def is_event(line):
    return TIME.search(line) is not None and not line.startswith("#")


def times(lines):
    """Returns the times of the events of each location."""
    found = defaultdict(list)
    for line in filter(is_event, lines):
        found[location_of(line)].append(int(TIME.search(line)[1]))
    return found


def distorted(lines, jitter, seed):
    """Returns the events with the times of clocks with offsets, drifts and jitter; rank 0 has only jitter."""
    generator = random.Random(seed)
    clocks = defaultdict(lambda: (generator.uniform(-OFFSET, OFFSET), generator.uniform(-DRIFT, DRIFT)))
    clocks["0"] = (0, 0)
    last = defaultdict(int)
    result = []
    for line in lines:
        if is_event(line):
            location, time = location_of(line), int(TIME.search(line)[1])
            offset, drift = clocks[location.split(".")[0]]
            shown = round(2 * OFFSET + time + offset + drift * time + generator.uniform(-jitter, jitter))
            last[location] = shown = max(shown, last[location])
            line = TIME.sub(f" time={shown}", line)
        result.append(line)
    return result


def violations(lines):
    """Returns the number of events that are earlier than an event on which they depend."""
    sends, receives = defaultdict(deque), defaultdict(deque)
    begins, ends = defaultdict(deque), defaultdict(list)
    for line in filter(is_event, lines):
        words, time = line.split(), int(TIME.search(line)[1])
        if words[1] in ("send", "isend", "recv", "irecv"):
            queues = sends if words[1].endswith("send") else receives
            queues[words[0], words[2], words[3]].append(time)
        elif words[1:3] == ["local", "mpi_collective_begin"]:
            begins[words[0]].append(time)
        elif words[1] == "sync":
            ends[words[0]].append((words[2], re.search(r"root=(\d+)", line), begins[words[0]].popleft(), time))
    count = 0
    for key, queue in receives.items():
        count += sum(received < sent for sent, received in zip(sends[key], queue))
    for members in zip(*ends.values()):
        begun = {rank: member[2] for rank, member in zip(ends, members)}
        for rank, (name, root, _, end) in zip(ends, members):
            root = root and root[1]
            others = [other for other in begun if other != rank]
            if name in FROM_ROOT:
                others = [root] if rank != root else []
            elif name in TO_ROOT and rank != root:
                others = []
            count += any(begun[other] > end for other in others)
    return count


def errors(truth, corrected):
    """Returns the absolute differences of times in nanoseconds, apart from the common shift of rank 0."""
    shift = statistics.median(b - a for a, b in zip(truth["0"], corrected["0"]))
    pairs = ((a, b) for location in truth for a, b in zip(truth[location], corrected[location], strict=True))
    return sorted(abs(b - a - shift) for a, b in pairs)


class Clock(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def correct(self, lines, method):
        """Returns the events with corrected times."""
        source, target = self.folder / "distorted.trace", self.folder / "corrected.trace"
        source.write_text("\n".join(lines) + "\n")
        run(FOLDTRACE, "convert", str(source), str(target), "--from", "text", "--clock", method, "--force")
        return target.read_text().splitlines()

    def check(self, name, lines, jitter, most=None):
        truth = times(lines)
        self.assertEqual(violations(lines), 0, name)
        for seed in range(3):
            shown = distorted(lines, jitter, seed)
            self.assertGreater(violations(shown), 0, name)
            for method in ("offset", "controlled"):
                corrected = self.correct(shown, method)
                found = errors(truth, times(corrected))
                remaining = violations(corrected)
                if "--verbose" in sys.argv or "-v" in sys.argv:
                    median, worst = statistics.median(found), found[-1]
                    print(
                        f"{name}, jitter {jitter}, {method}: {violations(shown)} violations before, "
                        f"{remaining} after; median error {median:.0f} ns, maximum {worst:.0f} ns"
                    )
                if method == "controlled":
                    self.assertEqual(remaining, 0, f"{name}, jitter {jitter}, seed {seed}")
                if most:
                    self.assertLess(statistics.median(found), most, f"{name}, {method}")
                for events in times(corrected).values():
                    self.assertEqual(events, sorted(events), name)

    def test_exact_clocks_stay_as_they_are(self):
        lines = simulated()
        self.assertEqual(times(self.correct(lines, "controlled")), times(lines))

    def test_offsets_and_drifts(self):
        self.check("simulated", simulated(), 0, most=2_000)

    def test_jitter(self):
        self.check("simulated", simulated(), 2_000, most=4_000)
        # Readings that are more inexact than messages are fast leave violations to the controlled logical clock.
        self.check("simulated", simulated(), 20_000)

    def test_traces_of_smpi(self):
        more = os.environ.get("FOLDTRACE_TRACES")
        for path in sorted(Path(more).rglob("smpi-*.paje")) if more else []:
            with self.subTest(path.name):
                lines = run(FOLDTRACE, "convert", str(path), "-", "--to", "text").splitlines()
                for jitter in (0, 1_000):
                    self.check(path.name, lines, jitter)

    def test_a_store_keeps_its_times_and_has_the_correction(self):
        lines = distorted(simulated(), 0, 1)
        source, store = self.folder / "distorted.trace", self.folder / "distorted.fold"
        source.write_text("\n".join(lines) + "\n")
        run(FOLDTRACE, "convert", str(source), str(store), "--clock", "controlled")
        text = run(FOLDTRACE, "convert", str(store), "-", "--to", "text")
        self.assertEqual(times(text.splitlines()), times(lines))
        clock = json.loads(run(FOLDTRACE, "info", str(store), "--json"))["clock"]
        self.assertEqual(clock["method"], "controlled")
        self.assertEqual(clock["violations_before"], violations(lines))
        self.assertEqual(clock["violations_after"], 0)
        steps = json.loads(run(FOLDTRACE, "steps", str(store), "--json"))["clock"]
        self.assertEqual(steps, clock)

    def test_the_view_has_the_corrected_times(self):
        import duckdb

        lines = distorted(simulated(steps=60), 3_000, 1)
        source, store = self.folder / "distorted.trace", self.folder / "distorted.fold"
        source.write_text("\n".join(lines) + "\n")
        run(FOLDTRACE, "convert", str(source), str(store), "--clock", "controlled")
        connection = duckdb.connect()
        connection.execute(f"SET VARIABLE foldtrace_store = '{store}'")
        connection.execute((store / "views.sql").read_text())
        query = """SELECT rank::VARCHAR, c.ticks FROM corrected_times AS c JOIN events USING (location, position)
            ORDER BY rank, position"""
        viewed = defaultdict(list)
        for rank, ticks in connection.execute(query).fetchall():
            viewed[rank].append(ticks)
        self.assertEqual(viewed, times(self.correct(lines, "controlled")))


if __name__ == "__main__":
    unittest.main()
