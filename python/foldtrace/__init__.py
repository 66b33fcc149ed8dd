"""Traces of parallel programs as Arrow tables, with the command `foldtrace`.

>>> import foldtrace
>>> trace = foldtrace.open("examples/wave-4")
>>> len(trace)
3896
>>> sends = trace.events(location=0, kind="mpi_send", columns=["position", "peer", "bytes"])
>>> sends.to_polars().head(2).rows()
[(10, 1, 64), (13, 2, 64)]
"""

from foldtrace._errors import Diagnostic, Error
from foldtrace._lib import Table, Trace, __version__, open

__all__ = ["Diagnostic", "Error", "Table", "Trace", "__version__", "open"]
