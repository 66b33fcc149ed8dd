"""Conversion on the workers of Dask, and tables of stores as Dask data frames.

The client is any `distributed.Client`: of a cluster on one machine, of dask-jobqueue, or of dask-mpi. All workers need the
package foldtrace, and a file system on which they see the same paths, or an object store.

.. code-block:: python

    from distributed import Client
    from foldtrace import distributed

    client = Client()
    distributed.convert(client, "run.otf2", "run.fold")
    events = distributed.events("run.fold", columns=["location", "kind", "time"])
    events.groupby("kind").size().compute()
"""

import dataclasses
import itertools
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldtrace import _lib, _trace
from foldtrace._answers import Option
from foldtrace._errors import Error

if TYPE_CHECKING:
    import dask.dataframe
    import distributed
    import pandas

_Path = str | os.PathLike[str]

# A rank or the label of a location, or several of them.
_Locations = int | str | Sequence[int | str]

# The first position, and the one after the last.
_Positions = tuple[int | None, int | None]

# The number of events of a partition. Partitions of derived tables have four times as many, because each of them counts the
# messages of the whole store first.
EVENTS = 1 << 20

# The end of all ranks.
_LAST_RANK = (1 << 64) - 1


def convert(
    client: "distributed.Client",
    source: _Path,
    target: _Path,
    *,
    shards: int | None = None,
    **options: Option,
) -> None:
    """Converts a trace to a store on the workers of a client.

    Each worker writes shards of the store, by default one, and one worker joins them. The store is that of a conversion by a
    single process. The shards of a worker that dies are written by others. The options are those of `foldtrace convert`.
    """
    count = shards or _workers(client)
    paths = _absolute(source), _absolute(target)
    written = [client.submit(_write, *paths, f"{number}/{count}", options, pure=False) for number in range(count)]
    joined = client.submit(_join, paths[1], bool(options.get("force")), written, pure=False)
    _show(joined.result())


def _workers(client: "distributed.Client") -> int:
    return max(1, len(client.scheduler_info(n_workers=-1)["workers"]))


def _show(messages: list[Warning]) -> None:
    """Shows the warnings of a worker to the caller of the function that calls this one."""
    for message in messages:
        warnings.warn(message, stacklevel=3)


def _absolute(path: _Path) -> str:
    """The name of a path, or of a folder on an object store, for workers in other folders."""
    text = os.fspath(path)
    return text if text.startswith("s3:/") else str(Path(text).absolute())


def _write(source: str, target: str, shard: str, options: dict[str, Option]) -> None:
    _trace.convert(source, target, **{**options, "shard": shard})


