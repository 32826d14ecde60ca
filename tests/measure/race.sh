#!/bin/busybox sh
# usage: race.sh AGENT RATE_MIB_S RUNS     AGENT: jettison, earlyoom, systemd-oomd or none
#
# In a small machine of cgroup v2 a best-effort pod grows beside a guaranteed one, RUNS times; who is
# first to end it, the agent or the kernel's OOM killer, and does the guaranteed one live? One line a
# run: "run N: by=agent|kernel|nobody guaranteed=alive|dead lowest=MIB ms=MS", where lowest is the
# least MemAvailable that was seen and ms the time from the beginning of growth to its end.
agent=$1 rate=$2 runs=$3
here=/test groups=/sys/fs/cgroup
hold=48 total=900 threshold=100

now_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
# Of a report (report.h): the process, and whether it holds what it is to hold.
pid_of() { hexdump -n 4 -e '1/4 "%d"' "$1" 2>/dev/null; }
ready() {
  local since
  since=$(hexdump -s 8 -n 8 -e '2/4 "%x"' "$1" 2>/dev/null)
  [ -n "$since" ] && [ "$since" != 00 ]
}
lives() { [ -d "/proc/$1" ] && ! grep -q '^State:	Z' "/proc/$1/status" 2>/dev/null; }

manifest() { # manifest NAME RESOURCES ARGUMENT...
  local name=$1 resources=$2
  shift 2
  printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  restartPolicy: Never\n' "$name"
  printf '  containers:\n  - name: c\n    command: [%s/measure_hog' "$here"
  for argument; do printf ', "%s"' "$argument"; done
  printf ']\n%s' "$resources"
}

oom_kills() { awk '$1 == "oom_kill" { print $2 }' /proc/vmstat; }
available() { awk '$1 == "MemAvailable:" { printf "%d\n", $2 / 1024 }' /proc/meminfo; }

# group PATH SCORE COMMAND...: runs it as a pod would be run, without an agent.
group() {
  local path=$1 score=$2
  shift 2
  mkdir -p "$groups/$path"
  (
    sh -c 'echo $PPID' >"$groups/$path/cgroup.procs"
    sh -c 'echo "$0" >/proc/$PPID/oom_score_adj' "$score"
    exec "$@"
  ) &
}

start_jettison() { # start_jettison FOLDER
  mkdir -p "$1/pods"
  manifest guaranteed '    resources: {limits: {cpu: 100m, memory: 160Mi}}
' "$1/guaranteed" 64 >"$1/pods/guaranteed.yaml"
  manifest growing '' "$1/growing" $hold "$1/gate" "$rate" $total >"$1/pods/growing.yaml"
  cat >"$1/config.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: $1/pods
evictionHard: {memory.available: ${threshold}Mi}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: $1/root
nodeFs: /
END
  $here/jettison run --stop-pods --config "$1/config.yaml" 2>"$1/log" &
  agent_pid=$!
}

start_others() { # start_others FOLDER
  echo '+memory' >$groups/cgroup.subtree_control
  mkdir -p $groups/race && echo '+memory' >$groups/race/cgroup.subtree_control
  group race/guaranteed -997 $here/measure_hog "$1/guaranteed" 64
  group race/growing 1000 $here/measure_hog "$1/growing" $hold "$1/gate" "$rate" $total
  case $agent in
    earlyoom) $here/earlyoom -r 0 -M $((threshold * 1024)) -s 100 >"$1/log" 2>&1 & agent_pid=$! ;;
    systemd-oomd)
      $here/measure_oomd_manager /race >"$1/manager" 2>&1 & manager_pid=$!
      while [ ! -S /run/systemd/io.system.ManagedOOM ]; do usleep 10000; done
      mkdir -p /etc/systemd /run/systemd/oom && cp $here/oomd.conf /etc/systemd/oomd.conf
      $here/systemd-oomd >"$1/log" 2>&1 & agent_pid=$! ;;
    *) sleep 1000000 & agent_pid=$! ;;
  esac
}

one_run() { # one_run NUMBER
  local folder=/tmp/race-$1 before lowest=999999 seen began growing guaranteed by alive
  mkdir -p "$folder"
  before=$(oom_kills)
  manager_pid=
  if [ "$agent" = jettison ]; then start_jettison "$folder"; else start_others "$folder"; fi
  began=$(now_ms)
  until ready "$folder/guaranteed" && ready "$folder/growing"; do
    usleep 20000
    [ $(($(now_ms) - began)) -lt 60000 ] || { echo "the pods did not start"; cat "$folder/log"; exit 1; }
  done
  [ "$agent" = jettison ] || sleep 1
  growing=$(pid_of "$folder/growing") guaranteed=$(pid_of "$folder/guaranteed")
  began=$(now_ms)
  touch "$folder/gate"
  while lives "$growing" && lives "$guaranteed" && [ $(($(now_ms) - began)) -lt 120000 ]; do
    seen=$(available)
    [ "$seen" -ge "$lowest" ] || lowest=$seen
    usleep 20000
  done
  local took=$(($(now_ms) - began))
  if [ "$(oom_kills)" != "$before" ]; then by=kernel
  elif lives "$growing"; then by=nobody
  else by=agent; fi
  if lives "$guaranteed"; then alive=alive; else alive=dead; fi
  echo "run $1: by=$by guaranteed=$alive lowest=$lowest ms=$took"
  kill "$agent_pid" $manager_pid 2>/dev/null
  [ "$agent" = jettison ] && wait "$agent_pid"
  kill -9 "$growing" "$guaranteed" 2>/dev/null
  while lives "$growing" || lives "$guaranteed"; do usleep 10000; done
  rm -rf "$folder"
}

number=0
while [ $number -lt "$runs" ]; do
  number=$((number + 1))
  one_run $number
done
