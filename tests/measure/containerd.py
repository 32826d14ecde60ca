"""A separate containerd for measurements: own root, state and socket, and one locally made image.

It leaves nothing behind: no process, mount, file or socket. The node removes the pods' groups (node.py).
"""
import contextlib
import glob
import hashlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time

import host

IMAGE = "jettison.measure/programs:1"
SHIM_SOCKETS = "/run/containerd/s"

CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[ttrpc]
  address = "{socket}.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image}"
  disable_tcp_service = true
  disable_apparmor = true
  tolerate_missing_hugetlb_controller = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".cni]
      conf_dir = "{folder}/no-cni"
      bin_dir = "{folder}/no-cni"
"""


def _add(archive, name, data, mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    archive.addfile(entry, io.BytesIO(data))


def image_archive(programs, entrypoint):
    """The bytes of an archive as `docker save` writes it, with these programs (paths) in its root."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        for program in programs:
            _add(archive, program.name, program.read_bytes(), 0o755)
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    config = {"architecture": "amd64", "os": "linux", "config": {"Entrypoint": entrypoint},
              "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}
    manifest = [{"Config": "config.json", "RepoTags": [IMAGE], "Layers": ["layer.tar"]}]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        _add(archive, "manifest.json", json.dumps(manifest).encode())
        _add(archive, "config.json", json.dumps(config).encode())
        _add(archive, "layer.tar", layer.getvalue())
    return out.getvalue()


class Containerd(host.Kept):
    """Runs while the `with` block does. `build` holds jettison-shim and the program of the image."""

    image = IMAGE

    def __init__(self, build, program="measure/measure_hog"):
        self.build = pathlib.Path(build).resolve()
        self.program = self.build / program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jettison-containerd-"))
        self.socket = self.folder / "containerd.sock"
        self.log = self.folder / "containerd.log"
        self.process = None
        self.sockets_before = set(glob.glob(f"{SHIM_SOCKETS}/*"))

    endpoint = property(lambda self: f"unix://{self.socket}")

    def _make(self):
        config = self.folder / "config.toml"
        config.write_text(CONFIG.format(folder=self.folder, socket=self.socket, image=IMAGE))
        self.start()
        self._wait()
        archive = self.folder / "image.tar"
        archive.write_bytes(image_archive([self.program, self.build / "jettison-shim"], ["/jettison-shim", "--pause"]))
        self.ctr("images", "import", str(archive))

    def ctr(self, *arguments):
        """The output of the command ctr in the namespace of pods."""
        return subprocess.run(["ctr", "--address", self.socket, "--namespace", "k8s.io", *arguments],
                              check=True, capture_output=True, text=True).stdout

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(["containerd", "--config", self.folder / "config.toml"], stdout=log, stderr=log)

    def kill(self):
        """Ends containerd at once; its shims and the containers go on."""
        self.process.kill()
        self.process.wait()

    def stop_answering(self):
        self.process.send_signal(signal.SIGSTOP)

    def answer_again(self):
        self.process.send_signal(signal.SIGCONT)

    def _wait(self, seconds=15):
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.ctr("version")
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(f"containerd does not answer:\n{self.log.read_text(errors='replace')}")
            time.sleep(0.05)

    def _shims(self):
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if str(self.socket).encode() in pathlib.Path(path).read_bytes().split(b"\0"):
                    yield int(path.split("/")[2])

    def processes(self):
        """containerd and its shims."""
        return {self.process.pid, *self._shims()}

    def close(self):
        """Ends containerd and its shims; the node has to end the containers' processes before."""
        if self.process:
            self.answer_again()
            self.process.kill()
            self.process.wait()
        for pid in [pid for pid in self._shims() if pid != os.getpid()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.unmount_below(self.folder)
        for path in set(glob.glob(f"{SHIM_SOCKETS}/*")) - self.sockets_before:
            with contextlib.suppress(OSError):
                os.unlink(path)
        shutil.rmtree(self.folder, ignore_errors=True)
