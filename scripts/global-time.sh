#!/usr/bin/env bash
# global-time.sh [--bytes N] [--locations N] [FORMAT...]: converts long traces in global time order, in
# which all locations take turns, to stores, and prints the peak memory of each conversion.
#
# examples/interleaved generates the traces: 2G of each FORMAT (text, paje, chrome; all by default) with
# 1000 locations, most of which iterate, and the same size without any repetition. Exit code 1 if a
# conversion fails or needs more than 400 MB.
#
# FOLDTRACE is the command to run instead of the release build.
set -euo pipefail
export LC_ALL=C

usage() {
    sed -n '2,/^# FOLDTRACE/s/^# \{0,1\}//p' "$0"
}

bytes=2G locations=1000 formats=()
while (( $# )); do
    case $1 in
        --bytes) bytes=$2; shift 2 ;;
        --locations) locations=$2; shift 2 ;;
        -h | --help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *) formats+=("$1"); shift ;;
    esac
done
(( ${#formats[@]} )) || formats=(text paje chrome)
[[ -x /usr/bin/time ]] || { echo "/usr/bin/time is missing; on Debian: apt-get install time" >&2; exit 2; }

repository=$(cd "$(dirname "$0")/.." && pwd)
build=(cargo build --quiet --release --manifest-path "$repository/Cargo.toml")
"${build[@]}" --example interleaved
if [[ -z ${FOLDTRACE:-} ]]; then
    "${build[@]}"
    FOLDTRACE=$repository/target/release/foldtrace
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

printf '| format | content | input MB | events | peak MB | seconds | store MB |\n'
printf '|---|---|---:|---:|---:|---:|---:|\n'
for format in "${formats[@]}"; do
    for content in regular irregular; do
        options=(--format "$format" --bytes "$bytes" --locations "$locations")
        [[ $content == regular ]] || options+=(--irregular)
        code=0
        "$repository/target/release/examples/interleaved" "${options[@]}" | tee >(wc -c > "$work/size") |
            /usr/bin/time -o "$work/time" -f '%M %e' \
                "$FOLDTRACE" convert --quiet --force - "$work/run.fold" --from "$format" || code=$?
        if (( code )); then
            echo "| $format | $content | exit code $code |"
            failed=1
            continue
        fi
        read -r peak seconds < <(tail -1 "$work/time")
        events=$("$FOLDTRACE" info --json "$work/run.fold" | sed -n 's/^ *"events": \([0-9]*\).*/\1/p' | head -1)
        store=$(du -sb "$work/run.fold" | cut -f1)
        printf '| %s | %s | %d | %d | %d | %s | %d |\n' "$format" "$content" \
            $(( $(< "$work/size") / 1000000 )) "$events" $(( peak * 1024 / 1000000 )) "$seconds" $(( store / 1000000 ))
        (( peak * 1024 <= 400000000 )) || failed=1
    done
done
exit "$failed"