def _join(target: str, is_forced: bool, _: object) -> list[Warning]:
    """Joins shards. Returns the warnings, which the client shows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _lib.run_quietly(["join", target, *(["--force"] if is_forced else [])])
        except Error as error:
            if "has no shards" not in error.message:
                raise
            # The worker that joined them may have died before it could say so. Otherwise, there is no store.
            _trace.open(target)
    return [warning.message for warning in caught if isinstance(warning.message, Warning)]


def derive(
    client: "distributed.Client",
    store: _Path,
    *tables: str,
    shards: int | None = None,
    force: bool = False,
) -> None:
    """Adds derived tables to a store on the workers of a client: those of `foldtrace derive`, or all except `clock`.

    Each worker derives a share of the tables, by default one, and one worker adds them to the store, which is that of a single
    process. What a worker that dies has not finished is derived by others.
    """
    count = shards or _workers(client)
    path = _absolute(store)
    written = [client.submit(_derive, path, tables, f"{number}/{count}", force, pure=False) for number in range(count)]
    _show(client.submit(_join, path, False, written, pure=False).result())


def _derive(store: str, tables: Sequence[str], shard: str, is_forced: bool) -> None:
    _lib.run_quietly(["derive", store, *tables, "--shard", shard, *(["--force"] if is_forced else [])])


def events(
    store: _Path,
    *,
    location: _Locations | None = None,
    position: _Positions = (None, None),
    **selection: Any,
) -> "dask.dataframe.DataFrame":
    """The events of a store as a Dask data frame.

    A partition has about a million events: those of consecutive locations, or some of a location with more. The selection is that of
    `Trace.events`.
    """
    groups = _groups(_trace.open(_absolute(store)), location)
    parts = [part for group in groups for part in _stretches(group, position)]
    return _by(parts, _events, store, selection)


def _events(part: tuple[list[str], _Positions], path: str, **selection: Any) -> "pandas.DataFrame":
    locations, position = part
    return _with_texts(_trace.open(path).events(location=locations, position=position, **selection).to_pandas())


def _stretches(group: "_Group", position: _Positions) -> list[tuple[list[str], _Positions]]:
    """Divides the events of a location that is too large for a partition."""
    begin, end = position[0] or 0, group.events if position[1] is None else min(position[1], group.events)
    count = -(-(end - begin) // EVENTS)
    if len(group.locations) > 1 or count <= 1:
        return [(group.locations, position)]
    bounds = [begin + (end - begin) * number // count for number in range(count + 1)]
    return [(group.locations, stretch) for stretch in itertools.pairwise(bounds)]


def _with_texts(frame: "pandas.DataFrame") -> "pandas.DataFrame":
    """A data frame with texts in place of categories. Partitions have different names, so that categories would differ."""
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, "string"))


def profile(store: _Path, *, location: _Locations | None = None) -> "dask.dataframe.DataFrame":
    """The profile of a store as a Dask data frame: a row for each region in each location, as `Trace.profile` has it.

    Sums over locations are `profile(store).groupby("region").sum()`.
    """
    groups = [group.locations for group in _groups(_trace.open(_absolute(store)), location)]
    return _by(groups, _profile, store, {})


def _profile(locations: list[str], path: str) -> "pandas.DataFrame":
    import pyarrow

    return pyarrow.table(_trace.open(path).profile(location=locations)).to_pandas()


def _by(
    parts: Sequence[Any],
    rows: Callable[..., "pandas.DataFrame"],
    store: _Path,
    selection: dict[str, Any],
) -> "dask.dataframe.DataFrame":
    """A data frame with a partition for each part of a store."""
    import dask.dataframe

    path = _absolute(store)
    meta = rows(parts[0], path, **selection).iloc[:0]
    return dask.dataframe.from_map(rows, parts, path=path, meta=meta, **selection)


@dataclasses.dataclass
class _Group:
    """Consecutive locations with about as many events as others, or a large one."""

    locations: list[str]
    events: int


def _groups(trace: _trace.Trace, wanted: _Locations | None) -> list[_Group]:
    """Divides locations into groups, of which there is at least one."""
    # A location that the trace does not have is an error.
    trace.events(location=wanted)
    rows = trace.locations.to_arrow().select(["label", "rank", "events"]).to_pylist()
    if wanted is not None:
        labels = {str(label) for label in ([wanted] if isinstance(wanted, int | str) else wanted)}
        rows = [row for row in rows if row["label"] in labels or str(row["rank"]) in labels]
    groups: list[_Group] = []
    for row in rows:
        if not groups or groups[-1].events + row["events"] > EVENTS:
            groups.append(_Group([], 0))
        groups[-1].locations.append(row["label"])
        groups[-1].events += row["events"]
    return groups or [_Group([], 0)]


def calls(store: _Path) -> "dask.dataframe.DataFrame":
    """The calls of a store as a Dask data frame, as `Trace.calls` has them, derived in parallel.

    A partition has the calls of processes with consecutive ranks, with about four million events unless a single process has more.
    """
    return _by_ranks(_calls, store)


def _calls(ranks: tuple[int, int], path: str) -> "pandas.DataFrame":
    return _with_texts(_trace.open(path).calls_of(*ranks).to_pandas())


def messages(store: _Path) -> "dask.dataframe.DataFrame":
    """The messages of a store as a Dask data frame, as `Trace.messages` has them, matched in parallel.

    A partition has the messages that processes with consecutive ranks receive. It reads the events of these processes and of those
    that send to them, so that programs in which each process sends to few others gain most.
    """
    return _by_ranks(_messages, store)


def _messages(ranks: tuple[int, int], path: str) -> "pandas.DataFrame":
    return _trace.open(path).messages_to(*ranks).to_pandas()


def _by_ranks(
    rows: Callable[[tuple[int, int], str], "pandas.DataFrame"], store: _Path
) -> "dask.dataframe.DataFrame":
    """A data frame with a partition for each group of processes with consecutive ranks."""
    import dask.dataframe

    path = _absolute(store)
    groups = _rank_groups(_trace.open(path))
    return dask.dataframe.from_map(rows, groups, path=path, meta=rows((0, 0), path))


def _rank_groups(trace: _trace.Trace) -> list[tuple[int, int]]:
    """Divides all ranks into ranges of processes with about as many events."""
    events: dict[int, int] = {}
    for row in trace.locations.to_arrow().select(["rank", "events"]).to_pylist():
        rank = row["rank"] or 0
        events[rank] = events.get(rank, 0) + row["events"]
    begins: list[int] = []
    room = 0
    for rank in sorted(events):
        if not begins or events[rank] > room:
            begins.append(rank)
            room = 4 * EVENTS
        room -= events[rank]
    begins[:1] = [0]
    return list(zip(begins, [*begins[1:], _LAST_RANK], strict=True))


def table(store: _Path, name: str) -> "dask.dataframe.DataFrame":
    """A derived table of a store as a Dask data frame, such as `messages`, with a partition for each row group."""
    import dask.dataframe

    if _absolute(store).startswith("s3:/"):
        raise ValueError(f"{store} is on an object store; dask.dataframe.read_parquet reads its tables there")
    path = Path(store).absolute() / "derived" / f"{name}.parquet"
    if not path.exists():
        raise FileNotFoundError(f"{store} has no table {name}; 'foldtrace derive {store} {name}' adds it")
    return dask.dataframe.read_parquet(path, split_row_groups=1)
