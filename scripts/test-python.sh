#!/usr/bin/env bash
# test-python.sh: reads stores and tables of the command with DuckDB, pandas, Polars, pyarrow and Spark, and
# compares the results with the output of otf2-print and pj_dump for the sources. FOLDTRACE is the command to test.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/python-env.sh tests/python/requirements.txt target/venv
if [[ -z ${FOLDTRACE:-} ]]; then
    # With the features of the build for the Rust tests, so nothing is built twice.
    cargo build --quiet --package foldtrace --package foldtrace-test-features --features schema
    export FOLDTRACE=$PWD/target/debug/foldtrace
fi
exec target/venv/bin/python -m unittest discover --start-directory tests/python "$@"
