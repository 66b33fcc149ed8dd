"""The classes of exceptions and warnings."""

import inspect
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


class Error(Exception):
    """A failure, with its kind, its place and a hint.

    The kind is one of `unreadable`, `foreign`, `truncated`, `malformed`, `output`, `usage` and `internal`.
    """

    def __init__(
        self, message: str, kind: str, place: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, kind, place, hint)
        self.message = message
        self.kind = kind
        self.place = place
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message]
        if self.place is not None:
            lines.append(f"  at {self.place}")
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class Diagnostic(UserWarning):
    """Problems of a trace that do not stop foldtrace: their key, severity, number, and the place of the first one."""

    def __init__(
        self, message: str, key: str, severity: str, count: int, place: str | None = None
    ) -> None:
        super().__init__(message, key, severity, count, place)
        self.message = message
        self.key = key
        self.severity = severity
        self.count = count
        self.place = place

    def __str__(self) -> str:
        times = "" if self.count == 1 else f" ({self.count} times)"
        place = "" if self.place is None else f", first at {self.place}"
        return f"{self.severity} {self.key}: {self.message}{times}{place}"


def warn(message: str, key: str, severity: str, count: int, place: str | None) -> None:
    """Issues a diagnostic as a warning at the line that called the package."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(Diagnostic(message, key, severity, count, place), stacklevel=level)
