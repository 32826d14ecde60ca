"""The bare loop (bare.cc) in the agent's place, in turn with the agent itself."""
import json
import math
import os
import signal
import statistics
import subprocess
import time

import ends
from node import Node, wait_for

RATE = 400  # MiB a second
# The bounds: of the agent's median, by idle pods beside, the worst being below three times that; of the medians' ratio.
AGENT_MS = {0: 0.8, 110: 1.0, 500: 2.0, 1000: 3.5}
RATIO = 1.5


def _watch(node, report):
    """Node.watch with the bare loop; the agent, whose pods and groups stay as they are, stands still."""
    pod = node.memory_group.parent / ends.pod_group_of(report.pid)
    command = [node.build / "measure/measure_bare", node.memory_group, pod.parent, pod, report.pid, node.capacity, node.threshold]
    os.kill(node.agent.pid, signal.SIGSTOP)
    try:
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as loop:
            try:
                if loop.stdout.readline() != "armed\n":
                    raise RuntimeError("measure_bare did not begin")
                seen = node.watch(report)
                seen["bare"] = json.loads(loop.stdout.readline())
            finally:
                loop.kill()
        wait_for(lambda: not os.path.exists(f"/proc/{report.pid}"), "the end of the victim")
        return seen
    finally:
        os.kill(node.agent.pid, signal.SIGCONT)


def _grow(node, name, growth, watch):
    node.gate.unlink(missing_ok=True)
    report = node.add_pod(name, hold_mib=0, growth=growth, restart="Never")
    node.wait_until_ready([report])
    time.sleep(1.5)  # the notification is armed again once the pod exists
    seen = watch(node, report)
    node.remove(name)
    wait_for(lambda: not os.path.exists(f"/proc/{report.pid}"), "the end of the victim")
    time.sleep(1.5)  # further passes follow at once; they may choose more pods
    return seen


def in_turn(node, growth, runs, also_evicted):
    """Pods grow one after the other; what was seen of those that the agent ended, and of those that the bare loop did."""
    results = {"agent": [], "bare loop": []}
    for number in range(runs):
        for way, watch in (("agent", Node.watch), ("bare loop", _watch)):
            seen = _grow(node, f"grower-{number}-{way[0]}", growth, watch)
            seen["alsoEvicted"] = also_evicted()
            results[way].append(seen)
    return results


def tell(results, times, idle):
    """Prints the table of the milliseconds that each took; the bounds that were missed."""
    print("| | runs | only the growing pod ended | median (ms) | 90% | worst | ratio of the medians |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    faults, medians, worst = [], {}, {}
    for way, seen in results.items():
        known = sorted(time for time in times[way] if time is not None)
        right = sum(time is not None and not run["alsoEvicted"] for time, run in zip(times[way], seen))
        if right < len(seen):
            faults.append(f"{way}: the right victim alone in {right} of {len(seen)} runs")
        if not known:
            return faults
        medians[way], worst[way] = statistics.median(known), known[-1]
        print(f"| {way} | {len(seen)} | {right} | {medians[way]:.2f} | {known[math.ceil(len(known) * 0.9) - 1]:.2f} "
              f"| {worst[way]:.2f} | {medians['agent'] / medians[way]:.2f} |")
    reads = statistics.median(run["bare"]["readUs"] for run in results["bare loop"])
    print(f"\nThe bare loop's last look and the call that signals took {reads:.0f} us (median).\n", flush=True)
    allowed = AGENT_MS.get(idle, math.inf)
    if medians["agent"] > allowed or worst["agent"] >= 3 * allowed:
        faults.append(f"median {medians['agent']:.2f} ms and worst {worst['agent']:.2f}, allowed {allowed:g} and three times that")
    if medians["agent"] > RATIO * medians["bare loop"]:
        faults.append(f"{medians['agent'] / medians['bare loop']:.2f} times as long as the bare loop, allowed {RATIO:g}")
    return faults
