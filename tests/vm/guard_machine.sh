#!/bin/sh
# `jettison run` on a whole machine with nothing but cgroup v2: a best-effort pod leaks memory beside a
# guaranteed one. It must be evicted before the kernel's OOM killer looks, and nobody else.
# usage: guard_machine.sh cgroupfs|systemd
set -u
driver=$1
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/pods.sh"

mkdir -p /sys/fs/cgroup/reserved
cat >/tmp/config.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: /tmp/manifests
evictionHard: {memory.available: 150Mi}
kernelMemcgNotification: true
cgroupDriver: $driver
kubeReserved: {memory: 32Mi}
kubeReservedCgroup: /reserved
enforceNodeAllocatable: [pods, kube-reserved]
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: /tmp/node
monitoringInterval: 1s
pressureHard: {memory.pressure.some.avg10: 20%}
END
pod guard "{requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 100m, memory: 64Mi}}" \
  hold --total 40
pod leaker "{}" leak --rate 20 --total 450

case $driver in
  cgroupfs)
    pods=/sys/fs/cgroup/kubepods
    guard=$pods/poduid-of-guard/main
    leaker=$pods/besteffort/poduid-of-leaker
    ;;
  systemd)
    pods=/sys/fs/cgroup/kubepods.slice
    guard=$pods/kubepods-poduid_of_guard.slice/main.scope
    leaker=$pods/kubepods-besteffort.slice/kubepods-besteffort-poduid_of_leaker.slice
    ;;
esac

expect "the machine has what the agent needs" jettison doctor --config /tmp/config.yaml
expect "doctor says which version" sh -c 'jettison doctor | grep -q "memory controller.*cgroup v2"'

jettison run --stop-pods --config /tmp/config.yaml 2>$log &
agent=$!
expect "the guaranteed pod runs" await 120 grep -q . $guard/cgroup.procs
expect "it has its limit" grep -qx 67108864 $guard/memory.max
expect "all pods together have theirs" grep -q '^[0-9]' $pods/memory.max
expect "what is reserved is enforced" grep -qx 33554432 /sys/fs/cgroup/reserved/memory.max
limit=$(cat $pods/memory.max)
echo max >$pods/memory.max
expect "a limit that somebody changed is set again" await 60 grep -qx "$limit" $pods/memory.max
expect "and that is told" await 10 grep -q 'changed by somebody else.*kubepods' $log
for group in $pods "${leaker%/*}"; do
  weight=$(cat "$group/cpu.weight")
  echo 77 >"$group/cpu.weight"
  expect "so is a share of the CPU" await 60 grep -qx "$weight" "$group/cpu.weight"
done
expect "who leaks is evicted" await 180 grep -q 'pod is evicted successfully.*leaker' $log
expect "its group goes" await 60 test ! -e $leaker
expect "nobody else is evicted" sh -c "! grep 'pod is evicted successfully' $log | grep -v leaker"
expect "the guaranteed pod still runs" grep -q . $guard/cgroup.procs
expect "the kernel killed nobody" grep -qx 'oom_kill 0' $pods/memory.events
rm -f /tmp/manifests/leaker.yaml
if [ "$driver" = cgroupfs ]; then
  # A pod that may not have what it wants: it waits, and so some task of the machine does.
  pod stuck "{requests: {memory: 1Mi}}" leak --rate 4 --total 200
  stuck=$pods/burstable/poduid-of-stuck
  expect "who is to wait runs" await 120 grep -q . "$stuck/main/cgroup.procs"
  echo 8M >"$stuck/memory.high"
  expect "who waits for memory is evicted" await 120 grep -q 'evicted successfully.*stuck' $log
  expect "for pressure" grep -q 'resource: memory. Threshold: 20%, memory.pressure.some' $log
  rm -f /tmp/manifests/stuck.yaml
fi
ends_well
expect "it leaves no pod behind" test ! -e "${guard%/*}"
exit $failed
