"""Answers of analyses: their text, their data, their tables and their pictures."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from foldtrace import _lib
from foldtrace._html import frame

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray

# The value of an option of the command; a list of them, for an option that can be repeated.
_Value: TypeAlias = str | float | os.PathLike[str]
Option: TypeAlias = _Value | Sequence[_Value] | None


def arguments(options: Mapping[str, Option]) -> list[str]:
    """The options as arguments of the command: `max_body=3` is `--max-body=3`, and `salvage=True` is `--salvage`."""
    found = []
    for name, option in options.items():
        flag = "--" + name.replace("_", "-")
        values = option if isinstance(option, Sequence) and not isinstance(option, str) else [option]
        for value in values:
            if value is True:
                found.append(flag)
            elif value is not None and value is not False:
                found.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return found


class Answer:
    """What an analysis says: `str()` is the text that the command prints, and `data` its JSON.

    The analysis runs when the answer is first used.
    """

    def __init__(self, command: str, inputs: Sequence[Path], options: Mapping[str, Option]) -> None:
        self._inputs = inputs
        self._arguments = [command, *map(str, inputs), *arguments(options)]

    @cached_property
    def _text(self) -> str:
        return self._written("text")

    @cached_property
    def data(self) -> Any:
        """What the command writes as JSON; its schema is in the folder `schemas`."""
        return json.loads(self._written("json"))

    def save(self, path: str | os.PathLike[str], **options: Option) -> None:
        """Writes the answer to a file. Its extension sets the format; `force=True` replaces it."""
        output: dict[str, Option] = {"output": path, **options}
        _lib.run_quietly([*self._arguments, *arguments(output)])

    def _written(self, form: str, options: Mapping[str, Option] | None = None) -> str:
        given = [*self._arguments, *arguments(options or {})]
        return _lib.answer([*given, f"--format={form}"]).decode()

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Drawing:
    """A picture, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


class Picture(Answer):
    """An answer with a picture."""

    @cached_property
    def svg(self) -> str:
        """The picture, as SVG."""
        return self._written("svg")

    def draw(self, **options: Option) -> Drawing:
        """The picture with options that apply to pictures, such as a range of `steps`."""
        return Drawing(self._written("svg", options))

    def _repr_svg_(self) -> str:
        return self.svg


class Page(Answer):
    """An answer with an interactive page."""

    @cached_property
    def html(self) -> str:
        """The page, as HTML."""
        return self._written("html")

    def _repr_html_(self) -> str:
        return frame(self.html)


class Report:
    """A page that shows a run: findings, a timeline to zoom into, messages and calls."""

    def __init__(self, store: Path) -> None:
        self._store = store

    @cached_property
    def html(self) -> str:
        """The page, as HTML."""
        return _lib.answer(["report", str(self._store)]).decode()

    def save(self, path: str | os.PathLike[str], **options: Option) -> None:
        """Writes the page to a file; `force=True` replaces it."""
        output: dict[str, Option] = {"output": path, **options}
        _lib.run_quietly(["report", str(self._store), *arguments(output)])

    def _repr_html_(self) -> str:
        return frame(self.html)


