#!/usr/bin/env python3
"""chaos.py BUILD [COMMAND] [OPTION...]: faults on a node of its own, and checks of what must hold nevertheless.

Commands:
  random    random pods and random faults, in rounds, drawn from a seed (the default)
  kills     kill -9 of the agent again and again, at random moments

Examples:
  scripts/chaos.sh build/release --minutes 60                    an hour, with a seed that is printed
  scripts/chaos.sh build/release --minutes 10 --seed 42          the same steps at the same times, each time
  scripts/chaos.sh build/release --seed 42 --round 7             only round 7 of that; the first one is round 0
  scripts/chaos.sh build/release --plan --seed 42 --minutes 1    what would happen, without doing it
  scripts/chaos.sh build/release --only kill --only leak         steps of these kinds only
  scripts/chaos.sh build/release --runtime cri --minutes 10      pods on a containerd of its own
  scripts/chaos.sh build/release --beside-others --minutes 60    one of several runs at the same time
  scripts/chaos.sh build/release kills --times 500 --runtime cri

Needs root. Everything happens in namespaces, cgroups and small file systems of its own, in memory; those
of the host are not changed. Exit status 1 when a promise was broken (docs/reliability.md), with the seed, the
time, the step, what was expected and what was seen, and where the logs are; 2 for a wrong command line.
"""
import argparse
import contextlib
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "measure"))

import judge
import kills
import plan
import world
from bed import Bed, now
from containerd import Containerd
from run import Broken, Run

COMMANDS = ("random", "kills")


def arguments():
    parser = argparse.ArgumentParser(usage="scripts/chaos.sh BUILD_DIR [COMMAND] [OPTION...]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="random")
    parser.add_argument("--runtime", choices=["process", "cri"], default="process")
    parser.add_argument("--seed", type=int, help="of everything that is random; told where it is not given")
    parser.add_argument("--minutes", type=float, default=1.0, help="random: no round begins after that time (1)")
    parser.add_argument("--round", type=int, help="random: only this round; the first one is 0")
    parser.add_argument("--only", action="append", default=[], choices=list(plan.KINDS), help="random: only steps of this kind; may be given again")
    parser.add_argument("--beside-others", action="store_true", help="leave process ids alone, which are the machine's: several runs may go on at once")
    parser.add_argument("--plan", action="store_true", help="random: print what would happen")
    parser.add_argument("--times", type=int, default=100, help="kills: how often (100)")
    parser.add_argument("--keep-going", action="store_true", help="go on after a broken promise")
    parser.add_argument("--logs", type=pathlib.Path, help="folder for the logs (one below TMPDIR, removed when all is well)")
    return parser.parse_args()


def _left_out(options):
    return plan.OF_THE_MACHINE if options.beside_others else ()


@contextlib.contextmanager
def a_run(options, folder):
    """A node with an agent and its innocent pods; at the end, what is left of it is judged."""
    with contextlib.ExitStack() as stack:
        containerd = None
        if options.runtime == "cri":
            containerd = Containerd(options.build, "chaos/chaos_load")
            folder.mkdir(parents=True, exist_ok=True)
            containerd.log = folder / "containerd.log"
            stack.enter_context(containerd)
        bed = stack.enter_context(Bed(options.build, folder, containerd, watch_pids=not options.beside_others))
        run = stack.enter_context(Run(bed, options.seed, options.keep_going))
        yield run


def play_random(options, folder):
    """Rounds until the time is over."""
    with a_run(options, folder) as run:
        run.add_innocents()
        run.start_agent()
        judge.calm(run)
        number = options.round or 0
        end = now() + 60 * options.minutes
        while options.round is None and now() < end or number == options.round:
            steps = plan.round_of(options.seed, number, options.runtime, options.only, _left_out(options))
            run.tell(f"round {number}")
            run.play(steps)
            judge.calm(run)
            run.forget_removed()
            print(f"{now() - run.began:7.1f} s  round {number:3}: {', '.join(step.kind for step in steps)}; "
                  f"{len(run.records)} evictions, below the line {run.worst_below:.2f} s at worst", flush=True)
            number += 1
        judge.nothing_is_left(run)
        summary(run, number)
        return run.faults


def summary(run, rounds):
    steps = {name[5:]: count for name, count in run.counts.items() if name.startswith("step ")}
    print(f"\nseed {run.seed}: {rounds} rounds in {(now() - run.began) / 60:.1f} min, {sum(steps.values())} steps: "
          + ", ".join(f"{count} {name}" for name, count in sorted(steps.items())))
    for name, count in sorted(run.counts.items()):
        if not name.startswith("step "):
            print(f"{name}: {count}")
    print(f"evictions: {len(run.records)}")
    print(f"longest time below the node's line, without what nobody could be evicted for: {run.worst_below:.2f} s")
    print(f"cost of the agent at rest, at first and in the end (KiB, descriptors, threads): {run.cost}, {run.last_cost}")


def main(options, folder):
    return play_random(options, folder) if options.command == "random" else kills.play(options, folder, a_run)


def inside(options, folder):
    began = time.monotonic()
    faults = []
    try:
        faults = main(options, folder)
    except Broken as broken:
        faults = [str(broken)]
    print(f"{options.command}, {options.runtime} runtime, seed {options.seed}: "
          + (f"{len(faults)} promises broken; logs in {folder}" if faults else "every promise was kept")
          + f" ({(time.monotonic() - began) / 60:.1f} min)")
    return 1 if faults else 0


if __name__ == "__main__":
    chosen = arguments()
    if chosen.seed is None:
        chosen.seed = random.SystemRandom().randrange(1 << 31)
    if chosen.plan:
        for index in range(int(chosen.minutes * 60 / plan.SECONDS_OF_ROUND)):
            for each in plan.round_of(chosen.seed, index, chosen.runtime, chosen.only, _left_out(chosen)):
                print(f"round {index}: {each}")
        sys.exit(0)
    if os.geteuid() != 0:
        sys.exit("chaos.py: control groups and namespaces need root")
    print(f"{chosen.command}, {chosen.runtime} runtime, seed {chosen.seed}", flush=True)
    kept = chosen.logs or pathlib.Path(tempfile.mkdtemp(prefix=f"jettison-chaos-{chosen.seed}-"))
    kept.mkdir(parents=True, exist_ok=True)
    status = world.run_in_own(lambda: inside(chosen, kept))
    if status == 0 and not chosen.logs:
        shutil.rmtree(kept)
    sys.exit(status)
