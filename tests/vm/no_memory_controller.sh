#!/bin/sh
# `jettison run` on a machine without a memory controller, as a Raspberry Pi has none unless it is told to: a pod
# that takes process ids is evicted, and the program says that memory is not guarded, and how to boot.
# usage: no_memory_controller.sh [TIMES]
set -u
pods=/sys/fs/cgroup/kubepods
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/pods.sh"

configure "memory.available: 50Mi, pid.available: 70%"
# Ids below 300 are given once only, so that a lower maximum leaves nothing to take.
echo 1000 >/proc/sys/kernel/pid_max

expect "there is no memory controller" sh -c "! grep -q memory /sys/fs/cgroup/cgroup.controllers"
expect "doctor says how to boot" sh -c 'jettison doctor | grep -q "cgroup_enable=memory.*cmdline.txt"'
pod guard "{requests: {cpu: 100m}}" hold --total 20
jettison run --stop-pods --config /tmp/config.yaml 2>$log &
agent=$!
expect "a pod runs" await 120 grep -q . $pods/burstable/poduid-of-guard/main/cgroup.procs
expect "the log says what is not guarded" grep -q 'no pod is evicted for memory.*cgroup_enable=memory' $log
expect "so does status" sh -c "jettison status | grep 'memory.available *-  *-'"
expect "process ids are watched" await 10 sh -c "jettison status | grep 'pid.available *[0-9]* *1000'"
for run in $(seq "${1:-1}"); do run_out forker fork --rate 40 --total 800; done
only_evicted forker
expect "the other pod still runs" grep -q . $pods/burstable/poduid-of-guard/main/cgroup.procs
ends_well
exit $failed
