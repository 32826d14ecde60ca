"""Pods of a chaos run: their manifests, and what they write down of themselves (journal.h)."""
import dataclasses
import json
import os
import pathlib
import typing

CRITICAL = 2_000_001_000
GUILTY_OF = ("memory", "disk", "inodes", "pids")


class Event(typing.NamedTuple):
    at: float  # seconds of the monotonic clock
    pid: int
    what: str


@dataclasses.dataclass
class Pod:
    """`load` is what follows the name on chaos_load's command line. `guilty`: of what it takes without end;
    nothing: an innocent, which keeps to what it holds."""
    name: str
    load: list
    guilty: frozenset = frozenset()
    priority: int = 0
    requests: dict = dataclasses.field(default_factory=dict)
    limits: dict = dataclasses.field(default_factory=dict)
    data: bool = False  # an emptyDir with a mark in it
    ignore_term: bool = False
    restarts: bool = False  # its program ends by itself now and then
    host_paths: tuple = ()
    fault: str = ""  # of a stuck pod: why it cannot be ended yet
    gate: str = ""

    uid = property(lambda self: f"uid-{self.name}")

    def manifest(self, bed):
        program = "/chaos_load" if bed.containerd else str(bed.build / "chaos/chaos_load")
        command = [program, str(bed.journal), self.name]
        mounts, volumes = [], []
        if self.ignore_term:
            command.append("--ignore-term")
        if self.data or "DATA" in self.load:
            mounts.append({"name": "data", "mountPath": str(bed.data_mount)})
            volumes.append({"name": "data", "emptyDir": {}})
        if self.data:
            command += ["--data", str(bed.data_mount)]
        if self.gate:
            command += ["--gate", self.gate]
        command += [str(bed.data_mount) if word == "DATA" else str(word) for word in self.load]
        paths = (*self.host_paths, *((str(bed.journal), str(bed.gates)) if bed.containerd else ()))
        for number, path in enumerate(paths):
            volumes.append({"name": f"host-{number}", "hostPath": {"path": path}})
            if bed.containerd:
                mounts.append({"name": f"host-{number}", "mountPath": path})
        container = {"name": "c", "command": command, "resources": {"requests": self.requests, "limits": self.limits},
                     "volumeMounts": mounts}
        spec = {"containers": [container], "volumes": volumes if bed.containerd else volumes[:1 if mounts else 0],
                "priority": self.priority, "terminationGracePeriodSeconds": 1}
        if bed.containerd:
            container |= {"image": bed.containerd.image, "imagePullPolicy": "Never"}
            spec["hostPID"] = True
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": self.name, "uid": self.uid}, "spec": spec}

    def text(self, bed):
        return json.dumps(self.manifest(bed))  # JSON is YAML

    def events(self, bed):
        """What the pod has written down, the oldest first."""
        try:
            lines = (bed.journal / self.name).read_text().splitlines()
        except FileNotFoundError:
            return []
        return [Event(int(at) / 1e9, int(pid), what) for at, pid, what in (line.split(" ", 2) for line in lines)]

    def live_pid(self, bed):
        """The process that started last, where it lives; else None."""
        for event in reversed(self.events(bed)):
            if event.what == "start":
                return event.pid if is_load(event.pid, self.name) else None
        return None


def is_load(pid, name):
    """Whether the process of that id is one of the pod, and no zombie: a pid alone proves nothing."""
    try:
        if pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[2:3] != [name.encode()]:
            return False
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def processes_of(name):
    """All processes of a pod, children included."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and is_load(int(entry), name)]


def innocents(containerd):
    """The pods of every run that take what they hold, and no more."""
    mib = "Mi"
    pods = [
        Pod("guaranteed", ["hold", 40], requests={"memory": f"64{mib}", "cpu": "100m"},
            limits={"memory": f"64{mib}", "cpu": "100m"}),
        Pod("within", ["hold", 40], requests={"memory": f"64{mib}"}),
        Pod("over", ["hold", 40], requests={"memory": f"16{mib}"}, priority=100),
        Pod("wave", ["wave", 10, 60, 2], requests={"memory": f"96{mib}"}),
        Pod("critical", ["hold", 10], priority=CRITICAL),
        Pod("small-0", ["hold", 2]),
        Pod("small-1", ["hold", 4], priority=50),
        Pod("small-2", ["sleep"], priority=1000),
        Pod("data-0", ["hold", 3], data=True),
        Pod("data-1", ["sleep"], data=True, requests={"memory": f"16{mib}"}),
        Pod("restarts", ["crash", 20], data=True, restarts=True),
    ]
    return pods if not containerd else [pod for pod in pods if pod.name not in ("small-1", "data-1")]
