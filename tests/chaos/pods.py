"""Pods of a chaos run: their manifests, and the journals that they write (journal.h)."""
import dataclasses
import json
import os
import pathlib
import time
import typing

CRITICAL = 2_000_001_000
GUILTY_OF = ("memory", "disk", "inodes", "pids")


class Event(typing.NamedTuple):
    at: float  # seconds of the monotonic clock
    life: int  # the number of the pod's process that wrote it
    what: str


@dataclasses.dataclass
class Pod:
    """`load` is what follows the name on chaos_load's command line. `guilty`: what the pod takes without end;
    empty: an innocent pod, which takes no more than it holds."""
    name: str
    load: list
    guilty: frozenset = frozenset()
    priority: int = 0
    requests: dict = dataclasses.field(default_factory=dict)
    limits: dict = dataclasses.field(default_factory=dict)
    data: bool = False  # an emptyDir with a mark in it
    ignore_term: bool = False
    restarts: bool = False  # its program sometimes ends by itself
    host_paths: tuple = ()
    fault: str = ""  # of a stuck pod: why it cannot be ended yet

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
        command += [str(bed.data_mount) if word == "DATA" else str(word) for word in self.load]
        paths = (*self.host_paths, *((str(bed.journal),) if bed.containerd else ()))
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
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": self.name, "uid": self.uid}, "spec": spec}

    def text(self, bed):
        return json.dumps(self.manifest(bed))  # JSON is YAML

    def events(self, bed):
        """The pod's journal, the oldest event first."""
        try:
            lines = (bed.journal / self.name).read_text().splitlines()
        except FileNotFoundError:
            return []
        return [Event(int(at) / 1e9, int(life), what) for at, life, what in (line.split(" ", 2) for line in lines)]

    def lives(self):
        return bool(processes_of(self.name))


_seen = (0.0, {})


def _loads():
    """Processes of all pods without zombies: name to process ids. Read at most every 20 ms."""
    global _seen
    if time.monotonic() - _seen[0] > 0.02:
        found = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit() and (name := _name_of(entry)):
                found.setdefault(name, []).append(int(entry))
        _seen = (time.monotonic(), found)
    return _seen[1]


def _name_of(pid):
    """The pod of a process; None if it belongs to none. A zombie has no command line."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return words[2].decode() if len(words) > 3 and words[0].endswith(b"chaos_load") else None


def processes_of(name):
    """All processes of a pod, children included."""
    return list(_loads().get(name, []))


def innocents(containerd):
    """The pods of every run that take no more than they hold."""
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
        Pod("restarts", ["crash", 7], data=True, restarts=True),
    ]
    return pods if not containerd else [pod for pod in pods if pod.name not in ("small-1", "data-1")]
