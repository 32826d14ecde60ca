"""Which signals are sent, according to the kernel (tracefs): a victim that waits for a processor reports it late."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import typing

from bed import wait_for

# SIGWINCH is harmless: it shows the id that a process of this namespace has in the kernel's own namespace.
SIGNAL = re.compile(r"^.*?\s(\d+\.\d+): signal_generate: sig=(\d+) .* pid=(\d+) grp=")


class Sent(typing.NamedTuple):
    at: float  # CLOCK_MONOTONIC
    pid: int


class SignalsSent:
    """Every SIGTERM that is sent to the processes `pids` from now on. `heard` is False if the kernel reports none."""

    def __init__(self, pids):
        self.sent = []
        self._shown = []
        self._is_over = False
        self.heard = False
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="chaos-trace-"))
        mounted = subprocess.run(["mount", "-t", "tracefs", "tracefs", self._folder], capture_output=True, check=False)
        self._traces = self._folder / "instances" / f"chaos-{os.getpid()}-{id(self)}"
        if mounted.returncode == 0:
            self._begin()
        self._watched = {self._number_of(pid) for pid in pids} if self.heard else set()

    def _number_of(self, pid):
        before = len(self._shown)
        os.kill(pid, signal.SIGWINCH)
        return self._shown[before] if wait_for(lambda: len(self._shown) > before, 2, 0.001) else None

    def _begin(self):
        event = self._traces / "events/signal/signal_generate"
        try:
            self._traces.mkdir()
            (self._traces / "trace_clock").write_text("mono")
            (event / "filter").write_text(
                f'(sig == {int(signal.SIGTERM)} || sig == {int(signal.SIGWINCH)}) && comm == "chaos_load"')
            (event / "enable").write_text("1")
            self._pipe = open(self._traces / "trace_pipe", errors="replace")
        except OSError:
            self._remove()
            return
        self.heard = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with contextlib.suppress(OSError, ValueError), self._pipe:
            for line in self._pipe:
                match = SIGNAL.match(line)
                if self._is_over:
                    return
                if match and int(match[2]) == signal.SIGTERM:
                    self.sent.append(Sent(float(match[1]), int(match[3])))
                elif match:
                    self._shown.append(int(match[3]))

    def first(self, since):
        """When the first of them was sent a SIGTERM after `since`; None: none was, or the kernel does not report."""
        return min((sent.at for sent in self.sent if sent.pid in self._watched and sent.at >= since), default=None)

    def _remove(self):
        with contextlib.suppress(OSError):  # not made, or still read from
            self._traces.rmdir()

    def close(self):
        if self.heard:
            # The reader waits for more input, and holds the pipe until there is some.
            self._is_over = True
            (self._traces / "events/signal/signal_generate/filter").write_text("0")
            os.kill(os.getpid(), signal.SIGWINCH)
            wait_for(lambda: not self._reader.is_alive(), 2, 0.001)
            self._remove()
        subprocess.run(["umount", "-l", self._folder], capture_output=True, check=False)
        self._folder.rmdir()
