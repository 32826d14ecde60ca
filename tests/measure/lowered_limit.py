"""A node with many pods whose limit is lowered while some of them grow: a part of succession.py."""
import datetime
import glob
import os
import pathlib
import re
import signal
import statistics
import time

import ends
import host
from node import HIERARCHIES, MIB, Node, wait_for

HOLD = 4  # MiB of each pod that grows, in the beginning
LEFT = 300  # MiB that are left when the limit has been lowered
SPARE = 500  # MiB above the threshold before
SOON_MS = 3
AT_MOST_S = 60
WAITS = re.compile(r"time=(\S+) .*the next eviction waits.* reason=(\S+)")
EVICTIONS = re.compile(r"time=(\S+) .*pod is evicted successfully.* pod=default/(\S+)")


def full_passes(node):
    """How many the agent has made."""
    metrics = host.ask(node.folder / "agent.sock", "/metrics")
    return int(re.search(r'^jettison_pass_duration_seconds_count{kind="full"} (\d+)', metrics, re.MULTILINE).group(1))


def _lower_limit(node):
    """Lowers it, and has the agent look, because the kernel tells nobody of a limit."""
    usage = int((node.memory_group / "memory.usage_in_bytes").read_text())
    (node.memory_group / "memory.limit_in_bytes").write_text(str(usage + LEFT * MIB))
    os.kill(node.agent.pid, signal.SIGHUP)  # it looks at the node at once


def _reported(node, what):
    """(nanoseconds of the monotonic clock, reason or pod) of each such line of the agent; a line's time is in whole milliseconds."""
    offset = time.time_ns() - time.monotonic_ns()
    found = what.findall(node.log.read_text(errors="replace"))
    return [(int(datetime.datetime.fromisoformat(at).timestamp() * 1e9) - offset, said) for at, said in found]


def _oom_kills():
    """Of the whole machine, since its start."""
    return int(re.search(r"^oom_kill (\d+)$", pathlib.Path("/proc/vmstat").read_text(), re.MULTILINE).group(1))


def run(build, pods, evictions, growth):
    """The victims by their signal: (signal, end, removal of the groups) in nanoseconds; the waits; how many the kernel ended.

    A victim that is killed before it can answer SIGTERM has written nothing down; the agent's line of its eviction counts then.
    """
    growers = min(pods, 2 * evictions)
    threshold = evictions * HOLD * 3 // 2
    capacity = threshold + growers * HOLD + pods * 2 + SPARE
    with Node(build, capacity * MIB, threshold * MIB, notified=False) as node:
        rate = growth / growers
        growing = [node.add_pod(f"growing-{i}", hold_mib=HOLD, growth=(rate, 200)) for i in range(growers)]
        idle = [node.add_pod(f"idle-{i}", hold_mib=0) for i in range(pods - growers)]
        node.start_agent()
        node.wait_until_ready([*growing, *idle], seconds=300)
        report_of = {report.pid: report for report in growing}
        group_of = {report.pid: ends.pod_group_of(report.pid) for report in growing}
        parents = {os.path.dirname(group) for group in group_of.values()}
        groups = ends.FolderEnds(path for parent in parents for path in glob.glob(f"{HIERARCHIES}/*/{parent}"))
        processes = ends.ProcessEnds(report_of)
        passes = full_passes(node)  # those after the start follow one another at once
        wait_for(lambda: full_passes(node) > passes, "a pass by the clock", seconds=60, interval=0.1)
        with ends.real_time():
            killed = _oom_kills()
            node.gate.touch()
            time.sleep(0.5)
            _lower_limit(node)
            ends.watch(AT_MOST_S, lambda: len(processes.at) >= evictions, processes, groups)
        evicted_at = {pod: at for at, pod in reversed(_reported(node, EVICTIONS))}
        victims = sorted((report_of[pid].signal_ns or evicted_at[report_of[pid].path.stem], at,
                          groups.at.get(pathlib.Path(group_of[pid]).name, 0))
                         for pid, at in processes.at.items() if report_of[pid].signal_ns or report_of[pid].path.stem in evicted_at)
        return {"victims": victims, "waits": _reported(node, WAITS), "kernel": _oom_kills() - killed}


def gaps(found):
    """(milliseconds from the clean-up of a victim to the next signal, 0 if that came first; the wait reported meanwhile)."""
    pairs = []
    for before, following in zip(found["victims"], found["victims"][1:]):
        cleaned = max(before[1:])
        reasons = [reason for at, reason in found["waits"] if before[0] < at < following[0]]
        pairs.append((max(0, following[0] - cleaned) / 1e6, reasons[-1] if reasons else None))
    return pairs


def tell(found):
    """Prints the table of the times between evictions, by the wait that was reported."""
    pairs = gaps(found)
    if not pairs:
        raise SystemExit("succession.py: there were not two evictions")
    print(f"| the agent said meanwhile | times | within {SOON_MS} ms of the clean-up | median (ms) | worst |\n| --- | --- | --- | --- | --- |")
    for reason in [*sorted({reason for _, reason in pairs if reason}), None]:
        times = sorted(gap for gap, said in pairs if said == reason)
        if times:
            print(f"| {reason or 'nothing'} | {len(times)} | {sum(gap <= SOON_MS for gap in times)} "
                  f"| {statistics.median(times):.1f} | {times[-1]:.1f} |")
    times = sorted(gap for gap, _ in pairs)
    print(f"| all | {len(times)} | {sum(gap <= SOON_MS for gap in times)} | {statistics.median(times):.1f} | {times[-1]:.1f} |\n\n"
          f"Ended by the kernel: {found['kernel']}.")
