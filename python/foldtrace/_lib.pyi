from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import pandas
import polars
import pyarrow
from numpy.typing import NDArray
from typing_extensions import Self, disjoint_base

__all__ = ["Table", "Trace", "__version__", "answer", "answer_table", "run_command", "run_quietly"]

__version__: Final[str]

# A location: a rank, or a name as on the command line, such as "3.0".
_Location: TypeAlias = int | str

@final
class Table:
    """A table of a trace. Its rows are computed when they are read."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    def head(self, rows: int = 5) -> Table:
        """The first rows, as a table. Only these are read."""

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table."""

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame. Integers that may be null are exact."""

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame."""

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns as NumPy arrays, by their names. Columns with nulls are masked arrays."""

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""

    def __arrow_c_schema__(self) -> object:
        """The columns, for any library that reads Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as a stream of record batches, for any library that reads Arrow."""

@disjoint_base
class Trace:
    """An open trace."""

    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        salvage: bool = False,
        cache: str | PathLike[str] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Self:
        """Opens a store, or a trace in any other format, which is converted to a store in a cache."""

    @property
    def path(self) -> Path:
        """The path of the trace."""

    @property
    def store(self) -> Path:
        """The path of the store, which is in the cache if the trace is none."""

    def __len__(self) -> int:
        """The number of events."""

    @property
    def locations(self) -> Table:
        """The locations: a row for each of them."""

    def events(
        self,
        *,
        location: _Location | Sequence[_Location] | None = None,
        time: str | tuple[int | None, int | None] | None = None,
        position: tuple[int | None, int | None] | None = None,
        kind: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> Table:
        """The events: a row for each of them."""

    @property
    def calls(self) -> Table:
        """The calls: a row for each of them."""

    @property
    def messages(self) -> Table:
        """The messages: a row for each of them."""

    @property
    def collectives(self) -> Table:
        """The collective operations: a row for each of them."""

    @property
    def collective_members(self) -> Table:
        """The members of collective operations: a row for each part of a process in an operation."""

    @property
    def metrics(self) -> Table:
        """The values of metrics: a row for each value of each metric event."""

    @property
    def local_iterations(self) -> Table:
        """The iterations of the loops in the model of each location: a row for each of them."""

    @property
    def timeline(self) -> Table:
        """What each location does in each bucket of time, in levels of detail: a row for each region in each bucket."""

    def calls_of(self, begin: int, end: int) -> Table:
        """The calls of the processes with the ranks from `begin` to before `end`. Locations without a process count as rank 0."""

    def messages_to(self, begin: int, end: int) -> Table:
        """The messages that the processes with the ranks from `begin` to before `end` receive."""

    def verify(self) -> list[tuple[str, str]]:
        """Compares the store with its checksums, and its models with its events. Returns the problems."""

def answer(arguments: Sequence[str]) -> bytes:
    """Runs a subcommand. Returns what it writes."""

def answer_table(arguments: Sequence[str], store: PathLike[str], option: str) -> tuple[Table, bytes]:
    """Runs a subcommand about a store that writes a table with an option. Returns the table, and what else it writes."""

def run_quietly(arguments: Sequence[str]) -> None:
    """Runs a subcommand that writes to the paths in its arguments."""

def run_command(arguments: Sequence[str]) -> int: ...
