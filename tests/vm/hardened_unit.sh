#!/bin/sh
# The unit of systemd as it is installed: what it takes away, the agent does not need. A foreign container leaks
# memory, and is evicted. With the drop-in for pods of its own a pod may do what it may on the host.
# usage: hardened_unit.sh, beside jettison, jettison-shim, the unit and the drop-in, with systemd and containerd
set -u
unit=/run/systemd/system/jettison.service
log=/var/log/jettison.log

. "$(dirname "$0")/checks.sh"

has() { # has PATTERN: whether the agent's log does
  grep -q "$1" "$log"
}

# There is no journal here. What `doctor` says under the unit is what the agent would find.
mkdir -p /etc/jettison/pods /var/log /var/lib "$unit.d"
sed -e 's|@JETTISON_BIN@|/test|; s|@JETTISON_DOCS@|/test|' -e '/^After=/d' /test/jettison.service.in >"$unit"
cat >"$unit.d/here.conf" <<END
[Unit]
DefaultDependencies=no
[Service]
StandardError=append:$log
ReadWritePaths=/var/log
END
cat >/etc/jettison/jettison.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 150Mi}
evictionPressureTransitionPeriod: 1s
enforceNodeAllocatable: [none]
kernelMemcgNotification: true
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: cri
adopt: evict
monitoringInterval: 1s
END
cat >/run/systemd/system/doctor.service <<END
$(sed -e 's|^ExecStart=.*|ExecStart=/test/jettison doctor --config /etc/jettison/jettison.yaml|' \
  -e 's/^Type=.*/Type=oneshot/' -e '/^Restart/d' -e '/^WatchdogSec/d' "$unit")
[Unit]
DefaultDependencies=no
[Service]
StandardOutput=file:/tmp/doctor
RuntimeDirectory=
END
containerd >/tmp/containerd.log 2>&1 &
expect "containerd answers" await 120 ctr version
systemctl daemon-reload
systemctl start doctor
expect "doctor finds nothing missing under the unit" grep -q '^This host is ready' /tmp/doctor
for row in 'making groups' 'pressure triggers' 'changes on disk' 'memory lock'; do
  expect "under the unit there is $row" grep -q "^ok  *$row" /tmp/doctor
done

# A foreign container; /test is there in its root, too.
root=/tmp/rootfs
mkdir -p $root/test $root/tmp
(cd / && tar -cf - bin lib lib64 usr test 2>/dev/null) | tar -xf - -C $root
expect "the agent starts" systemctl start jettison
agent=$(systemctl show --property MainPID --value jettison)
expect "it is confined" grep -q '^NoNewPrivs:.1' "/proc/$agent/status"
expect "by a filter of system calls" grep -q '^Seccomp:.2' "/proc/$agent/status"
expect "and its root is read-only" grep -q ' / / ro,' "/proc/$agent/mountinfo"
expect "its loop is real-time" sh -c "cut -d' ' -f41 /proc/$agent/stat | grep -qx 1"
ctr run --detach --rootfs $root theirs /test/jettison workload leak --rate 40 --total 900 >/tmp/ctr 2>&1
expect "a foreign container runs" await 60 sh -c 'ctr task ls | grep -q RUNNING'
expect "it is evicted" await 180 has 'pod is evicted successfully.*theirs'
expect "and ends" await 60 sh -c '! ctr task ls | grep -q RUNNING'
systemctl stop jettison

# An agent with pods of its own.
cat /test/runs-pods.conf >"$unit.d/runs-pods.conf"
cat >/etc/jettison/jettison.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: /etc/jettison/pods
evictionPressureTransitionPeriod: 1s
END
cat >/etc/jettison/pods/own.yaml <<END
apiVersion: v1
kind: Pod
metadata: {name: own, uid: uid-of-own}
spec:
  containers:
  - name: main
    command: [/bin/sh, -c]
    args: ["mkdir /cache/within && cp /proc/self/status /etc/by-pod; sleep 1000"]
    volumeMounts: [{name: cache, mountPath: /cache}]
  volumes: [{name: cache, emptyDir: {medium: Memory}}]
END
systemctl daemon-reload
expect "the agent starts with the drop-in" systemctl start jettison
expect "its pod writes to the host" await 60 grep -q '^Seccomp:.0' /etc/by-pod
expect "and may acquire rights" grep -q '^NoNewPrivs:.0' /etc/by-pod
expect "and has every capability" sh -c 'a=$(grep CapBnd /proc/1/status); grep -qx "$a" /etc/by-pod'
pod=$(cat /sys/fs/cgroup/kubepods/besteffort/poduid-of-own/main/cgroup.procs | head -n 1)
systemctl stop jettison
expect "the pod goes on without the agent" test -d "/proc/$pod"
[ $failed -eq 0 ] || tail -n 40 $log /tmp/ctr
exit $failed
