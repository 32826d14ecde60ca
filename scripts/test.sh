#!/usr/bin/env bash
# test.sh BUILD_DIR [fast|live]: runs the tests of a build, fast ones in parallel, then live ones one
# at a time, and counts what was skipped and why.
set -uo pipefail

build=$1
which=${2:-all}
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {  # run LABEL JOBS
  echo "== $1 tests"
  ctest --test-dir "$build" -L "$1" -j "$2" --output-on-failure --no-tests=error 2>&1 | tee -a "$log" |
    grep -v -E '^ *Start |Passed +[0-9.]+ sec$|^Internal ctest|^$' || true
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
}

[ "$which" = live ] || run fast "$(nproc)"
[ "$which" = fast ] || run live 1

skipped=$(grep -c -E '\*\*\*Skipped' "$log")
echo "== skipped: $skipped"
[ "$skipped" -eq 0 ] || grep -E '\*\*\*Skipped' "$log" | sed 's/^/   /'
exit $status
