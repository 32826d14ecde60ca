#!/usr/bin/env python3
"""simulation.py BUILD [--workloads N] [--first SEED] [--beside N] [--seconds S] [--keep FOLDER]

Measures how well `jettison simulate` knows what a node goes through. Each seed is a random workload: three to six pods on
a node of 256 MiB, some of which leak or grow in one go. It runs on the real agent under each of two policies that the seed
chooses, under the second one twice, and all runs are recorded. Then:

  in force   the policy that was in force is simulated from samples of its own recording alone: every pass by the clock
             (1 s), and thinned to 10 s and 30 s. Its own decisions, and the passes that it made because memory was
             short, are hidden from it.
  other      the second policy is simulated from the recording of the first one, and compared with the second run.
  import     the policy that was in force is simulated from what `jettison import` makes of the agent's own metrics,
             which were scraped every 10 s of the first run, as samples of 10 s are.

Of both: evictions found with the right pod, false ones, how many of the true times lie inside the stated bounds, how far
they are off in the median, and what was found by minute. The row `as it was` is the naive prediction that the second policy
evicts as the first one did; the row `a rerun` is the second run of the second policy, and no prediction can be
better. With --reuse FOLDER nothing is run: recordings that --keep left there are simulated again.
Needs root. BUILD holds jettison, jettison-shim and the target measure_programs.
"""
import argparse
import concurrent.futures
import contextlib
import datetime
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time

import host
from node import MIB, Node

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
import sample_server  # noqa: E402

CAPACITY = 256 * MIB
POLICIES = {
    "hard 40Mi": {"evictionHard": {"memory.available": "40Mi"}},
    "hard 24Mi": {"evictionHard": {"memory.available": "24Mi"}},
    "hard 64Mi": {"evictionHard": {"memory.available": "64Mi"}},
    "hard 20%": {"evictionHard": {"memory.available": "20%"}},
    "soft 72Mi 5s": {"evictionHard": {"memory.available": "24Mi"}, "evictionSoft": {"memory.available": "72Mi"},
                     "evictionSoftGracePeriod": {"memory.available": "5s"}},
    "hard 32Mi reclaim 16Mi": {"evictionHard": {"memory.available": "32Mi"},
                               "evictionMinimumReclaim": {"memory.available": "16Mi"}},
}
PAIRS = [("hard 40Mi", "hard 64Mi"), ("hard 40Mi", "hard 24Mi"), ("hard 24Mi", "hard 20%"), ("hard 20%", "hard 32Mi reclaim 16Mi"),
         ("soft 72Mi 5s", "hard 40Mi"), ("hard 40Mi", "soft 72Mi 5s")]
TRANSITION = "30s"
RUNS = 3  # of each workload: the first policy, and twice the second one


def documents(policy, folder, group):
    settings = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
                "staticPodPath": f"{folder}/manifests", "kernelMemcgNotification": True,
                "evictionPressureTransitionPeriod": TRANSITION} | POLICIES[policy]
    own = {"apiVersion": "jettison.io/v1alpha1", "kind": "JettisonConfiguration", "runtime": "process", "root": f"{folder}/root",
           "nodeCgroup": f"/{group}", "monitoringInterval": "1s", "http": {"socket": f"{folder}/agent.sock"}}
    return json.dumps(settings) + "\n" + json.dumps(own) + "\n"


class SmallNode(Node):
    """A node under one of the policies, whose passes are recorded from outside."""

    def __init__(self, build, policy):
        super().__init__(build, CAPACITY, 0)
        self.policy = policy

    def _write_config(self):
        (self.folder / "config.yaml").write_text(documents(self.policy, self.folder, self.group))

    def add(self, pod):
        report = self.folder / f"{pod['name']}.report"
        command = [str(self.build / "measure/measure_hog"), str(report), str(pod["hold"])]
        if pod["rate"]:
            command += ["/", str(pod["rate"]), str(pod["most"]), str(pod["delay"])]
        resources = {"requests": {"memory": f"{pod['request']}Mi"}} if pod["request"] else {}
        self.put({"name": pod["name"], "uid": f"uid-{pod['name']}"},
                 {"priority": pod["priority"], "containers": [{"name": "hog", "command": command, "resources": resources}]})

    @contextlib.contextmanager
    def scraped(self, path):
        """Its metrics, every 10 s, as lines of a sample_server."""
        over = threading.Event()

        def scrape():
            with open(path, "w") as scrapes:
                while not over.wait(SCRAPE):
                    at = time.time()
                    for line in host.ask(self.folder / "agent.sock", "/metrics").splitlines():
                        if not line.startswith("#"):
                            name, value = line.rsplit(" ", 1)
                            metric, _, labels = name.rstrip("}").partition("{")
                            labels = ",".join(filter(None, ['instance="node"', labels]))
                            print(f"{metric}{{{labels}}} {value} {at:.3f}", file=scrapes)

        thread = threading.Thread(target=scrape)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def record(self, until, path):
        time.sleep(max(until - time.monotonic(), 0))
        subprocess.run([self.build / "jettison", "record", "--server", f"unix://{self.folder}/agent.sock", path], check=True,
                       capture_output=True)


