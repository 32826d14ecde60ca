#!/usr/bin/env python3
"""measure.py BUILD [--runtime cri] [--only PART] [--rate R] [--beside WHAT] [--runs N] [--idle-seconds S] [--json FILE] [--check]

Measures the agent as a whole, in a small node of its own (1 GiB, threshold 100 MiB) on this machine:

  growth   A best-effort pod grows from nothing beside a burstable pod over its request, one under it,
           a guaranteed one and an idle best-effort one. From crossing the threshold to the signal,
           how far below the threshold memory fell until then, and who was evicted; N runs a rate,
           each with an agent and pods of its own.
  clock    The same as growth without notifications of the kernel: memory is read at fixed intervals.
  idle     Memory, CPU time and wake-ups of the agent with five quiet pods, and with 110 of them on a
           node of 4 GiB.

With --runtime cri the pods run on a containerd of the measurement's own.

With --beside N, N idle pods are beside those of growth and clock. With --beside moving-cache another process reads a file
of 2 GiB twice and drops it, again and again, and the bounds are those of how far below the threshold memory was at the
signal.

Prints tables in Markdown; --json also writes every single run. With --check the exit status is 1 when
a bound is missed. Needs root. BUILD holds jettison and the target measure_programs.
"""
import argparse
import contextlib
import dataclasses
import json
import math
import os
import signal
import statistics
import sys
import time

import meter
import moving_cache
from containerd import Containerd
from node import MIB, Node, wait_for

CAPACITY = 1024 * MIB
THRESHOLD = 100 * MIB
MOVING = "moving-cache"

# The bounds.
LATENCY_MS = {0: (2, 10), 110: (5, 15), 1000: (20, 40)}  # median and worst at RATE, by the number of idle pods beside
RATE = 400  # MiB a second
VICTIM_RATES = (200, 800)  # of a series on containerd
IDLE_PODS, IDLE_CAPACITY, CPU_PERCENT = (5, 110), 4096 * MIB, 0.3
RSS_MIB = {"process": 16.0, "cri": 24.0}  # with five pods


@dataclasses.dataclass
class Setting:
    """Where the pods of a measurement run."""
    build: str
    containerd: Containerd | None = None
    idle: int = 0  # idle pods beside the others
    notified: bool = True  # the kernel notifies the agent of levels
    moving: bool = False  # beside page cache that moves

    def node(self, capacity=CAPACITY):
        """A node with the same memory left for the other pods, however many idle pods there are."""
        capacity += self.idle * MIB + (moving_cache.ROOM if self.moving else 0)
        return Node(self.build, capacity, THRESHOLD, self.containerd, self.notified)

    def describe(self):
        beside = f" beside {self.idle} idle pods" if self.idle else ""
        beside += " beside page cache that moves" if self.moving else ""
        return ("pods on containerd" if self.containerd else "process runtime") + beside + (
            "" if self.notified else ", by the clock alone")


def add_others(node):
    """The pods beside the one that grows: their reports by what they are."""
    return {
        "burstable over its request": node.add_pod("over", hold_mib=100, request_mib=50),
        "burstable under its request": node.add_pod("under", hold_mib=100, request_mib=200),
        "guaranteed": node.add_pod("guaranteed", hold_mib=100, request_mib=200, limit_mib=200),
        "idle best-effort": node.add_pod("idle", hold_mib=5),
    }


def also_evicted(others):
    return [name for name, report in others.items() if report.signal_ns or not os.path.exists(f"/proc/{report.pid}")]


