#!/usr/bin/env bash
# usage: scripts/chaos.sh BUILD_DIR [COMMAND] [OPTION...]
#
# Runs a node of its own with random pods and random faults, and checks what must hold nevertheless; --help lists
# commands, options and examples. Builds the agent and the programs that the run needs, and runs
# tests/chaos/chaos.py, which needs root and changes nothing on the host.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
shift || true
if [[ $build == -* ]]; then
  set -- "$build" "$@"
  build=build/release
fi
case " $* " in
  *" --help "* | *" -h "* | *" --plan "*) ;;
  *)
    [ -e "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >/dev/null
    cmake --build "$build" --target jettison jettison-shim chaos_programs >/dev/null
    ;;
esac
export PYTHONDONTWRITEBYTECODE=1
exec python3 tests/chaos/chaos.py "$build" "$@"