def workload(seed):
    draw = random.Random(seed)
    pods = []
    for i in range(draw.randint(3, 6)):
        pod = {"name": f"pod-{i}", "hold": draw.randint(5, 30), "priority": draw.choice([0, 0, 100, 200]), "rate": 0,
               "request": draw.choice([0, 0, draw.randint(8, 64)]), "delay": 0, "most": 0}
        kind = draw.random()
        if kind < 0.5:
            pod |= {"rate": round(draw.uniform(0.8, 8), 2), "delay": round(draw.uniform(0, 30), 1), "most": draw.randint(80, 400)}
        elif kind < 0.65:
            pod |= {"rate": round(draw.uniform(20, 60), 1), "delay": round(draw.uniform(5, 50), 1), "most": draw.randint(60, 160)}
        pods.append(pod)
    return pods


def pair_of(seed):
    return PAIRS[seed % len(PAIRS)]


def run(build, seed, policy, seconds, path):
    with SmallNode(build, policy) as node:
        for pod in workload(seed):
            node.add(pod)
        node.start_agent()
        with node.scraped(path.with_suffix(".metrics")):
            node.record(time.monotonic() + seconds, path)


def simulate(build, arguments):
    answer = subprocess.run([build / "jettison", "simulate", "--output", "json", *map(str, arguments)], capture_output=True, text=True,
                            check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"simulate {arguments}: {answer.stderr}")
    return json.loads(answer.stdout)["recordings"][0]


def seconds_of(text, start):
    whole, _, fraction = text.rstrip("Z").partition(".")
    at = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc).timestamp() + float("0." + (fraction or "0"))
    return at - start