def grow_once(setting, rate):
    """One run of `growth`: what the watcher saw, and which other pods got a signal."""
    with setting.node() as node:
        others = add_others(node)
        grower = node.add_pod("grower", hold_mib=0, growth=(rate, node.capacity // MIB))
        quiet = [node.add_pod(f"quiet-{i}", hold_mib=0) for i in range(setting.idle)]
        node.start_agent()
        node.wait_until_ready([grower, *others.values(), *quiet])
        node.wait_for_full_pass()  # which opens the files of the pods
        with node.moving_cache() if setting.moving else contextlib.nullcontext():
            seen = node.watch(grower)
            wait_for(lambda: not os.path.exists(f"/proc/{grower.pid}"), "the end of the victim", seconds=20)
        time.sleep(1.5)  # further passes follow at once; they may choose more pods
        seen["alsoEvicted"] = also_evicted(others)
        return seen


def latency_of(run, rate):
    """Milliseconds from crossing to signal; None where there was no signal, or one that came too soon.

    Where the signal comes between two samples, the second sees the memory of a hog that has gone, and
    no sample is below the threshold. That counts as 0, if what grows between two samples explains it.
    """
    if run["latencyMs"] is not None or run["signalledNs"] is None:
        return run["latencyMs"]
    unseen = MIB + rate * MIB * run["longestGapUs"] / 1e6
    return 0.0 if run["overshootBytes"] > -unseen else None


def measure_growth(setting, rates, runs, faults):
    results = {}
    print(f"From crossing the threshold to the signal, {setting.describe()}:\n\n"
          "| growth (MiB/s) | runs | only the growing pod evicted | crossing to signal: median, 90%, worst (ms) "
          "| below the threshold at the signal: median, worst (MiB) |\n"
          "| --- | --- | --- | --- | --- |")
    for rate in rates:
        seen = results[rate] = [grow_once(setting, rate) for _ in range(runs)]
        timed = [(run, latency_of(run, rate)) for run in seen]
        right = sum(latency is not None and not run["alsoEvicted"] for run, latency in timed)
        latencies = sorted(latency for _, latency in timed if latency is not None)
        overshoots = sorted(run["overshootBytes"] / MIB for run in seen)
        if not latencies:
            faults.append(f"{rate} MiB/s: no run with a signal")
            continue
        median, worst = statistics.median(latencies), latencies[-1]
        print(f"| {rate} | {len(seen)} | {right} | {median:.2f}, {latencies[math.ceil(len(latencies) * 0.9) - 1]:.2f}, "
              f"{worst:.2f} | {statistics.median(overshoots):.2f}, {overshoots[-1]:.2f} |", flush=True)
        if setting.moving:
            faults += moving_cache.missed(f"{setting.describe()}, {rate} MiB/s", overshoots, right)
            continue
        if right < len(seen):
            faults.append(f"{rate} MiB/s: the right victim alone in {right} of {len(seen)} runs")
        allowed = LATENCY_MS.get(setting.idle) if rate == RATE and setting.notified else None
        if allowed and (median > allowed[0] or worst > allowed[1]):
            faults.append(f"{rate} MiB/s: {median:.2f} ms from crossing to signal, {worst:.2f} at worst, "
                          f"allowed {allowed[0]} and {allowed[1]}")
    gaps = [run["longestGapUs"] for seen in results.values() for run in seen]
    print(f"\nSamples every 0.2 ms, near the threshold without pause; longest time between two of them near the crossing, "
          f"median of the runs: {statistics.median(gaps) / 1000:.2f} ms.\n")
    return results


def measure_idle(setting, pods, seconds, faults):
    with setting.node(IDLE_CAPACITY + pods * 8 * MIB) as node:
        reports = [node.add_pod(f"quiet-{i}", hold_mib=5, request_mib=10) for i in range(pods)]
        node.start_agent()
        node.wait_until_ready(reports)
        node.wait_for_full_pass()
        cost = meter.measure(node.agent.pid, seconds)
    print(f"| idle, {pods} pods | resident (MiB) | private (MiB) | CPU (% of one) | wake-ups/s | threads | descriptors |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n"
          f"| jettison run, {cost.seconds:.0f} s | {cost.rss_kib / 1024:.1f} | {cost.private_kib / 1024:.1f} "
          f"| {cost.cpu_percent:.3f} | {cost.wakeups_per_s:.2f} | {cost.threads} | {cost.descriptors} |\n", flush=True)
    allowed = RSS_MIB["cri" if setting.containerd else "process"]
    if pods == IDLE_PODS[0] and cost.rss_kib / 1024 > allowed:
        faults.append(f"idle: {cost.rss_kib / 1024:.1f} MiB resident, allowed {allowed:g}")
    if cost.cpu_percent > CPU_PERCENT:
        faults.append(f"idle, {pods} pods: {cost.cpu_percent:.3f}% of a CPU, allowed {CPU_PERCENT:g}%")
    return dataclasses.asdict(cost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runtime", choices=["process", "cri"], default="process")
    parser.add_argument("--only", choices=["growth", "clock", "idle"], action="append")
    parser.add_argument("--rate", type=int, action="append", help="of growth, MiB a second; may be given again")
    parser.add_argument("--beside", default="0", metavar=f"N|{MOVING}",
                        help="idle pods beside those of the parts `growth` and `clock`, or page cache that moves")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("measure.py: control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("measure.py: ended"))  # so that nothing is left behind
    faults, results = [], {}
    with contextlib.ExitStack() as stack:
        containerd = stack.enter_context(Containerd(options.build)) if options.runtime == "cri" else None
        moving = options.beside == MOVING
        setting = Setting(options.build, containerd, 0 if moving else int(options.beside), moving=moving)
        rates = options.rate or ([RATE] if moving else (VICTIM_RATES if containerd else [RATE]))
        for part in options.only or ["idle", "growth", "clock"]:
            if part == "idle":
                for pods in IDLE_PODS:
                    results[f"idle, {pods}"] = measure_idle(setting, pods, options.idle_seconds, faults)
                continue
            series = dataclasses.replace(setting, notified=part == "growth")
            results[series.describe()] = measure_growth(series, rates, options.runs, faults)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    for fault in faults:
        print(f"bound missed: {fault}")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
