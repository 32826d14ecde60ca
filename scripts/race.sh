#!/usr/bin/env bash
# usage: scripts/race.sh [BUILD_DIR [OPTION...]]
#
# Measures whether the agent or the kernel acts first when memory runs out on a small machine with cgroup v2. Builds
# what it needs (in build/release by default) and runs tests/measure/race.py, whose --help lists the
# options, in virtual machines. Needs no root; takes an hour with every agent, rate and run.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
shift || true
[ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target jettison jettison-shim measure_programs >/dev/null
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/measure/race.py "$build" "$@"
