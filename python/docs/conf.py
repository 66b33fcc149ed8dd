"""The configuration of Sphinx."""

import foldtrace

project = "foldtrace"
version = release = foldtrace.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.doctest"]
html_theme = "furo"
html_title = f"foldtrace {release}"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# The examples run in the folder of the repository.
doctest_global_setup = """
import foldtrace
import polars as pl

trace = foldtrace.open("examples/wave-4")
"""
