#!/usr/bin/env bash
# usage: scripts/measure.sh [BUILD_DIR [OPTION...]]
#
# Builds the agent and the programs that measure it (in build/release by default) and runs
# tests/measure/measure.py, whose --help lists the options. --check fails when a bound is missed.
# Needs root and a quiet machine; takes about half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
shift || true
[ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target jettison jettison-shim measure_programs >/dev/null
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/measure/measure.py "$build" "$@"
