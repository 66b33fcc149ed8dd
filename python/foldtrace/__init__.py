"""Traces of parallel programs as Arrow tables, with the command `foldtrace`."""

from foldtrace._lib import __version__

__all__ = ["__version__"]
