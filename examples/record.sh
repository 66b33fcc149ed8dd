#!/usr/bin/env bash
# Records the example traces again: compiles patterns.c, runs it under EZTrace in each mode, and
# replaces the folders beside this script once every archive is complete. Prints the new counts.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Open MPI refuses to run as root, as one does in a container, unless told twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpicc -O2 -o "$scratch/patterns" patterns.c

# record MODE PROCESSES ITERATIONS
record() {
    mpirun --oversubscribe -np "$2" \
        eztrace -t openmpi -o "$scratch/$1-$2" "$scratch/patterns" "$1" "$3"
}

record stencil 9 50
record ring    4 20
record wave    4 10
record farm    5 10
record tree    4 20

for archive in "$scratch"/*/patterns_trace; do
    name=$(basename "$(dirname "$archive")")
    rm -rf "$name"
    mv "$archive" "$name"
    echo "== $name"
    otf2-print "$name/eztrace_log.otf2" 2>/dev/null | grep -Eo '^[A-Z_]+ +[0-9]+' | cut -d' ' -f1 | sort | uniq -c
done
