#!/usr/bin/env bash
# usage: scripts/bench-fleet.sh [BUILD_DIR [NODES]]
#
# Simulates fleets of generated nodes (default: up to 100 of them, a day of passes each) and prints CPU time, time and memory: how
# they grow with nodes, pods, policies and the length of recordings. On a busy machine,
# trust only the CPU time. Needs some 100 MB below TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
nodes=${2:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sixteen policies, the one in force among them.
sweep() { echo "evictionHard.memory.available=100Mi..2Gi/$1"; }

printf '%-34s %12s %9s %9s %9s %11s\n' 'NODES x PODS x PASSES x POLICIES' 'RECORDINGS' 'CPU s' 'WALL s' 'MiB' 'EVICTIONS'
measure() {  # measure NODES PODS PASSES POLICIES
  local folder=$work/$1-$2-$3 figures
  if [ ! -d "$folder" ]; then
    mkdir "$folder"
    "$build/bench/fleet_recordings" "$folder" "$1" "$2" "$3"
  fi
  local arguments=()
  [ "$4" -gt 1 ] && arguments=(--sweep "$(sweep $(($4 - 1)))")
  figures=$(python3 - "$build/jettison" simulate "$folder" --shard 0/1 --out "$work/result" "${arguments[@]}" <<'PYTHON'
import resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
wall = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.2f} {wall:.2f} {used.ru_maxrss / 1024:.0f}")
PYTHON
  )
  local evictions
  evictions=$("$build/jettison" simulate --sum "$work/result" --output json |
    jq '[.totals.policies[].evictionCount] | add')
  # shellcheck disable=SC2086  # three figures
  printf '%-34s %12s %9s %9s %9s %11s\n' "$1 x $2 x $3 x $4" "$(du -sh "$folder" | cut -f1)" $figures "$evictions"
}

measure $((nodes / 4)) 110 8640 16
measure $((nodes / 2)) 110 8640 16
measure "$nodes" 110 8640 16
measure $((nodes / 4)) 55 8640 16
measure $((nodes / 4)) 220 8640 16
measure $((nodes / 4)) 110 8640 1
measure $((nodes / 4)) 110 8640 4
measure $((nodes / 4)) 110 8640 64
measure $((nodes / 4)) 110 2160 16
measure $((nodes / 4)) 110 34560 16
