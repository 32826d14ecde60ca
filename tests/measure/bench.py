#!/usr/bin/env python3
"""bench.py BUILD [--check]

Runs the benchmarks of BUILD/bench and prints their tables in Markdown. Then it replays the recorded
scenarios with the program, once as they are and once repeated twenty times, and prints the scenarios a
second of CPU time (user and system, including reading and writing), and whether memory grows with the file.
With --check the exit status is 1 when a bound is missed.
"""
import argparse
import json
import lzma
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "testdata/vectors"

# The bounds: seconds of CPU time by benchmark, scenarios a second of CPU time.
BENCHMARK_S = {"BM_Week/110/16": 5}
SCENARIOS_PER_S = 3_000
COPIES = 20
GROWTH_MIB = 4  # what 20 times the input may add to the largest resident size


def run_benchmark(program):
    """Median CPU time in microseconds of every benchmark in a program, by name."""
    result = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"],
        capture_output=True, text=True, check=True)
    scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    return {entry["run_name"]: entry["cpu_time"] * scale[entry["time_unit"]]
            for entry in json.loads(result.stdout)["benchmarks"] if entry.get("aggregate_name") == "median"}


def bench_programs(folder, faults):
    for program in sorted(folder.glob("*_bench")):
        print(f"| {program.name} | median (us) |\n| --- | --- |")
        for name, time_us in run_benchmark(program).items():
            print(f"| {name} | {time_us:.2f} |")
            if time_us > BENCHMARK_S.get(name, time_us) * 1e6:
                faults.append(f"{name}: {time_us / 1e6:.1f} s, allowed {BENCHMARK_S[name]}")
        print(flush=True)


def largest_resident_mib(pid):
    """The peak so far; None once the process has ended. (ru_maxrss would count this program before the exec.)"""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:")), None)
    except OSError:
        return None


def replay(program, path):
    """CPU seconds and the largest resident size in MiB of one replay."""
    process = subprocess.Popen([program, "replay", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    largest = 0.0
    while (size := largest_resident_mib(process.pid)) is not None:
        largest = max(largest, size)
        time.sleep(0.002)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"jettison replay {path}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, largest


def bench_replay(program, faults):
    text = lzma.decompress((VECTORS / "scenarios.ndjson.xz").read_bytes())
    count = text.count(b"\n")
    sizes = {}
    print("| scenarios | size (MiB) | CPU time (s) | scenarios a second | largest resident size (MiB) |\n"
          "| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="jettison-bench-") as folder:
        path = pathlib.Path(folder, "scenarios.ndjson")
        for copies in (1, COPIES):
            path.write_bytes(text * copies)
            runs = [replay(program, path) for _ in range(5)]
            seconds = statistics.median(cpu for cpu, _ in runs)
            sizes[copies] = max(size for _, size in runs)
            rate = count * copies / seconds
            print(f"| {count * copies} | {len(text) * copies / (1 << 20):.0f} | {seconds:.3f} | {rate:.0f} "
                  f"| {sizes[copies]:.1f} |")
    print(flush=True)
    if rate < SCENARIOS_PER_S:
        faults.append(f"replay: {rate:.0f} scenarios a second, wanted {SCENARIOS_PER_S}")
    if sizes[COPIES] - sizes[1] > GROWTH_MIB:
        faults.append(f"replay: {sizes[COPIES] - sizes[1]:.1f} MiB more for {COPIES} times the file, allowed {GROWTH_MIB}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    faults = []
    bench_programs(options.build / "bench", faults)
    bench_replay(options.build / "jettison", faults)
    for fault in faults:
        print(f"bound missed: {fault}")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
