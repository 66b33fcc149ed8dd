"""Compares profiles with sums over the output of otf2-print, which shares no code with foldtrace.

FOLDTRACE_TRACES=FOLDER adds all OTF2 archives below a folder to the examples.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from sources import FOLDTRACE, ROOT, run

CALL = re.compile(r"(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"(.*)\" <\d+>")
EVENT = re.compile(r"[A-Z_]+ +(\d+) +(\d+)(?: |$)")
METRIC = re.compile(r"METRIC +(\d+) +(\d+) +Metric: .*Values?: (.*)$")
VALUE = re.compile(r"\(\"(.*?)\" <(\d+)>; ([A-Z0-9]+); ([-+.e0-9]+)\)")
MEMBER = re.compile(r"METRIC_MEMBER +(\d+) +Name: .*Mode: ([A-Z]+)_")
CLOCK = re.compile(r"CLOCK_PROPERTIES.*Ticks per Seconds: (\d+)")


def anchors():
    """Returns the anchor files of all archives to compare."""
    found = sorted((ROOT / "examples").glob("*/eztrace_log.otf2"))
    more = os.environ.get("FOLDTRACE_TRACES")
    return found + (sorted(Path(more).rglob("*.otf2")) if more else [])


def lines(*command):
    """Yields the lines that a command prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield from process.stdout


def definitions(anchor):
    """Returns the resolution of the clock of an archive, and the mode of each metric member."""
    resolution, modes = None, {}
    for line in lines("otf2-print", "-G", str(anchor)):
        if match := CLOCK.match(line):
            resolution = int(match[1])
        if match := MEMBER.match(line):
            modes[match[1]] = match[2]
    return resolution, modes


class Metric:
    """The values of a metric in all locations."""

    def __init__(self):
        self.values = []
        self.falls = False
        self.counted = 0
        self.exclusive = defaultdict(float)
        self.inclusive = defaultdict(float)


class Location:
    """The calls of one location: lists of open calls instead of a stack."""

    def __init__(self):
        self.open = []
        self.first = self.last = None
        self.latest = None
        self.counters = {}
        self.before = {}

    def pass_time(self, time, regions):
        if self.open:
            regions[self.open[-1][0]]["exclusive"] += time - self.latest
        self.latest = time

    def end(self, at, time, regions):
        name, begin = self.open.pop(at)
        region = regions[name]
        region["durations"].append(time - begin)
        if all(other != name for other, _ in self.open):
            region["inclusive"] += time - region.pop(("since", id(self)))
            for member, (metric, _, counted) in self.counters.items():
                metric.inclusive[name] += counted - self.before[name].get(member, 0)

    def enter(self, name):
        """Notes what the counters have counted before the outermost call of a region."""
        self.before[name] = {member: counted for member, (_, _, counted) in self.counters.items()}

    def measure(self, member, metric, value, is_counter):
        metric.values.append(value)
        if not is_counter:
            return
        _, before, counted = self.counters.get(member, (None, value, 0))
        metric.falls |= value < before
        self.counters[member] = metric, value, counted + value - before
        metric.counted += value - before
        if self.open:
            metric.exclusive[self.open[-1][0]] += value - before


def profile_of(anchor, modes):
    """Returns duration and regions of an archive, in ticks, and its metrics, from the output of otf2-print."""
    metrics = defaultdict(Metric)
    regions = defaultdict(lambda: {"calls": 0, "inclusive": 0, "exclusive": 0, "durations": []})
    locations = defaultdict(Location)
    for line in lines("otf2-print", str(anchor)):
        event = EVENT.match(line)
        if not event:
            continue
        location, time = locations[int(event[1])], int(event[2])
        if location.first is None:
            location.first = location.latest = time
        location.last = time
        if measured := METRIC.match(line):
            for _, member, value_type, text in VALUE.findall(measured[3]):
                value = float(text) if value_type in ("FLOAT", "DOUBLE") else int(text)
                location.measure(member, metrics[member], value, modes[member] == "ACCUMULATED")
            continue
        call = CALL.match(line)
        if not call:
            continue
        name = call[4]
        if call[1] == "ENTER":
            location.pass_time(time, regions)
            if all(other != name for other, _ in location.open):
                regions[name]["since", id(location)] = time
                location.enter(name)
            regions[name]["calls"] += 1
            location.open.append((name, time))
            continue
        at = [index for index, (other, _) in enumerate(location.open) if other == name]
        if at:
            location.pass_time(time, regions)
            location.end(at[-1], time, regions)
    for location in locations.values():
        location.pass_time(location.last, regions)
        while location.open:
            location.end(-1, location.last, regions)
    first = min(location.first for location in locations.values())
    return max(location.last for location in locations.values()) - first, regions, metrics


class Profiles(unittest.TestCase):
    def test_sums_are_those_of_otf2_print(self):
        for anchor in anchors():
            with self.subTest(anchor=anchor), tempfile.TemporaryDirectory() as scratch:
                store = Path(scratch) / "run.fold"
                run(FOLDTRACE, "convert", "-q", str(anchor), str(store))
                profile = json.loads(run(FOLDTRACE, "profile", str(store), "--json"))
                self.compare(profile, anchor)

    def compare(self, profile, anchor):
        resolution, modes = definitions(anchor)
        duration, expected, metrics = profile_of(anchor, modes)

        def nanoseconds(ticks):
            return ticks * 1_000_000_000 // resolution if ticks >= 0 else -(-ticks * 1_000_000_000 // resolution)

        self.assertEqual(profile["duration"], nanoseconds(duration))
        self.assertEqual({region["name"] for region in profile["regions"]}, set(expected))
        for region in profile["regions"]:
            sums = expected[region["name"]]
            durations = sums["durations"]
            seen = [region[key] for key in ("calls", "inclusive", "exclusive", "min", "max")]
            ticks = [sums["inclusive"], sums["exclusive"], min(durations), max(durations)]
            self.assertEqual(seen, [sums["calls"], *map(nanoseconds, ticks)], region["name"])
            self.assertAlmostEqual(region["mean"], nanoseconds(sum(durations)) / sums["calls"])
        times = sum(region["exclusive"] for region in profile["regions"]) + profile["outside"]
        self.assertAlmostEqual(times, profile["total"], delta=len(profile["regions"]) + 1)
        shares = [paradigm["share"] for paradigm in profile["paradigms"]]
        self.assertAlmostEqual(sum(shares), 1.0)
        self.compare_metrics(profile["metrics"], metrics)

    def compare_metrics(self, seen, expected):
        # Different members may have the same name, so they are compared in the order of their ids.
        expected = [expected[member] for member in sorted(expected, key=int)]
        self.assertEqual(sum(metric["values"] for metric in seen), sum(len(metric.values) for metric in expected))
        counters = [metric for metric in seen if metric["mode"] == "accumulated"]
        real = [metric for metric in expected if metric.counted and not metric.falls]
        self.assertEqual(
            sorted(metric["sum"] for metric in counters if metric["sum"]), sorted(metric.counted for metric in real)
        )
        for metric in counters:
            for region in metric["regions"]:
                name = region["region"]
                if name is not None:
                    candidates = [(other.exclusive[name], other.inclusive[name]) for other in expected]
                    self.assertIn((region["sum"], region["inclusive"]), candidates, f"{metric['name']} in {name}")
        measured = [metric for metric in seen if metric["mode"] == "absolute"]
        bounds = sorted((min(metric.values), max(metric.values)) for metric in expected)
        for metric in measured:
            self.assertIn((metric["min"], metric["max"]), bounds)


if __name__ == "__main__":
    unittest.main()
