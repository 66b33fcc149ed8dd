#!/usr/bin/env bash
# python-env.sh: makes target/venv, the environment of the Python tests. Does nothing if it is as
# tests/python/requirements.txt wants it.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=tests/python/requirements.txt
venv=target/venv
made=$venv/requirements.txt # written last: present means complete

# One at a time: another run may be making it, and is then waited for.
mkdir -p target
exec 9>target/venv.lock
flock 9

cmp --silent "$wanted" "$made" && exit 0

if ! python3 -c 'import venv, ensurepip'; then
    echo "$(command -v python3 || echo python3) cannot make virtual environments; on Debian: apt-get install python3-venv" >&2
    exit 1
fi
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
cp "$wanted" "$made"
