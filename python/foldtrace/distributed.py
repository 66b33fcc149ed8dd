"""Conversion on the workers of Dask, and tables of stores as Dask data frames.

The client is any `distributed.Client`: of a cluster on one machine, of dask-jobqueue, or of dask-mpi. All workers need the
package foldtrace, and a file system on which they see the same paths.

.. code-block:: python

    from distributed import Client
    from foldtrace import distributed

    client = Client()
    distributed.convert(client, "run.otf2", "run.fold")
    events = distributed.events("run.fold", columns=["location", "kind", "time"])
    events.groupby("kind").size().compute()
"""

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldtrace import _lib, _trace
from foldtrace._answers import Option

if TYPE_CHECKING:
    import dask.dataframe
    import distributed
    import pandas

_Path = str | os.PathLike[str]

# The number of events of a partition, unless a single location has more.
EVENTS = 1 << 20


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
    count = shards or max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    paths = _absolute(source), _absolute(target)
    written = [client.submit(_write, *paths, f"{number}/{count}", options, pure=False) for number in range(count)]
    joined = client.submit(_join, paths[1], bool(options.get("force")), written, pure=False)
    for message in joined.result():
        warnings.warn(message, stacklevel=2)


def _absolute(path: _Path) -> str:
    """The name of a path, or of a folder on an object store, for workers in other folders."""
    text = os.fspath(path)
    return text if text.startswith("s3:/") else str(Path(text).absolute())


def _write(source: str, target: str, shard: str, options: dict[str, Option]) -> None:
    _trace.convert(source, target, **{**options, "shard": shard})


def _join(target: str, is_forced: bool, _: object) -> list[Warning]:
    """Joins shards. Returns the warnings, which the client shows."""
    # The worker that joined them may have died before it could say so.
    if Path(target).exists() and not Path(f"{target}.shards").exists():
        return []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _lib.run_quietly(["join", target, *(["--force"] if is_forced else [])])
    return [warning.message for warning in caught if isinstance(warning.message, Warning)]


def events(
    store: _Path, *, location: Sequence[int | str] | None = None, **selection: Any
) -> "dask.dataframe.DataFrame":
    """The events of a store as a Dask data frame.

    A partition has the events of consecutive locations, about a million unless a single location has more. The selection is that
    of `Trace.events`.
    """
    return _by_locations(_events, store, location, selection)


def _events(locations: list[str], path: str, **selection: Any) -> "pandas.DataFrame":
    frame = _trace.open(path).events(location=locations, **selection).to_pandas()
    # Partitions have different names, so that categories would differ.
    texts = frame.select_dtypes("category").columns
    return frame.astype(dict.fromkeys(texts, "string"))


def profile(store: _Path, *, location: Sequence[int | str] | None = None) -> "dask.dataframe.DataFrame":
    """The profile of a store as a Dask data frame: a row for each region in each location, as `Trace.profile` has it.

    Sums over locations are `profile(store).groupby("region").sum()`.
    """
    return _by_locations(_profile, store, location, {})


def _profile(locations: list[str], path: str) -> "pandas.DataFrame":
    import pyarrow

    return pyarrow.table(_trace.open(path).profile(location=locations)).to_pandas()


def _by_locations(
    rows: Callable[..., "pandas.DataFrame"],
    store: _Path,
    location: Sequence[int | str] | None,
    selection: dict[str, Any],
) -> "dask.dataframe.DataFrame":
    """A data frame with a partition for each group of consecutive locations."""
    import dask.dataframe

    path = _absolute(store)
    groups = _groups(_trace.open(path), location)
    meta = rows(groups[0], path, **selection).iloc[:0]
    return dask.dataframe.from_map(rows, groups, path=path, meta=meta, **selection)


def _groups(trace: _trace.Trace, wanted: Sequence[int | str] | None) -> list[list[str]]:
    """Divides locations into groups with about as many events."""
    rows = trace.locations.to_arrow().select(["label", "events"]).to_pylist()
    if wanted is not None:
        labels = {str(label) for label in wanted}
        rows = [row for row in rows if row["label"] in labels]
    groups: list[list[str]] = []
    room = 0
    for row in rows:
        if not groups or row["events"] > room:
            groups.append([])
            room = EVENTS
        groups[-1].append(row["label"])
        room -= row["events"]
    return groups


def table(store: _Path, name: str) -> "dask.dataframe.DataFrame":
    """A derived table of a store as a Dask data frame, such as `messages`, with a partition for each row group."""
    import dask.dataframe

    if _absolute(store).startswith("s3:/"):
        raise ValueError(f"{store} is on an object store; dask.dataframe.read_parquet reads its tables there")
    path = Path(store).absolute() / "derived" / f"{name}.parquet"
    if not path.exists():
        raise FileNotFoundError(f"{store} has no table {name}; 'foldtrace derive {store} {name}' adds it")
    return dask.dataframe.read_parquet(path, split_row_groups=1)
