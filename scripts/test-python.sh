#!/usr/bin/env bash
# test-python.sh: lets DuckDB, pandas, Polars, pyarrow and Spark read stores and tables that the command
# made, and compares what they see with what otf2-print sees in the sources. FOLDTRACE names another command to test.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/python-env.sh
if [[ -z ${FOLDTRACE:-} ]]; then
    cargo build --quiet
    export FOLDTRACE=$PWD/target/debug/foldtrace
fi
exec target/venv/bin/python -m unittest discover --start-directory tests/python "$@"
