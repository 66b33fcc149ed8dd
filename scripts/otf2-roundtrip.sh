#!/usr/bin/env bash
# otf2-roundtrip.sh [--archive] ARCHIVE...: converts OTF2 archives to stores and back, and compares
# the output of otf2-print and otf2-marker for both. An ARCHIVE is an anchor or a folder that contains one.
#
# With --archive, the store is converted to an archived store (convert --archive) and back to a plain
# store, whose tables must be identical; the OTF2 archive is written from the latter.
#
# Mapping tables and clock offsets are applied to the events and not written again, so the corrected
# events are compared. Prints a line per archive, with the first lines that differ; in this case, both
# outputs are kept. Exit code 1 if anything differs or does not convert.
#
# FOLDTRACE is the command to test instead of the release build.
# shellcheck disable=SC2317 # Functions are called by name.
set -euo pipefail
export LC_ALL=C

usage() {
    sed -n '2,/^# FOLDTRACE/s/^# \{0,1\}//p' "$0"
}

coded=
if [[ ${1:-} == --archive ]]; then coded=yes; shift; fi
(( $# )) || { usage >&2; exit 2; }
[[ $1 != -h && $1 != --help ]] || { usage; exit 0; }
for tool in otf2-print otf2-marker; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; on Debian: apt-get install otf2-tools" >&2; exit 2; }
done

if [[ -z ${FOLDTRACE:-} ]]; then
    repository=$(cd "$(dirname "$0")/.." && pwd)
    cargo build --quiet --release --manifest-path "$repository/Cargo.toml"
    FOLDTRACE=$repository/target/release/foldtrace
fi

work=$(mktemp -d)
kept=
trap 'rm -rf "$work"' EXIT

# anchor PATH: prints PATH if it is an anchor, or the only anchor in that folder.
anchor() {
    local found
    if [[ ! -d $1 ]]; then
        found=("$1")
    else
        shopt -s nullglob
        found=("${1%/}"/*.otf2)
        shopt -u nullglob
    fi
    if [[ ${#found[@]} != 1 || ! -f ${found[0]} ]]; then
        echo "$1 is no anchor and no folder with one" >&2
        return 1
    fi
    printf '%s\n' "${found[0]}"
}

# told COMMAND...: prints the standard output, exit code and standard error of a command.
told() {
    local complaints code=0
    complaints=$(mktemp -p "$work")
    "$@" 2>"$complaints" || code=$?
    printf 'exit code %s\n' "$code"
    cat "$complaints"
    rm -f "$complaints"
}

# The parts that are compared. The first argument of each function is an anchor.

# Leaves out lines that depend on the writer of the archive, such as its version and the sizes of chunks.
anchor_file() {
    told otf2-print --show-info "$1" |
        sed -E '1,10 { /^(Version|Chunk size events|Chunk size definitions|File substrate|Compression) /d }'
}

# otf2-print shows uninitialised bytes if the type of a value is not the one that it expects.
definitions() {
    told otf2-print --show-global-defs --no-snapshots "$1" | sed -E 's/TYPE MISMATCH <[0-9]+>/TYPE MISMATCH/g'
}

events() { # ANCHOR LOCATION
    told otf2-print --no-snapshots --location "$2" "$1"
}

snapshots() {
    told otf2-print "$1" | sed -n '/^=== Snapshots ===/,$p'
}

# Some versions of the library cannot read thumbnails, so the bytes of the files are compared, too.
thumbnails() {
    told otf2-print --show-thumbnail-samples "$1"
    local file
    for file in "${1%.otf2}".*.thumb; do
        [[ ! -f $file ]] || printf '%s  %s\n' "$(cksum <"$file")" "${file#"${1%.otf2}"}"
    done
}

markers() {
    told otf2-marker "$1"
}

# number NAME ANCHOR: prints a number of the anchor.
number() {
    otf2-print --show-info "$2" 2>/dev/null | awk -v name="Number of $1" 'index($0, name) == 1 { print $NF; exit }'
}

count_events() {
    otf2-print --debug --silent --no-snapshots "$1" 2>/dev/null |
        awk '/^==DEBUG== Read [0-9]+ events\.$/ { events += $3 } END { print events + 0 }'
}

locations() {
    otf2-print --show-global-defs --no-snapshots "$1" 2>/dev/null | awk '$1 == "LOCATION" && $2 ~ /^[0-9]+$/ { print $2 }' | sort -nu
}

# compare WHAT ORIGINAL BACK [ARGUMENT]: compares the output of WHAT for both; if it differs, keeps both
# outputs and records the first line that differs.
compare() {
    local what=$1 original=$2 back=$3 argument=${4:-} name=$1${4:+-$4} line side
    cmp --silent <("$what" "$original" "$argument") <("$what" "$back" "$argument") && return
    keep
    "$what" "$original" "$argument" >"$kept/$name.original"
    "$what" "$back" "$argument" >"$kept/$name.back"
    # If one output ends early, the first line that differs is the one after its end.
    line=$(cmp "$kept/$name.original" "$kept/$name.back" 2>&1 | awk '{ print $NF + /^cmp: EOF/ }') || true
    {
        printf '  %s, line %s:\n' "$name" "$line"
        for side in original back; do
            printf '    %-9s ' "$side:"
            sed -n "$line{p;q}" "$kept/$name.$side" | cut -c 1-200 | grep . || echo '(ends before)'
        done
    } >>"$work/notes"
    differing+=("${name//-/ of }")
}

keep() {
    if [[ -z $kept ]]; then
        kept=$(mktemp -d "${TMPDIR:-/tmp}/otf2-roundtrip.XXXXXX")
    fi
}

# through_archive STORE: converts a store to an archive and back; fails if a table differs.
through_archive() {
    local store=$1 small=$work/archive.fold again=$work/again.fold
    "$FOLDTRACE" --quiet convert "$store" "$small" --archive >&2 || return
    "$FOLDTRACE" --quiet convert "$small" "$again" >&2 || return
    diff --recursive --brief --exclude manifest.json --exclude views.sql "$store" "$again" >&2 || return
    rm -rf "$store" "$small"
    mv "$again" "$store"
}

# there_and_back ARCHIVE: converts an archive to a store and back; prints the new anchor.
there_and_back() {
    local original back store=$work/store.fold
    original=$(anchor "$1") || return
    back=$work/back/$(basename "$original")
    mkdir "$work/back"
    "$FOLDTRACE" --quiet convert "$original" "$store" --to fold >&2 || return
    if [[ $coded ]]; then through_archive "$store" || return; fi
    "$FOLDTRACE" --quiet convert "$store" "$back" --to otf2 >&2 || return
    rm -rf "$store"
    anchor "$back"
}

# roundtrip ARCHIVE: prints the line of an archive; fails if the result differs.
roundtrip() {
    local original back location differing=() result
    kept=
    rm -rf "${work:?}"/*
    : >"$work/notes"
    back=$(there_and_back "$1" 2>"$work/log") || {
        line "$1" - - - 'cannot be converted'
        sed 's/^/  /' "$work/log"
        return 1
    }
    original=$(anchor "$1")

    compare anchor_file "$original" "$back"
    compare definitions "$original" "$back"
    while read -r location; do
        compare events "$original" "$back" "$location"
    done < <({ locations "$original"; locations "$back"; } | sort -nu)
    compare markers "$original" "$back"
    if [[ $(number snapshots "$original") != 0 ]]; then compare snapshots "$original" "$back"; fi
    if [[ $(number thumbnails "$original") != 0 ]]; then compare thumbnails "$original" "$back"; fi

    result=same
    if (( ${#differing[@]} )); then
        result="differs: $(printf '%s, ' "${differing[@]:0:4}")"
        result=${result%, }
        (( ${#differing[@]} <= 4 )) || result+=" and $(( ${#differing[@]} - 4 )) more"
    fi
    line "$1" "$(locations "$original" | wc -l)" "$(count_events "$original")" "$(number 'global definitions' "$original")" "$result"
    (( ${#differing[@]} )) || return 0
    mv "$work/back" "$kept/archive"
    cat "$work/notes"
    printf '  both outputs and the archive: %s\n' "$kept"
    return 1
}

width=7
for archive; do
    (( ${#archive} <= width )) || width=${#archive}
done

line() {
    printf "%-${width}s  %9s  %12s  %11s  %s\n" "$@"
}

line ARCHIVE LOCATIONS EVENTS DEFINITIONS RESULT
status=0
for archive; do
    roundtrip "$archive" || status=1
done
exit "$status"
