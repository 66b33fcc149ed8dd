"""Computes the communication matrix and message sizes with Polars, from a flat table.

    pip install polars
    foldtrace convert TRACE run.parquet
    python polars_recipe.py run.parquet

Polars reads only what it needs: it skips all other columns, and, by their statistics, pages without sends.
"""

import sys

import polars as pl

pl.Config.set_tbl_rows(1000)
pl.Config.set_tbl_formatting("ASCII_MARKDOWN")
pl.Config.set_tbl_hide_dataframe_shape(True)
pl.Config.set_tbl_hide_column_data_types(True)

# `peer` is a rank of the communicator; for MPI_COMM_WORLD, it is the rank of the program. For other
# communicators, use `messages` of a store (duckdb.sql), which has ranks of the program.
sends = (
    pl.scan_parquet(sys.argv[1])
    .filter(pl.col("kind").cast(pl.String).is_in(["mpi_send", "mpi_isend"]))
    .select(sender="rank", receiver="peer", bytes="bytes")
)

matrix = (
    sends.group_by("sender", "receiver")
    .agg(messages=pl.len(), bytes=pl.col("bytes").sum())
    .sort("sender", "receiver")
)
print("Communication matrix")
print(matrix.collect())

# The largest power of two that is at most the size.
power = pl.when(pl.col("bytes") > 0).then(2 ** pl.col("bytes").log(2).floor()).otherwise(0)
sizes = (
    sends.group_by(from_bytes=power.cast(pl.Int64))
    .agg(messages=pl.len(), bytes=pl.col("bytes").sum())
    .sort("from_bytes")
)
print("Message sizes")
print(sizes.collect())
