"""Ten questions about a trace, each answered in at most five lines, by the command, and from the output of otf2-print."""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import polars
import pytest

import foldtrace


class Event(NamedTuple):
    """An event as otf2-print shows it."""

    kind: str
    location: int
    time: int
    region: str
    peer: int
    bytes: int


EVENT = re.compile(r"(?P<kind>[A-Z_]+) +(?P<location>\d+) +(?P<time>\d+)(?P<attributes>.*)")


@pytest.fixture(scope="module")
def printed(wave: Path) -> list[Event]:
    """The events of the archive, in the order of time."""
    archive = next(wave.glob("*.otf2"))
    shown = subprocess.run(["otf2-print", archive], capture_output=True, text=True, check=True)
    events = []
    for match in filter(None, map(EVENT.fullmatch, shown.stdout.splitlines())):

        def attribute(pattern: str, default: str, attributes: str = match["attributes"]) -> str:
            found = re.search(pattern, attributes)
            return default if found is None else found[1]

        region = attribute(r'Region: "([^"]*)"', "")
        peer, size = attribute(r"(?:Receiver|Sender): (\d+)", "-1"), attribute(r"Length: (\d+)", "0")
        event = match["kind"], int(match["location"]), int(match["time"]), region, int(peer), int(size)
        events.append(Event(*event))
    return events


@pytest.fixture(scope="module")
def ranks(trace: foldtrace.Trace) -> dict[int, int]:
    """The rank of each location."""
    ranks = trace.locations.to_polars().select("location", "rank")
    return dict(ranks.iter_rows())


class Call(NamedTuple):
    """A call in the output of otf2-print."""

    location: int
    region: str
    begin: int
    end: int
    exclusive: int


@pytest.fixture(scope="module")
def calls(printed: list[Event]) -> list[Call]:
    """The calls that otf2-print shows. Time belongs to the open call that was entered last, also if calls do not nest."""
    found = []
    opened: defaultdict[int, list[list[Any]]] = defaultdict(list)
    last: dict[int, int] = {}
    for event in printed:
        stack = opened[event.location]
        if stack:
            stack[-1][2] += event.time - last[event.location]
        last[event.location] = event.time
        if event.kind == "ENTER":
            stack.append([event.region, event.time, 0])
        elif event.kind == "LEAVE":
            index = max(i for i, (region, _, _) in enumerate(stack) if region == event.region)
            region, begin, exclusive = stack.pop(index)
            found.append(Call(event.location, region, begin, event.time, exclusive))
    return found


def command(*arguments: str | Path) -> Any:
    """The JSON that the command prints."""
    run = [sys.executable, "-m", "foldtrace", *arguments, "--json"]
    return json.loads(subprocess.run(run, check=True, capture_output=True).stdout)


def test_how_long_is_the_longest_call_of_each_rank(
    trace: foldtrace.Trace, calls: list[Call], ranks: dict[int, int]
) -> None:
    longest = trace.calls.to_polars().group_by("rank").agg(polars.col("duration").max())

    expected: defaultdict[int, int] = defaultdict(int)
    for call in calls:
        expected[ranks[call.location]] = max(expected[ranks[call.location]], call.end - call.begin)
    assert dict(longest.iter_rows()) == expected
    profile = command("profile", trace.store, "--top=0")
    assert max(expected.values()) == max(region["max"] for region in profile["regions"])


def test_how_large_are_messages(trace: foldtrace.Trace, printed: list[Event]) -> None:
    histogram = trace.messages.to_polars()["bytes"].value_counts()

    expected = Counter(event.bytes for event in printed if event.kind == "MPI_SEND")
    assert dict(histogram.iter_rows()) == expected
    assert sum(expected.values()) == command("matrix", trace.store)["messages"]


def test_how_long_does_an_iteration_take(trace: foldtrace.Trace, printed: list[Event]) -> None:
    iterations = trace.program.loops[2].iterations().to_polars()
    times = iterations.select("process", "i0", duration=polars.col("end_time") - polars.col("time"))

    messages = [event for event in printed if event.kind in {"MPI_SEND", "MPI_RECV"} and event.location == 0]
    # Rank 0 sends and receives 320 times in ten iterations.
    expected = [messages[i + 31].time - messages[i].time for i in range(0, 320, 32)]
    assert times.filter(process="0").sort("i0")["duration"].to_list() == expected
    iterations_of_the_command = command("critical", trace.store)["loops"][0]["iterations"]
    assert iterations_of_the_command == len(expected)


