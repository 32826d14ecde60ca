"""A run: the node with its pods and witness, what was done to it and when, and what was found broken."""
import dataclasses
import heapq
import itertools
import os
import signal
import subprocess

import steps
from bed import now, wait_for
from pods import Pod, innocents
from witness import Witness


TOLD_EACH = 6  # how often a repeatedly broken promise is printed; the log has all


@dataclasses.dataclass
class Member:
    """A pod, and what the run did with it."""
    pod: Pod
    added: float
    innocent: bool
    removed: float | None = None
    judged: int = 0  # events of its journal that have been judged


class Broken(Exception):
    """A promise was broken, and the run must not continue."""


class Run:
    def __init__(self, bed, seed, keep_going=False):
        self.bed = bed
        self.seed = seed
        self.keep_going = keep_going
        self.began = now()
        self.members = {}
        self.outside = []  # [from, until]: memory is held by something that may not be evicted
        self.kills = []  # when an agent was killed
        self.records = {}  # of evictions, by id
        self.faults = []
        self.counts = {}
        self.worst_below = 0.0
        self.busy = []  # pods whose manifests are being changed
        self.judged_until = 0.0
        self.oom_judged = 0
        self.cost = None
        self.last_answer = None
        self.step = None
        self.stopped = None  # the agent that does not run for a while
        self.number = 0  # of steps so far
        self.witness = None
        self._later = []
        self._order = itertools.count()
        self._to_close = []
        self._shifted = 0
        self.told = open(bed.kept / "run.log", "a", encoding="utf-8")

    def __enter__(self):
        self.witness = Witness(self.bed)
        (self.bed.group / "outside").mkdir()
        return self

    def __exit__(self, *_):
        for each in list(self._to_close):
            self.close(each)
        self.witness.close()
        self.told.close()

    # Reporting.

    def tell(self, text):
        self.told.write(f"{now():.3f} {now() - self.began:8.2f} {text}\n")
        self.told.flush()

    def broken(self, what, expected, seen, at=None):
        """Records that a promise was broken."""
        text = (f"BROKEN: {what}\n  seed      {self.seed}\n  time      {(at or now()) - self.began:.2f} s (clock {at or now():.3f})\n"
                f"  step      {self.step}\n  expected  {expected}\n  seen      {seen}\n  logs      {self.bed.kept}")
        self.tell(text)
        if self.faults.count(what) < TOLD_EACH:
            print(text, flush=True)
        self.faults.append(what)
        if not self.keep_going:
            raise Broken(what)

    def count(self, what, by=1):
        self.counts[what] = self.counts.get(what, 0) + by

    # Pods.

    pods = property(lambda self: [member.pod for member in self.members.values()])

    def name_for(self, step):
        return f"{step.kind}-{self.number}"

    def add(self, pod):
        self.members[pod.name] = Member(pod, now(), not pod.guilty)
        self.bed.put(pod)

    def remove(self, pod):
        member = self.members[pod.name]
        if member.removed is None:
            member.removed = now()
            self.bed.manifest_of(pod).unlink(missing_ok=True)

    def innocent(self, number):
        """One of the pods that are always there; any number selects one."""
        standing = [member.pod for member in self.members.values() if member.innocent and member.removed is None
                    and not member.pod.fault and self.bed.manifest_of(member.pod).exists() and member.pod not in self.busy]
        return standing[int(number * 1000) % len(standing)]

    def standing(self):
        return [member for member in self.members.values() if member.removed is None]

    def add_innocents(self):
        for pod in innocents(self.bed.containerd):
            self.add(pod)

    def run_outside(self, load):
        """A process of the node that belongs to no pod."""
        procs = self.bed.group / "outside/cgroup.procs"
        return subprocess.Popen([self.bed.build / "chaos/chaos_load", self.bed.journal, f"outside-{self.number}", *map(str, load)],
                                stdin=subprocess.DEVNULL, preexec_fn=lambda: procs.write_text(str(os.getpid())))

    def room(self):
        """Bytes above the node's threshold."""
        return max((self.witness.available or 0) - self.bed.line, 0)

    # Windows of time.

    def open_window(self, windows):
        windows.append([now(), None])
        return windows[-1]

    @staticmethod
    def close_window(window):
        window[1] = now()

    def closing(self, thing):
        self._to_close.append(thing)

    def close(self, thing):
        if thing in self._to_close:
            self._to_close.remove(thing)
            thing.close()

    # The agent.

    def start_agent(self, stderr=None):
        if self.bed.agent is None or self.bed.agent.poll() is not None:
            self.bed.start_agent(stderr)

    def kill_agent(self):
        if self.bed.agent.poll() is None:
            self.kills.append(now())
            self.count("agents killed")
            self.bed.end_agent(signal.SIGKILL)

    def term_agent(self):
        if self.bed.agent.poll() is None:
            self.count("agents told to end")
            if not self.bed.end_agent(signal.SIGTERM):
                self.broken("an agent that was told to end", "it ends within 30 s", "it lives")

    def stop_agent(self):
        if self.bed.is_ready():
            self.open_window(self.bed.unguarded)
            self.bed.agent.send_signal(signal.SIGSTOP)
            self.stopped = self.bed.agent

    def continue_agent(self):
        """Continues the agent that was stopped; another one may have been started since, and may not be ready."""
        if self.bed.agent is self.stopped and self.stopped.poll() is None:
            self.stopped.send_signal(signal.SIGCONT)
            if self.bed.unguarded[-1][1] is None:
                self.bed.unguarded[-1][1] = now()
        self.stopped = None

    def look_after_agent(self):
        """An agent that ended by itself has broken a promise."""
        if self.bed.agent_wanted and self.bed.agent.poll() is not None:
            self.bed.agent_wanted = False
            self.open_window(self.bed.unguarded)
            self.broken("the agent lives", "it ends when it is told to", f"it ended with status {self.bed.agent.returncode}")
            self.bed.start_agent()

    # Time.

    def later(self, seconds, function):
        heapq.heappush(self._later, (now() + seconds, next(self._order), function))

    def begin(self, step):
        self.number += 1
        self.step = step
        self.tell(f"step {step}")
        self.count(f"step {step.kind}")
        for seconds, function in steps.ALL[step.kind](self, step):
            self.later(seconds, function)

    def play(self, planned):
        """Begins each step at its time, and does what the steps have postponed, until nothing is left."""
        start = now()
        for step in planned:
            heapq.heappush(self._later, (start + step.at, next(self._order), lambda step=step: self.begin(step)))
        while self._later:
            due = self._later[0][0]
            while (left := due - now()) > 0:
                wait_for(lambda: False, min(left, 0.25))
                self.look_after_agent()
                self.collect()
                due = self._later[0][0]
            heapq.heappop(self._later)[2]()

    def forget_removed(self):
        """Forgets pods that are gone and were judged."""
        self.members = {name: member for name, member in self.members.items() if member.removed is None}

    def collect(self):
        """Reads the agent's records of evictions before there are too many of them."""
        if now() - self._shifted > 1:
            self._shifted = now()
            self.records |= self.bed.kept_evictions()
