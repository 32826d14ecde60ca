#!/usr/bin/env python3
"""Measures how fast evictions follow one another where one alone does not help.

    tests/measure/succession.py build/release [--pods N] [--runs N] [--json FILE]
    tests/measure/succession.py build/release --lower-limit [--pods N] [--evictions N] [--growth MIB_S] [--json FILE]

Runs the agent of that build in a node of its own (a control group of v1; needs root) beside N pods (200). From one moment on
all of them take memory for 1.5 s, together by twice as much as was left above the threshold, so many evictions must follow one
another. A table in Markdown says, for the evictions within that time,

    how long it was from the end of the last victim's process to the signal of the next one (0 if that came first), and
    how long from one signal to the next,

and how many processes ended without a signal of the agent, because the kernel ended them for the node's memory.

With --lower-limit the node has N pods (1000), of which twice as many as --evictions (200) grow slowly, together by --growth
(500). Meanwhile the node's limit is lowered to 300 MiB above its usage, which is far less than its threshold, and SIGHUP
tells the agent, so that about as many evictions as that must follow one another. A table says how long it was from the clean-
up of each victim, the end of its process and the removal of its groups, to the signal of the next one, by the reason for
which the agent said meanwhile that the eviction waits.
"""
import argparse
import json
import os
import signal
import statistics
import sys

import ends
import lowered_limit
from lowered_limit import full_passes
from node import MIB, Node, wait_for

HOLD, GROWN = 5, 8  # MiB of each pod
GROW_SECONDS = 1.5
LEFT, THRESHOLD = MIB, MIB  # for each pod: left above the threshold before they grow, and the threshold itself


def run(build, pods):
    """(signal, end) of each victim in nanoseconds, by the time of its signal; and how many ended without one."""
    with Node(build, pods * (HOLD * MIB + LEFT + THRESHOLD), pods * THRESHOLD) as node:
        rate = (GROWN - HOLD) / GROW_SECONDS
        reports = [node.add_pod(f"pod-{i}", hold_mib=HOLD, growth=(rate, GROWN)) for i in range(pods)]
        node.start_agent()
        node.wait_until_ready(reports)
        report_of = {report.pid: report for report in reports}
        processes = ends.ProcessEnds(report_of)
        passes = full_passes(node)  # those after the start follow one another at once
        wait_for(lambda: full_passes(node) > passes, "a pass by the clock", interval=0.1)
        with ends.real_time():
            node.gate.touch()
            ends.watch(GROW_SECONDS, lambda: False, processes)
        seen = [(report_of[pid].signal_ns, at) for pid, at in processes.at.items()]
        return sorted(pair for pair in seen if pair[0]), sum(not signal for signal, _ in seen)


def times_between(victims):
    """Milliseconds from the end of each victim to the next signal, and from signal to signal."""
    pairs = list(zip(victims, victims[1:]))
    return ([max(0, following[0] - before[1]) / 1e6 for before, following in pairs],
            [(following[0] - before[0]) / 1e6 for before, following in pairs])


def row(name, times):
    times = sorted(times)
    return f"| {name} | {statistics.median(times):.2f} | {times[int(len(times) * 0.9)]:.2f} | {times[-1]:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--pods", type=int, help="200, and 1000 with --lower-limit")
    parser.add_argument("--lower-limit", action="store_true")
    parser.add_argument("--evictions", type=int, default=200)
    parser.add_argument("--growth", type=float, default=500, help="of all pods that grow, MiB a second")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", help="a file for the times of all signals and ends")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("succession.py: control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("succession.py: ended"))  # so that nothing is left behind
    if options.lower_limit:
        found = lowered_limit.run(options.build, options.pods or 1000, options.evictions, options.growth)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(found, file)
        lowered_limit.tell(found)
        return 0
    pods = options.pods or 200
    runs = [run(options.build, pods) for _ in range(options.runs)]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(runs, file)
    after_end, apart = [], []
    for victims, _ in runs:
        for times, more in zip((after_end, apart), times_between(victims)):
            times += more
    if not apart:
        sys.exit("succession.py: no run had two evictions")
    print(f"| {pods} pods that grow together, {options.runs} runs | median (ms) | 90% | worst |\n| --- | --- | --- | --- |")
    print(row("end of a victim to the next signal", after_end))
    print(row("signal to signal", apart))
    print(f"\nEvictions a run: {', '.join(str(len(victims)) for victims, _ in runs)}; "
          f"ended by the kernel: {', '.join(str(killed) for _, killed in runs)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
