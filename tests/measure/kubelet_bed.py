"""A control plane with one node, a kubelet and Jettison's agent beside it, for one measurement."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from node import MIB, Report, wait_for

CAPACITY, THRESHOLD = 1024 * MIB, 128 * MIB  # the kubelet of the bed has 100 MiB
AGENT = "system:serviceaccount:jettison-system:jettison"
LAST_LINES = 40  # of the agent's log, when the bed does not come up to something
MAY_TAINT = {
    "apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "may-taint"},
         "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "may-taint"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "may-taint"},
         "subjects": [{"kind": "ServiceAccount", "name": "jettison", "namespace": "jettison-system"}]}]}
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
         "rules": [{"level": "Metadata", "users": [AGENT]}, {"level": "None"}]}  # whatever the agent asks for


class Bed:
    """`kubelet` replaces keys of the kubelet's configuration. The agent's group is a node of `capacity` and its threshold
    THRESHOLD."""

    def __init__(self, bed, build, kubelet=None, capacity=CAPACITY, notified=True):
        self.capacity, self.notified = capacity, notified
        self.bed, self.build = pathlib.Path(bed).resolve(), pathlib.Path(build).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jettison-bed-", dir="/var/tmp"))
        self.log, self.socket, self.audit = (self.folder / name for name in ("agent.log", "agent.sock", "audit.log"))
        self.agent = None
        policy, extra = self.folder / "audit.yaml", self.folder / "kubelet-extra.yaml"
        policy.write_text(json.dumps(AUDIT))
        self.environment = os.environ | {
            "KBED_APISERVER_ARGS": f"--audit-policy-file={policy} --audit-log-path={self.audit}"}
        if kubelet:  # a key a line: the bed replaces keys by lines
            extra.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in kubelet.items()))
            self.environment["KBED_KUBELET_EXTRA"] = str(extra)

    def __enter__(self):
        try:
            self.start_missing()
            subprocess.run([self.bed / "agent.sh", self.folder], check=True, capture_output=True)
            settings = dict(line.split("=", 1) for line in (self.folder / "settings").read_text().splitlines())
            self.group = settings["CGROUP"]
            self.memory_group = pathlib.Path("/sys/fs/cgroup/memory", self.group)
            (self.memory_group / "memory.limit_in_bytes").write_text(str(self.capacity))
            self.shared = self.folder / "measured"  # seen by the pods at the same place
            self.shared.mkdir()
            shutil.copy(self.build / "measure/measure_hog", self.shared)
            self.apply(MAY_TAINT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.agent:
            self.agent.terminate()
            self.agent.wait(20)
            if told_to_end.is_set():
                print("The agent's last lines:", *self.logged().splitlines()[-LAST_LINES:], sep="\n", file=sys.stderr)
        subprocess.run([self.bed / "down.sh", self.folder, "--purge"], check=False, capture_output=True)

    def start_missing(self):
        subprocess.run([self.bed / "up.sh", self.folder], check=True, capture_output=True, env=self.environment)

    def kubectl(self, *arguments, text=None):
        return subprocess.run([self.folder / "kubectl", *arguments], input=text, capture_output=True, text=True,
                              check=True).stdout

    def apply(self, manifest):
        self.kubectl("apply", "-f", "-", text=json.dumps(manifest))

    def hog(self, name, hold_mib, requests=None, limits=None, growth=None):
        """The spec of a pod that holds memory, and its report. `growth`: (MiB a second, MiB in the end), from the
        moment on at which the gate is there."""
        report = Report(self.shared / f"{name}.report")
        command = [f"{self.shared}/measure_hog", str(report.path), str(hold_mib)]
        if growth:
            command += [str(self.gate(name)), *map(str, growth)]
        container = {"name": "hog", "image": "bed.local/app:1", "command": command,
                     "resources": {"requests": requests or {}, "limits": limits or {}},
                     "volumeMounts": [{"name": "shared", "mountPath": str(self.shared)}]}
        return report, {"hostNetwork": True, "hostPID": True, "automountServiceAccountToken": False,
                        "terminationGracePeriodSeconds": 5, "containers": [container],
                        "volumes": [{"name": "shared", "hostPath": {"path": str(self.shared)}}]}

    def gate(self, name):
        return self.shared / f"{name}.gate"

    def deploy(self, name, hold_mib, requests=None, limits=None, growth=None):
        report, spec = self.hog(name, hold_mib, requests, limits, growth)
        self.deploy_spec(name, spec)
        return report

    def deploy_spec(self, name, spec, replicas=1):
        labels = {"app": name}
        self.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
                    "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                             "template": {"metadata": {"labels": labels}, "spec": spec}}})

    def remove(self, name):
        """Removes a Deployment and waits until its pods are gone."""
        self.kubectl("delete", "deployment", name)
        wait_for(lambda: not self.kubectl("get", "pods", "-l", f"app={name}", "-o", "name"), "the end of its pods",
                 seconds=60, interval=0.2)

    def watch(self, name):
        """Opens the gate of a hog; a process that watches it until its signal."""
        report = Report(self.shared / f"{name}.report")
        if not report.path.exists():
            report.path.write_bytes(bytes(24))
        return subprocess.Popen(
            [self.build / "measure/measure_watch", self.memory_group, str(self.capacity), str(THRESHOLD), report.path,
             self.gate(name), "200", "60"], stdout=subprocess.PIPE, text=True)

    def failed_objects(self):
        """How many pods are Failed and stay: nobody has deleted them."""
        failed = json.loads(self.kubectl("get", "pods", "--field-selector=status.phase=Failed", "-o", "json"))["items"]
        return sum("deletionTimestamp" not in pod["metadata"] for pod in failed)

    def requests(self):
        """The API server's entries about the agent's requests, one each: when a watch begins, and when any other ends."""
        entries = map(json.loads, self.audit.read_text().splitlines()) if self.audit.exists() else ()
        return [entry for entry in entries
                if entry["stage"] == ("ResponseStarted" if entry["verb"] == "watch" else "ResponseComplete")]

    def start_agent(self):
        (self.folder / "agent.yaml").write_text(f"""\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupRoot: /
