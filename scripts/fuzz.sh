#!/bin/sh
# usage: scripts/fuzz.sh [--in-all] SECONDS [NAME...]
#
# Builds the fuzz targets (all, or those named: "units" is fuzz/units_fuzz.cc) and runs each
# for SECONDS, five at a time. One closing line per target; exit status 1 when one of them found
# something. Findings are in build/fuzz/findings. New seeds are kept in build/fuzz/corpus, and the next run
# uses them.
#
# With --in-all a target runs until it has had SECONDS of processor time over all such calls. A call may be
# ended at any moment: the next one continues, and loses two minutes a target at most. The time that each
# target has had is in build/fuzz/spent; remove a file there to begin anew.
#
# In the environment, FUZZ_SEED sets the seed of the random numbers (by default every run has another one),
# FUZZ_PRESET sets which build is used: fuzz, which is optimised, or asan, which CI builds anyway, and
# FUZZ_JOBS sets how many targets run at a time. FUZZ_TIMEOUT is the time in seconds after which an input counts
# as one that hangs (10): more is needed where the machine has other work to do, because it is real time.
#
#     scripts/fuzz.sh 60 units kubeconfig
#     FUZZ_JOBS=2 nice scripts/fuzz.sh --in-all 1800
set -eu
cd "$(dirname "$0")/.."
preset=${FUZZ_PRESET:-fuzz}

# fuzz_once NAME SECONDS: one run; what it said is in the log if it found something.
fuzz_once() {
  seeds=fuzz/corpus/$1
  [ -d "$seeds" ] || seeds=
  # shellcheck disable=SC2086  # no seeds: no argument
  "build/$preset/fuzz/${1}_fuzz" -max_total_time="$2" -seed="${FUZZ_SEED:-0}" -timeout="${FUZZ_TIMEOUT:-10}" -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$1-" "build/fuzz/corpus/$1" $seeds >"$log" 2>&1
}

# Sets `used` to the processor time of this shell's children that have ended, in whole seconds.
count_used() {
  times >"build/fuzz/spent/.$1" # not in $(...): that shell would have no children
  used=$(sed -n '2s/[ms]/ /gp' "build/fuzz/spent/.$1" | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
  rm -f "build/fuzz/spent/.$1"
}

# fuzz_in_all NAME SECONDS: runs of two minutes until the target has had SECONDS.
fuzz_in_all() {
  before=$(cat "build/fuzz/spent/$1" 2>/dev/null || echo 0)
  case "$before" in '' | *[!0-9]*) before=0 ;; esac # a full disk has cut it off
  spent=$before
  while [ "$spent" -lt "$2" ]; do
    left=$(($2 - spent))
    fuzz_once "$1" $((left < 120 ? left : 120)) || [ $? = 72 ] || return 1 # 72: it was told to end
    count_used "$1"
    spent=$((before + used))
    echo "$spent" >"build/fuzz/spent/$1"
  done
}

case "${1:-}" in --one | --one-in-all)
  name=$2
  log=build/fuzz/findings/$name.log
  mkdir -p "build/fuzz/corpus/$name" build/fuzz/findings build/fuzz/spent
  if [ "$1" = --one ]; then set -- fuzz_once "$name" "$3"; else set -- fuzz_in_all "$name" "$3"; fi
  if "$@"; then
    echo "$name: nothing found in $([ "$1" = fuzz_once ] && sed -n 's/^stat::number_of_executed_units: *\(.*\)/\1 runs/p' "$log" ||
      echo "$(cat "build/fuzz/spent/$name") s")"
    rm -f "$log"
    exit 0
  fi
  echo "$name: FOUND: $(grep -m 1 -E 'ERROR:|runtime error:' "$log" || tail -n 1 "$log") ($log)"
  exit 1
esac

mode=--one
if [ "${1:-}" = --in-all ]; then mode=--one-in-all; shift; fi
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
if printf '%s\n' "$@" | xargs -P "${FUZZ_JOBS:-5}" -I '{}' "$0" $mode '{}' "$seconds"; then
  exit 0
fi
exit 1
