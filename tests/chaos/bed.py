"""The node of a chaos run: groups with a memory limit, small file systems, manifests, an agent.

Nothing of it touches the host: the groups have a name of their own, and everything else lies in the
world of the run (world.py).
"""
import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

import host
import world

MIB = 1 << 20
HIERARCHIES = "/sys/fs/cgroup"
CAPACITY, LINE = 768 * MIB, 128 * MIB
NODEFS_MIB, INODES = 448, 120_000
SHARED_MIB = 600
THREADS_FOR_PODS = 2500  # above what the machine has at the start; then pid.available is short
AGENT_MIB = 512  # the memory limit of the agent with its shims
RUNC_BINARY = re.compile(r"/run/containerd/runc/.*/runc\.\w{6}")

CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {bed.manifests}
evictionHard: {{memory.available: "{line}", nodefs.available: 40Mi, nodefs.inodesFree: "6000", pid.available: "{pids}"}}
evictionPressureTransitionPeriod: 1s
kernelMemcgNotification: true
fileCheckFrequency: 2s
crashLoopBackOff: {{maxContainerRestartPeriod: 2s}}
containerLogMaxSize: 16Mi
containerRuntimeEndpoint: {endpoint}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: {runtime}
root: {bed.root}
nodeCgroup: /{bed.name}
monitoringInterval: 1s
evictionBackoff: {{initial: 1s, max: 4s}}
logFormat: json
http: {{socket: {bed.socket}}}
hooks:
- {{name: silent, when: [BeforeEviction, AfterEviction], exec: [/bin/sleep, "1000"], timeout: 2s}}
"""


def now():
    return time.monotonic()


def wait_for(condition, seconds, interval=0.02):
    """The first true answer of `condition`, or the last false one when `seconds` have passed."""
    deadline = now() + seconds
    while not (answer := condition()) and now() < deadline:
        time.sleep(interval)
    return answer


def _put_numbers(path, *numbers):
    """Writes eight bytes each in place, because other processes have mapped them."""
    with open(path, "r+b" if path.exists() else "wb") as file:
        file.write(struct.pack(f"<{len(numbers)}q", *numbers))


class Bed(host.Kept):
    """`folder` is a folder of the host for what is to be read afterwards: configuration, logs."""

    def __init__(self, build, folder, containerd=None, watch_pids=True):
        self.build = pathlib.Path(build).resolve()
        self.kept = pathlib.Path(folder).resolve()
        self.containerd = containerd
        self.capacity, self.line = CAPACITY, LINE
        self.watch_pids = watch_pids
        self.name = f"jettison-chaos-{os.getpid()}-{time.time_ns() % 10**9}"
        self.group = pathlib.Path(HIERARCHIES, "memory", self.name)
        self.agent_group = pathlib.Path(HIERARCHIES, "pids", f"{self.name}-agent")
        self.agent_memory = pathlib.Path(HIERARCHIES, "memory", f"{self.name}-agent")
        self.folder = pathlib.Path("/run/chaos")
        self.nodefs = self.folder / "nodefs"
        self.root = self.nodefs / "root"
        self.manifests = self.folder / "manifests"
        self.journal = self.folder / "journal"
        self.shared = self.folder / "shared"
        self.data_mount = self.folder / "mnt"
        self.socket = self.folder / "agent.sock"
        self.log = self.kept / "agent.log"
        self.clock = self.folder / "clock"
        self.failing = self.folder / "eio"
        self.agent = None
        self.agent_wanted = False  # it was started, and was not told to end
        self.failing_since = None  # the disk of the agent answers with errors, or slowly
        self.failed_to_the_end = []  # [from, until]: it did so until that agent ended
        self.unguarded = []  # [from, until]: no agent, or one that is not ready or stopped; until None: still
        self._notices = None

    # What is set up before the agent starts.

    def _make(self):
        for folder in (self.folder, self.kept):
            folder.mkdir(parents=True, exist_ok=True)
        for folder in (self.nodefs, self.manifests, self.journal, self.shared, self.data_mount):
            folder.mkdir()
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(NODEFS_MIB * MIB)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-N", str(INODES), "-O", "^has_journal", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, self.nodefs], check=True)
        world.mount("shared", self.shared, "tmpfs", 0, f"size={SHARED_MIB}m")
        self.group.mkdir()
        (self.group / "memory.limit_in_bytes").write_text(str(self.capacity))
        self.agent_group.mkdir()
        self.agent_memory.mkdir()
        (self.agent_memory / "memory.limit_in_bytes").write_text(str(AGENT_MIB * MIB))
        self._write_config(self.folder / "config.yaml")
        self.step_clock(0)
        self.fail_disk_of(0)
        self._listen()
        self.mounts_before = self.mounts()

    def _write_config(self, path):
        most = min(int(pathlib.Path("/proc/sys/kernel", name).read_text()) for name in ("pid_max", "threads-max"))
        threads = int(pathlib.Path("/proc/loadavg").read_text().split()[3].split("/")[1])
        text = CONFIG.format(bed=self, line=self.line, pids=most - threads - THREADS_FOR_PODS if self.watch_pids else 1,
                             endpoint=self.containerd.endpoint if self.containerd else "unix:///run/none.sock",
                             runtime="cri" if self.containerd else "process")
        path.write_text(text)
        (self.kept / "config.yaml").write_text(text)

    def mounts(self):
        """Without those of runc: it mounts its own binary over RUNC_BINARY for a moment, and the
        mount stays where runc is killed in that moment."""
        points = {line.split()[4].replace(r"\040", " ") for line in open("/proc/self/mountinfo", encoding="utf-8")}
        return {point for point in points if not RUNC_BINARY.fullmatch(point)}

    # The agent.

    def _listen(self):
        """Notes when an agent says that it is ready."""
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(str(self.folder / "notify"))
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self):
        while (said := self._said()) is not None:
            if b"READY=1" in said and self.unguarded and self.unguarded[-1][1] is None:
                self.unguarded[-1][1] = now()

    def _said(self):
        try:
            return self._notices.recv(4096)
        except OSError:  # closed
            return None

    def _enter_agent_group(self):
        for group in (self.agent_group, self.agent_memory):
            (group / "cgroup.procs").write_text(str(os.getpid()))

    def start_agent(self, stderr=None):
        """Starts `jettison run`; its log goes to a file unless `stderr` says where."""
        if not self.unguarded or self.unguarded[-1][1] is not None:
            self.unguarded.append([now(), None])
        self.agent_wanted = True
        shims = []
        for name in ("clock", "eio"):
            shims.append(str(self.kept / f"{name}.so"))  # the loader takes no path that has a space
            if not os.path.exists(shims[-1]):
                shutil.copy(self.build / f"chaos/{name}.so", shims[-1])
        environment = os.environ | {"NOTIFY_SOCKET": str(self.folder / "notify"), "LD_PRELOAD": ":".join(shims), "CHAOS_CLOCK": str(self.clock),
                                    "CHAOS_EIO": str(self.failing), "CHAOS_EIO_DISK": str(self.nodefs)}
        with open(self.log, "ab") as log:
            self.agent = subprocess.Popen(
                [self.build / "jettison", "run", "--config", self.folder / "config.yaml"], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log if stderr is None else stderr, env=environment, preexec_fn=self._enter_agent_group)

    def is_ready(self):
        return self.agent is not None and self.agent.poll() is None and self.unguarded[-1][1] is not None

    def end_agent(self, number=signal.SIGKILL, patience=30):
        """Ends the agent; False if it does not end and has to be killed."""
        self.unguarded.append([now(), None])
        self.agent_wanted = False
        if self.failing_since is not None:
            self.failed_to_the_end.append([self.failing_since, now()])
            self.failing_since = None
        self.agent.send_signal(number)
        self.agent.send_signal(signal.SIGCONT)  # a stopped process does not handle signals
        try:
            self.agent.wait(patience)
        except subprocess.TimeoutExpired:
            self.agent.kill()
            self.agent.wait()
            return False
        return True

    def step_clock(self, seconds):
        _put_numbers(self.clock, seconds)

    def fail_disk_of(self, pid, micros=0):
        """Makes the disk of that process answer with EIO, or take so long for each change; 0: of no process."""
        _put_numbers(self.failing, pid, micros)
        self.failing_since = now() if pid else None

    def limit_tasks(self, more):
        """Lets the agent and its shims start `more` tasks; None: any number."""
        tasks = int((self.agent_group / "pids.current").read_text())
        (self.agent_group / "pids.max").write_text("max" if more is None else str(tasks + more))

    def cost(self):
        """Resident KiB, descriptors and threads of the agent; OSError if it is gone."""
        status = pathlib.Path(f"/proc/{self.agent.pid}/status").read_text()
        rows = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return int(rows["VmRSS"].split()[0]), len(os.listdir(f"/proc/{self.agent.pid}/fd")), int(rows["Threads"])

    def ask(self, path):
        """The body of the agent's answer over HTTP; OSError if there is none."""
        return host.ask(self.socket, path)

    # Pods.

    def put(self, pod):
        """Makes the manifest of a pod appear, complete."""
        unfinished = self.folder / f"{pod.name}.unfinished"
        unfinished.write_text(pod.text(self))
        unfinished.rename(self.manifest_of(pod))

    def manifest_of(self, pod):
        return self.manifests / f"{pod.name}.yaml"

    def groups_of(self, pod):
        return [path for path in glob.glob(f"{HIERARCHIES}/*/{self.name}/**/pod{pod.uid}", recursive=True)]

    def kept_evictions(self):
        """The explanations of evictions that the running agent has: their time and id to the explanation."""
        found = {}
        with contextlib.suppress(OSError, ValueError):
            for item in json.loads(self.ask("/api/v1/evictions"))["items"]:
                record = json.loads(self.ask(f"/api/v1/evictions/{item['id']}"))
                found[record["at"], record["id"]] = record
        return found

    def log_lines(self):
        """The agent's log, one dict for each line; lines of other programs, which are not JSON, are left out."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            for line in log:
                with contextlib.suppress(ValueError):
                    yield json.loads(line)

    # The end.

    def close(self):
        if self.agent and self.agent.poll() is None:
            self.agent.kill()
            self.agent.wait()
        for top in glob.glob(f"{HIERARCHIES}/*/{self.name}*"):
            host.remove_groups(top)
        for mounted in sorted(self.mounts(), reverse=True):
            if mounted.startswith(f"{self.folder}/"):
                with contextlib.suppress(OSError):
                    world.unmount(mounted, world.MNT_DETACH)
        if self._notices:
            self._notices.close()
        shutil.rmtree(self.folder, ignore_errors=True)
