#!/usr/bin/env bash
# usage: scripts/race.sh [BUILD_DIR [OPTION...]]
#
# Who is first when memory runs out on a small machine of cgroup v2, the agent or the kernel? Builds
# what it takes (build/release unless told) and runs tests/measure/race.py, whose --help lists the
# options, in virtual machines. Needs no root; takes an hour with every agent, rate and run.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
shift || true
[ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target jettison jettison-shim measure_programs >/dev/null
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/measure/race.py "$build" "$@"
