"""Tables that are derived from the events: the same rows as the views of DuckDB on a store that has them."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow
import pytest

import foldtrace
from conftest import REPOSITORY

CLOCKS = ["ticks_per_second=1000000000 global_offset=0", "ticks_per_second=7 global_offset=1000"]
NAMES = ["calls", "messages", "collectives", "collective_members", "timeline"]


@pytest.fixture(scope="module", params=CLOCKS)
def store(request: pytest.FixtureRequest, wave: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without derived tables, with a clock of nanoseconds or of another unit."""
    folder = tmp_path_factory.mktemp("derived")
    trace = folder / "run.trace"
    run("convert", wave, trace)
    text = trace.read_text()
    assert CLOCKS[0] in text
    trace.write_text(text.replace(CLOCKS[0], request.param))
    run("convert", trace, folder / "run.fold")
    return folder / "run.fold"


def run(*arguments: str | Path) -> None:
    """Runs the command."""
    subprocess.run([sys.executable, "-m", "foldtrace", arguments[0], "-q", *arguments[1:]], check=True)


def view(store: Path, name: str) -> pyarrow.Table:
    """The rows of a view of a store with all derived tables."""
    connection = duckdb.connect()
    connection.execute(f"SET VARIABLE foldtrace_store = '{store}'")
    connection.execute((store / "views.sql").read_text())
    rows: pyarrow.Table = connection.sql(f'SELECT * FROM "{name}"').to_arrow_table()
    return rows


def rows(table: pyarrow.Table) -> list[str]:
    """The rows in an order that does not depend on the order of rows or columns."""
    return sorted(repr(sorted(row.items())) for row in table.to_pylist())


@pytest.mark.parametrize("name", [*NAMES, "iterations"])
def test_the_rows_are_those_of_the_view(store: Path, name: str, tmp_path: Path) -> None:
    derived = shutil.copytree(store, tmp_path / "run.fold")
    run("derive", derived)
    expected = view(derived, name)
    expected = expected.rename_columns(["mpi" if it == "mpi_name" else it for it in expected.column_names])
    for path in [store, derived]:
        trace = foldtrace.open(path, cache=tmp_path / "cache")
        table = getattr(trace, "local_iterations" if name == "iterations" else name)
        found = table.to_arrow()
        if name == "iterations":
            expected = expected.select(found.column_names)
        assert set(found.column_names) == set(expected.column_names)
        assert found.num_rows > 0
        assert rows(found) == rows(expected)


def test_a_table_is_derived_once(store: Path, tmp_path: Path) -> None:
    def derived() -> dict[str, int]:
        trace = foldtrace.open(store, cache=tmp_path)
        assert pyarrow.table(trace.messages).num_rows == trace.messages.to_arrow().num_rows > 0
        return {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*/run.*")}

    before = derived()
    assert derived() == before
    assert list(before) == ["run.messages"]


def test_stores_of_all_versions_have_derived_tables(tmp_path: Path) -> None:
    for store in sorted((REPOSITORY / "tests/data/stores").glob("v*/ring-4.fold")):
        trace = foldtrace.open(store, cache=tmp_path / store.parent.name)
        for name in NAMES:
            assert getattr(trace, name).to_arrow().num_rows > 0, (store, name)


def test_numbers_that_users_subtract_are_signed(trace: foldtrace.Trace) -> None:
    for name in NAMES:
        schema = getattr(trace, name).to_arrow().schema
        for field in schema:
            is_id = field.name in {"location", "region", "calling_context", "communicator", "window"}
            if field.type == pyarrow.uint64():
                assert is_id or field.name.endswith(("_location", "_communicator")), field.name


def test_the_timeline_has_the_times_of_all_calls(trace: foldtrace.Trace) -> None:
    calls, timeline = trace.calls, trace.timeline
    expected = duckdb.sql("SELECT location, name, sum(exclusive), count(*) FROM calls GROUP BY ALL ORDER BY ALL")
    found = duckdb.sql(
        "SELECT location, name, sum(time), sum(calls) FROM timeline WHERE level = 0 AND name IS NOT NULL GROUP BY ALL ORDER BY ALL"
    )
    assert found is not None and expected is not None and found.fetchall() == expected.fetchall()
    assert calls.columns[:3] == timeline.columns[:3]


def test_tables_join_by_location_and_position(trace: foldtrace.Trace) -> None:
    calls, events = trace.calls, trace.events(kind="enter", columns=["location", "position", "time"])
    joined = duckdb.sql(
        "SELECT count(*) FROM calls JOIN events ON calls.location = events.location "
        "AND begin_position = position AND start = time"
    )
    assert joined is not None and joined.fetchall() == [(calls.to_arrow().num_rows,)]
    assert calls.to_arrow().num_rows == events.to_arrow().num_rows


METRICS = ["text/good/fields/input.trace", "otf2-print/good/attributes_and_metrics/input.txt"]


@pytest.mark.parametrize("name", METRICS)
def test_metrics_are_those_of_the_view(name: str, tmp_path: Path) -> None:
    trace = foldtrace.open(REPOSITORY / "tests" / "data" / name, cache=tmp_path, salvage=True)
    found = trace.metrics.to_arrow()
    expected = view(trace.store, "metrics").select(found.column_names)
    assert found.num_rows > 0
    assert rows(found) == [row.replace("'unit', '#'", "'unit', None") for row in rows(expected)]


def test_metrics_come_in_batches(tmp_path: Path) -> None:
    text = ["#: metric_member id=0 name=0 value_type=4", "#: metric_class id=1 members=0"]
    values = [f"0 local metric metric=1 time={value} value.0=uint64:{value}" for value in range(150_000)]
    (tmp_path / "run.trace").write_text("\n".join([*text, *values]) + "\n")
    metrics = foldtrace.open(tmp_path / "run.trace", cache=tmp_path).metrics.to_arrow()
    assert metrics["uint64"].to_pylist() == metrics["time"].to_pylist() == list(range(150_000))
    assert metrics["value"].to_pylist() == [float(value) for value in range(150_000)]
    assert max(len(chunk) for chunk in metrics["value"].chunks) < 2 << 16


def test_a_trace_without_metrics_has_none(trace: foldtrace.Trace) -> None:
    assert trace.metrics.to_arrow().num_rows == 0