def test_how_long_does_each_rank_wait(trace: foldtrace.Trace) -> None:
    waits = trace.waits().to_polars().group_by("location").agg(polars.col("waited").sum())

    expected: Counter[int] = Counter()
    for path in command("waits", trace.store, "--top=1000")["waiting"]:
        expected[path["location"]] += path["total"]
    assert dict(waits.iter_rows()) == expected


def test_how_many_bytes_does_each_pair_exchange(trace: foldtrace.Trace, printed: list[Event], ranks: dict[int, int]) -> None:
    matrix = trace.matrix(bytes=True).to_numpy("bytes")

    expected = numpy.zeros((4, 4), dtype=numpy.int64)
    for event in printed:
        if event.kind == "MPI_SEND":
            expected[ranks[event.location], event.peer] += event.bytes
    assert (matrix == expected).all()
    assert matrix.sum() == command("matrix", trace.store, "--bytes")["bytes"]


def test_which_share_of_the_time_is_spent_in_mpi(
    trace: foldtrace.Trace, calls: list[Call], printed: list[Event]
) -> None:
    regions = trace.profile().to_polars()
    in_mpi = regions.filter(paradigm="mpi")["exclusive"].sum()
    share = in_mpi / trace.profile().data["total"]

    assert in_mpi == sum(call.exclusive for call in calls if call.region.startswith("MPI_"))
    times: defaultdict[int, list[int]] = defaultdict(list)
    for event in printed:
        times[event.location].append(event.time)
    assert share == pytest.approx(in_mpi / sum(max(of_one) - min(of_one) for of_one in times.values()))
    profile = command("profile", trace.store)
    assert share == pytest.approx({it["name"]: it["share"] for it in profile["paradigms"]}["mpi"])


def test_how_often_is_each_region_called(trace: foldtrace.Trace, calls: list[Call]) -> None:
    counts = trace.calls.to_polars().group_by("name").len()

    expected = Counter(call.region for call in calls)
    assert dict(counts.iter_rows()) == expected
    profile = command("profile", trace.store)
    assert expected == {region["name"]: region["calls"] for region in profile["regions"]}


def test_who_receives_most(trace: foldtrace.Trace, printed: list[Event]) -> None:
    received = trace.messages.to_polars().group_by("receiver").agg(polars.col("bytes").sum())

    expected: Counter[int] = Counter()
    for event in printed:
        if event.kind == "MPI_SEND":
            expected[event.peer] += event.bytes
    assert dict(received.iter_rows()) == expected
    pairs = command("matrix", trace.store, "--bytes")["pairs"]
    assert expected[0] == sum(pair["bytes"] for pair in pairs if pair["receiver"] == 0)


def test_how_many_events_has_each_kind(trace: foldtrace.Trace, printed: list[Event]) -> None:
    kinds = trace.events(columns=["kind"]).to_polars()["kind"].value_counts()

    expected = Counter(event.kind.lower() for event in printed)
    assert dict(kinds.iter_rows()) == expected
    shown = command("info", trace.store)["kinds"]
    assert expected == {kind: count for kind, count in shown.items() if count > 0}


def test_how_long_does_each_rank_run(trace: foldtrace.Trace, printed: list[Event], ranks: dict[int, int]) -> None:
    times = trace.events(columns=["rank", "time"]).to_polars().group_by("rank")
    spans = times.agg(polars.col("time").max() - polars.col("time").min())

    events: defaultdict[int, list[int]] = defaultdict(list)
    for event in printed:
        events[ranks[event.location]].append(event.time)
    expected = {rank: max(times) - min(times) for rank, times in events.items()}
    assert dict(spans.iter_rows()) == expected
    locations = command("profile", trace.store)["by_location"]
    assert expected == {ranks[it["location"]]: it["duration"] for it in locations}
