"""Runs commands, and reads the sources of stores with otf2-print."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDTRACE = os.environ.get("FOLDTRACE", str(ROOT / "target/debug/foldtrace"))

EVENT = re.compile(r"([A-Z_]+) +(\d+) +(\d+) *(.*)")


def run(*command):
    """Returns the standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command} gave {done.returncode}: {done.stderr}")
    return done.stdout


def printed(archive):
    """Returns (location, kind, time, operands) of every event that otf2-print prints, sorted by location.

    Events of one location keep their order. The clocks of the examples tick in nanoseconds.
    """
    lines = run("otf2-print", str(archive / "eztrace_log.otf2")).splitlines()
    events = [match.groups() for match in map(EVENT.match, lines) if match]
    return sorted(
        ((int(location), kind.lower(), int(time), operands) for kind, location, time, operands in events),
        key=lambda event: event[0],
    )
