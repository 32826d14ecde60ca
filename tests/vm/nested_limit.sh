#!/bin/sh
# `jettison run` on a machine that is a container: the root of the control groups that it sees has limits, while
# /proc is its host's. A pod that leaks memory, and one that takes process ids, must be evicted before the kernel
# acts for these limits, and nobody else.
# usage: nested_limit.sh [TIMES]
set -u
container=/sys/fs/cgroup/container
pods=$container/kubepods
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/pods.sh"

configure "memory.available: 50Mi, pid.available: 60%"
# Its own processes are in a group below its root, as a service manager has them.
echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p $container/init
echo 200M >$container/memory.max
echo 250 >$container/pids.max
cat >/tmp/inside.sh <<'END'
umount /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo 0 >/sys/fs/cgroup/init/cgroup.procs
exec jettison "$@"
END

pod guard "{requests: {cpu: 100m, memory: 32Mi}, limits: {cpu: 100m, memory: 32Mi}}" hold --total 20
(
  echo 0 >$container/cgroup.procs
  exec /test/unshare -C -m sh /tmp/inside.sh run --stop-pods --config /tmp/config.yaml
) 2>$log &
agent=$!
expect "the guaranteed pod runs" await 120 grep -q . $pods/poduid-of-guard/main/cgroup.procs
expect "the capacity is that of the container" await 30 sh -c "jettison status | grep 'memory.available *[0-9.]* MiB *200 MiB'"
expect "that of process ids, too" await 10 sh -c "jettison status | grep 'pid.available *[0-9]* *250'"
expect "doctor knows its limit" sh -c "/test/nsenter -t $agent -C -m jettison doctor | grep 'node cgroup.*209715200'"
for run in $(seq "${1:-1}"); do
  run_out leaker leak --rate 15 --total 450
  run_out forker fork --rate 20 --total 400
done
only_evicted 'leaker|forker'
expect "the kernel refused no process" grep -qx 'max 0' $container/pids.events
expect "the guaranteed pod still runs" grep -q . $pods/poduid-of-guard/main/cgroup.procs
ends_well
grep 'evicted successfully' $log | cut -c1-250
exit $failed
