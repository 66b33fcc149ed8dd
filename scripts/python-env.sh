#!/usr/bin/env bash
# python-env.sh REQUIREMENTS VENV: creates the environment VENV of Python tests. Does nothing if it already matches
# REQUIREMENTS.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=$1
venv=$2
made=$venv/requirements.txt # written last, so its presence means complete

# Waits for another run that may be creating the environment.
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"
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
