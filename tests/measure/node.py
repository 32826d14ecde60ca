"""A separate node for a measurement: a control group with a memory limit, a folder, an agent.

Nothing of it is left behind, whatever happens in between: no process, group, mount or file.
"""
import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

import containerd
import host
import moving_cache

MIB = 1 << 20
HIERARCHIES = "/sys/fs/cgroup"


def wait_for(condition, what, seconds=30.0, interval=0.002):
    """Returns the first true answer of `condition`; TimeoutError when none comes in time."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(interval)
    return answer


class Report:
    """What a hog reports about itself; report.h defines the layout. Zero: not yet."""

    def __init__(self, path):
        self.path = path

    def _field(self, index):
        try:
            return struct.unpack("<3q", self.path.read_bytes())[index]
        except (OSError, struct.error):
            return 0

    pid = property(lambda self: self._field(0))
    ready_ns = property(lambda self: self._field(1))
    signal_ns = property(lambda self: self._field(2))


class Node(host.Kept):
    """A node of `capacity` bytes whose threshold memory.available is `threshold` bytes.

    Its pods are processes of the host, or run on `containerd` (containerd.py). Not `notified`, the agent
    looks at memory by the clock.
    """

    def __init__(self, build, capacity, threshold, containerd=None, notified=True):
        self.build = pathlib.Path(build).resolve()
        self.capacity = capacity
        self.threshold = threshold
        self.containerd = containerd
        self.notified = notified
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jettison-measure-"))
        self.group = self.folder.name
        self.memory_group = pathlib.Path(HIERARCHIES, "memory", self.group)
        self.manifests = self.folder / "manifests"
        self.gate = self.folder / "gate"
        self.log = self.folder / "agent.log"
        self.agent = None

    def _make(self):
        self.manifests.mkdir()
        self.memory_group.mkdir()
        (self.memory_group / "memory.limit_in_bytes").write_text(str(self.capacity))
        self._write_config()

    def _write_config(self):
        (self.folder / "config.yaml").write_text(f"""\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {self.manifests}
evictionHard: {{memory.available: "{self.threshold}"}}
evictionPressureTransitionPeriod: 5m
kernelMemcgNotification: {str(self.notified).lower()}
containerRuntimeEndpoint: {self.containerd.endpoint if self.containerd else "unix:///run/containerd/containerd.sock"}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: {"cri" if self.containerd else "process"}
root: {self.folder}/root
nodeCgroup: /{self.group}
monitoringInterval: 10s
http: {{socket: {self.folder}/agent.sock}}
""")

    def add_pod(self, name, hold_mib, request_mib=None, limit_mib=None, growth=None):
        """One pod with one hog. `growth`: (MiB a second, MiB in the end), from the gate on."""
        report = Report(self.folder / f"{name}.report")
        program = "/measure_hog" if self.containerd else str(self.build / "measure/measure_hog")
        command = [program, str(report.path), str(hold_mib)]
        if growth:
            command += [str(self.gate), *map(str, growth)]
        resources = {}
        if request_mib:
            resources["requests"] = {"memory": f"{request_mib}Mi"}
        if limit_mib:
            resources["limits"] = {"memory": f"{limit_mib}Mi", "cpu": "2"}
        container = {"name": "hog", "command": command, "resources": resources}
        spec = {"containers": [container], "restartPolicy": "Always"}
        if self.containerd:
            # The report contains the host's process id, and lies where the host's programs look for it.
            spec["hostPID"] = True
            spec["volumes"] = [{"name": "node", "hostPath": {"path": str(self.folder)}}]
            container |= {"image": containerd.IMAGE, "imagePullPolicy": "Never",
                          "volumeMounts": [{"name": "node", "mountPath": str(self.folder)}]}
        self.put({"name": name}, spec)
        return report

    def put(self, metadata, spec):
        """The manifest of a pod."""
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        # JSON is YAML; a rename, so that no half of a manifest is ever read.
        unfinished = self.folder / f"{metadata['name']}.unfinished"
        unfinished.write_text(json.dumps(pod))
        unfinished.rename(self.manifests / f"{metadata['name']}.yaml")

    def moving_cache(self):
        """Page cache that moves, of the group of all pods."""
        return moving_cache.MovingCache([self.memory_group / "kubepods"], self.folder)

    def start_agent(self):
        """Starts `jettison run`; its log goes to a file."""
        with open(self.log, "wb") as log:
            self.agent = subprocess.Popen(
                [self.build / "jettison", "run", "--config", self.folder / "config.yaml"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait_until_ready(self, reports, seconds=30.0):
        """Waits until the hogs hold what they were told to hold, for so long for each."""
        for report in reports:
            try:
                wait_for(lambda r=report: r.ready_ns, f"the start of {report.path.stem}", seconds)
            except TimeoutError as error:
                log = self.log.read_text(errors="replace")
                raise TimeoutError(f"{error}; the agent's log:\n{log}") from error

    def wait_for_full_pass(self):
        """Waits until a pass that reads all pods has begun and ended since this call."""
        def last():
            found = re.search(r"^jettison_last_full_pass_timestamp_seconds (\S+)$",
                              host.ask(self.folder / "agent.sock", "/metrics"), re.MULTILINE)
            return float(found[1]) if found else 0
        now = time.time()
        wait_for(lambda: last() > now, "a full pass", interval=0.2)

    def watch(self, report, period_us=200, timeout_s=60):
        """Opens the gate, watches until `report` shows a signal, and returns what was seen."""
        result = subprocess.run(
            [self.build / "measure/measure_watch", self.memory_group, str(self.capacity),
             str(self.threshold), report.path, self.gate, str(period_us), str(timeout_s)],
            capture_output=True, text=True, check=False)
        if not result.stdout:
            raise RuntimeError(f"measure_watch: {result.stderr.strip()}")
        return json.loads(result.stdout)

    def close(self):
        """Removes everything: the agent first, so that no pods are started again."""
        if self.agent:
            self.agent.terminate()
            try:
                self.agent.wait(5)
            except subprocess.TimeoutExpired:
                self.agent.kill()
                self.agent.wait()

        groups = [pathlib.Path(path) for path in glob.glob(f"{HIERARCHIES}/*/{self.group}")]
        wait_for(lambda: not self._kill_processes(groups), "the end of the pods' processes",
                 seconds=120, interval=0.01)  # hundreds of them, beside other work
        for group in groups:
            host.remove_groups(group)
        host.unmount_below(self.folder)
        shutil.rmtree(self.folder)

    def _kill_processes(self, groups):
        """Kills every process of the node: those in its groups, and those that use its folder."""
        pids = set()
        for group in groups:
            for path in glob.glob(f"{group}/**/cgroup.procs", recursive=True):  # groups vanish meanwhile
                with contextlib.suppress(OSError):
                    pids.update(map(int, pathlib.Path(path).read_text().split()))
        for path in glob.glob("/proc/[0-9]*/fd/*"):
            with contextlib.suppress(OSError):
                if os.readlink(path).startswith(f"{self.folder}/"):
                    pids.add(int(path.split("/")[2]))
        pids.discard(os.getpid())
        if self.containerd:
            pids -= self.containerd.processes()  # they write the pods' logs
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pids
