#!/usr/bin/env bash
# usage: scripts/tidy.sh [--changed REVISION | --all | FILE...]
#
# Runs clang-tidy with the checks of .clang-tidy:
#   --changed REVISION   over the sources that differ from where HEAD left REVISION, uncommitted and new ones included, and over the
#                        source beside each header that does; only findings in lines that differ are reported; without arguments
#                        REVISION is HEAD
#   --all                over every source that the build compiles
#   FILE...              over these
# It takes the compile commands from build/full (cmake --preset full), which compiles each source by itself, and builds
# only the generated headers. Exit status: 0 nothing found, 1 something, 2 wrong usage.
# Environment: JOBS (default: the number of processors), CLANG_TIDY (default clang-tidy-19).
set -euo pipefail
cd "$(dirname "$0")/.."
tidy=${CLANG_TIDY:-clang-tidy-19}
command -v "$tidy" >/dev/null || { echo "no $tidy; scripts/install-deps.sh --lint installs it" >&2; exit 2; }

usage() {
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  exit 2
}

build=build/full
[ -e "$build/compile_commands.json" ] || cmake --preset full >/dev/null
ninja -C "$build" generated_headers >/dev/null

changed_since() {
  git rev-parse --quiet --verify "$1^{commit}" >/dev/null || {
    echo "scripts/tidy.sh: '$1' is no revision" >&2
    exit 2
  }
  {
    git diff --merge-base --name-only --diff-filter=d "$1" -- '*.cc' '*.h'
    git ls-files --others --exclude-standard -- '*.cc' '*.h'
  } | sed 's/\.h$/.cc/' | sort -u
}

# The lines that differ, as clang-tidy takes them: new files as a whole.
lines_since() {
  git ls-files --others --exclude-standard -z -- '*.cc' '*.h' | xargs -0 -r printf '+++ b/%s\n@@ -0,0 +1,999999 @@\n' |
    cat - <(git diff --merge-base --unified=0 --diff-filter=d "$1" -- '*.cc' '*.h') |
    python3 -c '
import json, re, sys
files = []
for line in sys.stdin:
    if line.startswith("+++ b/"):
        files.append({"name": line[6:].rstrip(), "lines": []})
    elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        if count: files[-1]["lines"].append([first, first + count - 1])
print(json.dumps([file for file in files if file["lines"]]))'
}

options=()
case "${1:---changed}" in
  --all)
    [ $# -eq 1 ] || usage
    files=$(git ls-files --cached --others --exclude-standard -- '*.cc')
    ;;
  --changed)
    [ $# -le 2 ] || usage
    files=$(changed_since "${2:-HEAD}")
    options=("--line-filter=$(lines_since "${2:-HEAD}")")
    ;;
  -*) usage ;;
  *) files=$(printf '%s\n' "$@") ;;
esac

# Only what the build compiles has the flags that clang-tidy needs.
known=()
while read -r file; do
  if grep -q -F "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then known+=("$file"); fi
done <<<"$files"
if [ ${#known[@]} -eq 0 ]; then
  echo "no source to look at"
  exit 0
fi
printf '%s\0' "${known[@]}" |
  xargs -0 -n 1 -P "${JOBS:-$(nproc)}" "$tidy" -p "$build" --quiet "${options[@]}" --warnings-as-errors="*" 2> >(grep -v " warnings\? generated\." >&2) && exit 0
exit 1
