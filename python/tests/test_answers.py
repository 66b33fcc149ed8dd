"""Answers of analyses: the same text and data as the command, tables that join, and pictures."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet
import pytest

import foldtrace


def command(*arguments: str | Path) -> str:
    """What the command prints."""
    run = [sys.executable, "-m", "foldtrace", *arguments]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


ANSWERS = [
    "loops",
    "program",
    "dag",
    "patterns",
    "topology",
    "logical",
    "profile",
    "steps",
    "waits",
    "critical",
    "efficiency",
    "matrix",
]


def answer(trace: foldtrace.Trace, name: str) -> foldtrace.Answer:
    """The answer of an analysis, some of which are methods."""
    found = getattr(trace, name)
    found = found() if callable(found) else found
    assert isinstance(found, foldtrace.Answer)
    return found


@pytest.mark.parametrize("name", ANSWERS)
def test_text_and_data_are_those_of_the_command(trace: foldtrace.Trace, name: str) -> None:
    arguments = ["loops", "--global"] if name == "program" else [name]
    found = answer(trace, name)
    assert str(found) == command(*arguments, trace.store)
    assert found.data == json.loads(command(*arguments, trace.store, "--json"))


@pytest.mark.parametrize("name", ["waits", "critical", "efficiency", "steps"])
def test_tables_are_those_of_the_command(trace: foldtrace.Trace, name: str, tmp_path: Path) -> None:
    command(name, trace.store, "--table", tmp_path / "table.parquet")
    expected = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    found = answer(trace, name)
    assert isinstance(found, foldtrace.TableAnswer)
    # The clock of the trace counts nanoseconds from 0.
    assert found.to_arrow().to_pylist() == expected.to_pylist()
    assert found.columns == expected.column_names
    assert polars.DataFrame(found).shape == (expected.num_rows, expected.num_columns)


def test_a_profile_is_a_table(trace: foldtrace.Trace) -> None:
    profile = trace.profile()
    table = profile.to_polars().group_by("region").agg(polars.col("exclusive").sum())
    assert dict(table.rows()) == {it["name"]: it["exclusive"] for it in profile.data["regions"]}


def test_tables_join_with_events(trace: foldtrace.Trace) -> None:
    waits, events = trace.waits(clock="none"), trace.events(columns=["location", "position", "time"])
    joined = duckdb.sql("SELECT bool_and(time = start), count(*) FROM waits JOIN events USING (location, position)")
    assert joined is not None and joined.fetchall() == [(True, waits.to_arrow().num_rows)]


def test_options_are_those_of_the_command(trace: foldtrace.Trace) -> None:
    assert str(trace.waits(top=1, clock="none")) == command("waits", trace.store, "--top=1", "--clock=none")
    assert str(trace.profile(location=[0, "1"])) == command("profile", trace.store, "--location=0", "--location=1")
    with pytest.raises(foldtrace.Error, match="unexpected argument '--tops'") as raised:
        str(trace.waits(tops=1))
    assert raised.value.kind == "usage"
    with pytest.raises(foldtrace.Error, match="there is no location '99'"):
        str(trace.profile(location=99))


def test_loops_have_iterations(trace: foldtrace.Trace) -> None:
    program = trace.program
    assert list(program.loops) == ["2", "2.1", "2.2"]
    assert repr(program.loops["2.1"]) == "Loop 2.1: 8 iterations in 4 processes"
    iterations = program.loops[2].iterations("time", "bytes").to_arrow()
    assert iterations.num_rows == 10 * 4
    begin, end = iterations["time"].to_numpy(), iterations["end_time"].to_numpy()
    assert (begin < end).all()
    assert trace.iterations(2).to_arrow()["time"].to_pylist() == begin.tolist()
    assert trace.iterations().columns[:4] == ["location", "rank", "thread", "loop"]
    with pytest.raises(KeyError):
        program.loops[9]


def test_a_matrix_is_an_array(trace: foldtrace.Trace) -> None:
    matrix = trace.matrix(bytes=True)
    messages = trace.messages
    sums = duckdb.sql("SELECT sender, receiver, count(*), sum(bytes)::BIGINT FROM messages GROUP BY ALL")
    assert sums is not None
    expected: Any = numpy.zeros((2, 4, 4), dtype=numpy.int64)
    for sender, receiver, *numbers in sums.fetchall():
        expected[:, sender, receiver] = numbers
    assert (matrix.to_numpy() == expected[0]).all()
    assert (matrix.to_numpy("bytes") == expected[1]).all()


@pytest.mark.parametrize("name", ["program", "dag", "topology", "profile", "steps", "matrix"])
def test_notebooks_show_pictures(trace: foldtrace.Trace, name: str) -> None:
    found = answer(trace, name)
    assert isinstance(found, foldtrace.Picture)
    assert found._repr_svg_().startswith("<svg")


def test_options_of_pictures_apply_to_pictures(trace: foldtrace.Trace) -> None:
    part = trace.steps().draw(steps="0..20")
    assert part._repr_svg_() == part.svg != trace.steps().svg
    with pytest.raises(foldtrace.Error, match="apply only to pictures"):
        str(trace.steps(steps="0..20"))


def test_a_report_is_a_page(trace: foldtrace.Trace, tmp_path: Path) -> None:
    report = trace.report
    assert report.html.startswith("<!DOCTYPE html>")
    assert report._repr_html_().startswith("<iframe srcdoc=")
    report.save(tmp_path / "wave.html")
    assert (tmp_path / "wave.html").read_text().endswith("</html>\n")
    with pytest.raises(foldtrace.Error, match="exists"):
        report.save(tmp_path / "wave.html")


def test_notebooks_show_pages(trace: foldtrace.Trace) -> None:
    for page in [trace.patterns, trace.compare(trace)]:
        assert page._repr_html_().startswith("<iframe srcdoc=")
        assert page.html.startswith("<!DOCTYPE html>")


def test_a_run_does_not_differ_from_itself(trace: foldtrace.Trace) -> None:
    assert trace.compare(trace).data["findings"] == []


def test_answers_are_saved(trace: foldtrace.Trace, tmp_path: Path) -> None:
    picture = tmp_path / "topology.svg"
    trace.topology.save(picture)
    assert picture.read_text() == trace.topology.svg
    with pytest.raises(foldtrace.Error, match="exists"):
        trace.topology.save(picture)
    trace.topology.save(picture, force=True)


def test_a_skeleton_is_a_program(trace: foldtrace.Trace) -> None:
    assert "int main(" in trace.skeleton()


def test_traces_are_converted(wave: Path, tmp_path: Path) -> None:
    foldtrace.convert(wave, tmp_path / "wave.trace")
    assert len(foldtrace.open(tmp_path / "wave.trace")) == 3896
    with pytest.raises(foldtrace.Error, match="exists"):
        foldtrace.convert(wave, tmp_path / "wave.trace")
    foldtrace.convert(wave, tmp_path / "wave.trace", force=True)


def test_losses_in_an_answer_are_warnings(tmp_path: Path) -> None:
    trace = tmp_path / "broken.trace"
    trace.write_text("0 send 1 4\n0 sned 1 4\n")
    with pytest.warns(foldtrace.Diagnostic):
        foldtrace.convert(trace, tmp_path / "broken.fold", salvage=True)


def test_a_table_outlives_its_answer(trace: foldtrace.Trace) -> None:
    table = trace.critical().table
    assert table.to_arrow() == table.to_arrow()
