"""Simulates `examples/patterns.c` with SMPI, and reads Pajé traces with pj_dump."""

import os
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from sources import ROOT, run

RANKS = 16
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"/>
</platform>
"""
# pj_dump omits states that begin at the end of what it dumps, so the end is later than all traces.
PJ_DUMP = ("pj_dump", "--float-precision=15", "--end=1000000")


@dataclass
class State:
    """A state of a container: a call. Times are in nanoseconds; `depth` is 0 for outermost calls."""

    name: str
    begin: int
    end: int
    depth: int


@dataclass
class Link:
    """A message from the container `source` to the container `target`, in nanoseconds."""

    source: str
    target: str
    begin: int
    end: int
    key: str


def compile_patterns(folder):
    """Compiles the program as `patterns` in a folder."""
    source = ROOT / "examples/patterns.c"
    run("smpicc", "-DSIMULATED", "-O2", "-o", str(folder / "patterns"), str(source))


def simulate(folder, trace, *arguments, slowdown=1, options=("-trace",)):
    """Runs the compiled program with arguments, on a cluster whose network is `slowdown` times slower."""
    machine, hosts = folder / "machine.xml", folder / "hosts"
    machine.write_text(PLATFORM.format(last=RANKS - 1, bandwidth=10**9 // slowdown, latency=slowdown * 1e-6))
    hosts.write_text("".join(f"node-{rank}\n" for rank in range(RANKS)))
    run(
        *("smpirun", "-np", str(RANKS), "-platform", str(machine), "-hostfile", str(hosts)),
        *(*options, "-trace-file", str(trace)),
        *("--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf"),
        *(str(folder / "patterns"), *arguments),
    )


def traces(pattern):
    """Returns the files that match a pattern below FOLDTRACE_TRACES."""
    more = os.environ.get("FOLDTRACE_TRACES")
    return sorted(path for path in Path(more).rglob(pattern) if path.is_file()) if more else []


def nanoseconds(seconds):
    """Returns a time that pj_dump prints in seconds."""
    return round(Decimal(seconds) * 10**9)


def dumped(trace):
    """Returns the states of each container of a Pajé trace as they begin, and the links as they end."""
    states, links = defaultdict(list), []
    for line in run(*PJ_DUMP, str(trace)).splitlines():
        kind, container, *fields = line.split(", ")
        if kind == "State":
            _, begin, end, _, depth, name = fields
            states[container].append(State(name, nanoseconds(begin), nanoseconds(end), int(Decimal(depth))))
        elif kind == "Link":
            _, begin, end, _, _, source, target, key = fields
            links.append(Link(source, target, nanoseconds(begin), nanoseconds(end), key))
    return states, links
