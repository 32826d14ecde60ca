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
# Environment: JOBS (default: the number of processors), CLANG_TIDY (default clang-tidy-19), MOST: with --changed, only so
# many sources, those with the most changed lines; the number of the others is reported.
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
# A build that came along with a moved clone would be made again where it was. One that was made through a symbolic
# link names its sources by that link.
home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
if ! [ "$home" -ef . ]; then
  echo "scripts/tidy.sh: $PWD/$build was made for $home; remove it" >&2
  exit 2
fi
ninja -C "$build" generated_headers recording_headers >/dev/null

# Only what the build compiles has the flags that clang-tidy needs.
is_compiled() {
  grep -q -F "\"file\": \"$home/$1\"" "$build/compile_commands.json"
}

run=("$tidy" -p "$build" --quiet "--warnings-as-errors=*")
arguments=()  # of each run, one after the other
each=1        # so many of them belong to one run
add() {
  is_compiled "$1" || return 0
  arguments+=("$home/$1" "${@:2}")
}
case "${1:---changed}" in
  --all)
    [ $# -eq 1 ] || usage
    while read -r file; do add "$file"; done < <(git ls-files --cached --others --exclude-standard -- '*.cc')
    ;;
  --changed)
    [ $# -le 2 ] || usage
    git rev-parse --quiet --verify "${2:-HEAD}^{commit}" >/dev/null || {
      echo "scripts/tidy.sh: '${2:-HEAD}' is no revision" >&2
      exit 2
    }
    each=2
    changed=$(mktemp)
    trap 'rm -f "$changed"' EXIT
    scripts/changed_lines.py "${2:-HEAD}" ${MOST:+"$MOST"} >"$changed"  # where that fails, so does this
    while read -r -d '' file && read -r -d '' lines; do add "$file" "--line-filter=$lines"; done <"$changed"
    ;;
  -*) usage ;;
  *) for file in "$@"; do add "$file"; done ;;
esac

if [ ${#arguments[@]} -eq 0 ]; then
  echo "no source to look at"
  exit 0
fi
printf '%s\0' "${arguments[@]}" |
  xargs -0 -n "$each" -P "${JOBS:-$(nproc)}" "${run[@]}" 2> >(grep -v " warnings\? generated\." >&2) || exit 1
count=$((${#arguments[@]} / each))
echo "$count source$([ "$count" -eq 1 ] || echo s), nothing found"
