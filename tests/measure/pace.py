#!/usr/bin/env python3
"""Measures which pods are evicted when memory runs out for a reason other than the pods that may be evicted.

    tests/measure/pace.py build/release [--runs N] [--check] [SCENARIO...]

Runs the agent of that build in a node of its own (a control group of v1; needs root), N times each:

    spike     a process outside 50 pods takes 100 MiB too much for a second: how many pods are evicted?
    critical  a pod that is never evicted takes as much for 5 s: how many others are evicted? The kubelet would
              evict one a second.
    leaks     two pods leak 400 MiB/s: how long from the crossing to each signal?
    stubborn  a pod forks 480 MiB/s and ignores SIGTERM: is any other process killed?
    wave      a pod ignores SIGTERM; at its signal another one begins to take 1.2 GiB/s: how long until that
              one is told to end, and does the kernel have to kill?
    shared    a pod leaves files in a tmpfs that outlives it: how many idle pods are evicted in 5 s, and does the
              log say what holds the memory?

With --check it fails if more pods were evicted than allowed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

from node import MIB, Node, Report, wait_for

CAPACITY, THRESHOLD = 1200, 100  # MiB


class Bed(Node):
    """A node whose hogs may be stubborn or critical, and whose log can be queried."""

    def __init__(self, build):
        super().__init__(build, CAPACITY * MIB, THRESHOLD * MIB)

    def add(self, name, command, priority=None):
        report = Report(self.folder / f"{name}.report")
        spec = {"containers": [{"name": "hog", "command": [c.replace("REPORT", str(report.path)) for c in command]}]}
        if priority:
            spec["priority"] = priority
        self.put({"name": name}, spec)
        return report

    def program(self, name):
        return str(self.build / f"measure/measure_{name}")

    def idle(self, count, mib):
        return [self.add(f"idle{i}", [self.program("hog"), "REPORT", str(mib)]) for i in range(count)]

    def usage(self):
        return int((self.memory_group / "memory.usage_in_bytes").read_text()) // MIB

    def wait_until_crossed(self):
        wait_for(lambda: self.usage() >= CAPACITY - THRESHOLD, "the crossing of the threshold", seconds=20, interval=0.001)

    def evicted(self):
        """(name, seconds since the node's first line) of each eviction."""
        return re.findall(r"pod is evicted successfully.* pod=default/(\S+)", self.log.read_text(errors="replace"))

    def ended(self):
        """Pods whose container has ended for any reason."""
        return set(re.findall(r"container ended.* pod=default/(\S+)", self.log.read_text(errors="replace")))

    def said(self, pattern):
        return re.findall(pattern, self.log.read_text(errors="replace"))

    def oom_kills(self):
        return int(re.search(r"oom_kill (\d+)", (self.memory_group / "memory.oom_control").read_text()).group(1))

    def outside(self, mib):
        """A process of the node that belongs to no pod and takes this much at once."""
        def join():
            (self.memory_group / "cgroup.procs").write_text(str(os.getpid()))
        report = self.folder / "outside.report"
        return subprocess.Popen([self.program("hog"), report, str(mib)], preexec_fn=join)


def settle(bed, reports):
    bed.start_agent()
    bed.wait_until_ready(reports)
    time.sleep(1)


def spike(build):
    with Bed(build) as bed:
        settle(bed, bed.idle(50, 4))
        hog = bed.outside(CAPACITY - THRESHOLD + 100 - bed.usage() - 10)
        try:
            bed.wait_until_crossed()
            time.sleep(1)
        finally:
            hog.kill()
            hog.wait()
        time.sleep(3)
        return {"evicted": len(bed.evicted()), "ok": len(bed.evicted()) <= 2}


def critical(build):
    with Bed(build) as bed:
        idle = bed.idle(30, 4)
        size = CAPACITY - THRESHOLD + 20
        holder = bed.add("holder", [bed.program("hog"), "REPORT", "8", str(bed.gate), "400", str(size)], 2000000000)
        settle(bed, idle + [holder])
        bed.gate.touch()
        bed.wait_until_crossed()
        time.sleep(5)
        held = bed.said("most of the memory is not held by pods")
        count = len(bed.evicted())
        return {"evicted": count, "told": bool(held), "ok": count <= 7 and bool(held)}


def leaks(build):
    with Bed(build) as bed:
        idle = bed.idle(5, 20)
        # The second pod begins a little later, so that it crosses the threshold while the first one ends.
        hogs = [bed.add(f"leak{i}", [bed.program("hog"), "REPORT", "150", str(bed.gate), "400", "2000"]) for i in (0, 1)]
        settle(bed, idle + hogs)
        bed.gate.touch()
        wait_for(lambda: all(hog.signal_ns for hog in hogs), "the signals", seconds=20)
        between = abs(hogs[0].signal_ns - hogs[1].signal_ns) / 1e6
        innocents = [name for name in bed.ended() if name.startswith("idle")]
        return {"between_ms": round(between, 1), "innocents": len(innocents), "ok": not innocents}


def stubborn(build):
    with Bed(build) as bed:
        idle = bed.idle(10, 20)
        hog = bed.add("stubborn", [bed.program("stubborn"), "REPORT", "50", str(bed.gate), "480", "3000"])
        settle(bed, idle + [hog])
        bed.gate.touch()
        wait_for(lambda: "stubborn" in bed.ended(), "the end of the hog", seconds=20)
        time.sleep(1)
        innocents = [name for name in bed.ended() | set(bed.evicted()) if name.startswith("idle")]
        oom = bed.oom_kills()
        early = bed.said(r"killed after (\S+) of its grace period")
        return {"innocents": len(innocents), "killed_after": early, "oom_kills": oom,
                "ok": not innocents and not oom}


def wave(build):
    with Bed(build) as bed:
        idle = bed.idle(5, 20)
        first = bed.add("stubborn", [bed.program("stubborn"), "REPORT", "50", str(bed.gate), "400", "120"])
        gate = bed.folder / "second"
        second = bed.add("wave", [bed.program("hog"), "REPORT", "20", str(gate), "1200", "600"])
        settle(bed, [*idle, first, second])
        filler = bed.outside(CAPACITY - THRESHOLD - bed.usage() - 40)
        filled = Report(bed.folder / "outside.report")
        wait_for(lambda: filled.ready_ns, "the memory outside the pods", seconds=20)
        bed.gate.touch()
        wait_for(lambda: "stubborn" in bed.evicted(), "the first eviction", seconds=20)
        touched = time.monotonic_ns()
        gate.touch()
        # Any further eviction happens before both are cleaned up.
        wait_for(lambda: bed.said(r"(?s)container ended[^\n]* pod=default/wave\b.*pods were cleaned up"),
                 "the clean-up of the wave", seconds=20)
        filler.kill()
        filler.wait()
        innocents = [name for name in bed.ended() | set(bed.evicted()) if name.startswith("idle")]
        told = second.signal_ns and round((second.signal_ns - touched) / 1e6, 1)
        return {"told_after_ms": told, "innocents": len(innocents), "oom_kills": bed.oom_kills(),
                "ok": bool(told) and not innocents and not bed.oom_kills()}


def shared(build):
    with Bed(build) as bed:
        tmpfs = bed.folder / "shared"
        tmpfs.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4g", "none", tmpfs], check=True)
        idle = bed.idle(10, 4)
        size = CAPACITY - THRESHOLD + 20
        writer = bed.add("writer", ["/bin/sh", "-c",
                                    f"while [ ! -e {bed.gate} ]; do sleep 0.1; done; "
                                    f"dd if=/dev/zero of={tmpfs}/file bs=1M count={size} 2>/dev/null; sleep 1000"])
        settle(bed, idle)
        bed.gate.touch()
        wait_for(lambda: "writer" in bed.evicted(), "the eviction of the writer", seconds=20)
        time.sleep(5)
        gone = [name for name in bed.evicted() if name.startswith("idle")]
        held = bed.said(r"most of the memory is not held by pods.*")
        return {"idle_evicted": len(gone), "twice": len(gone) - len(set(gone)), "held": held[-1:] ,
                "ok": len(gone) <= 7 and len(gone) == len(set(gone)) and (bool(held) or not gone), "writer": bool(writer)}


SCENARIOS = {f.__name__: f for f in (spike, critical, leaks, stubborn, wave, shared)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("scenarios", nargs="*", default=[], metavar="SCENARIO")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_intermixed_args()
    failures = 0
    for name in arguments.scenarios or SCENARIOS:
        for run in range(arguments.runs):
            result = SCENARIOS[name](arguments.build)
            failures += not result["ok"]
            print(name, run + 1, json.dumps(result), flush=True)
    if failures:
        print(f"{failures} runs were not as they must be", file=sys.stderr)
    sys.exit(1 if failures and arguments.check else 0)


if __name__ == "__main__":
    main()
