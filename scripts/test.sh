#!/usr/bin/env bash
# usage: scripts/test.sh BUILD_DIR [fast|live|all]
#
# Runs the tests of a build: fast ones in parallel, then live ones (root, real kernel), two at a time, then
# those of them that have a virtual machine or a browser to themselves, in parallel again.
# Failures are shown in full, skipped tests with their reason, and the last line sums up:
# "N passed, N failed, N skipped". Programs that are not built are named before it: their tests were left
# out. The results stay in BUILD_DIR/test-results/. Exit status 1 when a
# test failed or none ran.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

build=${1:-}
which=${2:-all}
case "$which" in fast | live | all) ;; *) build= ;; esac
if [ ! -e "$build/CTestTestfile.cmake" ]; then
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  echo "BUILD_DIR must be a folder that was configured with tests, build/dev for example" >&2
  exit 2
fi
# What the sanitizers report is to name lines; an older llvm-symbolizer does not understand clang's.
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$(command -v addr2line || true)}
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}external_symbolizer_path=$ASAN_SYMBOLIZER_PATH
results=$(cd "$build" && pwd)/test-results
mkdir -p "$results/programs"
rm -f "$results"/*.xml "$results"/programs/*.xml
status=0

run() {  # run NAME JOBS OPTION...: the options of ctest that choose the tests
  echo "== $1 tests"
  ctest --test-dir "$build" -j "$2" "${@:3}" --output-on-failure --no-tests=error \
    --output-junit "$results/$1.xml" 2>&1 |
    grep -v -E '^ *Start |(Passed|\*\*\*Skipped) +[0-9.]+ sec$|^Internal ctest|^$|did not run:|\(Skipped\)$'
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
}

[ "$which" = live ] || run fast "$(nproc)" -L fast
if [ "$which" != fast ]; then
  run live 2 -L live -LE apart
  run apart "$(nproc)" -L apart
fi

# CTest knows such a program by one test, which has none of the labels.
mapfile -t missing < <(ctest --test-dir "$build" -N -R '_NOT_BUILT(-|$)' | sed -n 's/^ *Test *#[0-9]*: \(.*\)_NOT_BUILT.*/\1/p')
if [ ${#missing[@]} -gt 0 ]; then
  echo "not built, so that their tests were left out (cmake --build $build builds them): ${missing[*]}"
fi
python3 "$here/tally.py" "$results"/*.xml || status=1
exit $status
