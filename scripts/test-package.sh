#!/usr/bin/env bash
# test-package.sh [ARGUMENT…]: builds the wheel of the Python package, installs it into an environment of its own, checks
# its types, builds its documentation, runs the examples in it, and runs its tests. The arguments are those of pytest.
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
docs=target/package-docs
sphinx-build --quiet --fail-on-warning --keep-going --builder html python/docs "$docs/html"
sphinx-build --quiet --fail-on-warning --keep-going --builder doctest python/docs "$docs/doctest"
python -m pytest python/tests --ignore python/tests/with_hatchet "$@"

# Hatchet needs other versions of the packages that the tests above use.
venv=target/hatchet-venv
scripts/python-env.sh python/tests/with_hatchet/requirements.txt "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl
exec "$venv/bin/python" -m pytest python/tests/with_hatchet
