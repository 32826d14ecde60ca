#!/usr/bin/env python3
"""race.py BUILD [--agent A...] [--rate R...] [--runs N] [--witness] [--beside N...] [--first] [--json FILE] [--check]

In a virtual machine of 512 MiB with cgroup v2 and no swap a best-effort pod grows beside a guaranteed
one. Who ends it, the agent or the kernel's OOM killer, and does the guaranteed one live? The same for
Debian's earlyoom and systemd-oomd: earlyoom ends the largest process when less than the 100 MiB are
available that are the agent's threshold; systemd-oomd acts on memory pressure, here of more than 5%
for a second, which is as eager as it can be set; a small program tells it what to watch in place of
systemd. Prints a table in Markdown. With --check the exit status is 1 when the kernel ever acted before
Jettison, or the guaranteed pod was killed. Needs no root; the packages are unpacked into a folder.

With --witness the machine has a second processor, where a program watches Jettison without pause:
a second table shows the time from crossing the threshold to the signal.

With --beside N, which may be given again, the machine has 2.5 GiB and a second processor, and the runs are made beside N
idle pods, one after the other in one machine. There is only the second table, by pods, with the ratio of each median to
the first one. --check fails when a ratio is above 1.5. The rate is 100 MiB/s where none is given.

With --first, which needs root and cgroup v1, the machine comes before everything else on this host. A machine that waits
for a processor has a witness that is late.
"""
import argparse
import contextlib
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import host

HERE = pathlib.Path(__file__).resolve().parent
BESIDE_MIB, BESIDE_RATE, BESIDE_RATIO = 2560, 100, 1.5
SEEN = re.compile(r"^run \d+: (\{.*\})$")
RUN = re.compile(r"^run \d+: by=(\w+) guaranteed=(\w+) lowest=(\d+) ms=(\d+)(?: (\{.*\}))?$")
AGENTS = {"jettison": None, "earlyoom": "usr/bin/earlyoom", "systemd-oomd": "lib/systemd/systemd-oomd", "none": None}


