#!/bin/sh
# The life of the package in a fresh Debian under its own systemd: installed it guards at once and evicts nothing; a pod
# of the agent runs on, untouched, through an upgrade, a downgrade, a removal, another installation and a purge.
# usage: package_life.sh PACKAGE NEWER, files beside it
set -u
here=$(dirname "$0")
package=$here/$1
newer=$here/$2
export DEBIAN_FRONTEND=noninteractive

. "$(dirname "$0")/checks.sh"

pids_of() { # pids_of NAME: of programs
  grep -l -x "$1" /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3
}
is_there() { [ -n "$(pids_of "$1")" ]; }
is_gone() { ! is_there "$1"; }
main_pid() { systemctl show -p MainPID --value jettison; }
is_active() { [ "$(systemctl is-active jettison)" = active ]; }
answers() { jettison status; }
runs() { # runs PID: the pod's process, the same as before
  grep -q -x tail "/proc/$1/comm"
}
# An agent other than the one before, that has found the pod and not started it anew.
took_over() { # took_over PID
  [ "$(main_pid)" != "$1" ] && jettison status | grep -q '1 running'
}
inodes() { find /var/lib/jettison/pods -type f -printf '%i %p\n' | sort; }

expect "it is installed" dpkg -i "$package"
cp /tmp/out /tmp/said
expect "it says what comes next" grep -q 'observes this host and evicts nothing yet' /tmp/said
expect "it is guarding at once" await 60 is_active
expect "and answers" await 60 answers
expect "it evicts nothing" sh -c 'jettison check-config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d | grep "dry run  *yes"'
expect "it will be there after a boot" systemctl is-enabled jettison

# A pod of its own, by drop-ins alone.
mkdir -p /etc/jettison/pods /etc/systemd/system/jettison.service.d
ln -s /usr/lib/jettison/runs-pods.conf /etc/systemd/system/jettison.service.d/
cat >/etc/jettison/conf.d/10-pods.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: /etc/jettison/pods
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: process
adopt: null
dryRun: false
END
cat >/etc/jettison/pods/quiet.yaml <<END
apiVersion: v1
kind: Pod
metadata: {name: quiet, namespace: default}
spec:
  containers: [{name: main, command: [/usr/bin/tail, -f, /dev/null]}]
END
systemctl daemon-reload
expect "it takes the drop-ins" systemctl restart jettison
expect "its pod runs" await 60 is_there tail
pod=$(pids_of tail)

agent=$(main_pid)
expect "an upgrade" dpkg -i "$newer"
expect "after it another agent has the pod" await 60 took_over "$agent"
expect "which was not touched" runs "$pod"
agent=$(main_pid)
expect "a downgrade" dpkg -i "$package"
expect "after it another agent has the pod" await 60 took_over "$agent"
expect "which was not touched" runs "$pod"
inodes >/tmp/before
expect "a removal" dpkg -r jettison
expect "after it no agent runs" is_gone jettison
expect "the pod was not touched" runs "$pod"
expect "its files are there" sh -c "find /var/lib/jettison/pods -type f -printf '%i %p\n' | sort | cmp - /tmp/before"
expect "the configuration is there" test -e /etc/jettison/conf.d/10-pods.yaml
expect "another installation" dpkg -i "$package"
expect "after it an agent has the pod" await 60 took_over 0
expect "which was not touched" runs "$pod"
expect "a purge" dpkg -P jettison
cp /tmp/out /tmp/said
expect "which says what it leaves" grep -q 'is left as it is' /tmp/said
expect "after it no agent runs" is_gone jettison
expect "the pod was not touched" runs "$pod"
exit $failed
