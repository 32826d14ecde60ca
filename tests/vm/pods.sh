# Sourced by the scripts that run pods in a machine. A pod has the UID uid-of-NAME and runs a workload of this program, or what
# the script sets `program` to.
mkdir -p /tmp/manifests
log=/tmp/agent.log

configure() { # configure THRESHOLD...: a node that is back soon after an eviction
  cat >/tmp/config.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: /tmp/manifests
evictionHard: {$*}
evictionPressureTransitionPeriod: 1s
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: /tmp/node
evictionBackoff: {initial: 1s, max: 1s}
monitoringInterval: 1s
END
}

ends_well() { # the agent ends when it is told to; the log is shown if anything failed
  kill $agent
  wait $agent
  expect "the agent ends well" test $? -eq 0
  [ $failed -eq 0 ] || tail -n 40 $log
}

program="/test/jettison, workload"

pod() { # pod NAME RESOURCES WORKLOAD...
  name=$1
  resources=$2
  shift 2
  cat >/tmp/manifests/"$name".yaml <<END
apiVersion: v1
kind: Pod
metadata: {name: $name, uid: uid-of-$name}
spec:
  terminationGracePeriodSeconds: 2
  containers:
  - name: main
    command: [$program]
    args: [$(echo "$*" | sed 's/ /, /g; s/\([0-9][0-9]*\)/"\1"/g')]
    resources: $resources
END
}

# run_out POD WORKLOAD...: a pod that takes something without end is evicted, as often as this is called for it.
run_out() {
  victim=$1
  shift
  before=$(grep -c "evicted successfully.*$victim" $log)
  pod "$victim" "{}" "$@"
  expect "$victim is evicted" await 120 sh -c "[ \$(grep -c 'evicted successfully.*$victim' $log) -gt $before ]"
  rm -f /tmp/manifests/"$victim".yaml
  expect "its group goes" await 60 test ! -e "$pods/besteffort/poduid-of-$victim"
}

# only_evicted PATTERN: no other pod was evicted, and the kernel killed nobody.
only_evicted() {
  expect "nobody else is evicted" sh -c "! grep 'evicted successfully' $log | grep -vE '$1'"
  expect "the kernel killed nobody" grep -qx 'oom_kill 0' /proc/vmstat
}
