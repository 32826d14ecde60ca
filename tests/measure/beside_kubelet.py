#!/usr/bin/env python3
"""beside_kubelet.py BUILD [--bed DIR] [--rate R] [--runs N] [--idle-seconds S] [--check]

Measures the agent beside a real kubelet, on a control plane of its own (DIR holds up.sh, down.sh and
agent.sh). The bed's groups are a node of 1 GiB with a threshold of 128 MiB.

  growth   A best-effort pod of a Deployment grows from nothing, from the moment at which it starts,
           beside a burstable pod over its request, one under it, a guaranteed one and an idle
           best-effort one. From crossing the threshold to the signal and to the end of the process,
           who was evicted, whether anything of it ran again, and what is left of it in the cluster.
  idle     Memory, CPU time and wake-ups of the agent afterwards.

Prints tables in Markdown. With --check the exit status is 1 when a bound is missed. Needs root. BUILD
holds jettison and the target measure_programs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import meter
from node import MIB, Report, wait_for

CAPACITY, THRESHOLD = 1024 * MIB, 128 * MIB  # the kubelet of the bed has 100 MiB
RATES = (200, 800)
SIGNAL_MS, WORST_SIGNAL_MS, END_MS, RSS_MIB = 1.0, 5.0, 400.0, 20.0
MAY_TAINT = {
    "apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "may-taint"},
         "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "may-taint"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "may-taint"},
         "subjects": [{"kind": "ServiceAccount", "name": "jettison", "namespace": "jettison-system"}]}]}


class Bed:
    """A control plane with one node, whose groups are limited to CAPACITY; gone with it."""

    def __init__(self, bed, build):
        self.bed, self.build = pathlib.Path(bed).resolve(), pathlib.Path(build).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jettison-bed-", dir="/var/tmp"))
        self.agent = None
        self.log = self.folder / "agent.log"

    def __enter__(self):
        for script in ("up.sh", "agent.sh"):
            subprocess.run([self.bed / script, self.folder], check=True, capture_output=True)
        settings = dict(line.split("=", 1) for line in (self.folder / "settings").read_text().splitlines())
        self.group = settings["CGROUP"]
        self.memory_group = pathlib.Path("/sys/fs/cgroup/memory", self.group)
        (self.memory_group / "memory.limit_in_bytes").write_text(str(CAPACITY))
        self.shared = self.folder / "measured"  # seen by the pods at the same place
        self.shared.mkdir()
        shutil.copy(self.build / "measure/measure_hog", self.shared)
        self.apply(MAY_TAINT)
        return self

    def __exit__(self, *_):
        if self.agent:
            self.agent.terminate()
            self.agent.wait(20)
        subprocess.run([self.bed / "down.sh", self.folder, "--purge"], check=False, capture_output=True)

    def kubectl(self, *arguments, text=None):
        return subprocess.run([self.folder / "kubectl", *arguments], input=text, capture_output=True, text=True,
                              check=True).stdout

    def apply(self, manifest):
        self.kubectl("apply", "-f", "-", text=json.dumps(manifest))

    def deploy(self, name, hold_mib, requests=None, limits=None, growth=None):
        report = Report(self.shared / f"{name}.report")
        command = [f"{self.shared}/measure_hog", str(report.path), str(hold_mib)]
        if growth:
            command += [f"{self.shared}/{name}.gate", *map(str, growth)]
        container = {"name": "hog", "image": "bed.local/app:1", "command": command,
                     "resources": {"requests": requests or {}, "limits": limits or {}},
                     "volumeMounts": [{"name": "shared", "mountPath": str(self.shared)}]}
        spec = {"hostNetwork": True, "hostPID": True, "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 5, "containers": [container],
                "volumes": [{"name": "shared", "hostPath": {"path": str(self.shared)}}]}
        labels = {"app": name}
        self.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
                    "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                             "template": {"metadata": {"labels": labels}, "spec": spec}}})
        return report

    def start_agent(self):
        (self.folder / "agent.yaml").write_text(f"""\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupRoot: /
kernelMemcgNotification: true
evictionHard: {{memory.available: "{THRESHOLD}"}}
evictionPressureTransitionPeriod: 1s
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
source: kubernetes
nodeName: bed
nodeCgroup: /{self.group}
root: {self.folder}/agent
http: {{socket: {self.folder}/agent.sock}}
kubernetes:
  kubeconfig: {self.folder}/agent.kubeconfig
  kubeletDirectory: {self.folder}/kubelet
  kubeletConfiguration: {self.folder}/conf/kubelet.yaml
""")
        with open(self.log, "wb") as log:
            self.agent = subprocess.Popen([self.build / "jettison", "run", "--config", self.folder / "agent.yaml"],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(lambda: b"agent is ready" in self.log.read_bytes() or self.agent.poll(), "the start of the agent")
        if self.agent.poll():
            sys.exit(f"beside_kubelet.py: the agent did not start:\n{self.log.read_text()}")

    def evicted(self):
        """Names of the Deployments whose pods were evicted, one for each time."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if "evicted successfully" in line]
        return [line.split("pod=default/")[1].split()[0].rsplit("-", 2)[0] for line in lines]

    def tainted(self):
        return "jettison.io" in self.kubectl("get", "node", "bed", "-o", "jsonpath={.spec.taints}")


