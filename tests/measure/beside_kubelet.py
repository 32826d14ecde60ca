#!/usr/bin/env python3
"""beside_kubelet.py BUILD [--only PART]... [--bed DIR] [--rate R] [--runs N] [--pods N] [--idle-seconds S] [--check]

Measures the agent beside a real kubelet, on a control plane of its own (DIR holds up.sh, down.sh and
agent.sh), a new one for each part. The bed's groups are a node of 1 GiB with a threshold of 128 MiB.

  growth   A best-effort pod of a Deployment grows from nothing, from the moment at which it starts,
           beside a burstable pod over its request, one under it, a guaranteed one and an idle
           best-effort one. From crossing the threshold to the signal and to the end of the process,
           who was evicted, whether anything of it ran again, and what is left of it in the cluster.
           With --beside moving-cache, another process reads a file of 2 GiB twice and drops it, again and again, the rate
           is 400, and the bounds are those of how far below the threshold memory was at the signal; --unnotified: by the
           clock alone.
  idle     Memory, CPU time, wake-ups and requests to the API server of the agent beside these four pods,
           or beside N quiet ones.

Without --only: growth and idle. Prints tables in Markdown. With --check the exit status is 1 when a
bound is missed. Needs root. BUILD holds jettison and the target measure_programs.
"""
import argparse
import contextlib
import json
import os
import signal
import statistics
import sys
import time

import meter
import moving_cache
from kubelet_bed import CAPACITY, Bed, repeated, start_neighbours, told_to_end
from node import MIB, Report, wait_for

RATES, RUNS = (200, 800), 20
SIGNAL_MS, WORST_SIGNAL_MS, END_MS = 2.0, 10.0, 400.0
RSS_MIB, CPU_PERCENT, REQUESTS_PER_MINUTE = 26.0, 0.15, 1.0  # at rest


