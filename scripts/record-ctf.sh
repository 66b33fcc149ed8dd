#!/usr/bin/env bash
# record-ctf.sh FOLDER: records an MPI program with LTTng on 4 ranks: its functions, as the compiler instruments them, and its calls of
# MPI, as a library of tracepoints wraps them. Needs the packages lttng-tools, liblttng-ust-dev, openmpi-bin and libopenmpi-dev.
set -euo pipefail

(($# == 1)) || { echo "usage: $0 FOLDER" >&2; exit 2; }
output=$(realpath -m "$1")
source=$(realpath "$(dirname "$0")/../tests/lttng")
work=$(mktemp -d)
session=foldtrace-$$
# Files of LTTng, and the daemon that the script starts, end with it.
export LTTNG_HOME=$work HOME=$work
finish() {
    lttng destroy "$session" &>/dev/null || true
    [[ -s $work/daemon ]] && kill "$(cat "$work/daemon")" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

mpicc -g -O1 -finstrument-functions -o "$work/program" "$source/program.c"
mpicc -shared -fPIC -I "$source" -o "$work/wrappers.so" "$source/wrappers.c" -llttng-ust -ldl

# A daemon that runs already is used, and continues to run.
if ! pgrep -x -U "$(id -u)" lttng-sessiond >/dev/null; then
    lttng-sessiond --daemonize --no-kernel --pidfile="$work/daemon"
fi
lttng create "$session" --output="$output" >/dev/null
lttng enable-channel --userspace --session="$session" --subbuf-size=1M --num-subbuf=8 calls >/dev/null
lttng add-context --userspace --session="$session" --channel=calls --type=vpid --type=vtid --type=procname >/dev/null
for event in 'lttng_ust_cyg_profile*' 'lttng_ust_statedump:*' 'lttng_ust_mpi:*'; do
    lttng enable-event --userspace --session="$session" --channel=calls "$event" >/dev/null
done
lttng start "$session" >/dev/null
libraries=$(ldconfig -p | sed -n 's|.*=> \(.*liblttng-ust-cyg-profile\.so\.[0-9]*\)$|\1|p' | head -n 1)
export LTTNG_UST_REGISTER_TIMEOUT=10000 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 4 -x LTTNG_HOME -x HOME -x LTTNG_UST_REGISTER_TIMEOUT \
    -x LD_PRELOAD="$work/wrappers.so:$libraries" "$work/program"
lttng stop "$session" >/dev/null
