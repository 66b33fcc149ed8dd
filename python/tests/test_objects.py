"""Traces on an object store."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import foldtrace
import pytest

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


def test_a_store_that_is_not_there_is_an_error(server: Any) -> None:
    with pytest.raises(foldtrace.Error, match="is not a store"):
        foldtrace.open("s3://traces/nothing.fold")