def unpack(package, folder):
    subprocess.run(["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    archive = next(pathlib.Path(folder).glob(f"{package}_*.deb"))
    subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    return pathlib.Path(folder, AGENTS[package])


def race(build, agent, rate, runs, folder, witness):
    """Each run: (what ended the growing pod, the guaranteed one lives, lowest MiB, milliseconds, the witness' figures)."""
    files = [build / "measure/measure_hog", HERE / "machine.sh"]
    if agent == "jettison":
        files += [build / "jettison", build / "jettison-shim"]
    elif AGENTS[agent]:
        files.append(unpack(agent, folder))
    if agent == "systemd-oomd":
        conf = pathlib.Path(folder, "oomd.conf")
        conf.write_text("[OOM]\nDefaultMemoryPressureDurationSec=1s\n")
        files += [build / "measure/measure_oomd_manager", conf]
    command = [sys.executable, HERE.parent / "vm/run.py", "--memory", "512", "--deadline", str(120 + 60 * runs)]
    for file in files:
        command += ["--file", file]
    if witness:
        command += ["--cpus", "2", "--file", build / "measure/measure_watch"]
    command += [HERE / "race.sh", agent, str(rate), str(runs)] + (["witness"] if witness else [])
    found = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as machine:
        for line in machine.stdout:
            if match := RUN.match(line.strip()):
                found.append((match[1], match[2] == "alive", int(match[3]), int(match[4]), json.loads(match[5] or "null")))
                print(f"{agent} {rate} MiB/s: {line.strip()}", file=sys.stderr, flush=True)
            elif not line.startswith(("vm:", "\n")):
                print(line.rstrip(), file=sys.stderr, flush=True)
    if len(found) != runs:
        sys.exit(f"{agent} at {rate} MiB/s: {len(found)} of {runs} runs came to an end")
    return found


def beside(build, rate, runs, pods):
    """What the witness saw in each run beside that many idle pods."""
    files = [build / name for name in ("jettison", "jettison-shim", "measure/measure_hog", "measure/measure_watch")]
    command = [sys.executable, HERE.parent / "vm/run.py", "--memory", str(BESIDE_MIB), "--cpus", "2",
               "--deadline", str(600 + 2 * pods + 60 * runs)]
    for file in [*files, HERE / "machine.sh"]:
        command += ["--file", file]
    command += [HERE / "crowd.sh", str(rate), str(runs), str(pods)]
    found = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as machine:
        for line in machine.stdout:
            print(line.rstrip(), file=sys.stderr, flush=True)
            if match := SEEN.match(line.strip()):
                found.append(json.loads(match[1]))
    if len(found) != runs:
        sys.exit(f"beside {pods} pods: {len(found)} of {runs} runs came to an end")
    return found


def measure_beside(options):
    """Prints the table by pods; the bounds that were missed, and everything that was seen."""
    rate = options.rate[0] if options.rate else BESIDE_RATE
    print("| idle pods beside | runs | seen | growth seen | crossing to signal: median (ms) | 90% | worst | "
          "below the threshold: median, worst (MiB) | ratio of the medians |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    everything, faults, first = {}, [], None
    for pods in options.beside:
        found = everything[pods] = beside(options.build.resolve(), rate, options.runs, pods)
        seen = [run["latencyMs"] for run in found if run["latencyMs"] is not None]
        line = seen_row(pods, [(None, None, None, None, run) for run in found])
        if not seen:
            print(f"{line} |", flush=True)
            faults.append(f"beside {pods} pods the witness saw no crossing")
            continue
        median = statistics.median(seen)
        first = first or median
        print(f"{line} {median / first:.2f} |", flush=True)
        if median > BESIDE_RATIO * first:
            faults.append(f"beside {pods} pods it takes {median / first:.2f} times as long, allowed {BESIDE_RATIO:g}")
    return faults, everything


def row(agent, rate, found):
    by = [run[0] for run in found]
    lowest = [run[2] for run in found]
    return (f"| {agent} | {rate} | {len(found)} | {by.count('agent')} | {by.count('kernel')} | {by.count('nobody')} | "
            f"{sum(not run[1] for run in found)} | {statistics.median(lowest):.0f}, {min(lowest)} |")


def seen_row(rate, found):
    """The row of what the witness saw; runs whose crossing or signal it missed are only counted."""
    seen = [run[4] for run in found if run[4] and run[4]["latencyMs"] is not None]
    if not seen:
        return f"| {rate} | {len(found)} | 0 | | | | | |"
    late = sorted(run["latencyMs"] for run in seen)
    below = [run["overshootBytes"] / 2**20 for run in seen]
    return (f"| {rate} | {len(found)} | {len(seen)} | {statistics.median(run['rateMiBps'] for run in seen):.0f} | "
            f"{statistics.median(late):.1f} | {late[math.ceil(0.9 * len(late)) - 1]:.1f} | {late[-1]:.1f} | "
            f"{statistics.median(below):.1f}, {max(below):.1f} |")


def race_all(options):
    """Prints both tables; the bounds that were missed, and everything that was seen."""
    faults, everything = [], {}
    agents = ["jettison"] if options.witness else options.agent or list(AGENTS)
    rates = options.rate or [20, 100, 400]
    print("| agent | growth (MiB/s) | runs | ended by it | by the kernel | by nobody | guaranteed pod died | "
          "least available: median, worst (MiB) |\n| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for agent in agents:
        for rate in rates:
            with tempfile.TemporaryDirectory(prefix="jettison-race-") as folder:
                found = race(options.build.resolve(), agent, rate, options.runs, folder, options.witness)
            everything[f"{agent} {rate}"] = found
            print(row(agent, rate, found), flush=True)
            if agent == "jettison" and any(run[0] != "agent" or not run[1] for run in found):
                faults.append(f"at {rate} MiB/s the kernel was first, or the guaranteed pod died")
    if options.witness:
        print("\n| growth (MiB/s) | runs | seen | growth seen | crossing to signal: median (ms) | 90% | worst | "
              "below the threshold: median, worst (MiB) |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
        for rate in rates:
            print(seen_row(rate, everything[f"jettison {rate}"]))
    return faults, everything


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--rate", action="append", type=int)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--witness", action="store_true")
    parser.add_argument("--beside", action="append", type=int)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with host.first() if options.first else contextlib.nullcontext():
        faults, everything = measure_beside(options) if options.beside else race_all(options)
    if options.json:
        options.json.write_text(json.dumps(everything))
    for fault in faults:
        print(f"missed: {fault}", file=sys.stderr)
    return 1 if options.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
