"""An eviction while the API server is away: it is in time, the pod stays down, and is deleted once it is back."""
import json
import statistics
import sys
import time

from kubelet_bed import Bed, late_processes, processes, repeated, start_neighbours
from node import wait_for

RATE, AWAY_SECONDS, RUNS = 200, 30, 20
SETTLED = 5  # seconds after the deletion, in which a second one would be seen


def evict_once(bed, number):
    name = f"away{number}"
    before = len(bed.evicted_pods())
    report = bed.deploy(name, 0, growth=(RATE, 3000))
    # A control plane that has lost its API server several times waits longer before it tries again.
    wait_for(lambda: report.ready_ns, "the start of the hog", seconds=300)
    pod, group = bed.pod_of(name)
    wait_for(lambda: f"pod=default/{pod}" in bed.logged(), "the pod in the agent's log")
    before_it = processes(group)
    bed.kill_api_server()
    back_at = time.monotonic() + AWAY_SECONDS
    watch = bed.watch(name)
    late, attempts = late_processes(group, before_it, report, until=lambda: time.monotonic() > back_at)
    seen = json.loads(watch.communicate()[0])
    bed.gate(name).unlink()  # the pod's replacement does not grow
    bed.start_missing()
    began = time.monotonic()
    wait_for(lambda: bed.deletions(pod), "the deletion of the pod", seconds=60, interval=0.05)
    seen["deletedAfter"] = time.monotonic() - began
    time.sleep(SETTLED)
    victims = bed.evicted_pods()[before:]
    seen |= {"late": len(late), "attempts": len(attempts), "deletions": bed.deletions(pod),
             "right": victims == [pod], "failedObjects": bed.failed_objects()}
    if not seen["right"]:
        print(f"{pod} was to be evicted, and these were: {victims}", file=sys.stderr, flush=True)
    bed.remove(name)
    wait_for(lambda: not bed.tainted(), "the end of the taint", seconds=60, interval=0.5)
    return seen


def measure(options, faults):
    with Bed(options.bed, options.build) as bed:
        start_neighbours(bed)
        bed.start_agent()
        seen = repeated(options.runs or RUNS, lambda number: evict_once(bed, number))
    signals = sorted(run["latencyMs"] for run in seen if run["latencyMs"] is not None)
    right = sum(run["right"] for run in seen)
    late, attempts = sum(run["late"] for run in seen), sum(run["attempts"] for run in seen)
    once, failed = sum(run["deletions"] == 1 for run in seen), max(run["failedObjects"] for run in seen)
    told = f"{statistics.median(signals):.2f}, {signals[-1]:.2f}" if signals else "-"
    print(f"| API server away for {AWAY_SECONDS} s | only the growing pod evicted | crossing to signal: median, worst (ms) "
          "| processes of it 0.2 s after its end | starts that the kubelet tried in vain | deleted exactly once | Failed objects left |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    print(f"| {len(seen)} runs | {right} | {told} | {late} | {attempts} | {once} | {failed} |\n", flush=True)
    for missed, what in ((right < len(seen), f"the right pod alone in {right} of {len(seen)} runs"),
                         (late, f"{late} processes ran again"), (failed, f"{failed} Failed objects"),
                         (once < len(seen), f"deleted exactly once in {once} of {len(seen)} runs")):
        if missed:
            faults.append(f"away: {what}")
