"""Prints how fast events come to Python: from foldtrace, pyarrow, the bindings of libotf2, and Pipit.

    python tables.py ANCHOR [STORE]

ANCHOR is the anchor file of an OTF2 archive, and STORE its store, which is otherwise converted first. All run on one core, one
after another, and the fastest of three runs counts; only one run of those that take longer than ten seconds. Pipit is left
out if it is not installed.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import pyarrow.parquet  # noqa: E402

import foldtrace  # noqa: E402

KEYS = ["location", "position", "time", "symbol"]
RUNS = 3
LONG = 10.0


def measure(name: str, rows: int | None, run: Callable[[], object]) -> float:
    """Prints and returns the time of the fastest run, in seconds."""
    best = float("inf")
    for _ in range(RUNS):
        begin = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - begin)
        del result
        if best > LONG:
            break
    rate = "" if rows is None else f"{rows / best / 1e6:>9.2f} M rows/s"
    print(f"{name:<48} {1e3 * best:>10.1f} ms {rate}", flush=True)
    return best


def read_with_otf2(anchor: Path) -> int:
    """Reads all events with the bindings of libotf2. Returns their number."""
    import otf2

    with otf2.reader.open(str(anchor)) as trace:
        return sum(1 for _ in trace.events)


def read_with_pipit(anchor: Path) -> object:
    """Reads the archive with Pipit, which expects that its anchor file is named `traces.otf2`."""
    from pipit import Trace

    return Trace.from_otf2(str(anchor.parent), num_processes=1)


def main(anchor: Path, store: Path | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trace = foldtrace.open(store or anchor, cache=folder)
        rows = len(trace)
        print(f"{anchor}: {rows} events")
        flat = Path(folder, "flat.parquet")
        foldtrace.convert(trace.store, flat)
        opening = measure("open a store", None, lambda: foldtrace.open(trace.store))
        keys = trace.events(columns=KEYS)
        measure("events, 4 columns, Arrow", rows, lambda: pyarrow.table(keys))
        measure("events, all 24 columns, Arrow", rows, lambda: pyarrow.table(trace.events()))
        read = pyarrow.parquet.read_table
        measure("  pyarrow.parquet.read_table, 4 columns", rows, lambda: read(flat, columns=KEYS))
        measure("  pyarrow.parquet.read_table, all columns", rows, lambda: read(flat))
        ours = measure("events, 4 columns, pandas", rows, keys.to_pandas)
        theirs = measure("  pyarrow.parquet.read_table, 4 columns, pandas", rows, lambda: read(flat, columns=KEYS).to_pandas())
        print(f"opening {1e3 * opening:.1f} ms; pandas {ours / theirs:.2f} times the time of pyarrow")
        # Both refuse the duplicate definitions of EZTrace, which the repair removes.
        strict = Path(folder, "strict", "traces.otf2")
        foldtrace.convert(trace.store, strict, repair=True)
        measure("  otf2, Python's bindings of libotf2", rows, lambda: read_with_otf2(strict))
        try:
            measure("  Pipit, Trace.from_otf2", rows, lambda: read_with_pipit(strict))
        except ImportError as error:
            print(f"  Pipit from https://github.com/hpcgroup/pipit is not installed: {error}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
