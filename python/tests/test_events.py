"""The table of events: the same rows as the command writes, for any library that reads Arrow."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

import foldtrace

KEYS = ["location", "position", "time", "symbol"]


@pytest.fixture(scope="module")
def written(wave_store: Path, tmp_path_factory: pytest.TempPathFactory) -> pyarrow.Table:
    """The flat table that the command writes."""
    path = tmp_path_factory.mktemp("tables") / "wave.parquet"
    command = [sys.executable, "-m", "foldtrace", "convert", "-q", str(wave_store), str(path)]
    subprocess.run(command, check=True)
    return pyarrow.parquet.read_table(path)


def test_the_table_is_the_one_that_the_command_writes(
    trace: foldtrace.Trace, written: pyarrow.Table
) -> None:
    names = ["mpi" if name == "mpi_name" else name for name in written.column_names]
    table = trace.events().to_arrow()
    assert table.column_names == names
    assert table.num_rows == len(trace) == 3896
    assert table.to_pylist() == written.rename_columns(names).to_pylist()


def test_numbers_that_users_subtract_are_signed(trace: foldtrace.Trace) -> None:
    schema = trace.events().to_arrow().schema
    assert pyarrow.schema(trace.events()) == schema  # type: ignore[arg-type]
    for name in ["rank", "thread", "position", "time", "ticks", "peer", "tag", "root", "bytes"]:
        assert schema.field(name).type == pyarrow.int64(), name
    for name in ["kind", "name", "mpi"]:
        assert schema.field(name).type == pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


def test_columns_are_selected_in_order(trace: foldtrace.Trace, written: pyarrow.Table) -> None:
    table = trace.events(columns=["mpi", *KEYS])
    assert table.columns == ["mpi", *KEYS]
    assert table.to_arrow().select(KEYS).to_pylist() == written.select(KEYS).to_pylist()


def test_rows_are_selected(trace: foldtrace.Trace, written: pyarrow.Table) -> None:
    def positions(**selection: object) -> list[tuple[int, int]]:
        table = trace.events(columns=["location", "position"], **selection)  # type: ignore[arg-type]
        return [(row["location"], row["position"]) for row in table.to_arrow().to_pylist()]

    rows = written.to_pylist()

    def expected(is_selected: object) -> list[tuple[int, int]]:
        assert callable(is_selected)
        return [(row["location"], row["position"]) for row in rows if is_selected(row)]

    assert positions(location=2) == expected(lambda row: row["rank"] == 2)
    assert positions(location=["2", 0]) == expected(lambda row: row["rank"] in (0, 2))
    assert positions(kind="mpi_send") == expected(lambda row: row["kind"] == "mpi_send")
    middle = sorted(row["time"] for row in rows)[len(rows) // 2]
    assert positions(time=(middle, None)) == expected(lambda row: row["time"] >= middle)
    assert positions(time=f"..{middle}ns") == expected(lambda row: row["time"] < middle)
    assert positions(position=(5, 9)) == expected(lambda row: 5 <= row["position"] < 9)
    assert positions(position=(7, None)) == expected(lambda row: row["position"] >= 7)
    assert positions(position=(None, 3), location=1) == expected(lambda row: row["position"] < 3 and row["rank"] == 1)
    assert positions(position=(9, 5)) == positions(position=(1 << 60, None)) == []
    late = expected(lambda row: row["time"] >= middle and row["position"] < 20)
    assert positions(position=(None, 20), time=(middle, None)) == late
    sends = expected(lambda row: row["kind"] == "mpi_send" and row["rank"] == 1)
    assert positions(kind=["mpi_send"], location="1.0") == sends


def test_libraries_read_the_table(trace: foldtrace.Trace) -> None:
    events = trace.events(columns=[*KEYS, "name"])
    rows = events.to_arrow().to_pylist()
    assert pyarrow.table(events).to_pylist() == rows
    assert polars.DataFrame(events).to_dicts() == rows
    assert events.to_polars().to_dicts() == rows
    # Pandas has it from version 3 on, which needs Python 3.11.
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert pandas.DataFrame.from_arrow(events).shape == (3896, 5)  # type: ignore[attr-defined]
    assert events.to_pandas().shape == (3896, 5)
    counted = duckdb.sql("SELECT count(*), max(position) FROM events")
    assert counted is not None and counted.fetchall() == [(3896, 973)]


def test_pandas_keeps_integers_that_may_be_null(trace: foldtrace.Trace) -> None:
    frame = trace.events(columns=["peer", "bytes", "kind"]).to_pandas()
    assert str(frame.dtypes["peer"]) == "Int64"
    assert str(frame.dtypes["kind"]) == "category"


def test_a_table_can_be_read_any_number_of_times(trace: foldtrace.Trace) -> None:
    table = trace.events(columns=["position"])
    assert table.to_arrow() == table.to_arrow()


def test_the_first_rows_are_shown(trace: foldtrace.Trace) -> None:
    events = trace.events(columns=["position", "name"])
    rows = events.to_arrow().to_pylist()
    assert events.head(2).to_arrow().to_pylist() == rows[:2]
    assert len(events.head(5000).to_arrow()) == 3896
    assert len(events.head(0).to_arrow()) == 0
    shown = events._repr_html_()
    assert shown.count("<tr>") == 11
    assert all(f"<tr><td>{row['position']}</td><td>{row['name'] or ''}</td></tr>" in shown for row in rows[:10])


def test_locations_have_ranks_and_labels(trace: foldtrace.Trace) -> None:
    rows = trace.locations.to_arrow().to_pylist()
    assert [(row["label"], row["rank"], row["thread"]) for row in rows] == [(str(rank), rank, 0) for rank in range(4)]
    assert sum(row["events"] for row in rows) == len(trace)
    events = trace.events(columns=["location"]).to_polars()["location"].value_counts()
    assert dict(events.iter_rows()) == {row["location"]: row["events"] for row in rows}


def test_without_other_libraries_there_is_the_stream(wave_store: Path) -> None:
    program = f"""if True:
        import sys
        for name in ["numpy", "pandas", "polars", "pyarrow", "duckdb"]:
            sys.modules[name] = None
        import foldtrace
        table = foldtrace.open({str(wave_store)!r}).events(columns=["time"])
        assert "arrow_array_stream" in repr(table.__arrow_c_stream__())
        try:
            table.to_polars()
        except ImportError:
            pass
        else:
            raise AssertionError("polars was imported")
    """
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("absent", ["numpy", "pandas", "polars", "pyarrow", "duckdb"])
def test_each_library_may_be_absent(absent: str, wave_store: Path) -> None:
    program = f"""if True:
        import sys

        class Absence:
            def find_spec(self, name, *_):
                if name == {absent!r}:
                    raise ModuleNotFoundError(name=name)

        sys.meta_path.insert(0, Absence())
        import foldtrace
        trace = foldtrace.open({str(wave_store)!r})
        table = trace.events(columns=["time"])
        assert "arrow_array_stream" in repr(table.__arrow_c_stream__())
        for run in [table.to_arrow, table.to_pandas, table.to_polars, table.to_numpy, lambda: foldtrace.connect(t=trace)]:
            try:
                run()
            except ImportError:
                print("is absent")
            else:
                print("ran")
    """
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    needs = [{"pyarrow"}, {"pyarrow", "pandas", "numpy"}, {"polars"}, {"pyarrow", "numpy"}, {"duckdb"}]
    assert [line == "ran" for line in ran.stdout.splitlines()] == [absent not in names for names in needs], ran.stdout


def test_one_of_many_locations_has_the_same_events(tmp_path: Path) -> None:
    trace = tmp_path / "ring.trace"
    with trace.open("w") as file:
        for rank in range(70_000):
            file.write(f"{rank} local enter work time={rank}\n")
            file.write(f"{rank} send {(rank + 1) % 70_000} 1 time={rank}\n")
    chosen: list[int | str | list[int | str]] = [0, "69000.0", "@4", [65_535, 65_536]]
    whole = foldtrace.open(trace, cache=tmp_path)
    assert len(whole.locations.to_arrow()) == 70_000
    for location in chosen:
        # A reader of some locations, and one of all.
        some = foldtrace.open(trace, cache=tmp_path).events(location=location).to_arrow()
        table = whole.events(location=location).to_arrow()
        assert some.schema == table.schema
        assert some.to_pylist() == table.to_pylist()
        assert some["time"].to_pylist() == some["location"].to_pylist()
    with pytest.raises(foldtrace.Error, match="there is no location '70000'"):
        foldtrace.open(trace, cache=tmp_path).events(location=70_000)
