#!/bin/busybox sh
# usage: crowd.sh RATE_MIB_S RUNS COUNT
#
# In a machine of cgroup v2 with two processors, one agent guards COUNT idle pods and a guaranteed one. RUNS times a
# best-effort pod grows beside them by RATE until the agent evicts it, before the eyes of a witness (watch.cc). The machine
# has room for all these pods, so the threshold is raised once they run, to LEFT less than what is available then: a pod need
# not grow for long. One line a run: "run N: {...}", with what the witness printed.
rate=$1 runs=$2 count=$3
left=200 most=900
folder=/tmp/crowd
. /test/machine.sh

# What is left of the machine's memory as the agent counts it, in MiB.
available() {
  awk '$1 == "MemTotal:" { left += $2 * 1024 }
       $1 == "anon" || $1 == "file" { left -= $2 }
       $1 == "inactive_file" { left += $2 }
       END { printf "%d\n", left / 1048576 }' /proc/meminfo $groups/memory.stat
}

configure() { # configure THRESHOLD_MIB
  cat >$folder/config.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: $folder/pods
evictionHard: {memory.available: ${1}Mi}
evictionPressureTransitionPeriod: 1s
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: $folder/root
nodeFs: /
END
}

fail() {
  echo "$1"
  if [ "${waiting:-0}" -gt 0 ]; then
    echo "idle-$waiting is not ready: $(hexdump -n 24 -e '6/4 " %x"' $folder/idle-$waiting 2>&1)"
    grep "[=/]idle-$waiting " $folder/log
    echo "started: $(grep -c 'reason=Started' $folder/log), processes: $(ls -d /proc/[0-9]* | wc -l)"
  fi
  grep -v 'level=info' $folder/log | tail -n 20
  exit 1
}

await() { # await WHAT COMMAND...: for ten minutes at most
  local what=$1 began
  shift
  began=$(now_ms)
  until "$@"; do
    usleep 20000
    [ $(($(now_ms) - began)) -lt 600000 ] || fail "$what: not in time"
  done
}

# A manifest appears as a whole.
put() { # put NAME ARGUMENT...
  manifest "$@" >$folder/unfinished
  mv $folder/unfinished "$folder/pods/$1.yaml"
}

idle_pods() {
  local number=0
  while [ $number -lt "$count" ]; do
    number=$((number + 1))
    manifest idle-$number '' $folder/idle-$number 0
    echo ---
  done
}

all_ready() {
  while [ "$waiting" -gt 0 ]; do
    ready $folder/idle-$waiting || return
    waiting=$((waiting - 1))
  done
  ready $folder/guaranteed
}

gone() { ! lives "$1"; }
evicted() { grep -q "pod is evicted successfully.*pod=default/$1 " $folder/log; }
none_is_ending() { [ "$(grep -c 'pods were cleaned up' $folder/log)" -ge "$1" ]; }

one_run() { # one_run NUMBER
  local name=growing-$1
  put "$name" '' "$folder/$name" 0 "$folder/$name.gate" "$rate" $most
  await "the start of $name" ready "$folder/$name"
  sleep 2
  watch_growth "$folder/$name.gate" "$folder/$name" $((threshold * 1048576)) "$folder/seen"
  await "the end of $name" gone "$(pid_of "$folder/$name")"
  wait $witness_pid
  echo "run $1: $(cat $folder/seen)"
  await "the clean-up of $name" none_is_ending "$1"
  rm "$folder/pods/$name.yaml"
  [ "$(grep -c 'pod is evicted successfully' $folder/log)" = "$1" ] || fail "other pods were evicted, too"
}

mkdir -p $folder/pods
configure 100
put guaranteed '    resources: {limits: {cpu: 100m, memory: 160Mi}}
' $folder/guaranteed 64
idle_pods >$folder/unfinished
mv $folder/unfinished $folder/pods/idle.yaml
ulimit -n 65536 # the kernel gives the first process 4096, and a service has 524288
/test/jettison run --config $folder/config.yaml 2>$folder/log &
agent_pid=$!
waiting=$count
await "the start of the pods" all_ready
sleep 15
threshold=$(($(available) - left))
configure $threshold
kill -HUP $agent_pid
sleep 5
echo "crowd: $count idle pods, threshold $threshold MiB after $(($(now_ms) / 1000)) s"
number=0
while [ $number -lt "$runs" ]; do
  number=$((number + 1))
  one_run $number
done
