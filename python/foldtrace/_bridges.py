"""Traces in the data structures of other packages, which need not be installed."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldtrace import _lib

if TYPE_CHECKING:
    import duckdb
    import pyarrow
    from numpy.typing import NDArray

    from foldtrace._trace import Trace


def to_numpy(table: "pyarrow.Table") -> "dict[str, NDArray[Any]]":
    """The columns as NumPy arrays, by their names. Columns with nulls are masked arrays."""
    return dict(zip(table.column_names, map(_array, table.columns), strict=True))


def _array(column: "pyarrow.ChunkedArray[Any]") -> "NDArray[Any]":
    """A column as a NumPy array. Nulls are masked, so that integers next to them remain integers."""
    import numpy
    import pyarrow

    if column.null_count == 0:
        return column.to_numpy()
    mask = column.is_null().to_numpy()
    if pyarrow.types.is_integer(column.type):
        column = column.fill_null(pyarrow.scalar(0, column.type))
    return numpy.ma.masked_array(column.to_numpy(), mask)


def to_pipit(trace: "Trace") -> Any:
    """The trace as a `pipit.Trace`, in order of time."""
    import pandas
    import pipit

    with tempfile.TemporaryDirectory(prefix="foldtrace-") as folder:
        table = Path(folder, "events.parquet")
        _lib.run_quietly(["convert", str(trace.store), str(table), "--to=pipit"])
        return pipit.Trace(None, pandas.read_parquet(table))


def to_hatchet(trace: "Trace") -> Any:
    """The profile as a `hatchet.GraphFrame`: a node for each call path, with its calls and times in seconds."""
    import hatchet

    tree = trace.profile(tree=True, depth=1000, threshold="0%").data["tree"]
    return hatchet.GraphFrame.from_literal(list(map(_literal, tree)))


def _literal(path: Mapping[str, Any]) -> dict[str, Any]:
    """A call path as a node of Hatchet."""
    return {
        "frame": {"name": path["name"], "type": "region"},
        "metrics": {
            "time (inc)": path["inclusive"] / 1e9,
            "time": path["exclusive"] / 1e9,
            "calls": path["calls"],
        },
        "children": list(map(_literal, path["children"])),
    }


def connect(
    connection: "duckdb.DuckDBPyConnection | None" = None, /, **traces: "Trace"
) -> "duckdb.DuckDBPyConnection":
    """A DuckDB connection with a schema for each trace, which has the views of its store: `lu.events`, `lu.messages`, …

    Views read only the columns and rows that a query needs. The views of calls and messages are exact if the store has the
    derived tables.
    """
    import duckdb

    connection = duckdb.connect() if connection is None else connection
    ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
    try:
        for name, trace in traces.items():
            connection.execute(f"CREATE SCHEMA {_quoted(name)}")
            connection.execute(f"USE {_quoted(name)}")
            store = str(trace.store.resolve()).replace("'", "''")
            connection.execute(f"SET VARIABLE foldtrace_store = '{store}'")
            connection.execute((trace.store / "views.sql").read_text())
    finally:
        connection.execute(f"USE {_quoted(schema)}")
    return connection


def _quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'
