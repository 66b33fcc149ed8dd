#!/usr/bin/env bash
# install-deps.sh demo|test: sees to the Debian packages needed to build (demo) or also to test.
# Installs what is missing if run as root; otherwise says what to install, and fails.
set -euo pipefail

# Package, and why it is needed.
build="
gcc                C compiler and linker
libc6-dev          C headers
pkg-config         finds libotf2
libotf2-trace-dev  reads OTF2 archives
"
tests="
libclang-dev       makes the bindings to libotf2 anew, to compare them
otf2-tools         otf2-print, the independent reader
eztrace            records traces
openmpi-bin        runs the recorded programs
libopenmpi-dev     compiles the recorded programs
"
venv="
python3-venv       environment of the Python tests
"

case ${1:-} in
demo) wanted=$build ;;
test) wanted=$build$tests
      python3 -c 'import venv, ensurepip' 2>/dev/null || wanted+=$venv ;;
*)    echo "usage: $0 demo|test" >&2; exit 2 ;;
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
        printf 'missing: %-18s %s\n' "$package" "$why"
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
