"""Inputs that the tests share."""

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def wave() -> Path:
    """An OTF2 archive: a wavefront on 2 × 2 processes, 3,896 events."""
    return EXAMPLES / "wave-4"
