"""Tables and pages as notebooks show them."""

import html
from collections.abc import Iterable, Sequence


def frame(page: str) -> str:
    """A page within another one."""
    style = "width: 100%; height: 32em; border: 0"
    return f'<iframe srcdoc="{html.escape(page)}" style="{style}"></iframe>'


def preview(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The first rows of a table."""
    lines = [_row("th", columns), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    """A row with a cell for each text."""
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"
