#!/usr/bin/env bash
# usage: scripts/format.sh [--fix]
#
# Compares every source file with what clang-format makes of it (.clang-format decides); exit status
# 1 and one line a file when some differ. With --fix they are rewritten.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
  'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.h' 'bench/*.cc' 'bench/*.h' 'fuzz/*.cc' 'fuzz/*.h' 'examples/*.cc')
mapfile -t files < <(ls -d -- "${files[@]}" 2>/dev/null)  # a file may be deleted, not yet committed

case "${1:-}" in
  --fix)
    clang-format -i "${files[@]}"
    exit 0
    ;;
  '') ;;
  *)
    sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
    exit 2
    ;;
esac

if report=$(printf '%s\0' "${files[@]}" |
  xargs -0 -n 16 -P "$(nproc)" clang-format --dry-run -Werror --ferror-limit=1 2>&1); then
  echo "${#files[@]} files are laid out as clang-format would"
  exit 0
fi
# clang-format names the first fault of each file; anything else that it says is shown as it is.
if ! grep -E '^[^ ].*: error:' <<<"$report" | sed 's/ \[-W.*//'; then echo "$report"; fi
echo "scripts/format.sh --fix lays them out"
exit 1