kernelMemcgNotification: {str(self.notified).lower()}
evictionHard: {{memory.available: "{THRESHOLD}"}}
evictionPressureTransitionPeriod: 1s
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
source: kubernetes
nodeName: bed
nodeCgroup: /{self.group}
root: {self.folder}/agent
http: {{socket: {self.socket}}}
kubernetes:
  kubeconfig: {self.folder}/agent.kubeconfig
  kubeletDirectory: {self.folder}/kubelet
  kubeletConfiguration: {self.folder}/conf/kubelet.yaml
""")
        with open(self.log, "wb") as log:
            self.agent = subprocess.Popen([self.build / "jettison", "run", "--config", self.folder / "agent.yaml"],
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(lambda: "agent is ready" in self.logged() or self.agent.poll() is not None, "the start of the agent")
        if self.agent.poll() is not None:
            sys.exit(f"beside_kubelet.py: the agent did not start:\n{self.logged()}")

    def logged(self):
        return self.log.read_text(errors="replace")

    def evicted(self):
        """Names of the Deployments whose pods were evicted, one for each eviction."""
        lines = [line for line in self.logged().splitlines() if "evicted successfully" in line]
        return [line.split("pod=default/")[1].split()[0].rsplit("-", 2)[0] for line in lines]

    def tainted(self):
        return "jettison.io" in self.kubectl("get", "node", "bed", "-o", "jsonpath={.spec.taints}")


told_to_end = threading.Event()  # set by `repeated`, so that nothing else is begun


def repeated(count, once):
    """What once(0), once(1), ... return. A series that is told to end, or in which the bed does not come up to
    something in time, keeps what it has, and sets told_to_end."""
    seen = []
    try:
        for number in range(count):
            seen.append(once(number))
            print(f"run {number + 1} of {count}", file=sys.stderr, flush=True)
    except (KeyboardInterrupt, SystemExit, TimeoutError) as reason:
        if not seen:
            raise
        print(f"ended in run {len(seen) + 1}: {reason}", file=sys.stderr, flush=True)
        told_to_end.set()
    return seen


def start_neighbours(bed):
    """Four quiet pods; waits until they hold what they should hold."""
    cpu = {"cpu": "100m"}  # with less its memory takes most of a minute to fill
    reports = [bed.deploy("over", 100, requests={"memory": "50Mi"}),
               bed.deploy("under", 100, requests={"memory": "200Mi"}),
               bed.deploy("guaranteed", 100, requests={"memory": "200Mi"} | cpu, limits={"memory": "200Mi"} | cpu),
               bed.deploy("idle", 5)]
    for report in reports:
        wait_for(lambda report=report: report.ready_ns, f"the start of {report.path.stem}", seconds=60)
