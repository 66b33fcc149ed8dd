"""The notebooks run to the end, and show pictures."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "python" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_to_the_end(notebook: Path) -> None:
    book = nbformat.v4.reads(notebook.read_text())  # type: ignore[no-untyped-call]
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells)
    folder = {"metadata": {"path": str(notebook.parent)}}
    NotebookClient(book, kernel_name="python3", resources=folder).execute()
    outputs = [output for cell in cells for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds & {"image/svg+xml", "text/html"} and "image/png" in kinds


def test_there_are_three_notebooks() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == ["compare", "first-look", "lateness"]
