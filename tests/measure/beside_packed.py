"""The part "packed" of beside_kubelet.py: a node whose pods use what they requested, which leaves less free than the
agent's margin above the kubelet's threshold."""
import sys
import time

from kubelet_bed import Bed, repeated
from node import wait_for

MINUTES, RUNS = 30, 10
RATE, MOST = 50, 500  # MiB a second, MiB
HOLD, REQUEST = 200, "210Mi"  # four pods leave some 200 of 1024 MiB; the kubelet's threshold is 100Mi, ours 356Mi


def start_packed(bed):
    cpu = {"cpu": "100m"}
    memory = {"memory": REQUEST}
    reports = [bed.deploy(f"burstable{number}", HOLD, requests=memory) for number in range(2)]
    reports += [bed.deploy(f"guaranteed{number}", HOLD, requests=memory | cpu, limits=memory | cpu) for number in range(2)]
    for report in reports:
        wait_for(lambda report=report: report.ready_ns, f"the start of {report.path.stem}", seconds=60)


def hold(bed, minutes):
    """How many pods are evicted in the time, and in how many looks the node has a taint."""
    before, tainted, end = len(bed.evicted()), 0, time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        tainted += bed.tainted()
        time.sleep(2)
    return len(bed.evicted()) - before, tainted


def grow_once(bed, number):
    """Who is evicted when a best-effort pod grows there."""
    name, before = f"grows{number}", len(bed.evicted())
    bed.deploy(name, 0, growth=(RATE, MOST))
    bed.gate(name).touch()
    wait_for(lambda: len(bed.evicted()) > before, "an eviction", seconds=60, interval=0.1)
    time.sleep(3)
    victims = bed.evicted()[before:]
    bed.remove(name)
    wait_for(lambda: not bed.tainted(), "the end of the taint", seconds=60, interval=0.2)
    return victims == [name]


def measure(options, faults):
    minutes = options.minutes or MINUTES
    with Bed(options.bed, options.build) as bed:
        start_packed(bed)
        bed.start_agent(derived=True)
        evicted, tainted = hold(bed, minutes)
        alone = repeated(options.runs or RUNS, lambda number: grow_once(bed, number))
        print("the agent's thresholds:", *(line["value"] for signal in bed.ask("/api/v1/overview")["signals"]
                                           for line in signal["thresholds"]), file=sys.stderr, flush=True)
    print("| packed for (min) | evicted | looks with a taint | a pod that grows there | evicted alone |\n"
          "| --- | --- | --- | --- | --- |")
    print(f"| {minutes:g} | {evicted} | {tainted} | {len(alone)} | {sum(alone)} |\n", flush=True)
    for missed, what in ((evicted, f"{evicted} evicted"), (tainted, f"a taint in {tainted} looks"),
                         (sum(alone) < len(alone), f"the growing pod alone in {sum(alone)} of {len(alone)} runs")):
        if missed:
            faults.append(f"packed: {what}")
