"""Open traces."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from foldtrace import _bridges, _lib
from foldtrace._answers import (
    Answer,
    Matrix,
    Option,
    Page,
    Picture,
    Profile,
    Program,
    Report,
    Steps,
    TableAnswer,
    arguments,
)

_Kind = TypeVar("_Kind", bound=Answer)


class Trace(_lib.Trace):
    """An open trace. Analyses accept the options of the command of the same name, with `_` in place of `-`."""

    def iterations(self, loop: str | int | None = None) -> _lib.Table:
        """The iterations of a loop of the program, by its number in `program.loops`: a row for each one in each process.

        Without a loop, the iterations of all loops in the models of the locations, `loops`.
        """
        return self.local_iterations if loop is None else self.program.loops[loop].iterations()

    def profile(self, **options: Option) -> Profile:
        """Where the time goes, by region and location."""
        return self._answer(Profile, "profile", **options)

    def steps(self, **options: Option) -> Steps:
        """The logical steps of the program, and the lateness of its operations."""
        return self._answer(Steps, "steps", **options)

    def waits(self, **options: Option) -> TableAnswer:
        """The wait states of the program and their causes: the table has a row for each wait state."""
        return self._answer(TableAnswer, "waits", **options)

    def critical(self, **options: Option) -> TableAnswer:
        """The critical path: the table has a row for each of its segments."""
        return self._answer(TableAnswer, "critical", **options)

    def efficiency(self, **options: Option) -> TableAnswer:
        """The efficiency of the program and of its loops: the table has a row for each iteration."""
        return self._answer(TableAnswer, "efficiency", **options)

    def matrix(self, **options: Option) -> Matrix:
        """The messages between each pair of processes; with `bytes=True`, also their bytes."""
        return self._answer(Matrix, "matrix", **options)

    @property
    def loops(self) -> Answer:
        """The model of each location: its events, folded to nested loops."""
        return self._answer(Answer, "loops")

    @property
    def program(self) -> Program:
        """The program: one model of all processes."""
        return self._answer(Program, "loops", **{"global": True})

    @property
    def dag(self) -> Picture:
        """The call trees of all locations, with shared subtrees."""
        return self._answer(Picture, "dag")

    @property
    def patterns(self) -> Page:
        """The patterns that repeat in the locations, and their outliers."""
        return self._answer(Page, "patterns")

    @property
    def topology(self) -> Picture:
        """The topology that the processes communicate in."""
        return self._answer(Picture, "topology")

    @property
    def logical(self) -> Answer:
        """One program that all processes execute."""
        return self._answer(Answer, "logical")

    def compare(self, *others: _lib.Trace, **options: Option) -> Page:
        """What is slower or faster, new or gone, in other runs of the program."""
        return Page("compare", [self.store, *(other.store for other in others)], options)

    @property
    def report(self) -> Report:
        """A page that shows the run in a browser or a notebook."""
        return Report(self.store)

    def skeleton(self, **options: Option) -> str:
        """A program in C with MPI that communicates as the trace does."""
        return _lib.answer(["skeleton", str(self.store), *arguments(options)]).decode()

    def to_pipit(self) -> Any:
        """The trace as a `pipit.Trace`, in order of time; needs the package pipit."""
        return _bridges.to_pipit(self)

    def to_hatchet(self) -> Any:
        """The profile as a `hatchet.GraphFrame`: a node for each call path, with its calls and times in seconds."""
        return _bridges.to_hatchet(self)

    def _answer(self, kind: type[_Kind], command: str, **options: Option) -> _Kind:
        return kind(command, [self.store], options)


def open(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    salvage: bool = False,
    cache: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Trace:
    """Opens a store, or a trace in any other format, which is converted to a store in a cache."""
    return Trace(path, format=format, salvage=salvage, cache=cache, progress=progress)


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str], **options: Option) -> None:
    """Converts a trace to another format; the options are those of `foldtrace convert`."""
    paths = [str(Path(source)), str(Path(target))]
    _lib.run_quietly(["convert", *paths, *arguments(options)])
