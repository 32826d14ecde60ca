#!/usr/bin/env bash
# usage: scripts/run-order.sh
#
# Writes cmake/run_order.txt anew: the names of the functions that a running agent calls. They come from
# a program that notes each call, which starts, guards pods, answers what it is asked, evicts a pod that
# grows, and ends. Needs root; takes about ten minutes. To be run when much of the agent has changed; the
# program is right without it, and only larger in memory.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 0 ] || { sed -n 's/^# \(usage: .*\)/\1/p' scripts/run-order.sh >&2; exit 2; }

build=build/order
touched=$(mktemp -d)
trap 'rm -rf "$touched"' EXIT
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG \
  -DJETTISON_UNITY=ON -DJETTISON_BENCH=OFF -DJETTISON_TRACE_CALLS=ON >/dev/null
cmake --build "$build" --target jettison jettison-shim measure_programs
cmake --preset release >/dev/null
cmake --build build/release --target jettison
export PYTHONDONTWRITEBYTECODE=1 JETTISON_TOUCHED="$touched/calls"
python3 tests/measure/measure.py "$build" --only growth --only idle --only asked --only relief --runs 2 --rate 200
# Addresses of functions become their names, as the linker knows them. What an optimised program has no function
# of its own for is left out; of a variant's name only the function's counts.
names_of() { nm --defined-only "$1" | sed -n 's/^0*\([0-9a-f]*\) [tTwW] \([^.]*\).*/\1 \2/p' | LC_ALL=C sort; }
export LC_ALL=C
sort -u "$touched"/calls.* >"$touched/all"
names_of "$build/jettison" | join - "$touched/all" | cut -d' ' -f2 | sort -u >"$touched/called"
names_of build/release/jettison | cut -d' ' -f2 | sort -u | join - "$touched/called" >"$touched/names"
mv "$touched/names" cmake/run_order.txt
echo "cmake/run_order.txt: $(wc -l <cmake/run_order.txt) functions"
