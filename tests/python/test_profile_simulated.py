"""Compares profiles with sums over the states that pj_dump prints, and over the actions of time-independent traces.

The traces are those of simulated programs, and one of random nested calls.
FOLDTRACE_TRACES=FOLDER adds the Pajé traces of SMPI (`smpi-*.paje`) and time-independent traces (`*ti`) below a folder.
"""

import csv
import json
import random
import tempfile
import unittest
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

from simulated import compile_patterns, dumped, simulate, traces
from sources import FOLDTRACE, run

STEPS = "12"
COLUMNS = ("calls", "inclusive", "exclusive", "min", "max", "mean")
ACTIONS = "init finalize bcast send isend recv irecv waitall barrier allreduce".split()
REGIONS = {"compute": "compute"} | {action: f"MPI_{action.capitalize()}" for action in ACTIONS}


NESTED = """%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
1 P 0 Process
2 S P Calls
"""


def nested_calls(processes=4, steps=2_000):
    """Returns a Pajé trace in which each process calls random regions, also recursively."""
    generator = random.Random(3)
    lines = [f'3 0 p{process} P 0 "rank-{process}"' for process in range(processes)]
    open_calls = [0] * processes
    time = 0

    def event(code, process, *value):
        seconds = f"{time // 10**9}.{time % 10**9:09}"
        lines.append(" ".join([code, seconds, "S", f"p{process}", *value]))

    for _ in range(steps):
        time += generator.choice((0, 1, 17, 1_000, 250_000_000))
        process = generator.randrange(processes)
        if open_calls[process] and generator.random() < 0.48:
            open_calls[process] -= 1
            event("5", process)
        else:
            open_calls[process] += 1
            event("4", process, generator.choice("abcde"))
    for process, count in enumerate(open_calls):
        for _ in range(count):
            time += 1
            event("5", process)
    return NESTED + "\n".join(lines) + "\n"


class Sums:
    """The sums of a region in a location, or in all of them."""

    def __init__(self):
        self.durations = []
        self.inclusive = self.exclusive = 0

    def add(self, other):
        self.durations += other.durations
        self.inclusive += other.inclusive
        self.exclusive += other.exclusive

    def values(self):
        """Returns the values of the columns COLUMNS; times are whole nanoseconds, apart from the mean."""
        times = [self.inclusive, self.exclusive, min(self.durations), max(self.durations)]
        mean = int(sum(self.durations)) / len(self.durations)
        return [len(self.durations), *map(int, times), mean]


def sums_of_states(states):
    """Returns the sums of the regions of a location from its states, in the order in which they begin."""
    regions = defaultdict(Sums)
    path = []
    for state in states:
        del path[state.depth :]
        duration = state.end - state.begin
        if path:
            regions[path[-1]].exclusive -= duration
        region = regions[state.name]
        region.durations.append(duration)
        region.exclusive += duration
        region.inclusive += duration if state.name not in path else 0
        path.append(state.name)
    return regions


def sums_of_actions(path):
    """Returns the sums of the regions of each rank of a time-independent trace: a flop takes a nanosecond."""
    ranks = defaultdict(lambda: defaultdict(Sums))
    for name in path.read_text().splitlines():
        for line in (path.parent / name).read_text().splitlines():
            rank, action, *words = line.split()
            duration = Decimal(words[0]) if action == "compute" else Decimal(0)
            region = ranks[rank][REGIONS[action]]
            region.durations.append(duration)
            region.inclusive += duration
            region.exclusive += duration
    return ranks


def total_of(regions):
    """Returns the sums of the regions of all locations."""
    total = defaultdict(Sums)
    for sums in regions.values():
        for name, one in sums.items():
            total[name].add(one)
    return total


class Profiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def simulated(self, extension, **settings):
        """Yields traces of simulated programs."""
        compile_patterns(self.folder)
        for mode in ("ring", "stencil", "tree"):
            trace = self.folder / f"{mode}.{extension}"
            simulate(self.folder, trace, mode, STEPS, **settings)
            yield trace

    def test_traces_of_smpi(self):
        for trace in [*self.simulated("paje"), *traces("smpi-*.paje")]:
            with self.subTest(trace.name):
                self.compare_states(trace)

    def test_nested_calls(self):
        trace = self.folder / "nested.paje"
        trace.write_text(nested_calls())
        self.compare_states(trace)

    def test_time_independent_traces(self):
        for trace in [*self.simulated("ti", options=["-trace-ti"]), *traces("*ti")]:
            with self.subTest(trace.name):
                expected = sums_of_actions(trace)
                self.compare(trace, expected, int(total_of(expected)["compute"].exclusive))

    def compare_states(self, trace):
        """Compares the profile of a Pajé trace without events before the first and after the last state."""
        states, _ = dumped(trace)
        expected = {name.removeprefix("rank-"): sums_of_states(of) for name, of in states.items()}
        total = sum(max(state.end for state in of) - of[0].begin for of in states.values())
        self.compare(trace, expected, total)

    def compare(self, trace, expected, time):
        """Compares the profile of a trace with the sums of each location and region, and the time of all locations."""
        table = self.folder / "profile.csv"
        run(FOLDTRACE, "profile", "-q", str(trace), "-o", str(table), "--force")
        with table.open() as file:
            rows = {(row["label"], row["region"]): row for row in csv.DictReader(file)}
        self.assertEqual(set(rows), {(label, name) for label, sums in expected.items() for name in sums})
        for (label, name), row in rows.items():
            seen = [float(row[column]) for column in COLUMNS]
            self.compare_sums(seen, expected[label][name], (label, name))

        profile = json.loads(run(FOLDTRACE, "profile", "-q", str(trace), "--json"))
        total = total_of(expected)
        self.assertEqual({region["name"] for region in profile["regions"]}, set(total))
        for region in profile["regions"]:
            seen = [region[column] for column in COLUMNS]
            self.compare_sums(seen, total[region["name"]], region["name"])
        self.assertEqual(profile["total"], time)
        self.assertEqual(profile["outside"], time - int(sum(sums.exclusive for sums in total.values())))
        self.assertEqual((profile["never_left"], profile["never_entered"]), (0, 0))

    def compare_sums(self, seen, expected, message):
        *sums, mean = expected.values()
        self.assertEqual(seen[:-1], sums, message)
        self.assertAlmostEqual(seen[-1], mean, places=3, msg=message)


if __name__ == "__main__":
    unittest.main()
