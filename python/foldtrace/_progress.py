"""The progress of long work, for people who wait for it."""

import math
import shutil
import sys
import time

# Work shows nothing in its first half second, so that short work shows nothing at all.
_SILENT = 0.5
# The time between two updates, in seconds.
_BETWEEN = 0.2


class Line:
    """A line on standard error that says how far some work is, if standard error is a terminal or in a notebook."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._due = self._begin + _SILENT if _is_read() else math.inf
        self._width = 0

    def update(self, events: int, done: int, total: int) -> None:
        """Shows that so many events were read, and `done` of `total`, which is 0 if it is not known."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _BETWEEN
        parts = [f"{self._what}:"]
        if total:
            parts.append(f"{min(100, 100 * done // total)} %,")
        if events:
            parts.append(f"{events:,} events,")
        parts.append(f"{now - self._begin:.0f} s")
        self._write(" ".join(parts))

    def close(self) -> None:
        """Removes the line."""
        if self._width:
            self._write("")
            sys.stderr.write("\r")

    def _write(self, text: str) -> None:
        """Replaces the line."""
        # A longer line would wrap, and a carriage return would not remove its beginning.
        text = text[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


def _is_read() -> bool:
    """Whether someone sees standard error while the work goes on."""
    # A program without a console may have no standard error.
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel."))
