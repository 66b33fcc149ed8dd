"""Inputs that the tests share."""

import subprocess
import sys
from pathlib import Path

import pytest

import foldtrace

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for caches of the tests."""
    folder = tmp_path_factory.mktemp("cache")
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def wave() -> Path:
    """An OTF2 archive: a wavefront on 2 × 2 processes, 3,896 events."""
    return REPOSITORY / "examples" / "wave-4"


@pytest.fixture(scope="session")
def wave_store(wave: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the wavefront, written by the command."""
    store = tmp_path_factory.mktemp("stores") / "wave.fold"
    command = [sys.executable, "-m", "foldtrace", "convert", "-q", str(wave), str(store)]
    subprocess.run(command, check=True)
    return store


@pytest.fixture(scope="session")
def trace(wave_store: Path) -> foldtrace.Trace:
    """The open store of the wavefront."""
    return foldtrace.open(wave_store)
