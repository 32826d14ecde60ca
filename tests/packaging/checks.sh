# shellcheck shell=bash
# Sourced by the scripts here: what they check of the build folder in $1, and how they count.
set -euo pipefail
build=${1:?usage: $0 BUILD_DIR}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declare -i passed=0 failed=0 skipped=0
export SOURCE_DATE_EPOCH=1700000000

check() {  # check WHAT COMMAND...
  local what=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed+=1
  else
    failed+=1
    echo "failed: $what"
    tail -n 20 "$work/out"
  fi
}
skip() {
  skipped+=1
  echo "skipped: $1"
}
