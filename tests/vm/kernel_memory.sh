#!/bin/sh
# `jettison run` on a whole machine whose kernel holds much of the memory: a zram swap with the idle memory of
# a pod. Then a best-effort pod leaks, others take pipe buffers, page tables and slab. Each must be evicted before the
# kernel's OOM killer looks, and nobody else.
# usage: kernel_memory.sh [TIMES]
set -u
pods=/sys/fs/cgroup/kubepods
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/pods.sh"

configure "memory.available: 50Mi"
echo 300M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0

pod idle "{requests: {memory: 250Mi}}" fill --path /dev/shm/idle --total 190
pod guard "{requests: {cpu: 100m, memory: 32Mi}, limits: {cpu: 100m, memory: 32Mi}}" hold --total 20
jettison run --stop-pods --config /tmp/config.yaml 2>$log &
agent=$!
idle=$pods/burstable/poduid-of-idle
expect "the idle pod has its memory" await 120 sh -c "[ \$(cat $idle/memory.current) -gt 190000000 ]"
echo 190M >$idle/memory.reclaim
expect "it is in the swap" sh -c "[ \$(cat $idle/memory.swap.current) -gt 150000000 ]"
for run in $(seq "${1:-1}"); do
  program="/test/jettison, workload"
  run_out leaker leak --rate 15 --total 450
  program=/test/jettison-test-program
  for kind in pipe table slab; do run_out $kind-taker $kind-hog 450 30; done
done
only_evicted 'leaker|-taker'
expect "the guaranteed pod still runs" grep -q . $pods/poduid-of-guard/main/cgroup.procs
expect "the idle one, too" grep -q . $idle/main/cgroup.procs
ends_well
grep 'evicted successfully' $log | cut -c1-300
exit $failed
