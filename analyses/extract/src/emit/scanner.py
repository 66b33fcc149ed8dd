#!/usr/bin/env python3
"""Writes a row for each occurrence of some constructs of a store, as 'foldtrace extract' does.

Usage: python3 THIS [STORE [OUTPUT]]

OUTPUT ends in .csv, .parquet or .arrow; by default, CSV is written to standard output. Needs pyarrow and numpy.
"""

import json
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

# SETTINGS
SUMMED = [name for name in ATTRIBUTES if HAS_RUNS and name != "time"]

if len(sys.argv) > 1:
    STORE = sys.argv[1]
STORE = Path(STORE)
MANIFEST = json.loads((STORE / "manifest.json").read_text())
if ATTRIBUTES and MANIFEST.get("form") == "archive":
    sys.exit(f"{STORE} is an archive, whose quantities are encoded: convert it to a plain store first")
SYMBOLS = pq.read_table(STORE / "symbols.parquet", columns=["kind"])["kind"].cast(pa.string())
SELECTED = np.array([KINDS is None or kind in KINDS for kind in SYMBOLS.to_pylist()], dtype=bool)
INDEX = pq.read_table(STORE / "index.parquet")


@lru_cache(maxsize=None)
def part(folder, number):
    return pq.ParquetFile(STORE / folder / f"part-{number:05}.parquet")


def rows(segment, folder, names):
    """Returns the rows of a segment in a table of events."""
    table = part(folder, segment["part"]).read_row_group(segment["row_group"], columns=names)
    return table.slice(segment["row"], segment["events"])


@lru_cache(maxsize=None)
def events(location):
    """Returns the positions of the events of a location that the model counts, and the requested columns."""
    segments = INDEX.filter(pc.equal(INDEX["location"], pa.scalar(location, pa.uint64())))
    positions, columns = [np.zeros(0, dtype=np.int64)], {name: [] for name in ATTRIBUTES}
    for segment in segments.to_pylist():
        counted = np.flatnonzero(SELECTED[rows(segment, "topology", ["symbol"])["symbol"].to_numpy()])
        positions.append(counted + segment["first_position"])
        if ATTRIBUTES:
            quantities = rows(segment, "quantity", ATTRIBUTES).take(pa.array(counted))
            for name in ATTRIBUTES:
                columns[name].extend(quantities[name].chunks)
    columns = {name: pa.chunked_array(chunks or [pa.array([], pa.int64())]) for name, chunks in columns.items()}
    return np.concatenate(positions), columns


@lru_cache(maxsize=None)
def sums(location, name):
    """Returns the sums of a column over all events before each one that the model counts."""
    values = events(location)[1][name].fill_null(0).to_numpy()
    return np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values)])


TABLES = []


def scan(label, loops, process, location, count, points):
    """Adds the rows of a process: for each point its position in the model, and its length."""
    positions, columns = events(location)
    if len(positions) != count:
        sys.exit(f"location {location} of {STORE} has {len(positions)} events, not {count}: this is another store")
    shape = np.broadcast_shapes(*(index.shape for index in loops)) if loops else (1,)
    rows = int(np.prod(shape))
    table = {
        "label": pa.array([label]).take(pa.array(np.zeros(rows, dtype=np.int64))),
        "process": pa.array([process]).take(pa.array(np.zeros(rows, dtype=np.int64))),
        "location": pa.array(np.full(rows, location, dtype=np.uint64)),
    }
    for depth in range(DEPTH):
        if depth < len(loops):
            table[f"i{depth}"] = pa.array(np.broadcast_to(loops[depth], shape).ravel().astype(np.int64))
        else:
            table[f"i{depth}"] = pa.nulls(rows, pa.int64())
    for name, (first, length) in zip(POINTS, points):
        prefix = name and name + "."
        first = np.broadcast_to(np.asarray(first, dtype=np.int64), shape).ravel()
        last = first + (length - 1)
        # There is no event after the last one.
        is_after = first >= count
        begin, end = pa.array(first, mask=is_after), pa.array(last, mask=is_after)
        where = pa.array(positions)
        table[prefix + "position"] = where.take(begin)
        if HAS_RUNS:
            table[prefix + "length"] = pa.array(np.full(rows, length, dtype=np.int64), mask=is_after)
            table[prefix + "end_position"] = where.take(end)
        for attribute in ATTRIBUTES:
            if attribute in SUMMED:
                until = sums(location, attribute)
                total = until[np.minimum(last + 1, count)] - until[np.minimum(first, count)]
                table[prefix + attribute] = pa.array(total, mask=is_after)
                continue
            table[prefix + attribute] = columns[attribute].take(begin)
            if HAS_RUNS:
                table[prefix + "end_time"] = columns[attribute].take(end)
    TABLES.append(pa.table(table))


def main():
    # RECORDS
    table = pa.concat_tables(TABLES)
    output = sys.argv[2] if len(sys.argv) > 2 else None
    if output is None or output.endswith(".csv"):
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        pyarrow.csv.write_csv(table, output or sys.stdout.buffer, options)
    elif output.endswith(".parquet"):
        pq.write_table(table, output)
    elif output.endswith(".arrow"):
        with pa.OSFile(output, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        sys.exit(f"{output} has to end in .csv, .parquet or .arrow")


main()
