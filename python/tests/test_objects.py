"""Traces on an object store."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import foldtrace
import pytest
from pyarrow import fs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(ROOT / "tests" / "python")
    object_server: Any = __import__("object_server")
    (tmp_path / "server").mkdir()
    server = object_server.ObjectServer(tmp_path / "server")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    yield server
    server.close()
    del sys.modules["object_server"]


def test_a_trace_on_an_object_store_is_that_of_a_file(server: Any, tmp_path: Path) -> None:
    store = "s3://traces/stencil.fold"
    foldtrace.convert(ROOT / "examples" / "stencil-9", tmp_path / "stencil.fold")
    foldtrace.convert(tmp_path / "stencil.fold", store)
    local, remote = foldtrace.open(tmp_path / "stencil.fold"), foldtrace.open(store)
    assert len(remote) == len(local)
    for trace in (local, remote):
        assert trace.path.name == "stencil.fold"
    assert remote.events().to_arrow().equals(local.events().to_arrow())
    assert remote.messages.to_arrow().equals(local.messages.to_arrow())
    assert remote.profile().to_pandas().equals(local.profile().to_pandas())


def test_workers_of_dask_write_the_store_of_one_process(server: Any, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    from foldtrace import distributed

    example, store = ROOT / "examples" / "stencil-9", "s3://traces/dask/run.fold"
    foldtrace.convert(example, "s3://traces/single/run.fold")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        distributed.convert(client, example, store, shards=3)
    objects, single = (contents(server.client(), f"traces/{name}/run.fold") for name in ("dask", "single"))
    assert objects == single
    assert not contents(server.client(), "traces/dask/run.fold.shards")
    assert foldtrace.open(store).events().to_arrow().num_rows > 0


def contents(client: Any, folder: str) -> dict[str, bytes]:
    """The objects in a folder."""
    found = client.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
    files = [info.path for info in found if info.type == fs.FileType.File]
    return {path.removeprefix(folder): client.open_input_file(path).read() for path in files}


def test_a_store_that_is_not_there_is_an_error(server: Any) -> None:
    with pytest.raises(foldtrace.Error, match="is not a store"):
        foldtrace.open("s3://traces/nothing.fold")
