#!/usr/bin/env python3
"""measure.py BUILD [--runtime cri] [--only PART] [--rate R] [--runs N] [--idle-seconds S] [--first] [--json FILE] [--check]

Measures the agent as a whole, in a small node of its own (1 GiB, threshold 100 MiB) on this machine:

  growth   A best-effort pod grows from nothing beside a burstable pod over its request, one under it,
           a guaranteed one and an idle best-effort one. From crossing the threshold to the signal,
           how far below the threshold memory fell until then, and who was evicted; N runs a rate,
           each with an agent and pods of its own.
  clock    The same as growth without notifications of the kernel: memory is read at fixed intervals.
  start    From exec to the end of the first pass, N runs.
  idle     Memory, CPU time and wake-ups of the agent with five quiet pods.
  many     The same with 110 of them on a node of 4 GiB, at rest and under memory pressure that lasts, each
           with the kernel's notifications and without.
  asked    How long a pass over 110 pods (--pods) takes while an onlooker asks a hundred times a second, beside one
           that nobody looks at, in turn.
  relief   From the signal until the memory of an evicted pod of a GiB is back, beside SIGKILL of such a
           pod's process with nothing else; N runs each.

With --runtime cri the pods run on a containerd of the measurement's own, idle has fifty pods, start is
left out, clock is left out unless it is asked for, and growth comes twice more: beside fifty sandboxes, and while containerd is stopped (SIGSTOP).

With --beside moving-cache another process reads a file of 2 GiB twice and drops it, again and again, and the bounds of
growth and clock are those of how far below the threshold memory was at the signal.

With --first the pods and the witness come before everything else on the machine, as the agent does by itself: what else
runs there then hardly delays the handling of a signal.

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
import socket
import statistics
import sys
import time

import meter
import moving_cache
import onlookers
from containerd import Containerd
from node import MIB, Node, wait_for

CAPACITY = 1024 * MIB
THRESHOLD = 100 * MIB
RATES = (50, 200, 800, 1000)  # MiB a second
MOVING = "moving-cache"

# The bounds.
LATENCY_MS = {50: 20.0, 200: 5.0, 1000: 5.0}  # median
VICTIM_RATES = (200, 800)  # only the growing pod is evicted, in every run
OVERSHOOT_MIB, OVERSHOOT_SECONDS = 10, 0.02  # looks are at most 20 ms apart there
MANY_PODS, MANY_CAPACITY, MANY_CPU_PERCENT, MANY_WAKEUPS = 110, 4096 * MIB, 0.3, {False: 4.0, True: 20.0}
ASKED_RATIO = 1.05
FIRST_PASS_MS, RSS_MIB, CPU_PERCENT = 20.0, 12.0, 0.1
RELIEF_CAPACITY, RELIEF_RATIO = 1280 * MIB, 1.5
CRI_IDLE_PODS, CRI_RSS_MIB, CRI_PRIVATE_MIB, CRI_CPU_PERCENT = 50, 24.0, 6.0, 0.2


@dataclasses.dataclass
class Setting:
    """Where the pods of a measurement run."""
    build: str
    containerd: Containerd | None = None
    idle: int = 0  # idle pods beside the others
    hung: bool = False  # containerd is stopped while memory grows
    notified: bool = True  # the kernel notifies the agent of levels
    pressed: bool = False  # under memory pressure all the time
    cache: int = 0  # MiB of page cache, which is taken before anything else
    moving: bool = False  # beside page cache that moves
    first: bool = False  # the pods and the witness come before everything else on the machine

    def node(self, capacity=CAPACITY, **more):
        """A node with the same memory left for the other pods, however many idle pods there are."""
        capacity += self.idle * MIB + (moving_cache.ROOM if self.moving else 0)
        return Node(self.build, capacity, THRESHOLD, self.containerd, self.notified, self.pressed,
                    first=self.first, **more)

    def describe(self):
        beside = f" beside {self.idle} idle pods" if self.idle else ""
        cached = f" beside {self.cache} MiB of page cache" if self.cache else ""
        cached += " beside page cache that moves" if self.moving else ""
        return ("pods on containerd" if self.containerd else "process runtime") + beside + cached + (
            ", containerd stopped" if self.hung else "") + ("" if self.notified else ", by the clock alone")

    @contextlib.contextmanager
    def trouble(self, node):
        if self.hung:
            self.containerd.stop_answering()
        try:
            with node.moving_cache() if self.moving else contextlib.nullcontext():
                yield
        finally:
            if self.hung:
                self.containerd.answer_again()


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
        if setting.cache:
            node.fill_page_cache(setting.cache)
        time.sleep(0.5 + setting.idle * 0.01)  # the notification is armed again once the pods exist
        with setting.trouble(node):
            seen = node.watch(grower)
            wait_for(lambda: not os.path.exists(f"/proc/{grower.pid}"), "the end of the victim", seconds=20)
        time.sleep(1.5)  # further passes follow at once; they may choose more pods
        seen["alsoEvicted"] = also_evicted(others)
        return seen


def bound_overshoot(rate):
    return (OVERSHOOT_MIB + rate * OVERSHOOT_SECONDS) * MIB


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
          "| growth (MiB/s) | runs | only the growing pod evicted | crossing to signal: median, 90%, 99%, worst (ms) "
          "| below the threshold at the signal: median, worst (MiB) | allowed (MiB) |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for rate in rates:
        seen = results[rate] = [grow_once(setting, rate) for _ in range(runs)]
        timed = [(run, latency_of(run, rate)) for run in seen]
        right = sum(latency is not None and not run["alsoEvicted"] for run, latency in timed)
        latencies = sorted(latency for _, latency in timed if latency is not None)
        overshoots = sorted(run["overshootBytes"] / MIB for run in seen)
        allowed = bound_overshoot(rate) / MIB
        if not latencies:
            faults.append(f"{rate} MiB/s: no run with a signal")
            continue
        median = statistics.median(latencies)
        nine, ninety_nine = (latencies[math.ceil(len(latencies) * share) - 1] for share in (0.9, 0.99))
        print(f"| {rate} | {len(seen)} | {right} | {median:.2f}, {nine:.2f}, {ninety_nine:.2f}, "
              f"{latencies[-1]:.2f} | {statistics.median(overshoots):.2f}, {overshoots[-1]:.2f} | {allowed:.0f} |",
              flush=True)
        if setting.moving:
            faults += moving_cache.missed(f"{setting.describe()}, {rate} MiB/s", overshoots, right)
            continue
        if setting.notified and median > LATENCY_MS.get(rate, float("inf")):
            faults.append(f"{rate} MiB/s: median {median:.2f} ms from crossing to signal, allowed {LATENCY_MS[rate]:g}")
        if rate in VICTIM_RATES and right < len(seen):
            faults.append(f"{rate} MiB/s: the right victim alone in {right} of {len(seen)} runs")
        if rate in VICTIM_RATES and overshoots[-1] > allowed:
            faults.append(f"{rate} MiB/s: {overshoots[-1]:.1f} MiB below the threshold, allowed {allowed:g}")
    gaps = [run["longestGapUs"] for seen in results.values() for run in seen]
    print(f"\nSamples every 0.2 ms, near the threshold without pause; longest time between two of them near the crossing, "
          f"median of the runs: {statistics.median(gaps) / 1000:.2f} ms.\n")
    return results


def milliseconds_until_back(node, since_ns, before):
    """The time until less than 64 MiB of the node are used, per GiB of the `before` bytes used before."""
    usage = node.memory_group / "memory.usage_in_bytes"
    wait_for(lambda: int(usage.read_text()) < 64 * MIB, "the return of the memory", interval=0.0005)
    return (time.monotonic_ns() - since_ns) / 1e6 / (before / (1024 * MIB))


def relief_once(setting, evicted):
    """Milliseconds per GiB, of a pod that the agent evicts or of one that is only killed."""
    with setting.node(RELIEF_CAPACITY) as node:
        grower = node.add_pod("grower", hold_mib=1024, growth=(200, 2048))
        node.start_agent()
        node.wait_until_ready([grower])
        time.sleep(0.5)
        if evicted:
            node.watch(grower)
            return milliseconds_until_back(node, grower.signal_ns, RELIEF_CAPACITY - THRESHOLD)
        node.agent.kill()
        node.agent.wait()
        began = time.monotonic_ns()
        os.kill(grower.pid, signal.SIGKILL)
        return milliseconds_until_back(node, began, 1024 * MIB)


def measure_relief(setting, runs, faults):
    results = {way: sorted(relief_once(setting, way == "evicted") for _ in range(runs)) for way in ("evicted", "killed")}
    medians = {way: statistics.median(times) for way, times in results.items()}
    print(f"| memory of a pod of 1 GiB back, {setting.describe()} | runs | median (ms per GiB) | worst | ratio |\n"
          "| --- | --- | --- | --- | --- |")
    for way, times in results.items():
        print(f"| {way} | {len(times)} | {medians[way]:.0f} | {times[-1]:.0f} | {medians[way] / medians['killed']:.2f} |")
    print(flush=True)
    if medians["evicted"] > RELIEF_RATIO * medians["killed"]:
        faults.append(f"relief: {medians['evicted']:.0f} ms, SIGKILL takes {medians['killed']:.0f}, allowed {RELIEF_RATIO:g} times")
    return results


def add_quiet_pods(node, count):
    return [node.add_pod(f"quiet-{i}", hold_mib=5, request_mib=10) for i in range(count)]


def first_pass_once(build):
    """Milliseconds from exec to READY=1, which the agent sends when its first pass is over."""
    with (Node(build, CAPACITY, THRESHOLD) as node,
          socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices):
        add_quiet_pods(node, 5)
        address = str(node.folder / "notify")
        notices.bind(address)
        notices.settimeout(20)
        os.environ["NOTIFY_SOCKET"] = address
        try:
            node.start_agent()
            while b"READY=1" not in notices.recv(4096):
                pass
            took = (time.monotonic_ns() - node.started_ns) / 1e6
        finally:
            del os.environ["NOTIFY_SOCKET"]
        return took


def measure_start(build, runs, faults):
    times = sorted(first_pass_once(build) for _ in range(runs))
    median = statistics.median(times)
    print("| exec to the end of the first pass, five pods to start | runs | median (ms) | worst (ms) |\n"
          "| --- | --- | --- | --- |\n"
          f"| jettison run | {runs} | {median:.1f} | {times[-1]:.1f} |\n", flush=True)
    if median > FIRST_PASS_MS:
        faults.append(f"start: {median:.1f} ms to the first finished pass, allowed {FIRST_PASS_MS:g}")
    return times


def measure_idle(setting, seconds, faults):
    pods = CRI_IDLE_PODS if setting.containerd else 5
    rss_mib, cpu_percent = (CRI_RSS_MIB, CRI_CPU_PERCENT) if setting.containerd else (RSS_MIB, CPU_PERCENT)
    with setting.node() as node:
        reports = add_quiet_pods(node, pods)
        node.start_agent()
        node.wait_until_ready(reports)
        time.sleep(2)
        cost = meter.measure(node.agent.pid, seconds)
    print(f"| idle, {pods} pods | resident (MiB) | private (MiB) | CPU (% of one) | wake-ups/s | threads | descriptors |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n"
          f"| jettison run, {cost.seconds:.0f} s | {cost.rss_kib / 1024:.1f} | {cost.private_kib / 1024:.1f} "
          f"| {cost.cpu_percent:.3f} | {cost.wakeups_per_s:.2f} | {cost.threads} | {cost.descriptors} |\n", flush=True)
    if cost.rss_kib / 1024 > rss_mib:
        faults.append(f"idle: {cost.rss_kib / 1024:.1f} MiB resident, allowed {rss_mib:g}")
    if setting.containerd and cost.private_kib / 1024 > CRI_PRIVATE_MIB:
        faults.append(f"idle: {cost.private_kib / 1024:.1f} MiB private, allowed {CRI_PRIVATE_MIB:g}")
    if cost.cpu_percent > cpu_percent:
        faults.append(f"idle: {cost.cpu_percent:.3f}% of a CPU, allowed {cpu_percent:g}%")
    return dataclasses.asdict(cost)


def measure_many(build, pods, seconds, faults):
    results = {}
    print(f"| {pods} quiet pods | notifications | resident (MiB) | private (MiB) | CPU (% of one) | wake-ups/s | threads | descriptors |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |")
    for pressed, notified in ((False, True), (False, False), (True, True), (True, False)):
        setting = Setting(build, notified=notified, pressed=pressed)
        with setting.node(MANY_CAPACITY + pods * 8 * MIB) as node:
            reports = add_quiet_pods(node, pods)
            node.start_agent()
            node.wait_until_ready(reports)
            time.sleep(12)  # until the passes after the start are over
            cost = meter.measure(node.agent.pid, seconds)
        name = "under pressure" if pressed else "at rest"
        print(f"| {name} | {'on' if notified else 'off'} | {cost.rss_kib / 1024:.1f} | {cost.private_kib / 1024:.1f} "
              f"| {cost.cpu_percent:.3f} | {cost.wakeups_per_s:.2f} | {cost.threads} | {cost.descriptors} |", flush=True)
        if cost.cpu_percent > MANY_CPU_PERCENT:
            faults.append(f"{pods} pods {name}: {cost.cpu_percent:.3f}% of a CPU, allowed {MANY_CPU_PERCENT:g}%")
        if cost.wakeups_per_s > MANY_WAKEUPS[pressed]:
            faults.append(f"{pods} pods {name}: {cost.wakeups_per_s:.2f} wake-ups a second, allowed {MANY_WAKEUPS[pressed]:g}")
        results[f"{name}, {notified}"] = dataclasses.asdict(cost)
    print()
    return results


def measure_asked(build, pods, faults):
    with Node(build, MANY_CAPACITY, THRESHOLD, interval="100ms") as node:
        reports = [node.add_pod(f"quiet-{i}", hold_mib=1) for i in range(pods)]
        node.start_agent()
        node.wait_until_ready(reports)
        time.sleep(2)
        alone, asked, answers = onlookers.compare(str(node.folder / "agent.sock"))
    print(f"| {pods} pods, a full pass | median (ms) | ratio |\n| --- | --- | --- |\n"
          f"| nobody asks | {alone:.3f} | 1 |\n"
          f"| {onlookers.REQUESTS_PER_S} requests a second | {asked:.3f} | {asked / alone:.3f} |\n\n"
          + "\n".join(f"{path}: median {took:.2f} ms to the last byte" for path, took in answers.items()) + "\n", flush=True)
    if asked > ASKED_RATIO * alone:
        faults.append(f"asked: a pass takes {asked / alone:.3f} times as long, allowed {ASKED_RATIO:g}")
    return {"alone": alone, "asked": asked, "answers": answers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runtime", choices=["process", "cri"], default="process")
    parser.add_argument("--only", choices=["growth", "clock", "start", "idle", "many", "asked", "relief"], action="append")
    parser.add_argument("--rate", type=int, action="append", help="of growth, MiB a second; may be given again")
    parser.add_argument("--pods", type=int, default=MANY_PODS, help="of the parts `many` and `asked`")
    parser.add_argument("--beside", default="0", metavar=f"N|{MOVING}",
                        help="idle pods beside those of the parts `growth` and `clock`, or page cache that moves")
    parser.add_argument("--cache", type=int, default=0, help="MiB of page cache in the node, of the parts `growth` and `clock`")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("measure.py: control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("measure.py: ended"))  # so that nothing is left behind
    parts = options.only or ["idle", "many", "asked", "start", "growth", "clock", "relief"]
    faults, results = [], {}
    with contextlib.ExitStack() as stack:
        cri = options.runtime == "cri"
        containerd = stack.enter_context(Containerd(options.build)) if cri else None
        moving = options.beside == MOVING
        setting = Setting(options.build, containerd, 0 if moving else int(options.beside), cache=options.cache,
                          first=options.first, moving=moving)
        if "idle" in parts:
            results["idle"] = measure_idle(setting, options.idle_seconds, faults)
        if "many" in parts and not cri:
            results["many"] = measure_many(options.build, options.pods, options.idle_seconds, faults)
        if "asked" in parts and not cri:
            results["asked"] = measure_asked(options.build, options.pods, faults)
        if "start" in parts and not cri:
            results["start"] = measure_start(options.build, options.runs, faults)
        if "growth" in parts:
            results["growth"] = measure_growth(setting, options.rate or (VICTIM_RATES if cri else RATES), options.runs, faults)
        if "clock" in parts and (options.only or not cri):
            unaided = dataclasses.replace(setting, notified=False)
            results[unaided.describe()] = measure_growth(unaided, options.rate or VICTIM_RATES, options.runs, faults)
        if "relief" in parts:
            results["relief"] = measure_relief(setting, options.runs, faults)
        if "growth" in parts and cri and not moving:
            for harder in (Setting(options.build, containerd, idle=CRI_IDLE_PODS),
                           Setting(options.build, containerd, hung=True)):
                results[harder.describe()] = measure_growth(harder, VICTIM_RATES[:1], options.runs, faults)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    for fault in faults:
        print(f"bound missed: {fault}")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
