#!/usr/bin/env bash
# usage: scripts/tidy.sh [REVISION | FILE...]
#
# Runs clang-tidy (.clang-tidy decides) over the sources that changed since REVISION, uncommitted and
# new ones included, or over the files named; HEAD where neither is given. Exit status 1 when it has
# something to say. For every source at once: cmake --preset tidy && cmake --build --preset tidy.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/full
[ -e "$build/compile_commands.json" ] || cmake --preset full >/dev/null

if [ $# -gt 0 ] && [ -f "$1" ]; then
  files=("$@")
else
  revision=${1:-HEAD}
  git rev-parse --quiet --verify "$revision^{commit}" >/dev/null || {
    echo "scripts/tidy.sh: '$revision' is neither a file nor a revision" >&2
    exit 2
  }
  mapfile -t files < <({
    git diff --name-only --diff-filter=d "$revision" -- '*.cc'
    git ls-files --others --exclude-standard -- '*.cc'
  } | sort -u)
fi
# Only what the build compiles has the flags that clang-tidy needs.
known=()
for file in "${files[@]}"; do
  if grep -q "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then known+=("$file"); fi
done
if [ ${#known[@]} -eq 0 ]; then
  echo "no source to look at"
  exit 0
fi
printf '%s\0' "${known[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet --warnings-as-errors='*'
