"""Many evictions one after the other: does any process of an evicted pod start again?"""
import statistics
import time

from kubelet_bed import Bed, late_processes, processes, repeated, start_neighbours
from node import wait_for

RATE, RUNS = 800, 200


def evict_once(bed, number):
    """A pod without an owner, put onto the node past the scheduler, so that the taint does not keep it off."""
    name = f"again{number}"
    report, spec = bed.hog(name, 0, growth=(RATE, 3000))
    bed.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec | {"nodeName": "bed"}})
    wait_for(lambda: report.ready_ns, "the start of the hog", seconds=60)
    group = bed.group_of(bed.kubectl("get", "pod", name, "-o", "jsonpath={.metadata.uid}"))
    before = processes(group)
    began = time.monotonic()
    bed.gate(name).touch()
    wait_for(lambda: name in bed.evicted_pods(), "the eviction", seconds=30, interval=0.02)
    evicted = time.monotonic()
    # The kubelet removes the group of a pod that is gone; until then it might start something in it.
    late, attempts = late_processes(group, before, report, until=lambda: not group.exists() or time.monotonic() - evicted > 20)
    wait_for(lambda: not bed.kubectl("get", "pod", name, "--ignore-not-found", "-o", "name"), "the end of the object",
             seconds=30, interval=0.1)
    return {"late": len(late), "attempts": len(attempts), "goneSeconds": time.monotonic() - evicted, "seconds": time.monotonic() - began}


def measure(options, faults):
    with Bed(options.bed, options.build) as bed:
        start_neighbours(bed)
        bed.start_agent()
        seen = repeated(options.runs or RUNS, lambda number: evict_once(bed, number))
        victims, failed = bed.evicted_pods(), bed.failed_objects()
    others = sum(not victim.startswith("again") for victim in victims)
    again, attempts = sum(run["late"] > 0 for run in seen), sum(run["attempts"] for run in seen)
    gone = statistics.median(run["goneSeconds"] for run in seen)
    print("| evictions one after the other | of other pods | pods of which something ran 0.2 s after their end "
          "| starts that the kubelet tried in vain | eviction to the end of group and object, median (s) | Failed objects left |\n| --- | --- | --- | --- | --- | --- |")
    print(f"| {len(victims)} | {others} | {again} | {attempts} | {gone:.1f} | {failed} |\n", flush=True)
    for missed, what in ((others, f"{others} other pods evicted"), (again, f"something of {again} pods ran again"),
                         (failed, f"{failed} Failed objects")):
        if missed:
            faults.append(f"restarts: {what}")
