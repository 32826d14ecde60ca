#!/usr/bin/env bash
# usage: scripts/chaos.sh BUILD_DIR [COMMAND] [OPTION...]
#
# A node of its own under random pods and random trouble, and what must hold all the same; --help lists
# commands, options and examples. Builds the agent and the programs that the run takes, and runs
# tests/chaos/chaos.py, which wants root and touches nothing of the host.
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
