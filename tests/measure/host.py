"""What the nodes and runtimes of measurements and of chaos runs have in common."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time


class Kept:
    """Exists while the `with` block runs: `_make` sets it up, and `close` removes it, whatever happens."""

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()


def unmount_below(folder):
    """Detaches everything that is mounted below the folder."""
    mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    for target in sorted((line.split()[1] for line in mounts), reverse=True):
        if target.startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", target], check=False)


def remove_groups(top):
    """Ends the processes in a tree of control groups and removes the tree; what cannot be removed for 10 s stays."""
    for path, _, _ in os.walk(top, topdown=False):
        deadline = time.monotonic() + 10
        while os.path.exists(path) and time.monotonic() < deadline:
            with contextlib.suppress(OSError):  # processes end, and groups vanish meanwhile
                for pid in pathlib.Path(path, "cgroup.procs").read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.rmdir(path)
            time.sleep(0.002)


def ask(path_of_socket, path):
    """The body of the agent's answer over HTTP; OSError if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        connection.connect(str(path_of_socket))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: j\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise OSError(f"{path}: {head[:100]!r} {body[:300]!r}")
    return body.decode()
