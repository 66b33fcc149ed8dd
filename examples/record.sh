#!/usr/bin/env bash
# Records the example traces again: compiles patterns.c and runs it under EZTrace in each mode, and compiles
# and runs vcycle.c with a module that records its functions. When all traces are complete, replaces the
# archives in the folders next to this script, and prints the number of events of each kind.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Open MPI refuses to run as root (usual in containers) unless both variables are set.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpicc -O2 -o "$scratch/patterns" patterns.c
mpicc -O0 -finstrument-functions -rdynamic -o "$scratch/vcycle" vcycle.c -lm
gcc -shared -fPIC -o "$scratch/libeztrace-functions.so" functions.c -leztrace-lib -leztrace-core

# Each run has a temporary folder of its own: runs that share one may both try to create Open MPI's
# session folder in it.
run() {
    local own
    own=$(mktemp -d)
    TMPDIR=$own OMPI_MCA_orte_tmpdir_base=$own PRTE_MCA_prte_tmpdir_base=$own mpirun "$@"
    rm -rf "$own"
}

# record MODE PROCESSES ITERATIONS
record() {
    run --oversubscribe -np "$2" \
        eztrace -t openmpi -o "$scratch/$1-$2" "$scratch/patterns" "$1" "$3"
}

record stencil 9 50
record ring    4 20
record wave    4 10
record farm    5 10
record tree    4 20

run --oversubscribe -np 4 \
    eztrace -l "$scratch" -t "openmpi functions" -o "$scratch/vcycle-4" "$scratch/vcycle"

for archive in "$scratch"/*/*_trace; do
    name=$(basename "$(dirname "$archive")")
    mkdir -p "$name"
    rm -rf "$name"/eztrace_log*
    mv "$archive"/* "$name"
    echo "== $name"
    otf2-print "$name/eztrace_log.otf2" 2>/dev/null | grep -Eo '^[A-Z_]+ +[0-9]+' | cut -d' ' -f1 | sort | uniq -c
done
