"""Traces in the data structures of other packages."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import numpy
import pandas
import pytest

import foldtrace


def test_stores_are_schemas_of_a_database(trace: foldtrace.Trace, tmp_path: Path) -> None:
    (tmp_path / "other.trace").write_text("0 send 1 4\n1 recv 0 4\n")
    other = foldtrace.open(tmp_path / "other.trace", cache=tmp_path)
    connection = foldtrace.connect(wave=trace, other=other)
    counts = "SELECT (SELECT count(*) FROM wave.events), (SELECT count(*) FROM other.events)"
    assert connection.execute(counts).fetchall() == [(3896, 2)]
    again = foldtrace.connect(connection, **{'a "b"': other})
    assert again.execute('SELECT count(*) FROM "a ""b""".messages').fetchall() == [(1,)]
    assert connection.execute("SELECT current_schema()").fetchall() == [("main",)]


def test_a_failure_leaves_the_schema_as_it_was(trace: foldtrace.Trace) -> None:
    connection = foldtrace.connect(wave=trace)
    with pytest.raises(duckdb.CatalogException):
        foldtrace.connect(connection, wave=trace)
    assert connection.execute("SELECT current_schema()").fetchall() == [("main",)]


def test_pipit_gets_its_events(trace: foldtrace.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    class Trace:
        """The class of Pipit, whose package is not on PyPI."""

        def __init__(self, definitions: Any, events: pandas.DataFrame) -> None:
            self.events = events

    pipit = ModuleType("pipit")
    pipit.Trace = Trace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pipit", pipit)
    events = trace.to_pipit().events
    columns = ["Timestamp (ns)", "Event Type", "Name", "Thread", "Process"]
    assert list(events.columns[:5]) == columns
    assert events["Timestamp (ns)"].is_monotonic_increasing
    calls = trace.calls.to_pandas()
    assert (events["Event Type"] == "Enter").sum() == len(calls)


def test_without_a_package_there_is_an_import_error(trace: foldtrace.Trace) -> None:
    for convert in [trace.to_pipit, trace.to_hatchet]:
        with pytest.raises(ImportError):
            convert()


def test_numpy_keeps_integers_that_may_be_null(trace: foldtrace.Trace) -> None:
    table = trace.events(columns=["position", "peer", "name"])
    arrays, rows = table.to_numpy(), table.to_arrow().to_pylist()
    assert list(arrays) == table.columns
    assert arrays["position"].tolist() == [row["position"] for row in rows]
    assert arrays["peer"].dtype == numpy.int64
    assert arrays["peer"].tolist() == [row["peer"] for row in rows]
    assert arrays["name"].tolist() == [row["name"] for row in rows]
    waits = trace.waits()
    assert waits.to_numpy()["waited"].tolist() == waits.to_arrow()["waited"].to_pylist()
