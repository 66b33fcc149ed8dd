#!/usr/bin/env bash
# test-package.sh [ARGUMENT…]: builds the wheel of the Python package, installs it into an environment of its own, and
# checks its types and runs its tests. The arguments are those of pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/package-venv
wheels=target/package-wheels
scripts/python-env.sh python/tests/requirements.txt "$venv"
PATH=$PWD/$venv/bin:$PATH

# With the profile and the features of the build for the Rust tests, so nothing is built twice.
rm -rf "$wheels"
maturin build --quiet --manifest-path python/Cargo.toml --profile dev --features schema --out "$wheels"
pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
(cd python && mypy --strict foldtrace tests)
python -m mypy.stubtest foldtrace._lib
exec python -m pytest python/tests "$@"
