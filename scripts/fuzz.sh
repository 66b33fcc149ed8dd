#!/usr/bin/env bash
# fuzz.sh [TARGET…]: runs the targets of fuzz/ one after another, by default all of them, for
# FUZZ_SECONDS each (60), and prints statistics of each. Fails if a target has a finding; its input
# is then in fuzz/artifacts/TARGET, and its log in fuzz/target/logs.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
logs=fuzz/target/logs

# cargo-fuzz needs compiler flags that only nightly toolchains enable by default.
export RUSTC_BOOTSTRAP=1
cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz

targets=("$@")
(( ${#targets[@]} )) || mapfile -t targets < <(cargo fuzz list)

cargo run --quiet --manifest-path fuzz/Cargo.toml --no-default-features --example seeds
for target in "${targets[@]}"; do
    # The readers have no unsafe code, so an address sanitizer would only slow them down.
    cargo fuzz build --sanitizer none "$target"
done

# last WORD LOG: prints the last number after a word in the log.
last() {
    { grep -Eo "$1 ?[0-9.]+" "$2" || true; } | tail -n 1 | grep -Eo '[0-9.]+$' || echo -
}

mkdir -p "$logs"
found=0
printf '%-12s %8s %12s %8s %9s %9s %7s %9s\n' target seconds executions exec/s coverage features corpus findings
for target in "${targets[@]}"; do
    log=$logs/$target.log
    dictionary=fuzz/dictionaries/$target.dict
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1)
    [[ -f $dictionary ]] && options+=(-dict="$dictionary")
    findings=0
    cargo fuzz run --sanitizer none "$target" -- "${options[@]}" >"$log" 2>&1 || findings=1
    found=$((found + findings))
    printf '%-12s %8s %12s %8s %9s %9s %7s %9s\n' "$target" "$seconds" \
        "$(last 'stat::number_of_executed_units:' "$log")" "$(last 'stat::average_exec_per_sec:' "$log")" \
        "$(last 'cov:' "$log")" "$(last 'ft:' "$log")" "$(last 'corp:' "$log")" "$findings"
done
exit $((found > 0))
