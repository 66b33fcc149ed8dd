"""Answers four questions about a store with DuckDB; the queries are in duckdb.sql.

    pip install duckdb
    foldtrace convert TRACE run.fold
    python duckdb_recipe.py run.fold
"""

import sys
from pathlib import Path

import duckdb

store = Path(sys.argv[1]).resolve()
db = duckdb.connect()
db.execute(f"SET VARIABLE foldtrace_store = '{store}'")
db.execute((store / "views.sql").read_text())
db.execute(Path(__file__).with_name("duckdb.sql").read_text())

for view, title in {
    "time_per_region": "Time per region and rank",
    "message_sizes": "Message sizes",
    "communication_matrix": "Communication matrix",
    "late_senders": "Late senders",
}.items():
    print(title)
    db.table(view).show(max_rows=1000)