class TableAnswer(Answer):
    """An answer with a table, which any library that reads Arrow accepts in place of a `Table`."""

    @cached_property
    def table(self) -> _lib.Table:
        """The table."""
        return self._with_table()[0]

    @cached_property
    def data(self) -> Any:
        """What the command writes as JSON; its schema is in the folder `schemas`."""
        return self._with_table()[1]

    def _with_table(self) -> tuple[_lib.Table, Any]:
        """Runs the analysis once for the table and the data."""
        arguments = [*self._arguments, "--format=json"]
        table, data = _lib.answer_table(arguments, self._inputs[0], "--table")
        found = table, json.loads(data)
        self.__dict__["table"], self.__dict__["data"] = found
        return found

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.table.columns

    def head(self, rows: int = 5) -> _lib.Table:
        """The first rows, as a table."""
        return self.table.head(rows)

    def to_arrow(self) -> "pyarrow.Table":
        """The table as a pyarrow.Table."""
        return self.table.to_arrow()

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a pandas.DataFrame. Integers that may be null are exact."""
        return self.table.to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """The table as a polars.DataFrame."""
        return self.table.to_polars()

    def to_numpy(self) -> "dict[str, NDArray[Any]]":
        """The columns as NumPy arrays, by their names. Columns with nulls are masked arrays."""
        return self.table.to_numpy()

    def __arrow_c_schema__(self) -> object:
        return self.table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Steps(TableAnswer, Picture):
    """The logical steps of a program: the table has a row for each operation, and for each interval between them."""


class Profile(TableAnswer, Picture):
    """Where the time goes: the table has a row for each region and location. The picture is a flame graph."""

    @cached_property
    def data(self) -> Any:
        """What the command writes as JSON; its schema is in the folder `schemas`."""
        return json.loads(self._written("json"))

    @cached_property
    def table(self) -> _lib.Table:
        """The table."""
        arguments = [*self._arguments, "--format=parquet"]
        return _lib.answer_table(arguments, self._inputs[0], "--output")[0]


class Matrix(Picture):
    """The messages between each pair of processes."""

    def to_numpy(self, what: str = "messages") -> "NDArray[numpy.int64]":
        """The numbers of messages, or of `bytes`: a row for each sender, and a column for each receiver."""
        import numpy

        processes = self.data["processes"]
        index = {process: number for number, process in enumerate(processes)}
        matrix = numpy.zeros((len(processes), len(processes)), dtype=numpy.int64)
        for pair in self.data["pairs"]:
            matrix[index[pair["sender"]], index[pair["receiver"]]] = pair[what]
        return matrix


class Loop:
    """A loop of the program.

    `construct` is its number in the program, such as `2.1`; `count` the number of its iterations, or a formula of the
    iterations of the loops around it; `body` the events and loops in it, as in the JSON of `foldtrace loops`.
    """

    def __init__(self, store: Path, term: Mapping[str, Any]) -> None:
        self._store = store
        self.construct: str = term["construct"]
        self.count: int | str = term["loop"]["count"]
        self.processes: list[int] = term["processes"]
        self.body: list[dict[str, Any]] = term["loop"]["body"]

    def iterations(self, *attributes: str) -> _lib.Table:
        """The iterations: a row for each of them in each process, with its first event and its last one.

        The attributes are those of `foldtrace extract`, such as `bytes`; the default is `time`.
        """
        options: dict[str, Option] = {"construct": self.construct, "iterations": True}
        if attributes:
            options["attributes"] = ",".join(attributes)
        found = ["extract", str(self._store), *arguments(options), "--format=parquet"]
        return _lib.answer_table(found, self._store, "--output")[0]

    def __repr__(self) -> str:
        return f"Loop {self.construct}: {self.count} iterations in {len(self.processes)} processes"


class Loops(Mapping[str | int, Loop]):
    """The loops of the program, by their numbers: `loops[2]`, and `loops["2.1"]` for a loop in it."""

    def __init__(self, store: Path, terms: Sequence[Mapping[str, Any]]) -> None:
        self._loops: dict[str, Loop] = {}
        self._add(store, terms)

    def _add(self, store: Path, terms: Sequence[Mapping[str, Any]]) -> None:
        for term in terms:
            if "loop" in term:
                self._loops[term["construct"]] = Loop(store, term)
                self._add(store, term["loop"]["body"])

    def __getitem__(self, construct: str | int) -> Loop:
        return self._loops[str(construct)]

    def __iter__(self) -> Iterator[str | int]:
        return iter(self._loops)

    def __len__(self) -> int:
        return len(self._loops)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._loops.values()))


class Program(Picture):
    """The program: one model of all processes, which shows what they send to each other."""

    @cached_property
    def loops(self) -> Loops:
        """The loops of the program."""
        return Loops(self._inputs[0], self.data[0]["model"])
