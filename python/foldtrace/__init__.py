"""Traces of parallel programs as Arrow tables, with the command `foldtrace`.

>>> import foldtrace
>>> trace = foldtrace.open("examples/wave-4")
>>> len(trace)
3896
>>> sends = trace.events(location=0, kind="mpi_send", columns=["position", "peer", "bytes"])
>>> sends.to_polars().head(2).rows()
[(10, 1, 64), (13, 2, 64)]
>>> trace.program.loops["2.1"]
Loop 2.1: 8 iterations in 4 processes
"""

from foldtrace._answers import Answer, Drawing, Loop, Matrix, Page, Picture, Profile, Program, Report, Steps, TableAnswer
from foldtrace._bridges import connect
from foldtrace._errors import Diagnostic, Error
from foldtrace._lib import Table, __version__
from foldtrace._trace import Trace, convert, open

__all__ = [
    "Answer",
    "Diagnostic",
    "Drawing",
    "Error",
    "Loop",
    "Matrix",
    "Page",
    "Picture",
    "Profile",
    "Program",
    "Report",
    "Steps",
    "Table",
    "TableAnswer",
    "Trace",
    "__version__",
    "connect",
    "convert",
    "open",
]
