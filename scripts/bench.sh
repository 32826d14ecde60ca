#!/usr/bin/env bash
# usage: scripts/bench.sh [BUILD_DIR [--check]]
#
# What simulations cost (Google Benchmark, BUILD_DIR/bench), and the replay of the
# recorded scenarios by the whole program. With --check the exit status is 1 when a bound is missed.
# What needs a running agent is measured by scripts/measure.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 tests/measure/bench.py "${1:-build/release}" "${@:2}"
