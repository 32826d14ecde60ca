"""Observes the node from outside: its memory (chaos_watch), and the kernel's reports of OOM kills."""
import os
import re
import subprocess
import threading
import typing

from bed import now

PERIOD_US = 1000  # between two looks
OOM = re.compile(r"oom-kill:.*oom_memcg=([^,]*),task_memcg=([^,]*),task=([^,]*),pid=(\d+)")


class Below(typing.NamedTuple):
    since: float
    until: float
    least: int  # bytes


class OomKill(typing.NamedTuple):
    at: float
    limit_of: str  # the group whose limit was reached
    group: str  # the group of the victim
    stalled: float  # seconds that the witness itself had to wait around that time


class Witness:
    def __init__(self, bed):
        self.below = []  # intervals that are over
        self.still = None  # the one that continues
        self.gaps = []  # (at, seconds)
        self.available = None
        self.oom_kills = []
        self._bed = bed
        self._process = subprocess.Popen(
            [bed.build / "chaos/chaos_watch", bed.group, str(bed.capacity), str(bed.line), str(PERIOD_US)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._kernel = os.open("/dev/kmsg", os.O_RDONLY | os.O_CLOEXEC)
        os.lseek(self._kernel, 0, os.SEEK_END)
        for look in (self._read_watch, self._read_kernel):
            threading.Thread(target=look, daemon=True).start()

    def _read_watch(self):
        for line in self._process.stdout:
            what, *numbers = line.split()
            a, b, c = map(int, numbers)
            if what == "tick":
                self.available = c
                self.gaps.append((a / 1e9, b / 1e9))
            else:
                seen = Below(a / 1e9, b / 1e9, c)
                self.still = seen if what == "still" else None
                if what == "below":
                    self.below.append(seen)

    def _read_kernel(self):
        while True:
            try:
                text = os.read(self._kernel, 8192).decode(errors="replace")
            except BrokenPipeError:  # lines were overwritten before they were read
                continue
            if (match := OOM.search(text)) and self._bed.name in match[1] + match[2]:
                self.oom_kills.append(OomKill(now(), match[1], match[2], self.longest_gap(now(), 2)))

    def longest_gap(self, at, within):
        return max((gap for when, gap in self.gaps if abs(when - at) < within), default=0.0)

    def is_alive(self):
        return self._process.poll() is None

    def intervals(self):
        return self.below + ([self.still] if self.still else [])

    def close(self):
        self._process.kill()
        self._process.wait()
