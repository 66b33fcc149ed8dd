#!/usr/bin/env bash
# install-deps.sh demo|workspace|test: installs the Debian packages needed to build the command (demo),
# to build everything in the workspace (workspace), or also to run the tests (test).
# As root, installs missing packages; otherwise lists them and fails.
set -euo pipefail

# Packages, each with the reason why it is needed.
build="
gcc                C compiler and linker
libc6-dev          C headers
"
workspace="
pkg-config         finds libotf2
libotf2-trace-dev  reference for archives in tests and benchmarks
"
tests="
libclang-dev       regenerates the bindings to libotf2, to compare them
otf2-tools         otf2-print, the independent reader
python3-otf2       a strict reader of archives
eztrace            records traces
babeltrace2        the reference for traces of CTF
lttng-tools        records traces of CTF
liblttng-ust-dev   compiles the recorded program
openmpi-bin        runs the recorded programs
libopenmpi-dev     compiles the recorded programs
default-jre-headless runs Spark, for its recipe
libxml2-utils      xmllint, which validates MTF documents with their schema
pajeng             pj_dump, which reads Pajé traces
vite               shows Pajé traces
graphviz           draws the graphs that are exported in its format
slurm-wlm          starts the tasks of a conversion
libsimgrid-dev     smpirun, which simulates programs and replays time-independent traces
chromium           opens the pages and pictures of programs
"
node="
nodejs             tests the modules of pages
npm                installs the compiler of these modules
"
venv="
python3-venv       environment of the Python tests
"

case ${1:-} in
demo) wanted=$build ;;
workspace) wanted=$build$workspace ;;
test) wanted=$build$workspace$tests
      npm --version &>/dev/null || wanted+=$node
      python3 -c 'import venv, ensurepip' 2>/dev/null || wanted+=$venv ;;
*)    echo "usage: $0 demo|workspace|test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    printf 'not a Debian system: make sure that you have what these packages hold\n%s' "$wanted" >&2
    exit 0
fi

installed() {
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
while read -r package why; do
    if [[ -n $package ]] && ! installed "$package"; then
        missing+=("$package")
        printf 'missing: %-20s %s\n' "$package" "$why"
    fi
done <<<"$wanted"
(( ${#missing[@]} )) || exit 0

if (( EUID != 0 )); then
    printf 'run this as root, then try again:\n  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends "${missing[@]}"