def grow_once(bed, rate, number):
    """One run: what the watcher saw, and what became of the pod."""
    name = f"hog{rate}x{number}"
    before = len(bed.evicted())
    report = Report(bed.shared / f"{name}.report")
    watch = bed.watch(name)
    bed.deploy(name, 0, growth=(rate, bed.capacity // MIB + 1000))
    wait_for(lambda: report.signal_ns or watch.poll() is not None, "the signal", seconds=70)
    pid = report.pid
    wait_for(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the process", seconds=20, interval=0.0005)
    ended_ns = time.monotonic_ns()
    seen = json.loads(watch.communicate()[0])
    time.sleep(1.5)  # if anything starts it again, it has done so by then
    seen["again"] = report.pid != pid and os.path.exists(f"/proc/{report.pid}")
    seen["endMs"] = (ended_ns - seen["crossedNs"]) / 1e6 if seen["crossedNs"] else None
    seen["others"] = [victim for victim in bed.evicted()[before:] if victim != name]
    seen["evictions"] = bed.evicted()[before:].count(name)
    seen["failedObjects"] = bed.failed_objects()
    bed.remove(name)
    wait_for(lambda: not bed.tainted(), "the end of the taint", seconds=60, interval=0.2)
    return seen


def tell_growth(rate, seen, moving, faults):
    right = sum(run["evictions"] == 1 and not run["others"] for run in seen)
    # Beside page cache that moves, memory falls below the threshold for some milliseconds again and again.
    late = "belowMs" if moving else "latencyMs"
    signals = sorted(run[late] for run in seen if run[late] is not None)
    ends = sorted(run["endMs"] for run in seen if run["endMs"] is not None)
    again = sum(run["again"] for run in seen)
    failed = max(run["failedObjects"] for run in seen)
    overshoots = sorted(run["overshootBytes"] / MIB for run in seen)
    print(f"| {rate} | {len(seen)} | {right} | {statistics.median(signals):.2f}, {signals[-1]:.2f} | "
          f"{statistics.median(overshoots):.2f}, {overshoots[-1]:.2f} | "
          f"{statistics.median(ends):.0f}, {ends[-1]:.0f} | {again} | {failed} |", flush=True)
    if moving:
        faults += moving_cache.missed(f"{rate} MiB/s", overshoots, right)
        return
    for missed, what in ((right < len(seen), f"the right pod alone in {right} of {len(seen)} runs"),
                         (statistics.median(signals) > SIGNAL_MS, f"to the signal {statistics.median(signals):.2f} ms"),
                         (signals[-1] > WORST_SIGNAL_MS, f"to the signal {signals[-1]:.2f} ms at worst"),
                         (statistics.median(ends) > END_MS, f"to the end {statistics.median(ends):.0f} ms"),
                         (again, f"{again} ran again"), (failed, f"{failed} Failed objects")):
        if missed:
            faults.append(f"{rate} MiB/s: {what}")


def measure_growth(options, faults):
    print("| growth (MiB/s) | runs | only the growing pod evicted | crossing to signal: median, worst (ms) "
          "| below the threshold at the signal: median, worst (MiB) | crossing to the end: median, worst (ms) | ran again | Failed objects left |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    moving = options.beside is not None
    with Bed(options.bed, options.build, capacity=CAPACITY + (moving_cache.ROOM if moving else 0),
             notified=not options.unnotified) as bed:
        start_neighbours(bed)
        bed.start_agent()
        with moving_cache.MovingCache([bed.memory_group / "kubepods"], bed.folder) if moving else contextlib.nullcontext():
            for rate in options.rate or ([400] if moving else RATES):
                tell_growth(rate, repeated(options.runs, lambda number, rate=rate: grow_once(bed, rate, number)), moving, faults)
                if told_to_end.is_set():
                    break
    print()


def start_quiet(bed, pods):
    """This many pods whose program only waits."""
    spec = {"hostNetwork": True, "automountServiceAccountToken": False, "terminationGracePeriodSeconds": 1,
            "containers": [{"name": "quiet", "image": "bed.local/app:1", "args": ["pause"]}]}
    bed.deploy_spec("quiet", spec, replicas=pods)
    wait_for(lambda: bed.kubectl("get", "pods", "--field-selector=status.phase=Running", "-o", "name").count("pod/") == pods,
             f"the start of {pods} pods", seconds=60 + 5 * pods, interval=2)


def measure_idle(options, faults):
    kubelet = {"maxPods": options.pods + 10} if options.pods else None
    with Bed(options.bed, options.build, kubelet) as bed:
        start_neighbours(bed) if options.pods == 0 else start_quiet(bed, options.pods)
        bed.start_agent()
        time.sleep(options.settle_seconds)
        asked_before = len(bed.requests())
        cost = meter.measure(bed.agent.pid, options.idle_seconds)
        asked = bed.requests()[asked_before:]
    rss, watches = cost.rss_kib / 1024, sum(entry["verb"] == "watch" for entry in asked)
    a_minute = (len(asked) - watches) * 60 / cost.seconds
    print("| beside an idle kubelet | pods | resident (MiB) | private (MiB) | CPU (% of one) | wake-ups/s | threads "
          "| descriptors | requests a minute | watches begun |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    print(f"| {cost.seconds:g} s | {options.pods or 4} | {rss:.1f} | {cost.private_kib / 1024:.1f} | {cost.cpu_percent:.3f} | "
          f"{cost.wakeups_per_s:.2f} | {cost.threads} | {cost.descriptors} | {a_minute:.2f} | {watches} |\n", flush=True)
    print(f"asked before: {asked_before} requests", file=sys.stderr, flush=True)
    for entry in asked:
        print(f"asked: {entry['verb']} {entry['requestURI']}", file=sys.stderr, flush=True)
    for seen, allowed, what in ((rss, RSS_MIB, "MiB resident"), (cost.cpu_percent, CPU_PERCENT, "% of a processor"),
                                (a_minute, REQUESTS_PER_MINUTE, "requests a minute")):
        if seen > allowed:
            faults.append(f"idle: {seen:.2f} {what}, allowed {allowed:g}")


PARTS = {"growth": measure_growth, "idle": measure_idle}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", action="append", choices=PARTS, help="may be given again")
    parser.add_argument("--bed", default=os.environ.get("JETTISON_KUBERNETES_BED", "../shared/testbed/kubernetes"))
    parser.add_argument("--rate", type=int, action="append", help="of growth, MiB a second; may be given again")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--beside", choices=["moving-cache"], help="of growth")
    parser.add_argument("--unnotified", action="store_true", help="of growth: without the kernel's notifications of levels")
    parser.add_argument("--pods", type=int, default=0, help="of idle: so many quiet pods of the kubelet")
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--settle-seconds", type=float, default=15, help="from the agent's start to the first figure of idle")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("beside_kubelet.py: control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("beside_kubelet.py: ended"))  # so that nothing is left behind
    faults = []
    for part in options.only or ("growth", "idle"):
        began = time.monotonic()
        PARTS[part](options, faults)
        print(f"{part}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        if told_to_end.is_set():
            break
    for fault in faults:
        print(f"bound missed: {fault}")
    if told_to_end.is_set():
        sys.exit("beside_kubelet.py: ended before all runs were done")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
