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


def ticks_per_second(anchor):
    """Returns the resolution of the clock of an archive."""
    for line in lines("otf2-print", "-G", str(anchor)):
        if match := CLOCK.match(line):
            return int(match[1])
    raise AssertionError(f"{anchor} has no clock")


class Location:
    """The calls of one location: lists of open calls instead of a stack."""

    def __init__(self):
        self.open = []
        self.first = self.last = None
        self.latest = None

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


def profile_of(anchor):
    """Returns duration and regions of an archive, in ticks, from the output of otf2-print."""
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
        call = CALL.match(line)
        if not call:
            continue
        name = call[4]
        if call[1] == "ENTER":
            location.pass_time(time, regions)
            if all(other != name for other, _ in location.open):
                regions[name]["since", id(location)] = time
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
    return max(location.last for location in locations.values()) - first, regions


class Profiles(unittest.TestCase):
    def test_sums_are_those_of_otf2_print(self):
        for anchor in anchors():
            with self.subTest(anchor=anchor), tempfile.TemporaryDirectory() as scratch:
                store = Path(scratch) / "run.fold"
                run(FOLDTRACE, "convert", "-q", str(anchor), str(store))
                profile = json.loads(run(FOLDTRACE, "profile", str(store), "--json"))
                self.compare(profile, anchor)

    def compare(self, profile, anchor):
        resolution = ticks_per_second(anchor)
        duration, expected = profile_of(anchor)

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


if __name__ == "__main__":
    unittest.main()
