#!/usr/bin/env bash
# usage: scripts/bench-disk.sh [BUILD_DIR [--check] [--files N] [--dirs N] [--runs N] [--on FOLDER] [--first]]
#
# Disk use of one tree beside GNU du in the same run, page cache warm: the figures of docs/performance.md,
# "Disk use". Makes a tree of 1,000,000 files in 10,000 directories below FOLDER (default: a tmpfs of its
# own; a folder measures the file system that it is on) and removes it afterwards. Needs root. With
# --check the exit status is 1 when a bound is missed. Needs a quiet machine with two cores. With
# --first the measured programs run before everything else (SCHED_FIFO), so that a busy machine is enough.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 tests/measure/bench_disk.py "${1:-build/release}" "${@:2}"
