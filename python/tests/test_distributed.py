"""Conversion and tables on real workers of Dask."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from distributed import Client, LocalCluster

import foldtrace
from foldtrace import distributed


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of two worker processes."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An OTF2 archive of 60 locations, whose store has several parts."""
    folder = tmp_path_factory.mktemp("archive")
    lines = []
    for rank in range(60):
        for turn in range(1500):
            begin = 100 * turn + rank
            lines.append(f"{rank} local enter work time={begin}")
            lines.append(f"{rank} send {(rank + 1) % 60} 7 bytes={turn} time={begin + 1}")
            lines.append(f"{rank} local leave work time={begin + 2}")
    trace = folder / "run.trace"
    trace.write_text("\n".join(lines) + "\n")
    foldtrace.convert(trace, folder / "run.otf2")
    return folder / "run.otf2"


@pytest.fixture(scope="module")
def expected(archive: Path) -> dict[Path, bytes]:
    """The files of the store that a single process writes."""
    store = archive.parent / "single" / "run.fold"
    store.parent.mkdir()
    foldtrace.convert(archive, store)
    found = contents(store)
    assert sum("topology" in path.parts for path in found) > 2
    return found


def contents(store: Path) -> dict[Path, bytes]:
    """The files of a store."""
    return {path.relative_to(store): path.read_bytes() for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize("shards", [None, 1, 5])
def test_the_store_is_that_of_a_single_process(
    client: Client, archive: Path, expected: dict[Path, bytes], tmp_path: Path, shards: int | None
) -> None:
    distributed.convert(client, archive, tmp_path / "run.fold", shards=shards)
    assert contents(tmp_path / "run.fold") == expected
    assert os.listdir(tmp_path) == ["run.fold"]


def run_with_two_kills(client: Client, work: str, store: Path) -> None:
    """Runs some work, as a function of the package that writes shards of a store, and kills two workers meanwhile."""
    script = f"""if True:
        from distributed import Client
        from foldtrace import distributed
        client = Client("{client.scheduler_info()["address"]}")
        distributed.{work}
    """
    running = subprocess.Popen([sys.executable, "-c", script])
    killed: set[int] = set()
    while running.poll() is None and len(killed) < 2:
        shards = Path(f"{store}.shards")
        if shards.exists() and len(os.listdir(shards)) > 2 * len(killed):
            # A worker that was killed may still be known, but does not answer.
            pids = set(client.run(os.getpid, on_error="ignore").values()) - killed
            if pids:
                killed.add(victim := pids.pop())
                os.kill(victim, signal.SIGKILL)
        time.sleep(0.01)
    assert running.wait() == 0
    assert len(killed) == 2


def test_workers_that_are_killed_are_replaced(
    client: Client, archive: Path, expected: dict[Path, bytes], tmp_path: Path
) -> None:
    store = tmp_path / "run.fold"
    run_with_two_kills(client, f"convert(client, '{archive}', '{store}', shards=6)", store)
    assert contents(store) == expected


@pytest.fixture(scope="module")
def derived(archive: Path, expected: dict[Path, bytes]) -> dict[Path, bytes]:
    """The files of the store with the tables that a single process derives."""
    store = archive.parent / "derived" / "run.fold"
    shutil.copytree(archive.parent / "single" / "run.fold", store)
    subprocess.run(["foldtrace", "derive", "-q", store], check=True)
    found = contents(store)
    assert len(found) > len(expected)
    return found


@pytest.mark.parametrize("shards", [None, 1, 5])
def test_derived_tables_are_those_of_a_single_process(
    client: Client, archive: Path, derived: dict[Path, bytes], tmp_path: Path, shards: int | None
) -> None:
    store = tmp_path / "run.fold"
    shutil.copytree(archive.parent / "single" / "run.fold", store)
    distributed.derive(client, store, shards=shards)
    assert contents(store) == derived
    assert os.listdir(tmp_path) == ["run.fold"]
    with pytest.raises(foldtrace.Error, match="invalid value 'nothing'"):
        distributed.derive(client, store, "nothing")


def test_workers_that_derive_and_are_killed_are_replaced(
    client: Client, archive: Path, derived: dict[Path, bytes], tmp_path: Path
) -> None:
    store = tmp_path / "run.fold"
    shutil.copytree(archive.parent / "single" / "run.fold", store)
    run_with_two_kills(client, f"derive(client, '{store}', shards=6)", store)
    assert contents(store) == derived


def test_problems_are_warnings_of_the_client(client: Client, wave: Path, tmp_path: Path) -> None:
    trace = tmp_path / "odd.trace"
    trace.write_text("0 send 1 7 time=3\nnonsense\n0 recv 1 7 time=9\n")
    with pytest.warns(foldtrace.Diagnostic):
        distributed.convert(client, trace, tmp_path / "odd.fold", salvage=True)
    with pytest.raises(foldtrace.Error, match="cannot read"):
        distributed.convert(client, tmp_path / "none.otf2", tmp_path / "none.fold")


def test_events_are_those_of_the_trace(client: Client, archive: Path, expected: dict[Path, bytes]) -> None:
    store = archive.parent / "single" / "run.fold"
    columns = ["location", "position", "kind", "bytes"]
    frame = distributed.events(store, columns=columns)
    trace = foldtrace.open(store)
    assert len(frame) == len(trace)
    kinds = frame.groupby("kind")["bytes"].sum().compute()
    whole = trace.events(columns=columns).to_pandas()
    assert kinds["mpi_send"] == whole["bytes"].sum()
    part = distributed.events(store, location=[3, "4"], kind="mpi_send", columns=columns).compute()
    assert set(part["location"]) == set(whole["location"].unique()[3:5])
    assert len(part) == 2 * 1500


def test_a_large_location_has_several_partitions(
    client: Client, archive: Path, expected: dict[Path, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = archive.parent / "single" / "run.fold"
    trace, columns = foldtrace.open(store), ["location", "position", "time", "bytes"]
    events: list[int] = [row["events"] for row in trace.locations.to_arrow().to_pylist()]
    largest = max(events)
    monkeypatch.setattr(distributed, "EVENTS", largest // 3)
    frame = distributed.events(store, columns=columns)
    assert frame.npartitions >= 3 * len(events)
    assert frame.compute().to_dict("list") == trace.events(columns=columns).to_pandas().to_dict("list")
    some = distributed.events(store, columns=columns, location=3, position=(7, 2 * largest // 3))
    assert some.npartitions > 1
    assert some.compute()["position"].to_list() == list(range(7, 2 * largest // 3))
    assert len(distributed.events(store, columns=columns, position=(None, 5))) == 5 * len(events)


def test_profiles_are_those_of_the_trace(client: Client, archive: Path, expected: dict[Path, bytes]) -> None:
    store = archive.parent / "single" / "run.fold"
    whole = pyarrow.table(foldtrace.open(store).profile()).to_pandas()
    distributed.EVENTS, before = 1 << 15, distributed.EVENTS
    try:
        frame = distributed.profile(store)
    finally:
        distributed.EVENTS = before
    assert frame.npartitions > 5
    assert frame.compute().to_dict("records") == whole.to_dict("records")
    assert len(distributed.profile(store, location=[3, 4])) == 2
    for table in distributed.events, distributed.profile:
        with pytest.raises(foldtrace.Error, match="there is no location '99'"):
            table(store, location=[3, 99])


def test_derived_tables_are_frames(client: Client, wave_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "wave.fold"
    foldtrace.convert(wave_store, store, derive="messages")
    messages = distributed.table(store, "messages")
    assert len(messages) == foldtrace.open(store).messages.to_arrow().num_rows
    with pytest.raises(FileNotFoundError, match="foldtrace derive"):
        distributed.table(wave_store, "messages")


def test_calls_and_messages_are_those_of_the_trace(client: Client, tmp_path: Path) -> None:
    lines = []
    for turn in range(200):
        for rank in range(12):
            begin = 1000 * turn + rank
            lines.append(f"{rank} local enter work time={begin}")
            lines.append(f"{rank} isend {(rank * 5 + 1) % 12} 7 bytes={turn} request={turn} time={begin + 20}")
            lines.append(f"{rank} recv {(rank * 5 + 1) % 12} 7 bytes={turn} time={begin + 500}")
            lines.append(f"{rank} local mpi_isend_complete request={turn} time={begin + 600}")
            lines.append(f"{rank} local leave work time={begin + 700}")
    (tmp_path / "run.trace").write_text("\n".join(lines) + "\n")
    store = tmp_path / "run.fold"
    foldtrace.convert(tmp_path / "run.trace", store)
    trace = foldtrace.open(store)
    distributed.EVENTS, before = 1 << 9, distributed.EVENTS
    try:
        frames = [distributed.calls(store), distributed.messages(store)]
    finally:
        distributed.EVENTS = before
    for frame, table in zip(frames, [trace.calls, trace.messages], strict=True):
        assert frame.npartitions == 6
        whole = table.to_pandas()
        found = frame.compute()
        assert len(found) == len(whole) == 12 * 200
        order = [column for column in whole.columns if "position" in column or "location" in column]
        found, whole = (rows.sort_values(order).reset_index(drop=True).astype("string") for rows in (found, whole))
        assert found.equals(whole)
