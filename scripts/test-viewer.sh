#!/usr/bin/env bash
# test-viewer.sh: checks the types of the page's modules, runs their tests, and compares the bundle with its sources.
set -euo pipefail
cd "$(dirname "$0")/../viewer/page"

npm ci --silent --no-audit --no-fund --ignore-scripts
npm run --silent check
npm run --silent test
bundle=../../target/viewer/bundle
npm run --silent build -- --outdir="$bundle"
if ! diff --recursive --brief "$bundle" ../bundle; then
    echo "the bundle is not that of its sources: run 'npm run build' in viewer/page, and build the command again" >&2
    exit 1
fi
