#!/bin/sh
# usage: scripts/fuzz.sh SECONDS [NAME...]
#
# Builds the fuzz targets (all, or those named: "quantity" is fuzz/quantity_fuzz.cc) and runs each
# for SECONDS, five at a time. One closing line per target; exit status 1 when one of them found
# something. Findings are in build/fuzz/findings. New seeds are kept in build/fuzz/corpus, and the next run
# uses them. In the environment, FUZZ_SEED sets the seed of the random numbers (by default every run has
# another one), and FUZZ_PRESET sets which build is used: fuzz, which is optimised, or asan, which CI
# builds anyway.
set -eu
cd "$(dirname "$0")/.."
preset=${FUZZ_PRESET:-fuzz}

if [ "${1:-}" = --one ]; then
  name=$2
  seconds=$3
  grown=build/fuzz/corpus/$name
  log=build/fuzz/findings/$name.log
  mkdir -p "$grown" build/fuzz/findings
  seeds=fuzz/corpus/$name
  [ -d "$seeds" ] || seeds=
  # shellcheck disable=SC2086  # no seeds: no argument
  if "build/$preset/fuzz/${name}_fuzz" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$name-" \
    "$grown" $seeds >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "$name: nothing found in $runs runs"
    rm -f "$log"
  else
    echo "$name: FOUND: $(grep -m 1 -E 'ERROR:|runtime error:' "$log" || tail -n 1 "$log") ($log)"
    exit 1
  fi
  exit 0
fi

case "${1:-}" in
  '' | *[!0-9]*) sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2 ;;
esac
seconds=$1
shift
cmake --preset "$preset" >/dev/null
if [ $# -eq 0 ]; then
  cmake --build --preset "$preset" --target fuzzers
  set -- $(for source in fuzz/*_fuzz.cc; do basename "$source" _fuzz.cc; done)
else
  for name in "$@"; do cmake --build --preset "$preset" --target "${name}_fuzz"; done
fi
if printf '%s\n' "$@" | xargs -P 5 -I '{}' "$0" --one '{}' "$seconds"; then
  exit 0
fi
exit 1
