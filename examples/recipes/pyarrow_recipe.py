"""Computes message sizes and the communication matrix with pyarrow, from an Arrow file.

    pip install pyarrow
    foldtrace convert TRACE run.arrow
    python pyarrow_recipe.py run.arrow

The file is mapped into memory, so only the columns in use are read. Without a file,
`foldtrace convert TRACE - --to arrow` writes a stream, and pyarrow.ipc.open_stream reads one.
"""

import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc

with pa.memory_map(sys.argv[1]) as file:
    events = ipc.open_file(file).read_all().select(["kind", "rank", "peer", "bytes"])

# `peer` is a rank of the communicator; for MPI_COMM_WORLD, it is the rank of the program.
is_send = pc.is_in(events["kind"].cast(pa.string()), pa.array(["mpi_send", "mpi_isend"]))
sends = events.filter(is_send).drop_columns("kind").rename_columns(["sender", "receiver", "bytes"])


def show(title, table):
    """Prints a small table with right-aligned numbers."""
    rows = [table.column_names, *([str(v) for v in row.values()] for row in table.to_pylist())]
    widths = [max(map(len, column)) for column in zip(*rows)]
    print(title)
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def count(table, by):
    """Counts messages and bytes for each combination of the columns `by`."""
    counted = table.group_by(by).aggregate([("bytes", "count"), ("bytes", "sum")])
    counted = counted.rename_columns({"bytes_count": "messages", "bytes_sum": "bytes"})
    return counted.sort_by([(column, "ascending") for column in by])


show("Communication matrix", count(sends, ["sender", "receiver"]))

# The largest power of two that is at most the size.
powers = [0 if size == 0 else 1 << (size.bit_length() - 1) for size in sends["bytes"].to_pylist()]
sends = sends.append_column("from_bytes", pa.array(powers, pa.int64()))
show("Message sizes", count(sends, ["from_bytes"]))
