#!/usr/bin/env python3
"""race.py BUILD [--agent A...] [--rate R...] [--runs N] [--json FILE] [--check]

In a virtual machine of 512 MiB with cgroup v2 and no swap a best-effort pod grows beside a guaranteed
one. Who ends it, the agent or the kernel's OOM killer, and does the guaranteed one live? The same for
Debian's earlyoom and systemd-oomd: earlyoom ends the largest process when less than the 100 MiB are
available that are the agent's threshold; systemd-oomd acts on memory pressure, here of more than 5%
for a second, which is as eager as it can be set; a small program tells it what to watch in place of
systemd. Prints a table in Markdown. With --check the exit status is 1 when the kernel ever acted before
Jettison, or the guaranteed pod was killed. Needs no root; the packages are unpacked into a folder.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RUN = re.compile(r"^run \d+: by=(\w+) guaranteed=(\w+) lowest=(\d+) ms=(\d+)$")
AGENTS = {"jettison": None, "earlyoom": "usr/bin/earlyoom", "systemd-oomd": "lib/systemd/systemd-oomd", "none": None}


def unpack(package, folder):
    subprocess.run(["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    archive = next(pathlib.Path(folder).glob(f"{package}_*.deb"))
    subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    return pathlib.Path(folder, AGENTS[package])


def race(build, agent, rate, runs, folder):
    """Each run: (what ended the growing pod, the guaranteed one lives, lowest MiB, milliseconds)."""
    files = [build / "measure/measure_hog"]
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
    command += [HERE / "race.sh", agent, str(rate), str(runs)]
    found = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as machine:
        for line in machine.stdout:
            if match := RUN.match(line.strip()):
                found.append((match[1], match[2] == "alive", int(match[3]), int(match[4])))
                print(f"{agent} {rate} MiB/s: {line.strip()}", file=sys.stderr, flush=True)
            elif not line.startswith(("vm:", "\n")):
                print(line.rstrip(), file=sys.stderr, flush=True)
    if len(found) != runs:
        sys.exit(f"{agent} at {rate} MiB/s: {len(found)} of {runs} runs came to an end")
    return found


def row(agent, rate, found):
    by = [run[0] for run in found]
    lowest = [run[2] for run in found]
    return (f"| {agent} | {rate} | {len(found)} | {by.count('agent')} | {by.count('kernel')} | {by.count('nobody')} | "
            f"{sum(not run[1] for run in found)} | {statistics.median(lowest):.0f}, {min(lowest)} |")


def race_all(options):
    """Prints the table; the bounds that were missed, and everything that was seen."""
    faults, everything = [], {}
    agents = options.agent or list(AGENTS)
    rates = options.rate or [20, 100, 400]
    print("| agent | growth (MiB/s) | runs | ended by it | by the kernel | by nobody | guaranteed pod died | "
          "least available: median, worst (MiB) |\n| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for agent in agents:
        for rate in rates:
            with tempfile.TemporaryDirectory(prefix="jettison-race-") as folder:
                found = race(options.build.resolve(), agent, rate, options.runs, folder)
            everything[f"{agent} {rate}"] = found
            print(row(agent, rate, found), flush=True)
            if agent == "jettison" and any(run[0] != "agent" or not run[1] for run in found):
                faults.append(f"at {rate} MiB/s the kernel was first, or the guaranteed pod died")
    return faults, everything


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--rate", action="append", type=int)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    faults, everything = race_all(options)
    if options.json:
        options.json.write_text(json.dumps(everything))
    for fault in faults:
        print(f"missed: {fault}", file=sys.stderr)
    return 1 if options.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
