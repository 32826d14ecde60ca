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

# The bounds: microseconds a decision by number of pods, scenarios a second of CPU time.
DECISION_US = {110: 10, 1_000: 80, 10_000: 1_000, 100_000: 15_000}
# The most that an onlooker may cost, by benchmark.
ANSWER_US = {"BM_Metrics/1000": 5_000}
# The ratio of reading all figures of a pass to a bare loop over the same open files, by number of pods.
READING_RATIO = {110: 1.25, 1_000: 1.25}
SCENARIOS_PER_S = 3_000
COPIES = 20
GROWTH_MIB = 4  # what 20 times the input may add to the largest resident size


def run_benchmark(program, *options):
    """Median CPU time in microseconds of every benchmark in a program, by name."""
    result = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true",
         *options],
        capture_output=True, text=True, check=True)
    scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    return {entry["run_name"]: entry["cpu_time"] * scale[entry["time_unit"]]
            for entry in json.loads(result.stdout)["benchmarks"] if entry.get("aggregate_name") == "median"}


def bench_decisions(program, faults):
    times = run_benchmark(program)
    print("| pods | one decision (us) | floor (us) | ratio | allowed (us) |\n| --- | --- | --- | --- | --- |")
    for pods, allowed in DECISION_US.items():
        decision, floor = times[f"BM_DecisionPass/{pods}"], times[f"BM_Floor/{pods}"]
        print(f"| {pods} | {decision:.2f} | {floor:.3f} | {decision / floor:.1f} | {allowed} |")
        if decision > allowed:
            faults.append(f"decision over {pods} pods: {decision:.1f} us, allowed {allowed}")
    print(flush=True)


def bench_reading(program, faults):
    # The two run alternately, so that other load on the machine affects both alike.
    times = run_benchmark(program, "--benchmark_enable_random_interleaving=true")
    print("| pods | reading for one pass (us) | bare loop (us) | ratio | allowed |\n| --- | --- | --- | --- | --- |")
    for pods, allowed in READING_RATIO.items():
        reading, bare = times.get(f"BM_ReadPass/{pods}", 0), times.get(f"BM_BareReads/{pods}", 0)
        if not bare:
            print(f"| {pods} | needs root and cgroup v1 | | | {allowed} |")
            continue
        print(f"| {pods} | {reading:.0f} | {bare:.0f} | {reading / bare:.2f} | {allowed} |")
        if reading > allowed * bare:
            faults.append(f"reading for {pods} pods: {reading / bare:.2f} times a bare loop, allowed {allowed}")
    print(flush=True)


def bench_others(folder, faults):
    for program in sorted(folder.glob("*_bench")):
        if program.name in ("decision_bench", "reading_bench"):
            continue
        print(f"| {program.name} | median (us) |\n| --- | --- |")
        for name, time_us in run_benchmark(program).items():
            print(f"| {name} | {time_us:.2f} |")
            if time_us > ANSWER_US.get(name, time_us):
                faults.append(f"{name}: {time_us:.0f} us, allowed {ANSWER_US[name]}")
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
    bench_decisions(options.build / "bench/decision_bench", faults)
    bench_reading(options.build / "bench/reading_bench", faults)
    bench_others(options.build / "bench", faults)
    bench_replay(options.build / "jettison", faults)
    for fault in faults:
        print(f"bound missed: {fault}")
    return 1 if faults and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
