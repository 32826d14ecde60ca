"""When processes and their pods' control groups end, seen from outside, in nanoseconds of the monotonic clock."""
import contextlib
import ctypes
import os
import pathlib
import select
import struct
import time

IN_DELETE = 0x200
LIBC = ctypes.CDLL(None, use_errno=True)


class ProcessEnds:
    """A process descriptor of each process, watched."""

    def __init__(self, pids):
        self._pids = {}
        self.at = {}  # by process id
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                self._pids[os.pidfd_open(pid)] = pid

    def descriptors(self):
        return list(self._pids)

    def take(self, descriptor, now):
        """The process of this descriptor has ended. It is not watched any more."""
        self.at[self._pids.pop(descriptor)] = now
        os.close(descriptor)
        return False


class FolderEnds:
    """The folders in some folders, of which each may exist in several: the time at which the last one went."""

    def __init__(self, parents):
        self._inotify = LIBC.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self.at = {}  # by name
        for parent in parents:
            if LIBC.inotify_add_watch(self._inotify, os.fsencode(parent), IN_DELETE) < 0:
                raise OSError(ctypes.get_errno(), f"inotify of {parent}")

    def descriptors(self):
        return [self._inotify]

    def take(self, descriptor, now):
        """Some have gone. More are watched."""
        events = os.read(descriptor, 1 << 16)
        while events:
            length = struct.unpack_from("iIII", events)[3]
            self.at[events[16:16 + length].rstrip(b"\0").decode()] = now
            events = events[16 + length:]
        return True


def watch(seconds, enough, *watchers):
    """Watches for so long, or until `enough` says that it is enough."""
    poll = select.epoll()
    watcher_of = {descriptor: watcher for watcher in watchers for descriptor in watcher.descriptors()}
    for descriptor in watcher_of:
        poll.register(descriptor, select.EPOLLIN)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and not enough():
        for descriptor, _ in poll.poll(left):
            now = time.monotonic_ns()
            if not watcher_of[descriptor].take(descriptor, now):
                with contextlib.suppress(OSError):  # a closed descriptor has left by itself
                    poll.unregister(descriptor)


def pod_group_of(pid, hierarchy="memory"):
    """The path of a process' pod within the hierarchy."""
    for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if hierarchy in controllers.split(","):
            parts = path.split("/")
            pod = next(i for i, part in enumerate(parts) if part.startswith("pod"))
            return "/".join(parts[1:pod + 1])
    raise LookupError(f"{pid} is in no group of {hierarchy}")


@contextlib.contextmanager
def real_time():
    """Before everything that has no real-time priority, and after the agent."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
