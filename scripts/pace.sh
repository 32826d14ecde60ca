#!/usr/bin/env bash
# usage: scripts/pace.sh [BUILD_DIR [OPTION...]]
#
# Measures which pods are evicted when memory runs out for a reason other than the pods that may be evicted. Builds what
# it needs (in build/release by default) and runs tests/measure/pace.py, whose --help lists the options.
# Needs root and a host with cgroup v1; takes a minute a run.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
shift || true
[ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target jettison jettison-shim measure_programs >/dev/null
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/measure/pace.py "$build" "$@"