class Score:
    def __init__(self):
        self.truths = self.said = self.found = self.inside = 0
        self.errors, self.minutes = [], {}

    def add(self, truths, said):
        """Pairs (uid, time) with (uid, time, earliest, latest), each with the nearest."""
        taken = set()
        self.truths += len(truths)
        self.said += len(said)
        for uid, at in truths:
            minute = self.minutes.setdefault(int(at // 60), [0, 0])
            minute[1] += 1
            near = [(abs(each[1] - at), i) for i, each in enumerate(said) if i not in taken and each[0] == uid
                    and (each[2] <= at <= each[3] or abs(each[1] - at) <= REACH)]
            if not near:
                continue
            off, i = min(near)
            taken.add(i)
            self.found += 1
            minute[0] += 1
            self.inside += said[i][2] <= at <= said[i][3]
            self.errors.append(off)

    def count(self, calibration):
        self.truths += calibration["evictions"]
        self.said += calibration["foretold"] - calibration["notKnown"]
        self.found += calibration["found"]
        self.inside += calibration["insideBounds"]
        if "medianErrorSeconds" in calibration:
            self.errors.append(calibration["medianErrorSeconds"])

    def row(self, name):
        def share(part, whole):
            return f"{100 * part / whole:.1f}%" if whole else "-"
        off = f"{statistics.median(self.errors):.2f}" if self.errors else "-"
        return (f"| {name} | {self.truths} | {share(self.found, self.truths)} | {share(self.said - self.found, self.said)} "
                f"| {share(self.inside, self.found)} | {off} "
                f"| {', '.join(share(*minute) for _, minute in sorted(self.minutes.items()))} |")


def evictions_of(outcome, start):
    return [(e["uid"], *(seconds_of(e[key], start) for key in ("at", "earliest", "latest"))) for e in outcome["evictions"]]


SCRAPE = 10.0  # seconds between two
REACH = 10.0  # seconds by which a time may be off, unless the stated bounds have it
JOBS = [("every pass", []), ("10 s", ["--thinned", "--every", "10s"]), ("30 s", ["--thinned", "--every", "30s"])]


def truths_in(build, path):
    """(uid, seconds since the first pass) of the real evictions of a run."""
    lines = subprocess.run([build / "jettison", "show", path, "--output", "ndjson"], capture_output=True, text=True, check=False)
    passes = [item["pass"] for item in map(json.loads, lines.stdout.splitlines()) if "pass" in item]
    start = seconds_of(passes[0]["at"], 0) if passes else 0
    return [(eviction["order"]["pod"], seconds_of(each["at"], start)) for each in passes
            for eviction in each.get("report", {}).get("evictions", [])]


def compare_one(build, folder, seed):
    """For each score its truths and what was said."""
    recordings = first, second, again = [folder / f"{seed}-{i}.jtr" for i in range(RUNS)]
    if not all(path.exists() and path.stat().st_size for path in recordings):
        print(f"seed {seed}: a recording is missing", file=sys.stderr)
        return []
    other = folder / f"{seed}.yaml"
    other.write_text(documents(pair_of(seed)[1], "/nowhere", "nothing"))
    truths_of_other = truths_in(build, second)
    truths = truths_in(build, first)
    naive = {"as it was": truths, "a rerun": truths_in(build, again)}
    rows = [(("other", name), truths_of_other, [(uid, at, at, at) for uid, at in said]) for name, said in naive.items()]
    for name, arguments in JOBS:
        report = simulate(build, [first, *arguments, "--policy", other])
        start = seconds_of(report["from"], 0)
        if arguments:
            rows.append((("in force", name), truths, evictions_of(report["policies"][0], start)))
        else:  # the policy in force is replayed there; the calibration says what samples alone find
            rows.append((("in force", name), report["calibration"], None))
        rows.append((("other", name), truths_of_other, evictions_of(report["policies"][1], start)))
    scrapes = first.with_suffix(".metrics")
    if scrapes.exists():
        policy, imported = folder / f"{seed}-first.yaml", folder / f"{seed}-imported.jtr"
        policy.write_text(documents(pair_of(seed)[0], "/nowhere", "nothing"))
        series = sample_server.series_of(scrapes.read_text().splitlines())
        began, ended = (datetime.datetime.fromtimestamp(at, datetime.timezone.utc).isoformat()
                        for at in (min(samples[0][0] for _, samples in series), max(samples[-1][0] for _, samples in series)))
        with sample_server.serving(series) as url:
            subprocess.run([build / "jettison", "import", "prometheus", url, "--node", "node", "--from", began, "--to", ended,
                            "--config", policy, "--out", imported], check=True, capture_output=True)
        report = simulate(build, [imported, "--thinned", "--every", "10s"])
        start = seconds_of(simulate(build, [first])["from"], 0)
        rows.append((("in force", "import"), truths, evictions_of(report["policies"][0], start)))
    return rows


def compare(build, folder, seeds):
    scores = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rows in pool.map(lambda seed: compare_one(build, folder, seed), seeds):
            for key, truths, said in rows:
                score = scores.setdefault(key, Score())
                if said is None:
                    score.count(truths)
                else:
                    score.add(truths, said)
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--workloads", type=int, default=200)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first workload")
    parser.add_argument("--beside", type=int, default=24, help="nodes side by side")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the recordings")
    parser.add_argument("--reuse", type=pathlib.Path, help="recordings of a run before")
    options = parser.parse_args()
    build = options.build.resolve()
    seeds = range(options.first, options.first + options.workloads)
    folder = options.reuse or options.keep or pathlib.Path(f"/tmp/jettison-simulation-{os.getpid()}")
    folder.mkdir(parents=True, exist_ok=True)
    if not options.reuse:
        if os.geteuid() != 0:
            sys.exit("simulation.py: control groups need root")
        def one(job):
            seed, i = job
            try:
                run(build, seed, pair_of(seed)[min(i, 1)], options.seconds, folder / f"{seed}-{i}.jtr")
            except Exception as error:  # a failed run is reported and left out
                print(f"seed {seed}, run {i}: {error}", file=sys.stderr, flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.beside) as pool:
            list(pool.map(one, [(seed, i) for seed in seeds for i in range(RUNS)]))
    scores = compare(build, folder, seeds)
    print(f"{len(seeds)} workloads of {options.seconds:g} s\n\n| simulated | evictions | found | false | inside the bounds | off (s, median) | found by minute |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for (what, name), score in sorted(scores.items()):
        print(score.row(f"{what}, {name}"))
    if not options.keep and not options.reuse:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
