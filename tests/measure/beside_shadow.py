"""A dry run beside a kubelet that evicts: do both choose the same pod, and how much earlier is the agent?"""
import collections
import pathlib
import statistics

from kubelet_bed import Bed, repeated, start_neighbours
from node import wait_for

PODS_MIB = 1024  # limit of all pods together, to which the kubelet's threshold applies
RATE, HOLD_MIB = 5, 340  # MiB a second; a minute from the agent's threshold to the kubelet's
LONGEST, RUNS = 240, 20


def machine_mib():
    table = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return int(table["MemTotal"].split()[0]) // 1024


def open_bed(options):
    """Reserves all but PODS_MIB of the machine, so that the pods can easily reach the threshold."""
    return Bed(options.bed, options.build, shadow=True, kubelet={
        "systemReserved": {"memory": f"{machine_mib() - PODS_MIB}Mi"},
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "evictionPressureTransitionPeriod": "1s"})


def side_of(pairing, side):
    pod = pairing.get(side)
    return pod["name"].rsplit("-", 2)[0] if pod else None


def grow_once(bed, number):
    """The pairings that one growing pod causes."""
    name = f"slow{number}"
    before = len(bed.ask("/api/v1/shadow")["pairings"])
    bed.gate(name).touch()
    bed.deploy(name, HOLD_MIB, growth=(RATE, 3 * PODS_MIB))
    wait_for(lambda: any(side_of(pairing, "kubelets") for pairing in bed.ask("/api/v1/shadow")["pairings"][before:]),
             "an eviction by the kubelet", seconds=LONGEST, interval=0.5)
    bed.remove(name)  # with its replacements, which the kubelet did not admit
    return name, bed.ask("/api/v1/shadow")["pairings"][before:]


def measure(options, faults):
    with open_bed(options) as bed:
        start_neighbours(bed)
        bed.start_agent()
        runs = repeated(options.runs or RUNS, lambda number: grow_once(bed, number))
    kubelets = sum(any(side_of(pairing, "kubelets") == name for pairing in seen) for name, seen in runs)
    same = [pairing for name, seen in runs for pairing in seen
            if side_of(pairing, "kubelets") == side_of(pairing, "ours") == name]
    leads = sorted(pairing["leadSeconds"] for pairing in same if pairing["verdict"] == "agreed")
    verdicts = collections.Counter(pairing["verdict"] for _, seen in runs for pairing in seen)
    kinds = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    told = f"{statistics.median(leads):.1f}, {leads[0]:.1f}, {leads[-1]:.1f}" if leads else "-"
    print("| shadow: growth (MiB/s) | runs | the kubelet evicted the growing pod | the agent had named it before "
          "| earlier by: median, least, most (s) | pairings by verdict, those of other pods too |\n| --- | --- | --- | --- | --- | --- |")
    print(f"| {RATE} | {len(runs)} | {kubelets} | {len(leads)} | {told} | {kinds} |\n", flush=True)
    if len(leads) < len(runs):
        faults.append(f"shadow: agreed in {len(leads)} of {len(runs)} runs")
