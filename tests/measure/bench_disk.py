"""Measuring the disk use of one tree, compared with du(1), for scripts/bench-disk.sh.

Every figure is a median over runs that alternate between du and the others, so that other load on the
machine affects all of them alike.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# The largest part of the time of `du -s` (bytes alone) that is allowed.
BOUNDS = {"walk1": 1.0, "unchanged": 0.03, "changed100": 0.05}
WORDS = {
    "du": "GNU du -s (bytes alone)",
    "walk1": "walk, one thread (bytes and inodes)",
    "remember": "walk, one thread, remembering",
    "unchanged": "again, nothing changed",
    "changed100": "again, 100 files changed",
}


def make_tree(top: str, directories: int, files: int) -> None:
    """`files` files spread evenly over `directories` directories, two levels deep; one in four holds a block."""
    each, rest = divmod(files, directories)
    for d in range(directories):
        folder = os.path.join(top, str(d % 100), str(d))
        os.makedirs(folder)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for f in range(each + (1 if d < rest else 0)):
            file = os.open(f"file-{f}", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd)
            if f % 4 == 0:
                os.write(file, b"hello")
            os.close(file)
        os.close(fd)


# With --first, what is measured has priority over everything else on the machine.
FIRST = ["chrt", "--fifo", "10"]


def du_seconds(first: list[str], tree: str) -> float:
    begin = time.monotonic()
    subprocess.run([*first, "du", "-s", tree], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def run(program: list[str], mode: str, tree: str) -> dict[str, list[float]]:
    done = subprocess.run([*program, mode, tree], check=True, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    return {line.split()[0]: [float(value) for value in line.split()[1:]] for line in lines}


def agrees_with_du(tree: str, figures: list[float]) -> bool:
    # Delayed allocations of the machine's disk are completed first.
    os.sync()
    found = subprocess.run(["du", "-s", "--block-size=1", tree], check=True, stdout=subprocess.PIPE, text=True)
    inodes = subprocess.run(["du", "-s", "--inodes", tree], check=True, stdout=subprocess.PIPE, text=True)
    return [int(found.stdout.split()[0]), int(inodes.stdout.split()[0])] == [int(figures[1]), int(figures[2])]


def measure(first: list[str], program: list[str], tree: str, runs: int) -> tuple[dict[str, float], list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in WORDS}
    memory: list[float] = []
    du_seconds(first, tree)  # warms the cache
    for _ in range(runs):
        seconds["du"].append(du_seconds(first, tree))
        seen = {}
        for mode in ("walk1", "remember"):
            seen.update(run(program, mode, tree))
        memory = seen.pop("memory")
        for name, figures in seen.items():
            seconds[name].append(figures[0])
    if not agrees_with_du(tree, run(program, "walk1", tree)["walk1"]):
        sys.exit("bench_disk: du counts something else")
    return {name: statistics.median(values) for name, values in seconds.items()}, memory


def report(medians: dict[str, float], memory: list[float]) -> bool:
    kept = True
    print(f"{'':40} {'ms':>9} {'ratio':>7} {'bound':>6}")
    for name, words in WORDS.items():
        ratio = medians[name] / medians["du"]
        bound = BOUNDS.get(name)
        missed = bound is not None and ratio > bound
        kept = kept and not missed
        print(f"{words:40} {medians[name] * 1000:9.1f} {ratio:7.4f} {bound or '':>6}{'  MISSED' if missed else ''}")
    print(f"remembered: {memory[0]:.0f} bytes a directory, {int(memory[1])} directories")
    return kept


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench-disk.sh")
    parser.add_argument("build")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--dirs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--on", default="")
    parser.add_argument("--first", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = parse()
    program = os.path.join(options.build, "bench", "disk_use")
    if os.geteuid() != 0 or not os.access(program, os.X_OK):
        print(f"bench_disk: needs root, and {program} (target disk_use)", file=sys.stderr)
        return 2
    top = tempfile.mkdtemp(prefix="jettison-bench-disk-", dir=options.on or None)
    own_mount = not options.on
    try:
        if own_mount:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8g,nr_inodes=4m", "none", top], check=True)
        make_tree(os.path.join(top, "tree"), options.dirs, options.files)
        first = FIRST if options.first else []
        medians, memory = measure(first, [*first, program], os.path.join(top, "tree"), options.runs)
    finally:
        if own_mount:
            subprocess.run(["umount", top], check=False)
        shutil.rmtree(top, ignore_errors=True)
    return 0 if report(medians, memory) or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
