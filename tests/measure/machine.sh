# Sourced by the scripts that run in a machine of cgroup v2: pods, and what is seen of them.
here=/test groups=/sys/fs/cgroup

now_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
# Of a report (report.h): the process, and whether it holds what it is to hold.
pid_of() { hexdump -n 4 -e '1/4 "%d"' "$1" 2>/dev/null; }
ready() {
  local since
  since=$(hexdump -s 8 -n 8 -e '2/4 "%x"' "$1" 2>/dev/null)
  [ -n "$since" ] && [ "$since" != 00 ]
}
lives() { [ -d "/proc/$1" ] && ! grep -q '^State:	Z' "/proc/$1/status" 2>/dev/null; }

# Lets a pod grow before the eyes of the witness (watch.cc): watch_growth GATE REPORT THRESHOLD_BYTES SEEN, where GATE is
# the file that the pod waits for, and SEEN gets what the witness prints.
watch_growth() {
  local capacity
  capacity=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) * 1024))  # more than awk has digits for
  $here/measure_watch $groups "$capacity" "$3" "$2" "$1" 1000 120 >"$4" &
  witness_pid=$!
}

manifest() { # manifest NAME RESOURCES ARGUMENT...
  local name=$1 resources=$2
  shift 2
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  restartPolicy: Never\n' "$name"
  printf '  containers:\n  - name: c\n    command: [%s/measure_hog' "$here"
  for argument; do printf ', "%s"' "$argument"; done
  printf ']\n%s' "$resources"
}