def neighbours(bed):
    cpu = {"cpu": "10m"}
    return [bed.deploy("over", 100, requests={"memory": "50Mi"}), bed.deploy("under", 100, requests={"memory": "200Mi"}),
            bed.deploy("guaranteed", 100, requests={"memory": "200Mi"} | cpu, limits={"memory": "200Mi"} | cpu),
            bed.deploy("idle", 5)]


def grow_once(bed, rate, number):
    """One run: what the watcher saw, and what became of the pod."""
    name = f"hog{rate}x{number}"
    before = len(bed.evicted())
    report = Report(bed.shared / f"{name}.report")
    report.path.write_bytes(bytes(24))
    watch = subprocess.Popen(
        [bed.build / "measure/measure_watch", bed.memory_group, str(CAPACITY), str(THRESHOLD), report.path,
         f"{bed.shared}/{name}.gate", "200", "60"], stdout=subprocess.PIPE, text=True)
    bed.deploy(name, 0, growth=(rate, 3000))
    wait_for(lambda: report.signal_ns or watch.poll() is not None, "the signal", seconds=70)
    pid = report.pid
    wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the process", seconds=20, interval=0.0005)
    ended_ns = time.monotonic_ns()
    seen = json.loads(watch.communicate()[0])
    time.sleep(1.5)  # whoever would start it again has done so by then
    seen["again"] = report.pid != pid and os.path.exists(f"/proc/{report.pid}")
    seen["endMs"] = (ended_ns - seen["crossedNs"]) / 1e6 if seen["crossedNs"] else None
    seen["others"] = [victim for victim in bed.evicted()[before:] if victim != name]
    seen["evictions"] = bed.evicted()[before:].count(name)
    seen["failedObjects"] = bed.kubectl("get", "pods", "--field-selector=status.phase=Failed", "-o", "name").count("pod/")
    bed.kubectl("delete", "deployment", name)
    wait_for(lambda: not bed.kubectl("get", "pods", "-l", f"app={name}", "-o", "name"), "the end of its pods", interval=0.2)
    wait_for(lambda: not bed.tainted(), "the end of the taint", interval=0.2)
    return seen


def measure_growth(bed, rates, runs, faults):
    print("| growth (MiB/s) | runs | only the growing pod evicted | crossing to signal: median, worst (ms) "
          "| crossing to the end: median, worst (ms) | ran again | Failed objects left |\n| --- | --- | --- | --- | --- | --- | --- |")
    for rate in rates:
        seen = [grow_once(bed, rate, number) for number in range(runs)]
        right = sum(run["evictions"] == 1 and not run["others"] for run in seen)
        signals = sorted(run["latencyMs"] for run in seen if run["latencyMs"] is not None)
        ends = sorted(run["endMs"] for run in seen if run["endMs"] is not None)
        again = sum(run["again"] for run in seen)
        failed = max(run["failedObjects"] for run in seen)
        print(f"| {rate} | {runs} | {right} | {statistics.median(signals):.2f}, {signals[-1]:.2f} | "
              f"{statistics.median(ends):.0f}, {ends[-1]:.0f} | {again} | {failed} |", flush=True)
        for missed, what in ((right < runs, f"the right pod alone in {right} of {runs} runs"),
                             (statistics.median(signals) > SIGNAL_MS, f"to the signal {statistics.median(signals):.2f} ms"),
                             (signals[-1] > WORST_SIGNAL_MS, f"to the signal {signals[-1]:.2f} ms at worst"),
                             (statistics.median(ends) > END_MS, f"to the end {statistics.median(ends):.0f} ms"),
                             (again, f"{again} ran again"), (failed, f"{failed} Failed objects")):
            if missed:
                faults.append(f"{rate} MiB/s: {what}")


def measure_idle(bed, seconds, faults):
    cost = meter.measure(bed.agent.pid, seconds)
    print("\n| beside an idle kubelet | resident (MiB) | private (MiB) | CPU (% of one) | wake-ups/s | threads | descriptors |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    print(f"| {cost.seconds:g} s | {cost.rss_kib / 1024:.1f} | {cost.private_kib / 1024:.1f} | {cost.cpu_percent:.3f} | "
          f"{cost.wakeups_per_s:.2f} | {cost.threads} | {cost.descriptors} |\n")
    if cost.rss_kib / 1024 > RSS_MIB:
        faults.append(f"idle: {cost.rss_kib / 1024:.1f} MiB resident, allowed {RSS_MIB:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--bed", default=os.environ.get("JETTISON_KUBERNETES_BED", "../shared/testbed/kubernetes"))
    parser.add_argument("--rate", type=int, action="append", help="MiB a second; may be given again")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("beside_kubelet.py: control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("beside_kubelet.py: ended"))  # so that nothing is left behind
    faults = []
    with contextlib.ExitStack() as stack:
        bed = stack.enter_context(Bed(options.bed, options.build))
        others = neighbours(bed)
        for report in others:
            wait_for(lambda report=report: report.ready_ns, f"the start of {report.path.stem}", seconds=60)
        bed.start_agent()
        measure_growth(bed, options.rate or RATES, options.runs, faults)
        measure_idle(bed, options.idle_seconds, faults)
    for fault in faults:
        print(f"bound missed: {fault}")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
