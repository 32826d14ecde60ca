#!/usr/bin/env python3
"""Measures how long a node that runs out of disk space waits for a disk that is slow to read.

    tests/measure/slow_walk.py build/release [--files N] [--reads N] [--check]

Starts an agent on a file system of its own whose disk answers N reads a second (--reads; blkio of cgroup v1;
needs root), with nothing in the page cache, beside a pod with N files (--files). Fills that file system until
1 MiB is left, and prints how long it then took to the condition and to the eviction. With --check it fails
if the condition took longer than two monitoring intervals, or no pod was evicted within 10 s.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from node import HIERARCHIES, MIB, Node, Report, wait_for

INTERVAL, CONDITION, EVICTION = 1.0, 2.0, 10.0  # seconds
DISK = 1200 * MIB


class Bed(Node):
    """A node whose root is a separate small disk."""

    def __init__(self, build):
        super().__init__(build, 512 * MIB, 32 * MIB, interval=f"{INTERVAL:g}s")
        self.disk = self.folder / "root"
        self.blkio = pathlib.Path(HIERARCHIES, "blkio", self.group)

    def _make(self):
        super()._make()
        self.blkio.mkdir()
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(DISK)
        self.disk.mkdir()
        subprocess.run(["mkfs.ext4", "-q", "-N", "260000", "-m", "0", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, self.disk], check=True)
        config = self.folder / "config.yaml"
        config.write_text(config.read_text().replace("evictionHard: {", "evictionHard: {nodefs.available: 40Mi, "))

    def add(self, name):
        """A pod that holds some memory and has a volume."""
        report = Report(self.folder / f"{name}.report")
        self.put({"name": name, "uid": f"uid-{name}"}, {
            "containers": [{"name": "hog", "command": [str(self.build / "measure/measure_hog"), str(report.path), "2"],
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumes": [{"name": "data", "emptyDir": {}}]})
        return report

    def volume_of(self, name):
        return self.disk / "pods" / f"uid-{name}" / "volumes/data"

    def forget_cache_and_slow_down(self, reads):
        subprocess.run(["sync"], check=True)
        subprocess.run(["mount", "-o", "remount", self.disk], check=True)
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        device = os.stat(self.disk).st_dev
        limit = f"{os.major(device)}:{os.minor(device)} {reads}"
        (self.blkio / "blkio.throttle.read_iops_device").write_text(limit)

    def start_slow_agent(self):
        """Makes everything that the agent reads count against the limit."""
        own = pathlib.Path("/proc/self/cgroup").read_text()
        before = pathlib.Path(HIERARCHIES, "blkio", re.search(r"blkio:/(.*)", own).group(1), "cgroup.procs")
        (self.blkio / "cgroup.procs").write_text(str(os.getpid()))
        self.start_agent()
        before.write_text(str(os.getpid()))

    def reads(self):
        """What the agent has read from that disk so far."""
        device = os.stat(self.disk).st_dev
        text = (self.blkio / "blkio.throttle.io_serviced").read_text()
        found = re.search(rf"^{os.major(device)}:{os.minor(device)} Read (\d+)", text, re.MULTILINE)
        return int(found.group(1)) if found else 0

    def fill(self):
        room = os.statvfs(self.disk)
        size = room.f_bavail * room.f_frsize - MIB
        with open(self.disk / "fill", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
        return time.monotonic()

    def said(self, what):
        return re.search(what, self.log.read_text(errors="replace"))

    def close(self):
        super().close()
        with contextlib.suppress(OSError):
            self.blkio.rmdir()


def make_files(folder, count):
    for number in range(count // 100):
        below = folder / str(number)
        below.mkdir()
        for file in range(99):
            os.close(os.open(below / str(file), os.O_CREAT | os.O_WRONLY))


def run(build, files, reads):
    with Bed(build) as bed:
        reports = [bed.add("many"), bed.add("few")]
        bed.start_agent()
        bed.wait_until_ready(reports)
        make_files(bed.volume_of("many"), files)
        bed.agent.terminate()
        bed.agent.wait()
        bed.forget_cache_and_slow_down(reads)
        bed.start_slow_agent()
        wait_for(lambda: bed.said("agent is ready"), "the agent")
        since, before = time.monotonic(), bed.reads()
        time.sleep(2 * INTERVAL)
        rate = (bed.reads() - before) / (time.monotonic() - since)
        full = bed.fill()
        condition = wait_for(lambda: bed.said("NodeHasDiskPressure") and time.monotonic(), "the condition", 120)
        evicted = wait_for(lambda: bed.said("pod is evicted successfully") and time.monotonic(), "an eviction", 120)
        victim = bed.said(r"pod is evicted successfully.* pod=default/(\S+)").group(1)
        return {"reads_a_second": round(rate), "condition_s": round(condition - full, 2), "eviction_s": round(evicted - full, 2), "victim": victim}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=180_000)
    parser.add_argument("--reads", type=int, default=300, help="a second")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    seen = run(arguments.build, arguments.files, arguments.reads)
    print(json.dumps(seen))
    late = seen["condition_s"] > CONDITION or seen["eviction_s"] > EVICTION or seen["victim"] != "many"
    sys.exit(1 if late and arguments.check else 0)


if __name__ == "__main__":
    main()
