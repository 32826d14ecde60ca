"""Everything at once: 5,000 processes and 50,000 files a second, 500 MiB/s of log lines, 400 MiB/s of memory.

All guilty pods are evicted, and no other; from crossing the threshold on memory to the signal it takes less
than 5 ms. Each run has a node of its own.
"""
import typing

import judge
from bed import now, wait_for
from pods import Pod, processes_of
from signals import SignalsSent

SIGNAL_MS = 5.0
GONE_SECONDS = 60.0


def _guilty(bed):
    gate = str(bed.gates / "gate")
    return [
        Pod("bomb-of-processes", ["forks", 5000, 20_000], frozenset(["pids"]), gate=gate),
        Pod("bomb-of-files", ["inodes", "DATA", 50_000, 10_000_000], frozenset(["inodes"]), gate=gate),
        Pod("flood", ["log", 500], frozenset(["disk"]), gate=gate),
        Pod("leak", ["leak", 400, 4000], frozenset(["memory"]), gate=gate),
    ]


def _ended(run, pod):
    """When a pod was told to end, or was seen dead; None while it is alive."""
    for event in pod.events(run.bed):
        if event.what == "term":
            return event.at
    return None if pod.lives() else now()


class Answer(typing.NamedTuple):
    """From crossing the threshold on memory, in ms; None: it was not crossed, or the kernel does not report it."""
    sent: float | None  # until the first guilty pod was sent a SIGTERM
    handled: float | None  # until its handler ran, which needs a processor

    @property
    def late(self):
        return self.handled if self.sent is None else self.sent


def answer(run, pods, signals, since):
    crossed = next((seen.since for seen in run.witness.intervals() if seen.since > since), None)
    if crossed is None:
        return Answer(None, None)
    earliest = crossed - 0.001
    told = [event.at for pod in pods for event in pod.events(run.bed) if event.what == "term"]
    handled = min((at for at in told if at >= earliest), default=None)
    sent = signals.first(earliest)
    return Answer(*(None if at is None else 1000 * (at - crossed) for at in (sent, handled)))


def _gap_at_the_crossing(run, since):
    """The longest time between two looks of the witness around the crossing, ms: how sharp the figure is."""
    crossed = next((seen.since for seen in run.witness.intervals() if seen.since > since), None)
    return 1000 * run.witness.longest_gap(crossed, 0.15) if crossed else 0.0


def one(options, folder, a_run):
    """One run: the answer, seconds until all are gone, the witness' longest gap in ms, what is broken."""
    with a_run(options, folder, log_size="1Gi", backoff="300s", period_us=200, clock=False) as run:
        run.add_innocents()
        guilty = _guilty(run.bed)
        for pod in guilty:
            run.add(pod)
        run.start_agent()
        wait_for(lambda: all(pod.lives() for pod in guilty), 30)
        wait_for(lambda: False, 2)
        signals = SignalsSent([pid for pod in guilty for pid in processes_of(pod.name)])
        run.step = "the gate is opened"
        opened = now()
        (run.bed.gates / "gate").touch()
        if not wait_for(lambda: all(_ended(run, pod) for pod in guilty), GONE_SECONDS, 0.05):
            run.broken("the guilty go", f"all four within {GONE_SECONDS:g} s",
                       "still there: " + ", ".join(pod.name for pod in guilty if not _ended(run, pod)))
        took = now() - opened
        answered = answer(run, guilty, signals, opened)
        signals.close()
        gap = _gap_at_the_crossing(run, opened)
        for pod in guilty:
            run.remove(pod)
        judge.agent_answers(run)
        judge.guilty_are_gone(run)
        judge.nobody_is_lost(run)
        judge.no_oom_kill(run)
        judge.innocents_live(run)
        judge.evictions_are_explained(run)
        judge.nothing_is_left(run)
        return answered, took, gap, run.faults


def _ms(time):
    return "not told" if time is None else f"{time:.2f} ms"


def play(options, folder, a_run):
    faults, times = [], []
    for number in range(options.runs):
        answered, took, gap, broken = one(options, folder / f"run-{number}", a_run)
        faults += broken
        times += [answered.late] if answered.late is not None else []
        crossing = "not crossed" if answered.late is None else f"{_ms(answered.sent)}, to its handler {_ms(answered.handled)}"
        print(f"run {number}: crossing to signal {crossing}, all gone after {took:.1f} s, "
              f"longest gap of the witness then {gap:.1f} ms, {len(broken)} broken", flush=True)
    if times:
        times.sort()
        print(f"crossing to signal: median {times[len(times) // 2]:.2f} ms, worst {times[-1]:.2f} ms, {len(times)} of {options.runs} runs")
        slow = [late for late in times if late > SIGNAL_MS]
        if slow:
            faults.append(f"crossing to signal takes less than {SIGNAL_MS:g} ms")
            print(f"BROKEN: {faults[-1]}: {len(slow)} of {len(times)} took longer")
    return faults
